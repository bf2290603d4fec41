// SPDX-License-Identifier: GPL-2.0-only
/* The C_CAN model: acceptance filter, storing, FIFOs, remote frames. */
#include "test_c_can.h"

static struct canbus_frame ext_frame(uint32_t id, uint8_t dlc)
{
	struct canbus_frame f = std_frame(id, dlc);

	f.ext = true;
	return f;
}

static struct canbus_frame remote(uint32_t id, uint8_t dlc)
{
	struct canbus_frame f = { .id = id, .rtr = true, .dlc = dlc };

	return f;
}

/* Does an object with this arbitration, mask and control take the frame? */
static bool takes(enum c_can_type type, uint32_t arb, uint32_t mask, uint32_t mctrl,
		  struct canbus_frame f)
{
	struct bench *b = bench_new(type, 32, 0);
	bool taken;

	object(b, 5, arb, mask, mctrl);
	bench_go(b, 0);
	deliver(b, &f);
	taken = c_can_stats(b->c)->rx_stored;
	if (taken == (c_can_stats(b->c)->rx_unmatched == 1))
		taken = false, tap_failed++;
	bench_free(b);
	return taken;
}

static void filter(enum c_can_type type)
{
	const uint32_t all = 0xffffffff;

	is(takes(type, VALID | STD(0x123), 0, EOB, std_frame(0x123, 8)), 1,
	   "type %d: exact identifier", type);
	is(takes(type, STD(0x123), 0, EOB, std_frame(0x123, 8)), 0,
	   "type %d: MsgVal is needed", type);
	is(takes(type, VALID | STD(0x123), 0, EOB, std_frame(0x122, 8)), 0,
	   "type %d: without UMask the mask is not used", type);
	is(takes(type, VALID | STD(0x123), 0, EOB | UMASK, std_frame(0x122, 8)), 1,
	   "type %d: mask 0 takes all", type);
	is(takes(type, VALID | STD(0x123), STD(0x7fe) | 0xe0000000, EOB | UMASK, std_frame(0x122, 8)), 1,
	   "type %d: identifier differs in a masked bit", type);
	is(takes(type, VALID | STD(0x123), STD(0x7fe) | 0xe0000000, EOB | UMASK, std_frame(0x121, 8)), 0,
	   "type %d: identifier differs in another bit", type);
	is(takes(type, VALID | STD(0x123) | 0x3ffff, all, EOB | UMASK, std_frame(0x123, 8)), 1,
	   "type %d: the low 18 bits do not count for 11-bit identifiers", type);
	is(takes(type, VALID | STD(0x123), 0, EOB, ext_frame(STD(0x123), 8)), 0,
	   "type %d: Xtd must match", type);
	is(takes(type, VALID | XTD | 0x12345678 % 0x20000000, 0, EOB, ext_frame(0x12345678, 8)), 1,
	   "type %d: exact extended identifier", type);
	is(takes(type, VALID | XTD | 0x12345678, 0, EOB, ext_frame(0x12345679, 8)), 0,
	   "type %d: its last bit counts", type);
	is(takes(type, VALID | XTD | 0x12345678, 0, EOB, std_frame(0x48d, 8)), 0,
	   "type %d: an extended object takes no standard frame", type);
	is(takes(type, VALID | STD(0x123), 0x40000000, EOB | UMASK, ext_frame(5, 8)), 1,
	   "type %d: MXtd = 0: Xtd does not count", type);
	is(takes(type, VALID | STD(0x123), 0x80000000, EOB | UMASK, ext_frame(5, 8)), 0,
	   "type %d: MXtd = 1: it does", type);
	is(takes(type, VALID | DIR | STD(0x123), 0, EOB, std_frame(0x123, 8)), 0,
	   "type %d: a transmit object takes no data frame", type);
	is(takes(type, VALID | DIR | STD(0x123), 0x40000000, EOB | UMASK, std_frame(0x123, 8)), 0,
	   "type %d: nor with MDir = 1", type);
	is(takes(type, VALID | DIR | STD(0x123), 0, EOB | UMASK, std_frame(0x123, 8)), 1,
	   "type %d: with MDir = 0 it does", type);
	is(takes(type, VALID | STD(0x123), 0, EOB, remote(0x123, 8)), 0,
	   "type %d: a receive object takes no remote frame", type);
	is(takes(type, VALID | STD(0x123), 0, EOB | UMASK, remote(0x123, 8)), 1,
	   "type %d: with MDir = 0 it does", type);
	is(takes(type, VALID | STD(0x123), 0, NEWDAT, std_frame(0x123, 8)), 0,
	   "type %d: EoB = 0 and NewDat: locked", type);
	is(takes(type, VALID | STD(0x123), 0, 0, std_frame(0x123, 8)), 1,
	   "type %d: EoB = 0 and no NewDat: free", type);
	is(takes(type, VALID | STD(0x123), 0, EOB | NEWDAT, std_frame(0x123, 8)), 1,
	   "type %d: EoB = 1: never locked", type);
}

