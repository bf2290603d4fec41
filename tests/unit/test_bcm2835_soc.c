// SPDX-License-Identifier: GPL-2.0-only
/* GPIO, interrupt controller, system timer, the window of the SoC and its counters. */
#include "test_bcm2835.h"

#define LEV0	GPIO(0x34)
#define EDS0	GPIO(0x40)
#define REN0	GPIO(0x4c)
#define FEN0	GPIO(0x58)
#define HEN0	GPIO(0x64)
#define LEN0	GPIO(0x70)
#define AREN0	GPIO(0x7c)
#define AFEN0	GPIO(0x88)

static void input(struct bench *b, unsigned int n, bool level)
{
	bcm2835_soc_gpio_input(b->soc, n, level);
}

static void functions_and_levels(void)
{
	struct bench *b = bench_new(NULL, false);

	wr(b, GPIO(0x08), 1u << 15 | 4u << 3);
	is(rd(b, GPIO(0x08)), 1u << 15 | 4u << 3, "GPFSEL2 reads back");
	wr(b, GPIO(0x14), 0xffffffff);
	is(rd(b, GPIO(0x14)), 0xfff, "GPFSEL5 has four lines");
	wr(b, GPSET0, 1 << 25);
	is(rd(b, LEV0) >> 25 & 1, 1, "GPSET0, and GPLEV0 shows it");
	wr(b, GPSET0, 0);
	wr(b, GPCLR0, 1 << 24);
	is(rd(b, LEV0) >> 25 & 1, 1, "zeros and other lines change nothing");
	wr(b, GPCLR0, 1 << 25);
	is(rd(b, LEV0) >> 25 & 1, 0, "GPCLR0");
	is(rd(b, GPSET0), 0, "GPSET0 reads 0");
	input(b, 25, true);
	is(rd(b, LEV0) >> 25 & 1, 0, "what drives an output from outside is not seen");
	wr(b, GPIO(0x08), 0);
	is(rd(b, LEV0) >> 25 & 1, 1, "as an input it is");
	is(rd(b, LEV0) & 0x61, 0x61, "lines 0, 5 and 6 are pulled up");
	is(rd(b, LEV0) >> 12 & 0xfff, 0, "12 to 23 are pulled down");
	wr(b, GPSET0, 1 << 20);
	is(rd(b, LEV0) >> 20 & 1, 0, "an input's latch is not seen");
	wr(b, GPIO(0x08), 1);
	is(rd(b, LEV0) >> 20 & 1, 1, "until it is an output");
	wr(b, GPIO(0x10), 1u << 21);
	wr(b, GPIO(0x20), 1u << (47 - 32));
	is(rd(b, GPIO(0x38)) >> (47 - 32) & 1, 1, "GPSET1 and GPLEV1");
	wr(b, GPIO(0x2c), 1u << (47 - 32));
	is(rd(b, GPIO(0x38)) >> (47 - 32) & 1, 0, "GPCLR1");
	bench_free(b);
}

static void pulls(void)
{
	struct bcm2835_soc_config config = { .bcm2711 = true };
	struct bench *b = bench_new(NULL, false);

	wr(b, GPIO(0x94), 2);
	is(rd(b, LEV0) >> 17 & 1, 0, "GPPUD alone does nothing");
	wr(b, GPIO(0x98), 1u << 17);
	is(rd(b, LEV0) >> 17 & 3, 1, "with GPPUDCLK it pulls line 17, only, up");
	wr(b, GPIO(0x94), 0);
	wr(b, GPIO(0x98), 1u << 5);
	is(rd(b, LEV0) >> 17 & 1, 1, "other lines keep theirs");
	is(rd(b, LEV0) >> 5 & 1, 0, "nobody pulls line 5 any more");
	wr(b, GPIO(0x94), 1);
	wr(b, GPIO(0x98), 1u << 17);
	is(rd(b, LEV0) >> 17 & 1, 0, "GPPUD 1 pulls down");
	bench_free(b);
	b = bench_new(&config, false);
	wr(b, GPIO(0xe8), 1u << 2);
	is(rd(b, LEV0) >> 17 & 3, 1, "BCM2711: its own register pulls line 17 up");
	is(rd(b, GPIO(0xe8)), 1u << 2, "and reads back");
	is(rd(b, GPIO(0xe4)) & 3, 1, "line 0: up after reset");
	bench_free(b);
}

