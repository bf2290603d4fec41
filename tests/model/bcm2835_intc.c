// SPDX-License-Identifier: GPL-2.0-only
/* The ARM interrupt controller (BCM2835 ARM Peripherals, 7.5). */
#include <stdlib.h>
#include <string.h>

#include "bcm2835_intc.h"

const char *const bcm2835_intc_reg_name[BCM2835_INTC_REGS] = {
	"BASIC_PENDING", "PENDING1", "PENDING2", "FIQ", "ENABLE1", "ENABLE2", "ENABLE_BASIC",
	"DISABLE1", "DISABLE2", "DISABLE_BASIC",
};

/* GPU interrupts that BASIC_PENDING shows itself, from bit 10 on. */
static const uint8_t shortcut[] = { 7, 9, 10, 18, 19, 53, 54, 55, 56, 57, 62 };

struct bcm2835_intc {
	struct sim *sim;
	bool edge;
	void (*out)(void *arg, bool level);
	void *arg;
	uint64_t raw;
	uint64_t enable;
	uint32_t enable_basic;		/* none of these interrupts is here */
	uint32_t fiq;
	bool level;
	struct bcm2835_intc_stats stats;
};

static void set_out(struct bcm2835_intc *ic, bool level)
{
	if (level == ic->level)
		return;
	ic->level = level;
	ic->stats.raises += level;
	if (ic->out)
		ic->out(ic->arg, level);
}

static void update(struct bcm2835_intc *ic)
{
	bool pending = ic->raw & ic->enable;

	if (pending || !ic->edge)
		set_out(ic, pending);
}

static uint32_t basic_pending(const struct bcm2835_intc *ic)
{
	uint64_t rest = ic->raw & ic->enable;
	uint32_t value = 0;
	unsigned int i;

	for (i = 0; i < sizeof(shortcut); i++) {
		if (rest >> shortcut[i] & 1)
			value |= 1u << (10 + i);
		rest &= ~(1ull << shortcut[i]);
	}
	if (rest & UINT32_MAX)
		value |= 0x100;
	if (rest >> 32)
		value |= 0x200;
	return value;
}

uint32_t bcm2835_intc_read(struct bcm2835_intc *ic, unsigned int offset)
{
	uint64_t pending = ic->raw & ic->enable;

	if (offset >= BCM2835_INTC_SIZE)
		return 0;
	ic->stats.reads[offset / 4]++;
	switch (offset) {
	case BCM2835_INTC_BASIC_PENDING:
		if (!pending)
			set_out(ic, false);
		return basic_pending(ic);
	case BCM2835_INTC_PENDING1:
		return pending;
	case BCM2835_INTC_PENDING2:
		return pending >> 32;
	case BCM2835_INTC_FIQ:
		return ic->fiq;
	case BCM2835_INTC_ENABLE1:
		return ic->enable;
	case BCM2835_INTC_ENABLE2:
		return ic->enable >> 32;
	case BCM2835_INTC_ENABLE_BASIC:
		return ic->enable_basic;
	default:
		return 0;
	}
}

void bcm2835_intc_write(struct bcm2835_intc *ic, unsigned int offset, uint32_t value)
{
	if (offset >= BCM2835_INTC_SIZE)
		return;
	ic->stats.writes[offset / 4]++;
	switch (offset) {
	case BCM2835_INTC_FIQ:
		ic->fiq = value & 0xff;
		break;
	case BCM2835_INTC_ENABLE1:
		ic->enable |= value;
		break;
	case BCM2835_INTC_ENABLE2:
		ic->enable |= (uint64_t)value << 32;
		break;
	case BCM2835_INTC_ENABLE_BASIC:
		ic->enable_basic |= value & 0xff;
		break;
	case BCM2835_INTC_DISABLE1:
		ic->enable &= ~(uint64_t)value;
		break;
	case BCM2835_INTC_DISABLE2:
		ic->enable &= ~((uint64_t)value << 32);
		break;
	case BCM2835_INTC_DISABLE_BASIC:
		ic->enable_basic &= ~value;
		break;
	default:
		break;
	}
	update(ic);
}

void bcm2835_intc_line(struct bcm2835_intc *ic, unsigned int irq, bool level)
{
	if (irq >= BCM2835_IRQS)
		return;
	if (level)
		ic->raw |= 1ull << irq;
	else
		ic->raw &= ~(1ull << irq);
	update(ic);
}

struct bcm2835_intc *bcm2835_intc_new(struct sim *sim, bool edge,
				      void (*out)(void *arg, bool level), void *arg)
{
	struct bcm2835_intc *ic = calloc(1, sizeof(*ic));

	if (!ic)
		abort();
	ic->sim = sim;
	ic->edge = edge;
	ic->out = out;
	ic->arg = arg;
	return ic;
}

void bcm2835_intc_free(struct bcm2835_intc *ic)
{
	free(ic);
}

void bcm2835_intc_reset(struct bcm2835_intc *ic)
{
	ic->enable = 0;
	ic->enable_basic = 0;
	ic->fiq = 0;
	set_out(ic, false);
}

const struct bcm2835_intc_stats *bcm2835_intc_stats(const struct bcm2835_intc *ic)
{
	return &ic->stats;
}

void bcm2835_intc_stats_reset(struct bcm2835_intc *ic)
{
	memset(&ic->stats, 0, sizeof(ic->stats));
}
