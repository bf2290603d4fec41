// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which SPI message the mcp251x driver sends next, without a driver: the messages are run on two
 * receive buffers as in DS20001801J, 4.2 and 12.4, byte by byte, while frames come at random.
 */

#include "../../src/mcp251x/mcp251x_plan.c"
#include "../../src/mcp251x/mcp251x_prio.c"

#include <string.h>

#include "tap.h"

#define BYTE	8	/* a tenth of a microsecond is the unit of time */

struct chip {
	unsigned int now, next;		/* when the next frame ends */
	unsigned int shortest, spread;	/* time between two */
	unsigned int gap;		/* between instructions, at most */
	unsigned int latency;		/* of the interrupt, at most */
	unsigned int buf[2];		/* number of the frame */
	bool full[2];
	unsigned int last[2];		/* what the driver has read last */
	unsigned int arrived, overflown, unsafe;
	unsigned int got, swapped, torn;
	unsigned int newest;
	unsigned int steps[MCP251X_STEP_COUNT];
	struct mcp251x_plan plan;
};

static unsigned int below(unsigned int n)
{
	return n ? (unsigned int)rand() % n : 0;
}

static void arrive(struct chip *c)
{
	unsigned int number = ++c->arrived;

	if (!c->full[0]) {
		c->buf[0] = number;
		c->full[0] = true;
	} else if (!c->full[1]) {
		c->buf[1] = number;
		c->full[1] = true;
	} else {
		c->overflown++;
	}
	c->next += c->shortest + below(c->spread);
}

static void pass(struct chip *c, unsigned int time)
{
	unsigned int end = c->now + time;

	while ((int)(c->next - end) <= 0) {
		c->now = c->next;
		arrive(c);
	}
	c->now = end;
}

static u8 flags(const struct chip *c)
{
	return (c->full[0] ? MCP251X_RXB0 : 0) | (c->full[1] ? MCP251X_RXB1 : 0);
}

static void deliver(struct chip *c, unsigned int number)
{
	c->got++;
	if (number <= c->newest)
		c->swapped++;
	c->newest = number;
}

/* READ RX BUFFER. Returns the frame, 0 if it is torn. */
static unsigned int read_rx(struct chip *c, unsigned int n)
{
	unsigned int begin, end;

	if (!c->full[n])
		c->unsafe++;
	pass(c, BYTE);
	begin = c->buf[n];
	pass(c, 13 * BYTE);
	end = c->buf[n];
	c->full[n] = false;
	pass(c, below(c->gap));
	c->last[n] = end == begin ? end : 0;
	return c->last[n];
}

static unsigned int read_plain(struct chip *c, unsigned int n)
{
	pass(c, 15 * BYTE);
	pass(c, below(c->gap));
	return c->buf[n];
}

static void take(struct chip *c, unsigned int number)
{
	if (!number)
		c->torn++;
	else
		deliver(c, number);
}

/* What the driver does with it (mcp251x_step.c); returns what the look sees */
static u8 run(struct chip *c, enum mcp251x_step step)
{
	unsigned int frame[2] = { 0 };
	u8 status, want;

	c->steps[step]++;
	switch (step) {
	case MCP251X_STEP_READ0:
	case MCP251X_STEP_READ1:
		take(c, read_rx(c, step == MCP251X_STEP_READ1));
		break;
	case MCP251X_STEP_SURE:
	case MCP251X_STEP_PAIR:
		want = step == MCP251X_STEP_PAIR ? 3 : 1;
		pass(c, BYTE);
		status = flags(c) & want;
		pass(c, BYTE + below(c->gap));
		frame[0] = read_rx(c, 0);
		if (step == MCP251X_STEP_PAIR)
			frame[1] = read_rx(c, 1);
		if (status & 1)
			take(c, frame[0]);
		if (status & 2)
			take(c, frame[1]);
		c->plan.again = want & ~status;
		break;
	case MCP251X_STEP_BOTH:
		frame[0] = read_rx(c, 0);
		frame[1] = read_rx(c, 1);
		take(c, frame[0]);
		take(c, frame[1]);
		break;
	case MCP251X_STEP_AGAIN0:
	case MCP251X_STEP_AGAIN1:
		want = step == MCP251X_STEP_AGAIN1;
		frame[0] = read_plain(c, want);
		pass(c, 2 * BYTE);
		/* whether it was read in pieces does not matter: it is the newest one */
		if (!c->full[want] && frame[0] > c->newest)
			deliver(c, frame[0]);
		pass(c, 2 * BYTE);
		return flags(c);
	case MCP251X_STEP_CONTROL:
		c->plan.inte = mcp251x_plan_inte(&c->plan);
		pass(c, 19 * BYTE);
		break;
	default:
		break;
	}
	pass(c, 2 * BYTE);
	status = flags(c);
	pass(c, 2 * BYTE);
	return status;
}

