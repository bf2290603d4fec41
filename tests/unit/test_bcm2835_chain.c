// SPDX-License-Identifier: GPL-2.0-only
/* Transfers by two channels, as the kernel's driver, the manual and Sperl's chains do them. */
#include "test_bcm2835.h"

/* Both channels of a transfer, TX rounded up to words, RX exact. */
static void duplex(struct bench *b, unsigned int len)
{
	cb(b, 0x100, TX_DREQ | S_INC | WAIT_RESP, RAM(TX_BUF), BUS(SPI_FIFO), (len + 3) & ~3u, 0);
	cb(b, 0x140, RX_DREQ | D_INC | WAIT_RESP | INTEN, BUS(SPI_FIFO), RAM(RX_BUF), len, 0);
	start(b, 0, 0x100);
	start(b, 5, 0x140);
}

/* Returns true if the RX buffer has what was sent, and not a byte more. */
static bool echoed(const struct bench *b, unsigned int len)
{
	return !memcmp(b->ram + TX_BUF, b->ram + RX_BUF, len) && b->ram[RX_BUF + len] == 0xee;
}

static void any_length(void)
{
	struct bcm2835_soc_config config = { .spi_errata = BCM2835_SPI_SILICON };
	unsigned int len, bad = 0, slow = 0;
	struct bench *b = loop_bench(&config);

	for (len = 1; len < 300; len++) {
		uint64_t bits = len * 8ull * CLOCK, begin;

		fill(b, len);
		wr(b, SPI_CS, CLEAR_TX | CLEAR_RX | DONE);
		run(b, US);
		wr(b, SPI_DLEN, len);
		wr(b, SPI_CS, TA | DMAEN | 3);
		begin = b->sim.now;
		duplex(b, len);
		run(b, MS);
		bad += !echoed(b, len) || !(rd(b, DMA(5)) & END);
		/* load and first word; the last words are read at 120 ns each */
		slow += b->line_at[21] - begin > bits + 200 + 120 * ((len < 36 ? len : 36) + 3) / 4;
		wr(b, DMA(5), INT | END);
		wr(b, DMA(0), RESET);
	}
	is(bad, 0, "1 to 299 bytes, full duplex: all right, RX exact");
	is(slow, 0, "none takes longer than its bits and the words around them");
	is(bus_stats(b)->byte_gap.count, 298, "no gaps within a transfer");
	is(spi_stats(b)->rx_stalls, 0, "no stalls");
	bench_free(b);
}

static void long_transfer(void)
{
	struct bench *b = loop_bench(NULL);
	uint64_t begin;

	fill(b, 4000);
	wr(b, SPI_DLEN, 4000);
	wr(b, SPI_CS, TA | DMAEN | 3);
	begin = b->sim.now;
	duplex(b, 4000);
	while (!(rd(b, SPI_CS) & DONE))
		sim_advance(&b->sim, sim_next(&b->sim));
	is(b->sim.now - begin, 4000 * 8 * CLOCK + 100 + 20 + 40 + 40, "4000 bytes without a gap");
	run(b, 10 * US);
	ok(echoed(b, 4000), "and right");
	bench_free(b);
}

/* The core clock changes under a transfer: nothing is lost, each bit has the right length. */
static void clock_changes(void)
{
	struct bench *b = loop_bench(NULL);
	uint64_t begin;

	fill(b, 4000);
	wr(b, SPI_DLEN, 4000);
	wr(b, SPI_CS, TA | DMAEN | 3);
	duplex(b, 4000);
	run(b, 200);
	begin = b->sim.now;
	run(b, 1000 * 8 * CLOCK + 3 * CLOCK);
	bcm2835_soc_set_core_hz(b->soc, 500000000);
	run(b, 5 * CLOCK / 2 + 1000 * 8 * CLOCK / 2);
	is(spi_stats(b)->bytes, 2001, "500 MHz for five clocks and 1000 bytes");
	bcm2835_soc_set_core_hz(b->soc, 125000000);
	while (!(rd(b, SPI_CS) & DONE))
		sim_advance(&b->sim, sim_next(&b->sim));
	is(b->sim.now - begin, (1000 * 8 + 3) * CLOCK + 5 * CLOCK / 2 +
	   1000 * 8 * CLOCK / 2 + 1999 * 8 * CLOCK * 2, "then 125 MHz: exact to the end");
	run(b, 10 * US);
	ok(echoed(b, 4000), "and all is right");
	bench_free(b);
}

