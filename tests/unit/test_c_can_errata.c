// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C_CAN model: the switchable troubles of real silicon. Each is played the
 * way that loses frames and the ways that do not, with the erratum on and off.
 */
#include "test_c_can.h"

enum way {
	READ_CLEARS,		/* one transfer reads the object and clears NewDat */
	READ_THEN_CLEAR,	/* a second one clears NewDat, and reads nothing */
	BULK_WRITE,		/* control writes of NewDat = 0 */
	ABOVE,			/* frees an object above the target */
};

/*
 * Objects 1 and 2 of a FIFO of 8 are full, a third frame is between scan and
 * store: its target is 3. Free object 1 in the given way.
 */
static struct bench *play(enum c_can_type type, unsigned int errata, enum way way)
{
	struct bench *b = bench_new(type, 32, errata);
	struct canbus_frame f = std_frame(0x100, 8);
	unsigned int n;

	for (n = 1; n <= 8; n++)
		object(b, n, VALID, 0, UMASK | RXIE | (n == 8 ? EOB : 0));
	bench_go(b, 0);
	deliver(b, &f);
	deliver(b, &f);
	if (way == ABOVE) {
		deliver(b, &f);
		transfer(b, 1, 0x7f, 2);	/* target will be 2, frees 3 */
	}
	send(b, &f);
	run(b, (canbus_header_bits(&f) + 10) * BIT_NS);
	switch (way) {
	case READ_CLEARS:
		transfer(b, 1, 0x7f, 1);
		break;
	case READ_THEN_CLEAR:
		transfer(b, 1, 0x7b, 1);
		run(b, 5 * US);
		transfer(b, 1, 0x04, 1);
		break;
	case BULK_WRITE:
		for (n = 1; n <= 2; n++) {
			if_wr(b, 1, MCTL, UMASK | RXIE);
			transfer(b, 1, 0x90, n);
		}
		break;
	case ABOVE:
		transfer(b, 1, 0x7f, 3);
		break;
	}
	run(b, 200 * US);
	return b;
}

static void lost(enum c_can_type type, unsigned int errata, enum way way, unsigned int count,
		 const char *what)
{
	struct bench *b = play(type, errata, way);
	const struct c_can_stats *s = c_can_stats(b->c);

	is(s->rx_erratum_lost, count, "type %d: %s", type, what);
	is(s->rx_stored + s->rx_erratum_lost, way == ABOVE ? 4 : 3,
	   "type %d: %s: stored or lost", type, what);
	is(rd(b, STS) & RXOK, RXOK, "type %d: %s: RxOk all the same", type, what);
	is(s->rx_unmatched, 0, "type %d: %s: no other loss", type, what);
	bench_free(b);
}

/* After the store nothing can be lost, and the next frame is not either. */
static void only_in_the_window(unsigned int errata)
{
	struct bench *b = bench_new(D_CAN_BOSCH, 32, errata);
	struct canbus_frame f = std_frame(0x100, 8);
	unsigned int n;

	for (n = 1; n <= 8; n++)
		object(b, n, VALID, 0, UMASK | (n == 8 ? EOB : 0));
	bench_go(b, 0);
	for (n = 0; n < 5; n++) {
		deliver(b, &f);
		deliver(b, &f);
		transfer(b, 1, 0x7f, 1);
		if_wr(b, 1, MCTL, UMASK);
		transfer(b, 1, 0x90, 2);
		send(b, &f);
		run(b, 10 * US);	/* before the scan */
		object(b, 1, VALID, 0, UMASK);
		object(b, 2, VALID, 0, UMASK);
		run(b, 200 * US);
		transfer(b, 1, 0x7f, 1);
	}
	is(c_can_stats(b->c)->rx_stored, 15, "errata %x: all stored", errata);
	is(c_can_stats(b->c)->rx_erratum_lost, 0, "errata %x: none lost", errata);
	bench_free(b);
}

