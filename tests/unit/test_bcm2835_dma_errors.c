// SPDX-License-Identifier: GPL-2.0-only
/* The DMA engine: errors and broken parts, outstanding writes, what stops a channel. */
#include "test_bcm2835.h"

#define POKE	WAIT_RESP
#define POKE_NS	200

static void errors(void)
{
	struct bench *b = bench_new(NULL, false);

	cb(b, 0x100, WAIT_RESP, RAM(0x1000), RAM(0x2000), 4, 0x120);
	cb(b, 0x120, 0, 0x00001000, RAM(0x2000), 4, 0x140);	/* nobody there */
	cb(b, 0x140, INTEN, RAM(0x1000), RAM(0x3000), 4, 0);
	poke(b, 0x1000, 0x99);
	start(b, 0, 0x100);
	run(b, MS);
	is(rd(b, DMA(0)) & (ACTIVE | INT | ERROR), INT | ERROR, "read error: not active, INT");
	is(rd(b, DMA(0) + 0x20) & 7, 4, "DEBUG.READ_ERROR");
	is(rd(b, DMA(0) + 4), RAM(0x120), "CONBLK_AD is the block that failed");
	ok(b->line[16], "and an interrupt");
	is(peek(b, 0x3000), 0, "the rest did not run");
	wr(b, DMA(0), INT | ACTIVE);
	run(b, MS);
	is(rd(b, DMA(0)) & (ACTIVE | INT), 0, "ACTIVE is refused while the error stands");
	wr(b, DMA(0) + 0x20, 7);
	is(rd(b, DMA(0)) & ERROR, 0, "DEBUG's bits are cleared by ones");
	wr(b, DMA(0), ABORT | ACTIVE);
	run(b, MS);
	is(peek(b, 0x3000), 0x99, "ABORT goes on with the next one");
	is(dma_stats(b, 0)->errors, 1, "one error");

	wr(b, DMA(0), INT);
	start(b, 0, 0xffffe0);
	run(b, MS);
	is(rd(b, DMA(0)) & (ACTIVE | INT | ERROR), INT | ERROR, "a block where there is no RAM");
	wr(b, DMA(0), RESET);
	is(rd(b, DMA(0)) & (INT | ERROR), 0, "RESET clears it");
	ok(!b->line[16], "and the interrupt");

	cb(b, 0x100, INTEN, RAM(0x1000), 0x00001000, 4, 0);
	start(b, 0, 0x100);
	run(b, MS);
	is(rd(b, DMA(0)) & (INT | ERROR), INT, "a write where nobody is: silent");
	is(dma_stats(b, 0)->lost_writes, 1, "but counted");
	bcm2835_dma_set_errata(bcm2835_soc_dma(b->soc), BCM2835_DMA_ERRATUM_INT_LOST);
	wr(b, DMA(0), INT);
	cb(b, 0x100, INTEN, RAM(0x1000), RAM(0x2000), 4, 0x120);
	cb(b, 0x120, 0, RAM(0x1000), RAM(0x2000), 4, 0);
	start(b, 0, 0x100);
	run(b, US);
	ok(!b->line[16], "errata can be changed at any time");
	bench_free(b);
}

static void faults(void)
{
	struct bench *b = bench_new(NULL, false);
	struct bcm2835_dma *dma = bcm2835_soc_dma(b->soc);

	poke(b, 0x1000, 0x99);
	cb(b, 0x100, 0, RAM(0x1000), RAM(0x2000), 4, 0x120);
	cb(b, 0x120, INTEN, RAM(0x1000), RAM(0x3000), 4, 0);
	bcm2835_dma_fault(dma, 0, BCM2835_DMA_FAULT_READ, 1);
	start(b, 0, 0x100);
	run(b, MS);
	is(peek(b, 0x2000), 0x99, "the first block runs");
	is(rd(b, DMA(0) + 4), RAM(0x120), "the second one fails");
	is(rd(b, DMA(0) + 0x20) & 7, 4, "as asked");
	wr(b, DMA(0), RESET);
	bcm2835_dma_fault(dma, 0, BCM2835_DMA_FAULT_FIFO, 0);
	start(b, 0, 0x100);
	run(b, MS);
	is(rd(b, DMA(0) + 0x20) & 7, 2, "FIFO error");
	wr(b, DMA(0), RESET);

	bcm2835_dma_fault(dma, 0, BCM2835_DMA_FAULT_HANG, 0);
	start(b, 0, 0x100);
	run(b, 1000 * MS);
	is(rd(b, DMA(0)) & (ACTIVE | END | 0x40), ACTIVE, "a channel that never finishes");
	wr(b, DMA(0), ACTIVE | ABORT);
	run(b, MS);
	is(rd(b, DMA(0)) & (ACTIVE | END), ACTIVE, "ABORT does not help");
	wr(b, DMA(0), 0);
	is(rd(b, DMA(0)) & 0x40, 0, "no writes outstanding");
	wr(b, DMA(0), RESET);
	bcm2835_dma_fault(dma, 0, BCM2835_DMA_FAULT_HANG_WRITES, 0);
	start(b, 0, 0x100);
	run(b, MS);
	wr(b, DMA(0), 0);
	run(b, MS);
	is(rd(b, DMA(0)) & 0x40, 0x40, "writes that never end");
	wr(b, DMA(0), RESET);
	is(rd(b, DMA(0)) & 0x40, 0, "RESET helps");
	start(b, 0, 0x100);
	run(b, MS);
	is(peek(b, 0x3000), 0x99, "and the next chain runs: faults happen once");
	bench_free(b);
}

