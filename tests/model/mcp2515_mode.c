// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MCP2515 model: modes of operation, bit timing, sleep and wake-up, clock output.
 *
 * DS20001801J, 5 (bit timing), 8 (oscillator), 10 (modes).
 */
#include "mcp2515_internal.h"

/* Flag, echo and delimiter of an error frame: the wire is not free before. */
#define ERROR_FRAME_BITS 20

/* No SPI operation "until after the OST has expired" (8.1). */
bool mcp2515_busy(const struct mcp2515 *m)
{
	return m->in_reset || m->sim->now < m->busy_until;
}

/* Nominal bit time, to the nearest nanosecond (5.2, registers 5-1 to 5-3). */
uint32_t mcp2515_bit_ns(const struct mcp2515 *m)
{
	unsigned int brp = (m->reg[CNF1] & 0x3f) + 1;
	unsigned int prop = (m->reg[CNF2] & 7) + 1;
	unsigned int ps1 = (m->reg[CNF2] >> 3 & 7) + 1;
	unsigned int ps2 = (m->reg[CNF3] & 7) + 1;
	uint64_t clocks;

	/* BTLMODE = 0: PS1, but not less than the information processing time */
	if (!(m->reg[CNF2] & CNF2_BTLMODE))
		ps2 = ps1 > 2 ? ps1 : 2;
	clocks = 2ull * brp * (1 + prop + ps1 + ps2);
	return (clocks * 1000000000 + m->config.osc_hz / 2) / m->config.osc_hz;
}

static void listen(struct mcp2515 *m)
{
	static const enum canbus_mode mode[] = {
		[MODE_NORMAL] = CANBUS_NORMAL,
		[MODE_LOOPBACK] = CANBUS_LOOPBACK,
		[MODE_LISTEN] = CANBUS_SILENT,
	};

	if (m->mode == MODE_CONFIG || m->mode == MODE_SLEEP || m->in_reset)
		return;
	if (m->standby && m->mode != MODE_LOOPBACK)
		return;
	m->node.mode = mode[m->mode];
	m->node.bit_ns = mcp2515_bit_ns(m);
	canbus_node_start(&m->node);
	mcp2515_tx_kick(m);
}

/*
 * OPMODE changes. "When Configuration mode is entered, all error counters are cleared" (10.1);
 * Listen-Only resets them and keeps them off (10.3).
 */
void mcp2515_set_mode(struct mcp2515 *m, enum mcp2515_mode mode)
{
	canbus_node_stop(&m->node);
	m->tx = NO_BUFFER;
	m->mode = mode;
	m->mode_asked = false;
	if (mode == MODE_CONFIG || mode == MODE_LISTEN) {
		m->node.tec = 0;
		m->node.rec = 0;
		m->node.bus_off = false;
	}
	if (mode == MODE_SLEEP)
		m->clkout_until = m->sim->now + mcp2515_clocks_ns(m, SLEEP_CLOCKS);
	mcp2515_error_state(m);
	listen(m);
}

static enum mcp2515_mode reqop(const struct mcp2515 *m)
{
	return m->reg[CANCTRL] >> CTRL_REQOP_SHIFT;
}

/*
 * CANCTRL is written: whatever REQOP says, if it is a mode, is asked for. Asleep, nothing
 * changes: only WAKIF and the bus wake the chip, into Listen-Only (10.2).
 */
void mcp2515_ask_mode(struct mcp2515 *m)
{
	m->mode_asked = reqop(m) < MODE_INVALID && reqop(m) != m->mode && m->mode != MODE_SLEEP;
	sim_cancel(m->sim, &m->mode_event);
	if (!m->mode_asked)
		return;
	m->mode_from = m->sim->now + m->config.mode_delay_ns;
	mcp2515_check_mode(m);
}

/* "The mode will not actually change until all pending message transmissions are complete." */
static bool sending(const struct mcp2515 *m)
{
	return !m->node.bus_off && (m->mode == MODE_NORMAL || m->mode == MODE_LOOPBACK) &&
	       mcp2515_tx_pending(m);
}

static bool on_wire(const struct mcp2515 *m)
{
	return !m->node.bus_off && (m->node.transmitting || m->node.receiving ||
				    m->sim->now < m->wire_busy);
}

void mcp2515_check_mode(void *arg)
{
	struct mcp2515 *m = arg;

	if (!m->mode_asked || sending(m))
		return;		/* when it has been sent: mcp2515_check_mode_soon() */
	if (m->sim->now < m->mode_from)
		sim_at(m->sim, &m->mode_event, m->mode_from);
	else if (on_wire(m))
		sim_at(m->sim, &m->mode_event, m->sim->now + m->node.bit_ns);
	else
		mcp2515_set_mode(m, reqop(m));
}

/* Not from within the bus's callback: the node is going to be stopped. */
void mcp2515_check_mode_soon(struct mcp2515 *m)
{
	if (m->mode_asked && !sim_armed(&m->mode_event))
		sim_at(m->sim, &m->mode_event, m->sim->now);
}

void mcp2515_error_frame(struct mcp2515 *m)
{
	m->wire_busy = m->sim->now + ERROR_FRAME_BITS * (uint64_t)m->node.bit_ns;
}

/* The oscillator starts; the node listens when it runs. */
void mcp2515_wake(struct mcp2515 *m)
{
	m->stats.wakeups++;
	m->mode = MODE_LISTEN;
	m->mode_asked = false;
	m->node.tec = 0;
	m->node.rec = 0;
	m->node.bus_off = false;
	mcp2515_error_state(m);
	m->busy_until = m->sim->now + mcp2515_clocks_ns(m, OST_CLOCKS);
	sim_at(m->sim, &m->wake_event, m->busy_until);
}

void mcp2515_awake(void *arg)
{
	listen(arg);
}

void mcp2515_standby(struct mcp2515 *m, bool standby)
{
	if (m->config.type != MCP25625 || m->standby == standby)
		return;
	m->standby = standby;
	if (m->mode == MODE_LOOPBACK || mcp2515_busy(m))
		return;
	if (standby) {
		mcp2515_tx_failed(m, TXB_TXERR);
		canbus_node_stop(&m->node);
	} else {
		listen(m);
	}
}

uint32_t mcp2515_clkout_hz(const struct mcp2515 *m)
{
	bool asleep = m->mode == MODE_SLEEP && m->sim->now >= m->clkout_until &&
		      !mcp2515_has(m, MCP2515_ERRATUM_OSC_RUNS);

	if (!(m->reg[CANCTRL] & CTRL_CLKEN) || (m->reg[CNF3] & CNF3_SOF) || asleep)
		return 0;
	return m->config.osc_hz >> (m->reg[CANCTRL] & CTRL_CLKPRE);
}
