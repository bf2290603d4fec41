// SPDX-License-Identifier: GPL-2.0-only
/*
 * The core clock, from which SCLK is divided
 *
 * The firmware lowers it without telling Linux when there is little to do, and brings it back
 * to the rate that was reported at probe. Dividers are for that rate: SCLK is never faster than
 * asked for, and slower while the clock is low. Changes that Linux itself makes are followed.
 */

#include "bcm2835dma.h"

#include <linux/clk.h>

/**
 * bcm2835dma_set_limits() - change what chains are compiled for
 * @b: controller
 * @core_hz: core clock
 * @spi_cs: polarities of the native chip selects
 *
 * Prepared messages are compiled anew. Ordinary ones that wait are given back, to be
 * compiled anew by those who wait for them.
 *
 * Context: process, may sleep
 */
void bcm2835dma_set_limits(struct bcm2835dma *b, u32 core_hz, u32 spi_cs)
{
	struct bcm2835dma_turn turn;
	unsigned long flags;

	mutex_lock(&b->messages_lock);
	bcm2835dma_acquire(b, &turn, NULL);

	b->limits.core_hz = core_hz;
	b->limits.spi_cs = spi_cs;
	b->ctlr->max_speed_hz = core_hz / 2;
	b->ctlr->min_speed_hz = DIV_ROUND_UP(core_hz, BCM2835_SPI_CLK_MAX);
	/* who sees the new epoch sees the new limits, see bcm2835dma_message_compile() */
	smp_wmb();
	raw_spin_lock_irqsave(&b->queue.lock, flags);
	WRITE_ONCE(b->queue.epoch, b->queue.epoch + 1);
	raw_spin_unlock_irqrestore(&b->queue.lock, flags);

	bcm2835dma_flush(b, -EAGAIN, false);
	bcm2835dma_messages_rebuild(b);

	bcm2835dma_release(b, &turn);
	mutex_unlock(&b->messages_lock);
}

static void bcm2835dma_set_rate(struct bcm2835dma *b, unsigned long hz)
{
	if (!hz || hz == b->limits.core_hz)
		return;
	dev_dbg(b->dev, "core clock %u Hz -> %lu Hz\n", b->limits.core_hz, hz);
	bcm2835dma_set_limits(b, hz, b->limits.spi_cs);
}

/* Faster: before it happens. Slower: afterwards. */
static int bcm2835dma_clock_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	struct bcm2835dma *b = container_of(nb, struct bcm2835dma, clk_nb);
	struct clk_notifier_data *change = data;

	switch (event) {
	case PRE_RATE_CHANGE:
		if (change->new_rate > b->limits.core_hz)
			bcm2835dma_set_rate(b, change->new_rate);
		break;
	case POST_RATE_CHANGE:
		bcm2835dma_set_rate(b, change->new_rate);
		break;
	case ABORT_RATE_CHANGE:
		bcm2835dma_set_rate(b, change->old_rate);
		break;
	}
	return NOTIFY_OK;
}

static void bcm2835dma_clock_forget(void *data)
{
	struct bcm2835dma *b = data;

	clk_notifier_unregister(b->clk, &b->clk_nb);
}

/**
 * bcm2835dma_clock_init() - get the clock and learn of its changes
 * @b: controller
 *
 * Context: probe
 * Return: 0 or a negative error
 */
int bcm2835dma_clock_init(struct bcm2835dma *b)
{
	unsigned long hz;
	int err;

	b->clk = devm_clk_get_enabled(b->dev, NULL);
	if (IS_ERR(b->clk))
		return dev_err_probe(b->dev, PTR_ERR(b->clk), "no clock\n");

	hz = clk_get_rate(b->clk);
	if (hz < 1000000 || hz > 2000000000)
		return dev_err_probe(b->dev, -EINVAL, "the clock's rate, %lu Hz, makes no sense\n",
				     hz);
	bcm2835dma_set_rate(b, hz);

	b->clk_nb.notifier_call = bcm2835dma_clock_notify;
	err = clk_notifier_register(b->clk, &b->clk_nb);
	if (err)
		return dev_err_probe(b->dev, err, "cannot watch the clock\n");
	return devm_add_action_or_reset(b->dev, bcm2835dma_clock_forget, b);
}

/**
 * bcm2835dma_clock_check() - the clock may have changed unnoticed
 * @b: controller
 *
 * Context: process, may sleep
 */
void bcm2835dma_clock_check(struct bcm2835dma *b)
{
	bcm2835dma_set_rate(b, clk_get_rate(b->clk));
}
