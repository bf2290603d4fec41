// SPDX-License-Identifier: GPL-2.0-only
/* The DMA engine: control blocks, chains, pauses, errors. Without SPI. */
#include "test_bcm2835.h"

#define COPY	(S_INC | D_INC)
/* One word to a register with WAIT_RESP: 100 load, 20 read, 40 write, 40 response. */
#define POKE	WAIT_RESP
#define POKE_NS	200

static void copies(void)
{
	struct bench *b = bench_new(NULL, false);
	unsigned int i;

	for (i = 0; i < 256; i++)
		b->ram[0x1000 + i] = i;
	cb(b, 0x100, COPY | INTEN, RAM(0x1001), RAM(0x2003), 101, 0);
	start(b, 0, 0x100);
	is(dma_stats(b, 0)->cbs, 0, "nothing happens inside the write");
	is(rd(b, DMA(0)) & 0x17, ACTIVE, "active");
	run(b, 100);
	is(dma_stats(b, 0)->cbs, 1, "loaded after 100 ns");
	run(b, 25 * 40 + 39);
	is(rd(b, DMA(0)) & 7, ACTIVE, "101 bytes are 26 words of 40 ns");
	run(b, 1);
	is(rd(b, DMA(0)) & 7, END | INT, "then END and INT, not ACTIVE");
	is(rd(b, DMA(0) + 4), 0, "CONBLK_AD is 0 at the end");
	ok(!memcmp(b->ram + 0x2003, b->ram + 0x1001, 101), "odd addresses, odd length");
	is(b->ram[0x2002] | b->ram[0x2003 + 101], 0, "and nothing beside");
	is(dma_stats(b, 0)->bytes, 101, "counted");
	is(dma_stats(b, 0)->busy_ns, 1140, "with its time");

	/* fixed addresses: the same word over and over */
	cb(b, 0x100, D_INC, RAM(0x1010), RAM(0x3000), 16, 0);
	start(b, 0, 0x100);
	run(b, US);
	is(peek(b, 0x3000), 0x13121110, "a fixed source");
	is(peek(b, 0x300c), 0x13121110, "... is read for each word");
	cb(b, 0x100, S_INC, RAM(0x1010), RAM(0x3100), 16, 0);
	start(b, 0, 0x100);
	run(b, US);
	is(peek(b, 0x3100), 0x1f1e1d1c, "a fixed destination has the last word");
	is(peek(b, 0x3104), 0, "only there");
	bench_free(b);
}

static void registers(void)
{
	struct bench *b = bench_new(NULL, false);
	unsigned int n;

	is(rd(b, DMA(0)), 0, "CS after reset");
	is(rd(b, DMA(0) + 0x20), 2u << 25, "DEBUG: version 2");
	is(rd(b, DMA(6) + 0x20) >> 28, 0, "channel 6 is not lite");
	for (n = 7; n < 15; n++)
		is(rd(b, DMA(n) + 0x20) >> 28, 1, "channel %u is lite", n);
	is(rd(b, DMA(0) + 0xff0), 0x7fff, "ENABLE: all 15");
	wr(b, DMA(0), 0x30ab0000);
	is(rd(b, DMA(0)), 0x30ab0000, "the priority fields, bits 28 and 29 are kept");
	wr(b, DMA(0), END | INT);
	is(rd(b, DMA(0)), 0, "and rewritten by each write");
	wr(b, DMA(0) + 4, 0xc0000123);
	is(rd(b, DMA(0) + 4), 0xc0000120, "CONBLK_AD: aligned to 32");
	is(rd(b, DMA(0)) & 0x10, 0x10, "paused, with a block to go");
	wr(b, DMA(0) + 8, 0xffff);
	is(rd(b, DMA(0) + 8), 0, "TI comes from memory only");
	wr(b, DMA(0), RESET);
	is(rd(b, DMA(0) + 4), 0, "RESET forgets it");
	wr(b, DMA(0), ACTIVE | INT);
	is(rd(b, DMA(0)), 0, "ACTIVE without a block does not stick");
	bcm2835_soc_counters_reset(b->soc);
	rd(b, DMA(3) + 0x14);
	wr(b, DMA(3) + 0x20, 0);
	rd(b, DMA(3) + 0xfc);
	wr(b, DMA(0) + 0xff0, 0x7fff);
	is(dma_stats(b, 3)->reads[5], 1, "reads are counted by channel and register");
	is(dma_stats(b, 3)->writes[8], 1, "writes, too");
	is(dma_stats(b, 3)->reads[BCM2835_DMA_REGS], 1, "what is no register");
	is(dma_stats(b, 0)->writes[BCM2835_DMA_REGS], 1, "the block's own with channel 0");
	bench_free(b);
}

