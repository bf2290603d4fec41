// SPDX-License-Identifier: GPL-2.0-only
/* The wires between an SPI master and its slaves, and what a logic analyser would count. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "spi_slave.h"

struct spi_bus {
	struct sim *sim;
	struct spi_slave *slave[SPI_MAX_SLAVES];
	unsigned int slaves;
	unsigned int selected;		/* how many are */
	uint8_t idle_miso;
	bool sclk, mosi, miso;		/* wires that are connected */

	bool busy;			/* a byte is on the wire */
	struct spi_clock clock;
	uint8_t out;			/* on MOSI */
	uint8_t previous;		/* the byte before it, for slaves in another mode */
	unsigned int (*progress)(void *arg);
	void *arg;

	uint64_t cs_since;		/* of the first selection, or of the last one's end */
	uint64_t byte_end;
	bool had_byte;			/* in this assertion */
	bool had_message;
	struct spi_bus_stats stats;
};

struct spi_bus *spi_bus_new(struct sim *sim, uint8_t idle_miso)
{
	struct spi_bus *bus = calloc(1, sizeof(*bus));

	if (!bus)
		abort();
	bus->sim = sim;
	bus->idle_miso = idle_miso;
	bus->sclk = true;
	bus->mosi = true;
	bus->miso = true;
	return bus;
}

void spi_bus_free(struct spi_bus *bus)
{
	free(bus);
}

void spi_bus_attach(struct spi_bus *bus, struct spi_slave *slave)
{
	if (bus->slaves == SPI_MAX_SLAVES) {
		fprintf(stderr, "spi: no room for slave %s, raise SPI_MAX_SLAVES\n", slave->name);
		abort();
	}
	slave->level = !slave->cs_high;
	slave->selected = false;
	slave->in_byte = false;
	bus->slave[bus->slaves++] = slave;
}

void spi_bus_wires(struct spi_bus *bus, bool sclk, bool mosi, bool miso)
{
	bus->sclk = sclk;
	bus->mosi = mosi;
	bus->miso = miso;
}

void spi_bus_set_progress(struct spi_bus *bus, unsigned int (*clocks)(void *arg), void *arg)
{
	bus->progress = clocks;
	bus->arg = arg;
}

static void span_add(struct spi_span *span, uint64_t ns)
{
	if (!span->count || ns < span->min)
		span->min = ns;
	if (ns > span->max)
		span->max = ns;
	span->sum += ns;
	span->count++;
}

static bool right_mode(const struct spi_bus *bus, const struct spi_slave *slave)
{
	return !slave->modes || (slave->modes >> bus->clock.mode & 1);
}

/* The slave has seen @clocks clocks of the byte. */
static void end_byte(struct spi_bus *bus, struct spi_slave *slave, unsigned int clocks)
{
	uint8_t mosi = bus->out;

	slave->in_byte = false;
	if (!right_mode(bus, slave))
		mosi = mosi >> 1 | bus->previous << 7;
	if (clocks < 8)
		mosi &= 0xff00 >> clocks;
	slave->ops->byte_end(slave->arg, mosi, clocks);
}

static void select_slave(struct spi_bus *bus, struct spi_slave *slave)
{
	uint64_t now = bus->sim->now;

	slave->selected = true;
	bus->stats.messages++;
	if (!bus->selected++) {
		if (bus->had_message)
			span_add(&bus->stats.cs_gap, now - bus->cs_since);
		bus->cs_since = now;
		bus->had_byte = false;
	}
	slave->ops->cs(slave->arg, true);
}

static void deselect_slave(struct spi_bus *bus, struct spi_slave *slave)
{
	uint64_t now = bus->sim->now;

	if (slave->in_byte) {
		unsigned int clocks = bus->progress ? bus->progress(bus->arg) : 0;

		if (clocks < 8)
			bus->stats.cut_bytes++;
		end_byte(bus, slave, clocks);
	}
	slave->selected = false;
	if (!--bus->selected) {
		span_add(&bus->stats.cs_active, now - bus->cs_since);
		if (bus->had_byte && !bus->busy)
			span_add(&bus->stats.clock_to_cs, now - bus->byte_end);
		bus->cs_since = now;
		bus->had_message = true;
	}
	slave->ops->cs(slave->arg, false);
}

