// SPDX-License-Identifier: GPL-2.0-only
/*
 * DCAN0 of a TI AM335x (or, by option, of a DRA7) with the word of the control
 * module that initialises its message RAM, behind BAR 0 of a test PCI function.
 * The guest's device tree (tests/rig/dts/am335x.dtsi) puts the parts where they
 * are on the chip; a glue module gives it the interrupt line.
 *
 *	0x0000	DCAN0
 *	0x4000	control module
 *	0x8000	interrupt controller, line 0: DCAN0 INT0
 */
#include <stdlib.h>
#include <string.h>

#include "boards.h"

#define DCAN_BASE	0x0000
#define DCAN_SIZE	0x200
#define SCM_BASE	0x4000
#define SCM_SIZE	0x800
#define INTC_BASE	0x8000

/**
 * struct raminit_word - where the RAMINIT bits of DCAN0 are
 * @offset: in the control module
 * @start: start bit, done when it rises
 * @done: set at the end, cleared by writing one
 * @pulse: start must go back to 0 at once: the RAM stays under initialisation
 *	while it is 1, and is unusable
 */
struct raminit_word {
	const char *variant;
	unsigned int offset;
	uint32_t start;
	uint32_t done;
	bool pulse;
};

static const struct raminit_word raminit_words[] = {
	{ "am3352", 0x644, 1u << 0, 1u << 8, false },
	{ "dra7", 0x558, 1u << 3, 1u << 1, true },
};

struct am335x {
	struct board board;
	struct c_can *can;
	struct intc intc;
	const struct raminit_word *word;
	uint32_t control;	/* what was written to the word, without done bits */
	bool running;		/* an initialisation whose end software has not cleared */
	bool all_ones;
};

static struct am335x *to_am335x(struct board *board)
{
	return (struct am335x *)board;
}

static void am335x_irq(void *arg, bool level)
{
	struct am335x *b = arg;

	intc_line(&b->intc, 0, level);
}

static int am335x_option(struct am335x *b, struct can_options *o, const struct board_option *opt,
			 char *err, size_t errlen)
{
	if (strcmp(opt->name, "variant"))
		return can_option(o, opt, err, errlen);
	for (size_t i = 0; i < sizeof(raminit_words) / sizeof(raminit_words[0]); i++) {
		if (!strcmp(opt->value, raminit_words[i].variant)) {
			b->word = &raminit_words[i];
			return 1;
		}
	}
	snprintf(err, errlen, "variant=%s: wanted am3352 or dra7", opt->value);
	return -1;
}

static struct board *am335x_create(struct sim *sim, struct canbus *bus,
				   const struct board_option *options, size_t count, char *err,
				   size_t errlen)
{
	struct can_options o = { .objects = 64, .clock_hz = 24000000, .parity_ram = true };
	struct c_can_config config;
	struct am335x *b = calloc(1, sizeof(*b));

	if (!b)
		abort();
	b->board.type = &board_am335x;
	b->word = &raminit_words[0];
	for (size_t i = 0; i < count; i++) {
		int taken = am335x_option(b, &o, &options[i], err, errlen);

		if (taken > 0)
			continue;
		if (!taken)
			snprintf(err, errlen,
				 "board am335x has no option '%s' (it has variant, errata, broken, objects, clock, parity)",
				 options[i].name);
		free(b);
		return NULL;
	}
	b->all_ones = o.all_ones;
	intc_init(&b->intc, sim);
	config = (struct c_can_config){
		.type = D_CAN_TI,
		.objects = o.objects,
		.clock_hz = o.clock_hz,
		.errata = o.errata,
		.parity_ram = o.parity_ram,
	};
	b->can = c_can_new(sim, bus, &config, am335x_irq, b);
	return &b->board;
}

static void am335x_destroy(struct board *board)
{
	struct am335x *b = to_am335x(board);

	c_can_free(b->can);
	free(b);
}