/* A poke is 200 ns; the chain loads each block when the one before it is done. */
static void chain(void)
{
	struct bench *b = bench_new(NULL, false);

	poke(b, 0x1000, 1u << 8);
	cb(b, 0x100, POKE, RAM(0x1000), BUS(GPCLR0), 4, 0x120);
	cb(b, 0x120, POKE, RAM(0x1000), BUS(GPSET0), 4, 0x140);
	cb(b, 0x140, POKE | INTEN, RAM(0x1000), BUS(GPCLR0), 4, 0);
	start(b, 0, 0x100);
	run(b, 250);
	is(rd(b, DMA(0) + 4), RAM(0x120), "CONBLK_AD is the current block");
	is(rd(b, DMA(0)) & 7, ACTIVE | END, "END of the first one");
	wr(b, DMA(0), ACTIVE | END);
	is(rd(b, DMA(0)) & 7, ACTIVE, "written as 1 it is gone, the channel goes on");
	run(b, US);
	is(b->cs_at[0][0], POKE_NS, "GPIO 8 low after 200 ns");
	is(b->cs_at[1][0], 2 * POKE_NS, "high after 400");
	is(b->cs_at[0][1], 3 * POKE_NS, "low after 600");
	is(b->lines[16], 1, "one interrupt, line 16");
	is(b->line_at[16], 3 * POKE_NS, "at the end");
	is(dma_stats(b, 0)->interrupts, 1, "counted");
	is(rd(b, DMA(0)) & 8, 8, "DREQ reads 1 without a PERMAP");
	is(rd(b, DMA(0) + 0xfe0), 1, "INT_STATUS");
	wr(b, DMA(0), INT);
	ok(!b->line[16] && !rd(b, DMA(0) + 0xfe0), "INT written as 1: the line falls");
	is(rd(b, DMA(0)) & 7, END, "END is still there");
	bench_free(b);
}

/* A block is loaded whole when it becomes current; later ones may be changed. */
static void loaded_whole(void)
{
	struct bench *b = bench_new(NULL, false);

	poke(b, 0x1000, 0x11111111);
	poke(b, 0x1004, 0x22222222);
	poke(b, 0x1008, RAM(0x1004));
	/* changes source of itself (no effect), then of the next one (effect) */
	cb(b, 0x100, POKE | D_INC, RAM(0x1008), RAM(0x104), 4, 0x120);
	cb(b, 0x120, POKE, RAM(0x1008), RAM(0x144), 4, 0x140);
	cb(b, 0x140, POKE, RAM(0x1000), RAM(0x2000), 4, 0);
	start(b, 0, 0x100);
	run(b, 2 * US);
	is(peek(b, 0x2000), 0x22222222, "the source of a later block was changed");
	is(peek(b, 0x104), RAM(0x1004), "the block's own one, too");

	cb(b, 0x100, WAIT_RESP, RAM(0x1000), RAM(0x2000), 4, 0);
	start(b, 0, 0x100);
	run(b, 100);
	cb(b, 0x140, WAIT_RESP, RAM(0x1000), RAM(0x2004), 4, 0);
	poke(b, 0x114, RAM(0x140));
	run(b, US);
	is(peek(b, 0x2004), 0, "next was written after the load: too late");
	is(rd(b, DMA(0)) & ACTIVE, 0, "the channel has ended");
	cb(b, 0x100, WAIT_RESP, RAM(0x1000), RAM(0x2000), 4, 0);
	start(b, 0, 0x100);
	run(b, 99);
	poke(b, 0x114, RAM(0x140));
	run(b, US);
	is(peek(b, 0x2004), 0x11111111, "written 1 ns before the load: done");
	bench_free(b);
}

