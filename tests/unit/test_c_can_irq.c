// SPDX-License-Identifier: GPL-2.0-only
/* The C_CAN model: interrupts, status bits, error states, bus-off and back. */
#include "test_c_can.h"

static void priorities(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x123, 8);

	object(b, 9, VALID, 0, UMASK | EOB | RXIE);
	object(b, 20, VALID, 0, EOB | INTPND);
	bench_go(b, SIE);
	deliver(b, &f);
	is(rd(b, INTR), 0x8000, "type %d: the status goes first", type);
	is(b->line, 0, "type %d: INT is kept up to date without IE, the line not", type);
	wr(b, CTRL, SIE | IE);
	is(b->line, 1, "type %d: the line follows IE", type);
	wr(b, CTRL, SIE);
	is(b->line, 0, "type %d: both ways", type);
	wr(b, CTRL, SIE | IE);
	rd(b, STS);
	is(rd(b, INTR), 9, "type %d: then the lowest object", type);
	is(flags(b, F_INTPND), 0x80100, "type %d: INTPND", type);
	transfer(b, 1, 0x08, 9);
	is(rd(b, INTR), 20, "type %d: then the next", type);
	is(b->line, 1, "type %d: the line stays", type);
	transfer(b, 1, 0x08, 20);
	is(rd(b, INTR), 0, "type %d: none left", type);
	is(b->line, 0, "type %d: the line falls with the last", type);
	is(b->edges, 2, "type %d: two rising edges", type);
	is(c_can_stats(b->c)->interrupts, 2, "type %d: counted", type);
	bench_free(b);
}

static void summary_registers(void)
{
	struct bench *b = bench_new(D_CAN_TI, 64, 0);

	object(b, 8, VALID, 0, EOB | INTPND);
	object(b, 9, VALID, 0, EOB | NEWDAT);
	object(b, 64, VALID | DIR, 0, EOB | TXRQST);
	is(c_can_read(b->c, 0xac, 4), 0x01, "INTPNDX");
	is(c_can_read(b->c, 0x98, 4), 0x02, "NWDATX");
	is(c_can_read(b->c, 0x84, 4), 0x80, "TXRQX");
	is(c_can_read(b->c, 0xc0, 4), 0x83, "MSGVALX");
	is(c_can_read(b->c, 0x8c, 4), 0x80000000, "TXRQ34");
	bench_free(b);
}

static void multiplexer(void)
{
	struct bench *b = bench_new(D_CAN_TI, 64, 0);
	struct canbus_frame f = std_frame(0x123, 8);

	object(b, 3, VALID, 0, EOB | INTPND);
	object(b, 64, VALID, 0, UMASK | EOB | RXIE);
	c_can_write(b->c, 0xd8, 4, 1 << 3);
	is(rd(b, INTR), 0x00030000, "INTMUX: object 3 in Int1ID");
	bench_go(b, IE | SIE);
	is(b->line, 0, "INTMUX: not on line 0");
	deliver(b, &f);
	is(rd(b, INTR), 0x00038000, "INTMUX: the status is always Int0ID");
	rd(b, STS);
	is(rd(b, INTR), 0x00030040, "INTMUX: the other object in Int0ID");
	c_can_write(b->c, 0xd8, 4, 1 << 3 | 1);
	is(rd(b, INTR), 0x00030000, "INTMUX: bit 0 stands for the last object");
	is(b->line, 0, "INTMUX: line 0 falls");
	bench_free(b);

	b = bench_new(D_CAN_BOSCH, 64, 0);
	object(b, 3, VALID, 0, EOB | INTPND);
	bench_go(b, IE);
	is(b->line, 1, "MIL = 0: objects on line 0");
	wr(b, CTRL, IE | 0x20000);
	is(b->line, 0, "MIL = 1: not on line 0");
	is(rd(b, INTR), 3, "MIL = 1: INT all the same");
	bench_free(b);
}

