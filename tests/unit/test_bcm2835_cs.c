// SPDX-License-Identifier: GPL-2.0-only
/* SPI0 as its slaves see it: chip selects, modes, pins, bytes that are cut; the checker. */
#include "test_bcm2835.h"

static void native_cs(void)
{
	struct bench *b = bench_new(NULL, true);

	wr(b, SPI_CLK, 26);
	ok(bcm2835_soc_gpio_level(b->soc, 8) && bcm2835_soc_gpio_level(b->soc, 7), "both high");
	wr(b, SPI_CS, TA);
	ok(!bcm2835_soc_gpio_level(b->soc, 8) && bcm2835_soc_gpio_level(b->soc, 7), "CE0 low");
	run(b, US);
	wr(b, SPI_FIFO, 0x42);
	run(b, 2 * US);
	is(rd(b, SPI_FIFO), SPI_MEMORY_BUSY, "CE0's slave answers");
	wr(b, SPI_CS, 0);
	ok(bcm2835_soc_gpio_level(b->soc, 8), "TA = 0: CE0 high");
	run(b, US);
	wr(b, SPI_CS, TA | 1);
	ok(!bcm2835_soc_gpio_level(b->soc, 7) && bcm2835_soc_gpio_level(b->soc, 8), "CE1 low");
	wr(b, SPI_FIFO, 0x42);
	run(b, 2 * US);
	is(rd(b, SPI_FIFO), 0x42, "CE1's slave answers");
	wr(b, SPI_CS, TA | 3);
	ok(bcm2835_soc_gpio_level(b->soc, 7) && bcm2835_soc_gpio_level(b->soc, 8), "3: none");
	wr(b, SPI_CS, TA | CSPOL);
	ok(bcm2835_soc_gpio_level(b->soc, 8) && !bcm2835_soc_gpio_level(b->soc, 7),
	   "CSPOL: the selected one is high, the other one low");
	wr(b, SPI_CS, CSPOL);
	ok(!bcm2835_soc_gpio_level(b->soc, 8), "TA = 0: low");
	wr(b, SPI_CS, TA | 0x00400000);
	ok(!bcm2835_soc_gpio_level(b->soc, 8) && !bcm2835_soc_gpio_level(b->soc, 7),
	   "CSPOL1 concerns CE1 only");
	bench_free(b);
}

static void clear_tx_glitch(void)
{
	struct bench *b = bench_new(NULL, true);

	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, TA);
	run(b, US);
	wr(b, SPI_CS, TA | CLEAR_RX);
	ok(!bcm2835_soc_gpio_level(b->soc, 8), "CLEAR_RX leaves a native chip select alone");
	run(b, US);
	wr(b, SPI_CS, TA | CLEAR_TX);
	ok(bcm2835_soc_gpio_level(b->soc, 8), "CLEAR_TX takes it away");
	run(b, 16);
	ok(!bcm2835_soc_gpio_level(b->soc, 8), "for four core clocks");
	is(spi_checker_faults(b->checker, SPI_FAULT_GLITCH), 1, "the slave sees a glitch");
	is(spi_checker_faults(b->checker, SPI_FAULT_DISABLE), 1, "much too short");
	run(b, US);
	wr(b, SPI_CS, TA | CLEAR_TX);
	wr(b, SPI_FIFO, 1);
	is(spi_stats(b)->tx_cleared, 1, "what is written while it clears is gone");
	run(b, 16);
	wr(b, SPI_FIFO, 1);
	run(b, 2 * US);
	is(spi_stats(b)->bytes, 1, "later is fine");
	bench_free(b);
}

/* A slave that notes what it is told. */
struct probe {
	struct spi_slave slave;
	uint8_t mosi[8];
	unsigned int clocks[8];
	unsigned int n;
};

static void probe_cs(void *arg, bool active)
{
	(void)arg;
	(void)active;
}

static uint8_t probe_start(void *arg, const struct spi_clock *clock)
{
	(void)arg;
	(void)clock;
	return 0xff;
}

static void probe_end(void *arg, uint8_t mosi, unsigned int clocks)
{
	struct probe *p = arg;

	p->mosi[p->n % 8] = mosi;
	p->clocks[p->n++ % 8] = clocks;
}

static void what_slaves_see(void)
{
	static const struct spi_slave_ops ops = { probe_cs, probe_start, probe_end, NULL, NULL };
	struct probe p = { .slave = { .name = "probe", .ops = &ops, .modes = SPI_MODES(0, 3) } };
	struct bench *b = bench_new(NULL, false);

	p.slave.arg = &p;
	bcm2835_soc_attach(b->soc, 25, &p.slave);
	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 0x81);
	run(b, US);
	wr(b, GPIO(0x08), 1u << 15);
	wr(b, SPI_FIFO, 0xff);
	run(b, 3 * CLOCK);
	wr(b, GPSET0, 1u << 25);
	run(b, US);
	is(p.n, 2, "two bytes while it is selected");
	is(p.clocks[0], 8, "a whole one");
	is(p.mosi[0], 0x81, "as it was sent");
	is(p.clocks[1], 3, "three bits of the other one");
	is(p.mosi[1], 0xe0, "which are ones");
	wr(b, GPCLR0, 1u << 25);
	wr(b, SPI_CS, TA | 3 | CPHA);
	wr(b, SPI_FIFO, 0x42);
	run(b, US);
	is(p.mosi[2], 0xa1, "in a wrong mode: shifted by a bit of the byte before");
	bench_free(b);
}

