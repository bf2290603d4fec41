/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bench for the tests of the BCM2835 models: a SoC at 250 MHz, 1 MiB of RAM behind the
 * alias at 0xC0000000, a memory behind a checker at CE0 and a loopback at CE1.
 */
#ifndef TEST_BCM2835_H
#define TEST_BCM2835_H

#include <string.h>

#include "bcm2835_soc.h"
#include "spi_slaves.h"
#include "tap.h"

/* CDIV 26 at 250 MHz: a clock of 104 ns. */
#define CLOCK	104
#define US	1000ull
#define MS	1000000ull

/* Registers and bits from the manual, not from the model. */
#define DMA(n)		(0x7000u + (n) * 0x100u)
#define SPI_CS		0x204000u
#define SPI_FIFO	0x204004u
#define SPI_CLK		0x204008u
#define SPI_DLEN	0x20400cu
#define SPI_DC		0x204014u
#define GPIO(off)	(0x200000u + (off))
#define GPSET0		GPIO(0x1c)
#define GPCLR0		GPIO(0x28)
#define INTC(off)	(0x00b200u + (off))
#define BUS(off)	(0x7e000000u + (off))
#define RAM(off)	(0xc0000000u + (off))

#define CPHA		0x0004u
#define CPOL		0x0008u
#define CLEAR_TX	0x0010u
#define CLEAR_RX	0x0020u
#define CSPOL		0x0040u
#define TA		0x0080u
#define DMAEN		0x0100u
#define INTD		0x0200u
#define INTR		0x0400u
#define ADCS		0x0800u
#define DONE		0x10000u
#define RXD		0x20000u
#define TXD		0x40000u
#define RXR		0x80000u
#define RXF		0x100000u

#define ACTIVE		0x1u
#define END		0x2u
#define INT		0x4u
#define ERROR		0x100u
#define WAIT_WRITES	0x10000000u
#define ABORT		0x40000000u
#define RESET		0x80000000u

#define INTEN		0x1u
#define TDMODE		0x2u
#define WAIT_RESP	0x8u
#define D_INC		0x10u
#define D_DREQ		0x40u
#define D_IGNORE	0x80u
#define S_INC		0x100u
#define S_DREQ		0x400u
#define S_IGNORE	0x800u
#define PERMAP(n)	((uint32_t)(n) << 16)
#define WAITS(n)	((uint32_t)(n) << 21)
#define TX_DREQ		(D_DREQ | PERMAP(6))
#define RX_DREQ		(S_DREQ | PERMAP(7))

#define RAM_SIZE	(1u << 20)
#define TX_BUF		0x8000		/* in RAM, for transfers */
#define RX_BUF		0xc000
#define GUEST		0x40000000ull

struct bench {
	struct sim sim;
	struct bcm2835_soc_config config;
	struct bcm2835_soc *soc;
	struct spi_slave *memory, *loop;
	struct spi_checker *checker;
	uint8_t ram[RAM_SIZE];
	bool irq;
	unsigned int irqs;
	bool line[64];
	unsigned int lines[64];		/* rising edges */
	uint64_t line_at[64];		/* of the last one */
	uint64_t cs_at[2][64];		/* changes of GPIO 8: to low, to high */
	unsigned int cs_count[2];
};

static bool bench_ram(struct bench *b, uint64_t addr, size_t len, uint8_t **p)
{
	if (addr < GUEST || addr - GUEST + len > RAM_SIZE)
		return false;
	*p = b->ram + (addr - GUEST);
	return true;
}

static bool bench_mem_read(struct sim *sim, uint64_t addr, void *buf, size_t len)
{
	uint8_t *p;

	if (!bench_ram(sim->host_data, addr, len, &p))
		return false;
	memcpy(buf, p, len);
	return true;
}

static bool bench_mem_write(struct sim *sim, uint64_t addr, const void *buf, size_t len)
{
	uint8_t *p;

	if (!bench_ram(sim->host_data, addr, len, &p))
		return false;
	memcpy(p, buf, len);
	return true;
}

static const struct sim_host bench_host = {
	.mem_read = bench_mem_read,
	.mem_write = bench_mem_write,
};

static void bench_irq(void *arg, bool level)
{
	struct bench *b = arg;

	b->irq = level;
	b->irqs += level;
}

static void bench_line(void *arg, unsigned int n, bool level)
{
	struct bench *b = arg;

	if (level && !b->line[n]) {
		b->lines[n]++;
		b->line_at[n] = b->sim.now;
	}
	b->line[n] = level;
}

static void bench_gpio(void *arg, unsigned int n, bool level)
{
	struct bench *b = arg;

	if (n == 8 && b->cs_count[level] < 64)
		b->cs_at[level][b->cs_count[level]++] = b->sim.now;
}

static const struct bcm2835_soc_ops bench_ops = {
	.irq = bench_irq,
	.line = bench_line,
	.gpio = bench_gpio,
};