static void edges(void)
{
	struct bench *b = bench_new(NULL, false);

	wr(b, REN0, 1 << 25);
	wr(b, FEN0, 1 << 24);
	input(b, 24, true);
	is(rd(b, EDS0), 0, "rising: not asked for on line 24");
	input(b, 25, true);
	is(rd(b, EDS0), 1 << 25, "but on 25");
	ok(b->line[49] && b->line[52] && !b->line[50] && !b->line[51], "bank 0, and any");
	input(b, 25, false);
	input(b, 24, false);
	is(rd(b, EDS0), 3 << 24, "falling on 24");
	wr(b, EDS0, 1 << 25);
	is(rd(b, EDS0), 1 << 24, "a one clears");
	ok(b->line[49], "the line stays with one of two");
	wr(b, EDS0, 1 << 24);
	ok(!b->line[49] && !b->line[52], "and falls with the last");
	is(b->lines[49], 1, "one interrupt");
	wr(b, FEN0, 0);
	wr(b, REN0, 0);
	wr(b, AREN0, 1 << 5);
	wr(b, AFEN0, 1 << 6);
	input(b, 5, false);
	input(b, 5, true);
	is(rd(b, EDS0), 1 << 5, "asynchronous: rising");
	input(b, 6, false);
	is(rd(b, EDS0), 3 << 5, "falling");
	is(rd(b, AREN0) | rd(b, AFEN0), 3 << 5, "GPAREN0 and GPAFEN0 read back");
	bench_free(b);
}

/* The MCP2515's case: level low, as long as the chip has something to say. */
static void levels(void)
{
	struct bench *b = bench_new(NULL, false);

	input(b, 25, true);
	wr(b, LEN0, 1 << 25);
	is(rd(b, EDS0), 0, "low level detect: the line is high");
	input(b, 25, false);
	ok(b->line[49], "low: interrupt");
	wr(b, EDS0, 1 << 25);
	is(rd(b, EDS0), 1 << 25, "cleared, it comes back while the level stands");
	ok(b->line[49], "as does the interrupt");
	input(b, 25, true);
	is(rd(b, EDS0), 1 << 25, "a detected event stays until it is cleared");
	wr(b, EDS0, 1 << 25);
	is(rd(b, EDS0), 0, "now it goes");
	wr(b, LEN0, 0);
	wr(b, HEN0, 1 << 25);
	is(rd(b, EDS0), 1 << 25, "high level detect sees a level that is there already");
	wr(b, HEN0, 0);
	wr(b, EDS0, 1 << 25);
	is(rd(b, EDS0), 0, "disabled");
	bench_free(b);
}

static void banks(void)
{
	struct bench *b = bench_new(NULL, false);

	wr(b, REN0, 1u << 27 | 1u << 28);
	wr(b, REN0 + 4, 1u << (45 - 32) | 1u << (46 - 32));
	input(b, 28, true);
	ok(!b->line[49] && b->line[50] && !b->line[51] && b->line[52], "28: second bank");
	wr(b, EDS0, 1u << 28);
	input(b, 45, true);
	ok(!b->line[49] && b->line[50] && !b->line[51], "45: second bank");
	wr(b, EDS0 + 4, 1u << (45 - 32));
	input(b, 46, false);
	input(b, 46, true);
	ok(!b->line[49] && !b->line[50] && b->line[51], "46: third bank");
	wr(b, EDS0 + 4, 1u << (46 - 32));
	input(b, 27, true);
	ok(b->line[49] && !b->line[50] && !b->line[51], "27: first bank");
	bench_free(b);
}

static void by_dma(void)
{
	struct bench *b = bench_new(NULL, false);

	wr(b, REN0, 1 << 8);
	poke(b, 0x1000, 1 << 8);
	cb(b, 0x100, WAIT_RESP, RAM(0x1000), BUS(GPCLR0), 4, 0x120);
	cb(b, 0x120, WAIT_RESP, RAM(0x1000), BUS(GPSET0), 4, 0x140);
	cb(b, 0x140, WAIT_RESP, BUS(LEV0), RAM(0x2000), 4, 0);
	start(b, 0, 0x100);
	run(b, 2 * US);
	is(b->cs_at[1][0] - b->cs_at[0][0], 200, "a pulse of 200 ns by two blocks");
	is(rd(b, EDS0), 1 << 8, "its edge is detected");
	is(peek(b, 0x2000) >> 8 & 1, 1, "GPLEV0 read by a block");
	bench_free(b);
}

