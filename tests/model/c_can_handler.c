// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C_CAN model: the message handler between the wire and the message RAM.
 *
 * C_CAN r1.2, 4; AM335x TRM, 23.3.15.
 */
#include <string.h>

#include "c_can_internal.h"

/*
 * The bytes of an object above the received DLC "are overwritten by non
 * specified values": something no test pattern looks like.
 */
#define UNSPECIFIED 0xdb

static uint32_t frame_arb(const struct canbus_frame *f)
{
	uint32_t arb = f->ext ? ARB_XTD | (f->id & ARB_ID) :
				(f->id << ARB_STD_SHIFT & ARB_STD);

	/* Seen from an object, a remote frame asks for what a transmit object has. */
	return f->rtr ? arb | ARB_DIR : arb;
}

static bool matches(const struct c_can_object *o, uint32_t arb)
{
	uint32_t mask = ARB_XTD | ARB_DIR | ARB_ID;

	if (!(o->arb & ARB_MSGVAL))
		return false;
	/* A member of a FIFO is locked while it holds a frame. */
	if (!(o->mctrl & MCTRL_EOB) && (o->mctrl & MCTRL_NEWDAT))
		return false;
	if (o->mctrl & MCTRL_UMASK) {
		mask = o->mask & ARB_ID;
		if (o->mask & MASK_MXTD)
			mask |= ARB_XTD;
		if (o->mask & MASK_MDIR)
			mask |= ARB_DIR;
	}
	/* An 11-bit identifier has only the upper bits. */
	if (!(arb & ARB_XTD) || !(o->arb & ARB_XTD))
		mask &= ~(ARB_ID & ~ARB_STD);
	return !((o->arb ^ arb) & mask);
}

/* The first match wins; 0 if there is none. */
static unsigned int scan(struct c_can *c, const struct canbus_frame *frame)
{
	const uint32_t arb = frame_arb(frame);
	unsigned int n;

	c_can_ram_access(c);
	for (n = 1; n <= c->objects; n++) {
		if (!(c->object[n].arb & ARB_MSGVAL))
			continue;
		if (c_can_parity_check(c, n, 5))
			continue;	/* MsgVal is gone now */
		if (matches(&c->object[n], arb))
			return n;
	}
	return 0;
}

/*
 * An object was changed through an IF register set, or by IF3. If a frame is
 * between scan and store and its target is this object or a higher one, TI's
 * handler scans again (23.3.15.1). That path is what loses frames on real
 * silicon: on the D_CAN when lower objects are freed other than by their own
 * reading transfer, on the EG20T when an object is freed by just that.
 */
void c_can_object_touched(struct c_can *c, unsigned int n, enum c_can_touch how, bool freed)
{
	struct c_can_rx *rx = &c->rx;

	if ((!rx->pending && !rx->valid) || !rx->target || n > rx->target)
		return;
	if (freed && n < rx->target && how != C_CAN_TOUCH_READ &&
	    c_can_has_erratum(c, C_CAN_ERRATUM_BULK_CLEAR))
		rx->lost = true;
	if (freed && how == C_CAN_TOUCH_READ &&
	    c_can_has_erratum(c, C_CAN_ERRATUM_NEWDAT_CLEAR))
		rx->lost = true;
	if (c_can_is_ti(c))
		rx->target = scan(c, &rx->frame);
}

static void rx_header(void *arg, const struct canbus_frame *frame)
{
	struct c_can *c = arg;

	c_can_activity(c);
	if (c->monitor)
		return;
	c->rx = (struct c_can_rx){ .pending = true, .frame = *frame };
	if (!c_can_basic(c))
		c->rx.target = scan(c, frame);
}

/*
 * A valid frame. The status is updated at once; the message RAM some clocks
 * later, so a status interrupt can precede the frame.
 */
