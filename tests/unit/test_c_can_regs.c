// SPDX-License-Identifier: GPL-2.0-only
/* The C_CAN model: register maps, reset values, what is writable when, Init. */
#include "test_c_can.h"

struct value {
	unsigned int offset;
	uint32_t reset;
	uint32_t ones;		/* what is read after all ones were written in Init */
	const char *name;
};

/* C_CAN r1.2, figure 3: 16-bit registers */
static const struct value c_can_map[] = {
	{ 0x00, 0x0001, 0x00ef, "CTRL" }, { 0x02, 0x0000, 0x001f, "STS" },
	{ 0x04, 0x0000, 0x0000, "ERRCNT" }, { 0x06, 0x2301, 0x7fff, "BTR" },
	{ 0x08, 0x0000, 0x0000, "INT" }, { 0x0a, 0x0080, 0x00fc, "TEST" },
	{ 0x0c, 0x0000, 0x000f, "BRPEXT" }, { 0x0e, 0x0000, 0x0000, "a hole" },
	{ 0x12, 0x0000, 0x00ff, "IF1 COMMASK" },
	{ 0x14, 0xffff, 0xffff, "IF1 MASK1" }, { 0x16, 0xffff, 0xffff, "IF1 MASK2" },
	{ 0x18, 0x0000, 0xffff, "IF1 ARB1" }, { 0x1a, 0x0000, 0xffff, "IF1 ARB2" },
	{ 0x1c, 0x0000, 0xff8f, "IF1 MCTRL" }, { 0x1e, 0x0000, 0xffff, "IF1 A1" },
	{ 0x20, 0x0000, 0xffff, "IF1 A2" }, { 0x22, 0x0000, 0xffff, "IF1 B1" },
	{ 0x24, 0x0000, 0xffff, "IF1 B2" }, { 0x26, 0x0000, 0x0000, "a hole" },
	{ 0x42, 0x0000, 0x00ff, "IF2 COMMASK" },
	{ 0x44, 0xffff, 0xffff, "IF2 MASK1" }, { 0x46, 0xffff, 0xffff, "IF2 MASK2" },
	{ 0x48, 0x0000, 0xffff, "IF2 ARB1" }, { 0x4a, 0x0000, 0xffff, "IF2 ARB2" },
	{ 0x4c, 0x0000, 0xff8f, "IF2 MCTRL" }, { 0x54, 0x0000, 0xffff, "IF2 B2" },
	{ 0x80, 0, 0, "TXRQST1" }, { 0x82, 0, 0, "TXRQST2" }, { 0x84, 0, 0, "a hole" },
	{ 0x90, 0, 0, "NEWDAT1" }, { 0xa2, 0, 0, "INTPND2" }, { 0xb0, 0, 0, "MSGVAL1" },
	{ 0xc0, 0, 0, "a hole" }, { 0xfe, 0, 0, "the last halfword" },
};

/* D_CAN r1.11, table 2 */
static const struct value d_can_map[] = {
	{ 0x00, 0x00000001, 0x000e00ef, "CTRL" }, { 0x04, 0x7, 0x7, "STS" },
	{ 0x08, 0, 0, "ERRCNT" }, { 0x0c, 0x2301, 0x000f7fff, "BTR" },
	{ 0x10, 0, 0, "INT" }, { 0x14, 0x80, 0xf8, "TEST" },
	{ 0x1c, 0, 0, "PERR" }, { 0x20, 0x11100512, 0x11100512, "REL" },
	{ 0x24, 0x3, 0x3, "HWS" }, { 0x80, 0, 0, "no ABOTR" }, { 0x84, 0, 0, "TXRQX" },
	{ 0x94, 0, 0, "TXRQ78" }, { 0xd0, 0, 0, "MSGVAL78" }, { 0xd8, 0, 0, "no INTMUX" },
	{ 0x104, 0xffffffff, 0xffffffff, "IF1 MSK" }, { 0x108, 0, 0xffffffff, "IF1 ARB" },
	{ 0x10c, 0, 0xff8f, "IF1 MCTL" }, { 0x110, 0, 0xffffffff, "IF1 DATA" },
	{ 0x114, 0, 0xffffffff, "IF1 DATB" }, { 0x118, 0, 0, "a hole" },
	{ 0x12c, 0, 0xff8f, "IF2 MCTL" }, { 0x134, 0, 0xffffffff, "IF2 DATB" },
	{ 0x140, 0, 0, "no IF3" }, { 0x144, 0, 0, "no IF3" }, { 0x1fc, 0, 0, "the last word" },
};

