/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock and the event queue that all models of a board share.
 *
 * A model never asks what time it is and never waits: it is told. Whoever
 * hosts the models (a unit test, the QEMU plugin, the wall-clock server, a
 * fuzzer) moves the time forward with sim_advance() and calls the models'
 * read and write functions; everything runs in one thread, or under one lock.
 */
#ifndef SIM_H
#define SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SIM_NEVER UINT64_MAX

struct sim;

/**
 * struct sim_event - something that a model wants to do at a later time
 * @fn: called with sim->now equal to the time asked for
 * @arg: passed to @fn
 *
 * Embedded in the model; initialise with sim_event_init(). The other members
 * belong to the queue.
 */
struct sim_event {
	void (*fn)(void *arg);
	void *arg;
	uint64_t at;
	uint64_t seq;
	size_t slot;		/* position in the heap plus one, 0: not armed */
};

/**
 * struct sim_host - what the models need of their host; each may be NULL
 * @rearm: the time of the earliest event has changed (SIM_NEVER: none left)
 * @charge: the access under way costs the CPU @ns more
 * @set_irq: an interrupt line has changed. May be called from an event or from
 *	a register access; the host delivers it after the access
 * @mem_read: read guest memory, false if there is none at this address
 * @mem_write: write guest memory, false if there is none at this address
 */
struct sim_host {
	void (*rearm)(struct sim *sim, uint64_t at);
	void (*charge)(struct sim *sim, uint64_t ns);
	void (*set_irq)(struct sim *sim, unsigned int line, bool level);
	bool (*mem_read)(struct sim *sim, uint64_t addr, void *buf, size_t len);
	bool (*mem_write)(struct sim *sim, uint64_t addr, const void *buf,
			  size_t len);
};

/**
 * struct sim - one clock, one queue
 * @now: the current time, in nanoseconds
 * @host: the host's functions
 * @host_data: for the host's use
 *
 * Events at the same time run in the order in which they were asked for.
 * @rearm is called when the earliest time differs from the one it was last told;
 * while sim_advance() runs, only once, at its end.
 */
struct sim {
	uint64_t now;
	const struct sim_host *host;
	void *host_data;
	struct sim_event **heap;
	size_t count;
	size_t room;
	uint64_t seq;
	uint64_t announced;	/* what rearm was told last */
	bool advancing;
};

void sim_init(struct sim *sim, const struct sim_host *host, void *host_data);
void sim_free(struct sim *sim);

void sim_event_init(struct sim_event *ev, void (*fn)(void *arg), void *arg);
/* Ask for (or move) an event; a time that has passed means "now". */
void sim_at(struct sim *sim, struct sim_event *ev, uint64_t at);
void sim_cancel(struct sim *sim, struct sim_event *ev);
static inline bool sim_armed(const struct sim_event *ev)
{
	return ev->slot != 0;
}

/* Time of the earliest event, or SIM_NEVER. */
uint64_t sim_next(const struct sim *sim);
/*
 * Run every event up to and including time t, also those that events ask for on
 * the way, then let now be t. Not to be called from an event.
 */
void sim_advance(struct sim *sim, uint64_t t);

void sim_charge(struct sim *sim, uint64_t ns);
void sim_set_irq(struct sim *sim, unsigned int line, bool level);
bool sim_mem_read(struct sim *sim, uint64_t addr, void *buf, size_t len);
bool sim_mem_write(struct sim *sim, uint64_t addr, const void *buf, size_t len);

#endif
