// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MCP2515 model: from the message assembly buffer into RXB0 or RXB1.
 *
 * DS20001801J, 4 (reception, figure 4-3), 4.5 (filters and masks).
 */
#include <string.h>

#include "mcp2515_internal.h"

#define NO_FILTER	-1

/* RXF0..2 begin at 00h, RXF3..5 at 10h. */
static const uint8_t *filter(const struct mcp2515 *m, unsigned int f)
{
	return &m->reg[f < 3 ? 4 * f : 0x10 + 4 * (f - 3)];
}

/*
 * The message assembly buffer. SRR is what the wire says: an extended frame has it recessive;
 * the data sheet calls it valid for standard frames only, and RTR in DLC for extended ones.
 */
static void assemble(struct mcp2515 *m, const struct canbus_frame *f)
{
	uint8_t *mab = m->mab - SIDH;
	uint32_t sid = f->ext ? f->id >> 18 : f->id;
	unsigned int i, len = f->rtr ? 0 : f->dlc > 8 ? 8 : f->dlc;

	mab[SIDH] = sid >> 3;
	mab[SIDL] = (sid & 7) << 5;
	mab[DLC] = f->dlc & 15;
	if (f->ext) {
		mab[SIDL] |= SIDL_SRR | SIDL_IDE | (f->id >> 16 & 3);
		mab[EID8] = f->id >> 8;
		mab[EID0] = f->id;
		mab[DLC] |= f->rtr ? DLC_RTR : 0;
	} else if (f->rtr) {
		mab[SIDL] |= SIDL_SRR;
	}
	for (i = 0; i < len; i++)
		mab[DATA + i] = f->data[i];
}

/*
 * With a standard frame the extended part of filter and mask is compared with the first two
 * data bytes (4.5.1); bytes that the frame does not have are those of a frame before.
 */
static bool matches(const struct mcp2515 *m, unsigned int f, const uint8_t *mask)
{
	const uint8_t *want = filter(m, f), *mab = m->mab - SIDH;
	bool ext = mab[SIDL] & SIDL_IDE;
	uint8_t sidl = ext ? 0xe3 : 0xe0;
	uint8_t eid8 = ext ? mab[EID8] : mab[DATA], eid0 = ext ? mab[EID0] : mab[DATA + 1];

	if (ext != !!(want[1] & SIDL_IDE))
		return false;
	return !((mab[SIDH] ^ want[0]) & mask[0]) && !((mab[SIDL] ^ want[1]) & mask[1] & sidl) &&
	       !((eid8 ^ want[2]) & mask[2]) && !((eid0 ^ want[3]) & mask[3]);
}

/* The lowest filter that lets the frame into buffer @n, or NO_FILTER. */
static int accepted(const struct mcp2515 *m, unsigned int n)
{
	unsigned int f = n ? 2 : 0, end = n ? 6 : 2;
	bool ext = m->mab[SIDL - SIDH] & SIDL_IDE;

	switch (m->reg[RXB(n)] & RXB_RXM) {
	case RXB_RXM_ALL:
		return 0;
	case RXB_RXM_EXT:
		if (!ext)
			return NO_FILTER;
		break;
	case RXB_RXM_STD:
		if (ext)
			return NO_FILTER;
		break;
	}
	for (; f < end; f++) {
		if (matches(m, f, &m->reg[n ? RXM1 : RXM0]))
			return f;
	}
	return NO_FILTER;
}

static bool full(const struct mcp2515 *m, unsigned int n)
{
	return m->reg[CANINTF] & INT_RX(n);
}

/* The buffer changes all at once, whoever is reading it. */
static void load(struct mcp2515 *m, unsigned int n, int f, bool rtr)
{
	uint8_t *ctrl = &m->reg[RXB(n)];

	memcpy(ctrl + SIDH, m->mab, BUFFER_BYTES);
	*ctrl &= ~(RXB_RXRTR | (n ? 7 : 1));
	*ctrl |= (rtr ? RXB_RXRTR : 0) | f;
	m->stats.rx_stored[n]++;
	mcp2515_set_flags(m, INT_RX(n));
}

static void overflow(struct mcp2515 *m, unsigned int n)
{
	m->stats.rx_overflow[n]++;
	m->reg[EFLG] |= EFLG_RXOVR(n);
	mcp2515_set_flags(m, INT_ERR);
}

/* A valid frame (figure 4-3). */
void mcp2515_rx_frame(struct mcp2515 *m, const struct canbus_frame *frame)
{
	int f;

	m->stats.rx_valid++;
	assemble(m, frame);
	f = accepted(m, 0);
	if (f != NO_FILTER) {
		if (!full(m, 0)) {
			load(m, 0, f, frame->rtr);
		} else if (!(m->reg[RXB(0)] & RXB_BUKT)) {
			overflow(m, 0);
		} else if (!full(m, 1)) {
			m->stats.rx_rollover++;
			load(m, 1, f, frame->rtr);
		} else {
			overflow(m, 1);
		}
		return;
	}
	f = accepted(m, 1);
	if (f == NO_FILTER)
		m->stats.rx_filtered++;
	else if (full(m, 1))
		overflow(m, 1);
	else
		load(m, 1, f, frame->rtr);
}