/* Until nothing is left to be done */
static void serve(struct chip *c, bool look, bool irq)
{
	struct mcp251x_want want = { .look = look, .irq = irq };
	enum mcp251x_step step;

	while ((step = mcp251x_plan_next(&c->plan, &want)) != MCP251X_STEP_NONE) {
		u8 seen = run(c, step);

		mcp251x_plan_look(&c->plan, step, seen, 0);
		want = (struct mcp251x_want){ 0 };
		pass(c, below(c->latency));
	}
}

/* stale: one interrupt in so many comes although nothing has happened */
static void drive(struct chip *c, unsigned int frames, u8 inte, bool pair, unsigned int stale)
{
	srand(7);
	c->next = c->shortest;
	mcp251x_plan_reset(&c->plan, false);
	c->plan.inte_want = inte;
	c->plan.pair = pair;
	serve(c, true, false);
	while (c->arrived < frames) {
		if (flags(c) & c->plan.inte || (stale && !below(stale))) {
			pass(c, below(c->latency));
			serve(c, true, true);
		} else {
			pass(c, BYTE);
		}
	}
	c->next = c->now + 1000000000;
	c->plan.flush = true;
	serve(c, true, false);
}

static void all_and_in_order(struct chip *c, const char *what)
{
	is(c->got, c->arrived - c->overflown, "%s: all of %u that were not overflown (%u)", what,
	   c->arrived, c->overflown);
	is(c->swapped, 0, "%s: in order", what);
	is(c->torn, 0, "%s: none is torn", what);
}

static struct chip chip;

static void fast_enough(u8 inte, bool pair, const char *what)
{
	chip = (struct chip){ .shortest = 480, .spread = 60, .gap = 10, .latency = 100 };
	drive(&chip, 100000, inte, pair, 0);
	all_and_in_order(&chip, what);
	is(chip.overflown, 0, "%s: none is overflown", what);
	is(chip.unsafe, 0, "%s: no buffer is read that is not full", what);
}

/* Frames are lost, but never more than the chip says, and never swapped. */
static void too_slow(u8 inte, bool pair, const char *what)
{
	chip = (struct chip){ .shortest = 470, .spread = 2000, .gap = 10, .latency = 2500 };
	drive(&chip, 100000, inte, pair, 0);
	all_and_in_order(&chip, what);
	ok(chip.overflown > 1000, "%s: some are overflown: %u", what, chip.overflown);
	is(chip.unsafe, 0, "%s: no buffer is read that is not full", what);
}

/* Interrupts without a frame, with a frame in any of the moments that follow */
static void stale(u8 inte, bool pair, const char *what)
{
	chip = (struct chip){ .shortest = 470, .spread = 700, .gap = 10, .latency = 50 };
	drive(&chip, 100000, inte, pair, 20);
	all_and_in_order(&chip, what);
	ok(chip.unsafe > 1000, "%s: buffers were read for nothing: %u times", what, chip.unsafe);
}

#define RX0	MCP251X_INT_RX(0)
#define RX1	MCP251X_INT_RX(1)
#define ALL	0x3f

