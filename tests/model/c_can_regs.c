// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C_CAN model: control, status, bit timing, test, and the registers that
 * collect one flag of all objects.
 */
#include "c_can_internal.h"

/*
 * LATE_INIT: clocks until a new value of Init has crossed both clock domains
 * and can be read back. Anything up to some tens is plausible; the manuals only
 * say that software has to poll.
 */
#define LATE_INIT_CLOCKS 32

static const uint32_t ctrl_writable[] = {
	[C_CAN_BOSCH] = 0x000000ee,
	[D_CAN_BOSCH] = 0x000e00ee,
	[D_CAN_TI] = 0x031e3fee,
};

static const uint32_t test_writable[] = {
	[C_CAN_BOSCH] = 0x07c,
	[D_CAN_BOSCH] = 0x078,
	[D_CAN_TI] = 0x378,
};

/*
 * The bit time in nanoseconds. One that is not a whole number is rounded to the
 * nearest: at 1 Mbit/s that is wrong by at most 0.05 %, well inside what a bus
 * tolerates.
 */
uint32_t c_can_bit_ns(const struct c_can *c)
{
	uint64_t prescaler = ((c->btr >> 16 & 0xf) << 6 | (c->btr & 0x3f)) + 1;
	uint64_t quanta = 3 + (c->btr >> 8 & 0xf) + (c->btr >> 12 & 0x7);
	uint64_t ns = (prescaler * quanta * 1000000000 + c->config.clock_hz / 2) /
		      c->config.clock_hz;

	if (!ns)
		return 1;
	return ns > UINT32_MAX ? UINT32_MAX : ns;
}

static enum canbus_mode mode(const struct c_can *c)
{
	uint32_t test = c_can_test(c), pin = test & TEST_TX;

	if (test & (TEST_LBACK | TEST_EXL))
		return CANBUS_LOOPBACK;
	/* A pin that software drives cannot send frames. */
	if ((test & TEST_SILENT) || pin == TEST_TX_DOM || pin == TEST_TX_REC)
		return CANBUS_SILENT;
	return CANBUS_NORMAL;
}

/* AM335x TRM, 23.3.8.1.1: "will not come out" of Init with a wrong BTR. */
static bool may_leave_init(const struct c_can *c)
{
	return !c_can_is_ti(c) || (c->btr & 0xf00);
}

void c_can_set_init(struct c_can *c, bool init)
{
	sim_cancel(c->sim, &c->init_event);
	if (!init && !may_leave_init(c))
		init = true;
	c->init_wanted = init;
	if (init == c->init)
		return;
	c->init = init;
	if (init) {
		canbus_node_stop(&c->node);
		c_can_handler_stop(c);
	} else {
		if (c->monitor) {
			canbus_node_stop(&c->node);
			c->monitor = false;
		}
		c->node.mode = mode(c);
		canbus_node_start(&c->node);
		c_can_kick(c);
	}
}

void c_can_init_late(void *arg)
{
	struct c_can *c = arg;

	c_can_set_init(c, c->init_wanted);
}

static void ask_init(struct c_can *c, bool init)
{
	if (!c_can_has_erratum(c, C_CAN_ERRATUM_LATE_INIT)) {
		c_can_set_init(c, init);
		return;
	}
	if (init == c->init_wanted)
		return;
	/* Each change starts the crossing anew. */
	c->init_wanted = init;
	sim_at(c->sim, &c->init_event, c->sim->now + c_can_clocks_ns(c, LATE_INIT_CLOCKS));
}

/* A test function was switched while the node takes part in traffic. */
static void update_mode(struct c_can *c)
{
	enum canbus_mode new = mode(c);

	if (c->init || c->node.mode == new)
		return;
	canbus_node_stop(&c->node);
	c_can_handler_stop(c);
	c->node.mode = new;
	canbus_node_start(&c->node);
	c_can_kick(c);
}

uint32_t c_can_ctrl_read(struct c_can *c)
{
	return c->ctrl | (c->init ? CTRL_INIT : 0);
}

void c_can_ctrl_write(struct c_can *c, uint32_t value, uint32_t lanes)
{
	uint32_t old = c->ctrl, writable = ctrl_writable[c->config.type] & lanes;

	/* Any write stops a running auto-bus-on timer. */
	sim_cancel(c->sim, &c->abo_event);

	if (c_can_is_ti(c) && (value & lanes & CTRL_SWR) && c->init) {
		/* Self-clearing after one bus clock, sooner than it can be read. */
		c_can_reset_registers(c);
		return;
	}
	c->ctrl = (old & ~writable) | (value & writable);
	if (!c_can_basic(c)) {
		c->tx_basic = false;
		c->tx_basic_wire = false;
	}
	if (c_can_is_ti(c)) {
		if ((old ^ c->ctrl) & CTRL_PDR)
			c_can_power_request(c, c->ctrl & CTRL_PDR);
		if ((old ^ c->ctrl) & CTRL_WUBA)
			c_can_power_monitor(c);
	}
	if (lanes & CTRL_INIT)
		ask_init(c, value & CTRL_INIT);
	update_mode(c);
	c_can_update_irq(c);
}

