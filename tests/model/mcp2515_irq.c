// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MCP2515 model: flags, error states, interrupt and buffer-full pins.
 *
 * DS20001801J, 4.4 (RXnBF), 6.7 (EFLG), 7 (interrupts).
 */
#include "mcp2515_internal.h"

/* The bits that follow the counters, and those that the host has to clear. */
uint8_t mcp2515_eflg(const struct mcp2515 *m)
{
	const struct canbus_node *n = &m->node;
	uint8_t eflg = m->reg[EFLG] & EFLG_OVR;

	if (n->bus_off)
		eflg |= EFLG_TXBO;
	if (n->tec > 127)
		eflg |= EFLG_TXEP;
	if (n->rec > 127)
		eflg |= EFLG_RXEP;
	if (n->tec > 95)
		eflg |= EFLG_TXWAR | EFLG_EWARN;
	if (n->rec > 95)
		eflg |= EFLG_RXWAR | EFLG_EWARN;
	return eflg;
}

/* The counters may have crossed a limit: upwards it is an interrupt (7.6.2 to 7.6.6). */
void mcp2515_error_state(struct mcp2515 *m)
{
	uint8_t now = mcp2515_eflg(m) & ~EFLG_OVR;
	uint8_t risen = now & ~m->eflg;

	m->eflg = now;
	if (risen)
		mcp2515_set_flags(m, INT_ERR);
}

/* Interrupt code: the enabled source of the highest priority (table 7-1). */
uint8_t mcp2515_icod(const struct mcp2515 *m)
{
	static const uint8_t source[] = {
		INT_ERR, INT_WAK, INT_TX(0), INT_TX(1), INT_TX(2), INT_RX(0), INT_RX(1),
	};
	uint8_t pending = m->reg[CANINTF] & m->reg[CANINTE];
	unsigned int i;

	for (i = 0; i < sizeof(source); i++) {
		if (pending & source[i])
			return i + 1;
	}
	return 0;
}

void mcp2515_drive(struct mcp2515 *m, enum mcp2515_pin pin, bool high)
{
	if (m->level[pin] == high)
		return;
	m->level[pin] = high;
	if (pin == MCP2515_PIN_INT && !high)
		m->stats.int_edges++;
	if (m->pin)
		m->pin(m->arg, pin, high);
}

/* RXnBF: off, output of BnBFS, or low while the buffer is full. */
static bool buffer_full_level(const struct mcp2515 *m, unsigned int n)
{
	uint8_t bfp = m->reg[BFPCTRL] >> n;

	if (!(bfp & 0x04))
		return true;
	if (bfp & 0x01)
		return !(m->reg[CANINTF] & INT_RX(n));
	return bfp & 0x10;
}

void mcp2515_update_pins(struct mcp2515 *m)
{
	mcp2515_drive(m, MCP2515_PIN_INT, !(m->reg[CANINTF] & m->reg[CANINTE]));
	mcp2515_drive(m, MCP2515_PIN_RX0BF, buffer_full_level(m, 0));
	mcp2515_drive(m, MCP2515_PIN_RX1BF, buffer_full_level(m, 1));
}

void mcp2515_set_flags(struct mcp2515 *m, uint8_t flags)
{
	m->reg[CANINTF] |= flags;
	mcp2515_update_pins(m);
}

/*
 * "Once an interrupt flag is set by the device, the flag can not be reset by the MCU until the
 * interrupt condition is removed" (7.7). Drivers do clear ERRIF while error-passive, so that the
 * model takes the events for the conditions, unless it is told otherwise.
 */
void mcp2515_write_flags(struct mcp2515 *m, uint8_t value)
{
	if (mcp2515_has(m, MCP2515_OPEN_ERRIF_STICKY) && mcp2515_eflg(m))
		value |= m->reg[CANINTF] & INT_ERR;
	m->reg[CANINTF] = value;
	mcp2515_update_pins(m);
}

void mcp2515_clear_flags(struct mcp2515 *m, uint8_t flags)
{
	mcp2515_write_flags(m, m->reg[CANINTF] & ~flags);
}