/* RX is not read: SCLK stops at 64 bytes, nothing is lost. */
static void rx_stall(void)
{
	struct bench *b = loop_bench(NULL);

	fill(b, 200);
	wr(b, SPI_DLEN, 200);
	wr(b, SPI_CS, TA | DMAEN | 3);
	cb(b, 0x100, TX_DREQ | S_INC, RAM(TX_BUF), BUS(SPI_FIFO), 200, 0);
	start(b, 0, 0x100);
	run(b, MS);
	is(spi_stats(b)->bytes, 64, "RX FIFO full: the clock has stopped");
	is(rd(b, SPI_CS) & (RXF | RXR | DONE), RXF | RXR, "as CS says");
	cb(b, 0x140, RX_DREQ | D_INC | INTEN, BUS(SPI_FIFO), RAM(RX_BUF), 200, 0);
	start(b, 5, 0x140);
	run(b, MS);
	ok(echoed(b, 200) && b->line[21], "it is read, and all comes");
	bench_free(b);
}

/* As the kernel's driver does it: the RX channel writes CLEAR_RX over and over. */
static void tx_only(void)
{
	struct bench *b = loop_bench(NULL);

	fill(b, 500);
	wr(b, SPI_DLEN, 500);
	wr(b, SPI_CS, TA | DMAEN | 3);
	poke(b, 0x1000, TA | DMAEN | CLEAR_RX | 3);
	cb(b, 0x100, TX_DREQ | S_INC | WAIT_RESP | INTEN, RAM(TX_BUF), BUS(SPI_FIFO), 500, 0);
	cb(b, 0x140, D_DREQ | PERMAP(7) | WAIT_RESP, RAM(0x1000), BUS(SPI_CS), 4, 0x140);
	start(b, 0, 0x100);
	start(b, 5, 0x140);
	run(b, MS);
	is(rd(b, SPI_CS) & DONE, DONE, "500 bytes are out");
	is(spi_stats(b)->bytes, 500, "all of them");
	ok(dma_stats(b, 5)->cbs < 20, "%u blocks to clear what came in",
	   (unsigned int)dma_stats(b, 5)->cbs);
	is(spi_stats(b)->rx_stalls, 0, "in time");
	is(rd(b, DMA(5)) & ACTIVE, ACTIVE, "the ring goes on");
	wr(b, DMA(5), 0);
	wr(b, DMA(5), RESET);
	is(rd(b, DMA(5) + 4), 0, "until it is reset");
	bench_free(b);
}

/* ... and the TX channel zeros. After the end they fill the FIFO (erratum). */
static void rx_only(void)
{
	struct bcm2835_soc_config config = { .spi_errata = BCM2835_SPI_SILICON };
	struct bench *b = loop_bench(&config);

	fill(b, 500);
	wr(b, SPI_DLEN, 333);
	wr(b, SPI_CS, TA | DMAEN | 3);
	cb(b, 0x100, TX_DREQ | S_IGNORE | WAIT_RESP, 0, BUS(SPI_FIFO), 4, 0x100);
	cb(b, 0x140, RX_DREQ | D_INC | WAIT_RESP | INTEN, BUS(SPI_FIFO), RAM(RX_BUF), 333, 0);
	start(b, 0, 0x100);
	start(b, 5, 0x140);
	run(b, MS);
	ok(b->line[21], "333 bytes are in");
	is(b->ram[RX_BUF + 332] << 8 | b->ram[RX_BUF + 333], 0x00ee, "zeros, and no more");
	is(dma_stats(b, 0)->words, 84 + 8, "84 words, and surplus ones to half a FIFO");
	is(rd(b, DMA(0)) & 0x21, 0x21, "then the request goes");
	bench_free(b);
}

