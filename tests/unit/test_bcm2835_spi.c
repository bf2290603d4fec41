// SPDX-License-Identifier: GPL-2.0-only
/* SPI0 as the CPU sees it: FIFOs, DONE, RXR, clocks, interrupts. */
#include "test_bcm2835.h"

static void reset_values(void)
{
	struct bench *b = bench_new(NULL, false);

	is(rd(b, SPI_CS), 0x00041000, "CS after reset");
	is(rd(b, SPI_CLK), 0, "CLK after reset");
	is(rd(b, SPI_DLEN), 0, "DLEN after reset");
	is(rd(b, SPI_CS + 0x10), 1, "LTOH after reset");
	is(rd(b, SPI_DC), 0x30201020, "DC after reset");
	is(spi_stats(b)->reads[0], 1, "accesses are counted by register");
	wr(b, SPI_CS + 0x10, 0xff);
	is(rd(b, SPI_CS + 0x10), 0xf, "LTOH has four bits");
	bench_free(b);
}

/* Everything is in motion, then there is a reset. */
static void reset_in_motion(void)
{
	struct bcm2835_soc_config config = { .spi_errata = BCM2835_SPI_ERRATUM_DONE_STAYS };
	struct bench *b = bench_new(&config, false);
	unsigned int i;

	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 1);
	run(b, US);
	wr(b, SPI_CS, 3);			/* DONE is left behind */
	wr(b, SPI_DLEN, 100);
	wr(b, SPI_DC, 0);
	wr(b, SPI_CS + 0x10, 5);
	wr(b, SPI_CS, TA | 3 | INTR);
	for (i = 0; i < 60; i++)
		wr(b, SPI_FIFO, i);
	run(b, 50 * US);
	ok(b->line[54], "received much");
	wr(b, SPI_CS, TA | 3 | INTR | CLEAR_TX);
	wr(b, SPI_FIFO, 1);
	bcm2835_soc_reset(b->soc);
	ok(!b->line[54], "reset: no interrupt");
	is(rd(b, SPI_CS), 0x00041000, "CS, and empty FIFOs");
	is(rd(b, SPI_CLK) | rd(b, SPI_DLEN), 0, "CLK and DLEN");
	is(rd(b, SPI_DC), 0x30201020, "DC");
	is(rd(b, SPI_CS + 0x10), 1, "LTOH");
	bcm2835_soc_spi_pins(b->soc, false);
	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 1);
	ok(!(rd(b, SPI_CS) & DONE), "no DONE is left, no clear either");
	run(b, 8 * CLOCK);
	is(rd(b, SPI_CS) & (DONE | RXD), DONE | RXD, "a byte goes at once");
	bench_free(b);
}

static void polled_message(void)
{
	static const uint8_t write[] = { 0x02, 0x12, 0x34, 0xde, 0xad };
	static const uint8_t read[] = { 0x03, 0x12, 0x34, 0, 0 };
	struct bench *b = bench_new(NULL, false);
	uint8_t rx[5];
	uint64_t ns;

	ns = polled(b, write, rx, 5);
	is(ns, 5 * 9 * CLOCK - CLOCK, "polled: nine clocks a byte, the last one has eight");
	ok(!memcmp(rx, "ZZZZZ", 5), "the slave's answers while it is written to");
	polled(b, read, rx, 5);
	is(rx[3] << 8 | rx[4], 0xdead, "what was written is read");
	is(bus_stats(b)->byte_gap.min, CLOCK, "one idle clock between bytes");
	is(bus_stats(b)->byte_gap.max, CLOCK, "... always");
	is(bus_stats(b)->messages, 2, "two messages");
	is(bus_stats(b)->bytes, 10, "ten bytes");
	is(spi_checker_total(b->checker), 0, "and nothing for the checker to complain of");
	bench_free(b);
}

static void no_idle_clock(void)
{
	static const uint8_t tx[] = { 0x03, 0, 0, 0, 0 };
	struct bench *b = bench_new(NULL, false);
	uint8_t rx[5];

	wr(b, SPI_DLEN, 2);
	is(polled(b, tx, rx, 5), 5 * 8 * CLOCK, "polled with DLEN 2: eight clocks a byte");
	is(rd(b, SPI_DLEN), 2, "which does not count in this mode");
	wr(b, SPI_DLEN, 1);
	is(polled(b, tx, rx, 5), 5 * 9 * CLOCK - CLOCK, "with DLEN 1: nine");
	bench_free(b);
}

