/* SPDX-License-Identifier: GPL-2.0-only */
/* The vCPU's registers and the guest's physical address space. vCPU thread only. */
#ifndef PLUGIN_GUEST_H
#define PLUGIN_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "qemu_plugin_abi.h"

/* A register by its name in QEMU's gdb description; NULL: there is none. */
struct qemu_plugin_register *guest_register(const char *name);
uint64_t guest_get(struct qemu_plugin_register *reg);
void guest_set(struct qemu_plugin_register *reg, uint64_t value);

uint32_t guest_read32(uint64_t hwaddr);
/* false: nothing answers there. */
bool guest_write32(uint64_t hwaddr, uint32_t value);

/* false: no memory is mapped there. */
bool guest_translate(uint64_t vaddr, uint64_t *hwaddr);

#endif
