// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MCP2515 model: the register map.
 *
 * DS20001801J, 11 (register map), 12.8 and 12.9 (status instructions).
 */
#include <string.h>

#include "mcp2515_internal.h"

static bool is_filter_or_mask(uint8_t addr)
{
	return addr < BFPCTRL || (addr >= 0x10 && addr < TEC) || (addr >= RXM0 && addr < CNF3);
}

/* Only in Configuration mode (10.1). */
static bool is_protected(uint8_t addr)
{
	return is_filter_or_mask(addr) || (addr >= CNF3 && addr <= CNF1) || addr == TXRTSCTRL;
}

static bool is_canstat(uint8_t addr)
{
	return (addr & 15) == CANSTAT;
}

static bool is_canctrl(uint8_t addr)
{
	return (addr & 15) == CANCTRL;
}

/* Table 11-2: the control registers. */
static bool can_bit_modify(uint8_t addr)
{
	if (is_canctrl(addr))
		return true;
	switch (addr) {
	case BFPCTRL: case TXRTSCTRL: case CNF3: case CNF2: case CNF1:
	case CANINTE: case CANINTF: case EFLG:
	case TXB(0): case TXB(1): case TXB(2): case RXB(0): case RXB(1):
		return true;
	default:
		return false;
	}
}

/* RXB0CTRL's BUKT1 is a copy of BUKT. */
static uint8_t rxb0ctrl(const struct mcp2515 *m)
{
	uint8_t v = m->reg[RXB(0)];

	return v & RXB_BUKT ? v | RXB_BUKT1 : v;
}

/* A pin that is set up for RTS reads 0 (register 3-2). */
static uint8_t txrtsctrl(const struct mcp2515 *m)
{
	uint8_t v = m->reg[TXRTSCTRL];
	unsigned int n;

	for (n = 0; n < TX_BUFFERS; n++) {
		if (m->rts[n] && !(v & 1u << n))
			v |= 8u << n;
	}
	return v;
}

static uint8_t counter(const struct mcp2515 *m, unsigned int value)
{
	if (m->mode == MODE_LISTEN || m->mode == MODE_CONFIG)
		return 0;
	return value > 255 ? 255 : value;
}

uint8_t mcp2515_read(const struct mcp2515 *m, uint8_t addr)
{
	if (is_canstat(addr))
		return m->mode << CTRL_REQOP_SHIFT | mcp2515_icod(m) << 1;
	if (is_canctrl(addr))
		return m->reg[CANCTRL];
	if (is_filter_or_mask(addr))
		return m->mode == MODE_CONFIG ? m->reg[addr] : 0;
	switch (addr) {
	case TEC:
		return counter(m, m->node.tec);
	case REC:
		return counter(m, m->node.rec);
	case EFLG:
		return mcp2515_eflg(m);
	case TXRTSCTRL:
		return txrtsctrl(m);
	case RXB(0):
		return rxb0ctrl(m);
	default:
		return m->reg[addr];
	}
}

static void write_canctrl(struct mcp2515 *m, uint8_t value)
{
	uint8_t was = m->reg[CANCTRL];

	if (m->config.type == MCP2510)
		value &= ~CTRL_OSM;
	m->reg[CANCTRL] = value;
	if (value & ~was & CTRL_ABAT)
		mcp2515_tx_abort_all(m);
	mcp2515_ask_mode(m);
	if (was & ~value & CTRL_ABAT)
		mcp2515_tx_kick(m);
}

/* Setting WAKIF by hand wakes the chip, if WAKIE is set (10.2). */
static void check_wake(struct mcp2515 *m)
{
	if (m->mode == MODE_SLEEP && (m->reg[CANINTE] & m->reg[CANINTF] & INT_WAK))
		mcp2515_wake(m);
}

/* Which bits of a plain register exist and can be written. */
static uint8_t writable(const struct mcp2515 *m, uint8_t addr)
{
	unsigned int offset = addr & 15;

	if (is_filter_or_mask(addr)) {
		if ((addr & 3) != 1)
			return 0xff;
		return addr >= RXM0 ? 0xe3 : 0xeb;
	}
	if (addr >= TXB(0) && addr < TXB(TX_BUFFERS))
		return offset == SIDL ? 0xeb : offset == DLC ? 0x4f : 0xff;
	switch (addr) {
	case BFPCTRL:
		return 0x3f;
	case TXRTSCTRL:
		return 0x07;
	case CNF3:
		return m->config.type == MCP2510 ? 0x47 : 0xc7;
	case CNF2: case CNF1: case CANINTE:
		return 0xff;
	case EFLG:
		return EFLG_OVR;
	case RXB(0):
		return RXB_RXM | RXB_BUKT;
	case RXB(1):
		return RXB_RXM;
	default:
		return 0;	/* TEC, REC, receive buffers */
	}
}