static void status_interrupt(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x123, 8);
	unsigned int i;

	bench_go(b, IE);
	deliver(b, &f);
	is(rd(b, INTR), 0, "type %d: no status interrupt without SIE", type);
	wr(b, CTRL, IE | SIE);
	is(rd(b, INTR), 0, "type %d: SIE is for the future only", type);
	for (i = 1; i <= 3; i++) {
		deliver(b, &f);
		is(rd(b, INTR), 0x8000, "type %d: frame %u: an update, not a change", type, i);
		if (type == C_CAN_BOSCH) {
			/* RxOk stays set, no matter: read only */
			is(rd(b, STS) & 0x1f, RXOK, "C_CAN: RxOk and LEC 0");
		} else {
			is(rd(b, STS) & 0x1f, RXOK, "type %d: RxOk and LEC 0", type);
			is(rd(b, STS) & 0x1f, 7, "type %d: gone by the reading, LEC 7", type);
		}
		is(rd(b, INTR), 0, "type %d: reading STS takes 0x8000 away", type);
	}
	object(b, 1, VALID | DIR | STD(5), 0, EOB);
	transfer(b, 1, 0x84, 1);
	run(b, 200 * US);
	is(rd(b, INTR), 0x8000, "type %d: TxOk too", type);
	rd(b, STS);
	canbus_destroy(b->bus, &b->peer, 0, 1, 60);
	send(b, &f);
	run(b, 70 * US);
	is(rd(b, INTR), 0x8000, "type %d: LEC too", type);
	bench_free(b);
}

static void c_can_status(void)
{
	struct bench *b = bench_new(C_CAN_BOSCH, 32, 0);
	struct canbus_frame f = std_frame(0x123, 8);

	bench_go(b, IE | SIE);
	wr(b, STS, 7);
	is(rd(b, STS), 7, "C_CAN: the CPU writes LEC 7");
	deliver(b, &f);
	wr(b, STS, 7);
	is(rd(b, INTR), 0x8000, "C_CAN: a write clears no interrupt");
	is(rd(b, STS), 7, "C_CAN: RxOk written to 0");
	is(rd(b, INTR), 0, "C_CAN: a read does");
	wr(b, STS, 0xffff);
	is(rd(b, STS), 0x1f, "C_CAN: the rest is read only");
	is(rd(b, INTR), 0, "C_CAN: a write raises no interrupt");
	c_can_read(b->c, 0x02, 1);
	deliver(b, &f);
	c_can_read(b->c, 0x02, 1);
	is(rd(b, INTR), 0, "C_CAN: a byte of STS will do");
	bench_free(b);

	b = bench_new(D_CAN_TI, 64, 0);
	bench_go(b, IE | SIE);
	deliver(b, &f);
	wr(b, STS, 0xffffffff);
	is(rd(b, STS), RXOK, "D_CAN: STS is read only");
	deliver(b, &f);
	c_can_read(b->c, 0x06, 2);
	is(rd(b, INTR), 0x8000, "D_CAN: the upper half of STS clears nothing");
	bench_free(b);
}

/* Every code that a bus error can leave in LEC. */
static void last_error_code(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x123, 8);
	struct canbus_node *node = c_can_node(b->c);
	int code;

	object(b, 1, VALID | DIR | STD(0x123), 0, EOB | 1);
	bench_go(b, 0);
	for (code = CANBUS_STUFF_ERROR; code <= CANBUS_CRC_ERROR; code++) {
		node->ops->error(node->arg, code, code & 1);
		is(rd(b, STS) & 0x1f, code, "type %d: LEC %d", type, code);
	}
	wr(b, STS, 7);
	is(rd(b, STS) & 7, 7, "type %d: LEC 7 before", type);
	canbus_destroy(b->bus, &b->peer, 0, 1, 60);
	send(b, &f);
	run(b, 72 * US);
	is(rd(b, STS) & 7, 1, "type %d: a receiver sees a stuff error", type);
	run(b, 300 * US);
	if (type == C_CAN_BOSCH)
		is(rd(b, STS) & 7, 0, "type %d: 0 by the next good frame", type);
	canbus_node_stop(&b->peer);
	rd(b, STS);
	transfer(b, 1, 0x84, 1);
	run(b, 100 * US);
	is(rd(b, STS) & 7, 3, "type %d: nobody acknowledges: LEC 3", type);
	is(rd(b, ERRCNT) & 0xff, 8, "type %d: TEC 8", type);
	bench_free(b);
}

static void silent_peer(struct bench *b)
{
	canbus_node_stop(&b->peer);
	object(b, 1, VALID | DIR | STD(0x123), 0, EOB | 1);
	transfer(b, 1, 0x84, 1);
}

