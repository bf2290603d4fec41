// SPDX-License-Identifier: GPL-2.0-only
/* The C_CAN model: power down, wake up, RAM initialisation, parity. */
#include "test_c_can.h"

#define PDR	0x01000000
#define WUBA	0x02000000
#define PMD_OFF	0x1400
#define PER	0x100
#define WAKEUP	0x200
#define PDA	0x400

static struct bench *parity_bench(enum c_can_type type, unsigned int errata)
{
	struct c_can_config config = {
		.type = type, .objects = 64, .clock_hz = 8000000, .errata = errata,
		.parity_ram = true,
	};

	return bench_config(&config);
}

static void power_down(void)
{
	struct bench *b = bench_new(D_CAN_TI, 64, 0);
	struct canbus_frame f = std_frame(0x123, 8);

	object(b, 1, VALID, 0, UMASK | EOB);
	object(b, 2, VALID | DIR | STD(5), 0, EOB | 8);
	bench_go(b, PMD_OFF | IE);
	transfer(b, 1, 0x84, 2);
	run(b, 10 * US);
	send(b, &f);
	wr(b, CTRL, PMD_OFF | IE | PDR);
	run(b, 50 * US);
	is(rd(b, STS) & PDA, 0, "PDR: not yet");
	is(rd(b, CTRL) & INIT, 0, "PDR: a frame is on the wire");
	run(b, 400 * US);
	is(b->nheard, 1, "PDR: the pending request was sent");
	is(flags(b, F_NEWDAT), 1, "PDR: the frame after it was received");
	is(rd(b, STS) & PDA, PDA, "PDR: PDA");
	is(rd(b, CTRL), PMD_OFF | IE | PDR | INIT, "PDR: Init is set by the hardware");
	is(rd(b, STS) & PDA, PDA, "PDR: reading STS leaves PDA");
	transfer(b, 1, 0x7f, 1);
	deliver(b, &f);
	run(b, 500 * US);
	is(flags(b, F_NEWDAT), 0, "PDR: asleep, deaf");
	is(rd(b, CTRL), PMD_OFF | IE | PDR | INIT, "PDR: without WUBA the bus does not wake it");
	wr(b, CTRL, PMD_OFF | IE | INIT);
	is(rd(b, STS) & PDA, 0, "PDR cleared: PDA is gone");
	is(rd(b, CTRL) & INIT, INIT, "PDR cleared: Init is left to the software");
	wr(b, CTRL, PMD_OFF | IE);
	run(b, MS);
	is(flags(b, F_NEWDAT), 1, "awake: takes what the peer has been repeating");
	bench_free(b);

	b = bench_new(D_CAN_TI, 64, 0);
	bench_go(b, PMD_OFF);
	wr(b, CTRL, PMD_OFF | PDR);
	run(b, 11 * BIT_NS - 1);
	is(rd(b, STS) & PDA, 0, "PDR: an idle bus is 11 bits long");
	run(b, 1);
	is(rd(b, STS) & PDA, PDA, "PDR: then it is asleep");
	bench_free(b);

	b = bench_new(D_CAN_TI, 64, 0);
	wr(b, CTRL, PMD_OFF | INIT | PDR);
	run(b, US);
	is(rd(b, STS) & PDA, PDA, "PDR in Init: at once");
	bench_free(b);

	b = bench_new(D_CAN_BOSCH, 64, 0);
	bench_go(b, PDR | IE);
	run(b, MS);
	is(rd(b, STS) & PDA, 0, "Bosch D_CAN: no PDR");
	is(rd(b, CTRL), IE, "Bosch D_CAN: nor the bit");
	bench_free(b);
}