/* Reading upward at full load, each object by its own transfer. */
static void reading_upward(enum c_can_type type, unsigned int errata, unsigned int cmd,
			   unsigned int extra, const char *what, bool loses)
{
	struct bench *b = bench_new(type, 32, errata);
	unsigned int n, sent = 0, read = 0;
	const struct c_can_stats *s;

	for (n = 1; n <= 16; n++)
		object(b, n, VALID, 0, UMASK | RXIE | (n == 16 ? EOB : 0));
	bench_go(b, 0);
	while (sent < 200 || b->tail < sent) {
		for (; sent < 200 && sent < b->tail + 20; sent++)
			send_id(b, sent);
		run(b, 700 * US);
		for (n = 1; n <= 16; n++) {
			if (!(flags(b, F_NEWDAT) & 1u << (n - 1)))
				continue;
			transfer(b, 1, cmd, n);
			if (if_rd(b, 1, MCTL) & NEWDAT)
				read++;
			if (extra)
				transfer(b, 1, extra, n);
			run(b, 8 * US);
		}
	}
	run(b, 200 * US);
	for (n = 1; n <= 16; n++) {
		transfer(b, 1, 0x7f, n);
		read += !!(if_rd(b, 1, MCTL) & NEWDAT);
	}
	s = c_can_stats(b->c);
	is(read + s->rx_erratum_lost, 200, "type %d: %s: all read or lost", type, what);
	is(s->rx_erratum_lost > 0, loses, "type %d: %s: loses frames: %d", type, what, loses);
	bench_free(b);
}

static void stale_newdat(void)
{
	struct bench *b = bench_new(D_CAN_TI, 64, C_CAN_ERRATUM_STALE_NEWDAT);

	object(b, 3, VALID, 0, EOB | NEWDAT | 8);
	transfer(b, 1, 0x7f, 3);
	is(if_rd(b, 1, MCTL) & NEWDAT, NEWDAT, "STALE_NEWDAT: read and cleared");
	is(flags(b, F_NEWDAT), 4, "STALE_NEWDAT: still listed");
	run(b, 64 * CLOCK_NS - 1);
	is(flags(b, F_NEWDAT), 4, "STALE_NEWDAT: for 64 clocks");
	run(b, 1);
	is(flags(b, F_NEWDAT), 0, "STALE_NEWDAT: not longer");
	object(b, 3, VALID, 0, EOB | NEWDAT | 8);
	transfer(b, 1, 0x7f, 3);
	transfer(b, 1, 0x7f, 3);
	is(if_rd(b, 1, MCTL) & NEWDAT, 0, "STALE_NEWDAT: MCTRL says no");
	is(flags(b, F_NEWDAT), 4, "STALE_NEWDAT: while NEWDAT says yes");
	if_wr(b, 1, MCTL, EOB | NEWDAT);
	transfer(b, 1, 0x90, 3);
	if_wr(b, 1, MCTL, EOB);
	transfer(b, 1, 0x90, 3);
	is(flags(b, F_NEWDAT), 4, "STALE_NEWDAT: also when cleared by a write");
	bench_free(b);

	b = bench_new(D_CAN_TI, 64, 0);
	object(b, 3, VALID, 0, EOB | NEWDAT | 8);
	transfer(b, 1, 0x7f, 3);
	is(flags(b, F_NEWDAT), 0, "without the erratum the list is right");
	bench_free(b);
}

int main(void)
{
	const unsigned int bulk = C_CAN_ERRATUM_BULK_CLEAR, clear = C_CAN_ERRATUM_NEWDAT_CLEAR;
	enum c_can_type type;

	for (type = C_CAN_BOSCH; type <= D_CAN_TI; type++) {
		lost(type, 0, READ_CLEARS, 0, "no erratum, read and clear");
		lost(type, 0, READ_THEN_CLEAR, 0, "no erratum, read then clear");
		lost(type, 0, BULK_WRITE, 0, "no erratum, bulk");
		lost(type, bulk, BULK_WRITE, 1, "BULK_CLEAR, bulk");
		lost(type, bulk, READ_CLEARS, 0, "BULK_CLEAR, read and clear");
		lost(type, bulk, ABOVE, 0, "BULK_CLEAR, above the target");
		lost(type, clear, READ_CLEARS, 1, "NEWDAT_CLEAR, read and clear");
		lost(type, clear, READ_THEN_CLEAR, 0, "NEWDAT_CLEAR, read then clear");
		lost(type, clear, ABOVE, 0, "NEWDAT_CLEAR, above the target");
	}
	only_in_the_window(bulk);
	only_in_the_window(clear);
	reading_upward(D_CAN_TI, bulk, 0x7f, 0, "BULK_CLEAR, upward", false);
	reading_upward(D_CAN_BOSCH, bulk, 0x7f, 0, "BULK_CLEAR, upward", false);
	reading_upward(C_CAN_BOSCH, clear, 0x7b, 0x04, "NEWDAT_CLEAR, in two steps", false);
	reading_upward(C_CAN_BOSCH, clear, 0x7f, 0, "NEWDAT_CLEAR, in one step", true);
	stale_newdat();
	return tap_done();
}
