// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transmission: from the transmit function to the echo
 *
 * The transmit function (serialised by the queue's lock) puts frames into slots and owns tx.head.
 * Whoever owns the controller moves them to its three buffers, tx.next being the first that is not
 * there yet. The poll function completes them, in their order, and owns tx.tail.
 */

#include "mcp251x.h"

static void mcp251x_tx_frame(const struct mcp251x_priv *priv, const struct can_frame *cf, u8 *buf)
{
	u32 sid = cf->can_id & CAN_SFF_MASK;

	memset(buf, 0, MCP251X_BUF_SIZE);
	if (cf->can_id & CAN_EFF_FLAG) {
		sid = (cf->can_id & CAN_EFF_MASK) >> 18;
		buf[MCP251X_BUF_SIDL] = MCP251X_SIDL_IDE |
					(cf->can_id >> 16 & MCP251X_SIDL_EID_MASK);
		buf[MCP251X_BUF_EID8] = cf->can_id >> 8;
		buf[MCP251X_BUF_EID0] = cf->can_id;
	}
	buf[MCP251X_BUF_SIDH] = sid >> 3;
	buf[MCP251X_BUF_SIDL] |= sid << MCP251X_SIDL_SID_SHIFT;
	buf[MCP251X_BUF_DLC] = canpipe_frame_dlc(priv->can.ctrlmode, cf);
	if (cf->can_id & CAN_RTR_FLAG)
		buf[MCP251X_BUF_DLC] |= MCP251X_DLC_RTR;
	else
		memcpy(buf + MCP251X_BUF_DATA, cf->data, canpipe_frame_len(cf));
}

static bool mcp251x_tx_full(const struct mcp251x_tx *tx, unsigned int head, unsigned int tail)
{
	return head - tail >= (tx->one_shot ? 1 : MCP251X_TX_SLOTS);
}

/**
 * mcp251x_start_xmit() - ndo_start_xmit
 * @skb: a CAN frame
 * @dev: net device
 *
 * Never returns NETDEV_TX_BUSY: the queue is stopped before there is no room.
 *
 * Context: BHs disabled, transmit queue locked
 * Return: NETDEV_TX_OK
 */
netdev_tx_t mcp251x_start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct mcp251x_priv *priv = netdev_priv(dev);
	struct mcp251x_tx *tx = &priv->tx;
	unsigned int head = tx->head, slot = head % MCP251X_TX_SLOTS;
	const struct can_frame *cf;

	if (canpipe_dropped_skb(dev, skb))
		return NETDEV_TX_OK;

	cf = (const struct can_frame *)skb->data;
	mcp251x_tx_frame(priv, cf, tx->frame[slot]);
	tx->len[slot] = skb->len;
	tx->bytes[slot] = cf->can_id & CAN_RTR_FLAG ? 0 : canpipe_frame_len(cf);

	/* the skb is the echo's from here on */
	if (canpipe_put_echo_skb(skb, dev, slot)) {
		dev->stats.tx_dropped++;
		return NETDEV_TX_OK;
	}
	tx->echo[slot] = priv->can.echo_skb[slot];
	netdev_sent_queue(dev, tx->len[slot]);

	if (mcp251x_tx_full(tx, head + 1, READ_ONCE(tx->tail)))
		netif_stop_queue(dev);
	/* pairs with the acquire in mcp251x_irq_choose() */
	smp_store_release(&tx->head, head + 1);
	mcp251x_irq_frame(priv);

	if (netif_queue_stopped(dev)) {
		/* pairs with the barrier in mcp251x_tx_complete() */
		smp_mb();
		if (!mcp251x_tx_full(tx, head + 1, READ_ONCE(tx->tail)))
			netif_start_queue(dev);
	}
	return NETDEV_TX_OK;
}

/* A frame that is not sent. On a restart the core drops and counts the echoes. */
static void mcp251x_tx_drop(struct mcp251x_priv *priv, unsigned int slot)
{
	if (priv->tx.echo[slot] && !priv->can.echo_skb[slot])
		return;
	canpipe_free_echo_skb(priv->dev, slot);
	priv->dev->stats.tx_dropped++;
}

/**
 * mcp251x_tx_complete() - a frame was sent, or will never be
 * @priv: interface
 * @slot: its slot, that of the oldest one under way
 * @sent: it was sent
 *
 * Context: the poll function
 */
void mcp251x_tx_complete(struct mcp251x_priv *priv, unsigned int slot, bool sent)
{
	struct net_device_stats *stats = &priv->dev->stats;
	struct mcp251x_tx *tx = &priv->tx;
	unsigned int tail = tx->tail;

	if (sent) {
		stats->tx_packets++;
		stats->tx_bytes += tx->bytes[slot];
		if (tx->echo[slot])
			canpipe_get_echo_skb(priv->dev, slot);
	} else {
		mcp251x_tx_drop(priv, slot);
		priv->counters.tx_one_shot_failed++;
		stats->tx_aborted_errors++;
		stats->tx_errors++;
	}
	netdev_completed_queue(priv->dev, 1, tx->len[slot]);

	/* the slot is the transmit function's again */
	smp_store_release(&tx->tail, ++tail);
	/* pairs with the barrier in mcp251x_start_xmit() */
	smp_mb();
	if (netif_queue_stopped(priv->dev) && !priv->machine.plan.halt &&
	    !mcp251x_tx_full(tx, READ_ONCE(tx->head), tail))
		netif_wake_queue(priv->dev);
}

/**
 * mcp251x_tx_setup() - prepare the transmit side once
 * @priv: interface
 *
 * Byte queue limits let no more frames wait than keep the controller busy. One beside those in its
 * buffers shall: then the message that clears a buffer's interrupt fills it again.
 *
 * Context: probe
 */
void mcp251x_tx_setup(struct mcp251x_priv *priv)
{
#ifdef CONFIG_BQL
	netdev_get_tx_queue(priv->dev, 0)->dql.min_limit = MCP251X_TXB_COUNT * CAN_MTU;
#endif
}

/**
 * mcp251x_tx_flush() - drop all frames that are under way, and count them
 * @priv: interface; the controller will not send them any more
 *
 * Context: process; neither the transmit function nor the poll function nor the machine may run
 */
void mcp251x_tx_flush(struct mcp251x_priv *priv)
{
	struct mcp251x_tx *tx = &priv->tx;

	mcp251x_rx_forget_tx(priv);
	priv->counters.tx_flushed += tx->head - tx->tail;
	for (; tx->tail != tx->head; tx->tail++)
		mcp251x_tx_drop(priv, tx->tail % MCP251X_TX_SLOTS);
	tx->head = 0;
	tx->next = 0;
	tx->tail = 0;
	netdev_reset_queue(priv->dev);
}
