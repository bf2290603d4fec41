// SPDX-License-Identifier: GPL-2.0-only
/* The C_CAN model: transfers between IF1, IF2 and the message RAM; basic mode. */
#include "test_c_can.h"

static unsigned int busy_clocks(struct bench *b, unsigned int i)
{
	unsigned int n = 0;

	while (if_busy(b, i) && n < 10000) {
		run(b, CLOCK_NS);
		n++;
	}
	return n;
}

static void busy_time(enum c_can_type type, unsigned int min, unsigned int max)
{
	struct c_can_config config = {
		.type = type, .objects = 32, .clock_hz = 8000000, .busy_clocks = 9,
	};
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_frame f = std_frame(0x155, 8);
	uint64_t header;

	if_wr(b, 1, CMD, 0x7f0001);
	is(busy_clocks(b, 1), min, "type %d: busy for %u clocks", type, min);
	if_wr(b, 1, CMD, 0x000001);
	is(busy_clocks(b, 1), min, "type %d: however little is transferred", type);

	/* a transfer that meets the scan at the end of the header takes longest */
	bench_go(b, 0);
	send(b, &f);
	run(b, BIT_NS);
	header = b->sim.now - BIT_NS + canbus_header_bits(&f) * BIT_NS;
	sim_advance(&b->sim, header - CLOCK_NS);
	if_wr(b, 1, CMD, 0x000001);
	is(busy_clocks(b, 1), max, "type %d: %u clocks when it meets a scan", type, max);
	if_wr(b, 1, CMD, 0x000001);
	is(busy_clocks(b, 1), min, "type %d: and not for ever", type);
	bench_free(b);

	b = bench_config(&config);
	if_wr(b, 1, CMD, 0x7f0001);
	is(busy_clocks(b, 1), 9, "type %d: busy time as configured", type);
	bench_free(b);
}

static void protection(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);

	object(b, 3, VALID | STD(0x111), 0x01234567, EOB | RXIE | 8);
	object(b, 4, VALID | STD(0x222), 0, EOB | 4);
	transfer(b, 1, 0x73, 4);
	if_wr(b, 1, CMD, 0x730003);
	is(if_rd(b, 1, ARB), VALID | STD(0x222), "type %d: old identifier while busy", type);
	is(if_rd(b, 1, MCTL), EOB | 4, "type %d: old control while busy", type);
	if_wr(b, 1, DATA, 0xdeadbeef);
	if_wr(b, 1, CMD, 0xf30005);
	is(if_rd(b, 1, CMD) & 0xff00ff, 0x730003, "type %d: command protected while busy", type);
	if_wait(b, 1);
	is(if_rd(b, 1, ARB), VALID | STD(0x111), "type %d: new identifier afterwards", type);
	is(if_rd(b, 1, DATA), 0x03020100, "type %d: data were protected", type);
	is(if_rd(b, 1, MSK), 0x21234567, "type %d: mask bit 29 reads as one", type);
	is(flags(b, F_MSGVAL), 0xc, "type %d: the second command did not happen", type);
	bench_free(b);
}

static void queueing(enum c_can_type type, unsigned int clocks)
{
	struct bench *b = bench_new(type, 32, 0);

	object(b, 1, VALID | STD(1), 0, EOB);
	if_wr(b, 2, ARB, VALID | STD(2));
	if_wr(b, 1, CMD, 0x730001);
	run(b, CLOCK_NS);
	if_wr(b, 2, CMD, 0xa00001);
	is(if_busy(b, 2), 1, "type %d: the second IF is busy", type);
	run(b, (clocks - 1) * CLOCK_NS);
	is(if_busy(b, 1), 0, "type %d: the first is done", type);
	is(if_rd(b, 1, ARB), VALID | STD(1), "type %d: with the object as it was", type);
	is(if_busy(b, 2), 1, "type %d: the second has only started", type);
	run(b, (clocks - 1) * CLOCK_NS);
	is(if_busy(b, 2), 1, "type %d: and takes its own time", type);
	run(b, CLOCK_NS);
	is(if_busy(b, 2), 0, "type %d: until it is done", type);
	is(object_word(b, 1, ARB), VALID | STD(2), "type %d: and has written", type);
	bench_free(b);
}