/* TA goes away, or the chip select does, in the middle of a byte. */
static void cut_bytes(void)
{
	static const uint8_t length[] = { SPI_MEMORY_LENGTH, 0, 0 };
	struct bench *b = bench_new(NULL, false);
	uint8_t rx[3];

	wr(b, SPI_CLK, 26);
	select_low(b);
	run(b, US);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, SPI_MEMORY_WRITE);
	run(b, 3 * CLOCK);
	select_high(b);
	is(spi_checker_faults(b->checker, SPI_FAULT_CUT), 1, "chip select went after 3 clocks");
	is(bus_stats(b)->cut_bytes, 1, "counted");
	is(spi_checker_length(b->checker), 0, "no whole byte for the slave");
	run(b, 6 * CLOCK);
	ok(rd(b, SPI_CS) & RXD, "but the block has shifted one");
	rd(b, SPI_FIFO);
	select_low(b);
	run(b, US);
	wr(b, SPI_FIFO, 0x55);
	run(b, 5 * CLOCK);
	wr(b, SPI_CS, 3);
	ok(!(rd(b, SPI_CS) & RXD), "TA went after 5 clocks: nothing received");
	is(spi_checker_faults(b->checker, SPI_FAULT_CUT), 2, "and a cut byte for the slave");
	is(spi_stats(b)->cut, 1, "counted");
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 0x55);
	run(b, 8 * CLOCK);
	ok(rd(b, SPI_CS) & RXD, "the next one starts at once");
	wr(b, SPI_CS, 3 | CLEAR_RX);
	run(b, US);
	select_high(b);
	run(b, US);
	polled(b, length, rx, 3);
	is(rx[1] << 8 | rx[2], 1, "the memory has taken that one only");
	bench_free(b);
}

static void modes(void)
{
	struct bench *b = bench_new(NULL, false);

	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, 3 | CPOL | CPHA);
	run(b, US);
	select_low(b);
	run(b, US);
	wr(b, SPI_CS, TA | 3 | CPOL | CPHA);
	wr(b, SPI_FIFO, 0x42);
	run(b, 2 * US);
	is(rd(b, SPI_FIFO), SPI_MEMORY_BUSY, "mode 3: a byte as it should be");
	is(spi_checker_total(b->checker), 0, "and no fault");
	wr(b, SPI_CS, TA | 3 | CPOL);
	wr(b, SPI_FIFO, 0x42);
	run(b, 2 * US);
	is(rd(b, SPI_FIFO), SPI_MEMORY_BUSY >> 1, "mode 2: off by a bit");
	is(spi_checker_faults(b->checker, SPI_FAULT_MODE), 1, "wrong mode");
	wr(b, SPI_CS, TA | 3);
	is(spi_checker_faults(b->checker, SPI_FAULT_EDGE), 1, "CPOL changed while selected");
	select_high(b);
	run(b, US);
	wr(b, SPI_CS, TA | 3 | CPOL);
	is(spi_checker_faults(b->checker, SPI_FAULT_EDGE), 1, "no edge while not selected");
	bench_free(b);

	/* native: the clock moves while chip select is inactive, also in one write */
	b = bench_new(NULL, true);
	wr(b, SPI_CS, TA | CPOL | CPHA);
	run(b, US);
	is(spi_checker_faults(b->checker, SPI_FAULT_EDGE), 0, "first the level, then chip select");
	wr(b, SPI_CS, 0);
	is(spi_checker_faults(b->checker, SPI_FAULT_EDGE), 0, "first chip select, then the level");
	bench_free(b);
}

static void pins(void)
{
	struct bcm2835_soc_config config = { .idle_miso = 0 };
	struct bench *b = bench_new(&config, false);

	wr(b, SPI_CLK, 26);
	wr(b, GPCLR0, 1 << 7);
	wr(b, SPI_CS, TA | 3);
	wr(b, GPIO(0x00), 1u << 24 | 1u << 21);	/* GPIO 9 is an input */
	wr(b, SPI_FIFO, 0xa5);
	run(b, 2 * US);
	is(rd(b, SPI_FIFO), 0, "MISO's pin is not ALT0: nothing is heard");
	wr(b, GPIO(0x00), 4u << 27 | 1u << 24 | 1u << 21);
	wr(b, SPI_FIFO, 0xa5);
	run(b, 2 * US);
	is(rd(b, SPI_FIFO), 0xa5, "ALT0");
	wr(b, GPIO(0x04), 4u << 3);		/* GPIO 10 is an input */
	wr(b, SPI_FIFO, 0xa5);
	run(b, 2 * US);
	is(rd(b, SPI_FIFO), 0, "MOSI's pin is not ALT0: zeros");
	wr(b, GPIO(0x04), 4u);			/* GPIO 11 is an input */
	wr(b, SPI_FIFO, 0xa5);
	run(b, 2 * US);
	is(bus_stats(b)->bytes, 3, "SCLK's pin is not ALT0: no clocks on the bus");
	bench_free(b);
}