static void a_pair_costs_one_message(void)
{
	chip = (struct chip){ .shortest = 960, .spread = 10, .gap = 10, .latency = 100 };
	drive(&chip, 10000, RX1, true, 0);
	ok(chip.steps[MCP251X_STEP_PAIR] >= 4990, "two at a time: %u pairs of %u frames",
	   chip.steps[MCP251X_STEP_PAIR], chip.arrived);
	ok(chip.steps[MCP251X_STEP_LOOK] + chip.steps[MCP251X_STEP_READ0] < 10,
	   "two at a time: nothing else");
	chip = (struct chip){ .shortest = 960, .spread = 10, .gap = 10, .latency = 100 };
	drive(&chip, 10000, RX0, false, 0);
	/* the last one is found by the look at the end */
	is(chip.steps[MCP251X_STEP_SURE], chip.arrived - 1, "one at a time: one message for each");
	is(chip.steps[MCP251X_STEP_READ0] + chip.steps[MCP251X_STEP_READ1], 1,
	   "one at a time: nothing else");
}

/* Which buffer is older, whatever it was before; 2: that depends on what it was */
static u8 after(enum mcp251x_step step, u8 before, u8 seen, bool *sure)
{
	u8 older[2], n;

	for (n = 0; n < 2; n++) {
		struct mcp251x_plan plan;

		mcp251x_plan_reset(&plan, false);
		plan.older = n;
		plan.canintf = before;
		*sure = mcp251x_plan_look(&plan, step, seen, 0);
		older[n] = plan.older;
	}
	return older[0] == older[1] ? older[0] : 2;
}

static void order_is_doubted_when_it_must_be(void)
{
	bool sure;

	is(after(MCP251X_STEP_LOOK, 0, 3, &sure), 0, "both are new: RXB0 is older");
	ok(sure, "for sure");
	is(after(MCP251X_STEP_LOOK, 2, 3, &sure), 1, "RXB0 is new, RXB1 is not: RXB1 is older");
	ok(sure, "for sure");
	is(after(MCP251X_STEP_READ0, 3, 3, &sure), 1, "RXB1 was full when RXB0 was freed: older");
	ok(sure, "for sure");
	is(after(MCP251X_STEP_READ0, 1, 3, &sure), 1, "RXB1 was full after RXB0 was freed: older");
	ok(!sure, "if the look came soon");
	is(after(MCP251X_STEP_READ1, 2, 3, &sure), 0, "RXB1 was freed: what it has is younger");
	ok(sure, "for sure");
	is(after(MCP251X_STEP_PAIR, 3, 3, &sure), 0, "both were freed: RXB0 is older");
	ok(sure, "for sure");
	is(after(MCP251X_STEP_BOTH, 3, 3, &sure), 0, "both were known to be full and freed: dito");
	ok(sure, "for sure");
	is(after(MCP251X_STEP_CONTROL, 3, 3, &sure), 2, "nothing was freed: as before");
}

static void others_get_their_turn(void)
{
	struct mcp251x_want want = { .frame = true, .request = true };
	struct mcp251x_plan plan;
	unsigned int n;

	mcp251x_plan_reset(&plan, false);
	plan.canintf = MCP251X_RXB0;
	for (n = 0; mcp251x_plan_next(&plan, &want) == MCP251X_STEP_READ0 && n < 100; n++)
		;
	is(n, MCP251X_PLAN_STREAK, "frames that never end: a frame to send waits for so many");

	mcp251x_plan_reset(&plan, false);
	plan.canintf = MCP251X_RXB0;
	for (n = 0; n < 3; n++)
		want.frame = !mcp251x_plan_next(&plan, &want);
	plan.halt = true;
	plan.streak = MCP251X_PLAN_STREAK;
	want.frame = true;
	is(mcp251x_plan_next(&plan, &want), MCP251X_STEP_CONTROL, "bus-off: the halt goes first");
	plan.halted = true;
	plan.streak = MCP251X_PLAN_STREAK;
	is(mcp251x_plan_next(&plan, &want), MCP251X_STEP_REQUEST, "bus-off: nothing is sent after it");
}

