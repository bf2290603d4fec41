// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order in which the mcp251x driver's frames leave the controller, without hardware: the
 * controller here is the rule of DS20001801J, 3.2 alone.
 */

#include "../../src/mcp251x/mcp251x_prio.c"

#include <string.h>

#include "tap.h"

struct chip {
	struct mcp251x_prio prio;
	unsigned int txp[MCP251X_PRIO_BUFFERS];
	unsigned int frame[MCP251X_PRIO_BUFFERS];
	unsigned int pending;
	unsigned int requested, sent;
	unsigned int swapped, overwritten, echo_swapped;
};

static void init(struct chip *c)
{
	memset(c, 0, sizeof(*c));
	mcp251x_prio_reset(&c->prio);
}

static bool request(struct chip *c)
{
	u8 buffer, txp;

	if (!mcp251x_prio_ready(&c->prio))
		return false;
	buffer = mcp251x_prio_take(&c->prio, c->requested % 8, &txp);
	if (buffer >= MCP251X_PRIO_BUFFERS || c->pending & 1 << buffer)
		c->overwritten++;
	c->pending |= 1 << buffer;
	c->txp[buffer] = txp;
	c->frame[buffer] = c->requested++;
	return true;
}

/* The bus is free: the controller chooses, and the frame is sent. Returns its buffer. */
static int choose(struct chip *c)
{
	int best = -1, n;

	for (n = 0; n < MCP251X_PRIO_BUFFERS; n++)
		if (c->pending & 1 << n && (best < 0 || c->txp[n] >= c->txp[best]))
			best = n;
	if (best < 0)
		return best;
	if (c->frame[best] != c->sent++)
		c->swapped++;
	c->pending &= ~(1 << best);
	return best;
}

static void done(struct chip *c, u8 buffers, unsigned int *echoed)
{
	int n;

	while ((n = mcp251x_prio_oldest(&c->prio, buffers)) >= 0) {
		if (c->frame[n] != (*echoed)++ || c->prio.slot[n] != c->frame[n] % 8)
			c->echo_swapped++;
		mcp251x_prio_done(&c->prio, n);
	}
}

static void frames_leave_in_their_order(void)
{
	unsigned int i, echoed = 0;
	struct chip c;
	u8 sent = 0;

	init(&c);
	srand(1);
	for (i = 0; i < 1000000; i++) {
		int n;

		switch (rand() % 4) {
		case 0:
		case 1:
			request(&c);
			break;
		case 2:
			n = choose(&c);
			if (n >= 0)
				sent |= 1 << n;
			break;
		case 3:
			done(&c, sent, &echoed);
			sent = 0;
			break;
		}
	}
	ok(c.sent > 100000, "random requests and ends: %u frames", c.sent);
	is(c.swapped, 0, "each frame leaves after those that were requested before it");
	is(c.overwritten, 0, "no buffer is written while its frame is pending");
	is(c.echo_swapped, 0, "several that are seen to be sent at once are told in their order");
}

/* The queue is never empty, and each end is seen at once, in the time of the next frame. */
static void one_drain_in_twelve(void)
{
	unsigned int alone = 0, starved = 0, i, echoed = 0;
	struct chip c;

	init(&c);
	for (i = 0; i < 12000; i++) {
		int n;

		while (request(&c))
			;
		n = choose(&c);
		if (n < 0) {
			starved++;
			continue;
		}
		alone += !c.pending;
		done(&c, 1 << n, &echoed);
	}
	is(starved, 0, "a full queue: the bus never waits for more than the end of a frame");
	is(alone, 1000, "a full queue: one frame in twelve has no successor when it leaves");
	is(c.swapped, 0, "a full queue: no frame overtakes");
}

static void a_pause_starts_anew(void)
{
	unsigned int i, echoed = 0, waited = 0;
	struct chip c;

	init(&c);
	for (i = 0; i < 1000; i++) {
		waited += !request(&c);
		done(&c, 1 << choose(&c), &echoed);
	}
	is(waited, 0, "frames with pauses never wait for a buffer");
	is(c.prio.step, 1, "and always take the first place");
}

static void numbers_wrap(void)
{
	unsigned int i, echoed = 0;
	struct chip c;

	init(&c);
	for (i = 0; i < 300; i++) {
		u8 sent = 0;

		while (request(&c))
			;
		while (c.pending)
			sent |= 1 << choose(&c);
		done(&c, sent, &echoed);
	}
	is(c.echo_swapped, 0, "three at once, over and over: told in their order");
	is(echoed, 900, "and all of them");
}

int main(void)
{
	frames_leave_in_their_order();
	one_drain_in_twelve();
	a_pause_starts_anew();
	numbers_wrap();
	return tap_done();
}