static void pause(void)
{
	struct bench *b = bench_new(NULL, false);

	memset(b->ram + 0x1000, 0x5a, 4096);
	cb(b, 0x100, S_INC | D_INC, RAM(0x1000), RAM(0x2000), 4096, 0);
	cb(b, 0x140, S_INC | D_INC, RAM(0x1000), RAM(0x4000), 4, 0);
	start(b, 0, 0x100);
	run(b, 100 + 3 * 320 + 100);
	wr(b, DMA(0), INT);
	is(rd(b, DMA(0)) & 0x11, 0x10, "a write with ACTIVE = 0 pauses");
	run(b, MS);
	is(dma_stats(b, 0)->bytes, 96, "nothing moves");
	is(rd(b, DMA(0) + 0x14), 4000, "TXFR_LEN tells what is left");
	is(rd(b, DMA(0) + 0x0c), RAM(0x1000 + 96), "SOURCE_AD where it is");
	wr(b, DMA(0) + 0x1c, RAM(0x140));
	is(rd(b, DMA(0) + 0x1c), RAM(0x140), "NEXTCONBK can be written now");
	wr(b, DMA(0), ACTIVE);
	run(b, 219);
	is(dma_stats(b, 0)->bytes, 96, "it goes on where it was");
	run(b, 1);
	is(dma_stats(b, 0)->bytes, 128, "to the nanosecond");
	wr(b, DMA(0) + 0x1c, RAM(0));
	is(rd(b, DMA(0) + 0x1c), RAM(0x140), "NEXTCONBK cannot be written while active");
	wr(b, DMA(0) + 4, RAM(0));
	is(rd(b, DMA(0) + 4), RAM(0x100), "neither can CONBLK_AD");
	is(dma_stats(b, 0)->refused, 2, "both are counted");
	run(b, MS);
	is(peek(b, 0x4000), 0x5a5a5a5a, "the block that was appended has run");
	is(b->ram[0x2fff], 0x5a, "after the whole of the first one");
	cb(b, 0x100, S_INC | D_INC, RAM(0x1000), RAM(0x6000), 4096, 0);
	cb(b, 0x140, S_INC | D_INC, RAM(0x1000), RAM(0x8000), 4, 0);
	start(b, 0, 0x100);
	run(b, US);
	wr(b, DMA(0), 0);
	wr(b, DMA(0) + 4, RAM(0x140));
	wr(b, DMA(0), ACTIVE);
	run(b, MS);
	is(b->ram[0x6fff], 0, "another CONBLK_AD while it is paused: the old block is dropped");
	is(peek(b, 0x8000), 0x5a5a5a5a, "the new one runs");
	bench_free(b);
}