static void rx_frame(void *arg, const struct canbus_frame *frame)
{
	struct c_can *c = arg;
	bool own = c->node.mode == CANBUS_LOOPBACK;

	c_can_activity(c);
	if (c->monitor)
		return;
	if (!c->rx.pending)
		rx_header(c, frame);
	c->rx.pending = false;
	c->rx.valid = true;
	c->rx.frame = *frame;
	c->shift = *frame;
	sim_at(c->sim, &c->store_event, c->sim->now + c_can_if_max_ns(c));
	/* The D_CAN in loopback mode: TxOk yes, RxOk no. */
	c_can_status_event(c, own && c_can_is_d_can(c) ? 0 : STS_RXOK, CANBUS_OK);
}

static void store_frame(struct c_can *c, struct c_can_object *o,
			const struct canbus_frame *frame)
{
	unsigned int i, len = frame->dlc > 8 ? 8 : frame->dlc;

	o->arb = ARB_MSGVAL | frame_arb(frame);
	o->mctrl = (o->mctrl & ~(MCTRL_DLC | MCTRL_TXRQST)) | (frame->dlc & MCTRL_DLC);
	if (!frame->rtr)
		for (i = 0; i < 8; i++)
			o->data[i] = i < len ? frame->data[i] : UNSPECIFIED;
	c->stats.rx_stored++;
	if (o->mctrl & MCTRL_NEWDAT) {
		o->mctrl |= MCTRL_MSGLST;
		c->stats.rx_overwritten++;
	}
	o->mctrl |= MCTRL_NEWDAT;
	if (o->mctrl & MCTRL_RXIE)
		o->mctrl |= MCTRL_INTPND;
}

/* Put the frame into the object chosen when its header came in. */
void c_can_store(void *arg)
{
	struct c_can *c = arg;
	struct c_can_rx rx = c->rx;
	struct c_can_object *o = &c->object[rx.target];

	c->rx.valid = false;
	if (c_can_basic(c)) {
		c_can_basic_store(c, &rx.frame);
		c->stats.rx_stored++;
		return;
	}
	c_can_ram_access(c);
	if (rx.lost) {
		c->stats.rx_erratum_lost++;
		return;
	}
	if (!rx.target || !(o->arb & ARB_MSGVAL)) {
		c->stats.rx_unmatched++;
		return;
	}
	if (rx.frame.rtr && (o->arb & ARB_DIR) && (o->mctrl & MCTRL_RMTEN)) {
		o->mctrl |= MCTRL_TXRQST;	/* the rest of it is unchanged */
		c_can_kick(c);
		return;
	}
	if (rx.frame.rtr && (o->arb & ARB_DIR) && !(o->mctrl & MCTRL_UMASK)) {
		c->stats.rx_unmatched++;	/* "ignored" */
		return;
	}
	store_frame(c, o, &rx.frame);
	c_can_if3_poll(c);
	c_can_update_irq(c);
}

bool c_can_tx_wanted(const struct c_can *c)
{
	unsigned int n;

	if (c_can_basic(c))
		return c->tx_basic;
	for (n = 1; n <= c->objects; n++)
		if ((c->object[n].arb & ARB_MSGVAL) && (c->object[n].mctrl & MCTRL_TXRQST))
			return true;
	return false;
}

void c_can_kick(struct c_can *c)
{
	if (!c->init && !c->monitor && c_can_tx_wanted(c))
		canbus_node_kick(&c->node);
}

static void make_frame(struct canbus_frame *frame, uint32_t arb, uint32_t mctrl,
		       const uint8_t *data)
{
	memset(frame, 0, sizeof(*frame));
	frame->ext = arb & ARB_XTD;
	frame->id = frame->ext ? arb & ARB_ID : (arb & ARB_STD) >> ARB_STD_SHIFT;
	frame->rtr = !(arb & ARB_DIR);
	frame->dlc = mctrl & MCTRL_DLC;
	if (!frame->rtr)
		memcpy(frame->data, data, frame->dlc > 8 ? 8 : frame->dlc);
}

/*
 * The shift register is free from the end of the last frame on, and is loaded
 * when no IF transfer is running: there is time for that during the three bits
 * of intermission. Only a transfer that lasted all that time delays the frame.
 */
static bool load_blocked(const struct c_can *c)
{
	return c->if_active >= 0 &&
	       c->if_started + 3 * (uint64_t)c->node.bit_ns <= c->sim->now;
}

