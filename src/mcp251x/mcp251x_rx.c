// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the SPI messages to the stack
 *
 * Whoever owns the controller puts frames, echoes and errors into one ring, in their order; the
 * poll function delivers them. So a frame that was sent is echoed between the frames that came
 * before and after it.
 */

#include "mcp251x.h"

#include <linux/irqflags.h>
#include <linux/preempt.h>

/**
 * mcp251x_rx_reset() - forget what was not delivered
 * @priv: interface
 *
 * Context: process; the machine does not run, nor does the poll function
 */
void mcp251x_rx_reset(struct mcp251x_priv *priv)
{
	struct mcp251x_ring *ring = &priv->ring;

	ring->head = 0;
	ring->tail = 0;
	ring->lost = 0;
	ring->lost_seen = 0;
}

/**
 * mcp251x_rx_forget_tx() - forget what was not told of frames that were sent
 * @priv: interface
 *
 * Context: process; the machine does not run, nor does the poll function
 */
void mcp251x_rx_forget_tx(struct mcp251x_priv *priv)
{
	struct mcp251x_ring *ring = &priv->ring;
	unsigned int i;

	for (i = ring->tail; i != ring->head; i++) {
		struct mcp251x_event *event = &ring->event[i % MCP251X_RING];

		if (event->kind == MCP251X_EVENT_ECHO || event->kind == MCP251X_EVENT_TX_FAILED)
			event->kind = MCP251X_EVENT_NONE;
	}
}

static unsigned int mcp251x_ring_room(const struct mcp251x_ring *ring)
{
	/* pairs with the release in mcp251x_poll() */
	return MCP251X_RING - (ring->head - smp_load_acquire(&ring->tail));
}

/**
 * mcp251x_rx_event() - a frame was received
 * @priv: interface
 * @event: MCP251X_EVENT_RX or MCP251X_EVENT_RX_PLAIN
 * @time: see struct mcp251x_ring
 *
 * Context: any; the owner of the controller
 */
void mcp251x_rx_event(struct mcp251x_priv *priv, const struct mcp251x_event *event, u64 time)
{
	struct mcp251x_ring *ring = &priv->ring;

	if (unlikely(mcp251x_ring_room(ring) <= MCP251X_RING_RESERVED)) {
		priv->counters.rx_ring_full++;
		WRITE_ONCE(ring->lost, ring->lost + 1);
		return;
	}
	ring->event[ring->head % MCP251X_RING] = *event;
	ring->time[ring->head % MCP251X_RING] = time;
	/* pairs with the acquire in mcp251x_poll() */
	smp_store_release(&ring->head, ring->head + 1);
}

/**
 * mcp251x_rx_note() - something else has happened
 * @priv: interface
 * @kind: what
 * @arg: slot of a frame; of an error the flags of CANINTF
 * @eflg: of an error, EFLG
 * @tec: dito, transmit error counter
 * @rec: dito, receive error counter
 *
 * For frames that are under way there is always room.
 *
 * Context: any; the owner of the controller
 */
void mcp251x_rx_note(struct mcp251x_priv *priv, enum mcp251x_event_kind kind, u8 arg, u8 eflg,
		     u8 tec, u8 rec)
{
	struct mcp251x_ring *ring = &priv->ring;
	struct mcp251x_event *event = &ring->event[ring->head % MCP251X_RING];

	/* errors only, the state of which will be seen the next time */
	if (unlikely(mcp251x_ring_room(ring) <=
		     (kind == MCP251X_EVENT_ERROR ? MCP251X_TX_SLOTS : 0)))
		return;
	event->kind = kind;
	event->arg = arg;
	event->data[0] = eflg;
	event->data[1] = tec;
	event->data[2] = rec;
	/* pairs with the acquire in mcp251x_poll() */
	smp_store_release(&ring->head, ring->head + 1);
}

/**
 * mcp251x_rx_schedule() - let the poll function deliver
 * @priv: interface
 *
 * Context: any
 */
void mcp251x_rx_schedule(struct mcp251x_priv *priv)
{
	if (in_task() && !irqs_disabled()) {
		/* or nobody would run it before the next interrupt */
		local_bh_disable();
		napi_schedule(&priv->napi);
		local_bh_enable();
	} else {
		napi_schedule(&priv->napi);
	}
}