static void done_bit(void)
{
	struct bench *b = bench_new(NULL, false);

	wr(b, SPI_CLK, 26);
	ok(!(rd(b, SPI_CS) & DONE), "DONE is 0 while TA is");
	wr(b, SPI_CS, TA | 3);
	ok(rd(b, SPI_CS) & DONE, "DONE with nothing to send");
	wr(b, SPI_FIFO, 1);
	ok(!(rd(b, SPI_CS) & DONE), "writing data clears DONE");
	run(b, 8 * CLOCK - 1);
	ok(!(rd(b, SPI_CS) & (DONE | RXD)), "not done before the eighth clock");
	run(b, 1);
	is(rd(b, SPI_CS) & (DONE | RXD | TXD), DONE | RXD | TXD, "done with it");
	wr(b, SPI_CS, 3);
	is(rd(b, SPI_CS) & (DONE | RXD), RXD, "TA = 0: DONE is 0, what was received stays");
	wr(b, SPI_CS, CLEAR_RX | 3);
	is(rd(b, SPI_CS) & (RXD | CLEAR_RX), 0, "CLEAR_RX empties it, and reads 0");
	bench_free(b);
}

static void done_erratum(void)
{
	struct bcm2835_soc_config config = { .spi_errata = BCM2835_SPI_ERRATUM_DONE_STAYS };
	static const uint8_t tx[] = { 1, 2 };
	struct bench *b = bench_new(&config, false);
	uint8_t rx[2];

	polled(b, tx, rx, 2);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 1);
	ok(!(rd(b, SPI_CS) & DONE), "erratum: DONE was written as 1, all is well");
	run(b, 9 * CLOCK);
	wr(b, SPI_CS, 3);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 1);
	ok(rd(b, SPI_CS) & DONE, "erratum: DONE was not, the next transfer has it at once");
	run(b, 9 * CLOCK);
	wr(b, SPI_CS, 3 | DONE);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 1);
	ok(!(rd(b, SPI_CS) & DONE), "until it is written");
	run(b, US);
	wr(b, SPI_CS, 3 | DONE);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_CS, 3);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 1);
	ok(!(rd(b, SPI_CS) & DONE), "a TA without a byte leaves nothing behind");
	bench_free(b);
}

/* 64 bytes each way; a full RX FIFO stops the clock. */
static void fifo_limits(void)
{
	struct bench *b = bench_new(NULL, false);
	unsigned int i;

	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, TA | 3 | INTR);
	for (i = 0; i < 66; i++)
		wr(b, SPI_FIFO, i);
	is(spi_stats(b)->tx_overflow, 1, "64 bytes and the one in the shifter");
	ok(!(rd(b, SPI_CS) & TXD), "no room");
	run(b, (47 * 9 + 8) * CLOCK - 1);
	ok(!(rd(b, SPI_CS) & RXR) && !b->line[54], "no RXR with 47 bytes");
	run(b, 1);
	ok((rd(b, SPI_CS) & RXR) && b->line[54], "RXR, and its interrupt, with 48 bytes");
	run(b, MS);
	is(rd(b, SPI_CS) & (RXF | DONE), RXF, "64 received: SCLK stops, not DONE");
	is(spi_stats(b)->bytes, 64, "64 bytes were clocked");
	is(spi_stats(b)->rx_stalls, 1, "one stall");
	wr(b, SPI_FIFO, 0);
	is(spi_stats(b)->rx_stalls, 1, "which goes on");
	rd(b, SPI_FIFO);
	ok(!(rd(b, SPI_CS) & RXF), "one is read");
	run(b, 9 * CLOCK);
	is(rd(b, SPI_CS) & (RXF | DONE), RXF, "and another one comes in");
	is(spi_stats(b)->rx_stalls, 2, "a second stall");
	rd(b, SPI_FIFO);
	run(b, 9 * CLOCK);
	is(rd(b, SPI_CS) & (RXF | DONE), RXF | DONE, "and the last one");
	for (i = 0; i < 17; i++)
		rd(b, SPI_FIFO);
	ok(!(rd(b, SPI_CS) & RXR) && !b->line[54], "47 left: RXR goes");
	wr(b, SPI_CS, 3 | INTR);
	for (i = 0; i < 47; i++)
		rd(b, SPI_FIFO);
	is(spi_stats(b)->rx_underflow, 0, "64 and no more were there");
	rd(b, SPI_FIFO);
	is(spi_stats(b)->rx_underflow, 1, "an empty FIFO");
	bench_free(b);
}