/* The manual's recipe: the TX channel brings the header along (10.6.3). */
static void header_by_dma(void)
{
	struct bench *b = bench_new(NULL, true);

	wr(b, SPI_CLK, 26);
	spi_memory_data(b->memory)[0x1234] = 0x77;
	spi_memory_data(b->memory)[0x1235] = 0x88;
	poke(b, TX_BUF, 5 << 16 | TA);
	poke(b, TX_BUF + 4, 0x00341203);
	poke(b, TX_BUF + 8, 0);
	wr(b, SPI_CS, DMAEN | ADCS);
	cb(b, 0x100, TX_DREQ | S_INC | WAIT_RESP, RAM(TX_BUF), BUS(SPI_FIFO), 12, 0);
	cb(b, 0x140, RX_DREQ | D_INC | INTEN, BUS(SPI_FIFO), RAM(RX_BUF), 5, 0);
	start(b, 5, 0x140);
	start(b, 0, 0x100);
	run(b, 20 * US);
	is(peek(b, RX_BUF + 1), 0x88775a5a, "read by a message that the CPU only started");
	ok(b->line[21], "interrupt");
	is(spi_checker_total(b->checker), 1, "one thing that ADCS does not do:");
	is(spi_checker_faults(b->checker, SPI_FAULT_HOLD), 1, "keep chip select for 50 ns");
	is(bus_stats(b)->messages, 1, "one message");
	is(rd(b, SPI_CS) & TA, TA, "nobody has cleared TA");
	bench_free(b);
}

static void frame_end(void)
{
	struct bcm2835_soc_config config = { .spi_errata = BCM2835_SPI_FRAME_END_CLEARS_TA };
	struct bench *b = loop_bench(&config);

	/* two frames in one TX block: each has its header */
	fill(b, 8);
	poke(b, 0x1000, 4 << 16 | TA | 3);
	poke(b, 0x1004, 0x11223344);
	poke(b, 0x1008, 2 << 16 | TA | 3);
	poke(b, 0x100c, 0x5566);
	wr(b, SPI_CS, DMAEN | 3);
	cb(b, 0x100, TX_DREQ | S_INC | WAIT_RESP, RAM(0x1000), BUS(SPI_FIFO), 16, 0);
	cb(b, 0x140, RX_DREQ | D_INC, BUS(SPI_FIFO), RAM(RX_BUF), 4, 0x160);
	cb(b, 0x160, RX_DREQ | D_INC, BUS(SPI_FIFO), RAM(RX_BUF + 4), 2, 0);
	start(b, 5, 0x140);
	start(b, 0, 0x100);
	run(b, 100 * US);
	is(peek(b, RX_BUF), 0x11223344, "first frame");
	is(peek(b, RX_BUF + 4), 0xeeee5566, "TA was cleared at its end: a second one");
	is(rd(b, SPI_CS) & TA, 0, "and again");
	wr(b, SPI_DLEN, 200);
	wr(b, SPI_CS, DMAEN | TA | 3 | DONE);
	cb(b, 0x100, TX_DREQ | S_INC, RAM(TX_BUF), BUS(SPI_FIFO), 200, 0);
	cb(b, 0x140, RX_DREQ | D_INC, BUS(SPI_FIFO), RAM(RX_BUF), 8, 0x160);
	cb(b, 0x160, RX_DREQ | D_INC, BUS(SPI_FIFO), RAM(RX_BUF), 192, 0);
	start(b, 5, 0x140);
	start(b, 0, 0x100);
	run(b, MS);
	is(spi_stats(b)->bytes, 206, "not by a block within a frame");
	bench_free(b);
}

/*
 * Sperl's order, by the RX channel alone: chip select, clock and length, CS, start of the
 * TX channel, data, chip select. Returns the number of the next free block.
 */
static uint32_t sperl(struct bench *b, uint32_t at, unsigned int len, uint32_t next)
{
	static const struct { uint32_t value, reg; } poke_list[] = {
		{ CLEAR_TX | CLEAR_RX | DONE, SPI_CS }, { 1 << 8, GPCLR0 }, { 26, SPI_CLK },
		{ TA | DMAEN | 3, SPI_CS }, { 0, DMA(0) + 4 }, { ACTIVE, DMA(0) },
	};
	unsigned int i;
	uint32_t tx = at + 0x20 * 8;

	for (i = 0; i < 6; i++) {
		uint32_t size = poke_list[i].reg == SPI_CLK ? 8 : 4;

		/* what is written is kept in the block's two spare words */
		cb(b, at, WAIT_RESP | S_INC | D_INC, RAM(at + 24), BUS(poke_list[i].reg), size,
		   at + 0x20);
		poke(b, at + 24, poke_list[i].reg == DMA(0) + 4 ? RAM(tx) : poke_list[i].value);
		poke(b, at + 28, len);
		at += 0x20;
	}
	cb(b, at, RX_DREQ | D_INC | WAIT_RESP, BUS(SPI_FIFO), RAM(RX_BUF), len, at + 0x20);
	at += 0x20;
	cb(b, at, WAIT_RESP | (next ? 0 : INTEN), RAM(at + 24), BUS(GPSET0), 4, next);
	poke(b, at + 24, 1 << 8);
	at += 0x20;
	cb(b, at, TX_DREQ | S_INC | WAIT_RESP, RAM(TX_BUF), BUS(SPI_FIFO), (len + 3) & ~3u, 0);
	return at + 0x20;
}

