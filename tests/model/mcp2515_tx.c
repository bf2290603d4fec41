// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MCP2515 model: transmit buffers, priorities, abort, one-shot.
 *
 * DS20001801J, 3 (transmission, figure 3-1), 3.6 (aborting).
 */
#include <string.h>

#include "mcp2515_internal.h"

static uint8_t *ctrl(struct mcp2515 *m, unsigned int n)
{
	return &m->reg[TXB(n)];
}

static bool requested(const struct mcp2515 *m, unsigned int n)
{
	return m->reg[TXB(n)] & TXB_TXREQ;
}

/* Something that a change of mode has to wait for. */
bool mcp2515_tx_pending(const struct mcp2515 *m)
{
	return m->tx != NO_BUFFER || requested(m, 0) || requested(m, 1) || requested(m, 2);
}

static bool may_send(const struct mcp2515 *m)
{
	return m->mode == MODE_NORMAL || m->mode == MODE_LOOPBACK;
}

void mcp2515_tx_kick(struct mcp2515 *m)
{
	if (may_send(m) && mcp2515_tx_pending(m))
		canbus_node_kick(&m->node);
}

/* A buffer is no longer pending. */
static void drop(struct mcp2515 *m, unsigned int n, uint8_t flags)
{
	*ctrl(m, n) &= ~TXB_TXREQ;
	*ctrl(m, n) |= flags;
	mcp2515_check_mode_soon(m);
}

/*
 * TXREQ is set: flags of the last attempt are cleared (3.3). Under ABAT the request is aborted
 * at once.
 */
void mcp2515_tx_request(struct mcp2515 *m, unsigned int n)
{
	*ctrl(m, n) &= ~(TXB_ABTF | TXB_MLOA | TXB_TXERR);
	*ctrl(m, n) |= TXB_TXREQ;
	m->tx_asked_at[n] = m->sim->now;
	if (m->reg[CANCTRL] & CTRL_ABAT)
		drop(m, n, TXB_ABTF);
	else
		mcp2515_tx_kick(m);
}

static void erratum_corrupt(struct mcp2515 *m, unsigned int n)
{
	uint64_t into = (m->sim->now - m->sof_at) % m->node.bit_ns;

	if (mcp2515_has(m, MCP2515_ERRATUM_TXB_CORRUPT) && n && m->node.receiving &&
	    into < mcp2515_clocks_ns(m, 1))
		m->reg[TXB(n) + DATA] ^= 0xff;
}

/* The RTS instruction; no bit set: ignored (12.7). */
void mcp2515_tx_rts(struct mcp2515 *m, unsigned int buffers)
{
	unsigned int n;

	for (n = 0; n < TX_BUFFERS; n++) {
		if (!(buffers & 1u << n))
			continue;
		erratum_corrupt(m, n);
		mcp2515_tx_request(m, n);
	}
}

/*
 * TXBnCTRL is written. Clearing TXREQ aborts what has not begun; a frame on the wire goes on
 * but is not tried again. ABTF tells nothing of this (3.6).
 */
void mcp2515_tx_control(struct mcp2515 *m, unsigned int n, uint8_t value)
{
	bool was = requested(m, n);

	*ctrl(m, n) = (*ctrl(m, n) & ~TXB_TXP) | (value & TXB_TXP);
	if (value & TXB_TXREQ) {
		if (!was)
			mcp2515_tx_request(m, n);
	} else if (was) {
		drop(m, n, 0);
	}
}

/* ABAT is set: all that is not on the wire. */
void mcp2515_tx_abort_all(struct mcp2515 *m)
{
	unsigned int n;

	for (n = 0; n < TX_BUFFERS; n++) {
		if (requested(m, n) && (int)n != m->tx)
			drop(m, n, TXB_ABTF);
	}
}

void mcp2515_tx_bus_off(struct mcp2515 *m)
{
	unsigned int n;

	for (n = 0; mcp2515_has(m, MCP2515_OPEN_BUS_OFF_DROPS) && n < TX_BUFFERS; n++)
		drop(m, n, 0);
}

/* The highest TXP, and among equals the highest number (3.2). */
static int choose(const struct mcp2515 *m)
{
	int n, best = NO_BUFFER;

	for (n = 0; n < TX_BUFFERS; n++) {
		if (!requested(m, n))
			continue;
		if (best == NO_BUFFER ||
		    (m->reg[TXB(n)] & TXB_TXP) >= (m->reg[TXB(best)] & TXB_TXP))
			best = n;
	}
	return best;
}

static void make_frame(const struct mcp2515 *m, unsigned int n, struct canbus_frame *frame)
{
	const uint8_t *b = &m->reg[TXB(n)];

	memset(frame, 0, sizeof(*frame));
	frame->ext = b[SIDL] & SIDL_IDE;
	frame->id = (uint32_t)b[SIDH] << 3 | b[SIDL] >> 5;
	if (frame->ext)
		frame->id = frame->id << 18 | (uint32_t)(b[SIDL] & 3) << 16 |
			    (uint32_t)b[EID8] << 8 | b[EID0];
	frame->rtr = b[DLC] & DLC_RTR;
	frame->dlc = b[DLC] & 15;
	if (!frame->rtr)
		memcpy(frame->data, b + DATA, frame->dlc > 8 ? 8 : frame->dlc);
}

static bool erratum_id(const struct mcp2515 *m, unsigned int n)
{
	return mcp2515_has(m, MCP2515_ERRATUM_ID_DOMINANT) && m->intermission_at &&
	       m->tx_asked_at[n] >= m->intermission_at &&
	       m->sim->now == m->intermission_at + 3 * (uint64_t)m->node.bit_ns;
}

bool mcp2515_want_tx(void *arg, struct canbus_frame *frame)
{
	struct mcp2515 *m = arg;

	m->tx = may_send(m) ? choose(m) : NO_BUFFER;
	if (m->tx == NO_BUFFER)
		return false;
	make_frame(m, m->tx, frame);
	if (erratum_id(m, m->tx))
		frame->id &= frame->ext ? 0x00ffffff : 0x03f;
	return true;
}

/* Lost arbitration or an error: tried again, unless that is not wanted (any more). */
void mcp2515_tx_failed(struct mcp2515 *m, uint8_t flag)
{
	int n = m->tx;

	m->tx = NO_BUFFER;
	if (n == NO_BUFFER)
		return;
	if (flag == TXB_MLOA)
		m->stats.tx_lost++;
	else
		m->stats.tx_errors++;
	*ctrl(m, n) |= flag;
	if (requested(m, n) && (m->reg[CANCTRL] & (CTRL_ABAT | CTRL_OSM)))
		drop(m, n, TXB_ABTF);
	mcp2515_check_mode_soon(m);
}

void mcp2515_tx_done(void *arg, const struct canbus_frame *frame)
{
	struct mcp2515 *m = arg;
	int n = m->tx;

	(void)frame;
	m->intermission_at = m->sim->now;
	m->tx = NO_BUFFER;
	if (n == NO_BUFFER)
		return;
	m->stats.tx_sent++;
	if (mcp2515_has(m, MCP2515_ERRATUM_REPEAT) && (m->spi.held & 1u << n))
		m->stats.tx_repeated++;
	else
		drop(m, n, 0);
	mcp2515_set_flags(m, INT_TX(n));
}