static void am335x_reset(struct board *board)
{
	struct am335x *b = to_am335x(board);

	intc_reset(&b->intc);
	b->control = 0;
	b->running = false;
	c_can_raminit(b->can, false);
	c_can_reset(b->can);
}

static uint32_t scm_read(struct am335x *b, unsigned int off)
{
	if (off != b->word->offset)
		return 0;
	return b->control | (b->running && c_can_raminit_done(b->can) ? b->word->done : 0);
}

static void scm_write(struct am335x *b, unsigned int off, uint32_t value)
{
	bool was = b->control & b->word->start, start = value & b->word->start;

	if (off != b->word->offset)
		return;
	if ((value & b->word->done) && c_can_raminit_done(b->can))
		b->running = false;
	b->control = value & b->word->start;
	if (start && !was)
		b->running = true;
	if (start != was)
		c_can_raminit(b->can, start);
}

/* On the DRA7 the RAM belongs to the initialisation for as long as start is 1. */
static bool dcan_blocked(const struct am335x *b)
{
	return b->word->pulse && (b->control & b->word->start);
}

static uint64_t am335x_read(struct board *board, unsigned int bar, uint64_t off, unsigned int size)
{
	struct am335x *b = to_am335x(board);
	unsigned int at = (unsigned int)off;

	if (bar)
		return 0;
	if (size == 8)
		return am335x_read(board, bar, off, 4) | am335x_read(board, bar, off + 4, 4) << 32;
	if (at - DCAN_BASE < DCAN_SIZE) {
		if (b->all_ones)
			return UINT32_MAX;
		return dcan_blocked(b) ? 0 : c_can_read(b->can, at - DCAN_BASE, size);
	}
	if (at - SCM_BASE < SCM_SIZE)
		return scm_read(b, (at - SCM_BASE) & ~3u) >> 8 * (at & 3);
	if (at - INTC_BASE < INTC_SIZE && size == 4)
		return intc_read(&b->intc, at - INTC_BASE);
	return 0;
}

static void am335x_write(struct board *board, unsigned int bar, uint64_t off, unsigned int size,
			 uint64_t value)
{
	struct am335x *b = to_am335x(board);
	unsigned int at = (unsigned int)off;

	if (bar)
		return;
	if (size == 8) {
		am335x_write(board, bar, off, 4, value & UINT32_MAX);
		am335x_write(board, bar, off + 4, 4, value >> 32);
	} else if (at - DCAN_BASE < DCAN_SIZE) {
		if (!b->all_ones && !dcan_blocked(b))
			c_can_write(b->can, at - DCAN_BASE, size, (uint32_t)value);
	} else if (size == 4 && at - SCM_BASE < SCM_SIZE) {
		scm_write(b, at - SCM_BASE, (uint32_t)value);
	} else if (size == 4 && at - INTC_BASE < INTC_SIZE) {
		intc_write(&b->intc, at - INTC_BASE, (uint32_t)value);
	}
}

static void am335x_counters(struct board *board, FILE *out)
{
	can_counters(to_am335x(board)->can, out);
	intc_counters(&to_am335x(board)->intc, out);
}

static void am335x_counters_reset(struct board *board)
{
	c_can_stats_reset(to_am335x(board)->can);
	intc_counters_reset(&to_am335x(board)->intc);
}

const struct board_type board_am335x = {
	.name = "am335x",
	.about = "TI AM335x or DRA7 DCAN0 and its RAMINIT word (D_CAN by device tree)",
	.vendor = 0x1234,
	.device = 0x335a,
	.class = 0xff0000,
	.bar_size = { 0x10000 },
	.msi = true,
	.create = am335x_create,
	.destroy = am335x_destroy,
	.reset = am335x_reset,
	.read = am335x_read,
	.write = am335x_write,
	.counters = am335x_counters,
	.counters_reset = am335x_counters_reset,
};
