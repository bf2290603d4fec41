// SPDX-License-Identifier: GPL-2.0-only
/* GPIO (BCM2835 ARM Peripherals, chapter 6; pulls: BCM2711 ARM Peripherals, GPIO chapter). */
#include <stdlib.h>
#include <string.h>

#include "bcm2835_gpio.h"

/* Registers come in pairs of words, lines 0 to 31 and 32 to 53. */
enum {
	FSEL = 0x00, FSEL_END = 0x18,
	SET = 0x1c, CLR = 0x28, LEV = 0x34, EDS = 0x40,
	REN = 0x4c, FEN = 0x58, HEN = 0x64, LEN = 0x70, AREN = 0x7c, AFEN = 0x88,
	PUD = 0x94, PUDCLK = 0x98,
	PULL_2711 = 0xe4, PULL_2711_END = 0xf4,
};

#define LINES	((1ull << BCM2835_GPIO_LINES) - 1)
/* lines that have a pull-up after reset: 0 to 8, 34 to 36, 46 to 53 (6.2, table) */
#define PULL_UP	(0x1ffull | 7ull << 34 | 0xffull << 46)

enum pull { PULL_NONE, PULL_DOWN, PULL_UPWARD };

struct bcm2835_gpio {
	struct sim *sim;
	bool bcm2711;
	struct bcm2835_gpio_ops ops;
	void *arg;

	uint8_t function[BCM2835_GPIO_LINES];
	uint64_t latch;			/* of the outputs */
	uint64_t alt0;			/* what peripherals drive */
	uint64_t outside;		/* what the world drives ... */
	uint64_t driven;		/* ... and where it does */
	uint64_t pull_up;		/* else the line is low */
	uint64_t pulled;		/* has any pull */
	uint64_t level;
	uint64_t ren, fen, hen, len, aren, afen;
	uint64_t eds;
	uint32_t pud;
	bool irq[4];
	struct bcm2835_gpio_stats stats;
};

static uint64_t input_level(const struct bcm2835_gpio *g)
{
	return (g->outside & g->driven) | (g->pull_up & ~g->driven);
}

static uint64_t levels(const struct bcm2835_gpio *g)
{
	uint64_t level = input_level(g);
	unsigned int n;

	for (n = 0; n < BCM2835_GPIO_LINES; n++) {
		uint64_t bit = 1ull << n;

		if (g->function[n] == BCM2835_GPIO_OUT)
			level = (level & ~bit) | (g->latch & bit);
		else if (g->function[n] == BCM2835_GPIO_ALT0)
			level = (level & ~bit) | (g->alt0 & bit);
		else if (g->function[n] != BCM2835_GPIO_IN)
			level &= ~bit;	/* peripherals that are not here */
	}
	return level & LINES;
}

static void update_irq(struct bcm2835_gpio *g)
{
	/* which lines belong to which interrupt is in the kernel's driver only */
	static const uint64_t mask[4] = {
		(1ull << 28) - 1, ((1ull << 46) - 1) & ~((1ull << 28) - 1),
		LINES & ~((1ull << 46) - 1), LINES,
	};
	unsigned int i;

	for (i = 0; i < 4; i++) {
		bool irq = g->eds & mask[i];

		if (irq == g->irq[i])
			continue;
		g->irq[i] = irq;
		if (i < 3)
			g->stats.interrupts += irq;
		if (g->ops.irq)
			g->ops.irq(g->arg, i, irq);
	}
}

/*
 * Level bits come back as long as the level stands (GPHEN, GPLEN). A sampled edge needs
 * a level for two clocks of the system, which is less than a nanosecond's event can tell;
 * sampled and asynchronous detection are the same here.
 */
static void detect(struct bcm2835_gpio *g, uint64_t rose, uint64_t fell)
{
	g->eds |= rose & (g->ren | g->aren);
	g->eds |= fell & (g->fen | g->afen);
	g->eds |= g->level & g->hen;
	g->eds |= ~g->level & g->len & LINES;
	update_irq(g);
}