static void checker(void)
{
	struct bench *b = bench_new(NULL, false);

	spi_checker_alone(b->checker, true);
	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 1);
	run(b, 2 * US);
	is(spi_checker_faults(b->checker, SPI_FAULT_STRAY), 1, "clocks while chip select is high");
	is(bus_stats(b)->stray_bytes, 1, "which the bus counts, too");
	select_low(b);
	wr(b, SPI_CLK, 22);
	wr(b, SPI_FIFO, 1);
	run(b, 8 * 88);
	is(spi_checker_faults(b->checker, SPI_FAULT_SETUP), 1, "first edge 44 ns after CS");
	is(spi_checker_faults(b->checker, SPI_FAULT_PERIOD), 1, "88 ns is too fast");
	run(b, 49);
	select_high(b);
	is(spi_checker_faults(b->checker, SPI_FAULT_HOLD), 1, "CS 49 ns after the last edge");
	run(b, 49);
	select_low(b);
	is(spi_checker_faults(b->checker, SPI_FAULT_DISABLE), 1, "low again after 49 ns");
	run(b, 50);
	select_high(b);
	is(spi_checker_faults(b->checker, SPI_FAULT_GLITCH), 1, "nothing was sent");
	run(b, 50);
	wr(b, SPI_CLK, 26);
	select_low(b);
	wr(b, SPI_FIFO, 1);
	run(b, 8 * CLOCK + 50);
	select_high(b);
	is(spi_checker_total(b->checker), 6, "50 ns each, and 104 ns a clock: no more faults");
	run(b, 49);
	wr(b, SPI_CLK, 22);
	select_low(b);
	wr(b, SPI_FIFO, 1);
	run(b, US);
	select_high(b);
	is(spi_checker_faults(b->checker, SPI_FAULT_SETUP), 2, "each message's first edge counts");
	spi_checker_reset(b->checker);
	is(spi_checker_total(b->checker), 0, "counters can be reset");
	is(bus_stats(b)->cs_gap.min, 49, "gaps between chip selects: the shortest");
	is(bus_stats(b)->cs_gap.max, 50, "the longest");
	is(bus_stats(b)->cs_gap.count, 3, "three of them");
	is(bus_stats(b)->clock_to_cs.min, 49, "last clock to chip select");
	bench_free(b);
}

static void slaves(void)
{
	static const uint8_t tx[] = { SPI_MEMORY_LENGTH, 0, 0 }, echo[] = { 0xaa, 0x0f, 0x33 };
	struct bench *b = bench_new(NULL, false);
	struct spi_slave *dead = spi_dead_new(0xff), *high = spi_dead_new(0x42);
	uint8_t rx[5];

	polled(b, echo, rx, 3);
	is(rx[2], 0xf0, "echo");
	polled(b, tx, rx, 3);
	is(rx[1] << 8 | rx[2], 3, "length of the message before");
	bcm2835_soc_attach(b->soc, 25, dead);
	wr(b, GPIO(0x08), 1u << 15);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 0x12);
	run(b, 2 * US);
	is(rd(b, SPI_FIFO), 0xff, "a slave that never answers, on another GPIO");
	wr(b, GPCLR0, 1u << 7);
	wr(b, SPI_FIFO, 0x12);
	run(b, 2 * US);
	is(rd(b, SPI_FIFO), 0x12, "two at once: the zeros win");
	is(bus_stats(b)->contention, 1, "and it is noticed");
	wr(b, GPSET0, 1u << 25 | 1u << 7);
	high->cs_high = true;
	bcm2835_soc_attach(b->soc, 24, high);
	wr(b, GPIO(0x08), 1u << 15 | 1u << 12);
	wr(b, SPI_FIFO, 0x12);
	run(b, 2 * US);
	is(rd(b, SPI_FIFO), 0, "nobody is selected: MISO at rest");
	wr(b, GPSET0, 1u << 24);
	wr(b, SPI_FIFO, 0x12);
	run(b, 2 * US);
	is(rd(b, SPI_FIFO), 0x42, "a chip select that is active high");
	bench_free(b);
	spi_slave_free(dead);
	spi_slave_free(high);
}

int main(void)
{
	native_cs();
	clear_tx_glitch();
	what_slaves_see();
	cut_bytes();
	modes();
	pins();
	checker();
	slaves();
	return tap_done();
}