static void int_lost(void)
{
	struct bcm2835_soc_config config = { .dma_errata = BCM2835_DMA_ERRATUM_INT_LOST };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct bench *b = bench_new(i ? &config : NULL, false);

		cb(b, 0x100, INTEN, RAM(0x1000), RAM(0x2000), 4, 0x120);
		cb(b, 0x120, 0, RAM(0x1000), RAM(0x2000), 4, 0x140);
		cb(b, 0x140, INTEN, RAM(0x1000), RAM(0x2000), 4, 0);
		start(b, 0, 0x100);
		run(b, 250);
		is(b->lines[16], i ? 0 : 1, "INT of the first of three%s", i ? ": lost" : "");
		wr(b, DMA(0), ACTIVE | INT);
		run(b, MS);
		is(b->line[16], 1, "INT of the last one");
		bench_free(b);
	}
}

static void late_writes(void)
{
	struct bcm2835_soc_config config = {
		.dma_errata = BCM2835_DMA_LATE_WRITES, .costs = { .late_ns = 1000 },
	};
	struct bench *b = bench_new(&config, false);
	unsigned int falls;
	uint64_t begin;

	poke(b, 0x1000, 1u << 8);
	poke(b, 0x1004, 0x1234);
	cb(b, 0x100, 0, RAM(0x1004), BUS(SPI_CLK), 4, 0x120);
	cb(b, 0x120, POKE, RAM(0x1000), BUS(GPCLR0), 4, 0);
	start(b, 0, 0x100);
	run(b, 160 + POKE_NS);
	is(b->cs_count[0], 1, "GPIO was written second");
	is(rd(b, SPI_CLK), 0, "but is first: the SPI's write is under way");
	is(rd(b, DMA(0) + 0x20) >> 4 & 15, 1, "DEBUG counts it");
	run(b, 799);
	is(rd(b, SPI_CLK), 0, "for 1000 ns");
	run(b, 1);
	is(rd(b, SPI_CLK), 0x1234, "it comes later");

	cb(b, 0x100, POKE, RAM(0x1000), BUS(SPI_CLK), 4, 0x120);
	wr(b, GPSET0, 1u << 8);
	start(b, 0, 0x100);
	run(b, POKE_NS);
	is(rd(b, SPI_CLK), 1u << 8, "with WAIT_RESP the order is kept");
	run(b, US);

	/* the same block: order is kept, also by a write that waits */
	poke(b, 0x1008, 0x4321);
	cb(b, 0x100, 0, RAM(0x1004), BUS(SPI_CLK), 4, 0x120);
	cb(b, 0x120, POKE, RAM(0x1008), BUS(SPI_CLK), 4, 0);
	start(b, 0, 0x100);
	run(b, 3 * US);
	is(rd(b, SPI_CLK), 0x4321, "nothing overtakes within a block");

	/* ... and no write is lost */
	cb(b, 0x100, 0, RAM(0x1000), BUS(GPCLR0), 4, 0x120);
	cb(b, 0x120, POKE, RAM(0x1000), BUS(GPSET0), 4, 0);
	wr(b, GPSET0, 1u << 8);
	falls = b->cs_count[0];
	start(b, 0, 0x100);
	run(b, 5 * US);
	is(b->cs_count[0], falls + 1, "an earlier write to the block comes first, if late");

	/* three writes that take effect in another order */
	poke(b, 0x100c, 0x55);
	cb(b, 0x100, 0, RAM(0x1000), BUS(GPCLR0), 4, 0x120);
	cb(b, 0x120, 0, RAM(0x100c), BUS(DMA(9) + 4), 4, 0x140);
	cb(b, 0x140, 0, RAM(0x100c), BUS(SPI_CLK), 4, 0);
	begin = b->sim.now;
	start(b, 0, 0x100);
	run(b, 480 + 1000);
	is(rd(b, SPI_CLK), 0x55, "the last one first");
	is(rd(b, DMA(9) + 4), 0, "not yet");
	run(b, 1000);
	is(rd(b, DMA(9) + 4), 0x40, "the second one second");
	run(b, 3 * US);
	is(b->cs_at[0][falls + 1] - begin, 160 + 3000, "the first one last");
	wr(b, GPSET0, 1u << 8);
	wr(b, DMA(9), RESET);

	/* END waits for them if CS says so */
	cb(b, 0x100, INTEN, RAM(0x1004), BUS(SPI_CLK), 4, 0);
	wr(b, DMA(0) + 4, RAM(0x100));
	wr(b, DMA(0), ACTIVE | WAIT_WRITES | END);
	run(b, 160);
	is(rd(b, DMA(0)) & (ACTIVE | END | 0x40), 0x40, "not active, waits for the write");
	is(rd(b, DMA(0) + 4), 0, "CONBLK_AD has the end already");
	run(b, 1000);
	is(rd(b, DMA(0)) & (ACTIVE | INT | 0x40), INT, "then END and INT");
	is(rd(b, SPI_CLK), 0x1234, "the write was first");
	wr(b, DMA(0), INT);

	/* a pause while the end waits for a write */
	cb(b, 0x100, 0, RAM(0x1004), BUS(SPI_CLK), 4, 0x120);
	cb(b, 0x120, 0, RAM(0x1008), RAM(0x2000), 4, 0);
	wr(b, DMA(0) + 4, RAM(0x100));
	wr(b, DMA(0), ACTIVE | WAIT_WRITES | END);
	run(b, 200);
	wr(b, DMA(0), WAIT_WRITES);
	run(b, 100);
	wr(b, DMA(0), ACTIVE | WAIT_WRITES);
	run(b, 800);
	is(rd(b, DMA(0)) & (ACTIVE | END), ACTIVE, "a pause does not end it");
	is(dma_stats(b, 0)->cbs, 13, "the next block is not loaded");
	run(b, 60 + 100);
	is(rd(b, DMA(0)) & END, END, "the write does");
	is(dma_stats(b, 0)->cbs, 14, "then it goes on");
	run(b, 2 * US);
	bcm2835_soc_counters_reset(b->soc);

	/* no more than 13 at once */
	cb(b, 0x100, S_INC, RAM(0x1004), BUS(SPI_CLK), 4 * 40, 0);
	start(b, 0, 0x100);
	run(b, 100 + 13 * 60);
	is(rd(b, DMA(0) + 0x20) >> 4 & 15, 13, "13 under way");
	is(rd(b, DMA(0)) & 0x40, 0x40, "no more: it waits");
	run(b, 160 + 1000 + 60 - (100 + 13 * 60) - 1);
	is(rd(b, DMA(0) + 0x14), 4 * (40 - 13), "until one is over");
	run(b, 1);
	is(rd(b, DMA(0) + 0x14), 4 * (40 - 14), "then the next word is moved");
	run(b, 10 * US);
	is(dma_stats(b, 0)->words, 40, "and all of them arrive");
	bench_free(b);
}