static void controller(void)
{
	unsigned int edge;

	for (edge = 0; edge < 2; edge++) {
		struct bcm2835_soc_config config = { .intc_edge = edge };
		struct bench *b = bench_new(&config, false);

		wr(b, REN0, 1 << 25);
		input(b, 25, true);
		ok(!b->irq, "not enabled");
		is(rd(b, INTC(8)), 0, "PENDING2 shows only what is enabled");
		wr(b, INTC(0x14), 1u << 17);
		ok(b->irq, "ENABLE2: up at once");
		is(rd(b, INTC(0x14)), 1u << 17, "reads back");
		is(rd(b, INTC(0)), 0x200, "BASIC_PENDING: look at PENDING2");
		is(rd(b, INTC(8)), 1u << 17, "PENDING2");
		wr(b, INTC(0x20), 1u << 17);
		is(b->irq, edge, "DISABLE2: %s", edge ? "an edge has been" : "down");
		is(rd(b, INTC(0)), 0, "nothing pending");
		ok(!b->irq, "down when that was read");
		wr(b, INTC(0x14), 1u << 17);
		is(b->irqs, 2, "up again");
		wr(b, EDS0, 1 << 25);
		is(b->irq, edge, "acknowledged at the source");
		input(b, 25, false);
		input(b, 25, true);
		is(b->irqs, edge ? 2 : 3, "%s", edge ?
		   "a new one before 0 was read: no second edge" : "a level each time");
		is(rd(b, INTC(0)), 0x200, "but the handler sees it");
		wr(b, EDS0, 1 << 25);
		is(rd(b, INTC(0)), 0, "and reads 0 in the end");
		ok(!b->irq, "down");
		/* interrupts of the first bank, with and without a bit of their own */
		cb(b, 0x100, INTEN, RAM(0x1000), RAM(0x2000), 4, 0);
		start(b, 2, 0x100);
		start(b, 4, 0x100);
		run(b, US);
		wr(b, INTC(0x10), 1u << 18);
		is(rd(b, INTC(0)), 1u << 13, "18 has a bit of its own in BASIC_PENDING");
		wr(b, INTC(0x10), 1u << 20);
		is(rd(b, INTC(0)), 1u << 13 | 0x100, "20 has not");
		is(rd(b, INTC(4)), 5u << 18, "PENDING1 shows both");
		wr(b, INTC(0x1c), 5u << 18);
		is(rd(b, INTC(0x10)), 0, "DISABLE1");
		wr(b, INTC(0x18), 0x105);
		is(rd(b, INTC(0x18)), 5, "ENABLE_BASIC has eight bits");
		wr(b, INTC(0x24), 4);
		is(rd(b, INTC(0x18)), 1, "DISABLE_BASIC");
		wr(b, INTC(0x0c), 0x136);
		is(rd(b, INTC(0x0c)), 0x36, "FIQ");
		bench_free(b);
	}
}

static void timer(void)
{
	struct bench *b = bench_new(NULL, false);

	run(b, 1999);
	is(rd(b, 0x3004), 1, "1 MHz");
	run(b, 1);
	is(rd(b, 0x3004), 2, "2 us");
	wr(b, 0x3010, 10);
	run(b, 8 * US - 1);
	ok(!b->line[1], "compare 1: not yet");
	run(b, 1);
	ok(b->line[1] && rd(b, 0x3000) == 2, "compare 1 matches at 10 us");
	wr(b, 0x3000, 1);
	ok(b->line[1], "another bit of CS");
	wr(b, 0x3000, 2);
	ok(!b->line[1] && !rd(b, 0x3000), "written as 1: gone");
	run(b, (1ull << 32) * US);
	ok(b->line[1], "and again when CLO comes round");
	is(rd(b, 0x3008), 1, "CHI");
	is(rd(b, 0x3004), 10, "CLO");
	bench_free(b);
}