static void numbers(void)
{
	struct bench *b = bench_new(C_CAN_BOSCH, 32, 0);

	object(b, 0, VALID | STD(1), 0, EOB);
	is(flags(b, F_MSGVAL), 0x80000000, "C_CAN: 0 is the last object");
	object(b, 0x21, VALID | STD(1), 0, EOB);
	is(flags(b, F_MSGVAL), 0x80000001, "C_CAN: 21h is object 1");
	object(b, 0x3f, VALID | STD(1), 0, EOB);
	is(flags(b, F_MSGVAL), 0xc0000001, "C_CAN: 3Fh is object 1Fh");
	bench_free(b);

	b = bench_new(D_CAN_TI, 64, 0);
	object(b, 0, VALID | STD(1), 0, EOB);
	is(c_can_read(b->c, 0xc8, 4), 0x80000000, "D_CAN: 0 is object 64");
	object(b, 0x41, VALID | STD(1), 0, EOB);
	is(c_can_read(b->c, 0xc4, 4), 1, "D_CAN: 41h is object 1");
	object(b, 0xff, VALID | STD(1), 0, EOB);
	is(c_can_read(b->c, 0xc8, 4), 0xc0000000, "D_CAN: FFh is object 63");
	bench_free(b);
}

/* A partial read leaves the rest of the IF; a partial write fills it. */
static void partial(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	unsigned int word;
	static const uint32_t value[6] = {
		0, 0x2aaaaaaa, VALID | STD(0x2aa), EOB | UMASK | 8, 0xa3a2a1a0, 0xb3b2b1b0,
	};
	static const uint32_t bit[6] = { 0, 0x40, 0x20, 0x10, 0x02, 0x01 };

	for (word = MSK; word <= DATB; word++)
		if_wr(b, 1, word, value[word]);
	transfer(b, 1, 0xf3, 9);
	for (word = MSK; word <= DATB; word++) {
		unsigned int other;

		if_wr(b, 2, MSK, 0x35555555);
		if_wr(b, 2, ARB, STD(0x155));
		if_wr(b, 2, MCTL, 5);
		if_wr(b, 2, DATA, 0x11111111);
		if_wr(b, 2, DATB, 0x22222222);
		transfer(b, 2, bit[word], 9);
		is(if_rd(b, 2, word), value[word], "type %d: part %u read", type, word);
		other = word == DATA ? DATB : DATA;
		is(if_rd(b, 2, other), other == DATA ? 0x11111111 : 0x22222222,
		   "type %d: part %u not read, not changed", type, other);
		other = word == ARB ? MCTL : ARB;
		is(if_rd(b, 2, other), other == ARB ? STD(0x155) : 5,
		   "type %d: part %u not read, not changed", type, other);
	}
	if_wr(b, 2, MSK, 0x35555555);
	if_wr(b, 2, ARB, STD(0x155));
	if_wr(b, 2, MCTL, 5);
	if_wr(b, 2, DATA, 0x11111111);
	if_wr(b, 2, DATB, 0x22222222);
	transfer(b, 2, 0x82, 9);
	is(if_rd(b, 2, DATA), 0x11111111, "type %d: part written", type);
	is(if_rd(b, 2, DATB), 0xb3b2b1b0, "type %d: part not written shows the object: DATB", type);
	is(if_rd(b, 2, MSK), 0x2aaaaaaa, "type %d: MASK", type);
	is(if_rd(b, 2, ARB), VALID | STD(0x2aa), "type %d: ARB", type);
	is(if_rd(b, 2, MCTL), EOB | UMASK | 8, "type %d: MCTRL", type);
	is(object_word(b, 9, DATA), 0x11111111, "type %d: the object has the new part", type);
	if_wr(b, 2, DATA, 0);
	if_wr(b, 2, DATB, 0x33333333);
	transfer(b, 2, 0x81, 9);
	is(if_rd(b, 2, DATA), 0x11111111, "type %d: part not written: DATA", type);
	is(object_word(b, 9, DATB), 0x33333333, "type %d: the other half written", type);
	if_wr(b, 2, DATB, 0xb3b2b1b0);
	transfer(b, 2, 0x81, 9);
	is(object_word(b, 9, DATB), 0xb3b2b1b0, "type %d: and the old rest", type);
	bench_free(b);
}