/* CS bit 28 without the switch: END one response later, if the block did not wait itself. */
static void wait_for_writes(void)
{
	struct bench *b = bench_new(NULL, false);

	cb(b, 0x100, INTEN, RAM(0x1000), BUS(GPCLR0), 4, 0);
	wr(b, DMA(0) + 4, RAM(0x100));
	wr(b, DMA(0), ACTIVE | WAIT_WRITES);
	run(b, US);
	is(b->line_at[16], 100 + 60 + 40, "bit 28: END after the response");
	wr(b, DMA(0), INT);
	run(b, US);
	cb(b, 0x100, INTEN, RAM(0x1000), BUS(GPCLR0), 4, 0);
	wr(b, DMA(0) + 4, RAM(0x100));
	wr(b, DMA(0), ACTIVE);
	run(b, US);
	is(b->line_at[16], 2 * US + 160, "without: at the write");
	wr(b, DMA(0), INT | END);
	cb(b, 0x100, 0, RAM(0x1000), BUS(GPCLR0), 4, 0x120);
	cb(b, 0x120, INTEN, RAM(0x1000), BUS(GPCLR0), 4, 0);
	wr(b, DMA(0) + 4, RAM(0x100));
	wr(b, DMA(0), ACTIVE | WAIT_WRITES);
	run(b, 170);
	is(rd(b, DMA(0)) & 0x43, ACTIVE | 0x40, "a next one: it stays active, and waits");
	is(rd(b, DMA(0) + 4), RAM(0x120), "for it");
	wr(b, DMA(0), WAIT_WRITES);
	run(b, US);
	is(rd(b, DMA(0)) & END, 0, "a pause meanwhile");
	wr(b, DMA(0), ACTIVE | WAIT_WRITES);
	run(b, 30);
	is(rd(b, DMA(0)) & END, END, "and on");
	run(b, 200);
	is(rd(b, DMA(0)) & INT, INT, "to the end");
	start(b, 0, 0x120);
	wr(b, DMA(0), ACTIVE | WAIT_WRITES | INT | END);
	run(b, 170);
	wr(b, DMA(0) + 4, RAM(0x100));
	is(rd(b, DMA(0)) & (END | INT), END | INT, "a new CONBLK_AD does not lose the end");
	wr(b, DMA(0) + 4, RAM(0x100));
	wr(b, DMA(0), ACTIVE | WAIT_WRITES | INT | END);
	run(b, 170);
	wr(b, DMA(0), ACTIVE | WAIT_WRITES | ABORT);
	is(rd(b, DMA(0)) & END, END, "neither does ABORT");
	bench_free(b);
}