/* AM335x TRM, 23.4 */
static const struct value ti_map[] = {
	{ 0x00, 0x00001401, 0x021e3fef, "CTL" }, { 0x04, 0x7, 0x7, "ES" },
	{ 0x0c, 0x2301, 0x000f7fff, "BTR" }, { 0x14, 0x80, 0x3f8, "TEST" },
	{ 0x18, 0, 0, "no CFR" }, { 0x20, 0xa3170504, 0xa3170504, "REL" },
	{ 0x24, 0, 0, "no HWS" }, { 0x80, 0, 0xffffffff, "ABOTR" },
	{ 0xd8, 0, 0xffffffff, "INTMUX12" }, { 0xe4, 0, 0xffffffff, "INTMUX78" },
	{ 0x140, 0, 0x1f, "IF3OBS" }, { 0x144, 0xffffffff, 0xffffffff, "IF3MSK" },
	{ 0x148, 0, 0, "IF3ARB" }, { 0x160, 0, 0xffffffff, "IF3UPD12" },
	{ 0x16c, 0, 0xffffffff, "IF3UPD78" }, { 0x1e0, 0, 0x7000e, "TIOC" },
	{ 0x1e4, 0, 0x7000e, "RIOC" },
};

static void check_map(enum c_can_type type, unsigned int objects, const struct value *v,
		      unsigned int count)
{
	struct bench *b = bench_new(type, objects, 0);
	unsigned int size = d_can(b) ? 4 : 2, i;

	for (i = 0; i < count; i++)
		is(c_can_read(b->c, v[i].offset, size), v[i].reset, "type %d: %s after reset",
		   type, v[i].name);
	/* BTR and TEST open; not PDR or SWR, they do something */
	wr(b, CTRL, INIT | CCE | TEST);
	for (i = 1; i < count; i++) {
		c_can_write(b->c, v[i].offset, size, 0xffffffff);
		is(c_can_read(b->c, v[i].offset, size), v[i].ones, "type %d: %s writable bits",
		   type, v[i].name);
	}
	c_can_write(b->c, 0, size, type == D_CAN_TI ? 0xfeff7fff : 0xffffffff);
	is(c_can_read(b->c, 0, size), v[0].ones, "type %d: CTRL writable bits", type);
	c_can_reset(b->c);
	for (i = 0; i < count; i++)
		is(c_can_read(b->c, v[i].offset, size), v[i].reset, "type %d: %s reset again",
		   type, v[i].name);
	bench_free(b);
}

static void command_registers(void)
{
	struct bench *b = bench_new(C_CAN_BOSCH, 32, 0);

	is(c_can_read(b->c, 0x10, 2), 1, "C_CAN: COMREQ after reset");
	is(c_can_read(b->c, 0x40, 2), 1, "C_CAN: IF2 COMREQ after reset");
	c_can_write(b->c, 0x10, 2, 0x7f85);
	is(c_can_read(b->c, 0x10, 2), 0x8005, "C_CAN: a number of six bits and busy");
	run(b, 10 * US);
	is(c_can_read(b->c, 0x10, 2), 0x0005, "C_CAN: the number stays");
	bench_free(b);

	b = bench_new(D_CAN_TI, 64, 0);
	is(c_can_read(b->c, 0x100, 4), 1, "TI: IF1CMD after reset");
	c_can_write(b->c, 0x100, 4, 0xff7f3fc1);
	is(c_can_read(b->c, 0x100, 4), 0x007f80c1, "TI: bits 31:24 and 13:8 are reserved");
	bench_free(b);
}

