/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The other end of the bus: a node driven by a small script, which records and
 * checks what it saw. A script is a text of one command a line; the language is
 * described in README.md.
 */
#ifndef PEER_H
#define PEER_H

#include "canbus.h"

struct peer;

struct peer_stats {
	uint64_t sent;			/* own frames that went through */
	uint64_t received;		/* frames of others */
	uint64_t lost;			/* gaps in the others' counters */
	uint64_t swapped;		/* frames that came late, but came */
	uint64_t duplicated;		/* counters seen twice */
	uint64_t unexpected;		/* described by none of the expect lines */
	uint64_t errors;		/* errors seen */
	uint64_t missing;		/* expected by "expect count=", not here so far */
	uint64_t bus_offs;		/* times the peer went bus-off */
};

/*
 * Build a peer from a script. On a mistake in the script returns NULL and
 * writes one line (with the line number) to err.
 */
struct peer *peer_new(struct sim *sim, struct canbus *bus, const char *name,
		      const char *script, char *err, size_t errlen);
void peer_free(struct peer *peer);
/* The guest (or a test) gives a signal; "wait signal N" in the script ends. */
void peer_signal(struct peer *peer, unsigned int n);
/* True when the script has come to its end and everything is sent. */
bool peer_done(const struct peer *peer);
const struct peer_stats *peer_stats(const struct peer *peer);
void peer_stats_reset(struct peer *peer);
struct canbus_node *peer_node(struct peer *peer);
/* The line of the script that the peer is busy with, 0 when it is done. */
unsigned int peer_line(const struct peer *peer);
/*
 * The frames and errors that "log N" remembers, oldest first, a line each, like
 * candump's. Returns the length of the whole text, as snprintf() does.
 */
size_t peer_log_text(const struct peer *peer, char *buf, size_t len);

#endif