static void enable(void)
{
	struct bench *b = bench_new(NULL, false);

	poke(b, 0x1000, 0x99);
	cb(b, 0x100, 0, RAM(0x1000), RAM(0x2000), 4, 0);
	wr(b, DMA(0) + 0xff0, 0x7ffe);
	start(b, 0, 0x100);
	run(b, MS);
	is(peek(b, 0x2000), 0, "a channel that is not enabled does nothing");
	wr(b, DMA(0) + 0xff0, 0x7fff);
	run(b, US);
	is(peek(b, 0x2000), 0x99, "until it is");
	cb(b, 0x100, S_INC | D_INC, RAM(0x1000), RAM(0x2000), 4096, 0);
	start(b, 0, 0x100);
	run(b, 100 + 3 * 320 + 100);
	wr(b, DMA(0) + 0xff0, 0x7ffe);
	run(b, MS);
	is(rd(b, DMA(0) + 0x14), 4000, "disabled in the middle of a block");
	wr(b, DMA(0) + 0xff0, 0x7fff);
	run(b, 220);
	is(rd(b, DMA(0) + 0x14), 4000 - 32, "enabled: it goes on where it was");
	bench_free(b);
}

static void waits_and_timer(void)
{
	struct bench *b = bench_new(NULL, false);

	run(b, 5 * MS);
	cb(b, 0x100, WAIT_RESP, BUS(0x3004), RAM(0x1000), 4, 0);
	start(b, 0, 0x100);
	run(b, US);
	is(peek(b, 0x1000), 5000, "the system timer as a time stamp");
	cb(b, 0x100, WAIT_RESP | WAITS(10) | INTEN, RAM(0x1000), RAM(0x2000), 4, 0);
	start(b, 0, 0x100);
	run(b, US);
	is(b->line_at[16] - 5 * MS - US, 100 + 80 + 2 * 40, "WAITS: 4 ns after each access");
	bench_free(b);
}

/* A ring without DREQ: time passes, so it is not an endless loop; and it can be stopped. */
static void ring(void)
{
	struct bench *b = bench_new(NULL, false);

	cb(b, 0x100, 0, RAM(0x1000), RAM(0x2000), 4, 0x100);
	cb(b, 0x140, 0, 0, 0, 0, 0x140);
	start(b, 0, 0x100);
	start(b, 1, 0x140);
	run(b, MS);
	is(dma_stats(b, 0)->cbs, (MS - 100) / 140 + 1, "a ring of one block");
	is(dma_stats(b, 1)->cbs, MS / 100, "a ring of an empty one");
	wr(b, DMA(0), RESET);
	wr(b, DMA(1), RESET);
	is(sim_next(&b->sim), SIM_NEVER, "both stopped");
	bench_free(b);
}

int main(void)
{
	errors();
	faults();
	int_lost();
	late_writes();
	wait_for_writes();
	enable();
	waits_and_timer();
	ring();
	return tap_done();
}
