// SPDX-License-Identifier: GPL-2.0-only
/* CAN controllers behind the SPI of the board rpi: options, INT, counters. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rpi_can.h"

struct rpi_can {
	struct bcm2835_soc *soc;
	struct mcp2515 *chip;
	unsigned int pin;
	enum rpi_can_int wire;
	bool level;		/* what the chip drives */
	struct rpi_can *other;	/* on the same wire */

	struct spi_slave slave;	/* passes everything on to the chip's own */
	enum rpi_can_so so;
	uint32_t flip_period;
	uint32_t flip_left;
	uint8_t flip_si;	/* bits of SI to be inverted in the byte under way */
	uint64_t flips;
	uint32_t random;
};

static const struct {
	const char *name;
	unsigned int bit;
} errata[] = {
	{ "none", 0 },
	{ "osc-runs", MCP2515_ERRATUM_OSC_RUNS },
	{ "txb-corrupt", MCP2515_ERRATUM_TXB_CORRUPT },
	{ "id-dominant", MCP2515_ERRATUM_ID_DOMINANT },
	{ "repeat", MCP2515_ERRATUM_REPEAT },
	{ "errif-sticky", MCP2515_OPEN_ERRIF_STICKY },
	{ "bare-read-keeps", MCP2515_OPEN_BARE_READ_KEEPS },
	{ "read-rx-ends", MCP2515_OPEN_READ_RX_ENDS },
	{ "bus-off-drops", MCP2515_OPEN_BUS_OFF_DROPS },
	{ "reset-spoils", MCP2515_OPEN_RESET_SPOILS },
};

#define ERRATA	(sizeof(errata) / sizeof(errata[0]))

bool rpi_can_errata(struct rpi_can_options *o, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "+"), i;

		for (i = 0; i < ERRATA; i++)
			if (strlen(errata[i].name) == len && !strncmp(text, errata[i].name, len))
				break;
		if (i == ERRATA)
			return false;
		o->chip.switches |= errata[i].bit;
		text += len;
		text += *text == '+';
	}
	return true;
}

bool rpi_can_type(const char *kind, enum mcp2515_type *type)
{
	if (!strcmp(kind, "mcp2515"))
		*type = MCP2515;
	else if (!strcmp(kind, "mcp2510"))
		*type = MCP2510;
	else if (!strcmp(kind, "mcp25625"))
		*type = MCP25625;
	else
		return false;
	return true;
}

static bool wire_level(const struct rpi_can *c)
{
	return c->wire == RPI_CAN_INT_WIRED ? c->level : c->wire != RPI_CAN_INT_LOW;
}

static void drive(struct rpi_can *c)
{
	bcm2835_soc_gpio_input(c->soc, c->pin,
			       wire_level(c) && (!c->other || wire_level(c->other)));
}

void rpi_can_share_int(struct rpi_can *a, struct rpi_can *b)
{
	a->other = b;
	b->other = a;
	b->pin = a->pin;
	drive(a);
}

static void pin(void *arg, enum mcp2515_pin which, bool high)
{
	struct rpi_can *c = arg;

	if (which != MCP2515_PIN_INT)
		return;
	/* it was low, unseen, and is high now: the next time counts again */
	if (c->wire == RPI_CAN_INT_HIDE && high && !c->level)
		c->wire = RPI_CAN_INT_WIRED;
	c->level = high;
	drive(c);
}

void rpi_can_int(struct rpi_can *c, enum rpi_can_int what)
{
	c->wire = what;
	drive(c);
}

/* The wires between the master and the chip. */

static uint8_t random_bit(struct rpi_can *c)
{
	c->random = c->random * 1664525 + 1013904223;
	return 1u << (c->random >> 29);
}

static void wire_cs(void *arg, bool active)
{
	const struct spi_slave *chip = mcp2515_slave(((struct rpi_can *)arg)->chip);

	chip->ops->cs(chip->arg, active);
}

