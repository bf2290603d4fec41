// SPDX-License-Identifier: GPL-2.0-only
/*
 * The SoC under random accesses, control blocks, edges, clocks, faults and resets: it must
 * neither crash (sanitizers) nor run without end (the alarm), and what it tells about
 * itself must stay consistent. The seeds are fixed; a seed given as an argument is
 * played alone, a second argument is the number of steps.
 */
#include <unistd.h>

#include "test_bcm2835.h"

static uint64_t rng;

static uint32_t rnd(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng >> 16;
}

static unsigned int below(unsigned int n)
{
	return rnd() % n;
}

/* Addresses that matter more often than random ones would. */
static uint32_t reg(void)
{
	static const uint16_t dma[] = { 0, 0, 0, 4, 4, 0x1c, 0x20, 0x14 };

	switch (below(8)) {
	case 0:
	case 1:
	case 2:
		return SPI_CS + 4 * below(6);
	case 3:
	case 4:
		return DMA(below(16)) + dma[below(8)];
	case 5:
		return GPIO(4 * below(64));
	case 6:
		return below(2) ? INTC(4 * below(10)) : 0x3000 + 4 * below(8);
	default:
		return below(0x1000000) & ~3u;
	}
}

static uint32_t ram(void)
{
	return RAM(0x20 * below(512) + (below(4) ? 0 : below(32)));
}

/* Where a block reads or writes: RAM, a register, nobody. */
static uint32_t bus(void)
{
	switch (below(16)) {
	case 0:
		return rnd();
	case 1:
	case 2:
	case 3:
		return BUS(reg());
	case 4:
	case 5:
		return BUS(SPI_FIFO);
	default:
		return ram();
	}
}

static uint32_t ti(void)
{
	static const uint32_t usual[] = {
		TX_DREQ | S_INC, RX_DREQ | D_INC, WAIT_RESP, S_INC | D_INC, S_IGNORE | D_INC,
		S_IGNORE | D_IGNORE, TDMODE | S_INC | D_INC, TX_DREQ | S_IGNORE,
	};

	return below(8) ? usual[below(8)] | (below(2) ? WAIT_RESP : 0) | (below(4) ? 0 : INTEN) :
	       rnd();
}

static void block(struct bench *b)
{
	uint32_t word[8], at = 0x20 * below(512);
	unsigned int i;

	for (i = 0; i < 8; i++)
		word[i] = rnd();
	word[0] = ti();
	word[1] = bus();
	word[2] = bus();
	if (below(16))
		word[3] = below(4) ? below(64) : below(4) << 16 | below(32);
	word[5] = below(3) ? ram() : below(8) ? 0 : rnd();
	memcpy(b->ram + at, word, sizeof(word));
}

static uint32_t value(void)
{
	switch (below(6)) {
	case 0:
		return 1u << below(32);
	case 1:
		return TA | (rnd() & 0x73f) | (below(2) ? DMAEN : 0);
	case 2:
		return ram();
	case 3:
		return ACTIVE | (rnd() & rnd() & 0xf0ff0006);
	case 4:
		return below(64);
	default:
		return rnd();
	}
}

static void step(struct bench *b)
{
	static const uint8_t sizes[8] = { 1, 2, 4, 4, 4, 4, 4, 8 };
	unsigned int size = sizes[below(8)];
	uint32_t at;

	switch (below(16)) {
	case 0:
	case 1:
	case 2:
		block(b);
		break;
	case 3:
		start(b, below(15), 0x20 * below(512));
		break;
	case 4:
		wr(b, SPI_DLEN, below(200));
		wr(b, SPI_CS, TA | DMAEN | below(16));
		break;
	case 5:
		bcm2835_soc_gpio_input(b->soc, below(60), below(2));
		break;
	case 6:
		if (!below(20))
			bcm2835_soc_set_core_hz(b->soc, below(2) ? 250000000 : rnd());
		if (!below(20))
			bcm2835_dma_fault(bcm2835_soc_dma(b->soc), below(16), below(5), below(9));
		if (!below(50))
			bcm2835_soc_reset(b->soc);
		if (!below(20))
			bcm2835_soc_spi_pins(b->soc, below(2));
		break;
	case 7:
		run(b, below(20) * US);
		break;
	default:
		at = reg();
		if (size == 8)
			at &= ~7u;
		if (below(2))
			bcm2835_soc_write(b->soc, at, size, value());
		else
			bcm2835_soc_read(b->soc, at, size);
		break;
	}
	run(b, below(500));
}