static void errors_do_not_storm(void)
{
	struct mcp251x_want want = { .look = true };
	unsigned int controls = 0, looks = 0, i;
	struct mcp251x_plan plan;

	mcp251x_plan_reset(&plan, false);
	plan.inte_want = ALL | MCP251X_INT_MERR;
	plan.inte = plan.inte_want;
	for (i = 0; i < 1000; i++) {
		enum mcp251x_step step = mcp251x_plan_next(&plan, &want);
		bool control = step == MCP251X_STEP_CONTROL;

		controls += control;
		looks += step == MCP251X_STEP_LOOK;
		if (control)
			plan.inte = mcp251x_plan_inte(&plan);
		/* MERRF is there again whenever it is not looked at */
		mcp251x_plan_look(&plan, step, control ? 0 : MCP251X_INT_MERR, 0);
	}
	ok(controls <= MCP251X_PLAN_CONTROLS + 1, "an error after each message: %u of 1000 deal with it",
	   controls);
	ok(!(plan.inte & MCP251X_INT_MERR), "then it does not interrupt any more");
	mcp251x_plan_tick(&plan);
	is(mcp251x_plan_next(&plan, &want), MCP251X_STEP_CONTROL, "until the next tick");
}

/* What comes next after a look that showed EFLG and CANINTF, and one more that showed them again */
static enum mcp251x_step next_of(struct mcp251x_plan *plan, u8 canintf, u8 eflg)
{
	const struct mcp251x_want want = { 0 };

	mcp251x_plan_look(plan, MCP251X_STEP_LOOK, canintf, eflg);
	return mcp251x_plan_next(plan, &want);
}

static void one_wrong_bit_is_no_bus_off(void)
{
	struct mcp251x_plan plan;
	u8 bit;

	for (bit = 1; bit; bit <<= 1) {
		mcp251x_plan_reset(&plan, false);
		is(next_of(&plan, 0, bit), MCP251X_STEP_LOOK, "EFLG %02x from nowhere: look again",
		   bit);
		is(next_of(&plan, 0, 0), MCP251X_STEP_NONE, "it was not true: nothing happens");
		ok(!plan.halt && !plan.eflg, "and nothing has happened");
	}
	mcp251x_plan_reset(&plan, false);
	next_of(&plan, 0, MCP251X_EFLG_TXBO);
	is(next_of(&plan, 0, MCP251X_EFLG_TXBO), MCP251X_STEP_CONTROL, "bus-off seen twice");
	ok(plan.halt, "is one");

	mcp251x_plan_reset(&plan, false);
	is(next_of(&plan, MCP251X_INT_ERR, MCP251X_EFLG_TXBO | MCP251X_EFLG_TXEP),
	   MCP251X_STEP_LOOK, "bus-off with ERRIF: look again, too");
	ok(!plan.halt, "before anything that cannot be taken back");
	is(plan.eflg, MCP251X_EFLG_TXEP, "the rest is believed");

	mcp251x_plan_reset(&plan, false);
	is(next_of(&plan, MCP251X_INT_ERR, MCP251X_EFLG_RX1OVR), MCP251X_STEP_CONTROL,
	   "an overflow with ERRIF: dealt with at once");
}

static void a_doubt_is_no_storm(void)
{
	unsigned int looks = 0, i;
	struct mcp251x_plan plan;

	mcp251x_plan_reset(&plan, false);
	for (i = 0; i < 1000; i++)
		looks += next_of(&plan, 0, i & 1 ? MCP251X_EFLG_RXWAR : 0) == MCP251X_STEP_LOOK;
	ok(looks <= MCP251X_PLAN_CONTROLS, "EFLG that is another each time: %u looks of 1000",
	   looks);
}