static void store(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x123, 3);

	object(b, 5, VALID | XTD | 0x1fffffff, 0, EOB | UMASK | RXIE | TXIE | RMTEN | TXRQST | 8);
	/* no TxRqst for the wire: only its reset is to be seen */
	wr(b, CTRL, INIT | CCE);
	wr(b, BTR, BENCH_BTR);
	wr(b, CTRL, TEST);
	wr(b, TESTR, 0x08);
	run(b, 20 * US);
	send(b, &f);
	send(b, &f);
	run(b, 20 * US);
	is(flags(b, F_NEWDAT), 0, "type %d: nothing before the frame is valid", type);
	run(b, 400 * US);
	is(c_can_stats(b->c)->rx_stored, 0, "type %d: not acknowledged, not valid", type);
	wr(b, TESTR, 0);
	run(b, 500 * US);
	is(object_word(b, 5, ARB), VALID | STD(0x123), "type %d: identifier, Xtd and Dir stored, "
	   "the low bits zero", type);
	is(object_word(b, 5, DATA) & 0xffffff, 0x332211, "type %d: data stored", type);
	ok((object_word(b, 5, DATA) >> 24) != 0x03 && object_word(b, 5, DATB) != 0x07060504,
	   "type %d: bytes above the DLC are overwritten", type);
	is(object_word(b, 5, MCTL),
	   NEWDAT | MSGLST | INTPND | EOB | UMASK | RXIE | TXIE | RMTEN | 3,
	   "type %d: DLC, NewDat, IntPnd, MsgLst on the second; TxRqst reset", type);
	is(c_can_stats(b->c)->rx_stored, 2, "type %d: two stored", type);
	is(c_can_stats(b->c)->rx_overwritten, 1, "type %d: one overwritten", type);
	bench_free(b);

	b = bench_new(type, 32, 0);
	object(b, 5, VALID | STD(0x123), 0, EOB | 8);
	bench_go(b, IE);
	f.dlc = 12;
	deliver(b, &f);
	is(object_word(b, 5, MCTL), NEWDAT | EOB | 12,
	   "type %d: no IntPnd without RxIE; a DLC above 8 as received", type);
	is(b->edges, 0, "type %d: no interrupt", type);
	bench_free(b);

	b = bench_new(type, 32, 0);
	object(b, 5, VALID | STD(0x123), 0xe0000000 | STD(0x700), EOB | UMASK | 8);
	bench_go(b, 0);
	f = ext_frame(0x12345678, 2);
	deliver(b, &f);
	is(c_can_stats(b->c)->rx_unmatched, 1, "type %d: no object, no trace", type);
	is(rd(b, STS) & 0x1f, RXOK, "type %d: but RxOk", type);
	bench_free(b);
}