/*
 * Reading takes the cause 0x8000 away. On the D_CAN it also resets what the
 * C_CAN leaves to a write: RxOk, TxOk, LEC, and PER and WakeUpPnd.
 */
uint32_t c_can_sts_read(struct c_can *c, uint32_t lanes)
{
	uint32_t value = c->sts | c->errors;

	if (!(lanes & 0xffff))
		return value;
	c->status_int = false;
	if (c_can_is_d_can(c)) {
		c->sts &= ~(STS_RXOK | STS_TXOK | STS_PER | STS_WAKEUP);
		c->sts |= STS_LEC_UNUSED;
	}
	c_can_update_irq(c);
	return value;
}

/* A write never raises or clears an interrupt. */
void c_can_sts_write(struct c_can *c, uint32_t value, uint32_t lanes)
{
	uint32_t writable = (STS_RXOK | STS_TXOK | STS_LEC) & lanes;

	/* D_CAN: read only. AM335x: bit 8 is the parity interrupt's EOI, no state. */
	if (c_can_is_d_can(c))
		return;
	c->sts = (c->sts & ~writable) | (value & writable);
}

uint32_t c_can_errcnt_read(const struct c_can *c)
{
	uint32_t tec = c->node.tec, rec = c->node.rec;
	uint32_t value = tec > 255 ? 255 : tec;

	value |= (rec > 127 ? 127 : rec) << 8;
	if (rec > 127)
		value |= 0x8000;	/* RP */
	return value;
}

void c_can_btr_write(struct c_can *c, uint32_t value, uint32_t lanes)
{
	uint32_t writable = 0x000f7fff & lanes;

	if (!c->init || !(c->ctrl & CTRL_CCE))
		return;
	c->btr = (c->btr & ~writable) | (value & writable);
	c->node.bit_ns = c_can_bit_ns(c);
}

/* The Rx pin is recessive, unless the own Tx pin is held dominant. */
uint32_t c_can_test_read(const struct c_can *c)
{
	return c->test | ((c_can_test(c) & TEST_TX) == TEST_TX_DOM ? 0 : TEST_RX);
}

void c_can_test_write(struct c_can *c, uint32_t value, uint32_t lanes)
{
	uint32_t writable = test_writable[c->config.type] & lanes;

	if (!(c->ctrl & CTRL_TEST))
		return;
	c->test = (c->test & ~writable) | (value & writable);
	if (!c_can_basic(c)) {
		c->tx_basic = false;
		c->tx_basic_wire = false;
	}
	update_mode(c);
}

/* Bosch: objects in bits 1:0 as 16 << n, bit 2: the RAM has parity. */
uint32_t c_can_hws_read(const struct c_can *c)
{
	uint32_t size = 0;

	while (16u << size < c->objects)
		size++;
	return size | (c->config.parity_ram ? 4 : 0);
}

/* Bosch: release 1.1.1 of 12.05.2010 in BCD; TI: another scheme. */
uint32_t c_can_rel_read(const struct c_can *c)
{
	return c_can_is_ti(c) ? 0xa3170504 : 0x11100512;
}

static bool object_flag(const struct c_can *c, enum c_can_flag flag, unsigned int n)
{
	const struct c_can_object *o = &c->object[n];

	switch (flag) {
	case C_CAN_FLAG_TXRQST:
		return o->mctrl & MCTRL_TXRQST;
	case C_CAN_FLAG_NEWDAT:
		return (o->mctrl & MCTRL_NEWDAT) || c->sim->now < o->stale_until;
	case C_CAN_FLAG_INTPND:
		return o->mctrl & MCTRL_INTPND;
	default:
		return o->arb & ARB_MSGVAL;
	}
}

uint32_t c_can_flags_read(const struct c_can *c, enum c_can_flag flag, unsigned int word)
{
	uint32_t value = 0;
	unsigned int bit;

	for (bit = 0; bit < 32; bit++) {
		unsigned int n = word * 32 + bit + 1;

		if (n <= c->objects && object_flag(c, flag, n))
			value |= 1u << bit;
	}
	return value;
}

/* One bit for eight objects. */
uint32_t c_can_flags_x_read(const struct c_can *c, enum c_can_flag flag)
{
	uint32_t value = 0;
	unsigned int n;

	for (n = 1; n <= c->objects; n++)
		if (object_flag(c, flag, n))
			value |= 1u << (n - 1) / 8;
	return value;
}
