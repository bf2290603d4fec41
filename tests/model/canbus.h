/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CAN bus (ISO 11898-1, classical frames) and the protocol part of the
 * controllers on it: exact frame lengths with bit stuffing, arbitration, ACK,
 * intermission, error frames, fault confinement, bus-off recovery.
 *
 * The bus is computed frame by frame, not bit by bit, but every time it
 * reports is the time of the right bit.
 */
#ifndef CANBUS_H
#define CANBUS_H

#include "sim.h"

#define CANBUS_MAX_NODES 16

/* A classical frame; dlc may be 9..15 (8 data bytes are on the wire then). */
struct canbus_frame {
	uint32_t id;
	bool ext;
	bool rtr;
	uint8_t dlc;
	uint8_t data[8];
};

/* What a node saw go wrong. The numbers are those of the C_CAN's LEC field. */
enum canbus_error {
	CANBUS_OK = 0,
	CANBUS_STUFF_ERROR = 1,
	CANBUS_FORM_ERROR = 2,
	CANBUS_ACK_ERROR = 3,
	CANBUS_BIT1_ERROR = 4,	/* sent recessive, saw dominant */
	CANBUS_BIT0_ERROR = 5,	/* sent dominant, saw recessive */
	CANBUS_CRC_ERROR = 6,
};

enum canbus_mode {
	CANBUS_NORMAL,
	CANBUS_SILENT,		/* sends nothing dominant: no ACK, no error flag */
	CANBUS_LOOPBACK,	/* on a wire of its own: hears only itself, needs no ACK */
};

struct canbus;
struct canbus_node;

/**
 * struct canbus_node_ops - how a node is told what happens on the wire
 * @want_tx: the bus is free and a frame may start at sim->now: write the frame
 *	to send to @frame and return true, or return false. Called again for
 *	each new attempt (after lost arbitration or an error), so a controller
 *	may choose another frame then.
 * @sof: a frame begins on the wire. Also told to nodes that are stopped: such
 *	activity is what wakes a sleeping controller. Not in loopback mode.
 * @tx_lost: arbitration is lost; the node receives the winner's frame now
 * @rx_header: identifier and control field of a frame are in: the time at
 *	which controllers look for the object that will take it. Not called for
 *	own frames, except in loopback mode.
 * @rx_frame: the frame is valid for receivers (last but one bit of EOF). In
 *	loopback mode also for own frames, after @tx_done.
 * @tx_done: the own frame is valid for its transmitter (last bit of EOF)
 * @error: the node has detected an error. @transmitting says in which role.
 *	Counters and state are already up to date.
 * @state: the error counters have crossed a limit (warning at 96, passive at
 *	128, bus-off at 256), up or down
 * @recovery: one more sequence of 11 recessive bits was seen during bus-off
 *	recovery; @left more are needed. With @left 0 the node is error-active.
 *
 * All may be NULL, except that a node that sends needs @want_tx. Any function
 * of this header may be called from them, except canbus_free().
 */
struct canbus_node_ops {
	bool (*want_tx)(void *arg, struct canbus_frame *frame);
	void (*sof)(void *arg);
	void (*tx_lost)(void *arg);
	void (*rx_header)(void *arg, const struct canbus_frame *frame);
	void (*rx_frame)(void *arg, const struct canbus_frame *frame);
	void (*tx_done)(void *arg, const struct canbus_frame *frame);
	void (*error)(void *arg, enum canbus_error error, bool transmitting);
	void (*state)(void *arg);
	void (*recovery)(void *arg, unsigned int left);
};

/**
 * struct canbus_node - one controller's protocol engine
 * @name: for messages
 * @ops: its listener
 * @arg: passed to @ops
 * @mode: may be changed while the node is stopped
 * @bit_ns: its bit time, not 0; may be changed while the node is stopped. A node
 *	whose bit time is off by more than 1.5 % from the one of a sender cannot
 *	read the frame: it sees errors, and destroys the frame unless it is
 *	silent or error-passive.
 * @recovery_sequences: of 11 recessive bits that end bus-off; 0: 129
 * @tec: transmit error counter, 0..256 (more than 255: bus-off)
 * @rec: receive error counter, 0..128
 * @bus_off: stopped by fault confinement
 */
