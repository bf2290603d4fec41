// SPDX-License-Identifier: GPL-2.0-only
/* The MCP2515 model: what the bus tells it. */
#include "mcp2515_internal.h"

/* CLKOUT as SOF signal: CLKEN and CNF3.SOF (8.2, register 5-3). */
static void sof_signal(struct mcp2515 *m)
{
	if (!(m->reg[CANCTRL] & CTRL_CLKEN) || !(m->reg[CNF3] & CNF3_SOF))
		return;
	m->stats.sof_pulses++;
	mcp2515_drive(m, MCP2515_PIN_SOF, true);
	mcp2515_drive(m, MCP2515_PIN_SOF, false);
}

/* The first dominant bit wakes a sleeping chip, which loses this frame (10.2.1). */
static void sof(void *arg)
{
	struct mcp2515 *m = arg;

	if (m->in_reset || m->standby)
		return;
	if (m->mode == MODE_SLEEP) {
		if (m->reg[CANINTE] & INT_WAK) {
			mcp2515_set_flags(m, INT_WAK);
			mcp2515_wake(m);
		}
		return;
	}
	if (!m->node.running)
		return;
	m->sof_at = m->sim->now;
	sof_signal(m);
}

static void tx_lost(void *arg)
{
	mcp2515_tx_failed(arg, TXB_MLOA);
}

/* The node tells of the last bit but one of EOF. */
static void rx_frame(void *arg, const struct canbus_frame *frame)
{
	struct mcp2515 *m = arg;

	m->intermission_at = m->sim->now;
	if (m->mode != MODE_LOOPBACK)
		m->intermission_at += m->node.bit_ns;
	if (m->mode == MODE_LISTEN)
		m->node.rec = 0;
	mcp2515_rx_frame(m, frame);
	mcp2515_check_mode_soon(m);
}

static void error(void *arg, enum canbus_error code, bool transmitting)
{
	struct mcp2515 *m = arg;

	(void)code;
	if (m->mode == MODE_LISTEN)
		m->node.rec = 0;
	mcp2515_error_frame(m);
	if (transmitting)
		mcp2515_tx_failed(m, TXB_TXERR);
	mcp2515_set_flags(m, INT_MERR);
	mcp2515_check_mode_soon(m);
}

/* Bus-off ends by itself, after 128 times 11 recessive bits (6.6). */
static void state(void *arg)
{
	struct mcp2515 *m = arg;

	if (m->mode == MODE_LISTEN)
		m->node.rec = 0;
	if (m->node.bus_off && !(m->eflg & EFLG_TXBO)) {
		m->stats.bus_off++;
		mcp2515_tx_bus_off(m);
		canbus_node_start(&m->node);
		mcp2515_check_mode_soon(m);
	}
	mcp2515_error_state(m);
}

const struct canbus_node_ops mcp2515_node_ops = {
	.want_tx = mcp2515_want_tx,
	.sof = sof,
	.tx_lost = tx_lost,
	.rx_frame = rx_frame,
	.tx_done = mcp2515_tx_done,
	.error = error,
	.state = state,
};
