// SPDX-License-Identifier: GPL-2.0-only
/*
 * When a bit is not what its sender wants: from there on every node is played
 * bit by bit through error flag, echo and delimiter (ISO 11898-1, 10.4.4 and
 * 12.1.4). What comes out is a list of things to report, each with its bit.
 *
 * The list is made at once, with the counters and states of this moment; a node
 * that is stopped while the error frame is on the wire drops out of it.
 */
#include "canbus_priv.h"

enum part {
	SEND,
	RECEIVE,
	FLAG_ACTIVE,
	FLAG_PASSIVE,
	FLAG_OVERLOAD,
	FLAG_OVER,		/* flag sent, others are still sending theirs */
	DELIMITER,
	OUT,			/* ready for the intermission, or bus-off */
};

struct player {
	struct canbus_node *node;
	enum part part;
	bool transmitter;
	bool passive;		/* as of now, with what this error frame has added */
	bool misfit;
	bool corrupt;		/* what it received does not match the CRC */
	bool after_error;	/* the flag was an error flag, not an overload flag */
	bool first_after;	/* next bit is the first one after its flag */
	bool ack_error_only;	/* passive, and only the ACK was missing so far */
	unsigned int left;	/* bits of flag or delimiter */
	unsigned int run;	/* equal levels in a row */
	unsigned int last;	/* the last level */
	unsigned int tec;
	unsigned int rec;
	struct outcome *due;	/* outcome whose TEC depends on ack_error_only */
	uint8_t bit[CANBUS_MAX_BITS];	/* a sender's own frame */
	unsigned int bits;
	unsigned int arbitration;
};

struct play {
	struct canbus *bus;
	unsigned int from;
	bool sent;			/* a frame has come through */
	uint8_t bit[CANBUS_MAX_BITS];	/* the winner's frame */
	struct player player[CANBUS_MAX_NODES];
	unsigned int players;
};

static struct outcome *report(struct play *play, const struct player *p, enum outcome_kind kind,
			      unsigned int bit)
{
	struct canbus *bus = play->bus;
	struct outcome *o;

	if (bus->outcomes == MAX_OUTCOMES)
		return &bus->outcome[MAX_OUTCOMES - 1];
	o = &bus->outcome[bus->outcomes++];
	*o = (struct outcome){
		.node = p->node, .kind = kind, .transmitting = p->transmitter, .bit = bit,
	};
	return o;
}

static void update_state(struct player *p)
{
	unsigned int tec = p->node->tec + p->tec;

	p->passive = tec > 127 || p->node->rec + p->rec > 127;
	if (tec > 255)
		p->part = OUT;
}

static void add(struct player *p, struct outcome *o, unsigned int amount)
{
	if (p->transmitter) {
		o->tec += amount;
		p->tec += amount;
	} else {
		o->rec += amount;
		p->rec += amount;
	}
	update_state(p);
}

static void fail(struct play *play, struct player *p, enum canbus_error error, unsigned int bit)
{
	struct outcome *o = report(play, p, OUTCOME_ERROR, bit);

	o->error = error;
	/* the state before this error decides on the flag */
	p->part = p->passive ? FLAG_PASSIVE : FLAG_ACTIVE;
	p->left = FLAG_BITS;
	p->run = 0;
	p->after_error = true;
	p->ack_error_only = p->transmitter && p->passive && error == CANBUS_ACK_ERROR;
	if (p->ack_error_only)
		p->due = o;
	else
		add(p, o, p->transmitter ? 8 : 1);
}

static void flag_over(struct player *p)
{
	p->part = FLAG_OVER;
	p->first_after = true;
}

static unsigned int sends(const struct play *play, const struct player *p, unsigned int bit)
{
	const struct canbus_layout *l = &play->bus->layout;

	switch (p->part) {
	case SEND:
		return bit < p->bits ? p->bit[bit] : 1;
	case RECEIVE:
		return !(bit == canbus_ack_slot(l) && !p->corrupt);
	case FLAG_ACTIVE:
	case FLAG_OVERLOAD:
		return 0;
	default:
		return 1;
	}
}

static void lose(struct play *play, struct player *p, unsigned int bit)
{
	report(play, p, OUTCOME_LOST, bit);
	p->part = RECEIVE;
	p->transmitter = false;
	p->run = 1;
	p->last = 0;
	p->corrupt = true;
}

static void step_send(struct play *play, struct player *p, unsigned int bit, unsigned int seen)
{
	unsigned int sent = sends(play, p, bit);

	/* each sender has its own length if the control fields differ */
	if (bit == p->bits - 9) {
		if (seen)
			fail(play, p, CANBUS_ACK_ERROR, bit);
	} else if (seen < sent) {
		if (bit < p->arbitration)
			lose(play, p, bit);
		else
			fail(play, p, CANBUS_BIT1_ERROR, bit);
	} else if (seen > sent) {
		fail(play, p, CANBUS_BIT0_ERROR, bit);
	} else if (bit == p->bits - 1) {
		report(play, p, OUTCOME_DONE, bit);
		p->part = OUT;
		play->sent = true;
	}
}

static void step_receive_stuffed(struct play *play, struct player *p, unsigned int bit,
				 unsigned int seen)
{
	p->run = seen == p->last ? p->run + 1 : 1;
	p->last = seen;
	if (seen != play->bit[bit])
		p->corrupt = true;
	if (p->run == 6)
		fail(play, p, CANBUS_STUFF_ERROR, bit);
}