static void rxr_needs_ta(void)
{
	struct bench *b = bench_new(NULL, false);
	unsigned int i;

	wr(b, SPI_CLK, 2);
	wr(b, SPI_CS, TA | 3 | INTR);
	for (i = 0; i < 60; i++)
		wr(b, SPI_FIFO, i);
	run(b, MS);
	ok(b->line[54], "RXR interrupt");
	wr(b, SPI_CS, 3 | INTR);
	ok(!b->line[54] && !(rd(b, SPI_CS) & RXR), "TA = 0: RXR is 0");
	bench_free(b);
}

static void interrupt_level(void)
{
	struct bench *b = bench_new(NULL, false);

	wr(b, INTC(0x14), 1u << (54 - 32));
	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 1);
	run(b, 20 * CLOCK);
	ok(!b->line[54], "INTD is off");
	wr(b, SPI_CS, TA | 3 | INTD);
	ok(b->line[54] && b->irq, "INTD while DONE: the line rises at once");
	is(rd(b, INTC(0)), 1u << 16, "BASIC_PENDING shows it in bit 16 only");
	is(rd(b, INTC(8)), 1u << 22, "and PENDING2 in bit 22");
	wr(b, SPI_FIFO, 1);
	ok(!b->line[54] && !b->irq, "more data: it falls");
	run(b, 8 * CLOCK);
	ok(b->line[54], "and rises again");
	wr(b, SPI_CS, 3 | INTD);
	ok(!b->line[54], "TA = 0: it falls");
	is(b->lines[54], 2, "two interrupts");
	is(spi_stats(b)->interrupts, 2, "counted so");
	bench_free(b);
}

/* An empty TX FIFO: the clock rests, a byte that comes later starts at once. */
static void pauses(void)
{
	struct bench *b = bench_new(NULL, false);

	wr(b, SPI_CLK, 26);
	select_low(b);
	run(b, 100);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 1);
	run(b, 20 * CLOCK);
	wr(b, SPI_FIFO, 2);
	is(bus_stats(b)->byte_gap.max, 12 * CLOCK, "the clock rested for 12 periods");
	run(b, 8 * CLOCK + CLOCK / 2);
	wr(b, SPI_FIFO, 3);
	run(b, CLOCK / 2 + 8 * CLOCK - 1);
	is(spi_stats(b)->bytes, 2, "written in the idle clock: it is waited for");
	run(b, 1);
	is(spi_stats(b)->bytes, 3, "then the byte comes");
	is(bus_stats(b)->byte_gap.min, CLOCK, "the shortest rest");
	is(bus_stats(b)->byte_gap.max, 12 * CLOCK, "and still the longest");
	bench_free(b);
}

static uint64_t one_byte(struct bench *b, uint32_t cdiv)
{
	uint64_t begin = b->sim.now;

	wr(b, SPI_CLK, cdiv);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 0);
	while (!(rd(b, SPI_CS) & DONE))
		sim_advance(&b->sim, sim_next(&b->sim));
	begin = b->sim.now - begin;
	wr(b, SPI_CS, DONE | 3);
	run(b, MS);
	return begin;
}

static void dividers(void)
{
	struct bench *b = bench_new(NULL, false);

	is(one_byte(b, 0), 8 * 65536 * 4, "CDIV 0 divides by 65536");
	is(one_byte(b, 65534), 8 * 65534 * 4, "CDIV 65534");
	is(one_byte(b, 27), 8 * 26 * 4, "CDIV 27 divides by 26");
	is(one_byte(b, 1), 8 * 65536 * 4, "CDIV 1: rounded down to 0");
	is(one_byte(b, 2), 8 * 2 * 4, "CDIV 2");
	bench_free(b);
}

