// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reception: from the message objects to the stack
 *
 * The interrupt handler takes the frames out of the controller, in the order
 * of their arrival, and puts them into a ring; the poll function delivers them.
 * So the controller's objects are free again as early as possible, and NEWDAT
 * is looked at often enough to know the order (see c_can_order.c).
 */

#include "c_can.h"

#include <linux/bitfield.h>
#include <linux/irqflags.h>
#include <linux/ktime.h>

/* From the end of one frame to that of the next: 44 bits and a pause of 3 */
#define C_CAN_FRAME_BITS_MIN	44

/**
 * c_can_rx_reset() - forget the frames that were not delivered
 * @priv: interface
 *
 * Context: process, while neither interrupt handler nor poll function run
 */
void c_can_rx_reset(struct c_can_priv *priv)
{
	c_can_order_reset(&priv->rx.order);
	priv->rx.frame_ns = div_u64((u64)C_CAN_FRAME_BITS_MIN * NSEC_PER_SEC,
				    priv->can.bittiming.bitrate);
	priv->rx.sampled_at = ktime_get_ns();
	priv->rx.lagging = false;
	priv->rx.holding = 0;
	priv->rx.hold = 0;
	/* where order asks for it, and where it saves changes of COMMASK */
	if (priv->chip->quirks & C_CAN_QUIRK_SPLIT_CLEAR ||
	    (priv->rx.strict && !(priv->chip->quirks & C_CAN_QUIRK_TI)))
		priv->rx.hold = min_t(unsigned int, priv->rx.count / 4, C_CAN_RX_HOLD);
	priv->rx.deep = 0;
	priv->rx.head = 0;
	priv->rx.tail = 0;
}

/**
 * c_can_rx_full() - is there no room for frames?
 * @priv: interface
 *
 * Context: interrupt handler
 * Return: true if the frames must stay in the controller
 */
bool c_can_rx_full(const struct c_can_priv *priv)
{
	/* pairs with the release in c_can_rx_deliver() */
	return priv->rx.head - smp_load_acquire(&priv->rx.tail) >= C_CAN_RX_RING;
}

/*
 * All words of NEWDAT, from the top down: what comes between two of the reads must
 * not be seen above and missed below. Returns false if it took so long that more
 * than one frame may have come.
 */
static bool c_can_rx_sample_deep(struct c_can_priv *priv, u32 *newdat)
{
	unsigned int width = c_can_set_width(priv), w;
	struct c_can_rx *rx = &priv->rx;
	u64 before = ktime_get_ns();

	memset(newdat, 0, C_CAN_ORDER_WORDS * sizeof(*newdat));
	for (w = DIV_ROUND_UP(rx->count, width); w--; ) {
		u32 bits = c_can_read_set(priv, C_CAN_REG_NEWDAT, w);

		newdat[w * width / 32] |= bits << (w * width % 32);
		if (hweight32(bits) >= width / 4 * 3)
			rx->deep = 2;
	}
	return !rx->strict || ktime_get_ns() - before < rx->frame_ns;
}

/*
 * Look at NEWDAT. Objects of an upper word only get frames while all below are
 * taken, so the upper words need no look unless the lowest one is filling up.
 * The controller chooses the object up to one frame before it stores the
 * frame, hence the two interrupts that "deep" lasts.
 */
static void c_can_rx_sample(struct c_can_priv *priv, unsigned int pending)
{
	unsigned int width = c_can_set_width(priv);
	struct c_can_rx *rx = &priv->rx;
	u32 newdat[C_CAN_ORDER_WORDS] = {};
	unsigned int tries = 2;
	bool soon = false;

	if (pending > width)
		rx->deep = 2;
	if (!rx->deep) {
		newdat[0] = c_can_read_set(priv, C_CAN_REG_NEWDAT, 0);
		if (rx->count > width && hweight32(newdat[0]) >= width / 4 * 3)
			rx->deep = 2;
	}
	if (rx->deep) {
		/* again if the CPU has stood still in between */
		while (!c_can_rx_sample_deep(priv, newdat) && tries--)
			;
	}
	if (rx->hold)
		rx->sampled_at = ktime_get_ns();
	if (rx->strict && rx->order.freed)
		soon = ktime_get_ns() - rx->freed_at < rx->frame_ns;
	c_can_order_sample(&priv->rx.order, newdat, priv->rx.count, soon);
}

