// SPDX-License-Identifier: GPL-2.0-only
/*
 * The CAN controller of the Intel EG20T PCH: a Bosch C_CAN as PCI function
 * 8086:8818. Its 16-bit registers lie 4 bytes apart in BAR 1 and are reached by
 * 32-bit accesses; 0x1FC is a reset of the block that software sets and clears.
 */
#include <stdlib.h>

#include "boards.h"

#define PCH_BAR		1
#define PCH_SOFT_RESET	0x1fc
#define PCH_CLOCK_HZ	50000000

struct pch {
	struct board board;
	struct sim *sim;
	struct c_can *can;
	bool all_ones;
	bool in_reset;
};

static struct pch *to_pch(struct board *board)
{
	return (struct pch *)board;
}

static void pch_irq(void *arg, bool level)
{
	struct pch *p = arg;

	sim_set_irq(p->sim, 0, level);
}

static struct board *pch_create(struct sim *sim, struct canbus *bus,
				const struct board_option *options, size_t count, char *err,
				size_t errlen)
{
	struct can_options o = { .objects = 32, .clock_hz = PCH_CLOCK_HZ };
	struct c_can_config config;
	struct pch *p;

	for (size_t i = 0; i < count; i++) {
		int taken = can_option(&o, &options[i], err, errlen);

		if (taken > 0)
			continue;
		if (!taken)
			snprintf(err, errlen, "board pch has no option '%s' (it has errata, broken, clock)",
				 options[i].name);
		return NULL;
	}
	p = calloc(1, sizeof(*p));
	if (!p)
		abort();
	p->board.type = &board_pch;
	p->sim = sim;
	p->all_ones = o.all_ones;
	config = (struct c_can_config){
		.type = C_CAN_BOSCH,
		.objects = o.objects,
		.clock_hz = o.clock_hz,
		.errata = o.errata,
	};
	p->can = c_can_new(sim, bus, &config, pch_irq, p);
	return &p->board;
}

static void pch_destroy(struct board *board)
{
	struct pch *p = to_pch(board);

	c_can_free(p->can);
	free(p);
}

static void pch_reset(struct board *board)
{
	struct pch *p = to_pch(board);

	p->in_reset = false;
	c_can_reset(p->can);
}

static uint64_t pch_read(struct board *board, unsigned int bar, uint64_t off, unsigned int size)
{
	struct pch *p = to_pch(board);
	uint32_t value;

	if (p->all_ones)
		return UINT64_MAX;
	if (bar != PCH_BAR)
		return 0;
	if (size == 8)
		return pch_read(board, bar, off, 4) | pch_read(board, bar, off + 4, 4) << 32;
	if ((off & ~3ull) == PCH_SOFT_RESET)
		value = p->in_reset;
	else if (p->in_reset)
		value = 0;
	else if (off & 2)
		return 0;	/* the unused half of a register */
	else
		return c_can_read(p->can, (unsigned int)(off / 4 * 2 + (off & 1)),
				  size > 2 ? 2 : size);
	return value >> 8 * (off & 3);
}

static void pch_write(struct board *board, unsigned int bar, uint64_t off, unsigned int size,
		      uint64_t value)
{
	struct pch *p = to_pch(board);

	if (p->all_ones || bar != PCH_BAR)
		return;
	if (size == 8) {
		pch_write(board, bar, off, 4, value & UINT32_MAX);
		pch_write(board, bar, off + 4, 4, value >> 32);
		return;
	}
	if (off == PCH_SOFT_RESET) {
		if (!p->in_reset && (value & 1))
			c_can_reset(p->can);
		p->in_reset = value & 1;
	} else if (!p->in_reset && !(off & 2)) {
		c_can_write(p->can, (unsigned int)(off / 4 * 2 + (off & 1)), size > 2 ? 2 : size,
			    value & 0xffff);
	}
}

static void pch_counters(struct board *board, FILE *out)
{
	can_counters(to_pch(board)->can, out);
}

static void pch_counters_reset(struct board *board)
{
	c_can_stats_reset(to_pch(board)->can);
}

const struct board_type board_pch = {
	.name = "pch",
	.about = "Intel EG20T PCH CAN controller (C_CAN on PCI)",
	.vendor = 0x8086,
	.device = 0x8818,
	.class = 0x0c0900,
	.revision = 0x02,
	.bar_size = { [PCH_BAR] = 0x200 },
	.msi = true,
	.create = pch_create,
	.destroy = pch_destroy,
	.reset = pch_reset,
	.read = pch_read,
	.write = pch_write,
	.counters = pch_counters,
	.counters_reset = pch_counters_reset,
};
