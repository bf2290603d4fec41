// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compiled messages of the SPI core's clients, to be used again
 *
 * Clients send messages of few shapes: some lengths, speeds, delays, whatever the bytes are.
 * What was compiled for a shape is kept with the SPI device and used for all
 * messages of that shape, as the bytes are copied; those that are under way at the same time
 * need one each. A message that was optimised by its client (spi_optimize_message())
 * holds a reference, so that it is never compiled again.
 */

#include "bcm2835dma.h"

#include <linux/dma-mapping.h>

/* Shapes that are kept for a device, apart from those that are referred to */
#define BCM2835DMA_CACHE_MAX	8

static u32 bcm2835dma_pack_delay(struct spi_delay delay)
{
	return delay.value | delay.unit << 16;
}

/**
 * bcm2835dma_shape_of() - what a transfer is compiled from
 * @t: transfer
 *
 * Context: any
 * Return: all of it, apart from its memory
 */
struct bcm2835dma_shape bcm2835dma_shape_of(const struct spi_transfer *t)
{
	return (struct bcm2835dma_shape) {
		.len = t->len,
		.speed_hz = t->speed_hz,
		.delay = bcm2835dma_pack_delay(canpipe_spi_xfer_delay(t)),
		.cs_change_delay = bcm2835dma_pack_delay(t->cs_change_delay),
		.word_delay = bcm2835dma_pack_delay(t->word_delay),
		.flags = t->cs_change | canpipe_spi_xfer_cs_off(t) << 1,
	};
}

static bool bcm2835dma_same_shape(const struct bcm2835dma_message *m,
				  const struct spi_message *msg)
{
	struct bcm2835dma_shape shape;
	struct spi_transfer *t;
	unsigned int i = 0;

	list_for_each_entry(t, &msg->transfers, transfer_list) {
		if (i == m->num)
			return false;
		shape = bcm2835dma_shape_of(t);
		if (memcmp(&shape, &m->shapes[i], sizeof(shape)))
			return false;
		i++;
	}
	return i == m->num;
}

/**
 * bcm2835dma_fresh() - does what a message was compiled for still hold?
 * @m: compiled message
 *
 * Context: any
 * Return: true if it can be used as it is
 */
bool bcm2835dma_fresh(const struct bcm2835dma_message *m)
{
	return m->mode == bcm2835dma_device(m->job.spi)->chip.mode &&
	       m->job.epoch == READ_ONCE(m->b->queue.epoch);
}

/* With the cache's lock held: move what is not to be kept to @drop. */
static void bcm2835dma_cache_trim(struct bcm2835dma_device *device, struct list_head *drop)
{
	struct bcm2835dma_message *m, *next;
	unsigned int kept = 0;

	list_for_each_entry_safe(m, next, &device->cache, node) {
		if (m->refs)
			continue;
		if (++kept > BCM2835DMA_CACHE_MAX || !bcm2835dma_fresh(m))
			list_move(&m->node, drop);
	}
}

static void bcm2835dma_cache_drop(struct list_head *drop)
{
	struct bcm2835dma_message *m, *next;

	list_for_each_entry_safe(m, next, drop, node)
		bcm2835dma_message_free(m);
}

/**
 * bcm2835dma_cache_get() - look for what was compiled for such a message
 * @b: controller
 * @msg: message
 * @unused: it must not carry a message's bytes, as it shall carry those of @msg. As
 *	transfer_one_message(): one at a time
 *
 * Context: any but hard irq with PREEMPT_RT
 * Return: compiled message, to be given to bcm2835dma_cache_put(), or NULL
 */
struct bcm2835dma_message *bcm2835dma_cache_get(struct bcm2835dma *b,
						const struct spi_message *msg, bool unused)
{
	struct bcm2835dma_device *device = bcm2835dma_device(msg->spi);
	struct bcm2835dma_message *m, *found = NULL;
	unsigned long flags;

	spin_lock_irqsave(&b->cache_lock, flags);
	list_for_each_entry(m, &device->cache, node) {
		if (unused && m->msg)
			continue;
		if (!bcm2835dma_fresh(m) || !bcm2835dma_same_shape(m, msg))
			continue;
		found = m;
		found->refs++;
		list_move(&found->node, &device->cache);
		break;
	}
	spin_unlock_irqrestore(&b->cache_lock, flags);
	return found;
}

/**
 * bcm2835dma_cache_add() - keep a compiled message
 * @m: the message; the caller refers to it until bcm2835dma_cache_put()
 *
 * Context: any but hard irq with PREEMPT_RT
 */
void bcm2835dma_cache_add(struct bcm2835dma_message *m)
{
	struct bcm2835dma_device *device = bcm2835dma_device(m->job.spi);
	unsigned long flags;
	LIST_HEAD(drop);

	spin_lock_irqsave(&m->b->cache_lock, flags);
	m->refs = 1;
	list_add(&m->node, &device->cache);
	bcm2835dma_cache_trim(device, &drop);
	spin_unlock_irqrestore(&m->b->cache_lock, flags);
	bcm2835dma_cache_drop(&drop);
}

/**
 * bcm2835dma_cache_hold() - refer to a compiled message once more
 * @m: the message, which somebody refers to
 *
 * Context: any but hard irq with PREEMPT_RT
 */
void bcm2835dma_cache_hold(struct bcm2835dma_message *m)
{
	unsigned long flags;

	spin_lock_irqsave(&m->b->cache_lock, flags);
	m->refs++;
	spin_unlock_irqrestore(&m->b->cache_lock, flags);
}

/**
 * bcm2835dma_cache_put() - a compiled message is not referred to any more
 * @m: the message
 *
 * Context: any but hard irq with PREEMPT_RT
 */
void bcm2835dma_cache_put(struct bcm2835dma_message *m)
{
	struct bcm2835dma *b = m->b;
	unsigned long flags;
	bool drop;

	spin_lock_irqsave(&b->cache_lock, flags);
	drop = !--m->refs && m->orphan;
	spin_unlock_irqrestore(&b->cache_lock, flags);
	if (drop)
		bcm2835dma_message_free(m);
}

/**
 * bcm2835dma_cache_clear() - a device goes away
 * @b: controller
 * @device: SPI device; a client that is still at it keeps what it uses
 *
 * Context: process
 */
void bcm2835dma_cache_clear(struct bcm2835dma *b, struct bcm2835dma_device *device)
{
	struct bcm2835dma_message *m, *next;
	unsigned long flags;
	LIST_HEAD(drop);

	spin_lock_irqsave(&b->cache_lock, flags);
	list_for_each_entry_safe(m, next, &device->cache, node) {
		m->orphan = true;
		if (m->refs)
			list_del_init(&m->node);
		else
			list_move(&m->node, &drop);
	}
	spin_unlock_irqrestore(&b->cache_lock, flags);
	bcm2835dma_cache_drop(&drop);
}
