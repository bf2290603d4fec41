/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interrupt controller of BCM2835..BCM2837 (BCM2835 ARM Peripherals, 7.5) as
 * far as levels go: 8 lines of the ARM side and 64 of the GPU side. What it gives
 * to the CPU's IRQ input on the chip becomes one MSI here: the output rises when
 * an enabled line is up, and falls only when the basic pending register has been
 * read as 0. A handler that loops until then loses nothing and is not called in
 * vain.
 */
#ifndef ARMCTRL_H
#define ARMCTRL_H

#include <stdio.h>

#include "sim.h"

#define ARMCTRL_SIZE		0x28

/* Lines as device trees count them: bank and number, two cells. */
#define ARMCTRL_LINE(bank, number)	((bank) * 32 + (number))
#define ARMCTRL_BANKS		3

/**
 * struct armctrl - its state; bank 0 is the ARM's, banks 1 and 2 are the GPU's
 * @raw: lines that are up
 * @enabled: lines that may interrupt
 * @raised: the output
 */
struct armctrl {
	struct sim *sim;
	uint32_t raw[ARMCTRL_BANKS];
	uint32_t enabled[ARMCTRL_BANKS];
	bool raised;
	uint64_t reads;
	uint64_t writes;
	uint64_t raises;
};

void armctrl_init(struct armctrl *ac, struct sim *sim);
void armctrl_reset(struct armctrl *ac);
void armctrl_line(struct armctrl *ac, unsigned int line, bool level);
uint32_t armctrl_read(struct armctrl *ac, unsigned int off);
void armctrl_write(struct armctrl *ac, unsigned int off, uint32_t value);
/* The controller's counters as JSON members; can be reset by armctrl_counters_reset(). */
void armctrl_counters(const struct armctrl *ac, FILE *out);
void armctrl_counters_reset(struct armctrl *ac);

#endif
