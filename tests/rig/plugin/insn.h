/* SPDX-License-Identifier: GPL-2.0-only */
/* What the callback at one translated instruction has to know. */
#ifndef PLUGIN_INSN_H
#define PLUGIN_INSN_H

#include <stdbool.h>
#include <stdint.h>

#define INSN_NO_REG 0xff

/**
 * struct insn - one instruction in one translation block
 * @pc: its address when it was translated
 * @after_ns: cost of the instructions behind it in its block
 * @kind: for the architecture's use
 * @length: bytes
 * @reg: the data register, or INSN_NO_REG
 * @base, @index: address registers of a load or store, or INSN_NO_REG
 * @shift: of @index
 * @size: bytes moved
 * @displacement: added to the address
 * @immediate: stored if @reg is INSN_NO_REG
 * @merge: a load leaves the rest of @reg alone
 */
struct insn {
	uint64_t pc;
	uint64_t immediate;
	int32_t displacement;
	uint32_t after_ns;
	uint8_t kind;
	uint8_t length;
	uint8_t reg;
	uint8_t base;
	uint8_t index;
	uint8_t shift;
	uint8_t size;
	uint8_t merge;
};

/*
 * A lasting copy. Code is translated again and again; equal descriptions share
 * one copy, so this does not grow with time.
 */
struct insn *insn_keep(const struct insn *insn);

#endif