/*
 * Free the oldest object, by a transfer of its own or by reading it. With strict
 * order NEWDAT is sampled right before, unless that has just been done;
 * interrupts are off in between also where this runs in a thread, so that it
 * stays "right before".
 */
static int c_can_rx_free(struct c_can_priv *priv, unsigned int obj, bool read, bool sample)
{
	struct c_can_rx *rx = &priv->rx;
	unsigned long flags;
	int err;

	local_irq_save(flags);
	if (rx->strict && sample)
		c_can_rx_sample(priv, 0);
	c_can_order_pop(&rx->order);
	err = read ? c_can_msgobj_read_begin(priv, obj, C_CAN_CMD_NEWDAT | C_CAN_CMD_CLRINTPND) :
		     c_can_msgobj_free(priv, obj, true);
	if (rx->strict)
		rx->freed_at = ktime_get_ns();
	local_irq_restore(flags);
	return err;
}

/*
 * The last object, where a frame may arrive although it is full: it is read, then
 * freed by a transfer of its own.
 */
static int c_can_rx_fetch_last(struct c_can_priv *priv, unsigned int obj,
			       struct c_can_frame *frame)
{
	int err;

	err = c_can_msgobj_read_begin(priv, obj, 0);
	if (!err)
		err = c_can_msgobj_read_end(priv, frame);
	if (err)
		return err;

	/* nothing to free, and a frame that comes now must stay */
	if (!(frame->mctrl & C_CAN_MCTRL_NEWDAT)) {
		c_can_order_pop(&priv->rx.order);
		return 0;
	}
	if (frame->mctrl & C_CAN_MCTRL_MSGLST) {
		err = c_can_msgobj_clear_msglst(priv, obj, frame->mctrl);
		if (err)
			return err;
	}
	return c_can_rx_free(priv, obj, false, true);
}

/*
 * A part that loses frames if an object is freed by reading it
 * (C_CAN_QUIRK_SPLIT_CLEAR): it is freed by a second transfer, which leaves the
 * copy in IF1 alone, before the copy is read, so that it is free for the next frame.
 */
static int c_can_rx_fetch_split(struct c_can_priv *priv, unsigned int obj, bool sample,
				struct c_can_frame *frame)
{
	int err;

	err = c_can_msgobj_read_begin(priv, obj, 0);
	if (!err)
		err = c_can_msgobj_read_control(priv, frame);
	if (err)
		return err;

	/* nothing to free, and a frame that comes now must stay */
	if (!(frame->mctrl & C_CAN_MCTRL_NEWDAT)) {
		c_can_order_pop(&priv->rx.order);
		return 0;
	}
	err = c_can_rx_free(priv, obj, false, sample);
	return err ? err : c_can_msgobj_read_content(priv, frame);
}

/* The object is freed by reading it. */
static int c_can_rx_fetch_once(struct c_can_priv *priv, unsigned int obj, bool sample,
			       struct c_can_frame *frame)
{
	int err = c_can_rx_free(priv, obj, true, sample);

	return err ? err : c_can_msgobj_read_end(priv, frame);
}

/* The object is read and freed later, with others: see c_can_order.c. */
static int c_can_rx_fetch_held(struct c_can_priv *priv, unsigned int obj,
			       struct c_can_frame *frame)
{
	struct c_can_rx *rx = &priv->rx;
	int err;

	err = c_can_msgobj_read_begin(priv, obj, C_CAN_CMD_CLRINTPND);
	if (!err)
		err = c_can_msgobj_read_end(priv, frame);
	if (err)
		return err;

	/* nothing to free, and a frame that comes now must stay */
	if (!(frame->mctrl & C_CAN_MCTRL_NEWDAT)) {
		c_can_order_pop(&rx->order);
		return 0;
	}
	c_can_order_take(&rx->order);
	rx->held[rx->holding++] = obj;
	return 0;
}

/*
 * Free the objects that were read, in that order, right after NEWDAT was sampled.
 * If the CPU has stood still before one of them, look again before the next.
 */
static int c_can_rx_free_held(struct c_can_priv *priv)
{
	struct c_can_rx *rx = &priv->rx;
	u64 before = ktime_get_ns();
	unsigned int n;
	int err = 0;

	for (n = 0; n < rx->holding && !err; n++) {
		c_can_order_release(&rx->order, rx->held[n]);
		err = c_can_msgobj_free(priv, rx->held[n], false);
		rx->freed_at = ktime_get_ns();
		if (rx->freed_at - before >= rx->frame_ns) {
			c_can_rx_sample(priv, 0);
			before = ktime_get_ns();
		} else {
			before = rx->freed_at;
		}
	}
	rx->holding = 0;
	return err;
}

