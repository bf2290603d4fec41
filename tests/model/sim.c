// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event queue: a binary heap, ordered by time and then by the order of
 * asking, so that a run does not depend on how the heap happens to be shaped.
 */
#include "sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool earlier(const struct sim_event *a, const struct sim_event *b)
{
	return a->at < b->at || (a->at == b->at && a->seq < b->seq);
}

static void put(struct sim *sim, size_t i, struct sim_event *ev)
{
	sim->heap[i] = ev;
	ev->slot = i + 1;
}

static void sift_up(struct sim *sim, size_t i, struct sim_event *ev)
{
	while (i) {
		size_t parent = (i - 1) / 2;

		if (!earlier(ev, sim->heap[parent]))
			break;
		put(sim, i, sim->heap[parent]);
		i = parent;
	}
	put(sim, i, ev);
}

static void sift_down(struct sim *sim, size_t i, struct sim_event *ev)
{
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= sim->count)
			break;
		if (child + 1 < sim->count && earlier(sim->heap[child + 1], sim->heap[child]))
			child++;
		if (!earlier(sim->heap[child], ev))
			break;
		put(sim, i, sim->heap[child]);
		i = child;
	}
	put(sim, i, ev);
}

/* Give the event in place i its right place. */
static void settle(struct sim *sim, size_t i, struct sim_event *ev)
{
	if (i && earlier(ev, sim->heap[(i - 1) / 2]))
		sift_up(sim, i, ev);
	else
		sift_down(sim, i, ev);
}

static void unlink_event(struct sim *sim, struct sim_event *ev)
{
	size_t i = ev->slot - 1;
	struct sim_event *last = sim->heap[--sim->count];

	ev->slot = 0;
	if (last != ev)
		settle(sim, i, last);
}

static void announce(struct sim *sim)
{
	uint64_t next = sim_next(sim);

	if (sim->advancing || next == sim->announced)
		return;
	sim->announced = next;
	if (sim->host && sim->host->rearm)
		sim->host->rearm(sim, next);
}

void sim_init(struct sim *sim, const struct sim_host *host, void *host_data)
{
	memset(sim, 0, sizeof(*sim));
	sim->host = host;
	sim->host_data = host_data;
	sim->announced = SIM_NEVER;
}

void sim_free(struct sim *sim)
{
	for (size_t i = 0; i < sim->count; i++)
		sim->heap[i]->slot = 0;
	free(sim->heap);
	sim->heap = NULL;
	sim->count = 0;
	sim->room = 0;
}

void sim_event_init(struct sim_event *ev, void (*fn)(void *arg), void *arg)
{
	memset(ev, 0, sizeof(*ev));
	ev->fn = fn;
	ev->arg = arg;
}

static void grow(struct sim *sim)
{
	size_t room = sim->room ? 2 * sim->room : 64;
	struct sim_event **heap = realloc(sim->heap, room * sizeof(*heap));

	if (!heap) {
		fprintf(stderr, "sim: no memory for %zu events\n", room);
		abort();
	}
	sim->heap = heap;
	sim->room = room;
}

void sim_at(struct sim *sim, struct sim_event *ev, uint64_t at)
{
	if (at == SIM_NEVER) {
		sim_cancel(sim, ev);
		return;
	}
	ev->at = at > sim->now ? at : sim->now;
	ev->seq = sim->seq++;
	if (ev->slot) {
		settle(sim, ev->slot - 1, ev);
	} else {
		if (sim->count == sim->room)
			grow(sim);
		sift_up(sim, sim->count++, ev);
	}
	announce(sim);
}

void sim_cancel(struct sim *sim, struct sim_event *ev)
{
	if (!ev->slot)
		return;
	unlink_event(sim, ev);
	announce(sim);
}

uint64_t sim_next(const struct sim *sim)
{
	return sim->count ? sim->heap[0]->at : SIM_NEVER;
}

void sim_advance(struct sim *sim, uint64_t t)
{
	if (t < sim->now)
		t = sim->now;
	sim->advancing = true;
	while (sim->count && sim->heap[0]->at <= t) {
		struct sim_event *ev = sim->heap[0];

		unlink_event(sim, ev);
		sim->now = ev->at;
		ev->fn(ev->arg);
	}
	sim->now = t;
	sim->advancing = false;
	announce(sim);
}

void sim_charge(struct sim *sim, uint64_t ns)
{
	if (sim->host && sim->host->charge)
		sim->host->charge(sim, ns);
}

void sim_set_irq(struct sim *sim, unsigned int line, bool level)
{
	if (sim->host && sim->host->set_irq)
		sim->host->set_irq(sim, line, level);
}

bool sim_mem_read(struct sim *sim, uint64_t addr, void *buf, size_t len)
{
	return sim->host && sim->host->mem_read && sim->host->mem_read(sim, addr, buf, len);
}

bool sim_mem_write(struct sim *sim, uint64_t addr, const void *buf, size_t len)
{
	return sim->host && sim->host->mem_write && sim->host->mem_write(sim, addr, buf, len);
}