/* Something that decides on levels has changed. */
static void update(struct bcm2835_gpio *g)
{
	uint64_t level = levels(g), changed = level ^ g->level;
	unsigned int n;

	g->level = level;
	detect(g, changed & level, changed & ~level);
	for (n = 0; changed >> n; n++)
		if (changed >> n & 1 && g->ops.level)
			g->ops.level(g->arg, n, level >> n & 1);
}

static uint32_t read_fsel(const struct bcm2835_gpio *g, unsigned int first)
{
	uint32_t value = 0;
	unsigned int i;

	for (i = 0; i < 10 && first + i < BCM2835_GPIO_LINES; i++)
		value |= (uint32_t)g->function[first + i] << 3 * i;
	return value;
}

static void write_fsel(struct bcm2835_gpio *g, unsigned int first, uint32_t value)
{
	unsigned int i;

	for (i = 0; i < 10 && first + i < BCM2835_GPIO_LINES; i++)
		g->function[first + i] = value >> 3 * i & 7;
	update(g);
}

static void set_pull(struct bcm2835_gpio *g, unsigned int n, enum pull pull)
{
	uint64_t bit = 1ull << n;

	g->pull_up &= ~bit;
	g->pulled &= ~bit;
	if (pull == PULL_UPWARD)
		g->pull_up |= bit;
	if (pull != PULL_NONE)
		g->pulled |= bit;
}

/* BCM2835: lines whose GPPUDCLK bit is set take what GPPUD says. */
static void write_pudclk(struct bcm2835_gpio *g, uint64_t lines)
{
	static const enum pull pull[4] = { PULL_NONE, PULL_DOWN, PULL_UPWARD, PULL_NONE };
	unsigned int n;

	for (n = 0; n < BCM2835_GPIO_LINES; n++)
		if (lines >> n & 1)
			set_pull(g, n, pull[g->pud]);
	update(g);
}

/* BCM2711: two bits a line, 0 none, 1 up, 2 down. */
static void write_pull_2711(struct bcm2835_gpio *g, unsigned int first, uint32_t value)
{
	static const enum pull pull[4] = { PULL_NONE, PULL_UPWARD, PULL_DOWN, PULL_NONE };
	unsigned int i;

	for (i = 0; i < 16 && first + i < BCM2835_GPIO_LINES; i++)
		set_pull(g, first + i, pull[value >> 2 * i & 3]);
	update(g);
}

static uint32_t read_pull_2711(const struct bcm2835_gpio *g, unsigned int first)
{
	uint32_t value = 0;
	unsigned int i;

	for (i = 0; i < 16 && first + i < BCM2835_GPIO_LINES; i++) {
		if (g->pulled >> (first + i) & 1)
			value |= (g->pull_up >> (first + i) & 1 ? 1u : 2u) << 2 * i;
	}
	return value;
}

/* The pair of words that @offset is in; @base is set to where it begins. */
static uint64_t *pair(struct bcm2835_gpio *g, unsigned int offset, unsigned int *base)
{
	static const uint8_t at[] = { REN, FEN, HEN, LEN, AREN, AFEN };
	uint64_t *word[] = { &g->ren, &g->fen, &g->hen, &g->len, &g->aren, &g->afen };
	unsigned int i;

	for (i = 0; i < sizeof(at); i++) {
		*base = at[i];
		if (offset == at[i] || offset == at[i] + 4u)
			return word[i];
	}
	return NULL;
}

static uint32_t half(uint64_t value, unsigned int offset, unsigned int base)
{
	return value >> (offset == base ? 0 : 32);
}

static uint64_t whole(uint32_t value, unsigned int offset, unsigned int base)
{
	return (uint64_t)value << (offset == base ? 0 : 32) & LINES;
}

uint32_t bcm2835_gpio_read(struct bcm2835_gpio *g, unsigned int offset)
{
	unsigned int base;
	uint64_t *word;

	if (offset >= BCM2835_GPIO_SIZE)
		return 0;
	g->stats.reads[offset / 4]++;
	if (offset < FSEL_END)
		return read_fsel(g, offset / 4 * 10);
	if (offset == LEV || offset == LEV + 4)
		return half(g->level, offset, LEV);
	if (offset == EDS || offset == EDS + 4)
		return half(g->eds, offset, EDS);
	word = pair(g, offset, &base);
	if (word)
		return half(*word, offset, base);
	if (g->bcm2711 && offset >= PULL_2711 && offset < PULL_2711_END)
		return read_pull_2711(g, (offset - PULL_2711) / 4 * 16);
	if (!g->bcm2711 && offset == PUD)
		return g->pud;
	return 0;
}