/* How many objects to free together: fewer if there is little room, 1: at once. */
static unsigned int c_can_rx_hold_now(const struct c_can_rx *rx)
{
	u8 taken = rx->order.head - rx->order.tail;

	if (!rx->lagging)
		return 1;
	return clamp((rx->count - taken - rx->holding) / 2, 1U, rx->hold);
}

/* Read an object in the way that it needs. @sampled: NEWDAT was looked at just now */
static int c_can_rx_fetch_obj(struct c_can_priv *priv, unsigned int obj, bool sampled,
			      struct c_can_frame *frame)
{
	if (obj == priv->rx.count)
		return c_can_rx_fetch_last(priv, obj, frame);
	if (priv->rx.holding || c_can_rx_hold_now(&priv->rx) > 1)
		return c_can_rx_fetch_held(priv, obj, frame);
	if (priv->chip->quirks & C_CAN_QUIRK_SPLIT_CLEAR)
		return c_can_rx_fetch_split(priv, obj, !sampled, frame);
	return c_can_rx_fetch_once(priv, obj, !sampled, frame);
}

/*
 * Look for new frames. Exactly one, seen as soon as the interrupt has come (@first)
 * or so soon after the last look that it cannot be old: the driver keeps up, and
 * what it frees now is free before the next frame's identifier is in. Otherwise
 * it lags, and frees objects several at a time. Returns whether to do that now.
 */
static bool c_can_rx_look(struct c_can_priv *priv, unsigned int pending, bool first)
{
	struct c_can_rx *rx = &priv->rx;
	bool waiting = c_can_order_next(&rx->order);
	u8 head = rx->order.head, count;
	u64 last = rx->sampled_at;

	c_can_rx_sample(priv, pending);
	if (!rx->hold)
		return false;

	count = rx->order.head - head;
	if (count == 1 && !waiting && (first || rx->sampled_at - last < rx->frame_ns / 2)) {
		rx->lagging = rx->holding > 1;
		return true;
	}
	if (count)
		rx->lagging = true;
	return rx->holding >= c_can_rx_hold_now(rx);
}

/* Fetch the oldest frame. @first: nothing was looked at since the interrupt came */
static int c_can_rx_fetch_one(struct c_can_priv *priv, unsigned int pending, bool first,
			      bool *more)
{
	struct c_can_rx *rx = &priv->rx;
	struct c_can_frame *frame = &rx->ring[rx->head % C_CAN_RX_RING];
	unsigned int obj = c_can_order_next(&rx->order);
	bool sample = !obj || (rx->holding && rx->holding >= c_can_rx_hold_now(rx));
	bool free = false;
	unsigned long flags;
	int err = 0;

	local_irq_save(flags);
	if (sample) {
		free = c_can_rx_look(priv, pending, first);
		obj = c_can_order_next(&rx->order);
	}
	*more = obj;
	/* as soon as possible after a frame has come, before the next one chooses */
	if (obj && free)
		err = c_can_rx_free_held(priv);
	if (obj && !err)
		err = c_can_rx_fetch_obj(priv, obj, sample, frame);
	local_irq_restore(flags);
	if (err || !obj)
		return err;

	/* NEWDAT may list an object that has nothing new */
	if (!(frame->mctrl & C_CAN_MCTRL_NEWDAT)) {
		c_can_order_settle(&rx->order);
		priv->counters.rx_stale++;
		return 0;
	}
	/* pairs with the acquire in c_can_rx_deliver() */
	smp_store_release(&rx->head, rx->head + 1);
	return 0;
}

/**
 * c_can_rx_fetch() - take all frames that are known out of the controller
 * @priv: interface
 * @pending: object that INT points at; 0: INT was not read yet
 * @first: the interrupt has just come
 *
 * Context: interrupt handler
 * Return: true if there was anything
 */
