// SPDX-License-Identifier: GPL-2.0-only
/* Encodings: Intel SDM volume 2, 2.1 and 2.2. */
#include "x86_mov.h"

#include <string.h>

#define REX_W	8u
#define REX_R	4u
#define REX_X	2u
#define REX_B	1u

#define RSP	4u
#define RBP	5u

struct cursor {
	const uint8_t *code;
	size_t len;
	size_t at;
	unsigned int rex;
	bool has_rex;
	bool size16;
};

static bool next(struct cursor *c, uint8_t *byte)
{
	if (c->at == c->len)
		return false;
	*byte = c->code[c->at++];
	return true;
}

/* Prefixes; false if there is one that changes more than the size. */
static bool prefixes(struct cursor *c)
{
	while (c->at < c->len && c->code[c->at] == 0x66) {
		c->size16 = true;
		c->at++;
	}
	if (c->at < c->len && (c->code[c->at] & 0xf0) == 0x40) {
		c->rex = c->code[c->at++];
		c->has_rex = true;
	}
	return c->at < c->len;
}

static bool number(struct cursor *c, unsigned int bytes, int64_t *value)
{
	uint64_t v = 0;

	if (c->len - c->at < bytes)
		return false;
	for (unsigned int i = 0; i < bytes; i++)
		v |= (uint64_t)c->code[c->at++] << 8 * i;
	*value = bytes == 1 ? (int8_t)v : bytes == 2 ? (int16_t)v : (int32_t)v;
	return true;
}

/* ModRM and what follows; the reg field goes to *reg. */
static bool operand(struct cursor *c, unsigned int *reg, struct insn *insn)
{
	unsigned int mod, rm;
	int64_t displacement = 0;
	uint8_t byte;

	if (!next(c, &byte))
		return false;
	mod = byte >> 6;
	*reg = (byte >> 3 & 7) | (c->rex & REX_R ? 8 : 0);
	rm = byte & 7;
	if (mod == 3)
		return false;
	insn->index = INSN_NO_REG;
	insn->shift = 0;
	if (rm == RSP) {	/* a SIB byte follows */
		unsigned int index;

		if (!next(c, &byte))
			return false;
		index = (byte >> 3 & 7) | (c->rex & REX_X ? 8 : 0);
		if (index != RSP) {
			insn->index = (uint8_t)index;
			insn->shift = byte >> 6;
		}
		rm = byte & 7;
	}
	if (mod == 0 && rm == RBP)	/* RIP-relative, or no base */
		return false;
	insn->base = (uint8_t)(rm | (c->rex & REX_B ? 8 : 0));
	if (insn->base == RSP)
		return false;
	if (mod && !number(c, mod == 1 ? 1 : 4, &displacement))
		return false;
	insn->displacement = (int32_t)displacement;
	return true;
}

static uint8_t word_size(const struct cursor *c)
{
	return c->rex & REX_W ? 8 : c->size16 ? 2 : 4;
}

/* Without REX, byte registers 4 to 7 are AH, CH, DH, BH. */
static bool byte_register(const struct cursor *c, unsigned int reg)
{
	return c->has_rex || reg < 4;
}

static enum x86_mov move_immediate(struct cursor *c, unsigned int bytes, struct insn *insn)
{
	unsigned int reg;
	int64_t value;

	if (!operand(c, &reg, insn) || (reg & 7) != 0)
		return X86_MOV_NONE;
	if (!number(c, bytes == 8 ? 4 : bytes, &value))
		return X86_MOV_NONE;
	insn->reg = INSN_NO_REG;
	insn->size = (uint8_t)bytes;
	insn->immediate = (uint64_t)value;
	return X86_MOV_STORE;
}

static enum x86_mov move(struct cursor *c, enum x86_mov what, unsigned int bytes,
			 struct insn *insn)
{
	unsigned int reg;

	if (!operand(c, &reg, insn))
		return X86_MOV_NONE;
	if (bytes == 1 && !byte_register(c, reg))
		return X86_MOV_NONE;
	insn->reg = (uint8_t)reg;
	insn->size = (uint8_t)bytes;
	insn->merge = what == X86_MOV_LOAD && bytes < 4;
	return what;
}

static enum x86_mov move_zero_extended(struct cursor *c, struct insn *insn)
{
	enum x86_mov what;
	unsigned int reg;
	uint8_t opcode;