static void window(void)
{
	struct bench *b = bench_new(NULL, false);

	is(rd(b, 0x100000), 0, "where nobody is");
	wr(b, 0x100000, 1);
	is(bcm2835_soc_read(b->soc, 0x204002, 2), 0x0004, "half a word of CS");
	is(bcm2835_soc_read(b->soc, 0x204000, 1), 0x00, "a byte");
	is(bcm2835_soc_read(b->soc, 0x204010, 8), 0x3020102000000001ll, "two words");
	bcm2835_soc_write(b->soc, 0x204014, 2, 0x1234);
	is(rd(b, SPI_DC), 0x1234, "a narrow write writes the register as a whole");
	bcm2835_soc_write(b->soc, 0x204015, 1, 0x12);
	is(rd(b, SPI_DC), 0x1200, "on the lanes of its address");
	bcm2835_soc_write(b->soc, 0x204014, 1, 0x12345678);
	is(rd(b, SPI_DC), 0x78, "as much as its size");
	bcm2835_soc_write(b->soc, 0x204008, 8, 0x0000123400005678ull);
	is(rd(b, SPI_CLK) << 16 | rd(b, SPI_DLEN), 0x56781234, "two words");
	bench_free(b);
}

static void other_alias(void)
{
	struct bcm2835_soc_config config = {
		.alias = { { 0x40000000, GUEST, 0x1000 }, { 0xc0000000, GUEST, 0x10000 } },
	};
	struct bench *b = bench_new(&config, false);

	poke(b, 0x20, 0x4711);
	cb(b, 0x100, 0, 0x40000020, 0xc0001000, 4, 0);
	wr(b, DMA(0) + 4, 0x40000100);
	wr(b, DMA(0), ACTIVE);
	run(b, US);
	is(peek(b, 0x1000), 0x4711, "both aliases are the same RAM");
	cb(b, 0x100, D_INC | S_INC, 0x40000ffc, 0xc0002000, 8, 0);
	wr(b, DMA(0) + 4, 0x40000100);
	wr(b, DMA(0), ACTIVE);
	run(b, US);
	is(rd(b, DMA(0) + 0x20) & 7, 4, "beyond the end there is nothing");
	bench_free(b);
}

static void reset(void)
{
	struct bcm2835_soc_config config = {
		.intc_edge = true, .dma_errata = BCM2835_DMA_LATE_WRITES,
	};
	struct bench *b = bench_new(&config, true);
	uint32_t i, set;
	uint64_t bytes;

	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, TA);
	wr(b, SPI_FIFO, 1);
	wr(b, INTC(0x10), 1 << 16);
	wr(b, INTC(0x0c), 0x80);
	wr(b, INTC(0x18), 1);
	for (i = REN0; i <= AFEN0; i += 12)
		wr(b, i, 1 << 25);
	wr(b, GPIO(0x94), 2);
	wr(b, 0x300c, 1);
	wr(b, 0x3010, 1000);
	run(b, 2 * US);
	ok(b->line[0], "compare 0 has matched");
	poke(b, 0x1000, 1);
	cb(b, 0x100, INTEN, RAM(0x1000), BUS(SPI_DC), 4, 0x100);
	start(b, 0, 0x100);
	input(b, 25, true);
	run(b, 300);
	ok(b->irq && b->line[49], "all is in motion");
	bcm2835_soc_reset(b->soc);
	ok(!b->irq && !b->line[0] && !b->line[16] && !b->line[49], "reset: quiet");
	is(sim_next(&b->sim), SIM_NEVER, "nothing under way, no write is late");
	is(rd(b, 0x3004), 0, "the timer begins at 0");
	is(rd(b, 0x3000) | rd(b, 0x300c) | rd(b, 0x3010), 0, "its compares");
	for (i = GPIO(0x40), set = 0; i <= GPIO(0x94); i += 4)
		set |= rd(b, i);
	is(set, 0, "GPIO: no events, no detection");
	is(rd(b, INTC(0x10)) | rd(b, INTC(0x0c)) | rd(b, INTC(0x18)), 0, "interrupt controller");
	bytes = bus_stats(b)->bytes;
	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, TA);
	wr(b, SPI_FIFO, 1);
	run(b, US);
	is(bus_stats(b)->bytes, bytes, "the pins are not SPI's any more");
	wr(b, GPIO(0), 1 << 24);
	ok(!bcm2835_soc_gpio_level(b->soc, 8), "outputs are low");
	bcm2835_soc_reset(b->soc);
	is(rd(b, SPI_CS), 0x41000, "SPI");
	is(rd(b, DMA(0) + 4), 0, "DMA");
	is(rd(b, GPIO(0)), 0, "GPIO: inputs");
	ok(bcm2835_soc_gpio_level(b->soc, 25), "the world outside is as it was");
	ok(bcm2835_soc_gpio_level(b->soc, 8), "chip selects are pulled up");
	bench_free(b);
}