void spi_bus_cs(struct spi_bus *bus, struct spi_slave *slave, bool level)
{
	bool active = level == slave->cs_high;

	slave->level = level;
	if (active == slave->selected)
		return;
	if (active)
		select_slave(bus, slave);
	else
		deselect_slave(bus, slave);
}

void spi_bus_idle_level(struct spi_bus *bus, bool high)
{
	unsigned int i;

	for (i = 0; bus->sclk && i < bus->slaves; i++) {
		struct spi_slave *slave = bus->slave[i];

		if (slave->selected && slave->ops->idle_level)
			slave->ops->idle_level(slave->arg, high);
	}
}

uint8_t spi_bus_byte_start(struct spi_bus *bus, const struct spi_clock *clock, uint8_t mosi)
{
	uint64_t now = bus->sim->now;
	unsigned int i, driven = 0;
	uint8_t miso = 0xff;

	if (!bus->sclk)
		return bus->miso ? bus->idle_miso : 0;
	bus->busy = true;
	bus->clock = *clock;
	bus->previous = bus->out;
	bus->out = bus->mosi ? mosi : 0;
	if (bus->selected) {
		if (!bus->had_byte)
			span_add(&bus->stats.cs_to_clock, now - bus->cs_since);
		else if (now > bus->byte_end)
			span_add(&bus->stats.byte_gap, now - bus->byte_end);
		bus->had_byte = true;
	}
	for (i = 0; i < bus->slaves; i++) {
		struct spi_slave *slave = bus->slave[i];
		uint8_t byte;

		if (!slave->selected) {
			if (slave->ops->stray)
				slave->ops->stray(slave->arg, clock);
			continue;
		}
		slave->in_byte = true;
		byte = slave->ops->byte_start(slave->arg, clock);
		if (slave->loop)
			byte = bus->out;
		else if (!right_mode(bus, slave))
			byte >>= 1;
		/* whoever pulls down wins */
		miso &= byte;
		driven++;
	}
	if (driven > 1)
		bus->stats.contention++;
	return driven && bus->miso ? miso : bus->idle_miso;
}

void spi_bus_byte_end(struct spi_bus *bus, unsigned int clocks)
{
	bool heard = false;
	unsigned int i;

	if (!bus->busy)
		return;
	bus->busy = false;
	bus->byte_end = bus->sim->now;
	for (i = 0; i < bus->slaves; i++) {
		struct spi_slave *slave = bus->slave[i];

		if (slave->in_byte) {
			heard = true;
			end_byte(bus, slave, clocks);
		}
	}
	if (clocks < 8)
		bus->stats.cut_bytes++;
	else
		bus->stats.bytes++;
	if (!heard)
		bus->stats.stray_bytes++;
}

const struct spi_bus_stats *spi_bus_stats(const struct spi_bus *bus)
{
	return &bus->stats;
}

void spi_bus_stats_reset(struct spi_bus *bus)
{
	memset(&bus->stats, 0, sizeof(bus->stats));
	bus->had_message = false;
}

static void span_json(const char *name, const struct spi_span *span, FILE *out)
{
	fprintf(out, "\"spi_%s_ns\": {\"count\": %" PRIu64 ", \"min\": %" PRIu64 ", ", name,
		span->count, span->min);
	fprintf(out, "\"max\": %" PRIu64 ", \"sum\": %" PRIu64 "}, ", span->max, span->sum);
}

void spi_bus_counters(const struct spi_bus *bus, FILE *out)
{
	const struct spi_bus_stats *s = &bus->stats;

	fprintf(out, "\"spi_bytes\": %" PRIu64 ", \"spi_messages\": %" PRIu64
		", \"spi_cut_bytes\": %" PRIu64 ", \"spi_stray_bytes\": %" PRIu64
		", \"spi_contention\": %" PRIu64 ", ",
		s->bytes, s->messages, s->cut_bytes, s->stray_bytes, s->contention);
	span_json("byte_gap", &s->byte_gap, out);
	span_json("cs_gap", &s->cs_gap, out);
	span_json("cs_active", &s->cs_active, out);
	span_json("cs_to_clock", &s->cs_to_clock, out);
	span_json("clock_to_cs", &s->clock_to_cs, out);
}