/* No acknowledge: up to error-passive, not to bus-off. */
static void warning_and_passive(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	uint32_t sts;

	bench_go(b, IE | EIE);
	silent_peer(b);
	while (c_can_node(b->c)->tec < 88)
		run(b, 10 * US);
	is(rd(b, STS) & 0xe0, 0, "type %d: TEC 88: error-active", type);
	is(rd(b, INTR), 0, "type %d: no error interrupt", type);
	while (c_can_node(b->c)->tec < 96)
		run(b, 10 * US);
	is(rd(b, INTR), 0x8000, "type %d: TEC 96: error interrupt", type);
	is(rd(b, STS) & 0xe0, 0x40, "type %d: EWarn", type);
	is(rd(b, INTR), 0, "type %d: gone by reading STS", type);
	while (c_can_node(b->c)->tec < 128)
		run(b, 10 * US);
	is(rd(b, STS) & 0xe0, 0x60, "type %d: TEC 128: EPass", type);
	is(b->edges, 1, "type %d: which never interrupts", type);
	run(b, 10 * MS);
	is(rd(b, ERRCNT), 128, "type %d: and there it stays", type);

	/* the peer is back: the counter falls, EWarn goes */
	canbus_node_start(&b->peer);
	run(b, 5 * MS);
	is(rd(b, ERRCNT), 127, "type %d: one good frame", type);
	is(rd(b, STS) & 0xe0, 0x40, "type %d: error-active again", type);
	is(b->edges, 1, "type %d: silently", type);
	object(b, 1, VALID | DIR | STD(0x123), 0, EOB | 1);
	while (c_can_node(b->c)->tec > 95) {
		transfer(b, 1, 0x84, 1);
		run(b, 100 * US);
	}
	is(b->edges, 2, "type %d: leaving EWarn interrupts", type);
	sts = rd(b, STS);
	is(sts & 0xe0, 0, "type %d: no EWarn", type);
	bench_free(b);
}

static void receive_counter(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x123, 8);

	bench_go(b, 0);
	c_can_node(b->c)->rec = 128;
	is(rd(b, ERRCNT), 0xff00, "type %d: REC 127 and RP", type);
	c_can_node(b->c)->rec = 127;
	is(rd(b, ERRCNT), 0x7f00, "type %d: REC 127", type);
	deliver(b, &f);
	is(rd(b, ERRCNT), 0x7e00, "type %d: REC 126", type);
	bench_free(b);
}

static void to_bus_off(struct bench *b)
{
	unsigned int i;

	object(b, 1, VALID | DIR | STD(0x123), 0, EOB | 1);
	canbus_destroy(b->bus, c_can_node(b->c), 0, 32, 30);
	transfer(b, 1, 0x84, 1);
	for (i = 0; i < 1000 && !c_can_node(b->c)->bus_off; i++)
		run(b, 10 * US);
}

static void bus_off(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	uint64_t start;
	unsigned int before, sequences = 0;

	bench_go(b, IE | EIE);
	to_bus_off(b);
	is(rd(b, CTRL) & 0xff, INIT | IE | EIE, "type %d: bus-off sets Init", type);
	is(rd(b, INTR), 0x8000, "type %d: and interrupts", type);
	is(rd(b, STS) & 0xe0, 0xe0, "type %d: BOff, EWarn, EPass", type);
	is(rd(b, ERRCNT) & 0xff, 255, "type %d: TEC at its end", type);
	is(flags(b, F_TXRQST), 1, "type %d: the request is still there", type);
	before = b->nheard;
	run(b, 100 * MS);
	is(b->nheard, before, "type %d: nothing happens by itself", type);
	is(rd(b, CTRL) & INIT, INIT, "type %d: Init stays", type);
	is(rd(b, INTR), 0, "type %d: no interrupt is left", type);

	wr(b, CTRL, IE | EIE | SIE);
	start = b->sim.now;
	wr(b, STS, 7);
	run(b, 11 * BIT_NS - 1);
	is(rd(b, STS) & 0xe7, 0xe7, "type %d: recovery: nothing yet", type);
	run(b, 1);
	is(rd(b, INTR), 0x8000, "type %d: recovery: a status interrupt after 11 bits", type);
	is(rd(b, STS) & 0xe7, 0xe5, "type %d: recovery: LEC 5, BOff still set", type);
	wr(b, STS, 7);
	while ((rd(b, STS) & 0x80) && sequences++ < 1000) {
		wr(b, STS, 7);
		run(b, 11 * BIT_NS);
	}
	is((b->sim.now - start) / BIT_NS, 129 * 11, "type %d: recovery takes 129 * 11 bits", type);
	is(rd(b, ERRCNT), 0, "type %d: both counters are 0", type);
	is(rd(b, STS) & 0xe0, 0, "type %d: all error bits are gone", type);
	run(b, 200 * US);
	is(b->nheard, before + 1, "type %d: and the frame goes out", type);
	is(flags(b, F_TXRQST), 0, "type %d: done", type);
	bench_free(b);
}