struct canbus_node {
	const char *name;
	const struct canbus_node_ops *ops;
	void *arg;
	enum canbus_mode mode;
	uint32_t bit_ns;
	unsigned int recovery_sequences;
	unsigned int tec;
	unsigned int rec;
	bool bus_off;
	/* the rest belongs to canbus.c */
	struct canbus *bus;
	bool running;		/* takes part in traffic (Init = 0) */
	bool integrated;	/* has seen 11 recessive bits since its start */
	bool transmitting;
	bool suspended;		/* error-passive transmitter: 8 more bits */
	bool receiving;		/* follows the frame under way without errors */
	bool contending;	/* transmits, but will lose arbitration at @lost_bit */
	bool misfit;		/* cannot read the frame under way: wrong bit time */
	unsigned int lost_bit;
	unsigned int recovery_left;
	uint64_t ready_at;	/* end of suspend transmission */
	uint64_t quiet_from;	/* recessive bits count from here, for @timer */
	struct canbus_frame tx;
	struct sim_event timer;	/* 11 recessive bits; in loopback mode also the frame */
	int loop_phase;
};

static inline bool canbus_node_passive(const struct canbus_node *n)
{
	return n->tec > 127 || n->rec > 127;
}

static inline bool canbus_node_warning(const struct canbus_node *n)
{
	return n->tec > 95 || n->rec > 95;
}

struct canbus_stats {
	uint64_t frames;		/* sent with success */
	uint64_t errors;		/* error frames on the wire */
	uint64_t arbitration_lost;	/* by any node */
	uint64_t busy_ns;		/* SOF to end of intermission, and error frames */
	uint64_t first_sof;
	uint64_t last_eof;		/* end of the last frame's EOF */
	uint64_t gaps;			/* times the bus went idle between two frames */
	uint64_t max_gap_ns;
};

struct canbus *canbus_new(struct sim *sim);
void canbus_free(struct canbus *bus);
/* The caller sets the members from name to recovery_sequences; the rest is initialised here. */
void canbus_attach(struct canbus *bus, struct canbus_node *node);
/* Takes the node off for good; not from a callback. No-op after canbus_free(). */
void canbus_detach(struct canbus_node *node);
const struct canbus_stats *canbus_stats(const struct canbus *bus);
void canbus_stats_reset(struct canbus *bus);

/* Init 1 -> 0: integrate (11 recessive bits); after bus-off: recover (129 x 11 bits). */
void canbus_node_start(struct canbus_node *node);
/* Init 0 -> 1: leaves the bus at once; counters stay. */
void canbus_node_stop(struct canbus_node *node);
/* The node may have something to send now. */
void canbus_node_kick(struct canbus_node *node);

/*
 * Error injection: the next frame (skip = 0) or the one after skip more frames
 * is destroyed at the given bit (counted from SOF, with stuff bits; -1: in the
 * middle of its data or CRC). count frames in a row are hit. Only frames of
 * sender are counted if sender is not NULL. A frame that is repeated counts
 * again. All nodes see the bit inverted; in the arbitration field, where a
 * dominant bit instead of a recessive one is no error, the next dominant bit
 * is taken.
 */
void canbus_destroy(struct canbus *bus, const struct canbus_node *sender,
		    unsigned int skip, unsigned int count, int bit);
/* The same for the frames of all others. */
void canbus_destroy_others(struct canbus *bus, const struct canbus_node *node,
			   unsigned int skip, unsigned int count, int bit);

/* No frame is under way and nobody is about to send. */
bool canbus_idle(const struct canbus *bus);

/* Bits from SOF to the end of EOF, stuff bits included (no intermission). */
unsigned int canbus_frame_bits(const struct canbus_frame *frame);
/* Bits from SOF to the end of the control field, stuff bits included. */
unsigned int canbus_header_bits(const struct canbus_frame *frame);
/* The 15-bit CRC of the frame. */
uint16_t canbus_frame_crc(const struct canbus_frame *frame);
/* < 0: a wins arbitration against b; 0: same arbitration field. */
int canbus_arbitrate(const struct canbus_frame *a, const struct canbus_frame *b);

#endif