static void whole_message(void)
{
	struct bcm2835_soc_config config = { .spi_errata = BCM2835_SPI_SILICON };
	struct bench *b = bench_new(&config, false);
	unsigned int i;
	uint64_t wire = 14 * 8 * CLOCK;
	uint32_t at = 0x100;

	for (i = 0; i < 11; i++)
		spi_memory_data(b->memory)[0x100 + i] = 0xa0 + i;
	memcpy(b->ram + TX_BUF, "\x03\x01\x00", 3);
	/* three messages, back to back */
	for (i = 0; i < 3; i++)
		at = sperl(b, at, 14, i < 2 ? at + 0x120 : 0);
	run(b, US);
	bcm2835_soc_counters_reset(b->soc);
	start(b, 5, 0x100);
	run(b, 100 * US);
	ok(!memcmp(b->ram + RX_BUF + 3, spi_memory_data(b->memory) + 0x100, 11), "data is right");
	is(bus_stats(b)->messages, 3, "three messages");
	is(b->lines[21], 1, "one interrupt");
	is(spi_checker_total(b->checker), 0, "all times are kept");
	is(dma_stats(b, 5)->cbs, 24, "8 blocks each");
	is(b->cs_at[0][0] - US, 400, "chip select 400 ns after the start");
	is(bus_stats(b)->cs_active.min, bus_stats(b)->cs_active.max, "each takes the same time");
	/* CLK and DLEN 300, CS, CONBLK_AD and ACTIVE 200 each, TX load and word 200 */
	is(bus_stats(b)->cs_to_clock.min, 300 + 3 * 200 + 200, "four blocks before the clock");
	is(bus_stats(b)->cs_active.min, wire + 1100 + 4 * 120 + 200,
	   "then bits only, the last four words, and the block of chip select");
	is(bus_stats(b)->cs_gap.max, 400, "400 ns between messages");
	bench_free(b);
}

/* Without WAIT_RESP on the pokes, where writes to different blocks can be late: it breaks. */
static void needs_wait_resp(void)
{
	struct bcm2835_soc_config config = {
		.dma_errata = BCM2835_DMA_LATE_WRITES, .costs = { .late_ns = 1000 },
	};
	struct bench *b = bench_new(&config, false);
	uint32_t at;

	spi_checker_alone(b->checker, true);
	memcpy(b->ram + TX_BUF, "\x03\x01\x00", 3);
	sperl(b, 0x100, 14, 0);
	start(b, 5, 0x100);
	run(b, 100 * US);
	is(spi_checker_total(b->checker), 0, "with WAIT_RESP the order is kept");
	wr(b, DMA(5), INT);
	for (at = 0x100; at < 0x200; at += 0x20)
		poke(b, at, peek(b, at) & ~WAIT_RESP);
	start(b, 5, 0x100);
	run(b, 100 * US);
	ok(spi_checker_total(b->checker), "without it the chip select comes too late");
	bench_free(b);
}

/* The erratum's stale DONE ends a read before its time. */
static void stale_done(void)
{
	struct bcm2835_soc_config config = { .spi_errata = BCM2835_SPI_ERRATUM_DONE_STAYS };
	struct bench *b = loop_bench(&config);
	unsigned int i;

	for (i = 0; i < 3; i++) {
		wr(b, SPI_CS, CLEAR_TX | CLEAR_RX | (i < 2 ? DONE : 0));
		run(b, US);
		fill(b, 14);
		wr(b, SPI_DLEN, 14);
		wr(b, SPI_CS, TA | DMAEN | 3);
		duplex(b, 14);
		run(b, 100 * US);
		is(echoed(b, 14), i < 2, "transfer %u%s", i,
		   i < 2 ? "" : ": DONE was not written, words are read too early");
		wr(b, DMA(5), RESET);
		wr(b, DMA(0), RESET);
	}
	bench_free(b);
}

int main(void)
{
	any_length();
	long_transfer();
	clock_changes();
	rx_stall();
	tx_only();
	rx_only();
	header_by_dma();
	frame_end();
	whole_message();
	needs_wait_resp();
	stale_done();
	return tap_done();
}