/* @native: chip selects are the block's own; otherwise outputs that are high. */
static inline struct bench *bench_new(const struct bcm2835_soc_config *config, bool native)
{
	static const struct spi_checker_limits limits = {
		.setup_ns = 50, .hold_ns = 50, .disable_ns = 50, .min_period_ps = 104000,
		.modes = SPI_MODES(0, 3),
	};
	struct bench *b = calloc(1, sizeof(*b));

	if (!b)
		abort();
	if (config)
		b->config = *config;
	if (!b->config.alias[0].size)
		b->config.alias[0] = (struct bcm2835_alias){ 0xc0000000, GUEST, 0x3e000000 };
	sim_init(&b->sim, &bench_host, b);
	b->soc = bcm2835_soc_new(&b->sim, &b->config, &bench_ops, b);
	b->memory = spi_memory_new();
	b->checker = spi_checker_new(&b->sim, &limits, b->memory);
	b->loop = spi_loopback_new();
	bcm2835_soc_attach(b->soc, BCM2835_PIN_CE0, spi_checker_slave(b->checker));
	bcm2835_soc_attach(b->soc, BCM2835_PIN_CE1, b->loop);
	bcm2835_soc_spi_pins(b->soc, native);
	bcm2835_soc_counters_reset(b->soc);
	return b;
}

static inline void bench_free(struct bench *b)
{
	bcm2835_soc_free(b->soc);
	spi_checker_free(b->checker);
	spi_slave_free(b->memory);
	spi_slave_free(b->loop);
	sim_free(&b->sim);
	free(b);
}

static inline void run(struct bench *b, uint64_t ns)
{
	sim_advance(&b->sim, b->sim.now + ns);
}

static inline uint32_t rd(struct bench *b, uint32_t offset)
{
	return bcm2835_soc_read(b->soc, offset, 4);
}

static inline void wr(struct bench *b, uint32_t offset, uint32_t value)
{
	bcm2835_soc_write(b->soc, offset, 4, value);
}

static inline void poke(struct bench *b, uint32_t at, uint32_t value)
{
	memcpy(b->ram + at, &value, 4);
}

static inline uint32_t peek(const struct bench *b, uint32_t at)
{
	uint32_t value;

	memcpy(&value, b->ram + at, 4);
	return value;
}

/* A control block at RAM offset @at; @next is an offset, too, 0 for none. */
static inline void cb(struct bench *b, uint32_t at, uint32_t ti, uint32_t src, uint32_t dst,
		      uint32_t len, uint32_t next)
{
	uint32_t word[8] = { ti, src, dst, len, 0, next ? RAM(next) : 0, 0, 0 };

	memcpy(b->ram + at, word, sizeof(word));
}

static inline void start(struct bench *b, unsigned int channel, uint32_t at)
{
	wr(b, DMA(channel) + 4, RAM(at));
	wr(b, DMA(channel), ACTIVE);
}

static inline const struct bcm2835_spi_stats *spi_stats(const struct bench *b)
{
	return bcm2835_spi_stats(bcm2835_soc_spi(b->soc));
}

static inline const struct spi_bus_stats *bus_stats(const struct bench *b)
{
	return spi_bus_stats(bcm2835_soc_bus(b->soc));
}

static inline const struct bcm2835_dma_stats *dma_stats(const struct bench *b, unsigned int n)
{
	return bcm2835_dma_stats(bcm2835_soc_dma(b->soc), n);
}

static inline void select_low(struct bench *b)
{
	wr(b, GPCLR0, 1 << 8);
}

static inline void select_high(struct bench *b)
{
	wr(b, GPSET0, 1 << 8);
}

/* Send bytes one after the other, all in the FIFO at once; returns when DONE. */
static inline uint64_t polled(struct bench *b, const uint8_t *tx, uint8_t *rx, unsigned int len)
{
	uint64_t begin;
	unsigned int i;

	wr(b, SPI_CLK, 26);
	select_low(b);
	wr(b, SPI_CS, TA | 3);
	begin = b->sim.now;
	for (i = 0; i < len; i++)
		wr(b, SPI_FIFO, tx[i]);
	while (!(rd(b, SPI_CS) & DONE))
		run(b, 1);
	begin = b->sim.now - begin;
	for (i = 0; i < len; i++)
		rx[i] = rd(b, SPI_FIFO);
	wr(b, SPI_CS, DONE | CLEAR_TX | CLEAR_RX);
	run(b, 100);
	select_high(b);
	run(b, 100);
	return begin;
}

/* The loopback at GPIO 7, CDIV 26. */
static inline struct bench *loop_bench(const struct bcm2835_soc_config *config)
{
	struct bench *b = bench_new(config, false);

	wr(b, SPI_CLK, 26);
	wr(b, GPCLR0, 1 << 7);
	return b;
}

static inline void fill(struct bench *b, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++)
		b->ram[TX_BUF + i] = i * 7 + 1;
	memset(b->ram + RX_BUF, 0xee, 0x2000);
}

#endif
