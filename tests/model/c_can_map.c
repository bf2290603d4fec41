// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C_CAN model: from an offset and a width to a register.
 *
 * C_CAN r1.2, 3 (16-bit map), D_CAN r1.11, 3 and AM335x TRM, 23.4 (32-bit map).
 */
#include "c_can_internal.h"

enum word {
	WORD_NONE, WORD_CTRL, WORD_STS, WORD_ERRCNT, WORD_BTR, WORD_INT, WORD_TEST,
	WORD_CFR, WORD_PERR, WORD_REL, WORD_HWS, WORD_ABOTR, WORD_INTMUX,
	WORD_FLAGS, WORD_FLAGS_X, WORD_IF, WORD_IF3, WORD_IF3UPD, WORD_TIOC, WORD_RIOC,
};

/* Where an access goes: a word, what it is an index into, and who counts it. */
struct place {
	enum word word;
	unsigned int index;
	unsigned int iface;
	unsigned int shift;	/* of the access within the word */
	uint32_t lanes;
	enum c_can_reg row;
};

static const enum c_can_reg flag_row[4] = {
	C_CAN_REG_TXRQST, C_CAN_REG_NEWDAT, C_CAN_REG_INTPND, C_CAN_REG_MSGVAL,
};

static void place_word(struct place *p, enum word word, unsigned int index,
		       enum c_can_reg row)
{
	p->word = word;
	p->index = index;
	p->row = row;
}

static void place_if(struct place *p, unsigned int iface, unsigned int word)
{
	static const enum c_can_reg row[6] = {
		C_CAN_REG_IF1_CMDREQ, C_CAN_REG_IF1_MASK, C_CAN_REG_IF1_ARB,
		C_CAN_REG_IF1_MCTRL, C_CAN_REG_IF1_DATA, C_CAN_REG_IF1_DATA,
	};
	unsigned int r = row[word];

	/* The upper half of the command is the C_CAN's command mask. */
	if (!word && p->shift >= 16)
		r = C_CAN_REG_IF1_CMDMASK;
	if (iface)
		r += C_CAN_REG_IF2_CMDREQ - C_CAN_REG_IF1_CMDREQ;
	place_word(p, WORD_IF, word, r);
	p->iface = iface;
}

/* 16-bit registers: halves of the D_CAN's words. */
static void place_c_can(struct place *p, unsigned int half)
{
	/* word and half (0 lower, 1 upper) of the registers of an IF, in order */
	static const uint8_t if_half[11] = { 0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11 };
	static const struct {
		enum word word;
		enum c_can_reg row;
	} low[6] = {
		{ WORD_CTRL, C_CAN_REG_CTRL }, { WORD_STS, C_CAN_REG_STS },
		{ WORD_ERRCNT, C_CAN_REG_ERRCNT }, { WORD_BTR, C_CAN_REG_BTR },
		{ WORD_INT, C_CAN_REG_INT }, { WORD_TEST, C_CAN_REG_TEST },
	};
	unsigned int offset = half * 2;

	if (half < 6) {
		place_word(p, low[half].word, 0, low[half].row);
	} else if (offset == 0x0c) {
		p->shift += 16;
		place_word(p, WORD_BTR, 0, C_CAN_REG_BRPEXT);
	} else if ((offset >= 0x10 && offset <= 0x24) || (offset >= 0x40 && offset <= 0x54)) {
		unsigned int iface = offset >= 0x40;
		unsigned int pos = if_half[(offset - (iface ? 0x40 : 0x10)) / 2];

		if (pos & 1)
			p->shift += 16;
		place_if(p, iface, pos / 2);
	} else if (offset >= 0x80 && offset < 0xc0 && (offset & 0xf) <= 2) {
		static const uint8_t flag[4] = {
			C_CAN_FLAG_TXRQST, C_CAN_FLAG_NEWDAT, C_CAN_FLAG_INTPND,
			C_CAN_FLAG_MSGVAL,
		};
		unsigned int f = flag[(offset - 0x80) >> 4];

		if (offset & 2)
			p->shift += 16;
		place_word(p, WORD_FLAGS, f << 8, flag_row[f]);
	}
}