static void flags_on_read(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	const uint32_t all = NEWDAT | MSGLST | INTPND | EOB | 8;

	object(b, 2, VALID | STD(1), 0, all);
	transfer(b, 2, 0x10, 2);
	is(if_rd(b, 2, MCTL), all, "type %d: a plain read shows the flags", type);
	is(object_word(b, 2, MCTL), all, "type %d: and leaves them", type);
	transfer(b, 2, 0x18, 2);
	is(if_rd(b, 2, MCTL), all, "type %d: ClrIntPnd: the copy is from before", type);
	is(object_word(b, 2, MCTL), all & ~INTPND, "type %d: IntPnd is cleared", type);
	transfer(b, 2, 0x14, 2);
	is(if_rd(b, 2, MCTL), all & ~INTPND, "type %d: NewDat: the copy is from before", type);
	is(object_word(b, 2, MCTL), MSGLST | EOB | 8,
	   "type %d: NewDat is cleared, MsgLst never by itself", type);
	object(b, 2, VALID | STD(1), 0, all);
	if_wr(b, 2, MCTL, 0);
	transfer(b, 2, 0x0c, 2);
	is(if_rd(b, 2, MCTL), 0, "type %d: flags cleared without reading anything", type);
	is(object_word(b, 2, MCTL), MSGLST | EOB | 8, "type %d: both cleared", type);
	is(flags(b, F_NEWDAT) | flags(b, F_INTPND), 0, "type %d: seen in the registers", type);
	bench_free(b);
}

static void flags_on_write(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);

	object(b, 2, VALID | DIR | STD(1), 0, INTPND | MSGLST | EOB | 8);
	transfer(b, 1, 0x88, 2);
	is(object_word(b, 2, MCTL), INTPND | MSGLST | EOB | 8,
	   "type %d: ClrIntPnd is ignored in a write", type);
	if_wr(b, 1, MCTL, EOB | 7);
	transfer(b, 1, 0x94, 2);
	is(object_word(b, 2, MCTL), NEWDAT | TXRQST | EOB | 7,
	   "type %d: TxRqst in the command sets TxRqst and NewDat whatever MCTRL says", type);
	is(flags(b, F_TXRQST), 2, "type %d: seen in TXRQST", type);
	if_wr(b, 1, MCTL, EOB | 7);
	transfer(b, 1, 0x90, 2);
	is(object_word(b, 2, MCTL), EOB | 7, "type %d: a plain control write cancels it", type);
	if_wr(b, 1, MCTL, NEWDAT | TXRQST | INTPND | EOB | 6);
	transfer(b, 1, 0x90, 2);
	is(object_word(b, 2, MCTL), NEWDAT | TXRQST | INTPND | EOB | 6,
	   "type %d: or sets it, and IntPnd", type);
	transfer(b, 1, 0x84, 3);
	is(flags(b, F_TXRQST), 6, "type %d: 84h touches nothing but the request", type);
	bench_free(b);
}

/* C_CAN: COMMASK keeps its value; the next transfer needs only COMREQ. */
static void mask_is_kept(void)
{
	struct bench *b = bench_new(C_CAN_BOSCH, 32, 0);

	object(b, 1, VALID | STD(1), 0, EOB);
	object(b, 2, VALID | STD(2), 0, EOB);
	c_can_write(b->c, 0x12, 2, 0x20);
	c_can_write(b->c, 0x10, 2, 1);
	if_wait(b, 1);
	is(c_can_read(b->c, 0x1a, 2), 0x8004, "C_CAN: first object");
	c_can_write(b->c, 0x10, 2, 2);
	if_wait(b, 1);
	is(c_can_read(b->c, 0x1a, 2), 0x8008, "C_CAN: second one with the same mask");
	bench_free(b);
}