static void widths(void)
{
	struct bench *b = bench_new(C_CAN_BOSCH, 32, 0);

	c_can_write(b->c, 0x1a, 2, 0x1234);
	is(c_can_read(b->c, 0x1a, 1), 0x34, "C_CAN: low byte");
	is(c_can_read(b->c, 0x1b, 1), 0x12, "C_CAN: high byte");
	c_can_write(b->c, 0x1b, 1, 0xab);
	is(c_can_read(b->c, 0x1a, 2), 0xab34, "C_CAN: a byte written");
	c_can_write(b->c, 0x11, 1, 0);
	is(c_can_read(b->c, 0x10, 2), 1, "C_CAN: the upper byte of COMREQ starts nothing");
	c_can_write(b->c, 0x10, 1, 2);
	is(c_can_read(b->c, 0x10, 2), 0x8002, "C_CAN: the lower byte does");
	bench_free(b);

	b = bench_new(D_CAN_TI, 64, 0);
	c_can_write(b->c, 0x108, 4, 0x12345678);
	is(c_can_read(b->c, 0x108, 1), 0x78, "D_CAN: byte 0");
	is(c_can_read(b->c, 0x10b, 1), 0x12, "D_CAN: byte 3");
	is(c_can_read(b->c, 0x10a, 2), 0x1234, "D_CAN: upper half");
	c_can_write(b->c, 0x10a, 2, 0xbeef);
	c_can_write(b->c, 0x109, 1, 0xaa);
	is(c_can_read(b->c, 0x108, 4), 0xbeefaa78, "D_CAN: half and byte written");
	is(c_can_read(b->c, 0x10b, 4), 0xbeefaa78, "D_CAN: a crooked address is made even");
	is(c_can_read(b->c, 0x10b, 2), 0xbeef, "D_CAN: for a halfword too");
	c_can_write(b->c, 0x102, 2, 0x0055);
	is(c_can_read(b->c, 0x100, 4), 0x00550001, "D_CAN: the mask alone starts nothing");
	c_can_write(b->c, 0x02, 2, 0x0200);
	is(c_can_read(b->c, 0x00, 4), 0x02001401, "TI: the upper half of CTL (PDR's half)");
	bench_free(b);
}

static void counting(void)
{
	struct bench *b = bench_new(C_CAN_BOSCH, 32, 0);
	const struct c_can_stats *s = c_can_stats(b->c);
	uint64_t total = 0;
	unsigned int i;

	c_can_write(b->c, 0x12, 2, 0x7f);
	c_can_write(b->c, 0x10, 2, 1);
	c_can_read(b->c, 0x10, 2);
	c_can_read(b->c, 0x18, 2);
	c_can_read(b->c, 0x1a, 2);
	for (i = 0x1e; i <= 0x24; i += 2)
		c_can_read(b->c, i, 2);
	c_can_write(b->c, 0x50, 2, 0);
	c_can_write(b->c, 0x0c, 2, 0);
	c_can_read(b->c, 0x92, 2);
	c_can_read(b->c, 0x60, 2);
	is(s->writes[C_CAN_REG_IF1_CMDMASK], 1, "COMMASK counts as CMDMASK");
	is(s->writes[C_CAN_REG_IF1_CMDREQ], 1, "COMREQ counts as CMDREQ");
	is(s->reads[C_CAN_REG_IF1_CMDREQ], 1, "a busy read");
	is(s->reads[C_CAN_REG_IF1_ARB], 2, "two halves of ARB");
	is(s->reads[C_CAN_REG_IF1_DATA], 4, "four halves of data");
	is(s->writes[C_CAN_REG_IF2_DATA], 1, "IF2 has rows of its own");
	is(s->writes[C_CAN_REG_BRPEXT], 1, "BRPEXT");
	is(s->reads[C_CAN_REG_NEWDAT], 1, "NEWDAT2");
	is(s->reads[C_CAN_REG_OTHER], 1, "a hole counts as other");
	for (i = 0; i < C_CAN_REG_COUNT; i++)
		total += s->reads[i] + s->writes[i];
	is(total, 13, "one row for one access");
	c_can_stats_reset(b->c);
	is(s->reads[C_CAN_REG_IF1_DATA], 0, "counters reset");
	bench_free(b);

	b = bench_new(D_CAN_TI, 64, 0);
	s = c_can_stats(b->c);
	c_can_write(b->c, 0x100, 4, 0x007f0001);
	c_can_read(b->c, 0x114, 4);
	c_can_read(b->c, 0x84, 4);
	c_can_read(b->c, 0x154, 4);
	is(s->writes[C_CAN_REG_IF1_CMDREQ], 1, "D_CAN: CMD counts as CMDREQ");
	is(s->writes[C_CAN_REG_IF1_CMDMASK], 0, "... once");
	is(s->reads[C_CAN_REG_IF1_DATA], 1, "D_CAN: DATB");
	is(s->reads[C_CAN_REG_TXRQST], 1, "D_CAN: TXRQX");
	is(s->reads[C_CAN_REG_IF3], 1, "TI: IF3");
	bench_free(b);
	for (i = 0; i < C_CAN_REG_COUNT; i++)
		ok(c_can_reg_name[i] && *c_can_reg_name[i], "row %u has a name", i);
}