#define BOSCH	(1 << D_CAN_BOSCH)
#define TI	(1 << D_CAN_TI)

/* The D_CAN's registers that stand alone, and who has them. */
static const struct {
	unsigned int offset;
	unsigned int types;
	enum word word;
	enum c_can_reg row;
} single[] = {
	{ 0x00, BOSCH | TI, WORD_CTRL, C_CAN_REG_CTRL },
	{ 0x04, BOSCH | TI, WORD_STS, C_CAN_REG_STS },
	{ 0x08, BOSCH | TI, WORD_ERRCNT, C_CAN_REG_ERRCNT },
	{ 0x0c, BOSCH | TI, WORD_BTR, C_CAN_REG_BTR },
	{ 0x10, BOSCH | TI, WORD_INT, C_CAN_REG_INT },
	{ 0x14, BOSCH | TI, WORD_TEST, C_CAN_REG_TEST },
	{ 0x18, BOSCH, WORD_CFR, C_CAN_REG_CFR },
	{ 0x1c, BOSCH | TI, WORD_PERR, C_CAN_REG_PERR },
	{ 0x20, BOSCH | TI, WORD_REL, C_CAN_REG_REL },
	{ 0x24, BOSCH, WORD_HWS, C_CAN_REG_HWS },
	{ 0x80, TI, WORD_ABOTR, C_CAN_REG_ABOTR },
	{ 0x1e0, TI, WORD_TIOC, C_CAN_REG_OTHER },
	{ 0x1e4, TI, WORD_RIOC, C_CAN_REG_OTHER },
};

static void place_d_can(const struct c_can *c, struct place *p, unsigned int offset)
{
	const bool ti = c_can_is_ti(c);
	unsigned int i;

	if (offset >= 0x84 && offset < 0xd4) {
		/* Four groups: a summary and four words each. */
		unsigned int flag = (offset - 0x84) / 0x14, word = (offset - 0x84) % 0x14 / 4;

		if (word)
			place_word(p, WORD_FLAGS, flag << 8 | (word - 1), flag_row[flag]);
		else
			place_word(p, WORD_FLAGS_X, flag, flag_row[flag]);
		return;
	}
	if (offset >= 0x100 && offset <= 0x134) {
		unsigned int word = (offset & 0x1f) / 4;

		if (word < 6)
			place_if(p, (offset - 0x100) >> 5, word);
		return;
	}
	if (ti && offset >= 0xd8 && offset <= 0xe4) {
		place_word(p, WORD_INTMUX, (offset - 0xd8) / 4, C_CAN_REG_INTMUX);
		return;
	}
	if (ti && offset >= 0x140 && offset <= 0x154) {
		place_word(p, WORD_IF3, (offset - 0x140) / 4, C_CAN_REG_IF3);
		return;
	}
	if (ti && offset >= 0x160 && offset <= 0x16c) {
		place_word(p, WORD_IF3UPD, (offset - 0x160) / 4, C_CAN_REG_IF3);
		return;
	}
	for (i = 0; i < sizeof(single) / sizeof(single[0]); i++)
		if (single[i].offset == offset && (single[i].types & 1 << c->config.type)) {
			place_word(p, single[i].word, 0, single[i].row);
			break;
		}
	/* The prescaler extension is the C_CAN's register of that name. */
	if (p->word == WORD_BTR && p->shift >= 16)
		p->row = C_CAN_REG_BRPEXT;
}

static struct place find(const struct c_can *c, unsigned int offset, unsigned int size)
{
	struct place p = { .word = WORD_NONE, .row = C_CAN_REG_OTHER };
	const unsigned int widest = c_can_is_d_can(c) ? 4 : 2;

