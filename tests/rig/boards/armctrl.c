// SPDX-License-Identifier: GPL-2.0-only
/* The interrupt controller of the Raspberry Pi; see armctrl.h. */
#include "armctrl.h"

#include <inttypes.h>

#define BASIC_PENDING	0x00
#define PENDING_1	0x04
#define PENDING_2	0x08
#define ENABLE_1	0x10	/* w: ones enable; r: what is enabled */
#define ENABLE_2	0x14
#define ENABLE_BASIC	0x18
#define DISABLE_1	0x1c	/* w: ones disable */
#define DISABLE_2	0x20
#define DISABLE_BASIC	0x24

/* BASIC_PENDING */
#define BASIC_ARM	0xffu		/* the ARM's own lines */
#define BASIC_BANK_1	(1u << 8)	/* others than the shortcuts are pending there */
#define BASIC_BANK_2	(1u << 9)
#define BASIC_SHORTCUT	10		/* the first shortcut's bit */

/* GPU lines that the basic pending register shows by themselves, from bit 10 on. */
static const uint8_t shortcut[] = { 7, 9, 10, 18, 19, 53, 54, 55, 56, 57, 62 };

#define SHORTCUTS	(sizeof(shortcut) / sizeof(shortcut[0]))

static uint32_t pending(const struct armctrl *ac, unsigned int bank)
{
	return ac->raw[bank] & ac->enabled[bank];
}

static uint32_t basic_pending(const struct armctrl *ac)
{
	uint64_t gpu = (uint64_t)pending(ac, 2) << 32 | pending(ac, 1);
	uint32_t value = pending(ac, 0) & BASIC_ARM;

	for (unsigned int i = 0; i < SHORTCUTS; i++) {
		uint64_t bit = 1ull << shortcut[i];

		if (gpu & bit)
			value |= 1u << (BASIC_SHORTCUT + i);
		gpu &= ~bit;
	}
	if ((uint32_t)gpu)
		value |= BASIC_BANK_1;
	if (gpu >> 32)
		value |= BASIC_BANK_2;
	return value;
}

static void armctrl_update(struct armctrl *ac)
{
	if (ac->raised || !(pending(ac, 0) | pending(ac, 1) | pending(ac, 2)))
		return;
	ac->raised = true;
	ac->raises++;
	sim_set_irq(ac->sim, 0, true);
}

void armctrl_init(struct armctrl *ac, struct sim *sim)
{
	*ac = (struct armctrl){ .sim = sim };
}

void armctrl_reset(struct armctrl *ac)
{
	for (unsigned int bank = 0; bank < ARMCTRL_BANKS; bank++)
		ac->enabled[bank] = 0;
	if (ac->raised)
		sim_set_irq(ac->sim, 0, false);
	ac->raised = false;
}

void armctrl_line(struct armctrl *ac, unsigned int line, bool level)
{
	uint32_t bit = 1u << (line & 31);

	if (level)
		ac->raw[line / 32] |= bit;
	else
		ac->raw[line / 32] &= ~bit;
	armctrl_update(ac);
}

uint32_t armctrl_read(struct armctrl *ac, unsigned int off)
{
	uint32_t value;

	ac->reads++;
	switch (off) {
	case BASIC_PENDING:
		value = basic_pending(ac);
		if (!value && ac->raised) {
			ac->raised = false;
			sim_set_irq(ac->sim, 0, false);
		}
		return value;
	case PENDING_1:
		return pending(ac, 1);
	case PENDING_2:
		return pending(ac, 2);
	case ENABLE_1:
		return ac->enabled[1];
	case ENABLE_2:
		return ac->enabled[2];
	case ENABLE_BASIC:
		return ac->enabled[0];
	default:
		return 0;
	}
}

void armctrl_write(struct armctrl *ac, unsigned int off, uint32_t value)
{
	ac->writes++;
	switch (off) {
	case ENABLE_1:
		ac->enabled[1] |= value;
		break;
	case ENABLE_2:
		ac->enabled[2] |= value;
		break;
	case ENABLE_BASIC:
		ac->enabled[0] |= value & BASIC_ARM;
		break;
	case DISABLE_1:
		ac->enabled[1] &= ~value;
		break;
	case DISABLE_2:
		ac->enabled[2] &= ~value;
		break;
	case DISABLE_BASIC:
		ac->enabled[0] &= ~value;
		break;
	}
	armctrl_update(ac);
}

void armctrl_counters(const struct armctrl *ac, FILE *out)
{
	fprintf(out, "\"intc_reads\": %" PRIu64 ", \"intc_writes\": %" PRIu64
		", \"intc_raises\": %" PRIu64 ", ", ac->reads, ac->writes, ac->raises);
}

void armctrl_counters_reset(struct armctrl *ac)
{
	ac->reads = 0;
	ac->writes = 0;
	ac->raises = 0;
}
