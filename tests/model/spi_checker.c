// SPDX-License-Identifier: GPL-2.0-only
/* An SPI slave that looks at how it is talked to. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "spi_slaves.h"

const char *const spi_fault_name[SPI_FAULT_COUNT] = {
	[SPI_FAULT_SETUP] = "setup",
	[SPI_FAULT_HOLD] = "hold",
	[SPI_FAULT_DISABLE] = "disable",
	[SPI_FAULT_PERIOD] = "period",
	[SPI_FAULT_MODE] = "mode",
	[SPI_FAULT_GLITCH] = "glitch",
	[SPI_FAULT_CUT] = "cut",
	[SPI_FAULT_STRAY] = "stray",
	[SPI_FAULT_EDGE] = "edge",
};

struct spi_checker {
	struct spi_slave slave;
	struct sim *sim;
	struct spi_checker_limits limits;
	struct spi_slave *inner;
	struct spi_slave *own;	/* @inner, if nobody gave one */
	bool alone;
	bool had_message;
	bool had_edge;		/* in this message */
	uint64_t cs_at;		/* last change of chip select */
	uint64_t edge_at;	/* last edge of SCLK */
	uint64_t length;
	uint64_t fault[SPI_FAULT_COUNT];
};

static void checker_cs(void *arg, bool active)
{
	struct spi_checker *c = arg;
	uint64_t now = c->sim->now;

	if (active) {
		if (c->had_message && now - c->cs_at < c->limits.disable_ns)
			c->fault[SPI_FAULT_DISABLE]++;
		c->length = 0;
		c->had_edge = false;
	} else {
		if (!c->length)
			c->fault[SPI_FAULT_GLITCH]++;
		if (c->had_edge && now - c->edge_at < c->limits.hold_ns)
			c->fault[SPI_FAULT_HOLD]++;
		c->had_message = true;
	}
	c->cs_at = now;
	c->inner->ops->cs(c->inner->arg, active);
}

static uint8_t checker_start(void *arg, const struct spi_clock *clock)
{
	struct spi_checker *c = arg;

	/* in picoseconds: half a period is not a whole number of nanoseconds */
	if (!c->had_edge &&
	    (c->sim->now - c->cs_at) * 1000 + clock->half_ps < c->limits.setup_ns * 1000)
		c->fault[SPI_FAULT_SETUP]++;
	if (2 * clock->half_ps < c->limits.min_period_ps)
		c->fault[SPI_FAULT_PERIOD]++;
	if (c->limits.modes && !(c->limits.modes >> clock->mode & 1))
		c->fault[SPI_FAULT_MODE]++;
	return c->inner->ops->byte_start(c->inner->arg, clock);
}

static void checker_end(void *arg, uint8_t mosi, unsigned int clocks)
{
	struct spi_checker *c = arg;

	if (clocks) {
		c->had_edge = true;
		c->edge_at = c->sim->now;
	}
	if (clocks < 8)
		c->fault[SPI_FAULT_CUT]++;
	else
		c->length++;
	c->inner->ops->byte_end(c->inner->arg, mosi, clocks);
}

static void checker_stray(void *arg, const struct spi_clock *clock)
{
	struct spi_checker *c = arg;

	if (c->alone)
		c->fault[SPI_FAULT_STRAY]++;
	if (c->inner->ops->stray)
		c->inner->ops->stray(c->inner->arg, clock);
}

static void checker_idle_level(void *arg, bool high)
{
	struct spi_checker *c = arg;

	c->fault[SPI_FAULT_EDGE]++;
	if (c->inner->ops->idle_level)
		c->inner->ops->idle_level(c->inner->arg, high);
}

static const struct spi_slave_ops checker_ops = {
	.cs = checker_cs,
	.byte_start = checker_start,
	.byte_end = checker_end,
	.stray = checker_stray,
	.idle_level = checker_idle_level,
};

struct spi_checker *spi_checker_new(struct sim *sim, const struct spi_checker_limits *limits,
				    struct spi_slave *inner)
{
	struct spi_checker *c = calloc(1, sizeof(*c));

	if (!c)
		abort();
	c->sim = sim;
	c->limits = *limits;
	if (!inner)
		c->own = spi_loopback_new();
	c->inner = inner ? inner : c->own;
	c->slave = (struct spi_slave){
		.name = "checker",
		.ops = &checker_ops,
		.arg = c,
		.modes = c->inner->modes,
		.cs_high = c->inner->cs_high,
		.loop = c->inner->loop,
	};
	return c;
}

void spi_checker_free(struct spi_checker *c)
{
	if (!c)
		return;
	spi_slave_free(c->own);
	free(c);
}

struct spi_slave *spi_checker_slave(struct spi_checker *c)
{
	return &c->slave;
}

void spi_checker_alone(struct spi_checker *c, bool alone)
{
	c->alone = alone;
}

uint64_t spi_checker_faults(const struct spi_checker *c, enum spi_checker_fault fault)
{
	return c->fault[fault];
}

uint64_t spi_checker_total(const struct spi_checker *c)
{
	uint64_t total = 0;
	unsigned int i;

	for (i = 0; i < SPI_FAULT_COUNT; i++)
		total += c->fault[i];
	return total;
}

uint64_t spi_checker_length(const struct spi_checker *c)
{
	return c->length;
}

void spi_checker_reset(struct spi_checker *c)
{
	memset(c->fault, 0, sizeof(c->fault));
}

void spi_checker_counters(const struct spi_checker *c, const char *prefix, FILE *out)
{
	unsigned int i;

	for (i = 0; i < SPI_FAULT_COUNT; i++)
		fprintf(out, "\"%sfault_%s\": %" PRIu64 ", ", prefix, spi_fault_name[i],
			c->fault[i]);
}