static void given_up_is_seen_twice(void)
{
	struct mcp251x_want want = { 0 };
	struct mcp251x_plan plan;
	u8 txp;

	mcp251x_plan_reset(&plan, false);
	is(mcp251x_prio_take(&plan.prio, 0, &txp), 2, "a frame in TXB2");
	is(mcp251x_plan_gone(&plan, MCP251X_STATUS_TXREQ(2)), 0, "TXREQ: it will be sent");
	is(mcp251x_plan_next(&plan, &want), MCP251X_STEP_NONE, "nothing to do");
	is(mcp251x_plan_gone(&plan, 0), 0, "no TXREQ: it may have been given up");
	is(mcp251x_plan_next(&plan, &want), MCP251X_STEP_STATUS, "ask again");
	is(mcp251x_plan_gone(&plan, MCP251X_STATUS_TXREQ(2)), 0, "a wrong bit: it will be sent");
	is(mcp251x_plan_next(&plan, &want), MCP251X_STEP_NONE, "nothing to do");
	mcp251x_plan_gone(&plan, 0);
	is(mcp251x_plan_gone(&plan, 0), 4, "no TXREQ twice: given up");
	mcp251x_prio_done(&plan.prio, 2);
	is(mcp251x_plan_next(&plan, &want), MCP251X_STEP_NONE, "nothing to do");
}

static void a_flag_that_stays(void)
{
	struct mcp251x_want want = { 0 };
	struct mcp251x_plan plan;

	mcp251x_plan_reset(&plan, false);
	plan.inte_want = ALL;
	plan.inte = ALL;
	mcp251x_plan_look(&plan, MCP251X_STEP_LOOK, MCP251X_INT_ERR, MCP251X_EFLG_TXEP);
	is(mcp251x_plan_next(&plan, &want), MCP251X_STEP_CONTROL, "ERRIF: it is dealt with");
	plan.told = MCP251X_EFLG_TXEP;
	mcp251x_plan_look(&plan, MCP251X_STEP_CONTROL, MCP251X_INT_ERR, MCP251X_EFLG_TXEP);
	is(mcp251x_plan_next(&plan, &want), MCP251X_STEP_CONTROL, "it stays: its interrupt goes");
	plan.inte = mcp251x_plan_inte(&plan);
	mcp251x_plan_look(&plan, MCP251X_STEP_CONTROL, MCP251X_INT_ERR, MCP251X_EFLG_TXEP);
	is(mcp251x_plan_next(&plan, &want), MCP251X_STEP_NONE, "and that is all");
	mcp251x_plan_look(&plan, MCP251X_STEP_LOOK, MCP251X_INT_ERR, 0);
	is(mcp251x_plan_next(&plan, &want), MCP251X_STEP_CONTROL, "another state is noticed");
}

static void sent_is_told_once(void)
{
	struct mcp251x_plan plan;

	mcp251x_plan_reset(&plan, false);
	mcp251x_plan_look(&plan, MCP251X_STEP_LOOK, MCP251X_INT_TX(2), 0);
	is(mcp251x_plan_sent(&plan), 4, "TX2IF: TXB2 was sent");
	mcp251x_plan_look(&plan, MCP251X_STEP_LOOK, MCP251X_INT_TX(2) | MCP251X_INT_TX(1), 0);
	is(mcp251x_plan_sent(&plan), 2, "TX2IF is still there: only TXB1 is new");
	plan.echoed = 0;
	mcp251x_plan_look(&plan, MCP251X_STEP_CLEAR, MCP251X_INT_TX(2), 0);
	is(mcp251x_plan_sent(&plan), 4, "there again after it was cleared: sent again");
}

int main(void)
{
	fast_enough(ALL, false, "1 Mbit/s");
	fast_enough(RX0, false, "1 Mbit/s, RX0IE only");
	fast_enough(RX1, true, "1 Mbit/s, RX1IE only");
	too_slow(ALL, false, "late");
	too_slow(RX0, false, "late, RX0IE only");
	too_slow(RX1, true, "late, RX1IE only");
	stale(RX0, false, "wrong interrupts, RX0IE only");
	stale(RX1, true, "wrong interrupts, RX1IE only");
	a_pair_costs_one_message();
	order_is_doubted_when_it_must_be();
	others_get_their_turn();
	errors_do_not_storm();
	one_wrong_bit_is_no_bus_off();
	a_doubt_is_no_storm();
	given_up_is_seen_twice();
	a_flag_that_stays();
	sent_is_told_once();
	return tap_done();
}
