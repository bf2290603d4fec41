// SPDX-License-Identifier: GPL-2.0-only
/* The C_CAN model: transmission. */
#include "test_c_can.h"

static void request(struct bench *b, unsigned int n)
{
	transfer(b, 1, 0x84, n);
}

static void tx_object(struct bench *b, unsigned int n, uint32_t id, uint32_t mctrl)
{
	object(b, n, VALID | DIR | STD(id), 0, EOB | 8 | mctrl);
}

static void one_frame(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	uint64_t sof;
	struct canbus_frame f;

	tx_object(b, 4, 0x123, TXIE);
	bench_go(b, IE);
	request(b, 4);
	sof = b->sim.now;
	is(flags(b, F_TXRQST), 8, "type %d: requested", type);
	is(flags(b, F_NEWDAT), 0, "type %d: NewDat is cleared when it is loaded", type);
	run(b, 40 * US);
	f = std_frame(0x123, 8);
	memcpy(f.data, "\0\1\2\3\4\5\6\7", 8);
	sim_advance(&b->sim, sof + canbus_frame_bits(&f) * BIT_NS - 1);
	is(flags(b, F_TXRQST), 8, "type %d: until the end of EOF", type);
	run(b, 1);
	is(flags(b, F_TXRQST), 0, "type %d: TxRqst is cleared by success", type);
	is(rd(b, INTR), 4, "type %d: TxIE gives IntPnd", type);
	is(b->line, 1, "type %d: and the line", type);
	is(rd(b, STS) & 0x1f, TXOK, "type %d: TxOk, LEC 0", type);
	is(b->nheard, 1, "type %d: heard", type);
	is(memcmp(&b->heard[0].frame, &f, sizeof(f)), 0, "type %d: as it is in the object", type);
	is(c_can_stats(b->c)->tx_sent, 1, "type %d: counted", type);

	tx_object(b, 4, 0x124, 0);
	request(b, 4);
	run(b, 200 * US);
	is(rd(b, INTR), 0, "type %d: no IntPnd without TxIE", type);
	bench_free(b);
}

static void kinds(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);

	object(b, 1, VALID | DIR | XTD | 0x12345678, 0, EOB | 4);
	object(b, 2, VALID | STD(0x321) | 0x3ffff, 0, EOB | 3);
	object(b, 3, VALID | DIR | STD(0x7ff), 0, EOB | 15);
	object(b, 4, DIR | STD(0x001), 0, EOB | 8 | TXRQST | NEWDAT);
	bench_go(b, 0);
	request(b, 1);
	run(b, 300 * US);
	request(b, 2);
	run(b, 300 * US);
	request(b, 3);
	run(b, 300 * US);
	is(b->nheard, 3, "type %d: an invalid object sends nothing", type);
	is(b->heard[0].frame.ext, 1, "type %d: extended", type);
	is(b->heard[0].frame.id, 0x12345678, "type %d: 29 bits", type);
	is(b->heard[0].frame.dlc, 4, "type %d: DLC", type);
	is(b->heard[1].frame.rtr, 1, "type %d: Dir = 0 sends a remote frame", type);
	is(b->heard[1].frame.id, 0x321, "type %d: with 11 bits", type);
	is(b->heard[2].frame.dlc, 15, "type %d: a DLC above 8", type);
	is(b->heard[2].frame.data[7], 7, "type %d: is 8 bytes", type);
	bench_free(b);
}

static void order(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	unsigned int n;

	for (n = 1; n <= 4; n++)
		tx_object(b, n, 0x200 - n, 0);
	wr(b, CTRL, INIT | CCE);
	wr(b, BTR, BENCH_BTR);
	request(b, 3);
	request(b, 4);
	request(b, 2);
	wr(b, CTRL, 0);
	run(b, 60 * US);
	request(b, 1);
	run(b, 800 * US);
	is(b->nheard, 4, "type %d: all sent", type);
	is(b->heard[0].frame.id, 0x1fe, "type %d: the lowest number first, not identifier", type);
	is(b->heard[1].frame.id, 0x1ff, "type %d: a lower one requested meanwhile goes next", type);
	is(b->heard[2].frame.id, 0x1fd, "type %d: then the rest", type);
	is(b->heard[3].frame.id, 0x1fc, "type %d: in order", type);
	bench_free(b);
}

