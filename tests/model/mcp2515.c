// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MCP2515 model: power-up, reset, input pins.
 *
 * DS20001801J, 8 (oscillator), 9 (reset).
 */
#include <stdlib.h>
#include <string.h>

#include "mcp2515_internal.h"

const char *const mcp2515_instruction_name[MCP2515_INSTRUCTIONS] = {
	[MCP2515_RESET] = "reset",
	[MCP2515_READ] = "read",
	[MCP2515_READ_RX] = "read_rx_buffer",
	[MCP2515_WRITE] = "write",
	[MCP2515_LOAD_TX] = "load_tx_buffer",
	[MCP2515_RTS] = "rts",
	[MCP2515_READ_STATUS] = "read_status",
	[MCP2515_RX_STATUS] = "rx_status",
	[MCP2515_BIT_MODIFY] = "bit_modify",
	[MCP2515_UNKNOWN] = "unknown",
};

/*
 * All that a reset does, whoever asks for it. The frame on the wire is abandoned; the
 * oscillator start-up timer runs (8.1).
 */
static void reset(struct mcp2515 *m, bool power_up)
{
	sim_cancel(m->sim, &m->mode_event);
	sim_cancel(m->sim, &m->wake_event);
	canbus_node_stop(&m->node);
	m->mode_asked = false;
	m->tx = NO_BUFFER;
	mcp2515_regs_reset(m, power_up);
	mcp2515_set_mode(m, MODE_CONFIG);
	m->busy_until = m->sim->now + mcp2515_clocks_ns(m, OST_CLOCKS);
	mcp2515_update_pins(m);
}

void mcp2515_soft_reset(struct mcp2515 *m)
{
	reset(m, false);
}

/* Active low: the chip is held in reset, the start-up timer runs from its end on. */
void mcp2515_reset_pin(struct mcp2515 *m, bool high)
{
	if (high == !m->in_reset)
		return;
	m->in_reset = !high;
	m->spi.deaf = true;
	reset(m, false);
}

/* A falling edge asks for transmission, if the pin is set up for that (3.5). */
void mcp2515_rts_pin(struct mcp2515 *m, unsigned int buffer, bool high)
{
	bool fell = m->rts[buffer] && !high;

	m->rts[buffer] = high;
	if (fell && (m->reg[TXRTSCTRL] & 1u << buffer) && m->mode != MODE_SLEEP &&
	    !mcp2515_busy(m))
		mcp2515_tx_request(m, buffer);
}

struct mcp2515 *mcp2515_new(struct sim *sim, struct canbus *bus,
			    const struct mcp2515_config *config,
			    void (*pin)(void *arg, enum mcp2515_pin pin, bool high), void *arg)
{
	struct mcp2515 *m = calloc(1, sizeof(*m));
	unsigned int i;

	if (!m)
		return NULL;
	m->sim = sim;
	m->config = *config;
	m->pin = pin;
	m->arg = arg;
	m->node = (struct canbus_node){
		.name = "mcp2515", .ops = &mcp2515_node_ops, .arg = m, .mode = CANBUS_NORMAL,
		.bit_ns = 1000,		/* until CNF1..3 tell another one */
		.recovery_sequences = 128,	/* 6.6, figure 6-1 */
	};
	m->slave = (struct spi_slave){
		.name = "mcp2515", .ops = &mcp2515_spi_ops, .arg = m, .modes = SPI_MODES(0, 3),
	};
	for (i = 0; i < MCP2515_PIN_COUNT; i++)
		m->level[i] = i != MCP2515_PIN_SOF;
	for (i = 0; i < TX_BUFFERS; i++)
		m->rts[i] = true;	/* pulled up */
	sim_event_init(&m->mode_event, mcp2515_check_mode, m);
	sim_event_init(&m->wake_event, mcp2515_awake, m);
	canbus_attach(bus, &m->node);
	reset(m, true);
	return m;
}

void mcp2515_free(struct mcp2515 *m)
{
	if (!m)
		return;
	sim_cancel(m->sim, &m->mode_event);
	sim_cancel(m->sim, &m->wake_event);
	canbus_detach(&m->node);
	free(m);
}

bool mcp2515_pin_level(const struct mcp2515 *m, enum mcp2515_pin pin)
{
	return m->level[pin];
}

uint8_t mcp2515_peek(const struct mcp2515 *m, uint8_t addr)
{
	return mcp2515_read(m, addr & ADDR_MASK);
}

void mcp2515_poke(struct mcp2515 *m, uint8_t addr, uint8_t value)
{
	mcp2515_write(m, addr & ADDR_MASK, value);
}

const struct mcp2515_stats *mcp2515_stats(const struct mcp2515 *m)
{
	return &m->stats;
}

void mcp2515_stats_reset(struct mcp2515 *m)
{
	memset(&m->stats, 0, sizeof(m->stats));
}

struct spi_slave *mcp2515_slave(struct mcp2515 *m)
{
	return &m->slave;
}

struct canbus_node *mcp2515_node(struct mcp2515 *m)
{
	return &m->node;
}
