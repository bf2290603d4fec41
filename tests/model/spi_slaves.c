// SPDX-License-Identifier: GPL-2.0-only
/* SPI slaves for tests: loopback, nobody, and a byte memory. */
#include <stdlib.h>
#include <string.h>

#include "spi_slaves.h"

/* The common head of the three, so that one function frees them all. */
struct simple {
	struct spi_slave slave;
	uint8_t answer;
};

static void simple_cs(void *arg, bool active)
{
	(void)arg;
	(void)active;
}

static uint8_t simple_start(void *arg, const struct spi_clock *clock)
{
	struct simple *s = arg;

	(void)clock;
	return s->answer;
}

static void simple_end(void *arg, uint8_t mosi, unsigned int clocks)
{
	(void)arg;
	(void)mosi;
	(void)clocks;
}

static const struct spi_slave_ops simple_ops = {
	.cs = simple_cs,
	.byte_start = simple_start,
	.byte_end = simple_end,
};

static struct spi_slave *simple_new(const char *name, uint8_t answer)
{
	struct simple *s = calloc(1, sizeof(*s));

	if (!s)
		abort();
	s->slave.name = name;
	s->slave.ops = &simple_ops;
	s->slave.arg = s;
	s->answer = answer;
	return &s->slave;
}

struct spi_slave *spi_loopback_new(void)
{
	struct spi_slave *slave = simple_new("loopback", 0);

	slave->loop = true;
	return slave;
}

struct spi_slave *spi_dead_new(uint8_t value)
{
	return simple_new("dead", value);
}

struct memory {
	struct spi_slave slave;
	uint8_t data[SPI_MEMORY_SIZE];
	uint64_t count;		/* whole bytes of this message */
	uint64_t last;		/* ... of the one before it */
	uint8_t command;
	uint16_t address;
	uint8_t echo;
};

static void memory_cs(void *arg, bool active)
{
	struct memory *m = arg;

	if (active)
		return;
	m->last = m->count;
	m->count = 0;
}

static uint8_t memory_start(void *arg, const struct spi_clock *clock)
{
	struct memory *m = arg;

	(void)clock;
	if (m->command == SPI_MEMORY_READ && m->count >= 3)
		return m->data[m->address];
	if (m->command == SPI_MEMORY_LENGTH && m->count)
		return m->last >> (m->count & 1 ? 8 : 0);
	if (m->command == SPI_MEMORY_ECHO && m->count > 1)
		return m->echo;
	return SPI_MEMORY_BUSY;
}

static void memory_end(void *arg, uint8_t mosi, unsigned int clocks)
{
	struct memory *m = arg;
	uint64_t n = m->count;

	if (clocks < 8)
		return;
	m->count++;
	m->echo = ~mosi;
	if (!n) {
		m->command = mosi;
	} else if (m->command == SPI_MEMORY_WRITE || m->command == SPI_MEMORY_READ) {
		if (n < 3) {
			m->address = m->address << 8 | mosi;
			return;
		}
		if (m->command == SPI_MEMORY_WRITE)
			m->data[m->address] = mosi;
		m->address++;
	}
}

static const struct spi_slave_ops memory_ops = {
	.cs = memory_cs,
	.byte_start = memory_start,
	.byte_end = memory_end,
};

struct spi_slave *spi_memory_new(void)
{
	struct memory *m = calloc(1, sizeof(*m));

	if (!m)
		abort();
	m->slave.name = "memory";
	m->slave.ops = &memory_ops;
	m->slave.arg = m;
	m->slave.modes = SPI_MODES(0, 3);
	return &m->slave;
}

uint8_t *spi_memory_data(struct spi_slave *slave)
{
	return ((struct memory *)slave->arg)->data;
}

void spi_slave_free(struct spi_slave *slave)
{
	if (slave)
		free(slave->arg);
}
