/* SPDX-License-Identifier: GPL-2.0-only */
/* Slaves for tests. Each embeds the struct spi_slave that is attached to the bus. */
#ifndef SPI_SLAVES_H
#define SPI_SLAVES_H

#include "spi_slave.h"

/* MISO wired to MOSI: each byte comes back in the byte itself. */
struct spi_slave *spi_loopback_new(void);
/* Nobody at home: MISO is always @value, whatever is sent. */
struct spi_slave *spi_dead_new(uint8_t value);

/*
 * A byte memory with a 16-bit address, the command set of common serial SRAMs:
 * 02 hi lo data... writes, 03 hi lo data... reads, addresses count up and wrap.
 * 9F reads the length of the last message before this one (2 bytes, big endian),
 * AA starts an echo: each byte is the one before it, inverted. While the command and
 * the address are shifted in, it answers 5A. A byte that is cut has no effect.
 */
#define SPI_MEMORY_SIZE	65536
#define SPI_MEMORY_WRITE 0x02
#define SPI_MEMORY_READ	0x03
#define SPI_MEMORY_LENGTH 0x9f
#define SPI_MEMORY_ECHO	0xaa
#define SPI_MEMORY_BUSY	0x5a
struct spi_slave *spi_memory_new(void);
uint8_t *spi_memory_data(struct spi_slave *slave);

/* For the three above. */
void spi_slave_free(struct spi_slave *slave);

/**
 * struct spi_checker_limits - what a data sheet demands; 0: not checked
 * @setup_ns: chip select active to the first edge of SCLK
 * @hold_ns: last edge of SCLK to chip select inactive
 * @disable_ns: chip select inactive before it is active again
 * @min_period_ps: period of SCLK
 * @modes: bit n: mode n is right
 */
struct spi_checker_limits {
	uint64_t setup_ns;
	uint64_t hold_ns;
	uint64_t disable_ns;
	uint64_t min_period_ps;
	unsigned int modes;
};

enum spi_checker_fault {
	SPI_FAULT_SETUP,	/* the first edge came too early */
	SPI_FAULT_HOLD,		/* chip select went too early */
	SPI_FAULT_DISABLE,	/* chip select was inactive too short */
	SPI_FAULT_PERIOD,	/* SCLK too fast */
	SPI_FAULT_MODE,		/* wrong mode */
	SPI_FAULT_GLITCH,	/* chip select was active without a whole byte */
	SPI_FAULT_CUT,		/* a byte was cut */
	SPI_FAULT_STRAY,	/* clocks although it must be alone: see spi_checker_alone() */
	SPI_FAULT_EDGE,		/* SCLK changed its idle level while selected */
	SPI_FAULT_COUNT
};

extern const char *const spi_fault_name[SPI_FAULT_COUNT];

/*
 * Looks at everything that happens to @inner (passes it on, and does not own it; NULL: a
 * loopback of its own) and counts what is wrong.
 */
struct spi_checker;
struct spi_checker *spi_checker_new(struct sim *sim, const struct spi_checker_limits *limits,
				    struct spi_slave *inner);
void spi_checker_free(struct spi_checker *checker);
struct spi_slave *spi_checker_slave(struct spi_checker *checker);
/* There is no other slave: clocks while chip select is inactive are a fault. */
void spi_checker_alone(struct spi_checker *checker, bool alone);
uint64_t spi_checker_faults(const struct spi_checker *checker, enum spi_checker_fault fault);
uint64_t spi_checker_total(const struct spi_checker *checker);
/* Whole bytes of the message under way, or of the last one. */
uint64_t spi_checker_length(const struct spi_checker *checker);
void spi_checker_reset(struct spi_checker *checker);
/* As JSON members with a prefix ("spi0_" "fault_setup": 0, ...). */
void spi_checker_counters(const struct spi_checker *checker, const char *prefix, FILE *out);

#endif
