// SPDX-License-Identifier: GPL-2.0-only
/*
 * CAN0 of an Altera (Intel) Cyclone V HPS: a Bosch D_CAN with 128 objects, the
 * bit of the reset manager that holds it in reset, behind BAR 0 of a test PCI
 * function. The guest's device tree is tests/rig/dts/cyclone5.dtsi.
 *
 *	0x0000	CAN0
 *	0x4000	reset manager (only the peripherals' register, where CAN0 is bit 24;
 *		at the place where the Stratix 10 has it, whose driver the guest has)
 *	0x8000	interrupt controller, line 0: message objects and status
 */
#include <stdlib.h>
#include <string.h>

#include "boards.h"

#define CAN_BASE	0x0000
#define CAN_SIZE	0x200
#define RSTMGR_BASE	0x4000
#define PERMODRST	0x24
#define PERMODRST_CAN0	(1u << 24)
#define INTC_BASE	0x8000

struct cyclone5 {
	struct board board;
	struct c_can *can;
	struct intc intc;
	uint32_t permodrst;
	uint32_t permodrst_boot;	/* as the boot loader leaves it */
	bool all_ones;
};

static struct cyclone5 *to_cyclone5(struct board *board)
{
	return (struct cyclone5 *)board;
}

static void cyclone5_irq(void *arg, bool level)
{
	struct cyclone5 *b = arg;

	intc_line(&b->intc, 0, level);
}

static int cyclone5_option(struct cyclone5 *b, struct can_options *o,
			   const struct board_option *opt, char *err, size_t errlen)
{
	if (strcmp(opt->name, "reset"))
		return can_option(o, opt, err, errlen);
	if (!strcmp(opt->value, "held")) {
		b->permodrst_boot = PERMODRST_CAN0;
	} else if (strcmp(opt->value, "released")) {
		snprintf(err, errlen, "reset=%s: wanted held or released", opt->value);
		return -1;
	}
	return 1;
}

static struct board *cyclone5_create(struct sim *sim, struct canbus *bus,
				     const struct board_option *options, size_t count, char *err,
				     size_t errlen)
{
	struct can_options o = { .objects = 128, .clock_hz = 100000000, .parity_ram = true };
	struct c_can_config config;
	struct cyclone5 *b = calloc(1, sizeof(*b));

	if (!b)
		abort();
	b->board.type = &board_cyclone5;
	for (size_t i = 0; i < count; i++) {
		int taken = cyclone5_option(b, &o, &options[i], err, errlen);

		if (taken > 0)
			continue;
		if (!taken)
			snprintf(err, errlen,
				 "board cyclone5 has no option '%s' (it has reset, errata, broken, objects, clock, parity)",
				 options[i].name);
		free(b);
		return NULL;
	}
	b->permodrst = b->permodrst_boot;
	b->all_ones = o.all_ones;
	intc_init(&b->intc, sim);
	config = (struct c_can_config){
		.type = D_CAN_BOSCH,
		.objects = o.objects,
		.clock_hz = o.clock_hz,
		.errata = o.errata,
		.parity_ram = o.parity_ram,
	};
	b->can = c_can_new(sim, bus, &config, cyclone5_irq, b);
	return &b->board;
}

static void cyclone5_destroy(struct board *board)
{
	struct cyclone5 *b = to_cyclone5(board);

	c_can_free(b->can);
	free(b);
}

static void cyclone5_reset(struct board *board)
{
	struct cyclone5 *b = to_cyclone5(board);

	intc_reset(&b->intc);
	b->permodrst = b->permodrst_boot;
	c_can_reset(b->can);
}

static bool can0_reachable(const struct cyclone5 *b)
{
	return !(b->permodrst & PERMODRST_CAN0);
}

static uint64_t cyclone5_read(struct board *board, unsigned int bar, uint64_t off,
			      unsigned int size)
{
	struct cyclone5 *b = to_cyclone5(board);
	unsigned int at = (unsigned int)off;

	if (bar)
		return 0;
	if (size == 8)
		return cyclone5_read(board, bar, off, 4) |
		       cyclone5_read(board, bar, off + 4, 4) << 32;
	if (at - CAN_BASE < CAN_SIZE) {
		if (b->all_ones)
			return UINT32_MAX;
		return can0_reachable(b) ? c_can_read(b->can, at - CAN_BASE, size) : 0;
	}
	if (size == 4 && at == RSTMGR_BASE + PERMODRST)
		return b->permodrst;
	if (size == 4 && at - INTC_BASE < INTC_SIZE)
		return intc_read(&b->intc, at - INTC_BASE);
	return 0;
}

static void cyclone5_write(struct board *board, unsigned int bar, uint64_t off, unsigned int size,
			   uint64_t value)
{
	struct cyclone5 *b = to_cyclone5(board);
	unsigned int at = (unsigned int)off;

	if (bar)
		return;
	if (size == 8) {
		cyclone5_write(board, bar, off, 4, value & UINT32_MAX);
		cyclone5_write(board, bar, off + 4, 4, value >> 32);
	} else if (at - CAN_BASE < CAN_SIZE) {
		if (!b->all_ones && can0_reachable(b))
			c_can_write(b->can, at - CAN_BASE, size, (uint32_t)value);
	} else if (size == 4 && at == RSTMGR_BASE + PERMODRST) {
		if (~b->permodrst & value & PERMODRST_CAN0)
			c_can_reset(b->can);
		b->permodrst = (uint32_t)value;
	} else if (size == 4 && at - INTC_BASE < INTC_SIZE) {
		intc_write(&b->intc, at - INTC_BASE, (uint32_t)value);
	}
}

static void cyclone5_counters(struct board *board, FILE *out)
{
	can_counters(to_cyclone5(board)->can, out);
	intc_counters(&to_cyclone5(board)->intc, out);
}

static void cyclone5_counters_reset(struct board *board)
{
	c_can_stats_reset(to_cyclone5(board)->can);
	intc_counters_reset(&to_cyclone5(board)->intc);
}

const struct board_type board_cyclone5 = {
	.name = "cyclone5",
	.about = "Cyclone V HPS CAN0 (Bosch D_CAN by device tree)",
	.vendor = 0x1234,
	.device = 0xc5c0,
	.class = 0xff0000,
	.bar_size = { 0x10000 },
	.msi = true,
	.create = cyclone5_create,
	.destroy = cyclone5_destroy,
	.reset = cyclone5_reset,
	.read = cyclone5_read,
	.write = cyclone5_write,
	.counters = cyclone5_counters,
	.counters_reset = cyclone5_counters_reset,
};