static bool load_basic(struct c_can *c, struct canbus_frame *frame)
{
	if (!c->tx_basic)
		return false;
	make_frame(frame, c->iface[0].arb, c->iface[0].mctrl, c->iface[0].data);
	c->tx_basic_wire = true;
	if (c->ctrl & CTRL_DAR)
		c->tx_basic = false;
	return true;
}

/* The lowest number goes first; one with a parity error must not go out. */
static unsigned int find_request(struct c_can *c)
{
	unsigned int n;

	for (n = 1; n <= c->objects; n++) {
		const struct c_can_object *o = &c->object[n];

		if ((o->arb & ARB_MSGVAL) && (o->mctrl & MCTRL_TXRQST) &&
		    !c_can_parity_check(c, n, 5))
			return n;
	}
	return 0;
}

static bool want_tx(void *arg, struct canbus_frame *frame)
{
	struct c_can *c = arg;
	struct c_can_object *o;
	unsigned int n;

	c->tx_object = 0;
	c->tx_basic_wire = false;
	if (c->init || c->monitor || c->node.mode == CANBUS_SILENT)
		return false;
	if (c_can_basic(c))
		return load_basic(c, frame);
	if (load_blocked(c))
		return false;	/* c_can_if_done() asks again */
	n = find_request(c);
	if (!n)
		return false;
	o = &c->object[n];
	c_can_ram_access(c);
	make_frame(frame, o->arb, o->mctrl, o->data);
	c->tx_object = n;
	/* DAR: no second try, and NewDat tells until success (23.3.15.3) */
	if (c->ctrl & CTRL_DAR)
		o->mctrl &= ~MCTRL_TXRQST;
	else
		o->mctrl &= ~MCTRL_NEWDAT;
	return true;
}

static void tx_lost(void *arg)
{
	struct c_can *c = arg;

	c->tx_object = 0;
	c->tx_basic_wire = false;
}

static void tx_done(void *arg, const struct canbus_frame *frame)
{
	struct c_can *c = arg;
	struct c_can_object *o = &c->object[c->tx_object];

	(void)frame;
	c->stats.tx_sent++;
	c_can_activity(c);
	if (c->tx_basic_wire) {
		c->tx_basic = false;
		c->tx_basic_wire = false;
	} else if (c->tx_object) {
		if (c->ctrl & CTRL_DAR)
			o->mctrl &= ~MCTRL_NEWDAT;
		else if (!(o->mctrl & MCTRL_NEWDAT))
			o->mctrl &= ~MCTRL_TXRQST;
		if (o->mctrl & MCTRL_TXIE)
			o->mctrl |= MCTRL_INTPND;
		c->tx_object = 0;
		c_can_ram_access(c);
	}
	c_can_status_event(c, STS_TXOK, CANBUS_OK);
	c_can_kick(c);
}

static void error(void *arg, enum canbus_error code, bool transmitting)
{
	struct c_can *c = arg;

	c_can_activity(c);
	if (c->monitor)
		return;
	if (transmitting)
		tx_lost(c);
	c->rx.pending = false;
	c_can_status_event(c, 0, code);
}

static void state(void *arg)
{
	struct c_can *c = arg;

	if (!c->monitor)
		c_can_error_state(c);
}

/* "Bit0Error is written each time 11 recessive bits have been monitored." */
static void recovery(void *arg, unsigned int left)
{
	struct c_can *c = arg;

	(void)left;
	c_can_status_event(c, 0, CANBUS_BIT0_ERROR);
	c_can_error_state(c);
}

/* Init is set: the frame on the wire is abandoned, its request stays. */
void c_can_handler_stop(struct c_can *c)
{
	c->tx_object = 0;
	c->tx_basic_wire = false;
	c->rx.pending = false;
	if (c->rx.valid) {
		sim_cancel(c->sim, &c->store_event);
		c_can_store(c);		/* it was valid before */
	}
}

const struct canbus_node_ops c_can_node_ops = {
	.want_tx = want_tx,
	.tx_lost = tx_lost,
	.rx_header = rx_header,
	.rx_frame = rx_frame,
	.tx_done = tx_done,
	.error = error,
	.state = state,
	.recovery = recovery,
};
