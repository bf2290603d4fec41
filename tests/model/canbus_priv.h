/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files canbus*.c share; nobody else includes this. */
#ifndef CANBUS_PRIV_H
#define CANBUS_PRIV_H

#include "canbus_frame.h"

#define INTERMISSION_BITS	3
#define SUSPEND_BITS		8	/* of an error-passive transmitter */
#define QUIET_BITS		11	/* recessive: the bus is idle */
#define RECOVERY_SEQUENCES	129
#define DELIMITER_BITS		8
#define FLAG_BITS		6

#define MAX_INJECTIONS	64
#define MAX_OUTCOMES	(8 * CANBUS_MAX_NODES)
#define NO_BIT		UINT32_MAX

enum bus_phase {
	BUS_IDLE,		/* recessive: who has something to send may start */
	BUS_STARTING,		/* asking the nodes for their frames */
	BUS_FRAME,		/* frame under way, all is well so far */
	BUS_TROUBLE,		/* outcomes[] tells what happens at which bit */
	BUS_INTERMISSION,
};

enum outcome_kind {
	OUTCOME_ERROR,		/* detected an error, flags it */
	OUTCOME_COUNT,		/* counters only: dominant bits after the flag */
	OUTCOME_LOST,		/* lost arbitration */
	OUTCOME_VALID,		/* received in spite of it all */
	OUTCOME_DONE,		/* sent in spite of it all */
};

struct outcome {
	struct canbus_node *node;
	enum outcome_kind kind;
	enum canbus_error error;
	bool transmitting;
	unsigned int bit;	/* happens at the end of this bit */
	unsigned int tec;	/* to be added */
	unsigned int rec;
};

struct injection {
	const struct canbus_node *sender;	/* NULL: any */
	bool others;				/* any but the sender */
	unsigned int skip;
	unsigned int count;
	int bit;
};

struct canbus {
	struct sim *sim;
	struct canbus_node *node[CANBUS_MAX_NODES];
	unsigned int nodes;
	enum bus_phase phase;
	struct sim_event step;		/* next thing to do in a frame; next SOF when idle */

	/* the frame under way; bit 0 is SOF and starts at sof */
	uint64_t sof;
	uint32_t bit_ns;
	struct canbus_frame frame;
	struct canbus_layout layout;
	unsigned int bit;		/* done up to the end of this bit (exclusive) */
	struct canbus_node *asking;	/* whose want_tx() is being called */
	bool asked_again;		/* somebody else was kicked meanwhile */
	bool misfits;			/* some node cannot read the frame under way */
	bool acked;			/* by a node that has stopped since */
	unsigned int flip;		/* injected: this bit is seen inverted */
	unsigned int trouble;		/* first bit that is not as the sender wants it */

	struct outcome outcome[MAX_OUTCOMES];
	unsigned int outcomes;
	unsigned int next_outcome;
	unsigned int last_dominant;	/* bit, or NO_BIT: none */
	unsigned int end;		/* first bit of intermission */

	uint64_t quiet_from;		/* end of the last dominant bit */
	uint64_t idle_from;		/* end of the last intermission */
	struct injection injection[MAX_INJECTIONS];
	unsigned int injections;
	struct canbus_stats stats;
};

static inline uint64_t canbus_bit_time(const struct canbus *bus, unsigned int bit)
{
	return bus->sof + (uint64_t)bit * bus->bit_ns;
}

/* Takes part in the traffic on the common wire. */
static inline bool canbus_on_wire(const struct canbus_node *n)
{
	return n->running && n->integrated && !n->bus_off && n->mode != CANBUS_LOOPBACK;
}

/* canbus_error.c: fill outcome[], last_dominant and end from bit @from on. */
void canbus_play_trouble(struct canbus *bus, unsigned int from);

/* canbus_fault.c: change the counters, then tell the node (error first, then state). */
void canbus_fault(struct canbus_node *n, unsigned int tec, unsigned int rec,
		  enum canbus_error error, bool transmitting);
void canbus_sent_well(struct canbus_node *n);
void canbus_received_well(struct canbus_node *n);
void canbus_recovered(struct canbus_node *n);

/* canbus_loop.c: a loopback node's own wire. */
void canbus_loop_kick(struct canbus_node *n);
void canbus_loop_step(struct canbus_node *n);

#endif