static void back_to_back(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	unsigned int n, polls = 0;

	for (n = 1; n <= 16; n++)
		tx_object(b, n, 0x100 + n, TXRQST | NEWDAT);
	bench_go(b, INIT);
	canbus_stats_reset(b->bus);
	wr(b, CTRL, 0);
	/* a CPU that never leaves the IFs alone must not tear the frames apart */
	while (b->nheard < 16 && polls++ < 10000) {
		transfer(b, 1, 0x10, 30);
		run(b, 200);
	}
	run(b, 5 * US);
	is(canbus_stats(b->bus)->frames, 16, "type %d: 16 frames", type);
	is(canbus_stats(b->bus)->gaps, 0, "type %d: without a gap", type);
	bench_free(b);
}

/* A transfer that lasts longer than the intermission holds the load up. */
static void load_waits_for_transfer(enum c_can_type type)
{
	struct c_can_config config = {
		.type = type, .objects = 32, .clock_hz = 8000000, .busy_clocks = 400,
	};
	struct bench *b = bench_config(&config);
	struct canbus_frame f = std_frame(0x7f0, 8);

	tx_object(b, 4, 0x123, 0);
	bench_go(b, 0);
	send(b, &f);
	if_wr(b, 1, CMD, 0x840004);	/* done after 50 us, while the frame lasts */
	run(b, 50 * US);
	is(flags(b, F_TXRQST), 8, "type %d: requested during a frame", type);
	run(b, 40 * US);
	if_wr(b, 2, CMD, 0x730001);	/* until 140 us: the frame is over long since */
	run(b, 45 * US);
	is(flags(b, F_NEWDAT), 8, "type %d: not loaded while a transfer is running", type);
	run(b, 6 * US);
	is(flags(b, F_NEWDAT), 0, "type %d: loaded when it is done", type);
	bench_free(b);
}

static void update_on_the_wire(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);

	tx_object(b, 4, 0x123, 0);
	bench_go(b, 0);
	request(b, 4);
	run(b, 50 * US);
	if_wr(b, 1, DATA, 0xa3a2a1a0);
	transfer(b, 1, 0x86, 4);
	run(b, 75 * US);
	is(b->nheard, 1, "type %d: first frame", type);
	is(b->heard[0].frame.data[0], 0, "type %d: with the data it was loaded with", type);
	is(flags(b, F_TXRQST), 8, "type %d: NewDat set meanwhile keeps TxRqst", type);
	run(b, 200 * US);
	is(b->nheard, 2, "type %d: sent again", type);
	is(b->heard[1].frame.data[0], 0xa0, "type %d: with the new data", type);
	is(flags(b, F_TXRQST), 0, "type %d: and that is all", type);

	/* a control write without TxRqst cancels a repetition, not the frame */
	request(b, 4);
	run(b, 50 * US);
	if_wr(b, 1, MCTL, EOB | 8);
	transfer(b, 1, 0x90, 4);
	run(b, 300 * US);
	is(b->nheard, 3, "type %d: cancelled on the wire: finishes", type);
	bench_free(b);
}

static void invalidated(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);

	tx_object(b, 4, 0x123, TXIE);
	bench_go(b, 0);
	request(b, 4);
	run(b, 40 * US);
	if_wr(b, 1, ARB, 0);
	transfer(b, 1, 0xa0, 4);
	run(b, 300 * US);
	is(b->nheard, 1, "type %d: invalidated on the wire: finishes", type);
	is(flags(b, F_TXRQST), 0, "type %d: success as usual", type);

	tx_object(b, 4, 0x123, 0);
	canbus_destroy(b->bus, c_can_node(b->c), 0, 1, 80);
	request(b, 4);
	run(b, 40 * US);
	if_wr(b, 1, ARB, 0);
	transfer(b, 1, 0xa0, 4);
	run(b, 400 * US);
	is(b->nheard, 1, "type %d: but is not repeated when destroyed", type);
	is(flags(b, F_TXRQST), 8, "type %d: the request is still there", type);
	bench_free(b);
}