bool c_can_rx_fetch(struct c_can_priv *priv, unsigned int pending, bool first)
{
	bool any = false, more = true;
	int err = 0;

	while (!c_can_rx_full(priv)) {
		err = c_can_rx_fetch_one(priv, pending, first, &more);
		first = false;
		any |= more;
		/* with none known, INT tells whether there are others */
		if (err || !more || !c_can_order_next(&priv->rx.order))
			break;
	}

	/*
	 * INT points at an object that NEWDAT does not list: clear its IntPnd,
	 * or it would point there for ever.
	 */
	if (!err && !any && !more && pending)
		err = c_can_msgobj_clear_intpnd(priv, pending);
	if (err)
		c_can_dead(priv, "a message object transfer does not end");
	return any;
}

/**
 * c_can_rx_settle() - INT shows that no receive object is pending
 * @priv: interface
 *
 * So no frame has come since NEWDAT was sampled.
 *
 * Context: interrupt handler
 */
void c_can_rx_settle(struct c_can_priv *priv)
{
	c_can_order_settle(&priv->rx.order);
}

/**
 * c_can_rx_pause() - frames are left in the controller for a while
 * @priv: interface
 *
 * Context: interrupt handler
 */
void c_can_rx_pause(struct c_can_priv *priv)
{
	if (priv->rx.strict)
		c_can_rx_sample(priv, 0);
}

/**
 * c_can_rx_idle() - the controller has nothing more
 * @priv: interface
 *
 * Context: end of the interrupt handler
 */
void c_can_rx_idle(struct c_can_priv *priv)
{
	c_can_rx_settle(priv);
	if (priv->rx.deep)
		priv->rx.deep--;
}

static void c_can_rx_overrun(struct c_can_priv *priv)
{
	struct net_device_stats *stats = &priv->dev->stats;
	struct can_frame *cf = NULL;
	struct sk_buff *skb;

	priv->counters.rx_overruns++;
	stats->rx_over_errors++;
	stats->rx_errors++;

	skb = alloc_can_err_skb(priv->dev, &cf);
	if (!skb)
		return;
	cf->can_id |= CAN_ERR_CRTL;
	cf->data[1] = CAN_ERR_CRTL_RX_OVERFLOW;
	netif_receive_skb(skb);
}

static void c_can_rx_deliver_one(struct c_can_priv *priv, const struct c_can_frame *frame)
{
	struct net_device_stats *stats = &priv->dev->stats;
	struct can_frame *cf = NULL;
	struct sk_buff *skb;
	__le32 data[2];
	u8 len;

	skb = alloc_can_skb(priv->dev, &cf);
	if (!skb) {
		stats->rx_dropped++;
		priv->counters.rx_nomem++;
		return;
	}

	if (frame->arb & C_CAN_ARB_XTD)
		cf->can_id = (frame->arb & CAN_EFF_MASK) | CAN_EFF_FLAG;
	else
		cf->can_id = frame->arb >> C_CAN_ARB_STD_SHIFT & CAN_SFF_MASK;

	canpipe_frame_set_dlc(cf, priv->can.ctrlmode,
			      FIELD_GET(C_CAN_MCTRL_DLC_MASK, frame->mctrl));
	len = canpipe_frame_len(cf);

	if (frame->arb & C_CAN_ARB_DIR) {
		/* stored with the direction of a remote frame's answer */
		cf->can_id |= CAN_RTR_FLAG;
	} else {
		data[0] = cpu_to_le32(frame->data[0]);
		data[1] = cpu_to_le32(frame->data[1]);
		memcpy(cf->data, data, len);
		stats->rx_bytes += len;
	}
	stats->rx_packets++;
	netif_receive_skb(skb);
}

/**
 * c_can_rx_deliver() - hand the fetched frames to the stack
 * @priv: interface
 * @budget: no more than this
 *
 * A frame that says that others were overwritten is delivered itself, followed
 * by the overflow event.
 *
 * Context: the poll function
 * Return: number of frames delivered
 */
unsigned int c_can_rx_deliver(struct c_can_priv *priv, unsigned int budget)
{
	struct c_can_rx *rx = &priv->rx;
	/* pairs with the release in c_can_rx_fetch_one() */
	unsigned int head = smp_load_acquire(&rx->head), n;

	for (n = 0; n < budget && rx->tail != head; n++) {
		struct c_can_frame frame = rx->ring[rx->tail % C_CAN_RX_RING];

		/* pairs with the acquire in c_can_rx_full() */
		smp_store_release(&rx->tail, rx->tail + 1);

		c_can_rx_deliver_one(priv, &frame);
		if (frame.mctrl & C_CAN_MCTRL_MSGLST)
			c_can_rx_overrun(priv);
	}
	return n;
}