/* The time of scan and store: exact. */
static void moments(enum c_can_type type, unsigned int store_clocks)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x123, 8);
	uint64_t sof, valid;

	object(b, 5, VALID | STD(0x123), 0, EOB | RXIE);
	bench_go(b, IE | SIE);
	send(b, &f);
	sof = b->sim.now;
	valid = sof + (canbus_frame_bits(&f) - 1) * BIT_NS;
	sim_advance(&b->sim, valid - 1);
	is(b->line, 0, "type %d: quiet until the last bit but one of EOF", type);
	run(b, 1);
	is(b->line, 1, "type %d: status interrupt", type);
	is(rd(b, INTR), 0x8000, "type %d: it is the status", type);
	is(flags(b, F_NEWDAT), 0, "type %d: which comes before the store", type);
	is(rd(b, STS) & 0x10, RXOK, "type %d: RxOk", type);
	is(b->line, 0, "type %d: nothing else yet", type);
	run(b, store_clocks * CLOCK_NS - 1);
	is(flags(b, F_NEWDAT), 0, "type %d: not stored yet", type);
	run(b, 1);
	is(flags(b, F_NEWDAT), 0x10, "type %d: stored", type);
	is(rd(b, INTR), 5, "type %d: object interrupt", type);
	is(b->line, 1, "type %d: the line again", type);
	bench_free(b);
}

static void priority(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x123, 8);

	object(b, 9, VALID | STD(0x123), 0, EOB);
	object(b, 7, VALID, 0, EOB | UMASK);
	object(b, 8, VALID | STD(0x123), 0, EOB);
	bench_go(b, 0);
	deliver(b, &f);
	deliver(b, &f);
	is(flags(b, F_NEWDAT), 0x40, "type %d: the lowest match takes all", type);
	bench_free(b);
}

static void fifo(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	unsigned int n;

	for (n = 1; n <= 4; n++)
		object(b, n, VALID, 0, UMASK | (n == 4 ? EOB : 0));
	bench_go(b, 0);
	for (n = 1; n <= 6; n++)
		send_id(b, n);
	run(b, 2 * MS);
	for (n = 1; n <= 3; n++)
		is(object_word(b, n, ARB), VALID | STD(n), "type %d: FIFO object %u", type, n);
	is(object_word(b, 4, ARB), VALID | STD(6), "type %d: the last one is overwritten", type);
	is(object_word(b, 4, MCTL) & (NEWDAT | MSGLST), NEWDAT | MSGLST,
	   "type %d: and says so", type);
	is(object_word(b, 3, MCTL) & MSGLST, 0, "type %d: the others not", type);
	/* free 2: it is filled next although 3 is older than it */
	transfer(b, 1, 0x7f, 2);
	send_id(b, 7);
	run(b, 200 * US);
	is(object_word(b, 2, ARB), VALID | STD(7), "type %d: refilled from the bottom", type);
	bench_free(b);
}

static void remote_frames(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = remote(0x123, 2);

	object(b, 3, VALID | DIR | STD(0x123), 0, EOB | RMTEN | 8);
	bench_go(b, 0);
	deliver(b, &f);
	run(b, 300 * US);
	is(b->nheard, 1, "type %d: RmtEn: answered", type);
	is(b->heard[0].frame.rtr, 0, "type %d: by a data frame", type);
	is(b->heard[0].frame.dlc, 8, "type %d: with the object's DLC", type);
	is(object_word(b, 3, MCTL), EOB | RMTEN | 8, "type %d: nothing else has changed", type);
	is(c_can_stats(b->c)->rx_stored, 0, "type %d: nothing stored", type);
	bench_free(b);

	b = bench_new(type, 32, 0);
	object(b, 3, VALID | DIR | STD(0x123), 0, EOB | RXIE | 8);
	object(b, 4, VALID, 0, EOB | UMASK | RXIE | 8);
	bench_go(b, 0);
	deliver(b, &f);
	is(object_word(b, 3, MCTL), EOB | RXIE | 8, "type %d: no RmtEn, no UMask: ignored", type);
	is(flags(b, F_NEWDAT), 0, "type %d: also by the objects behind", type);
	is(b->nheard, 0, "type %d: no answer", type);
	bench_free(b);

	b = bench_new(type, 32, 0);
	object(b, 3, VALID | DIR | STD(0x120), 0xe0000000 | STD(0x7f0), EOB | UMASK | RXIE | 8);
	bench_go(b, 0);
	deliver(b, &f);
	is(object_word(b, 3, ARB), VALID | DIR | STD(0x123), "type %d: UMask: stored", type);
	is(object_word(b, 3, MCTL), NEWDAT | INTPND | EOB | UMASK | RXIE | 2,
	   "type %d: like a data frame", type);
	is(object_word(b, 3, DATA), 0x03020100, "type %d: data untouched", type);
	bench_free(b);

	/* what a driver with masks of zero relies on: Dir tells RTR */
	b = bench_new(type, 32, 0);
	object(b, 3, VALID, 0, EOB | UMASK);
	bench_go(b, 0);
	deliver(b, &f);
	is(object_word(b, 3, ARB), VALID | DIR | STD(0x123), "type %d: Dir = 1 for RTR", type);
	f.rtr = false;
	deliver(b, &f);
	is(object_word(b, 3, ARB), VALID | STD(0x123), "type %d: Dir = 0 for data", type);
	bench_free(b);
}