static void mcp251x_rx_frame(struct mcp251x_priv *priv, const u8 *buf, u64 time)
{
	struct net_device_stats *stats = &priv->dev->stats;
	u8 sidl = buf[MCP251X_BUF_SIDL], dlc = buf[MCP251X_BUF_DLC], len;
	struct can_frame *cf = NULL;
	struct sk_buff *skb;
	canid_t id;

	id = buf[MCP251X_BUF_SIDH] << 3 | sidl >> MCP251X_SIDL_SID_SHIFT;
	if (sidl & MCP251X_SIDL_IDE) {
		id = id << 18 | (sidl & MCP251X_SIDL_EID_MASK) << 16 |
		     buf[MCP251X_BUF_EID8] << 8 | buf[MCP251X_BUF_EID0] | CAN_EFF_FLAG;
		if (dlc & MCP251X_DLC_RTR)
			id |= CAN_RTR_FLAG;
	} else if (sidl & MCP251X_SIDL_SRR) {
		id |= CAN_RTR_FLAG;
	}
	if (priv->filter.check && !mcp251x_filter_match(&priv->filter, id)) {
		priv->counters.rx_filtered++;
		return;
	}
	/* our own frames come back, but the stack knows them from their echo */
	if (priv->can.ctrlmode & CAN_CTRLMODE_LOOPBACK) {
		stats->rx_packets++;
		return;
	}

	skb = alloc_can_skb(priv->dev, &cf);
	if (unlikely(!skb)) {
		stats->rx_dropped++;
		priv->counters.rx_nomem++;
		return;
	}
	cf->can_id = id;
	canpipe_frame_set_dlc(cf, priv->can.ctrlmode, dlc & MCP251X_DLC_MASK);
	if (!(id & CAN_RTR_FLAG)) {
		len = canpipe_frame_len(cf);
		memcpy(cf->data, buf + MCP251X_BUF_DATA, len);
		stats->rx_bytes += len;
	}
	stats->rx_packets++;
	skb->tstamp = ns_to_ktime(time);
	netif_receive_skb(skb);
}

static void mcp251x_rx_error(struct mcp251x_priv *priv, const struct mcp251x_event *event)
{
	const struct mcp251x_error error = {
		.canintf = event->arg,
		.eflg = event->data[0],
		.tec = event->data[1],
		.rec = event->data[2],
	};

	if (error.eflg & MCP251X_EFLG_OVR_MASK)
		mcp251x_error_overflow(priv);
	mcp251x_error_event(priv, &error);
}

static void mcp251x_rx_deliver(struct mcp251x_priv *priv, const struct mcp251x_event *event,
			       u64 time)
{
	switch (event->kind) {
	case MCP251X_EVENT_RX:
		mcp251x_rx_frame(priv, &event->arg, time);
		break;
	case MCP251X_EVENT_RX_PLAIN:
		mcp251x_rx_frame(priv, event->data, time);
		break;
	case MCP251X_EVENT_ECHO:
		mcp251x_tx_complete(priv, event->arg, true);
		break;
	case MCP251X_EVENT_TX_FAILED:
		mcp251x_tx_complete(priv, event->arg, false);
		break;
	case MCP251X_EVENT_ERROR:
		mcp251x_rx_error(priv, event);
		break;
	}
}

/**
 * mcp251x_poll() - the poll function
 * @napi: of the interface
 * @budget: deliver no more than this
 *
 * Context: NAPI
 * Return: what was delivered
 */
int mcp251x_poll(struct napi_struct *napi, int budget)
{
	struct mcp251x_priv *priv = container_of(napi, struct mcp251x_priv, napi);
	struct mcp251x_ring *ring = &priv->ring;
	unsigned int lost;
	int n;

	/* the acquire pairs with the releases in mcp251x_rx_event() and mcp251x_rx_note() */
	for (n = 0; n < budget && ring->tail != smp_load_acquire(&ring->head); n++) {
		struct mcp251x_event event = ring->event[ring->tail % MCP251X_RING];
		u64 time = ring->time[ring->tail % MCP251X_RING];

		/* pairs with the acquire in mcp251x_ring_room() */
		smp_store_release(&ring->tail, ring->tail + 1);
		mcp251x_rx_deliver(priv, &event, time);
	}

	lost = READ_ONCE(ring->lost);
	if (unlikely(lost != ring->lost_seen)) {
		/* one is counted there */
		priv->dev->stats.rx_over_errors += lost - ring->lost_seen - 1;
		priv->dev->stats.rx_errors += lost - ring->lost_seen - 1;
		ring->lost_seen = lost;
		mcp251x_error_overflow(priv);
	}

	/* the watch looks at the ring, but not at once */
	if (n < budget && napi_complete_done(napi, n) && ring->tail != READ_ONCE(ring->head))
		napi_schedule(napi);
	return n;
}