static bool channel_consistent(struct bench *b, unsigned int n)
{
	uint32_t cs = rd(b, DMA(n)), debug = rd(b, DMA(n) + 0x20);

	if ((cs & ACTIVE) && !rd(b, DMA(n) + 4))
		return false;	/* busy without a block */
	if ((cs & ACTIVE) && (cs & ERROR))
		return false;
	if (!(cs & ERROR) != !(debug & 7))
		return false;
	return (debug >> 4 & 15) <= 13 && (debug >> 28) == (n >= 7);
}

/* What must hold at any time, whatever has been done. */
static bool consistent(struct bench *b)
{
	uint32_t cs = rd(b, SPI_CS), ints = rd(b, DMA(0) + 0xfe0), any = 0;
	bool line54 = ((cs & INTD) && (cs & DONE)) || ((cs & INTR) && (cs & RXR));
	unsigned int n, channels = b->config.bcm2711 ? 11 : 15;

	if (b->line[54] != line54)
		return false;
	if (!(cs & TA) && (cs & (DONE | RXR)))
		return false;
	if ((cs & RXF) && !(cs & RXD))
		return false;
	for (n = 0; n < channels; n++) {
		if (!channel_consistent(b, n))
			return false;
		any |= (rd(b, DMA(n)) >> 2 & 1) << n;
	}
	if (any != ints)
		return false;
	if (b->config.bcm2711 && b->line[24] != !!(ints & 0x600))
		return false;
	if (!b->config.bcm2711 && (b->line[28] != !!ints || b->line[27] != !!(ints & 0x7800)))
		return false;
	return b->line[52] == (rd(b, GPIO(0x40)) || rd(b, GPIO(0x44)));
}

static void play(uint64_t seed, unsigned int steps)
{
	struct bcm2835_soc_config config = { 0 };
	struct bench *b;
	unsigned int i;

	rng = seed * 0x9e3779b97f4a7c15ull + 1;
	config.spi_errata = rnd() & 7;
	config.dma_errata = rnd() & 3;
	config.intc_edge = below(2);
	config.bcm2711 = below(2);
	b = bench_new(&config, below(2));
	for (i = 0; i < 300; i++)
		block(b);
	for (i = 0; i < steps; i++) {
		step(b);
		if (!(i % 16) && !consistent(b))
			break;
	}
	is(i, steps, "seed %llu: %u steps, state consistent", (unsigned long long)seed, steps);
	for (i = 0; i < 15; i++)
		wr(b, DMA(i), RESET);
	run(b, 10 * US);
	wr(b, SPI_CS, CLEAR_TX | CLEAR_RX | DONE);
	for (i = 0; i < 4; i++)
		wr(b, 0x300c + 4 * i, 0);
	run(b, MS);
	ok(sim_next(&b->sim) > b->sim.now + 1000 * MS, "seed %llu: it can be stopped",
	   (unsigned long long)seed);
	bench_free(b);
}

int main(int argc, char **argv)
{
	unsigned int steps = argc > 2 ? strtoul(argv[2], NULL, 0) : 10000;
	uint64_t seed;

	alarm(600);
	if (argc > 1)
		play(strtoull(argv[1], NULL, 0), steps);
	else
		for (seed = 1; seed <= 12; seed++)
			play(seed, steps);
	return tap_done();
}
