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

/**
 * c_can_rx_reset() - forget the frames that were not delivered
 * @priv: interface
 *
 * Context: process, while neither interrupt handler nor poll function run
 */
void c_can_rx_reset(struct c_can_priv *priv)
{
	c_can_order_reset(&priv->rx.order);
	priv->rx.holding = 0;
	priv->rx.hold = 0;
	if (priv->rx.strict && !(priv->chip->quirks & C_CAN_QUIRK_TI))
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
 * Look at NEWDAT. Objects of an upper word only get frames while all below are
 * taken, so the upper words need no look unless the lower one is filling up.
 * The controller chooses the object up to one frame before it stores the
 * frame, hence the two interrupts that "deep" lasts.
 */
static void c_can_rx_sample(struct c_can_priv *priv, unsigned int pending)
{
	unsigned int width = c_can_set_width(priv);
	unsigned int words = DIV_ROUND_UP(priv->rx.count, width), w;
	u32 newdat[C_CAN_ORDER_WORDS] = {};

	if (pending > width)
		priv->rx.deep = 2;

	for (w = 0; w < words; w++) {
		u32 bits = c_can_read_set(priv, C_CAN_REG_NEWDAT, w);

		newdat[w * width / 32] |= bits << (w * width % 32);
		if (hweight32(bits) >= width / 4 * 3)
			priv->rx.deep = 2;
		if (!priv->rx.deep)
			break;
	}
	c_can_order_sample(&priv->rx.order, newdat, priv->rx.count);
}

/* Free the objects that were read, in that order. */
static int c_can_rx_free_held(struct c_can_priv *priv)
{
	struct c_can_rx *rx = &priv->rx;
	unsigned int n;
	int err = 0;

	for (n = 0; n < rx->holding && !err; n++) {
		c_can_order_release(&rx->order, rx->held[n]);
		err = c_can_msgobj_free(priv, rx->held[n]);
	}
	rx->holding = 0;
	return err;
}

/*
 * Read an object and leave it occupied. In the last one a frame may arrive
 * although it is full; MsgLst says so.
 */
static int c_can_rx_read_kept(struct c_can_priv *priv, unsigned int obj, struct c_can_frame *frame)
{
	int err;

	err = c_can_msgobj_read_begin(priv, obj, 0);
	if (!err)
		err = c_can_msgobj_read_end(priv, frame);
	if (err || !(frame->mctrl & C_CAN_MCTRL_MSGLST))
		return err;

	/* what was read may have been replaced until MsgLst is cleared */
	err = c_can_msgobj_clear_msglst(priv, obj);
	if (!err)
		err = c_can_msgobj_read_begin(priv, obj, 0);
	if (!err)
		err = c_can_msgobj_read_end(priv, frame);
	frame->mctrl |= C_CAN_MCTRL_MSGLST;
	return err;
}

/*
 * Which object is the oldest? With strict order NEWDAT is sampled right before
 * objects become free; interrupts are off in between also where this runs in a
 * thread, so that it stays "right before". If the oldest can be read and freed
 * by one transfer, that is started.
 */
static int c_can_rx_next(struct c_can_priv *priv, unsigned int pending, bool free,
			 unsigned int *obj)
{
	struct c_can_rx *rx = &priv->rx;
	bool full = rx->hold && rx->holding >= rx->hold;
	unsigned long flags;
	int err = 0;

	local_irq_save(flags);
	*obj = c_can_order_next(&rx->order);
	if (!*obj || full || (rx->strict && !rx->hold)) {
		c_can_rx_sample(priv, pending);
		*obj = c_can_order_next(&rx->order);
	}
	if (*obj && full)
		err = c_can_rx_free_held(priv);
	if (*obj && free && *obj != rx->count && !err) {
		c_can_order_release(&rx->order, *obj);
		err = c_can_msgobj_read_begin(priv, *obj, C_CAN_CMD_NEWDAT);
	}
	local_irq_restore(flags);
	return err;
}

/*
 * Fetch the oldest frame, in one of three ways: read and free in one transfer;
 * read, and free by another (the last object, and parts that lose frames by the
 * first way, C_CAN_QUIRK_SPLIT_CLEAR); read, and free later with others.
 */
static int c_can_rx_fetch_one(struct c_can_priv *priv, unsigned int pending, bool *more)
{
	struct c_can_rx *rx = &priv->rx;
	struct c_can_frame *frame = &rx->ring[rx->head % C_CAN_RX_RING];
	bool free = !rx->hold && !(priv->chip->quirks & C_CAN_QUIRK_SPLIT_CLEAR);
	unsigned int obj;
	int err;

	err = c_can_rx_next(priv, pending, free, &obj);
	*more = obj;
	if (err || !obj)
		return err;
	c_can_order_take(&rx->order);

	if (free && obj != rx->count) {
		err = c_can_msgobj_read_end(priv, frame);
	} else {
		err = c_can_rx_read_kept(priv, obj, frame);
		if (err)
			return err;
		if (rx->hold && obj != rx->count && frame->mctrl & C_CAN_MCTRL_NEWDAT) {
			rx->held[rx->holding++] = obj;
		} else {
			c_can_order_release(&rx->order, obj);
			err = c_can_msgobj_free(priv, obj);
		}
	}
	if (err)
		return err;

	/* NEWDAT may list an object that has nothing new */
	if (!(frame->mctrl & C_CAN_MCTRL_NEWDAT)) {
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
 *
 * Context: interrupt handler
 * Return: true if there was anything
 */
bool c_can_rx_fetch(struct c_can_priv *priv, unsigned int pending)
{
	bool any = false, more = true;
	int err = 0;

	while (!c_can_rx_full(priv)) {
		err = c_can_rx_fetch_one(priv, pending, &more);
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
 * c_can_rx_idle() - the controller has nothing more
 * @priv: interface
 *
 * Context: end of the interrupt handler
 */
void c_can_rx_idle(struct c_can_priv *priv)
{
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