/* A block that writes its own channel's CS. */
static void pauses_itself(void)
{
	struct bench *b = bench_new(NULL, false);

	poke(b, 0x1000, 0);
	poke(b, 0x1004, 0x77);
	cb(b, 0x100, POKE, RAM(0x1000), BUS(DMA(2)), 4, 0x120);
	cb(b, 0x120, POKE | INTEN, RAM(0x1004), RAM(0x2000), 4, 0);
	start(b, 2, 0x100);
	run(b, MS);
	is(peek(b, 0x2000), 0, "a channel pauses itself");
	is(rd(b, DMA(2)) & ACTIVE, 0, "not active");
	wr(b, DMA(2), ACTIVE);
	run(b, MS);
	is(peek(b, 0x2000), 0x77, "and goes on");
	is(dma_stats(b, 2)->cbs, 2, "each block once");

	poke(b, 0x1000, ACTIVE);
	start(b, 2, 0x100);
	run(b, MS);
	is(dma_stats(b, 2)->cbs, 4, "ACTIVE to itself changes nothing");
	poke(b, 0x1000, RESET);
	poke(b, 0x2000, 0);
	start(b, 2, 0x100);
	run(b, MS);
	is(peek(b, 0x2000), 0, "RESET by itself ends it");
	is(rd(b, DMA(2) + 4), 0, "for good");
	bench_free(b);
}

/* One channel starts another one: CONBLK_AD, then CS. */
static void cross_channel(void)
{
	struct bench *b = bench_new(NULL, false);

	poke(b, 0x1000, RAM(0x200));
	poke(b, 0x1004, ACTIVE | 0x00070000);
	poke(b, 0x1008, 0x1234);
	cb(b, 0x100, POKE, RAM(0x1000), BUS(DMA(4) + 4), 4, 0x120);
	cb(b, 0x120, POKE, RAM(0x1004), BUS(DMA(4)), 4, 0);
	cb(b, 0x200, POKE | INTEN, RAM(0x1008), RAM(0x2000), 4, 0);
	start(b, 0, 0x100);
	run(b, 2 * POKE_NS + 100 + 80 - 1);
	is(peek(b, 0x2000), 0, "not yet");
	run(b, 1);
	is(peek(b, 0x2000), 0x1234, "channel 4 was started by channel 0, in time");
	is(b->lines[20], 1, "with its own interrupt");
	is(rd(b, DMA(4)) >> 16 & 0xf, 7, "and the priority that was written");
	bench_free(b);
}

static void abort_and_reset(void)
{
	struct bench *b = bench_new(NULL, false);
	unsigned int i, set = 0;

	poke(b, 0x1000, 0xabcd);
	cb(b, 0x100, TX_DREQ, RAM(0x1000), RAM(0x2000), 4, 0x120);	/* blocked */
	cb(b, 0x120, 0, RAM(0x1000), RAM(0x3000), 4, 0);
	start(b, 0, 0x100);
	run(b, MS);
	is(rd(b, DMA(0)) & 0x29, ACTIVE | 0x20, "no DREQ: stopped by it");
	wr(b, DMA(0), ACTIVE | ABORT);
	is(rd(b, DMA(0)) & ABORT, 0, "ABORT reads 0");
	run(b, MS);
	is(peek(b, 0x2000), 0, "the block was dropped");
	is(peek(b, 0x3000), 0xabcd, "the next one has run");
	cb(b, 0x120, S_DREQ, RAM(0x1000), RAM(0x3004), 4, 0);
	start(b, 0, 0x120);
	run(b, MS);
	is(peek(b, 0x3004), 0xabcd, "DREQ 0 is always up");
	start(b, 0, 0x120);
	run(b, 120);
	wr(b, DMA(0), ABORT);
	run(b, MS);
	is(rd(b, DMA(0) + 4) | (rd(b, DMA(0)) & ACTIVE), 0, "nothing left after the last one");
	start(b, 0, 0x120);
	run(b, 120);
	wr(b, DMA(0), ACTIVE | ABORT);
	is(rd(b, DMA(0)) & ACTIVE, 0, "and nothing to be active for");
	cb(b, 0x100, TX_DREQ | TDMODE, RAM(0x1000), RAM(0x2000), 3 << 16 | 4, 0x120);
	poke(b, 0x110, 0x00040004);
	wr(b, DMA(0) + 4, RAM(0x100));
	wr(b, DMA(0), ACTIVE | 0x30ff0000);
	run(b, MS);
	for (i = 0; i < 8; i++)
		set |= !rd(b, DMA(0) + 4 * i) << i;
	is(set, 0, "all registers have something");
	wr(b, DMA(0), 0);
	wr(b, DMA(0), RESET);
	for (i = 0; i < 8; i++)
		set |= !!rd(b, DMA(0) + 4 * i) << i;
	is(set, 0, "RESET clears them");
	is(dma_stats(b, 0)->starts, 5, "starts are counted");
	start(b, 0, 0x120);
	run(b, MS);
	is(rd(b, DMA(0)) & END, END, "the channel works afterwards");
	bench_free(b);
}

