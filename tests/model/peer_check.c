// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames carry a counter that wraps: one that is ahead of what is due means that
 * those between are lost (so far); one from behind is either late, then two
 * frames were swapped and nothing is lost, or it has come before.
 */
#include "peer_check.h"

#include <string.h>

void peer_check_init(struct peer_check *c, const struct peer_expect *expect)
{
	memset(c, 0, sizeof(*c));
	c->expect = expect;
}

bool peer_check_matches(const struct peer_check *c, const struct canbus_frame *f)
{
	const struct peer_expect *e = c->expect;

	if (!peer_ids_match(&e->ids, f->id) || e->rtr != f->rtr)
		return false;
	/* without id= and ext both formats are meant */
	return e->ext == f->ext || (e->ids.any && !e->ext);
}

static bool is_seen(const struct peer_check *c, uint64_t n)
{
	/* too old to be remembered: taken for a repetition */
	if (c->next - n > PEER_CHECK_WINDOW)
		return true;
	n %= PEER_CHECK_WINDOW;
	return c->seen[n / 8] >> (n % 8) & 1;
}

static void set_seen(struct peer_check *c, uint64_t n, bool seen)
{
	n %= PEER_CHECK_WINDOW;
	if (seen)
		c->seen[n / 8] |= 1 << (n % 8);
	else
		c->seen[n / 8] &= ~(1 << (n % 8));
}

static bool read_counter(struct peer_check *c, const struct canbus_frame *f, uint64_t *value)
{
	const struct peer_expect *e = c->expect;
	unsigned int bytes = e->counter == PEER_COUNTER_U8 ? 1 : 4;

	if (e->counter == PEER_COUNTER_ID) {
		c->modulus = peer_ids_count(&e->ids);
		*value = (f->id - e->ids.first) / e->ids.step;
		return true;
	}
	if (bytes > f->dlc)
		bytes = f->dlc;
	c->modulus = 1ull << (8 * bytes);
	*value = 0;
	for (unsigned int i = 0; i < bytes; i++)
		*value |= (uint64_t)f->data[i] << (8 * i);
	return bytes;
}

static void synchronise(struct peer_check *c, uint64_t value)
{
	/* as if a long row had come before: what is older is a repetition */
	c->next = 2 * c->modulus * PEER_CHECK_WINDOW;
	c->next += (c->expect->first_any ? value : c->expect->first) % c->modulus;
	memset(c->seen, 0xff, sizeof(c->seen));
	c->synced = true;
}

static void skip_to(struct peer_check *c, uint64_t n)
{
	uint64_t from = c->next;

	if (n - from > PEER_CHECK_WINDOW)
		from = n - PEER_CHECK_WINDOW;
	for (; from < n; from++)
		set_seen(c, from, false);
	set_seen(c, n, true);
	c->next = n + 1;
}

static void check_order(struct peer_check *c, uint64_t value, struct peer_stats *stats)
{
	uint64_t ahead, back;

	if (!c->synced)
		synchronise(c, value);
	ahead = (value + c->modulus - c->next % c->modulus) % c->modulus;
	back = c->modulus - ahead;
	/* half of the values lie ahead, half behind */
	if (ahead < c->modulus - c->modulus / 2) {
		stats->lost += ahead;
		c->distinct++;
		skip_to(c, c->next + ahead);
	} else if (is_seen(c, c->next - back)) {
		stats->duplicated++;
	} else {
		stats->swapped++;
		/* it was counted as lost, unless the statistics are younger */
		if (stats->lost)
			stats->lost--;
		c->distinct++;
		set_seen(c, c->next - back, true);
	}
}

void peer_check_frame(struct peer_check *c, const struct canbus_frame *f, struct peer_stats *stats)
{
	const struct peer_expect *e = c->expect;
	uint64_t value;

	if (e->dlc >= 0 && e->dlc != f->dlc) {
		stats->unexpected++;
		return;
	}
	if (e->counter != PEER_COUNTER_NONE) {
		if (!read_counter(c, f, &value)) {
			stats->unexpected++;
			return;
		}
		c->received++;
		check_order(c, value, stats);
	} else {
		c->received++;
		c->distinct++;
	}
	if (e->count && c->distinct > e->count)
		stats->unexpected++;
}

uint64_t peer_check_missing(const struct peer_check *c)
{
	return c->distinct < c->expect->count ? c->expect->count - c->distinct : 0;
}