static void endless_request(void)
{
	struct bench *b = bench_new(D_CAN_TI, 64, 0);

	canbus_node_stop(&b->peer);
	object(b, 2, VALID | DIR | STD(5), 0, EOB | 8);
	bench_go(b, PMD_OFF);
	transfer(b, 1, 0x84, 2);
	wr(b, CTRL, PMD_OFF | PDR);
	run(b, 20 * MS);
	is(rd(b, STS) & PDA, 0, "PDR waits for a request that nobody acknowledges");
	if_wr(b, 1, ARB, 0);
	transfer(b, 1, 0xa0, 2);
	run(b, MS);
	is(rd(b, STS) & PDA, PDA, "until it is withdrawn");
	bench_free(b);
}

static void wake_up(void)
{
	struct bench *b = bench_new(D_CAN_TI, 64, 0);
	struct canbus_frame f = std_frame(0x123, 8);
	struct canbus_node third = { .name = "third", .bit_ns = BIT_NS };
	static const struct canbus_node_ops no_ops;

	third.ops = &no_ops;
	canbus_attach(b->bus, &third);
	canbus_node_start(&third);
	object(b, 1, VALID, 0, UMASK | EOB);
	bench_go(b, PMD_OFF | IE | SIE | WUBA);
	wr(b, CTRL, PMD_OFF | IE | SIE | WUBA | PDR);
	run(b, MS);
	is(rd(b, STS) & PDA, PDA, "WUBA: asleep");
	is(b->line, 0, "WUBA: quiet");
	deliver(b, &f);
	is(rd(b, CTRL), PMD_OFF | IE | SIE | WUBA, "WUBA: PDR and Init cleared by the bus");
	is(rd(b, INTR), 0x8000, "WUBA: a status interrupt");
	is(rd(b, STS) & (PDA | WAKEUP), WAKEUP, "WUBA: WakeUpPnd instead of PDA");
	is(rd(b, STS) & WAKEUP, 0, "WUBA: cleared by reading");
	is(flags(b, F_NEWDAT), 0, "WUBA: the first frame is lost");
	deliver(b, &f);
	is(flags(b, F_NEWDAT), 1, "WUBA: the second is not");
	is(rd(b, ERRCNT), 0, "WUBA: no errors");

	transfer(b, 1, 0x7f, 1);
	wr(b, CTRL, PMD_OFF | WUBA | PDR);
	run(b, MS);
	is(rd(b, STS) & PDA, PDA, "WUBA: asleep again");
	wr(b, CTRL, PMD_OFF | WUBA | INIT);
	deliver(b, &f);
	is(rd(b, STS) & (PDA | WAKEUP), 0, "WUBA: woken by software, the bus is no alarm");
	is(rd(b, CTRL), PMD_OFF | WUBA | INIT, "WUBA: Init is left to software then");
	wr(b, CTRL, PMD_OFF | WUBA | INIT | PDR);
	run(b, MS);
	wr(b, CTRL, PMD_OFF | WUBA | PDR);
	run(b, 20 * US);
	deliver(b, &f);
	is(flags(b, F_NEWDAT), 1, "Init cleared while PDR is set: takes part in traffic");
	bench_free(b);
}

static void clock_stop(void)
{
	struct bench *b = bench_new(D_CAN_BOSCH, 64, 0);
	struct canbus_frame f = std_frame(0x123, 8);

	object(b, 1, VALID, 0, UMASK | EOB);
	bench_go(b, IE);
	send(b, &f);
	run(b, 30 * US);
	c_can_write(b->c, 0x18, 4, 2);
	is(c_can_read(b->c, 0x18, 4), 2, "ClkStReq: not acknowledged during a frame");
	run(b, 200 * US);
	is(c_can_read(b->c, 0x18, 4), 3, "ClkStReq: acknowledged when the bus is idle");
	is(rd(b, CTRL), INIT | IE, "ClkStReq: Init is set");
	is(flags(b, F_NEWDAT), 1, "ClkStReq: the frame was received");
	c_can_write(b->c, 0x18, 4, 0);
	is(c_can_read(b->c, 0x18, 4), 0, "ClkStReq taken back");
	is(rd(b, CTRL), INIT | IE, "Init is left to the software");
	bench_free(b);
}

