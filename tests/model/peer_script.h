/* SPDX-License-Identifier: GPL-2.0-only */
/* A peer's script, parsed. The language is described in README.md. */
#ifndef PEER_SCRIPT_H
#define PEER_SCRIPT_H

#include "canbus.h"

#define PEER_SIGNALS	32
#define PEER_NESTING	8
#define PEER_FOREVER	UINT64_MAX

enum peer_op {
	PEER_BITRATE,		/* number: bit time in ns */
	PEER_MODE,		/* number: enum canbus_mode */
	PEER_START,
	PEER_STOP,
	PEER_WAIT_TIME,		/* number: ns */
	PEER_WAIT_SIGNAL,	/* number: which */
	PEER_WAIT_FRAME,	/* match */
	PEER_WAIT_IDLE,
	PEER_WAIT_EXPECTED,
	PEER_SEND,		/* send */
	PEER_DESTROY,		/* destroy */
	PEER_REPEAT,		/* number: times; other: index of the end */
	PEER_END,		/* other: index of the repeat */
};

enum peer_data {
	PEER_DATA_FIXED,
	PEER_DATA_COUNTER,
	PEER_DATA_RANDOM,
};

/* Ids first, first + step, ... not above last. */
struct peer_ids {
	uint32_t first;
	uint32_t last;
	uint32_t step;
	bool any;
};

struct peer_send {
	uint64_t count;
	struct peer_ids ids;
	bool ext;
	bool rtr;
	uint8_t dlc;
	enum peer_data data;
	uint8_t bytes[8];
	uint64_t seed;
	bool restart_counter;
	uint32_t first;
	uint64_t every;		/* ns, 0: back to back */
	uint64_t delay_min;	/* ns after each frame */
	uint64_t delay_max;
};

struct peer_match {
	struct peer_ids ids;
	bool ext;
	bool rtr;		/* only remote frames */
};

enum peer_who { PEER_ANY, PEER_ME, PEER_OTHER };

struct peer_destroy {
	unsigned int skip;
	unsigned int count;
	int bit;
	enum peer_who who;
};

struct peer_command {
	enum peer_op op;
	unsigned int line;
	uint64_t number;
	size_t other;
	struct peer_send send;
	struct peer_match match;
	struct peer_destroy destroy;
};

enum peer_counter {
	PEER_COUNTER_NONE,
	PEER_COUNTER_U8,
	PEER_COUNTER_U32,
	PEER_COUNTER_ID,
};

struct peer_expect {
	struct peer_ids ids;
	bool ext;
	bool rtr;
	int dlc;		/* -1: any */
	uint64_t count;		/* 0: not limited */
	enum peer_counter counter;
	bool first_any;		/* the counter may begin anywhere */
	uint32_t first;
};

struct peer_script {
	struct peer_command *command;
	size_t commands;
	struct peer_expect *expect;
	size_t expects;
	uint64_t restart;	/* ns from bus-off to the start of recovery, 0: never */
	size_t log;		/* how many frames to remember */
};

/* On failure one line in err, with the number of the line, and false. */
bool peer_script_parse(struct peer_script *s, const char *text, char *err, size_t errlen);
void peer_script_free(struct peer_script *s);

static inline uint32_t peer_ids_count(const struct peer_ids *ids)
{
	return (ids->last - ids->first) / ids->step + 1;
}

static inline bool peer_ids_match(const struct peer_ids *ids, uint32_t id)
{
	return ids->any || (id >= ids->first && id <= ids->last &&
			    (id - ids->first) % ids->step == 0);
}

#endif