static void retry(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x001, 1);

	tx_object(b, 4, 0x123, 0);
	tx_object(b, 2, 0x124, 0);
	bench_go(b, 0);
	canbus_destroy(b->bus, c_can_node(b->c), 0, 1, 60);
	request(b, 4);
	run(b, 20 * US);
	request(b, 2);
	run(b, 400 * US);
	is(b->nheard, 2, "type %d: repeated after an error", type);
	is(b->heard[0].frame.id, 0x124, "type %d: a lower number goes first", type);
	is(b->heard[1].frame.id, 0x123, "type %d: then the repetition", type);
	is(c_can_node(b->c)->tec, 6, "type %d: 8 for the error, -1 for each frame", type);

	/* lost arbitration: both start at the end of a frame */
	send(b, &f);
	run(b, 10 * US);
	send(b, &f);
	request(b, 4);
	run(b, 500 * US);
	is(b->nheard, 3, "type %d: sent after lost arbitration", type);
	is(canbus_stats(b->bus)->arbitration_lost, 1, "type %d: it was lost once", type);
	is(c_can_node(b->c)->tec, 5, "type %d: which is no error", type);
	bench_free(b);
}

static void one_shot(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x001, 1);

	tx_object(b, 4, 0x123, TXIE);
	bench_go(b, DAR);
	request(b, 4);
	run(b, 20 * US);
	is(flags(b, F_TXRQST), 0, "type %d: DAR: TxRqst is cleared at the start", type);
	is(flags(b, F_NEWDAT), 8, "type %d: DAR: NewDat not", type);
	run(b, 200 * US);
	is(flags(b, F_NEWDAT), 0, "type %d: DAR: NewDat is cleared by success", type);
	is(rd(b, INTR), 4, "type %d: DAR: IntPnd by success", type);
	is(b->nheard, 1, "type %d: DAR: sent", type);
	transfer(b, 1, 0x08, 4);

	canbus_destroy(b->bus, c_can_node(b->c), 0, 1, 60);
	request(b, 4);
	run(b, 400 * US);
	is(b->nheard, 1, "type %d: DAR: not repeated after an error", type);
	is(flags(b, F_NEWDAT), 8, "type %d: DAR: NewDat tells of the failure", type);
	is(rd(b, INTR), 0, "type %d: DAR: no IntPnd", type);

	send(b, &f);
	run(b, 10 * US);
	send(b, &f);
	request(b, 4);
	run(b, 500 * US);
	is(b->nheard, 1, "type %d: DAR: not repeated after lost arbitration", type);
	is(flags(b, F_NEWDAT), 8, "type %d: DAR: NewDat tells of it", type);
	request(b, 4);
	run(b, 200 * US);
	is(b->nheard, 2, "type %d: DAR: until it is requested again", type);
	bench_free(b);
}

static void init_on_the_wire(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);

	tx_object(b, 4, 0x123, 0);
	bench_go(b, 0);
	request(b, 4);
	run(b, 50 * US);
	wr(b, CTRL, INIT);
	run(b, 300 * US);
	is(b->nheard, 0, "type %d: Init ends a transmission", type);
	is(flags(b, F_TXRQST), 8, "type %d: the request stays", type);
	wr(b, CTRL, 0);
	run(b, 300 * US);
	is(b->nheard, 1, "type %d: and is sent after Init", type);
	bench_free(b);
}

/* A receive object with TxRqst asks; the answer takes the request back. */
static void remote_request(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x123, 4);

	object(b, 4, VALID | STD(0x123), 0, EOB | 8);
	bench_go(b, 0);
	send(b, &f);
	run(b, 10 * US);
	request(b, 4);
	run(b, 300 * US);
	is(b->nheard, 0, "type %d: the data came first: no remote frame", type);
	is(flags(b, F_TXRQST), 0, "type %d: TxRqst is cleared by the store", type);
	is(flags(b, F_NEWDAT), 8, "type %d: data received", type);
	bench_free(b);
}

int main(void)
{
	enum c_can_type type;

	for (type = C_CAN_BOSCH; type <= D_CAN_TI; type++) {
		one_frame(type);
		kinds(type);
		order(type);
		back_to_back(type);
		load_waits_for_transfer(type);
		update_on_the_wire(type);
		invalidated(type);
		retry(type);
		one_shot(type);
		init_on_the_wire(type);
		remote_request(type);
	}
	return tap_done();
}