static void ignores(void)
{
	struct bench *b = bench_new(NULL, false);
	uint64_t begin;

	memset(b->ram + 0x1000, 0xff, 256);
	cb(b, 0x100, S_IGNORE | D_INC, 0x12345678, RAM(0x1000), 64, 0);
	start(b, 0, 0x100);
	run(b, 2 * US);
	is(peek(b, 0x103c), 0xffffffff, "SRC_IGNORE: no strobes, RAM keeps what it has");
	is(dma_stats(b, 0)->errors, 0, "and nothing is read");
	wr(b, SPI_CLK, 0x1234);
	cb(b, 0x100, S_IGNORE | D_INC, 0x12345678, BUS(SPI_CLK), 4, 0);
	start(b, 0, 0x100);
	run(b, 2 * US);
	is(rd(b, SPI_CLK), 0, "but a register gets zeros");
	memset(b->ram + 0x1000, 0x55, 64);
	cb(b, 0x100, S_INC | D_IGNORE, RAM(0x1000), RAM(0x1040), 64, 0);
	start(b, 0, 0x100);
	run(b, 2 * US);
	is(peek(b, 0x1040), 0xffffffff, "DEST_IGNORE writes nothing");
	is(rd(b, DMA(0)) & END, END, "but ends");

	/* 8890 bytes at WAITS 31: 10 us and the load */
	cb(b, 0x100, S_IGNORE | D_IGNORE | WAITS(31) | INTEN, 0, 0, 8890, 0);
	start(b, 0, 0x100);
	begin = b->sim.now;
	run(b, 100 * US);
	is(b->line_at[16] - begin, 100 + 10001 + 1, "both: a delay of 1.125 ns a byte");
	wr(b, DMA(0), INT);
	cb(b, 0x100, S_IGNORE | D_IGNORE | WAITS(15) | INTEN, 0, 0, 8890, 0);
	start(b, 0, 0x100);
	begin = b->sim.now;
	run(b, 100 * US);
	is(b->line_at[16] - begin, 100 + 5000 + 1, "half as long with WAITS 15");
	wr(b, DMA(0), INT);
	start(b, 0, 0x100);
	begin = b->sim.now;
	run(b, 3100);
	wr(b, DMA(0), 0);
	run(b, 50 * US);
	wr(b, DMA(0), ACTIVE);
	run(b, 50 * US);
	is(b->line_at[16] - begin, 100 + 5001 + 50 * US, "a pause does not shorten it");
	bench_free(b);
}

static void two_dimensions(void)
{
	struct bench *b = bench_new(NULL, false);
	unsigned int i;

	for (i = 0; i < 64; i++)
		b->ram[0x1000 + i] = i + 1;
	/* 3 rows of 4 bytes (Y = 2); skip 4 bytes after a row of the source, go back 8 */
	cb(b, 0x100, COPY | TDMODE, RAM(0x1000), RAM(0x2020), 2 << 16 | 4, 0);
	poke(b, 0x110, (uint32_t)(uint16_t)-8 << 16 | 4);
	start(b, 0, 0x100);
	run(b, 10 * US);
	is(peek(b, 0x2020), 0x04030201, "first row");
	is(peek(b, 0x201c), 0x0c0b0a09, "second row: strides are signed");
	is(peek(b, 0x2018), 0x14131211, "Y = 2 gives three rows");
	is(peek(b, 0x2014), 0, "not four");
	is(dma_stats(b, 0)->bytes, 12, "12 bytes");
	cb(b, 0x100, COPY | TDMODE, RAM(0x1010), RAM(0x3000), 1 << 16 | 4, 0);
	poke(b, 0x110, (uint16_t)-12);
	start(b, 0, 0x100);
	run(b, 10 * US);
	is(peek(b, 0x3004), 0x0c0b0a09, "the source's stride is signed, too");
	bench_free(b);
}

