// SPDX-License-Identifier: GPL-2.0-only
#include "guest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static GByteArray *buffer(void)
{
	static GByteArray *array;

	if (!array)
		array = g_byte_array_new();
	return array;
}

__attribute__((noreturn))
static void broken(const char *what, uint64_t where)
{
	fprintf(stderr, "canpipe rig: QEMU refused to %s (0x%" PRIx64 ")\n", what, where);
	abort();
}

struct qemu_plugin_register *guest_register(const char *name)
{
	static qemu_plugin_reg_descriptor *list;
	static unsigned int count;

	if (!list) {
		GArray *all = qemu_plugin_get_registers();

		list = (qemu_plugin_reg_descriptor *)all->data;
		count = all->len;
	}
	for (unsigned int i = 0; i < count; i++) {
		if (!strcmp(list[i].name, name))
			return list[i].handle;
	}
	return NULL;
}

uint64_t guest_get(struct qemu_plugin_register *reg)
{
	GByteArray *b = g_byte_array_set_size(buffer(), 0);
	uint64_t value = 0;

	if (!qemu_plugin_read_register(reg, b))
		broken("read a register", (uintptr_t)reg);
	memcpy(&value, b->data, b->len < sizeof(value) ? b->len : sizeof(value));
	return value;
}

void guest_set(struct qemu_plugin_register *reg, uint64_t value)
{
	GByteArray *b = g_byte_array_set_size(buffer(), sizeof(value));

	memcpy(b->data, &value, sizeof(value));
	if (!qemu_plugin_write_register(reg, b))
		broken("write a register", (uintptr_t)reg);
}

uint32_t guest_read32(uint64_t hwaddr)
{
	GByteArray *b = g_byte_array_set_size(buffer(), 0);
	uint32_t value;

	if (qemu_plugin_read_memory_hwaddr(hwaddr, b, sizeof(value)))
		broken("read guest memory", hwaddr);
	memcpy(&value, b->data, sizeof(value));
	return value;
}

bool guest_write32(uint64_t hwaddr, uint32_t value)
{
	GByteArray *b = g_byte_array_set_size(buffer(), sizeof(value));

	memcpy(b->data, &value, sizeof(value));
	return qemu_plugin_write_memory_hwaddr(hwaddr, b) == 0;
}

bool guest_translate(uint64_t vaddr, uint64_t *hwaddr)
{
	return qemu_plugin_translate_vaddr(vaddr, hwaddr);
}