/* Advance to between scan and store of the frame that starts now. */
static void to_scan(struct bench *b, const struct canbus_frame *f)
{
	send(b, f);
	run(b, (canbus_header_bits(f) + 5) * BIT_NS);
}

/*
 * The target is chosen at the header. TI's handler looks again when an object
 * of the same or a higher priority changes.
 */
static void latched_target(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x123, 8);
	unsigned int n;

	for (n = 1; n <= 4; n++)
		object(b, n, VALID, 0, UMASK | (n == 4 ? EOB : 0));
	bench_go(b, 0);
	deliver(b, &f);
	deliver(b, &f);
	to_scan(b, &f);		/* target 3 */
	transfer(b, 1, 0x7f, 1);
	run(b, 200 * US);
	is(flags(b, F_NEWDAT), type == D_CAN_TI ? 0x3 : 0x6,
	   "type %d: object 1 freed between scan and store", type);
	is(c_can_stats(b->c)->rx_stored, 3, "type %d: nothing is lost", type);
	is(c_can_stats(b->c)->rx_erratum_lost, 0, "type %d: by no erratum", type);

	/* an object above the target makes no difference */
	deliver(b, &f);
	is(flags(b, F_NEWDAT), 0x7, "type %d: three full", type);
	transfer(b, 1, 0x7f, 2);
	to_scan(b, &f);		/* target 2 */
	transfer(b, 1, 0x7f, 3);
	run(b, 200 * US);
	is(flags(b, F_NEWDAT), 0x3, "type %d: object above the target freed", type);

	/* the target becomes invalid */
	to_scan(b, &f);		/* target 3 */
	if_wr(b, 1, ARB, 0);
	transfer(b, 1, 0xa0, 3);
	run(b, 200 * US);
	is(flags(b, F_NEWDAT), type == D_CAN_TI ? 0xb : 0x3,
	   "type %d: target invalidated before the store", type);
	is(flags(b, F_MSGVAL) & 0xf, 0xb, "type %d: and stays invalid", type);
	bench_free(b);
}

/* Its own NewDat cleared in time: no MsgLst. */
static void just_in_time(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x123, 8);

	object(b, 1, VALID, 0, UMASK | EOB);
	bench_go(b, 0);
	deliver(b, &f);
	to_scan(b, &f);
	transfer(b, 1, 0x7f, 1);
	run(b, 200 * US);
	is(object_word(b, 1, MCTL), NEWDAT | UMASK | EOB | 8,
	   "type %d: read between scan and store: no MsgLst", type);
	bench_free(b);
}

static void destroyed_frame(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x123, 8);

	object(b, 1, VALID, 0, UMASK | EOB);
	bench_go(b, 0);
	canbus_destroy(b->bus, &b->peer, 0, 1, 60);
	send(b, &f);
	run(b, 100 * US);
	is(flags(b, F_NEWDAT), 0, "type %d: a destroyed frame is not stored", type);
	run(b, 300 * US);
	is(flags(b, F_NEWDAT), 1, "type %d: its repetition is", type);
	is(c_can_stats(b->c)->rx_stored, 1, "type %d: once", type);
	bench_free(b);
}

static void init_drops_reception(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x123, 8);

	object(b, 1, VALID, 0, UMASK | EOB);
	bench_go(b, 0);
	to_scan(b, &f);
	wr(b, CTRL, INIT);
	run(b, 200 * US);
	is(flags(b, F_NEWDAT), 0, "type %d: Init ends a reception", type);
	bench_free(b);
}

