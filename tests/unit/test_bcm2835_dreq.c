// SPDX-License-Identifier: GPL-2.0-only
/* SPI0 in DMA mode: header, packing, DLEN, requests. */
#include "test_bcm2835.h"

static void deselect(struct bench *b)
{
	wr(b, GPSET0, 1 << 8 | 1 << 7);
}

static void packing(void)
{
	struct bench *b = loop_bench(NULL);

	wr(b, GPSET0, 1 << 7);
	wr(b, GPCLR0, 1 << 8);
	run(b, US);
	wr(b, SPI_DLEN, 6);
	wr(b, SPI_CS, TA | DMAEN | 3);
	wr(b, SPI_FIFO, 0xbeef0102);
	wr(b, SPI_FIFO, 0xffffadde);
	run(b, 20 * US);
	is(spi_stats(b)->bytes, 6, "DLEN 6: six bytes");
	is(rd(b, SPI_CS) & DONE, DONE, "done");
	is(rd(b, SPI_DLEN), 0, "DLEN has counted to 0");
	deselect(b);
	is(spi_memory_data(b->memory)[0x01ef], 0xbe, "low byte first: command, address, data");
	is(spi_memory_data(b->memory)[0x01f0], 0xde, "second word");
	is(spi_memory_data(b->memory)[0x01f1], 0xad, "its second byte");
	is(spi_memory_data(b->memory)[0x01f2], 0, "the rest of the word is not sent");
	is(rd(b, SPI_FIFO), 0x5a5a5a5a, "RX: four bytes a read");
	is(rd(b, SPI_FIFO), 0x00005a5a, "the last word is partial");
	is(rd(b, SPI_CS) & RXD, 0, "nothing more");
	bench_free(b);
}

static void countdown(void)
{
	struct bench *b = loop_bench(NULL);

	wr(b, SPI_DLEN, 8);
	wr(b, SPI_CS, TA | DMAEN | 3);
	wr(b, SPI_FIFO, 0);
	run(b, 11);
	is(rd(b, SPI_DLEN), 8, "three core clocks before the first bit");
	run(b, 1);
	is(rd(b, SPI_DLEN), 7, "then it begins");
	run(b, 3 * 8 * CLOCK);
	is(rd(b, SPI_DLEN), 4, "three bytes are over, the fourth is under way");
	run(b, 20 * US);
	is(rd(b, SPI_DLEN), 4, "the TX FIFO is empty: the clock rests");
	ok(!(rd(b, SPI_CS) & DONE), "that is not DONE in DMA mode");
	wr(b, SPI_FIFO, 0);
	run(b, 4 * 8 * CLOCK - 1);
	ok(!(rd(b, SPI_CS) & DONE), "not before the last clock");
	run(b, 1);
	is(rd(b, SPI_CS) & DONE, DONE, "DONE when DLEN has run out and the wire is still");
	is(bus_stats(b)->byte_gap.count, 1, "one gap");
	bench_free(b);
}

static void header(void)
{
	struct bench *b = bench_new(NULL, true);

	wr(b, SPI_CLK, 26);
	wr(b, SPI_CS, DMAEN | INTD | ADCS | 1);
	wr(b, SPI_FIFO, 3 << 16 | CLEAR_TX | CLEAR_RX | TA);
	is(rd(b, SPI_DLEN), 3, "header: DLEN");
	is(rd(b, SPI_CS) & 0xfff, TA | DMAEN | INTD | ADCS, "bits 7 to 0 of CS, and no others");
	is(spi_stats(b)->headers, 1, "counted");
	run(b, US);
	wr(b, SPI_FIFO, 0x99000003);
	ok(!bcm2835_soc_gpio_level(b->soc, 8), "chip select is active");
	run(b, 3 * 8 * CLOCK + 4);
	ok(bcm2835_soc_gpio_level(b->soc, 8) && b->line[54], "ADCS: released at the end");
	is(b->cs_at[1][0] - b->line_at[54], 4, "one core clock after the last edge");
	is(spi_checker_length(b->checker), 3, "3 bytes");
	is(bus_stats(b)->cs_to_clock.min >= 12, 1, "three core clocks before the first one");
	is(spi_checker_faults(b->checker, SPI_FAULT_GLITCH), 0, "no glitch");
	/* the surplus byte is still in the FIFO; a word with TA = 0 is a header */
	wr(b, SPI_CS, DMAEN | DONE | CLEAR_TX | CLEAR_RX);
	run(b, US);
	wr(b, SPI_FIFO, 0x1234000c);
	is(rd(b, SPI_DLEN), 0x1234, "one word too many after TA = 0 is a header: DLEN");
	is(rd(b, SPI_CS) & 0xff, CPOL | CPHA, "and the mode");
	bench_free(b);

	/* with DMAEN = 0 DLEN serves to leave out the idle clock only */
	b = loop_bench(NULL);
	wr(b, SPI_CS, 3);
	wr(b, SPI_FIFO, 0x00050083);
	is(rd(b, SPI_DLEN), 5, "DMAEN = 0: a header, too");
	wr(b, SPI_FIFO, 0x111142);
	wr(b, SPI_FIFO, 0x43);
	run(b, 16 * CLOCK);
	is(rd(b, SPI_CS) & DONE, DONE, "then bytes, eight clocks each");
	is(rd(b, SPI_FIFO) | rd(b, SPI_FIFO) << 8, 0x4342, "one a write");
	bench_free(b);
}

