/* SPDX-License-Identifier: GPL-2.0-only */
/* Recognise the x86-64 instructions that read and write device registers. */
#ifndef PLUGIN_X86_MOV_H
#define PLUGIN_X86_MOV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "insn.h"

enum x86_mov { X86_MOV_NONE, X86_MOV_LOAD, X86_MOV_STORE };

/*
 * MOV and MOVZX between a register (or an immediate) and memory, addressed by
 * base, index and displacement; not relative to RIP, the stack, or a segment.
 * Fills in all of insn but pc, after_ns and kind; register numbers are those
 * of the encoding.
 */
enum x86_mov x86_mov_decode(const uint8_t *code, size_t len, struct insn *insn);

/* What an instruction does to the arithmetic flags, as far as it is plain to see. */
enum x86_flags { X86_FLAGS_UNTOUCHED, X86_FLAGS_READ, X86_FLAGS_SET };

enum x86_flags x86_flags_use(const uint8_t *code, size_t len);

#endif
