// SPDX-License-Identifier: GPL-2.0-only
#include "clock.h"

/* An hour less than what would make counter + offset ambiguous. */
#define FURTHEST (1ull << 60)

static struct qemu_plugin_scoreboard *score;
/*
 * Changed by translated code, and here: by the vCPU's thread, or by a server's
 * thread while the vCPU waits for its answer.
 */
static volatile uint64_t *counter;
static uint64_t before_start;
static uint64_t offset;
static uint64_t idle;
static uint64_t charged;

bool clock_init(void)
{
	score = qemu_plugin_scoreboard_new(sizeof(uint64_t));
	counter = &before_start;
	return score;
}

void clock_start(void)
{
	counter = qemu_plugin_scoreboard_find(score, 0);
	*counter = 0;
	offset = 0;
	clock_set_due(0);
}

bool clock_started(void)
{
	return counter != &before_start;
}

qemu_plugin_u64 clock_counter(void)
{
	return (qemu_plugin_u64){ .score = score, .offset = 0 };
}

uint64_t clock_now(void)
{
	return *counter + offset;
}

void clock_set_due(uint64_t at)
{
	uint64_t now = clock_now();
	uint64_t left = at > now ? at - now : 0;

	if (left > FURTHEST)
		left = FURTHEST;
	*counter = CLOCK_DUE - left;
	offset = now - *counter;
}

void clock_charge(uint64_t ns)
{
	*counter += ns;
	charged += ns;
}

void clock_uncount(uint64_t ns)
{
	*counter -= ns;
}

void clock_sleep_until(uint64_t at)
{
	uint64_t now = clock_now();

	if (at <= now)
		return;
	*counter += at - now;
	idle += at - now;
}

uint64_t clock_idle_ns(void)
{
	return idle;
}

uint64_t clock_charged_ns(void)
{
	return charged;
}