static void objects(void)
{
	static const unsigned int count[4] = { 16, 32, 64, 128 };
	unsigned int i;

	for (i = 0; i < 4; i++) {
		struct bench *b = bench_new(D_CAN_BOSCH, count[i], 0);

		is(c_can_read(b->c, 0x24, 4), i, "HWS of %u objects", count[i]);
		object(b, count[i], VALID, 0, EOB);
		is(c_can_read(b->c, 0xc4 + (count[i] - 1) / 32 * 4, 4),
		   1u << (count[i] - 1) % 32, "MSGVAL of object %u", count[i]);
		is(c_can_read(b->c, 0xc0, 4), 1u << (count[i] / 8 - 1),
		   "MSGVALX: one bit for eight objects");
		bench_free(b);
	}
}

static void init_and_bit_timing(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_node *node = c_can_node(b->c);

	is(node->bit_ns, 2000, "type %d: BTR 2301 is 500 kbit/s at 8 MHz", type);
	wr(b, BTR, BENCH_BTR);
	is(rd(b, BTR), 0x2301, "type %d: BTR is shut without CCE", type);
	wr(b, CTRL, INIT | CCE);
	wr(b, BTR, BENCH_BTR);
	is(rd(b, BTR), BENCH_BTR, "type %d: BTR is open with CCE and Init", type);
	is(node->bit_ns, 1000, "type %d: 1 Mbit/s", type);
	is(node->running, 0, "type %d: stopped in Init", type);
	wr(b, CTRL, CCE);
	is(node->running, 1, "type %d: takes part without Init", type);
	wr(b, BTR, 0x2301);
	is(rd(b, BTR), BENCH_BTR, "type %d: BTR is shut without Init", type);
	wr(b, CTRL, INIT | CCE | IE);
	is(node->running, 0, "type %d: Init stops it", type);
	is(rd(b, BTR), BENCH_BTR, "type %d: and changes no configuration", type);
	wr(b, BTR, 0x7fff);
	is(node->bit_ns, 200000, "type %d: 25 quanta of 64 clocks", type);
	if (d_can(b))
		c_can_write(b->c, 0x0e, 2, 0xf);
	else
		c_can_write(b->c, 0x0c, 2, 0xf);
	is(node->bit_ns, 3200000, "type %d: 1024 clocks with the extension", type);
	bench_free(b);
}