static void ram_init_bosch(void)
{
	struct bench *b = parity_bench(D_CAN_BOSCH, 0);
	unsigned int clocks = 0;

	is(c_can_read(b->c, 0x24, 4), 6, "HWS: 64 objects, parity");
	wr(b, CTRL, 0);
	c_can_write(b->c, 0x18, 4, 8);
	is(c_can_read(b->c, 0x18, 4), 0, "RamInit: not without Init");
	wr(b, CTRL, INIT);
	object(b, 3, VALID | STD(5), 0, EOB);
	c_can_write(b->c, 0x18, 4, 8);
	while ((c_can_read(b->c, 0x18, 4) & 8) && clocks < 1000) {
		run(b, CLOCK_NS);
		clocks++;
	}
	is(clocks, 68, "RamInit: objects + 4 clocks");
	is(flags(b, F_MSGVAL), 0, "RamInit: all is zero");
	is(object_word(b, 3, ARB), 0, "RamInit: the identifier too");
	is(rd(b, STS) & PER, 0, "RamInit: no parity error any more");
	bench_free(b);

	b = parity_bench(D_CAN_BOSCH, 0);
	transfer(b, 1, 0x73, 5);
	is(rd(b, STS) & PER, PER, "Bosch D_CAN: parity is always on");
	is(c_can_read(b->c, 0x1c, 4), 0x505, "PERR");
	bench_free(b);

	b = parity_bench(D_CAN_BOSCH, C_CAN_ERRATUM_NO_RAMINIT);
	c_can_write(b->c, 0x18, 4, 8);
	run(b, 10 * MS);
	is(c_can_read(b->c, 0x18, 4), 8, "NO_RAMINIT: never done");
	bench_free(b);
}

static void ram_init_ti(void)
{
	struct bench *b = parity_bench(D_CAN_TI, 0);

	is(c_can_raminit_done(b->c), 0, "RAMINIT: not done");
	c_can_raminit(b->c, true);
	run(b, 68 * CLOCK_NS - 1);
	is(c_can_raminit_done(b->c), 0, "RAMINIT: under way");
	run(b, 1);
	is(c_can_raminit_done(b->c), 1, "RAMINIT: done after objects + 4 clocks");
	c_can_raminit(b->c, true);
	is(c_can_raminit_done(b->c), 1, "RAMINIT: only an edge starts it");
	wr(b, CTRL, INIT);
	object(b, 3, VALID | STD(5), 0, EOB);
	is(object_word(b, 9, ARB), 0, "RAMINIT: zeroes");
	is(object_word(b, 9, MSK), 0x20000000, "RAMINIT: but mask bit 29 reads as one");
	is(rd(b, STS) & PER, 0, "RAMINIT: good parity");
	is(flags(b, F_MSGVAL), 4, "an object written");
	c_can_raminit(b->c, false);
	c_can_raminit(b->c, true);
	is(c_can_raminit_done(b->c), 0, "RAMINIT: again");
	run(b, 68 * CLOCK_NS);
	is(c_can_raminit_done(b->c), 1, "RAMINIT: done again");
	is(flags(b, F_MSGVAL), 0, "RAMINIT: all is zero");
	bench_free(b);

	b = parity_bench(D_CAN_TI, C_CAN_ERRATUM_NO_RAMINIT);
	c_can_raminit(b->c, true);
	run(b, 10 * MS);
	is(c_can_raminit_done(b->c), 0, "NO_RAMINIT: never done");
	bench_free(b);
}