	if (size > widest)
		size = widest;
	if (size == 3 || !size)
		size = 1;
	offset &= ~(size - 1);
	p.shift = (offset & (widest - 1)) * 8;
	if (c_can_is_d_can(c))
		place_d_can(c, &p, offset & ~3u);
	else
		place_c_can(&p, offset / 2);
	p.lanes = (size == 4 ? ~0u : (1u << (8 * size)) - 1) << p.shift;
	return p;
}

static uint32_t word_read(struct c_can *c, const struct place *p)
{
	switch (p->word) {
	case WORD_CTRL:
		return c_can_ctrl_read(c);
	case WORD_STS:
		return c_can_sts_read(c, p->lanes);
	case WORD_ERRCNT:
		return c_can_errcnt_read(c);
	case WORD_BTR:
		return c->btr;
	case WORD_INT:
		return c_can_int_read(c);
	case WORD_TEST:
		return c_can_test_read(c);
	case WORD_CFR:
		return c->cfr;
	case WORD_PERR:
		return c->perr;
	case WORD_REL:
		return c_can_rel_read(c);
	case WORD_HWS:
		return c_can_hws_read(c);
	case WORD_ABOTR:
		return c->abotr;
	case WORD_INTMUX:
		return c->intmux[p->index];
	case WORD_FLAGS:
		return c_can_flags_read(c, p->index >> 8, p->index & 0xff);
	case WORD_FLAGS_X:
		return c_can_flags_x_read(c, p->index);
	case WORD_IF:
		return c_can_if_read(c, p->iface, p->index, p->lanes);
	case WORD_IF3:
		return c_can_if3_read(c, p->index, p->lanes);
	case WORD_IF3UPD:
		return c->if3.update[p->index];
	case WORD_TIOC:
		return c->tioc;
	case WORD_RIOC:
		return c->rioc;
	case WORD_NONE:
		break;
	}
	return 0;
}

static void merge(uint32_t *word, uint32_t value, uint32_t lanes)
{
	*word = (*word & ~lanes) | (value & lanes);
}

static void word_write(struct c_can *c, const struct place *p, uint32_t value)
{
	switch (p->word) {
	case WORD_CTRL:
		c_can_ctrl_write(c, value, p->lanes);
		break;
	case WORD_STS:
		c_can_sts_write(c, value, p->lanes);
		break;
	case WORD_BTR:
		c_can_btr_write(c, value, p->lanes);
		break;
	case WORD_TEST:
		c_can_test_write(c, value, p->lanes);
		break;
	case WORD_CFR:
		c_can_cfr_write(c, value, p->lanes);
		break;
	case WORD_ABOTR:
		merge(&c->abotr, value, p->lanes);
		break;
	case WORD_INTMUX:
		merge(&c->intmux[p->index], value, p->lanes);
		c_can_update_irq(c);
		break;
	case WORD_IF:
		c_can_if_write(c, p->iface, p->index, value, p->lanes);
		break;
	case WORD_IF3:
		c_can_if3_write(c, p->index, value, p->lanes);
		break;
	case WORD_IF3UPD:
		c_can_if3_update_write(c, p->index, value, p->lanes);
		break;
	case WORD_TIOC:
		merge(&c->tioc, value & 0x0007000e, p->lanes);
		break;
	case WORD_RIOC:
		merge(&c->rioc, value & 0x0007000e, p->lanes);
		break;
	case WORD_ERRCNT:
	case WORD_INT:
	case WORD_PERR:
	case WORD_REL:
	case WORD_HWS:
	case WORD_FLAGS:
	case WORD_FLAGS_X:
	case WORD_NONE:
		break;		/* read only, or not there */
	}
}

uint32_t c_can_read(struct c_can *c, unsigned int offset, unsigned int size)
{
	struct place p = find(c, offset, size);

	c->stats.reads[p.row]++;
	return (word_read(c, &p) & p.lanes) >> p.shift;
}

void c_can_write(struct c_can *c, unsigned int offset, unsigned int size, uint32_t value)
{
	struct place p = find(c, offset, size);

	c->stats.writes[p.row]++;
	word_write(c, &p, value << p.shift & p.lanes);
}