static uint8_t wire_start(void *arg, const struct spi_clock *clock)
{
	struct rpi_can *c = arg;
	const struct spi_slave *chip = mcp2515_slave(c->chip);
	uint8_t so = chip->ops->byte_start(chip->arg, clock);

	c->flip_si = 0;
	if (c->flip_period && !--c->flip_left) {
		c->flip_left = c->flip_period;
		if (c->flips++ & 1)
			c->flip_si = random_bit(c);
		else
			so ^= random_bit(c);
	}
	if (c->so != RPI_CAN_SO_WIRED)
		so = c->so == RPI_CAN_SO_HIGH ? 0xff : 0x00;
	return so;
}

static void wire_end(void *arg, uint8_t mosi, unsigned int clocks)
{
	struct rpi_can *c = arg;
	const struct spi_slave *chip = mcp2515_slave(c->chip);

	chip->ops->byte_end(chip->arg, mosi ^ c->flip_si, clocks);
}

static const struct spi_slave_ops wire_ops = {
	.cs = wire_cs,
	.byte_start = wire_start,
	.byte_end = wire_end,
};

void rpi_can_so(struct rpi_can *c, enum rpi_can_so what)
{
	c->so = what;
}

void rpi_can_flip(struct rpi_can *c, uint32_t period)
{
	c->flip_period = period;
	c->flip_left = period;
}

struct spi_slave *rpi_can_slave(struct rpi_can *c)
{
	return &c->slave;
}

void rpi_can_counters_reset(struct rpi_can *c)
{
	c->flips = 0;
	mcp2515_stats_reset(c->chip);
}

struct rpi_can *rpi_can_new(struct sim *sim, struct canbus *bus, struct bcm2835_soc *soc,
			    const struct rpi_can_options *o, enum mcp2515_type type,
			    unsigned int int_pin)
{
	struct mcp2515_config config = o->chip;
	struct rpi_can *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->soc = soc;
	c->pin = int_pin;
	c->level = true;
	drive(c);
	config.type = type;
	config.osc_hz = o->crystal ? o->crystal : o->osc;
	c->chip = mcp2515_new(sim, bus, &config, pin, c);
	if (!c->chip)
		abort();
	c->slave = *mcp2515_slave(c->chip);
	c->slave.ops = &wire_ops;
	c->slave.arg = c;
	return c;
}

void rpi_can_free(struct rpi_can *c)
{
	if (!c)
		return;
	mcp2515_free(c->chip);
	free(c);
}

struct mcp2515 *rpi_can_chip(struct rpi_can *c)
{
	return c->chip;
}

void rpi_can_counters(const struct rpi_can *c, const char *prefix, FILE *out)
{
	const struct mcp2515_stats *s = mcp2515_stats(c->chip);
	const struct {
		const char *name;
		uint64_t value;
	} counter[] = {
		{ "spi_bytes", s->spi_bytes },
		{ "spi_selects", s->spi_selects },
		{ "spi_aborted", s->aborted },
		{ "spi_ignored", s->ignored },
		{ "spi_short_deselect", s->short_deselect },
		{ "spi_fast_bytes", s->fast_bytes },
		{ "spi_flips", c->flips },
		{ "tx_busy_writes", s->tx_busy_writes },
		{ "unsafe_reads", s->unsafe_reads },
		{ "rx_valid", s->rx_valid },
		{ "rx_stored", s->rx_stored[0] + s->rx_stored[1] },
		{ "rx_stored_rxb1", s->rx_stored[1] },
		{ "rx_rollover", s->rx_rollover },
		{ "rx_overflow", s->rx_overflow[0] + s->rx_overflow[1] },
		{ "rx_filtered", s->rx_filtered },
		{ "tx_sent", s->tx_sent },
		{ "tx_lost", s->tx_lost },
		{ "tx_errors", s->tx_errors },
		{ "tx_repeated", s->tx_repeated },
		{ "int_edges", s->int_edges },
		{ "bus_off", s->bus_off },
		{ "wakeups", s->wakeups },
	};

	for (unsigned int i = 0; i < MCP2515_INSTRUCTIONS; i++)
		fprintf(out, "\"%sinstr_%s\": %" PRIu64 ", ", prefix, mcp2515_instruction_name[i],
			s->instructions[i]);
	for (size_t i = 0; i < sizeof(counter) / sizeof(counter[0]); i++)
		fprintf(out, "\"%s%s\": %" PRIu64 ", ", prefix, counter[i].name, counter[i].value);
}