/* Leaving BOff is an error interrupt; setting Init does not shorten it. */
static void recovery_interrupt(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	unsigned int edges;

	bench_go(b, IE | EIE);
	to_bus_off(b);
	rd(b, STS);
	wr(b, CTRL, IE | EIE);
	edges = b->edges;
	run(b, 100 * 11 * BIT_NS);
	wr(b, CTRL, IE | EIE | INIT);
	wr(b, CTRL, IE | EIE);
	run(b, 128 * 11 * BIT_NS);
	is(b->edges, edges, "type %d: toggling Init starts the count anew", type);
	is(rd(b, STS) & 0x80, 0x80, "type %d: still bus-off", type);
	run(b, 11 * BIT_NS);
	is(b->edges, edges + 1, "type %d: end of bus-off interrupts", type);
	is(rd(b, STS) & 0xe0, 0, "type %d: error-active", type);
	bench_free(b);
}

/* EIE is looked at when the state changes. */
static void lost_bus_off(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);

	bench_go(b, IE);
	to_bus_off(b);
	wr(b, CTRL, rd(b, CTRL) | EIE);
	is(rd(b, INTR), 0, "type %d: bus-off while EIE was off: no interrupt later", type);
	is(rd(b, CTRL) & INIT, INIT, "type %d: only Init tells", type);
	is(rd(b, STS) & 0x80, 0x80, "type %d: and BOff", type);
	c_can_reset(b->c);
	is(rd(b, STS) & 0xe0, 0, "type %d: reset ends bus-off", type);
	is(rd(b, ERRCNT), 0, "type %d: and clears the counters", type);
	bench_go(b, 0);
	send_id(b, 1);
	run(b, 200 * US);
	is(rd(b, STS) & 0xf7, RXOK, "type %d: no recovery is needed after a reset", type);
	bench_free(b);
}

/* A bus-off while IE is 0: interrupts as soon as IE is set, unless the part has the trouble. */
static void masked_bus_off(enum c_can_type type, unsigned int errata)
{
	struct bench *b = bench_new(type, 32, errata);

	bench_go(b, EIE | SIE);
	to_bus_off(b);
	is(b->line, 0, "type %d: bus-off while IE is 0: the line is low", type);
	wr(b, CTRL, rd(b, CTRL) | IE);
	is(rd(b, INTR), errata ? 0 : 0x8000, "type %d, errata %x: INT when IE is set", type,
	   errata);
	is(b->line, !errata, "type %d, errata %x: the line when IE is set", type, errata);
	is(rd(b, CTRL) & INIT, INIT, "type %d, errata %x: Init tells", type, errata);
	bench_free(b);

	b = bench_new(type, 32, errata);
	bench_go(b, IE | EIE | SIE);
	to_bus_off(b);
	is(b->line, 1, "type %d, errata %x: bus-off while IE is 1 interrupts", type, errata);
	bench_free(b);
}

static void auto_bus_on(void)
{
	struct bench *b = bench_new(D_CAN_TI, 64, 0);
	uint64_t start;

	wr(b, CTRL, INIT | CCE);
	c_can_write(b->c, 0x80, 4, 4000);
	bench_go(b, IE | 0x200);
	to_bus_off(b);
	start = b->sim.now;
	is(rd(b, CTRL) & INIT, INIT, "ABO: bus-off sets Init");
	while ((rd(b, CTRL) & INIT) && b->sim.now - start < 10 * MS)
		run(b, CLOCK_NS);
	ok(b->sim.now - start <= 4000 * CLOCK_NS && b->sim.now - start > 3900 * CLOCK_NS,
	   "ABO: cleared by hardware after ABOTR clocks");
	run(b, 130 * 11 * BIT_NS);
	is(rd(b, STS) & 0xe0, 0, "ABO: recovered");

	to_bus_off(b);
	run(b, 1000 * CLOCK_NS);
	wr(b, CTRL, rd(b, CTRL));
	run(b, 10 * MS);
	is(rd(b, CTRL) & INIT, INIT, "ABO: a CTL write while the timer runs cancels it");
	bench_free(b);

	b = bench_new(D_CAN_BOSCH, 64, 0);
	bench_go(b, IE | 0x200);
	to_bus_off(b);
	run(b, 10 * MS);
	is(rd(b, CTRL) & INIT, INIT, "Bosch D_CAN: no ABO");
	bench_free(b);
}

int main(void)
{
	enum c_can_type type;

	for (type = C_CAN_BOSCH; type <= D_CAN_TI; type++) {
		priorities(type);
		status_interrupt(type);
		last_error_code(type);
		warning_and_passive(type);
		receive_counter(type);
		bus_off(type);
		recovery_interrupt(type);
		lost_bus_off(type);
		masked_bus_off(type, 0);
		masked_bus_off(type, C_CAN_ERRATUM_LOST_BUSOFF);
	}
	summary_registers();
	multiplexer();
	c_can_status();
	auto_bus_on();
	return tap_done();
}