	if (!next(c, &opcode) || (opcode != 0xb6 && opcode != 0xb7))
		return X86_MOV_NONE;
	/* To a 16-bit register it would keep the upper part: nobody does that. */
	if (c->size16)
		return X86_MOV_NONE;
	what = operand(c, &reg, insn) ? X86_MOV_LOAD : X86_MOV_NONE;
	insn->reg = (uint8_t)reg;
	insn->size = opcode == 0xb6 ? 1 : 2;
	return what;
}

enum x86_mov x86_mov_decode(const uint8_t *code, size_t len, struct insn *insn)
{
	struct cursor c = { .code = code, .len = len };
	enum x86_mov what = X86_MOV_NONE;
	uint8_t opcode;

	insn->merge = 0;
	insn->immediate = 0;
	if (!prefixes(&c) || !next(&c, &opcode))
		return X86_MOV_NONE;
	switch (opcode) {
	case 0x0f:
		what = move_zero_extended(&c, insn);
		break;
	case 0x88:
		what = move(&c, X86_MOV_STORE, 1, insn);
		break;
	case 0x89:
		what = move(&c, X86_MOV_STORE, word_size(&c), insn);
		break;
	case 0x8a:
		what = move(&c, X86_MOV_LOAD, 1, insn);
		break;
	case 0x8b:
		what = move(&c, X86_MOV_LOAD, word_size(&c), insn);
		break;
	case 0xc6:
		what = move_immediate(&c, 1, insn);
		break;
	case 0xc7:
		what = move_immediate(&c, word_size(&c), insn);
		break;
	}
	if (c.at != len)
		return X86_MOV_NONE;
	insn->length = (uint8_t)len;
	return what;
}

static enum x86_flags two_byte_flags(uint8_t opcode)
{
	if ((opcode & 0xf0) == 0x40 || (opcode & 0xf0) == 0x80 || (opcode & 0xf0) == 0x90)
		return X86_FLAGS_READ;	/* CMOVcc, Jcc, SETcc */
	if (opcode == 0xa3 || opcode == 0xba)
		return X86_FLAGS_SET;	/* BT and its kind: carry, which is what follows reads */
	return X86_FLAGS_UNTOUCHED;
}

/* The operation named by the second byte of an instruction. */
static unsigned int operation(const struct cursor *c)
{
	return c->at < c->len ? c->code[c->at] >> 3 & 7 : 0;
}

/* 2 is ADC or RCL, 3 is SBB or RCR. */
static enum x86_flags group_flags(const struct cursor *c)
{
	unsigned int which = operation(c);

	return which == 2 || which == 3 ? X86_FLAGS_READ : X86_FLAGS_SET;
}

enum x86_flags x86_flags_use(const uint8_t *code, size_t len)
{
	struct cursor c = { .code = code, .len = len };
	uint8_t opcode;

	while (c.at < len && (code[c.at] == 0xf2 || code[c.at] == 0xf3))
		c.at++;
	if (!prefixes(&c) || !next(&c, &opcode))
		return X86_FLAGS_UNTOUCHED;
	if (opcode == 0x0f)
		return next(&c, &opcode) ? two_byte_flags(opcode) : X86_FLAGS_UNTOUCHED;
	if ((opcode & 0xf0) == 0x70 || opcode == 0x9c || opcode == 0x9f || opcode == 0xf5)
		return X86_FLAGS_READ;	/* Jcc, PUSHF, LAHF, CMC */
	if (opcode < 0x40 && (opcode & 7) < 6)	/* arithmetic in its six forms */
		return (opcode >> 3) == 2 || (opcode >> 3) == 3 ? X86_FLAGS_READ :
								  X86_FLAGS_SET;
	if (opcode == 0x80 || opcode == 0x81 || opcode == 0x83)
		return group_flags(&c);
	if (opcode == 0xc0 || opcode == 0xc1 || (opcode & 0xfc) == 0xd0)	/* shifts */
		return group_flags(&c) == X86_FLAGS_READ ? X86_FLAGS_READ :
							   X86_FLAGS_UNTOUCHED;
	if (opcode == 0x84 || opcode == 0x85 || opcode == 0xa8 || opcode == 0xa9)
		return X86_FLAGS_SET;	/* TEST */
	if (opcode == 0xf6 || opcode == 0xf7)	/* TEST, NOT, NEG... */
		return operation(&c) == 2 ? X86_FLAGS_UNTOUCHED : X86_FLAGS_SET;
	if (opcode == 0xc3 || opcode == 0xe8)
		return X86_FLAGS_SET;	/* no calling convention carries flags */
	return X86_FLAGS_UNTOUCHED;
}