/* Requests are looked at by channels that would move a word as soon as there is one. */
static void tx_request(void)
{
	struct bcm2835_soc_config config = {
		.spi_errata = BCM2835_SPI_ERRATUM_DREQ_AFTER_END,
	};
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct bench *b = loop_bench(i ? &config : NULL);

		fill(b, 256);
		cb(b, 0x100, TX_DREQ | S_INC, RAM(TX_BUF), BUS(SPI_FIFO), 256, 0);
		start(b, 0, 0x100);
		run(b, 100 * US);
		is(dma_stats(b, 0)->words, 0, "DMAEN = 0: no request");
		wr(b, SPI_CLK, 0);		/* 2 ms a byte */
		wr(b, SPI_DLEN, 20);
		wr(b, SPI_CS, TA | DMAEN | 3);
		run(b, 100 * US);
		is(dma_stats(b, 0)->words, i ? 9 : 5,
		   i ? "a request while there are up to 32 bytes: 9 words, one byte is out" :
		   "20 bytes: 5 words, and it is enough");
		wr(b, SPI_CLK, 26);
		run(b, 100 * MS);
		is(rd(b, SPI_CS) & DONE, DONE, "done");
		is(spi_stats(b)->bytes, 20, "20 bytes");
		is(dma_stats(b, 0)->words, i ? 14 : 5,
		   i ? "after the end it is filled to 36 bytes" : "no request after the end");
		bench_free(b);
	}
}

static void tx_threshold(void)
{
	struct bench *b = loop_bench(NULL);

	fill(b, 256);
	cb(b, 0x100, TX_DREQ | S_INC, RAM(TX_BUF), BUS(SPI_FIFO), 256, 0);
	wr(b, SPI_CLK, 0);
	wr(b, SPI_DC, 0x30201008);
	wr(b, SPI_DLEN, 256);
	wr(b, SPI_CS, TA | DMAEN | 3);
	start(b, 0, 0x100);
	run(b, 100 * US);
	is(dma_stats(b, 0)->words, 3, "TDREQ 8: a request at up to 8 bytes");
	is(rd(b, DMA(0)) & 0x28, 0x20, "CS shows it: DREQ low, the channel waits");
	wr(b, SPI_DC, 0x30201020);
	run(b, US);
	is(dma_stats(b, 0)->words, 9, "TDREQ 32: the channel goes on by itself");
	bench_free(b);
}

static void rx_request(void)
{
	struct bench *b = loop_bench(NULL);

	fill(b, 64);
	cb(b, 0x140, RX_DREQ | D_INC, BUS(SPI_FIFO), RAM(RX_BUF), 64, 0);
	start(b, 5, 0x140);
	wr(b, SPI_CS, TA | 3);
	wr(b, SPI_FIFO, 0);
	run(b, US);
	is(dma_stats(b, 5)->words, 0, "DMAEN = 0: no request, with a byte there");
	wr(b, DMA(5), RESET);
	wr(b, SPI_CS, CLEAR_RX | 3);
	bcm2835_soc_counters_reset(b->soc);
	wr(b, SPI_DLEN, 38);
	wr(b, SPI_CS, TA | DMAEN | 3);
	cb(b, 0x100, TX_DREQ | S_INC, RAM(TX_BUF), BUS(SPI_FIFO), 40, 0);
	start(b, 0, 0x100);
	start(b, 5, 0x140);
	while (spi_stats(b)->bytes < 32)
		run(b, 1);
	run(b, CLOCK);
	is(dma_stats(b, 5)->words, 0, "32 bytes are not more than RDREQ");
	while (spi_stats(b)->bytes < 33)
		run(b, 1);
	run(b, CLOCK);
	is(dma_stats(b, 5)->words, 1, "with the 33rd there is a request, for one word");
	while (spi_stats(b)->bytes < 37)
		run(b, 1);
	run(b, CLOCK);
	is(dma_stats(b, 5)->words, 2, "with the 37th another one");
	run(b, 10 * US);
	is(dma_stats(b, 5)->words, 10, "finished and not empty: the rest");
	is(rd(b, DMA(5)) & ACTIVE, ACTIVE, "the block asked for more: it waits");
	ok(!memcmp(b->ram + TX_BUF, b->ram + RX_BUF, 38), "38 bytes are right");
	is(b->ram[RX_BUF + 38], 0, "the last word is filled up with zeros");
	is(b->ram[RX_BUF + 40], 0xee, "and that is all");
	bench_free(b);
}

int main(void)
{
	packing();
	countdown();
	header();
	tx_request();
	tx_threshold();
	rx_request();
	return tap_done();
}