static void auto_increment(void)
{
	struct bench *b = bench_new(D_CAN_BOSCH, 32, 0);

	object(b, 4, VALID | STD(4), 0, NEWDAT | EOB | 8);
	object(b, 5, VALID | STD(5), 0, NEWDAT | EOB | 8);
	object(b, 6, VALID | STD(6), 0, NEWDAT | EOB | 8);
	transfer(b, 1, 0x77, 0x2004);
	is(if_rd(b, 1, CMD) & 0xffff, 0x2004, "AutoInc is kept");
	is(flags(b, F_NEWDAT), 0x30, "NewDat of the first is cleared");
	if_rd(b, 1, DATA);
	c_can_read(b->c, 0x114, 2);
	is(if_busy(b, 1), 0, "bytes 0..5 do nothing");
	c_can_read(b->c, 0x117, 1);
	is(if_busy(b, 1), 1, "byte 7 fetches the next");
	if_wait(b, 1);
	is(if_rd(b, 1, CMD) & 0xffff, 0x2005, "number counted up");
	is(if_rd(b, 1, ARB), VALID | STD(5), "the next object");
	is(flags(b, F_NEWDAT), 0x20, "its NewDat is cleared");
	c_can_write(b->c, 0x102, 2, 0x2077);
	is(if_rd(b, 1, CMD) & 0xffff, 0x0005, "ClrAutoInc");
	if_rd(b, 1, DATB);
	is(if_busy(b, 1), 0, "no more fetching");
	is(flags(b, F_NEWDAT), 0x20, "the last one is still new");
	bench_free(b);

	b = bench_new(D_CAN_TI, 64, 0);
	transfer(b, 1, 0x77, 0x2004);
	is(if_rd(b, 1, CMD) & 0xffff, 4, "TI: bit 13 is reserved");
	if_rd(b, 1, DATB);
	is(if_busy(b, 1), 0, "TI: no AutoInc");
	bench_free(b);
}

static void dma_active(void)
{
	struct bench *b = bench_new(D_CAN_TI, 64, 0);

	wr(b, CTRL, INIT | 0x40000);
	if_wr(b, 1, CMD, 0x734001);
	is(if_rd(b, 1, CMD) & 0xc000, 0xc000, "DMAactive reads back while busy");
	run(b, 10 * US);
	is(if_rd(b, 1, CMD) & 0xc000, 0, "and resets itself with the first access after that");
	if_wr(b, 1, CMD, 0x734001);
	run(b, 10 * US);
	if_wr(b, 1, DATA, 0);
	is(if_rd(b, 1, CMD) & 0xc000, 0, "be it a write");
	wr(b, CTRL, INIT);
	if_wr(b, 1, CMD, 0x734001);
	run(b, 10 * US);
	is(if_rd(b, 1, CMD) & 0xc000, 0x4000, "without DE1 there is no request to answer");
	bench_free(b);
}

static void stuck(void)
{
	struct bench *b = bench_new(D_CAN_TI, 64, C_CAN_ERRATUM_IF_STUCK);

	if_wr(b, 1, CMD, 0x730001);
	run(b, 100 * MS);
	is(if_busy(b, 1), 1, "IF_STUCK: busy for ever");
	if_wr(b, 2, CMD, 0x730001);
	run(b, 100 * MS);
	is(if_busy(b, 2), 1, "IF_STUCK: and so the other one");
	bench_free(b);
}

