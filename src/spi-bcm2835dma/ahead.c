// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages that wait in the SPI core's queue
 *
 * The core hands over one message at a time, and the next one when that has been finished:
 * the bus stands still until then. Its queue can be looked at, though. The core takes nothing out
 * of it while a message is under way (its cur_msg or its io_mutex keep it from that), so those
 * that wait are known, and stay what they are. They are submitted, too, and the chain goes on
 * with them: when the core hands one over, it is under way or over already.
 *
 * Not while there are prepared messages, which want to be next: not behind all that others have
 * to say.
 */

#include "bcm2835dma.h"

/* The first message in the core's queue that has not been taken yet. */
static struct spi_message *bcm2835dma_ahead_next(struct bcm2835dma *b)
{
	struct spi_controller *ctlr = b->ctlr;
	struct list_head *pos = &ctlr->queue;
	struct spi_message *next = NULL;
	unsigned long flags;

	/* what was taken is still in the queue, in the same order */
	if (!list_empty(&b->ahead))
		pos = &list_last_entry(&b->ahead, struct bcm2835dma_message, ahead)->msg->queue;

	spin_lock_irqsave(&ctlr->queue_lock, flags);
	if (!list_is_last(pos, &ctlr->queue))
		next = list_entry(pos->next, struct spi_message, queue);
	spin_unlock_irqrestore(&ctlr->queue_lock, flags);
	return next;
}

static bool bcm2835dma_ahead_may(struct bcm2835dma *b)
{
	struct bcm2835dma_message *m;

	/* a hint; without a lock */
	if (b->num_ahead >= BCM2835DMA_AHEAD_MAX || !list_empty(&b->messages))
		return false;
	/* one that has to be compiled anew must not be overtaken */
	list_for_each_entry(m, &b->ahead, ahead)
		/* pairs with bcm2835dma_report() */
		if (smp_load_acquire(&m->job.state) == BCM2835DMA_IDLE && m->job.status)
			return false;
	return true;
}

static int bcm2835dma_ahead_take(struct bcm2835dma *b, struct spi_message *msg)
{
	struct bcm2835dma_message *m;
	int err;

	if (!bcm2835dma_device(msg->spi) || !bcm2835dma_by_dma(b, msg))
		return -EOPNOTSUPP;
	m = bcm2835dma_transfer_claim(b, msg, false, GFP_NOWAIT | __GFP_NOWARN);
	if (IS_ERR(m))
		return PTR_ERR(m);
	err = bcm2835dma_transfer_submit(m);
	if (err) {
		bcm2835dma_transfer_put(m);
		return err;
	}
	list_add_tail(&m->ahead, &b->ahead);
	b->num_ahead++;
	return 0;
}

/**
 * bcm2835dma_look_ahead() - submit what waits in the SPI core's queue, as far as possible
 * @b: controller
 *
 * Context: in transfer_one_message()
 */
void bcm2835dma_look_ahead(struct bcm2835dma *b)
{
	struct spi_message *msg;
	unsigned int n = 0;

	while (bcm2835dma_ahead_may(b)) {
		msg = bcm2835dma_ahead_next(b);
		if (!msg || bcm2835dma_ahead_take(b, msg))
			break;
		n++;
	}
	if (n)
		bcm2835dma_stats_add(b, &b->stats.ahead, n);
}

static void bcm2835dma_ahead_del(struct bcm2835dma *b, struct bcm2835dma_message *m)
{
	list_del_init(&m->ahead);
	b->num_ahead--;
}

/**
 * bcm2835dma_ahead_get() - the core hands over a message: is it under way already?
 * @b: controller
 * @msg: message
 *
 * Context: in transfer_one_message()
 * Return: what was submitted for it, or NULL
 */
struct bcm2835dma_message *bcm2835dma_ahead_get(struct bcm2835dma *b,
						const struct spi_message *msg)
{
	struct bcm2835dma_message *m;

	list_for_each_entry(m, &b->ahead, ahead) {
		if (m->msg != msg)
			continue;
		bcm2835dma_ahead_del(b, m);
		return m;
	}
	return NULL;
}

/**
 * bcm2835dma_ahead_drop() - take back what was submitted for a device
 * @b: controller
 * @spi: device that goes away, NULL: all
 *
 * Context: process, with the controller's io_mutex held, or without any queue
 */
void bcm2835dma_ahead_drop(struct bcm2835dma *b, const struct spi_device *spi)
{
	struct bcm2835dma_message *m, *next;

	list_for_each_entry_safe(m, next, &b->ahead, ahead) {
		if (spi && m->job.spi != spi)
			continue;
		bcm2835dma_ahead_del(b, m);
		bcm2835dma_cancel(b, &m->job);
		bcm2835dma_transfer_put(m);
	}
}
