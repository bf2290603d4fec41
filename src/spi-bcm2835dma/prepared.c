// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prepared messages, for other drivers; see spi-bcm2835dma.h
 */

#include "bcm2835dma.h"

#include <linux/err.h>
#include <linux/module.h>

static struct bcm2835dma *bcm2835dma_of(const struct spi_device *spi)
{
	if (!bcm2835dma_is_ours(spi->controller))
		return NULL;
	return spi_controller_get_devdata(spi->controller);
}

static bool bcm2835dma_usable(struct spi_device *spi)
{
	struct bcm2835dma *b = bcm2835dma_of(spi);

	return b && b->rx && bcm2835dma_device(spi) && bcm2835dma_device(spi)->by_dma;
}

static void bcm2835dma_prepared_over(struct bcm2835dma_job *job)
{
	struct bcm2835dma_message *m = container_of(job, struct bcm2835dma_message, job);

	m->complete(m->context, job->status);
}

static int bcm2835dma_convert_all(struct bcm2835dma_message *m, const struct spi_transfer *xfers)
{
	unsigned int i;
	int err;

	for (i = 0; i < m->num; i++) {
		struct spi_transfer t = {
			.len = xfers[i].len,
			.speed_hz = xfers[i].speed_hz,
			.delay = xfers[i].delay,
			.cs_change = xfers[i].cs_change,
			.cs_change_delay = xfers[i].cs_change_delay,
		};

		if (m->job.spi->max_speed_hz && t.speed_hz > m->job.spi->max_speed_hz)
			t.speed_hz = m->job.spi->max_speed_hz;
		err = bcm2835dma_message_convert(m->b, m->job.spi, &t, &m->xfers[i]);
		if (err)
			return err;
		m->xfers[i].patch = t.len;
		m->bufs[i].len = t.len;
		m->bufs[i].copy_tx = xfers[i].tx_buf && t.len;
		m->bufs[i].copy_rx = xfers[i].rx_buf && t.len;
	}
	return 0;
}

static void bcm2835dma_copy_all(struct bcm2835dma_message *m, const struct spi_transfer *xfers)
{
	unsigned int i;

	for (i = 0; i < m->num; i++)
		if (m->bufs[i].tx)
			memcpy(m->bufs[i].tx, xfers[i].tx_buf, xfers[i].len);
}

static struct bcm2835dma_message *bcm2835dma_prepare(struct spi_device *spi,
						     const struct spi_transfer *xfers,
						     unsigned int num,
						     bcm2835dma_complete_t complete, void *context)
{
	struct bcm2835dma_message *m;
	struct bcm2835dma *b;
	int err;

	if (!bcm2835dma_usable(spi))
		return ERR_PTR(-EOPNOTSUPP);
	if (!num || !complete)
		return ERR_PTR(-EINVAL);

	b = bcm2835dma_of(spi);
	m = bcm2835dma_message_alloc(b, spi, BCM2835DMA_PREPARED, num, GFP_KERNEL);
	if (!m)
		return ERR_PTR(-ENOMEM);
	m->job.over = bcm2835dma_prepared_over;
	m->complete = complete;
	m->context = context;

	mutex_lock(&b->messages_lock);
	err = bcm2835dma_convert_all(m, xfers);
	if (!err)
		err = bcm2835dma_message_compile(m, GFP_KERNEL);
	if (!err)
		list_add_tail(&m->node, &b->messages);
	mutex_unlock(&b->messages_lock);
	if (err) {
		bcm2835dma_message_free(m);
		return ERR_PTR(err);
	}

	bcm2835dma_copy_all(m, xfers);
	return m;
}

static bool bcm2835dma_prepared_cancel(struct bcm2835dma_message *m)
{
	return bcm2835dma_cancel(m->b, &m->job);
}

static void bcm2835dma_unprepare(struct bcm2835dma_message *m)
{
	if (IS_ERR_OR_NULL(m))
		return;

	bcm2835dma_prepared_cancel(m);
	mutex_lock(&m->b->messages_lock);
	list_del(&m->node);
	mutex_unlock(&m->b->messages_lock);
	bcm2835dma_message_free(m);
}

static int bcm2835dma_run(struct bcm2835dma_message *m, bool silent)
{
	if (READ_ONCE(m->broken))
		return -EIO;
	return bcm2835dma_submit(m->b, &m->job, silent);
}

static int bcm2835dma_prepared_submit(struct bcm2835dma_message *m)
{
	return bcm2835dma_run(m, false);
}

static int bcm2835dma_submit_silent(struct bcm2835dma_message *m)
{
	return bcm2835dma_run(m, true);
}

static void bcm2835dma_prepared_look(struct bcm2835dma_message *m)
{
	bcm2835dma_finish(m->b, &m->job);
}

static bool bcm2835dma_busy(const struct bcm2835dma_message *m)
{
	/* pairs with bcm2835dma_report() */
	return smp_load_acquire(&m->job.state) != BCM2835DMA_IDLE;
}

static int bcm2835dma_set_len(struct bcm2835dma_message *m, unsigned int xfer, unsigned int len)
{
	unsigned long flags;
	int err;

	if (xfer >= m->num)
		return -EINVAL;
	if (bcm2835dma_busy(m))
		return -EBUSY;

	/* not while the chain is compiled anew */
	raw_spin_lock_irqsave(&m->b->queue.lock, flags);
	err = bcm2835dma_chain_set_len(&m->job.chain, &m->patches[xfer], len);
	if (!err)
		m->bufs[xfer].len = len;
	raw_spin_unlock_irqrestore(&m->b->queue.lock, flags);
	return err;
}

static void *bcm2835dma_tx(struct bcm2835dma_message *m, unsigned int xfer)
{
	return xfer < m->num ? m->bufs[xfer].tx : NULL;
}

static const void *bcm2835dma_rx(const struct bcm2835dma_message *m, unsigned int xfer)
{
	return xfer < m->num ? m->bufs[xfer].rx : NULL;
}

/**
 * bcm2835dma_messages_rebuild() - compile all prepared messages anew
 * @b: controller
 *
 * Context: process, with messages_lock held, by the owner of the SPI block
 */
void bcm2835dma_messages_rebuild(struct bcm2835dma *b)
{
	struct bcm2835dma_message *m;
	unsigned long flags;
	int err;

	list_for_each_entry(m, &b->messages, node) {
		raw_spin_lock_irqsave(&b->queue.lock, flags);
		err = bcm2835dma_message_rebuild(m);
		raw_spin_unlock_irqrestore(&b->queue.lock, flags);
		WRITE_ONCE(m->broken, err);
		if (err)
			dev_err(&m->job.spi->dev,
				"a prepared message does not fit any more (%pe): prepare it anew\n",
				ERR_PTR(err));
	}
}

const struct spi_bcm2835dma_ops spi_bcm2835dma = {
	.usable = bcm2835dma_usable,
	.prepare = bcm2835dma_prepare,
	.unprepare = bcm2835dma_unprepare,
	.submit = bcm2835dma_prepared_submit,
	.submit_silent = bcm2835dma_submit_silent,
	.look = bcm2835dma_prepared_look,
	.cancel = bcm2835dma_prepared_cancel,
	.busy = bcm2835dma_busy,
	.set_len = bcm2835dma_set_len,
	.tx = bcm2835dma_tx,
	.rx = bcm2835dma_rx,
};
EXPORT_SYMBOL_GPL(spi_bcm2835dma);