void bcm2835_gpio_write(struct bcm2835_gpio *g, unsigned int offset, uint32_t value)
{
	unsigned int base;
	uint64_t *word;

	if (offset >= BCM2835_GPIO_SIZE)
		return;
	g->stats.writes[offset / 4]++;
	word = pair(g, offset, &base);
	if (offset < FSEL_END) {
		write_fsel(g, offset / 4 * 10, value);
	} else if (offset == SET || offset == SET + 4) {
		g->latch |= whole(value, offset, SET);
		update(g);
	} else if (offset == CLR || offset == CLR + 4) {
		g->latch &= ~whole(value, offset, CLR);
		update(g);
	} else if (offset == EDS || offset == EDS + 4) {
		g->eds &= ~whole(value, offset, EDS);
		detect(g, 0, 0);
	} else if (word) {
		*word = (*word & ~whole(UINT32_MAX, offset, base)) | whole(value, offset, base);
		detect(g, 0, 0);
	} else if (g->bcm2711 && offset >= PULL_2711 && offset < PULL_2711_END) {
		write_pull_2711(g, (offset - PULL_2711) / 4 * 16, value);
	} else if (!g->bcm2711 && offset == PUD) {
		g->pud = value & 3;
	} else if (!g->bcm2711 && (offset == PUDCLK || offset == PUDCLK + 4)) {
		write_pudclk(g, whole(value, offset, PUDCLK));
	}
}

static void drive(uint64_t *word, unsigned int n, bool level)
{
	if (level)
		*word |= 1ull << n;
	else
		*word &= ~(1ull << n);
}

void bcm2835_gpio_input(struct bcm2835_gpio *g, unsigned int n, bool level)
{
	if (n >= BCM2835_GPIO_LINES)
		return;
	g->driven |= 1ull << n;
	drive(&g->outside, n, level);
	update(g);
}

void bcm2835_gpio_alt0(struct bcm2835_gpio *g, unsigned int n, bool level)
{
	if (n >= BCM2835_GPIO_LINES)
		return;
	drive(&g->alt0, n, level);
	update(g);
}

bool bcm2835_gpio_level(const struct bcm2835_gpio *g, unsigned int n)
{
	return n < BCM2835_GPIO_LINES && (g->level >> n & 1);
}

unsigned int bcm2835_gpio_function(const struct bcm2835_gpio *g, unsigned int n)
{
	return n < BCM2835_GPIO_LINES ? g->function[n] : BCM2835_GPIO_IN;
}

struct bcm2835_gpio *bcm2835_gpio_new(struct sim *sim, bool bcm2711,
				      const struct bcm2835_gpio_ops *ops, void *arg)
{
	struct bcm2835_gpio *g = calloc(1, sizeof(*g));

	if (!g)
		abort();
	g->sim = sim;
	g->bcm2711 = bcm2711;
	if (ops)
		g->ops = *ops;
	g->arg = arg;
	g->level = PULL_UP;
	bcm2835_gpio_reset(g);
	return g;
}

void bcm2835_gpio_free(struct bcm2835_gpio *g)
{
	free(g);
}

void bcm2835_gpio_reset(struct bcm2835_gpio *g)
{
	memset(g->function, BCM2835_GPIO_IN, sizeof(g->function));
	g->latch = 0;
	g->pull_up = PULL_UP;
	g->pulled = LINES;
	g->ren = 0;
	g->fen = 0;
	g->hen = 0;
	g->len = 0;
	g->aren = 0;
	g->afen = 0;
	g->pud = 0;
	update(g);
	g->eds = 0;
	update_irq(g);
}

const struct bcm2835_gpio_stats *bcm2835_gpio_stats(const struct bcm2835_gpio *g)
{
	return &g->stats;
}

void bcm2835_gpio_stats_reset(struct bcm2835_gpio *g)
{
	memset(&g->stats, 0, sizeof(g->stats));
}