static void parity(void)
{
	struct bench *b = parity_bench(D_CAN_TI, 0);

	/* the reset value of CTL has PMD = 5: off */
	transfer(b, 1, 0x73, 7);
	is(rd(b, STS) & PER, 0, "PMD = 5: no check");
	object(b, 7, VALID | STD(1), 0, EOB);
	wr(b, CTRL, INIT);
	transfer(b, 1, 0x73, 7);
	is(rd(b, INTR), 0, "PER: no interrupt without EIE");
	is(rd(b, STS), PER | 7, "PMD = 0: on, and what was written without parity is bad");
	is(rd(b, STS), 7, "PER is cleared by reading");
	is(c_can_read(b->c, 0x1c, 4), 0x507, "PERR: last word, object 7");
	is(flags(b, F_MSGVAL), 0, "MsgVal is reset by a parity error");
	transfer(b, 1, 0x73, 7);
	is(rd(b, STS) & PER, PER, "reading repairs nothing");
	transfer(b, 1, 0x73, 7);
	wr(b, CTRL, INIT | IE | EIE);
	is(rd(b, INTR), 0x8000, "PER is a level for EIE");
	is(b->line, 1, "... and the line");
	rd(b, STS);
	is(b->line, 0, "... until STS is read");
	transfer(b, 1, 0x73, 7);
	is(b->line, 1, "PER with EIE interrupts");
	rd(b, STS);

	object(b, 8, VALID | STD(1), 0, EOB);
	is(rd(b, STS) & PER, 0, "a full write reads nothing, so sees no error");
	is(flags(b, F_MSGVAL), 0x80, "and makes a good object");
	is(object_word(b, 8, ARB), VALID | STD(1), "which can be read");
	is(rd(b, STS) & PER, 0, "without error");
	if_wr(b, 1, ARB, VALID | STD(2));
	transfer(b, 1, 0xb0, 9);
	is(rd(b, STS) & PER, PER, "a partial write reads the rest");
	is(c_can_read(b->c, 0x1c, 4), 0x509, "PERR: the control word");
	is(flags(b, F_MSGVAL), 0x80, "MsgVal is reset");
	transfer(b, 1, 0xb0, 9);
	is(rd(b, STS) & PER, 0, "the write has made its parity good");
	transfer(b, 1, 0xf1, 10);
	is(c_can_read(b->c, 0x1c, 4), 0x20a, "PERR: word 2 is data 0..3");
	transfer(b, 1, 0xf2, 11);
	is(c_can_read(b->c, 0x1c, 4), 0x10b, "PERR: word 1 is data 4..7");
	transfer(b, 1, 0xd3, 12);
	is(c_can_read(b->c, 0x1c, 4), 0x40c, "PERR: word 4 has a bit of the identifier");
	bench_free(b);
}

/* Garbage must not go out. */
static void parity_on_the_way_out(void)
{
	struct bench *b = parity_bench(D_CAN_TI, 0);
	struct canbus_frame f = std_frame(0x123, 8);

	object(b, 7, VALID | DIR | STD(1), 0, EOB | TXRQST | NEWDAT);
	object(b, 6, VALID, 0, UMASK | EOB);
	bench_go(b, 0);
	run(b, 300 * US);
	is(b->nheard, 0, "a bad object is not sent");
	is(rd(b, STS) & PER, PER, "PER instead");
	is(c_can_read(b->c, 0x1c, 4), 0x507, "PERR");
	wr(b, CTRL, IE | EIE);
	send(b, &f);
	run(b, canbus_header_bits(&f) * BIT_NS - 1);
	is(b->line, 0, "no error yet");
	run(b, 1);
	is(b->line, 1, "the acceptance filter finds one at the end of the header");
	run(b, 200 * US);
	is(c_can_stats(b->c)->rx_stored, 0, "a bad object receives nothing");
	is(c_can_read(b->c, 0x1c, 4), 0x506, "PERR by the acceptance filter");
	is(flags(b, F_MSGVAL), 0, "both invalid now");
	bench_free(b);

	b = bench_new(D_CAN_TI, 64, 0);
	wr(b, CTRL, INIT);
	transfer(b, 1, 0x73, 7);
	is(rd(b, STS) & PER, 0, "a RAM without parity has no errors");
	bench_free(b);
}

int main(void)
{
	power_down();
	endless_request();
	wake_up();
	clock_stop();
	ram_init_bosch();
	ram_init_ti();
	parity();
	parity_on_the_way_out();
	return tap_done();
}