static void odd_bit_time(void)
{
	struct c_can_config config = { .type = C_CAN_BOSCH, .objects = 32, .clock_hz = 52000000 };
	struct bench *b = bench_config(&config);

	wr(b, CTRL, INIT | CCE);
	wr(b, BTR, 0x2500);	/* 10 quanta of one clock: 192.3 ns */
	is(c_can_node(b->c)->bit_ns, 192, "rounded to the nearest nanosecond, down");
	wr(b, BTR, 0x2700);	/* 12: 230.8 ns */
	is(c_can_node(b->c)->bit_ns, 231, "... and up");
	bench_free(b);
}

static void wrong_bit_timing(void)
{
	struct bench *b = bench_new(D_CAN_TI, 64, 0);

	wr(b, CTRL, INIT | CCE);
	wr(b, BTR, 0x2001);
	wr(b, CTRL, 0);
	is(rd(b, CTRL) & INIT, INIT, "TI: does not leave Init with a wrong BTR");
	wr(b, CTRL, INIT | CCE);
	wr(b, BTR, BENCH_BTR);
	wr(b, CTRL, 0);
	is(rd(b, CTRL) & INIT, 0, "TI: leaves it with a right one");
	bench_free(b);
}

static void test_register(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	struct canbus_node *node = c_can_node(b->c);

	bench_go(b, 0);
	wr(b, TESTR, 0x18);
	is(rd(b, TESTR) & 0x7f, 0, "type %d: TEST is shut without CTRL.Test", type);
	wr(b, CTRL, INIT | TEST);
	wr(b, TESTR, 0x10);
	is(rd(b, TESTR) & 0x7f, 0x10, "type %d: and open with it", type);
	wr(b, CTRL, TEST);
	is(node->mode, CANBUS_LOOPBACK, "type %d: loopback", type);
	wr(b, CTRL, 0);
	is(node->mode, CANBUS_NORMAL, "type %d: all off without CTRL.Test", type);
	is(rd(b, TESTR) & 0x7f, 0x10, "type %d: TEST keeps its content", type);
	wr(b, CTRL, TEST);
	is(node->mode, CANBUS_LOOPBACK, "type %d: and is on again with CTRL.Test", type);
	wr(b, TESTR, 0x08);
	is(node->mode, CANBUS_SILENT, "type %d: silent", type);
	is(node->running, 1, "type %d: still in traffic", type);
	wr(b, TESTR, 0x18);
	is(node->mode, CANBUS_LOOPBACK, "type %d: both", type);
	wr(b, TESTR, 0x60);
	is(node->mode, CANBUS_SILENT, "type %d: a pin held recessive sends nothing", type);
	is(rd(b, TESTR) & 0x80, 0x80, "type %d: Rx reads recessive", type);
	wr(b, TESTR, 0x40);
	is(rd(b, TESTR) & 0x80, 0, "type %d: Rx reads the dominant Tx pin", type);
	bench_free(b);
}

static void ram_after_reset(enum c_can_type type)
{
	struct bench *b = bench_new(type, 32, 0);
	const bool keeps = type == C_CAN_BOSCH;

	ok(object_word(b, 7, DATA) != object_word(b, 8, DATA),
	   "type %d: the RAM is not zero after power-up", type);
	is(flags(b, F_MSGVAL) | flags(b, F_TXRQST) | flags(b, F_NEWDAT) | flags(b, F_INTPND), 0,
	   "type %d: but its flags are", type);
	object(b, 7, VALID | DIR | STD(0x123), 0x12345678, NEWDAT | INTPND | TXRQST | TXIE | EOB | 5);
	c_can_reset(b->c);
	is(object_word(b, 7, ARB), (keeps ? VALID : 0) | DIR | STD(0x123),
	   "type %d: reset and the identifier", type);
	is(object_word(b, 7, MCTL), (keeps ? NEWDAT | INTPND | TXRQST : 0) | TXIE | EOB | 5,
	   "type %d: reset and the control bits", type);
	is(object_word(b, 7, MSK), 0x32345678, "type %d: reset and the mask", type);
	is(object_word(b, 7, DATB), 0x07060504, "type %d: reset and the data", type);
	bench_free(b);
}

