// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transmission: lockless from the transmit function to completion
 *
 * The transmit function (serialised by the queue's lock) owns IF2, the
 * transmit objects, and tx.head. The interrupt handler notes in tx.done what
 * was sent. The poll function owns completion and tx.tail. See struct c_can_tx
 * for the rules.
 */

#include "c_can.h"

#include <linux/bitfield.h>

/* The longest frame with its error frame and the pause after it, in bits */
#define C_CAN_FRAME_BITS_MAX	200

static struct c_can_frame c_can_tx_frame(const struct c_can_priv *priv, const struct can_frame *cf)
{
	struct c_can_frame frame = {};
	__le32 data[2];

	if (cf->can_id & CAN_EFF_FLAG)
		frame.arb = (cf->can_id & CAN_EFF_MASK) | C_CAN_ARB_XTD;
	else
		frame.arb = (cf->can_id & CAN_SFF_MASK) << C_CAN_ARB_STD_SHIFT;
	/* a receive object with a request sends a remote frame */
	if (!(cf->can_id & CAN_RTR_FLAG))
		frame.arb |= C_CAN_ARB_DIR;

	frame.mctrl = FIELD_PREP(C_CAN_MCTRL_DLC_MASK,
				 canpipe_frame_dlc(priv->can.ctrlmode, cf));
	memcpy(data, cf->data, sizeof(data));
	frame.data[0] = le32_to_cpu(data[0]);
	frame.data[1] = le32_to_cpu(data[1]);
	return frame;
}

/* May the next frame be written, or must others go first? */
static bool c_can_tx_blocked(const struct c_can_tx *tx, unsigned int head, unsigned int tail)
{
	if (head == tail)
		return false;
	if (tx->one_shot || head - tail >= tx->count)
		return true;
	return head - READ_ONCE(tx->open) >= tx->count + C_CAN_TX_STAGED;
}

/*
 * Write a frame and request it, if its lap is open. Else the interrupt handler
 * does that when the lap begins; which of the two, is decided under the lock.
 */
static int c_can_tx_write(struct c_can_priv *priv, unsigned int frame_no,
			  const struct c_can_frame *frame, bool invalidate)
{
	struct c_can_tx *tx = &priv->tx;
	unsigned int obj = tx->first + frame_no % tx->count;
	unsigned long flags;
	bool open;
	int err;

	/* pairs with the release in c_can_tx_next_lap() */
	if (likely(frame_no - smp_load_acquire(&tx->open) < tx->count))
		return c_can_msgobj_send(priv, obj, frame, true, invalidate);

	raw_spin_lock_irqsave(&tx->lock, flags);
	/* one-shot mode may have given up the last frame of the last lap */
	if (READ_ONCE(tx->tail) == frame_no)
		WRITE_ONCE(tx->open, frame_no - frame_no % tx->count);
	open = frame_no - tx->open < tx->count;
	err = c_can_msgobj_send(priv, obj, frame, open, invalidate);
	if (!err && !open)
		/* pairs with the acquire in c_can_tx_next_lap() */
		smp_store_release(&tx->staged, tx->staged + 1);
	raw_spin_unlock_irqrestore(&tx->lock, flags);
	return err;
}

/* A lap has ended: request what was staged, let the transmit function go on. */
static int c_can_tx_next_lap(struct c_can_priv *priv)
{
	struct c_can_tx *tx = &priv->tx;
	unsigned long flags;
	unsigned int n = 0;
	int err = 0;

	/*
	 * First of all, before the lock: the bus is idle in three bit times. Only
	 * this function takes frames off the stage. Pairs with the release in
	 * c_can_tx_write().
	 */
	if (smp_load_acquire(&tx->staged))
		err = c_can_msgobj_request(priv, tx->first + n++);

	raw_spin_lock_irqsave(&tx->lock, flags);
	for (; n < tx->staged && !err; n++)
		err = c_can_msgobj_request(priv, tx->first + n);
	tx->staged = 0;
	/* pairs with the acquire in c_can_tx_write() */
	smp_store_release(&tx->open, tx->open + tx->count);
	raw_spin_unlock_irqrestore(&tx->lock, flags);
	return err;
}

/**
 * c_can_start_xmit() - ndo_start_xmit
 * @skb: a CAN frame
 * @dev: net device
 *
 * Never returns NETDEV_TX_BUSY: the queue is stopped before there is no room.
 *
 * Context: BHs disabled, transmit queue locked
 * Return: NETDEV_TX_OK
 */
netdev_tx_t c_can_start_xmit(struct sk_buff *skb, struct net_device *dev)
{
	struct c_can_priv *priv = netdev_priv(dev);
	struct c_can_tx *tx = &priv->tx;
	unsigned int head = tx->head, index = head % tx->count;
	const struct can_frame *cf;
	struct c_can_frame frame;
	bool turn;

	/* what was sent has left IF2 */
	if (head == READ_ONCE(tx->tail)) {
		priv->if2.busy = false;
		WRITE_ONCE(tx->alone, head);
	/* pairs with the release in c_can_tx_idle() */
	} else if (head == smp_load_acquire(&tx->settled)) {
		priv->if2.busy = false;
	}

	if (canpipe_dropped_skb(dev, skb))
		return NETDEV_TX_OK;

	cf = (const struct can_frame *)skb->data;
	frame = c_can_tx_frame(priv, cf);
	turn = tx->valid & BIT(index) && !(tx->dir & BIT(index)) != !(frame.arb & C_CAN_ARB_DIR);
	tx->len[index] = skb->len;
	tx->bytes[index] = cf->can_id & CAN_RTR_FLAG ? 0 : canpipe_frame_len(cf);

	/* the skb is the echo's from here on */
	if (canpipe_put_echo_skb(skb, dev, index)) {
		dev->stats.tx_dropped++;
		return NETDEV_TX_OK;
	}
	tx->echo[index] = priv->can.echo_skb[index];
	netdev_sent_queue(dev, tx->len[index]);

	/* published before the request is: the write below is ordered after it */
	WRITE_ONCE(tx->head, ++head);

	if (c_can_tx_write(priv, head - 1, &frame, turn)) {
		/* counted when the interface is taken down */
		c_can_dead(priv, "a message object transfer does not end");
		return NETDEV_TX_OK;
	}
	/* pairs with the acquire in c_can_tx_done() */
	smp_store_release(&tx->written, head);
	tx->valid |= BIT(index);
	if (frame.arb & C_CAN_ARB_DIR)
		tx->dir |= BIT(index);
	else
		tx->dir &= ~BIT(index);

	if (c_can_tx_blocked(tx, head, READ_ONCE(tx->tail))) {
		netif_stop_queue(dev);
		/* pairs with the barrier in c_can_tx_advance() */
		smp_mb();
		if (!c_can_tx_blocked(tx, head, READ_ONCE(tx->tail)))
			netif_start_queue(dev);
	}
	return NETDEV_TX_OK;
}

/* One frame less under way; continue if the queue waits for that. */
static void c_can_tx_advance(struct c_can_priv *priv)
{
	struct c_can_tx *tx = &priv->tx;
	unsigned int tail = tx->tail;

	netdev_completed_queue(priv->dev, 1, tx->len[tail % tx->count]);
	tx->started_seen = false;

	/* the object and its len entry are the transmit function's again */
	smp_store_release(&tx->tail, ++tail);

	/* pairs with the barrier in c_can_start_xmit() */
	smp_mb();
	if (netif_queue_stopped(priv->dev) && !priv->dead &&
	    !c_can_tx_blocked(tx, READ_ONCE(tx->head), tail))
		netif_wake_queue(priv->dev);
}

/* A frame that is not sent. On a restart the core drops and counts the echoes. */
static void c_can_tx_drop(struct c_can_priv *priv, unsigned int index)
{
	if (priv->tx.echo[index] && !priv->can.echo_skb[index])
		return;
	canpipe_free_echo_skb(priv->dev, index);
	priv->dev->stats.tx_dropped++;
}

static void c_can_tx_one_shot_failed(struct c_can_priv *priv)
{
	c_can_tx_drop(priv, priv->tx.tail % priv->tx.count);
	priv->counters.tx_one_shot_failed++;
	priv->dev->stats.tx_aborted_errors++;
	priv->dev->stats.tx_errors++;
	c_can_tx_advance(priv);
}

/**
 * c_can_tx_done() - a frame was sent
 * @priv: interface
 * @obj: transmit object whose IntPnd is set
 *
 * Context: interrupt handler
 */
void c_can_tx_done(struct c_can_priv *priv, unsigned int obj)
{
	struct c_can_tx *tx = &priv->tx;
	unsigned int done = tx->done;
	bool valid;
	int err = 0;

	/* frames under way are sent in their order, so those before are done */
	done += ((obj - tx->first - done) & (tx->count - 1)) + 1;
	valid = (int)(READ_ONCE(tx->head) - done) >= 0;

	/*
	 * The controller takes commands in turn: the last IntPnd was cleared
	 * before this frame was written, let alone sent.
	 */
	if (valid && READ_ONCE(tx->alone) == done - 1)
		c_can_msgobj_cleared(priv);
	else if (priv->if1.clearing == obj)
		valid = false;	/* INT was read before that command had an effect */

	if (valid && done - tx->open == tx->count)
		err = c_can_tx_next_lap(priv);

	/* pairs with the release in c_can_start_xmit() */
	tx->cleared = smp_load_acquire(&tx->written);
	/* before the object is handed back: IF1's transfer precedes IF2's next */
	if (!err)
		err = c_can_msgobj_clear_intpnd(priv, obj);
	if (err)
		c_can_dead(priv, "a message object transfer does not end");
	else if (valid)
		/* pairs with the acquire in c_can_tx_complete() */
		smp_store_release(&tx->done, done);
}

/**
 * c_can_tx_idle() - nothing more to do for now
 * @priv: interface
 *
 * The controller takes the commands of both interfaces in turn: when IF1 is
 * known to be free, IF2 is done with what came before IF1's last command, and
 * the transmit function need not ask.
 *
 * If the last frame of a lap is all that is under way, its end will be followed
 * by the request of the next lap's first, within three bit times at the best.
 *
 * Context: end of the interrupt handler
 */
void c_can_tx_idle(struct c_can_priv *priv)
{
	struct c_can_tx *tx = &priv->tx;

	if (!priv->if1.busy)
		/* pairs with the acquire in c_can_start_xmit() */
		smp_store_release(&tx->settled, tx->cleared);

	if (READ_ONCE(tx->staged) && tx->done - tx->open == tx->count - 1)
		c_can_msgobj_prepare_request(priv);
}

/**
 * c_can_tx_complete() - echo and account for the frames that were sent
 * @priv: interface
 *
 * Context: the poll function
 */
void c_can_tx_complete(struct c_can_priv *priv)
{
	struct net_device_stats *stats = &priv->dev->stats;
	struct c_can_tx *tx = &priv->tx;
	/* pairs with the release in c_can_tx_done() */
	unsigned int done = smp_load_acquire(&tx->done), index;

	/* one-shot mode may have given up a frame that was not marked as done */
	while ((int)(done - tx->tail) > 0) {
		index = tx->tail % tx->count;
		stats->tx_packets++;
		stats->tx_bytes += tx->bytes[index];
		if (tx->echo[index])
			canpipe_get_echo_skb(priv->dev, index);
		c_can_tx_advance(priv);
	}
}

/**
 * c_can_tx_one_shot_check() - has one-shot mode given up a frame?
 * @priv: interface
 *
 * The controller clears TxRqst when the only attempt begins and leaves NewDat
 * set if it fails (Bosch C_CAN r1.2, 2.3.4), which looks the same as an attempt
 * that is still running. So a frame has failed when it still looks like this
 * one frame time after its begin was noticed.
 *
 * Context: the poll function
 */
void c_can_tx_one_shot_check(struct c_can_priv *priv)
{
	struct c_can_tx *tx = &priv->tx;
	unsigned int index = tx->tail % tx->count, bit = tx->first + index - 1;
	unsigned int width = c_can_set_width(priv), word = bit / width;
	u32 mask = BIT(bit % width), usecs;

	if (!tx->one_shot || READ_ONCE(tx->head) == tx->tail)
		return;

	/* not begun, done, or about to be seen as done */
	if (c_can_read_set(priv, C_CAN_REG_TXRQST, word) & mask ||
	    !(c_can_read_set(priv, C_CAN_REG_NEWDAT, word) & mask) ||
	    c_can_read_set(priv, C_CAN_REG_INTPND, word) & mask)
		return;

	if (!tx->started_seen) {
		tx->started_seen = true;
		usecs = DIV_ROUND_UP(C_CAN_FRAME_BITS_MAX * USEC_PER_SEC,
				     priv->can.bittiming.bitrate);
		schedule_delayed_work(&tx->one_shot_work, usecs_to_jiffies(usecs) + 1);
	} else if (!delayed_work_pending(&tx->one_shot_work)) {
		c_can_tx_one_shot_failed(priv);
	}
}

static void c_can_tx_one_shot_work(struct work_struct *work)
{
	struct c_can_priv *priv = container_of(to_delayed_work(work), struct c_can_priv,
					       tx.one_shot_work);

	local_bh_disable();
	napi_schedule(&priv->napi);
	local_bh_enable();
}

/**
 * c_can_tx_setup() - prepare the transmit side once
 * @priv: interface
 *
 * Context: probe
 */
void c_can_tx_setup(struct c_can_priv *priv)
{
	raw_spin_lock_init(&priv->tx.lock);
	INIT_DELAYED_WORK(&priv->tx.one_shot_work, c_can_tx_one_shot_work);
}

/**
 * c_can_tx_flush() - drop all frames that are under way, and count them
 * @priv: interface; the controller will not send them any more
 *
 * Context: neither the transmit function nor completion may run
 */
void c_can_tx_flush(struct c_can_priv *priv)
{
	struct c_can_tx *tx = &priv->tx;

	priv->counters.tx_flushed += tx->head - tx->tail;
	for (; tx->tail != tx->head; tx->tail++)
		c_can_tx_drop(priv, tx->tail % tx->count);

	/* all objects are invalid now, and used from the first one on */
	tx->alone = 0;
	tx->written = 0;
	tx->cleared = 0;
	tx->settled = 0;
	tx->open = 0;
	tx->staged = 0;
	tx->head = 0;
	tx->done = 0;
	tx->tail = 0;
	tx->valid = 0;
	tx->started_seen = false;
	netdev_reset_queue(priv->dev);
}
