/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks the order of frames that carry a counter. */
#ifndef PEER_CHECK_H
#define PEER_CHECK_H

#include "peer.h"
#include "peer_script.h"

#define PEER_CHECK_WINDOW 4096

/**
 * struct peer_check - one expect line at work
 * @expect: the line
 * @received: frames that it describes
 * @distinct: ... without repeated ones
 * @next: the counter to come, counted up without wrapping
 * @modulus: where the counter on the wire wraps
 * @synced: the first counter is known
 * @seen: which of the last counters before @next have come, a bit each
 */
struct peer_check {
	const struct peer_expect *expect;
	uint64_t received;
	uint64_t distinct;
	uint64_t next;
	uint64_t modulus;
	bool synced;
	uint8_t seen[PEER_CHECK_WINDOW / 8];
};

void peer_check_init(struct peer_check *c, const struct peer_expect *expect);
/* Is this line about the frame? (A wrong dlc is found by peer_check_frame().) */
bool peer_check_matches(const struct peer_check *c, const struct canbus_frame *f);
void peer_check_frame(struct peer_check *c, const struct canbus_frame *f, struct peer_stats *stats);
/* Frames that were expected and have not come. */
uint64_t peer_check_missing(const struct peer_check *c);

#endif
