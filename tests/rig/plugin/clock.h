/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guest's clock, which belongs to the plugin: QEMU's clocks play no part
 * in what the guest sees.
 *
 * Each translation block adds its cost to one counter; now = counter + offset.
 * When something is to happen at time T, counter and offset are shifted so that
 * the counter reaches CLOCK_DUE at T, and the block that gets it there calls
 * back. So a block without anything to do costs one addition and one compare.
 */
#ifndef PLUGIN_CLOCK_H
#define PLUGIN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu_plugin_abi.h"

#define CLOCK_DUE (1ull << 62)
#define CLOCK_NEVER UINT64_MAX

/* Before the first block is translated; false: out of memory. */
bool clock_init(void);
/* The vCPU exists: let time begin. */
void clock_start(void);
bool clock_started(void);
/* The counter, for the translator. */
qemu_plugin_u64 clock_counter(void);

uint64_t clock_now(void);
/* Call back at this time (or at once if it has passed). */
void clock_set_due(uint64_t at);
/* The CPU is held up. */
void clock_charge(uint64_t ns);
/* Instructions that were counted with their block but will not be executed. */
void clock_uncount(uint64_t ns);
/* The CPU sleeps until then. */
void clock_sleep_until(uint64_t at);

uint64_t clock_idle_ns(void);
uint64_t clock_charged_ns(void);

#endif