/* A valid frame is stored even if Init comes between. */
static void init_after_valid(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x123, 8);

	object(b, 1, VALID, 0, UMASK | EOB);
	bench_go(b, 0);
	send(b, &f);
	run(b, (canbus_frame_bits(&f) - 1) * BIT_NS);
	is(flags(b, F_NEWDAT), 0, "type %d: valid, not stored", type);
	wr(b, CTRL, INIT);
	is(flags(b, F_NEWDAT), 1, "type %d: stored in spite of Init", type);
	run(b, 100 * US);
	is(c_can_stats(b->c)->rx_stored, 1, "type %d: once", type);
	bench_free(b);
}

/* The loser of an arbitration receives the winner's frame. */
static void lost_arbitration(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x100, 8);

	object(b, 1, VALID, 0, UMASK);
	object(b, 2, VALID, 0, UMASK | EOB);
	object(b, 3, VALID | DIR | STD(0x101), 0, EOB | 8);
	bench_go(b, 0);
	send(b, &f);
	run(b, 10 * US);
	send(b, &f);
	transfer(b, 1, 0x84, 3);
	run(b, 500 * US);
	is(canbus_stats(b->bus)->arbitration_lost, 1, "type %d: arbitration is lost", type);
	is(c_can_stats(b->c)->rx_stored, 2, "type %d: both frames received", type);
	is(object_word(b, 2, ARB), VALID | STD(0x100), "type %d: the winner's too", type);
	is(b->nheard, 1, "type %d: the own one sent later", type);
	bench_free(b);
}

static void silent_and_loopback(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x123, 8);
	struct canbus_node third = { .name = "third", .bit_ns = BIT_NS };
	static const struct canbus_node_ops no_ops;

	third.ops = &no_ops;
	canbus_attach(b->bus, &third);
	canbus_node_start(&third);
	object(b, 1, VALID, 0, UMASK | EOB);
	object(b, 2, VALID | DIR | STD(0x55), 0, EOB | TXRQST | 2);
	bench_go(b, INIT | TEST);
	wr(b, TESTR, 0x08);
	wr(b, CTRL, TEST);
	run(b, 20 * US);
	deliver(b, &f);
	is(flags(b, F_NEWDAT), 1, "type %d: silent: receives", type);
	is(b->nheard, 0, "type %d: silent: sends nothing", type);
	is(flags(b, F_TXRQST), 2, "type %d: silent: the request waits", type);
	transfer(b, 1, 0x7f, 1);
	rd(b, STS);
	wr(b, STS, 7);		/* for the C_CAN, where reading clears nothing */
	wr(b, TESTR, 0x10);
	run(b, 300 * US);
	is(object_word(b, 1, ARB), VALID | STD(0x55), "type %d: loopback: hears itself", type);
	is(object_word(b, 1, MCTL) & 0x800f, NEWDAT | 2, "type %d: loopback: stored", type);
	is(flags(b, F_TXRQST), 0, "type %d: loopback: needs no acknowledge", type);
	is(rd(b, STS) & 0x1f, d_can(b) ? TXOK : TXOK | RXOK,
	   "type %d: loopback: TxOk, and RxOk only on the C_CAN", type);
	transfer(b, 1, 0x7f, 1);
	deliver(b, &f);
	is(flags(b, F_NEWDAT), 0, "type %d: loopback: deaf to the bus", type);
	bench_free(b);
}

int main(void)
{
	enum c_can_type type;

	moments(C_CAN_BOSCH, 6);
	moments(D_CAN_BOSCH, 8);
	moments(D_CAN_TI, 14);
	for (type = C_CAN_BOSCH; type <= D_CAN_TI; type++) {
		filter(type);
		store(type);
		priority(type);
		fifo(type);
		remote_frames(type);
		latched_target(type);
		just_in_time(type);
		destroyed_frame(type);
		init_drops_reception(type);
		init_after_valid(type);
		lost_arbitration(type);
		silent_and_loopback(type);
	}
	return tap_done();
}