static void step_receive(struct play *play, struct player *p, unsigned int bit, unsigned int seen)
{
	const struct canbus_layout *l = &play->bus->layout;
	unsigned int ack = canbus_ack_slot(l);

	if (bit < l->crc_end) {
		step_receive_stuffed(play, p, bit, seen);
	} else if (bit == ack) {
		if (seen && !p->corrupt)
			fail(play, p, CANBUS_BIT0_ERROR, bit);
	} else if (bit == l->bits - 1) {
		/* valid already; a dominant bit here asks for an overload frame */
		p->part = seen ? OUT : FLAG_OVERLOAD;
		p->left = FLAG_BITS;
	} else if (!seen) {
		fail(play, p, CANBUS_FORM_ERROR, bit);
	} else if (bit == ack + 1 && p->corrupt) {
		fail(play, p, CANBUS_CRC_ERROR, bit);
	} else if (bit == l->bits - 2) {
		report(play, p, OUTCOME_VALID, bit);
	}
}

static void step_passive_flag(struct player *p, unsigned int seen)
{
	if (!seen && p->ack_error_only) {
		p->ack_error_only = false;
		add(p, p->due, 8);
	}
	p->run = p->run && seen == p->last ? p->run + 1 : 1;
	p->last = seen;
	if (p->run == FLAG_BITS && p->part == FLAG_PASSIVE)
		flag_over(p);
}

static void step_flag_over(struct play *play, struct player *p, unsigned int bit,
			   unsigned int seen)
{
	if (seen) {
		p->part = DELIMITER;
		p->left = DELIMITER_BITS - 1;
		return;
	}
	if (p->first_after && p->after_error && !p->transmitter)
		add(p, report(play, p, OUTCOME_COUNT, bit), 8);
	/* more than 7 dominant bits count again, but nobody holds the bus that long here */
	p->first_after = false;
}

static void step(struct play *play, struct player *p, unsigned int bit, unsigned int seen)
{
	if (p->misfit && bit == play->from) {
		fail(play, p, p->transmitter ? CANBUS_BIT0_ERROR : CANBUS_STUFF_ERROR, bit);
		return;
	}
	switch (p->part) {
	case SEND:
		step_send(play, p, bit, seen);
		break;
	case RECEIVE:
		step_receive(play, p, bit, seen);
		break;
	case FLAG_ACTIVE:
	case FLAG_OVERLOAD:
		if (!--p->left)
			flag_over(p);
		break;
	case FLAG_PASSIVE:
		step_passive_flag(p, seen);
		break;
	case FLAG_OVER:
		step_flag_over(play, p, bit, seen);
		break;
	case DELIMITER:
		if (!seen)
			fail(play, p, CANBUS_FORM_ERROR, bit);
		else if (!--p->left)
			p->part = OUT;
		break;
	case OUT:
		break;
	}
}

/*
 * Must the others wait for this node before the intermission? A passive node
 * that dropped out of a frame which came through all the same need not be
 * waited for; it is taken to be in step again.
 */
static bool holds_up(const struct play *play, const struct player *p)
{
	if (p->part == OUT)
		return false;
	return !play->sent || p->part == FLAG_ACTIVE || p->part == FLAG_OVERLOAD;
}

/* One bit for all; true as long as somebody is not through. */
static bool play_bit(struct play *play, unsigned int bit)
{
	unsigned int level = 1;
	bool more = false;

	for (unsigned int i = 0; i < play->players; i++) {
		const struct player *p = &play->player[i];

		if (p->node->mode == CANBUS_NORMAL && !(p->misfit && bit == play->from))
			level &= sends(play, p, bit);
	}
	if (bit == play->bus->flip)
		level ^= 1;
	if (!level)
		play->bus->last_dominant = bit;
	for (unsigned int i = 0; i < play->players; i++) {
		struct player *p = &play->player[i];
		unsigned int seen = level;

		/* a silent controller routes what it would send to itself */
		if (p->node->mode == CANBUS_SILENT)
			seen &= sends(play, p, bit);
		step(play, p, bit, seen);
	}
	for (unsigned int i = 0; i < play->players; i++)
		more |= holds_up(play, &play->player[i]);
	return more;
}

static void join(struct play *play, struct canbus_node *n)
{
	struct player *p = &play->player[play->players++];
	struct canbus_layout l;

	*p = (struct player){ .node = n, .misfit = n->misfit, .last = 1 };
	update_state(p);
	if (n->transmitting) {
		p->transmitter = true;
		p->part = SEND;
		canbus_bits(&n->tx, &l, p->bit);
		p->bits = l.bits;
		p->arbitration = l.arbitration;
		return;
	}
	p->part = RECEIVE;
	for (unsigned int i = 0; i < play->from && i < play->bus->layout.crc_end; i++) {
		p->run = play->bit[i] == p->last ? p->run + 1 : 1;
		p->last = play->bit[i];
	}
}

void canbus_play_trouble(struct canbus *bus, unsigned int from)
{
	struct play play = { .bus = bus, .from = from };
	struct canbus_layout l;
	unsigned int bit = from;

	canbus_bits(&bus->frame, &l, play.bit);
	bus->outcomes = 0;
	bus->last_dominant = NO_BIT;
	for (unsigned int i = 0; i < from && i < l.bits; i++) {
		/* whoever comes past the ACK slot has been acknowledged */
		if (!play.bit[i] || i == canbus_ack_slot(&l))
			bus->last_dominant = i;
	}
	for (unsigned int i = 0; i < bus->nodes; i++) {
		struct canbus_node *n = bus->node[i];

		if (canbus_on_wire(n) && (n->transmitting || n->receiving || n->misfit))
			join(&play, n);
	}
	while (play_bit(&play, bit))
		bit++;
	bus->end = bit + 1;
}