static void lite(void)
{
	struct bench *b = bench_new(NULL, false);

	memset(b->ram + 0x1000, 0x11, 64);
	memset(b->ram + 0x2000, 0xee, 0x12000);
	cb(b, 0x100, COPY | TDMODE | INTEN, RAM(0x1000), RAM(0x2000), 1 << 16 | 4, 0);
	start(b, 7, 0x100);
	run(b, 100 + 79);
	is(peek(b, 0x2000), 0xeeeeeeee, "a lite channel takes twice as long");
	run(b, 1);
	is(peek(b, 0x2000), 0x11111111, "a word is 80 ns");
	run(b, 100 * US);
	is(dma_stats(b, 7)->bytes, 4, "no second row");
	is(rd(b, DMA(7) + 8) & TDMODE, 0, "TI shows that it has no 2D mode");
	is(b->lines[23], 1, "line 23");
	cb(b, 0x100, COPY | S_IGNORE | D_IGNORE, RAM(0x1000), RAM(0x2000), 8, 0);
	start(b, 7, 0x100);
	run(b, US);
	is(peek(b, 0x2004), 0x11111111, "IGNORE bits are ignored");
	cb(b, 0x100, COPY, RAM(0x1000), RAM(0x2000), 0x10004, 0);
	start(b, 7, 0x100);
	run(b, MS);
	is(dma_stats(b, 7)->bytes, 4 + 8 + 4, "length has 16 bits");
	cb(b, 0x100, COPY, RAM(0x1000), RAM(0x2000), 0x10004, 0);
	start(b, 6, 0x100);
	run(b, MS);
	is(dma_stats(b, 6)->bytes, 0x10004, "and 30 on a normal channel");
	bench_free(b);
}

static void interrupt_lines(void)
{
	struct bcm2835_soc_config config = { .bcm2711 = true };
	struct bench *b = bench_new(NULL, false);

	cb(b, 0x100, INTEN, RAM(0x1000), RAM(0x2000), 4, 0);
	start(b, 11, 0x100);
	start(b, 14, 0x100);
	run(b, US);
	ok(b->line[27] && b->lines[27] == 1, "BCM2835: 11 to 14 share line 27");
	ok(b->line[28], "line 28 is for any");
	wr(b, DMA(11), INT);
	ok(b->line[27] && b->line[28], "as long as one of them is up");
	wr(b, DMA(14), INT);
	ok(!b->line[27] && !b->line[28], "both down");
	bench_free(b);

	b = bench_new(&config, false);
	cb(b, 0x100, INTEN, RAM(0x1000), RAM(0x2000), 4, 0);
	start(b, 7, 0x100);
	start(b, 8, 0x100);
	start(b, 10, 0x100);
	start(b, 11, 0x100);
	run(b, US);
	ok(b->line[23] && b->line[24] && !b->line[25], "BCM2711: 7 and 8 share, 9 and 10 do");
	is(rd(b, DMA(11) + 4), 0, "there is no channel 11 of this kind");
	wr(b, DMA(7), INT);
	ok(b->line[23], "8 holds the line");
	wr(b, DMA(8), INT);
	ok(!b->line[23], "until it is quiet, too");
	bench_free(b);
}

int main(void)
{
	copies();
	registers();
	chain();
	loaded_whole();
	pause();
	pauses_itself();
	cross_channel();
	abort_and_reset();
	ignores();
	two_dimensions();
	lite();
	interrupt_lines();
	return tap_done();
}
