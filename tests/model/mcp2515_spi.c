// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MCP2515 model: SPI instructions, byte by byte.
 *
 * DS20001801J, 12. What a byte of output shows is sampled at its beginning, what a byte of
 * input does happens at its last rising edge; chip select's rise ends the instruction.
 */
#include "mcp2515_internal.h"

/* DS20001801J, table 13-6: 10 MHz; DS21291F: 5 MHz. */
static uint64_t min_half_ps(const struct mcp2515 *m)
{
	return m->config.type == MCP2510 ? 100000 : 50000;
}

static enum mcp2515_instruction decode(const struct mcp2515 *m, uint8_t code)
{
	bool full = m->config.type != MCP2510;

	switch (code) {
	case 0xc0:
		return MCP2515_RESET;
	case 0x03:
		return MCP2515_READ;
	case 0x02:
		return MCP2515_WRITE;
	case 0x05:
		return MCP2515_BIT_MODIFY;
	case 0xa0:
		return MCP2515_READ_STATUS;
	case 0x90: case 0x92: case 0x94: case 0x96:
		return full ? MCP2515_READ_RX : MCP2515_UNKNOWN;
	case 0x40: case 0x41: case 0x42: case 0x43: case 0x44: case 0x45:
		return full ? MCP2515_LOAD_TX : MCP2515_UNKNOWN;
	case 0xb0:
		return full ? MCP2515_RX_STATUS : MCP2515_UNKNOWN;
	default:
		return (code & 0xf8) == 0x80 ? MCP2515_RTS : MCP2515_UNKNOWN;
	}
}

/* 1001 0nm0: n is the buffer, m skips the header. */
static void begin_read_rx(struct mcp2515 *m, uint8_t code)
{
	unsigned int n = code >> 2 & 1;

	m->spi.addr = RXB(n) + (code & 2 ? DATA : SIDH);
	m->spi.read_end = RXB(n) + DATA + 7;
	if (!(m->reg[CANINTF] & INT_RX(n)))
		m->stats.unsafe_reads++;
	if (!mcp2515_has(m, MCP2515_OPEN_BARE_READ_KEEPS))
		m->spi.acknowledge = INT_RX(n);
}

static void rts(struct mcp2515 *m, uint8_t buffers)
{
	if (m->spi.mode_11)
		m->spi.held |= buffers;
	mcp2515_tx_rts(m, buffers);
}

static void begin(struct mcp2515 *m, uint8_t code)
{
	struct mcp2515_spi *s = &m->spi;

	s->kind = decode(m, code);
	m->stats.instructions[s->kind]++;
	switch (s->kind) {
	case MCP2515_RESET:
		s->deaf = true;
		mcp2515_soft_reset(m);
		break;
	case MCP2515_READ_RX:
		begin_read_rx(m, code);
		break;
	case MCP2515_LOAD_TX:
		s->addr = TXB(code >> 1 & 3) + (code & 1 ? DATA : SIDH);
		break;
	case MCP2515_RTS:
		rts(m, code & 7);
		break;
	default:
		break;
	}
}

/* Erratum 5: writing TXREQ holds the request until chip select rises. */
static void write_byte(struct mcp2515 *m, uint8_t addr, uint8_t mask, uint8_t value)
{
	if (addr >= TXB(0) && addr < TXB(TX_BUFFERS) && !(addr & 15) && (mask & value & TXB_TXREQ))
		m->spi.held |= 1u << ((addr - TXB(0)) >> 4);
	mcp2515_modify(m, addr, mask, value);
}

static void next_address(struct mcp2515_spi *s)
{
	s->addr = (s->addr + 1) & ADDR_MASK;
}

static void end_read_rx(struct mcp2515 *m)
{
	struct mcp2515_spi *s = &m->spi;

	s->acknowledge = s->read_end < RXB(1) ? INT_RX(0) : INT_RX(1);
	next_address(s);
}

static void bit_modify(struct mcp2515 *m, uint8_t mosi)
{
	struct mcp2515_spi *s = &m->spi;

	if (s->count == 1)
		s->addr = mosi & ADDR_MASK;
	else if (s->count == 2)
		s->mask = mosi;
	else if (s->count == 3)
		write_byte(m, s->addr, s->mask, mosi);
}

static void go_on(struct mcp2515 *m, uint8_t mosi)
{
	struct mcp2515_spi *s = &m->spi;
	uint8_t addr = s->addr;

	switch (s->kind) {
	case MCP2515_READ:
	case MCP2515_WRITE:
		if (s->count == 1) {
			s->addr = mosi & ADDR_MASK;
			break;
		}
		next_address(s);
		if (s->kind == MCP2515_WRITE)
			write_byte(m, addr, 0xff, mosi);
		break;
	case MCP2515_LOAD_TX:
		next_address(s);
		write_byte(m, addr, 0xff, mosi);
		break;
	case MCP2515_READ_RX:
		end_read_rx(m);
		break;
	case MCP2515_BIT_MODIFY:
		bit_modify(m, mosi);
		break;
	default:
		break;
	}
}

static void deselected(struct mcp2515 *m)
{
	struct mcp2515_spi *s = &m->spi;
	uint8_t acknowledge = s->acknowledge;

	s->held = 0;
	s->acknowledge = 0;
	s->deselected_at = m->sim->now;
	if (acknowledge)
		mcp2515_clear_flags(m, acknowledge);
}

static void cs(void *arg, bool active)
{
	struct mcp2515 *m = arg;
	struct mcp2515_spi *s = &m->spi;

	if (active == s->selected)
		return;
	s->selected = active;
	if (!active) {
		deselected(m);
		return;
	}
	if (m->stats.spi_selects++ && m->sim->now < s->deselected_at + MIN_DESELECT_NS)
		m->stats.short_deselect++;
	s->count = 0;
	/* what begins while the oscillator starts is ignored to its end */
	s->deaf = mcp2515_busy(m);
}

static uint8_t byte_start(void *arg, const struct spi_clock *clock)
{
	struct mcp2515 *m = arg;
	struct mcp2515_spi *s = &m->spi;

	s->mode_11 = clock->mode == (SPI_CPHA | SPI_CPOL);
	if (clock->half_ps < min_half_ps(m))
		m->stats.fast_bytes++;
	if (s->deaf || mcp2515_busy(m) || !s->count)
		return m->config.undriven;
	switch (s->kind) {
	case MCP2515_READ:
		return s->count > 1 ? mcp2515_read(m, s->addr) : m->config.undriven;
	case MCP2515_READ_RX:
		if (mcp2515_has(m, MCP2515_OPEN_READ_RX_ENDS) && s->addr > s->read_end)
			return 0xff;
		return mcp2515_read(m, s->addr);
	case MCP2515_READ_STATUS:
		return mcp2515_read_status(m);
	case MCP2515_RX_STATUS:
		return mcp2515_rx_status(m);
	default:
		return m->config.undriven;
	}
}

static void byte_end(void *arg, uint8_t mosi, unsigned int clocks)
{
	struct mcp2515 *m = arg;
	struct mcp2515_spi *s = &m->spi;

	if (clocks < 8) {
		m->stats.aborted++;
		return;
	}
	m->stats.spi_bytes++;
	/* it may have begun to wake up during this very instruction */
	s->deaf |= mcp2515_busy(m);
	if (s->deaf) {
		m->stats.ignored++;
		return;
	}
	if (s->count)
		go_on(m, mosi);
	else
		begin(m, mosi);
	s->count++;
}

const struct spi_slave_ops mcp2515_spi_ops = {
	.cs = cs,
	.byte_start = byte_start,
	.byte_end = byte_end,
};
