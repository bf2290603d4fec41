// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reception: from the message objects to the stack
 *
 * All of this runs in the NAPI poll function, which owns IF1. Frames are
 * fetched in short batches and delivered between them: the controller's
 * objects are free again as early as possible, and NEWDAT is looked at often
 * enough to know the order of arrival (see c_can_order.c).
 */

#include "c_can.h"

#include <linux/bitfield.h>
#include <linux/irqflags.h>

/**
 * c_can_rx_reset() - forget the frames that were not fetched
 * @priv: interface
 *
 * Context: process, while the poll function does not run
 */
void c_can_rx_reset(struct c_can_priv *priv)
{
	c_can_order_reset(&priv->rx.order);
	priv->rx.deep = 0;
	priv->rx.batched = 0;
}

/*
 * Look at NEWDAT. Objects of an upper word only get frames while all below are
 * taken, so the upper words need no look unless the lower one is filling up.
 * The controller chooses the object up to one frame before it stores the
 * frame, hence the two polls that "deep" lasts.
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
		if (hweight32(bits) >= width / 4)
			priv->rx.deep = 2;
		if (!priv->rx.deep)
			break;
	}
	c_can_order_sample(&priv->rx.order, newdat, priv->rx.count);
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

/*
 * The object is read and then freed by a transfer of its own. This is how the
 * last object is served, where a frame may arrive although it is full, and how
 * all are on a part that loses frames otherwise (C_CAN_QUIRK_SPLIT_CLEAR).
 */
static int c_can_rx_fetch_split(struct c_can_priv *priv, unsigned int obj,
				struct c_can_frame *frame)
{
	unsigned long flags;
	bool overrun;
	int err;

	err = c_can_msgobj_read(priv, obj, frame);
	if (err)
		return err;

	overrun = frame->mctrl & C_CAN_MCTRL_MSGLST;
	if (overrun) {
		/* what was read may have been replaced until MsgLst is cleared */
		err = c_can_msgobj_clear_msglst(priv, obj);
		if (!err)
			err = c_can_msgobj_read(priv, obj, frame);
		if (err)
			return err;
		frame->mctrl |= C_CAN_MCTRL_MSGLST;
	}

	local_irq_save(flags);
	c_can_rx_sample(priv, 0);
	c_can_order_pop(&priv->rx.order);
	err = c_can_msgobj_free(priv, obj);
	local_irq_restore(flags);
	return err;
}

/* One transfer reads and frees; NEWDAT is sampled right before it. */
static int c_can_rx_fetch_one(struct c_can_priv *priv, unsigned int obj, struct c_can_frame *frame)
{
	unsigned long flags;
	int err;

	local_irq_save(flags);
	c_can_rx_sample(priv, 0);
	c_can_order_pop(&priv->rx.order);
	err = c_can_msgobj_read_begin(priv, obj, C_CAN_CMD_NEWDAT);
	local_irq_restore(flags);

	return err ?: c_can_msgobj_read_end(priv, frame);
}

/**
 * c_can_rx_fetch() - take frames out of the controller
 * @priv: interface
 * @pending: object that INT points at
 * @budget: fetch no more than this
 *
 * Frames go to priv->rx.batch, which is delivered when it is full.
 *
 * Context: the poll function
 * Return: number of frames fetched
 */
unsigned int c_can_rx_fetch(struct c_can_priv *priv, unsigned int pending, unsigned int budget)
{
	bool split = priv->chip->quirks & C_CAN_QUIRK_SPLIT_CLEAR, stale = false;
	struct c_can_rx *rx = &priv->rx;
	unsigned int fetched = 0, obj;
	int err;

	if (!c_can_order_next(&rx->order)) {
		c_can_rx_sample(priv, pending);
		stale = !c_can_order_next(&rx->order);
	}

	while (fetched < budget) {
		struct c_can_frame *frame = &rx->batch[rx->batched];

		obj = c_can_order_next(&rx->order);
		if (!obj)
			break;

		if (split || obj == rx->count)
			err = c_can_rx_fetch_split(priv, obj, frame);
		else
			err = c_can_rx_fetch_one(priv, obj, frame);
		if (err) {
			c_can_dead(priv, "a message object transfer does not end");
			break;
		}

		/* NEWDAT may list an object that has nothing new */
		if (!(frame->mctrl & C_CAN_MCTRL_NEWDAT)) {
			priv->counters.rx_stale++;
			continue;
		}

		fetched++;
		if (++rx->batched == C_CAN_RX_BATCH) {
			/* delivery takes long: what arrived until now is older */
			c_can_rx_sample(priv, 0);
			c_can_rx_deliver(priv);
		}
	}

	/*
	 * INT points at an object that NEWDAT does not list: clear its IntPnd,
	 * or it would point there for ever.
	 */
	if (stale && c_can_msgobj_clear_intpnd(priv, pending))
		c_can_dead(priv, "a message object transfer does not end");

	return fetched;
}

static void c_can_rx_deliver_one(struct c_can_priv *priv, const struct c_can_frame *frame)
{
	struct net_device_stats *stats = &priv->dev->stats;
	struct can_frame *cf = NULL;
	struct sk_buff *skb;
	u32 data[2];
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
		data[0] = (__force u32)cpu_to_le32(frame->data[0]);
		data[1] = (__force u32)cpu_to_le32(frame->data[1]);
		memcpy(cf->data, data, len);
		stats->rx_bytes += len;
	}
	stats->rx_packets++;
	netif_receive_skb(skb);
}

/**
 * c_can_rx_deliver() - hand the fetched frames to the stack
 * @priv: interface
 *
 * A frame that says that others were overwritten is delivered itself, followed
 * by the overflow event.
 *
 * Context: the poll function
 */
void c_can_rx_deliver(struct c_can_priv *priv)
{
	unsigned int n;

	for (n = 0; n < priv->rx.batched; n++) {
		c_can_rx_deliver_one(priv, &priv->rx.batch[n]);
		if (priv->rx.batch[n].mctrl & C_CAN_MCTRL_MSGLST)
			c_can_rx_overrun(priv);
	}
	priv->rx.batched = 0;
}

/**
 * c_can_rx_idle() - the controller has nothing more
 * @priv: interface
 *
 * Context: end of the poll function
 */
void c_can_rx_idle(struct c_can_priv *priv)
{
	if (priv->rx.deep)
		priv->rx.deep--;
}