/* C_CAN r1.2, 2.3.5 */
static void basic_mode(void)
{
	struct bench *b = bench_new(C_CAN_BOSCH, 32, 0);
	struct canbus_frame f = std_frame(0x321, 5);

	bench_go(b, TEST);
	c_can_write(b->c, 0x0a, 2, 0x04);
	run(b, 20 * US);
	if_wr(b, 1, ARB, DIR | STD(0x456));
	if_wr(b, 1, MCTL, 3);
	if_wr(b, 1, DATA, 0x00332211);
	is(b->nheard, 0, "basic: nothing sent yet");
	c_can_write(b->c, 0x10, 2, 0x8000);
	is(c_can_read(b->c, 0x10, 2) & 0x8000, 0x8000, "basic: Busy is the request");
	if_wr(b, 1, ARB, DIR | STD(0x7ff));
	is(if_rd(b, 1, ARB), DIR | STD(0x456), "basic: IF1 is locked while it is pending");
	run(b, 200 * US);
	is(b->nheard, 1, "basic: sent");
	is(b->heard[0].frame.id, 0x456, "basic: identifier of IF1");
	is(b->heard[0].frame.dlc, 3, "basic: DLC of IF1");
	is(b->heard[0].frame.data[2], 0x33, "basic: data of IF1");
	is(c_can_read(b->c, 0x10, 2) & 0x8000, 0, "basic: done");
	is(c_can_read(b->c, 0x02, 2), TXOK, "basic: TxOk");

	deliver(b, &f);
	is(if_rd(b, 2, ARB) & 0x1fffffff, STD(0x321), "basic: anything is received into IF2");
	is(if_rd(b, 2, MCTL), NEWDAT | 5, "basic: with NewDat and the DLC");
	is(if_rd(b, 2, DATA), 0x44332211, "basic: with its data");
	deliver(b, &f);
	is(if_rd(b, 2, MCTL), NEWDAT | MSGLST | 5, "basic: MsgLst when NewDat was set");
	if_wr(b, 2, MCTL, 0);
	deliver(b, &f);
	is(if_rd(b, 2, MCTL), NEWDAT | 5, "basic: the CPU resets them");
	is(flags(b, F_NEWDAT), 0, "basic: the message RAM is out of it");

	/* two frames of the peer keep the bus busy: the request can be taken back */
	send(b, &f);
	run(b, 10 * US);
	c_can_write(b->c, 0x10, 2, 0x8000);
	c_can_write(b->c, 0x10, 2, 0);
	run(b, 400 * US);
	is(b->nheard, 1, "basic: Busy written to zero aborts");

	/* the same during the own frame: it finishes, but is not repeated */
	c_can_write(b->c, 0x10, 2, 0x8000);
	run(b, 30 * US);
	c_can_write(b->c, 0x10, 2, 0);
	is(c_can_read(b->c, 0x10, 2) & 0x8000, 0x8000, "basic: locked as long as it is sent");
	run(b, 200 * US);
	is(b->nheard, 2, "basic: finishes");
	canbus_destroy(b->bus, c_can_node(b->c), 0, 1, 40);
	c_can_write(b->c, 0x10, 2, 0x8000);
	run(b, 30 * US);
	c_can_write(b->c, 0x10, 2, 0);
	run(b, 300 * US);
	is(b->nheard, 2, "basic: not repeated");
	is(c_can_read(b->c, 0x10, 2) & 0x8000, 0, "basic: free");
	canbus_destroy(b->bus, c_can_node(b->c), 0, 1, 40);
	c_can_write(b->c, 0x10, 2, 0x8000);
	run(b, 300 * US);
	is(b->nheard, 3, "basic: repeated as long as Busy stands");
	wr(b, CTRL, TEST | DAR);
	canbus_destroy(b->bus, c_can_node(b->c), 0, 1, 40);
	c_can_write(b->c, 0x10, 2, 0x8000);
	run(b, 300 * US);
	is(b->nheard, 3, "basic: not with DAR");

	/* Busy of IF2 fetches the shift register */
	f = (struct canbus_frame){ .id = 0x1abcdef0, .ext = true, .rtr = true, .dlc = 2 };
	deliver(b, &f);
	if_wr(b, 2, ARB, 0);
	if_wr(b, 2, MCTL, 0);
	c_can_write(b->c, 0x40, 2, 0x8000);
	is(c_can_read(b->c, 0x40, 2) & 0x8000, 0, "basic: IF2 is not busy");
	is(if_rd(b, 2, ARB), XTD | DIR | 0x1abcdef0, "basic: IF2 shows the last frame");
	is(if_rd(b, 2, MCTL), 2, "basic: which is not a new one");
	wr(b, CTRL, DAR);
	c_can_write(b->c, 0x12, 2, 0x20);
	c_can_write(b->c, 0x10, 2, 1);
	is(c_can_read(b->c, 0x10, 2), 0x8001, "basic off: Busy is Busy again");
	bench_free(b);

	b = bench_new(D_CAN_BOSCH, 32, 0);
	wr(b, CTRL, INIT | TEST);
	wr(b, TESTR, 0x04);
	is(rd(b, TESTR) & 0x7f, 0, "D_CAN: there is no basic mode");
	bench_free(b);
}

int main(void)
{
	enum c_can_type type;

	busy_time(C_CAN_BOSCH, 3, 6);
	busy_time(D_CAN_BOSCH, 2, 8);
	busy_time(D_CAN_TI, 4, 14);
	queueing(C_CAN_BOSCH, 3);
	queueing(D_CAN_BOSCH, 2);
	queueing(D_CAN_TI, 4);
	for (type = C_CAN_BOSCH; type <= D_CAN_TI; type++) {
		protection(type);
		partial(type);
		flags_on_read(type);
		flags_on_write(type);
	}
	numbers();
	mask_is_kept();
	auto_increment();
	dma_active();
	stuck();
	basic_mode();
	return tap_done();
}