static bool has(const char *json, const char *member)
{
	return strstr(json, member);
}

static void counters(void)
{
	struct bench *b = bench_new(NULL, false);
	char json[8192] = "";
	FILE *f = fmemopen(json, sizeof(json) - 1, "w");

	if (!f)
		abort();
	wr(b, GPCLR0, 1 << 8);
	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 1);
	run(b, US);
	rd(b, SPI_CS);
	rd(b, SPI_FIFO);
	cb(b, 0x100, 0, RAM(0x1000), BUS(GPSET0), 4, 0);
	poke(b, 0x1000, 1 << 8);
	start(b, 0, 0x100);
	run(b, US);
	rd(b, 0x100000);
	wr(b, REN0, 1 << 25);
	input(b, 25, true);
	wr(b, INTC(0x14), 1u << 17);
	rd(b, INTC(0));
	rd(b, 0x3004);
	wr(b, 0x3000, 0);
	rd(b, LEV0);
	bcm2835_soc_counters(b->soc, f);
	bcm2835_soc_counters_reset(b->soc);
	fprintf(f, "\n");
	bcm2835_soc_counters(b->soc, f);
	fclose(f);
	ok(has(json, "\"reg_reads\": 6,"), "reads of the CPU");
	ok(has(json, "\"reg_writes\": 9,"), "writes of the CPU");
	ok(has(json, "\"reg_reads_spi\": 2,"), "of which SPI");
	ok(has(json, "\"reg_writes_dma\": 2,"), "and DMA");
	ok(has(json, "\"reg_reads_unknown\": 1,"), "and nobody");
	ok(has(json, "\"spi_bytes\": 1, \"spi_messages\": 1,"), "bytes and messages");
	ok(has(json, "\"spi_cs_active_ns\": {\"count\": 1, \"min\": 1160, \"max\": 1160, \"sum\": 1160},"),
	   "chip select");
	ok(has(json, "\"spi_clock_to_cs_ns\": {\"count\": 1, \"min\": 328,"), "after the clock");
	ok(has(json, "\"spi_cs_to_clock_ns\": {\"count\": 1, \"min\": 0,"), "before it");
	ok(has(json, "\"spi_byte_gap_ns\": {\"count\": 0,"), "gaps between bytes");
	ok(has(json, "\"spi_cs_gap_ns\": {\"count\": 0,"), "and between messages");
	ok(has(json, "\"interrupts\": 1,"), "interrupts of the CPU");
	ok(has(json, "\"gpio_interrupts\": 1,"), "of GPIO");
	ok(has(json, "\"gpio_reads_34\": 1,"), "registers of GPIO");
	ok(has(json, "\"intc_reads_BASIC_PENDING\": 1, \"intc_writes_ENABLE2\": 1,"),
	   "of the interrupt controller");
	ok(has(json, "\"timer_reads_CLO\": 1, \"timer_writes_CS\": 1,"), "of the timer");
	ok(has(json, "\"dma_cbs\": 1, \"dma_words\": 1,"), "blocks and words");
	ok(has(json, "\"spi_writes_CS\": 1,"), "registers by name");
	ok(has(json, "\"gpio_writes_1c\": 1,"), "also those that the DMA writes");
	ok(has(json, "\"dma0_busy_ns\": 160,"), "a channel's time");
	ok(has(strchr(json, '\n'), "\"reg_writes\": 0,"), "all 0 after a reset of the counters");
	ok(!has(strchr(json, '\n'), "_writes_CS"), "registers, too");
	ok(!has(strchr(json, '\n'), "intc_reads_"), "of all blocks");
	ok(has(strchr(json, '\n'), "\"spi_messages\": 0,"), "and messages");
	bench_free(b);
}

int main(void)
{
	functions_and_levels();
	pulls();
	edges();
	levels();
	banks();
	by_dma();
	controller();
	timer();
	window();
	other_alias();
	reset();
	counters();
	return tap_done();
}