static void software_reset(void)
{
	struct bench *b = bench_new(D_CAN_TI, 64, 0);

	object(b, 3, VALID | STD(1), 0, EOB);
	bench_go(b, IE | SIE);
	wr(b, CTRL, 0x8000 | INIT | IE);
	is(rd(b, BTR), BENCH_BTR, "TI: SWR needs Init to be set before");
	is(rd(b, CTRL), INIT | IE, "TI: SWR is not kept");
	wr(b, CTRL, 0x8000 | INIT);
	is(rd(b, CTRL), 0x1401, "TI: SWR gives the reset value, and clears itself");
	is(rd(b, BTR), 0x2301, "TI: SWR resets BTR");
	is(flags(b, F_MSGVAL), 0, "TI: SWR clears MsgVal");
	is(object_word(b, 3, ARB), STD(1), "TI: SWR leaves the message RAM");
	bench_free(b);

	b = bench_new(D_CAN_BOSCH, 64, 0);
	wr(b, CTRL, INIT | CCE);
	wr(b, BTR, BENCH_BTR);
	wr(b, CTRL, 0x8000 | INIT);
	is(rd(b, BTR), BENCH_BTR, "Bosch D_CAN: there is no SWR");
	bench_free(b);
}

/* Init reads back late, and counts late. */
static void late_init(void)
{
	struct bench *b = bench_new(D_CAN_TI, 64, C_CAN_ERRATUM_LATE_INIT);
	unsigned int clocks = 0;

	wr(b, CTRL, INIT | CCE);
	is(rd(b, CTRL), INIT | CCE, "LATE_INIT: no change of Init, no delay");
	wr(b, BTR, BENCH_BTR);
	wr(b, CTRL, 0);
	is(rd(b, CTRL), INIT, "LATE_INIT: Init still reads as set");
	while ((rd(b, CTRL) & INIT) && clocks < 1000) {
		run(b, CLOCK_NS);
		clocks++;
	}
	is(clocks, 32, "LATE_INIT: for 32 clocks");
	wr(b, CTRL, INIT | CCE);
	wr(b, BTR, 0x2301);
	is(rd(b, BTR), BENCH_BTR, "LATE_INIT: BTR is still shut");
	is(rd(b, CTRL), CCE, "LATE_INIT: because Init reads as cleared");
	run(b, 32 * CLOCK_NS);
	wr(b, BTR, 0x2301);
	is(rd(b, BTR), 0x2301, "LATE_INIT: open when Init reads as set");
	wr(b, CTRL, 0);
	run(b, 20 * CLOCK_NS);
	wr(b, CTRL, INIT);
	run(b, 100 * CLOCK_NS);
	is(rd(b, CTRL), INIT, "LATE_INIT: a change taken back in time never happens");
	wr(b, CTRL, INIT | TEST);
	wr(b, TESTR, 0x10);
	wr(b, CTRL, TEST);
	run(b, 32 * CLOCK_NS);
	is(c_can_node(b->c)->mode, CANBUS_LOOPBACK, "LATE_INIT: starts in the mode of TEST");
	bench_free(b);

	b = bench_new(D_CAN_TI, 64, 0);
	wr(b, CTRL, 0);
	is(rd(b, CTRL), 0, "no erratum, no delay");
	bench_free(b);
}

int main(void)
{
	enum c_can_type type;

	check_map(C_CAN_BOSCH, 32, c_can_map, sizeof(c_can_map) / sizeof(c_can_map[0]));
	check_map(D_CAN_BOSCH, 128, d_can_map, sizeof(d_can_map) / sizeof(d_can_map[0]));
	check_map(D_CAN_TI, 64, ti_map, sizeof(ti_map) / sizeof(ti_map[0]));
	command_registers();
	widths();
	counting();
	objects();
	for (type = C_CAN_BOSCH; type <= D_CAN_TI; type++) {
		init_and_bit_timing(type);
		test_register(type);
		ram_after_reset(type);
	}
	odd_bit_time();
	wrong_bit_timing();
	software_reset();
	late_init();
	return tap_done();
}
