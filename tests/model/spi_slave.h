/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The wires of an SPI bus, and what hangs on them.
 *
 * The master (bcm2835_spi.h) moves whole bytes; a slave is told when one begins,
 * must then say what it shifts out during it, and is told when it ends. A
 * chip select that goes away in mid-byte ends the byte early: what a slave does
 * at "the 8th clock" and what at "chip select rises" are different things.
 */
#ifndef SPI_SLAVE_H
#define SPI_SLAVE_H

#include <stdio.h>

#include "sim.h"

#define SPI_CPHA	1u
#define SPI_CPOL	2u
#define SPI_MODES(a, b)	(1u << (a) | 1u << (b))

#define SPI_MAX_SLAVES	8

/**
 * struct spi_clock - how a byte is clocked
 * @mode: SPI_CPHA | SPI_CPOL
 * @half_ps: half a period of SCLK in picoseconds. The first edge comes that much
 *	after the byte's beginning, the last one at the end of its 8th clock
 */
struct spi_clock {
	unsigned int mode;
	uint64_t half_ps;
};

/**
 * struct spi_slave_ops - a chip on the bus
 * @cs: its chip select became active or inactive (sim->now is the time)
 * @byte_start: a byte begins; returns what is shifted out on MISO during it. Called
 *	only while selected
 * @byte_end: @clocks clocks of the byte are over. With 8 the byte is whole; with
 *	fewer the clock stopped in mid-byte (the bits that came are the upper ones of
 *	@mosi), or chip select went away: then @cs(false) follows at the same time
 * @stray: a byte begins on the wire while this slave is not selected; may be NULL
 * @idle_level: SCLK changed its idle level (CPOL was written), which a selected slave
 *	takes for a clock edge; may be NULL
 */
struct spi_slave_ops {
	void (*cs)(void *arg, bool active);
	uint8_t (*byte_start)(void *arg, const struct spi_clock *clock);
	void (*byte_end)(void *arg, uint8_t mosi, unsigned int clocks);
	void (*stray)(void *arg, const struct spi_clock *clock);
	void (*idle_level)(void *arg, bool high);
};

/**
 * struct spi_slave - a chip, as the bus knows it; embedded in the chip's model
 * @name: for messages and counters
 * @ops: what it does
 * @arg: passed to @ops
 * @modes: bit n: works in mode n. In another mode each byte is read one bit late,
 *	in both directions. 0 means all
 * @cs_high: chip select is active high
 * @loop: its MISO is its MOSI; what @byte_start returns does not matter
 */
struct spi_slave {
	const char *name;
	const struct spi_slave_ops *ops;
	void *arg;
	unsigned int modes;
	bool cs_high;
	bool loop;
	/* the bus's */
	bool level;		/* of its chip-select pin */
	bool selected;
	bool in_byte;		/* was selected when the byte under way began */
};

/* How often, and how long: nanoseconds. */
struct spi_span {
	uint64_t count, min, max, sum;
};

/**
 * struct spi_bus_stats - what an observer with a logic analyser would count
 * @bytes: whole bytes that were clocked
 * @cut_bytes: bytes that ended early
 * @stray_bytes: bytes while no slave was selected
 * @contention: bytes while more than one slave was selected
 * @messages: assertions of any chip select
 * @byte_gap: SCLK at rest between two bytes within one assertion
 * @cs_gap: between one assertion's end and the next one's beginning, any slave
 * @cs_active: duration of the assertions
 * @cs_to_clock: from the assertion to the beginning of the first byte
 * @clock_to_cs: from the end of the last byte to the end of the assertion
 */
struct spi_bus_stats {
	uint64_t bytes;
	uint64_t cut_bytes;
	uint64_t stray_bytes;
	uint64_t contention;
	uint64_t messages;
	struct spi_span byte_gap;
	struct spi_span cs_gap;
	struct spi_span cs_active;
	struct spi_span cs_to_clock;
	struct spi_span clock_to_cs;
};

struct spi_bus;

/* @idle_miso: what the master reads when nobody drives MISO. */
struct spi_bus *spi_bus_new(struct sim *sim, uint8_t idle_miso);
void spi_bus_free(struct spi_bus *bus);
/* Attach a slave; the level of its chip-select pin is at first inactive. */
void spi_bus_attach(struct spi_bus *bus, struct spi_slave *slave);

/* The master's side. */
void spi_bus_cs(struct spi_bus *bus, struct spi_slave *slave, bool level);
void spi_bus_idle_level(struct spi_bus *bus, bool high);
/* Returns MISO for this byte. */
uint8_t spi_bus_byte_start(struct spi_bus *bus, const struct spi_clock *clock, uint8_t mosi);
void spi_bus_byte_end(struct spi_bus *bus, unsigned int clocks);
/* Which of the three wires are connected; all are at first. */
void spi_bus_wires(struct spi_bus *bus, bool sclk, bool mosi, bool miso);
/* Asked when a chip select changes: how many clocks of the byte under way are over? */
void spi_bus_set_progress(struct spi_bus *bus, unsigned int (*clocks)(void *arg), void *arg);

const struct spi_bus_stats *spi_bus_stats(const struct spi_bus *bus);
void spi_bus_stats_reset(struct spi_bus *bus);
/* As JSON members, each followed by a comma: "spi_bytes": ..., */
void spi_bus_counters(const struct spi_bus *bus, FILE *out);

#endif