static void write_plain(struct mcp2515 *m, uint8_t addr, uint8_t value)
{
	uint8_t bits = writable(m, addr);

	if (addr > TXB(0) && addr < TXB(TX_BUFFERS) && (m->reg[addr & 0x70] & TXB_TXREQ))
		m->stats.tx_busy_writes++;
	m->reg[addr] = (m->reg[addr] & ~bits) | (value & bits);
}

void mcp2515_write(struct mcp2515 *m, uint8_t addr, uint8_t value)
{
	if (is_canstat(addr) || (is_protected(addr) && m->mode != MODE_CONFIG))
		return;
	if (is_canctrl(addr)) {
		write_canctrl(m, value);
		return;
	}
	switch (addr) {
	case TXB(0): case TXB(1): case TXB(2):
		mcp2515_tx_control(m, (addr - TXB(0)) >> 4, value);
		break;
	case CANINTF:
		mcp2515_write_flags(m, value);
		check_wake(m);
		break;
	case CANINTE:
		write_plain(m, addr, value);
		mcp2515_update_pins(m);
		check_wake(m);
		break;
	case BFPCTRL:
		write_plain(m, addr, value);
		mcp2515_update_pins(m);
		break;
	default:
		write_plain(m, addr, value);
		break;
	}
}

/* BIT MODIFY; elsewhere "will force the mask to FFh" (table 12-1). */
void mcp2515_modify(struct mcp2515 *m, uint8_t addr, uint8_t mask, uint8_t value)
{
	if (!can_bit_modify(addr))
		mask = 0xff;
	mcp2515_write(m, addr, (mcp2515_read(m, addr) & ~mask) | (value & mask));
}

static void garbage(struct mcp2515 *m)
{
	unsigned int addr;
	uint8_t v = 0x5a;

	for (addr = 0; addr < REGISTERS; addr++) {
		v = v * 77 + 41;	/* whatever; the same in each run */
		if (is_filter_or_mask(addr) || (addr > TXB(0) && (addr & 15) > 0 && addr < REGISTERS &&
						(addr & 15) < CANSTAT))
			m->reg[addr] = v & (writable(m, addr) ? writable(m, addr) : 0xff);
	}
	memset(m->mab, 0xa5, sizeof(m->mab));
}

void mcp2515_regs_reset(struct mcp2515 *m, bool power_up)
{
	static const uint8_t zero[] = {
		BFPCTRL, TXRTSCTRL, CNF3, CNF2, CNF1, CANINTE, CANINTF, EFLG,
		TXB(0), TXB(1), TXB(2), RXB(0), RXB(1),
	};
	unsigned int i;

	for (i = 0; i < sizeof(zero); i++)
		m->reg[zero[i]] = 0;
	m->reg[CANCTRL] = CTRL_RESET;
	if (power_up || mcp2515_has(m, MCP2515_OPEN_RESET_SPOILS))
		garbage(m);
}

/* 12.8: one flag of each buffer, receive and transmit. */
uint8_t mcp2515_read_status(const struct mcp2515 *m)
{
	uint8_t f = m->reg[CANINTF], v = f & (INT_RX(0) | INT_RX(1));
	unsigned int n;

	for (n = 0; n < TX_BUFFERS; n++) {
		if (m->reg[TXB(n)] & TXB_TXREQ)
			v |= 0x04 << 2 * n;
		if (f & INT_TX(n))
			v |= 0x08 << 2 * n;
	}
	return v;
}

/* 12.9: RXB0 goes first; a filter number below 2 in RXB1 tells of a rollover. */
uint8_t mcp2515_rx_status(const struct mcp2515 *m)
{
	uint8_t full = m->reg[CANINTF] & (INT_RX(0) | INT_RX(1));
	unsigned int n = full == INT_RX(1);
	const uint8_t *b = &m->reg[RXB(n)];
	uint8_t v = full << 6, filter;

	if (!full)
		return v;
	filter = b[0] & (n ? 7 : 1);
	if (n && filter < 2)
		filter += 6;
	if (b[SIDL] & SIDL_IDE)
		v |= 0x10;
	if (b[0] & RXB_RXRTR)
		v |= 0x08;
	return v | filter;
}