/* 300 MHz / 26: a byte takes 693.33 ns, 3000 of them 2080000. */
static void fractions(void)
{
	struct bcm2835_soc_config config = { .core_hz = 300000000 };
	struct bench *b = bench_new(&config, false);
	uint64_t begin;
	unsigned int i;

	wr(b, SPI_CLK, 26);
	wr(b, SPI_DLEN, 3000);
	wr(b, SPI_CS, TA | 3 | DMAEN);
	run(b, US);
	begin = b->sim.now;
	for (i = 0; i < 16; i++)
		wr(b, SPI_FIFO, i);
	while (!(rd(b, SPI_CS) & DONE)) {
		sim_advance(&b->sim, sim_next(&b->sim));
		if (spi_stats(b)->bytes % 4)
			continue;
		rd(b, SPI_FIFO);
		if (i++ < 750)
			wr(b, SPI_FIFO, i);
	}
	is(b->sim.now - begin, 2080000, "fractions of a nanosecond are carried");
	is(spi_stats(b)->tx_overflow, 0, "nothing lost on the way");
	is(bus_stats(b)->byte_gap.count, 0, "and no gap");
	bench_free(b);
}

/* The core clock goes from 250 to 500 MHz in the middle of a byte. */
static void clock_change(void)
{
	struct bench *b = bench_new(NULL, false);
	uint64_t begin = b->sim.now;

	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 0);
	wr(b, SPI_FIFO, 0);
	run(b, 2 * CLOCK);
	bcm2835_soc_set_core_hz(b->soc, 500000000);
	run(b, 6 * CLOCK / 2 - 1);
	is(spi_stats(b)->bytes, 0, "two clocks at the old rate, six at the new one");
	run(b, 1);
	is(spi_stats(b)->bytes, 1, "then the byte is over");
	while (!(rd(b, SPI_CS) & DONE))
		run(b, 1);
	is(b->sim.now - begin, 5 * CLOCK + 9 * CLOCK / 2, "the next one is fast as a whole");
	bench_free(b);
}

/* CLEAR_RX also takes a byte that ends while it works. */
static void clear_rx_window(void)
{
	struct bench *b = bench_new(NULL, false);

	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 1);
	run(b, 8 * CLOCK - 15);
	wr(b, SPI_CS, TA | 3 | CLEAR_RX);
	run(b, US);
	is(rd(b, SPI_CS) & (RXD | DONE), DONE, "a byte that ends during CLEAR_RX is gone");
	wr(b, SPI_FIFO, 1);
	run(b, 8 * CLOCK - 16);
	wr(b, SPI_CS, TA | 3 | CLEAR_RX);
	run(b, US);
	is(rd(b, SPI_CS) & RXD, RXD, "one that ends with it is not");
	bench_free(b);
}

static void clear_ta(void *arg)
{
	wr(arg, SPI_CS, 3);
}

/* TA is cleared at the very nanosecond in which a byte ends, but before it is noticed. */
static void photo_finish(void)
{
	struct bench *b = bench_new(NULL, false);
	struct sim_event event;

	sim_event_init(&event, clear_ta, b);
	sim_at(&b->sim, &event, 8 * CLOCK);
	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 1);
	run(b, US);
	is(rd(b, SPI_CS) & (TA | RXD), RXD, "the byte is whole");
	is(spi_stats(b)->cut, 0, "nothing is cut");
	bench_free(b);
}

static void broken(void)
{
	struct bcm2835_soc_config config = { .spi_errata = BCM2835_SPI_BROKEN_NO_CLOCK };
	struct bench *b = bench_new(&config, false);

	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, TA | 3 | INTD);
	wr(b, SPI_FIFO, 1);
	run(b, 1000 * MS);
	ok(!(rd(b, SPI_CS) & (DONE | RXD)) && !b->line[54], "no clock: never done");
	bcm2835_spi_set_errata(bcm2835_soc_spi(b->soc), 0);
	run(b, 8 * CLOCK);
	ok(rd(b, SPI_CS) & DONE, "repaired: it goes on");
	ok(b->line[54], "to the interrupt");
	bcm2835_spi_set_errata(bcm2835_soc_spi(b->soc), BCM2835_SPI_BROKEN_NO_CLOCK);
	ok(!b->line[54], "broken again: not done");
	bench_free(b);
}

int main(void)
{
	reset_values();
	reset_in_motion();
	polled_message();
	no_idle_clock();
	done_bit();
	done_erratum();
	fifo_limits();
	rxr_needs_ta();
	interrupt_level();
	pauses();
	dividers();
	fractions();
	clock_change();
	clear_rx_window();
	photo_finish();
	broken();
	return tap_done();
}
