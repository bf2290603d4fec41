// SPDX-License-Identifier: GPL-2.0-only
/* The system timer (BCM2835 ARM Peripherals, chapter 12): 64 bits of microseconds. */
#include <stdlib.h>
#include <string.h>

#include "bcm2835_intc.h"

#define COMPARES 4

const char *const bcm2835_timer_reg_name[BCM2835_TIMER_REGS] = {
	"CS", "CLO", "CHI", "C0", "C1", "C2", "C3",
};

struct compare {
	struct bcm2835_timer *timer;
	unsigned int n;
	uint32_t value;
	bool match;
	struct sim_event event;
};

struct bcm2835_timer {
	struct sim *sim;
	void (*irq)(void *arg, unsigned int n, bool level);
	void *arg;
	uint64_t zero;			/* when the counter was 0 */
	struct compare compare[COMPARES];
	struct bcm2835_timer_stats stats;
};

static uint64_t microseconds(const struct bcm2835_timer *t)
{
	return (t->sim->now - t->zero) / 1000;
}

static void set_match(struct compare *c, bool match)
{
	if (match == c->match)
		return;
	c->match = match;
	if (c->timer->irq)
		c->timer->irq(c->timer->arg, c->n, match);
}

/* The next time that CLO becomes the value: a full turn later if it is that now. */
static void arm(struct compare *c)
{
	struct bcm2835_timer *t = c->timer;
	uint64_t us = microseconds(t);
	uint64_t in = (uint32_t)(c->value - (uint32_t)us);

	if (!in)
		in = 1ull << 32;
	sim_at(t->sim, &c->event, t->zero + (us + in) * 1000);
}

static void compare_fn(void *arg)
{
	struct compare *c = arg;

	set_match(c, true);
	arm(c);
}

uint32_t bcm2835_timer_read(struct bcm2835_timer *t, unsigned int offset)
{
	uint32_t value = 0;
	unsigned int n;

	if (offset >= BCM2835_TIMER_SIZE)
		return 0;
	t->stats.reads[offset / 4]++;
	switch (offset) {
	case BCM2835_TIMER_CS:
		for (n = 0; n < COMPARES; n++)
			value |= (uint32_t)t->compare[n].match << n;
		return value;
	case BCM2835_TIMER_CLO:
		return microseconds(t);
	case BCM2835_TIMER_CHI:
		return microseconds(t) >> 32;
	default:
		return t->compare[(offset - BCM2835_TIMER_C0) / 4].value;
	}
}

void bcm2835_timer_write(struct bcm2835_timer *t, unsigned int offset, uint32_t value)
{
	unsigned int n;

	if (offset >= BCM2835_TIMER_SIZE)
		return;
	t->stats.writes[offset / 4]++;
	if (offset == BCM2835_TIMER_CS) {
		for (n = 0; n < COMPARES; n++)
			if (value >> n & 1)
				set_match(&t->compare[n], false);
	} else if (offset >= BCM2835_TIMER_C0) {
		n = (offset - BCM2835_TIMER_C0) / 4;
		t->compare[n].value = value;
		arm(&t->compare[n]);
	}
}

struct bcm2835_timer *bcm2835_timer_new(struct sim *sim,
					void (*irq)(void *arg, unsigned int n, bool level),
					void *arg)
{
	struct bcm2835_timer *t = calloc(1, sizeof(*t));
	unsigned int n;

	if (!t)
		abort();
	t->sim = sim;
	t->irq = irq;
	t->arg = arg;
	t->zero = sim->now;
	for (n = 0; n < COMPARES; n++) {
		t->compare[n].timer = t;
		t->compare[n].n = n;
		sim_event_init(&t->compare[n].event, compare_fn, &t->compare[n]);
	}
	return t;
}

void bcm2835_timer_free(struct bcm2835_timer *t)
{
	unsigned int n;

	if (!t)
		return;
	for (n = 0; n < COMPARES; n++)
		sim_cancel(t->sim, &t->compare[n].event);
	free(t);
}

/* A compare that nobody has written since stays silent; a real one matches at 0. */
void bcm2835_timer_reset(struct bcm2835_timer *t)
{
	unsigned int n;

	t->zero = t->sim->now;
	for (n = 0; n < COMPARES; n++) {
		sim_cancel(t->sim, &t->compare[n].event);
		t->compare[n].value = 0;
		set_match(&t->compare[n], false);
	}
}

const struct bcm2835_timer_stats *bcm2835_timer_stats(const struct bcm2835_timer *t)
{
	return &t->stats;
}

void bcm2835_timer_stats_reset(struct bcm2835_timer *t)
{
	memset(&t->stats, 0, sizeof(t->stats));
}
