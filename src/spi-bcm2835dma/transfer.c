// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages of the SPI core
 *
 * Short ones are copied to and from coherent memory; each transfer gets room in both
 * directions there, whether its client wants it or not, so that adjoining ones become
 * one, and messages of the same shape are the same to the compiler. Long buffers are
 * mapped. What DMA cannot do is done by the CPU.
 */

#include "bcm2835dma.h"

#include <linux/dma-mapping.h>
#include <linux/mm.h>
#include <linux/sched/task_stack.h>

/* Messages up to this length are copied as a whole */
#define BCM2835DMA_COPY_MESSAGE		1024
/* In longer ones: transfers up to this length; and buffers that cannot be mapped */
#define BCM2835DMA_COPY_TRANSFER	256
#define BCM2835DMA_COPY_ODD		4096

static void bcm2835dma_transfer_over(struct bcm2835dma_job *job)
{
	complete(&container_of(job, struct bcm2835dma_message, job)->done);
}

static bool bcm2835dma_mappable(const void *buf)
{
	return !buf || (virt_addr_valid(buf) && !object_is_on_stack(buf));
}

/* Choose between copy and mapping for a transfer of a long message. */
static int bcm2835dma_transfer_memory(struct bcm2835dma *b, const struct spi_transfer *t,
				      struct bcm2835dma_buf *buf)
{
	bool mappable = bcm2835dma_mappable(t->tx_buf) && bcm2835dma_mappable(t->rx_buf);

	if (t->len <= BCM2835DMA_COPY_TRANSFER || (!mappable && t->len <= BCM2835DMA_COPY_ODD)) {
		buf->copy_tx = t->tx_buf;
		buf->copy_rx = t->rx_buf;
		return 0;
	}
	if (!mappable)
		return -EOPNOTSUPP;

	if (t->tx_buf) {
		dma_addr_t addr = dma_map_single(b->dev, (void *)t->tx_buf, t->len, DMA_TO_DEVICE);

		if (dma_mapping_error(b->dev, addr))
			return -EOPNOTSUPP;
		buf->tx_map = addr;
	}
	if (t->rx_buf) {
		dma_addr_t addr = dma_map_single(b->dev, t->rx_buf, t->len, DMA_FROM_DEVICE);

		if (dma_mapping_error(b->dev, addr))
			return -EOPNOTSUPP;
		buf->rx_map = addr;
	}
	return 0;
}

static void bcm2835dma_transfer_free(struct bcm2835dma_message *m)
{
	struct bcm2835dma *b = m->b;
	unsigned int i;

	for (i = 0; i < m->num; i++) {
		struct bcm2835dma_buf *buf = &m->bufs[i];

		if (buf->tx_map)
			dma_unmap_single(b->dev, buf->tx_map, buf->len, DMA_TO_DEVICE);
		if (buf->rx_map)
			dma_unmap_single(b->dev, buf->rx_map, buf->len, DMA_FROM_DEVICE);
	}
	bcm2835dma_message_free(m);
}

/* Compile a message; a long one only if it may be mapped now. */
static struct bcm2835dma_message *bcm2835dma_transfer_compile(struct bcm2835dma *b,
							      struct spi_message *msg, bool map,
							      gfp_t gfp)
{
	struct bcm2835dma_message *m;
	struct spi_transfer *t;
	unsigned int num = 0, i = 0;
	size_t bytes = 0;
	int err;

	list_for_each_entry(t, &msg->transfers, transfer_list) {
		num++;
		bytes += t->len;
	}
	if (bytes > BCM2835DMA_COPY_MESSAGE && !map)
		return ERR_PTR(-EOPNOTSUPP);

	m = bcm2835dma_message_alloc(b, msg->spi, BCM2835DMA_ORDINARY, num, gfp);
	if (!m)
		return ERR_PTR(-ENOMEM);
	m->job.over = bcm2835dma_transfer_over;

	list_for_each_entry(t, &msg->transfers, transfer_list) {
		struct bcm2835dma_buf *buf = &m->bufs[i];

		err = bcm2835dma_message_convert(b, msg->spi, t, &m->xfers[i]);
		if (err)
			goto err_free;
		m->shapes[i++] = bcm2835dma_shape_of(t);
		buf->effective_hz = t->effective_speed_hz;
		buf->len = t->len;
		buf->copy_tx = bytes <= BCM2835DMA_COPY_MESSAGE;
		buf->copy_rx = bytes <= BCM2835DMA_COPY_MESSAGE;
		if (bytes > BCM2835DMA_COPY_MESSAGE)
			err = bcm2835dma_transfer_memory(b, t, buf);
		if (err)
			goto err_free;
	}
	err = bcm2835dma_message_compile(m, gfp);
	if (err)
		goto err_free;
	return m;

err_free:
	bcm2835dma_transfer_free(m);
	return ERR_PTR(err);
}

static void bcm2835dma_copy_in(struct bcm2835dma_message *m, struct spi_message *msg)
{
	struct bcm2835dma_buf *buf = m->bufs;
	struct spi_transfer *t;

	list_for_each_entry(t, &msg->transfers, transfer_list) {
		if (t->tx_buf && buf->copy_tx) {
			memcpy(buf->tx, t->tx_buf, t->len);
			buf->dirty = true;
		} else if (buf->dirty) {
			/* a message of the same shape had something to send here */
			memset(buf->tx, 0, t->len);
			buf->dirty = false;
		}
		buf++;
	}
}

static void bcm2835dma_copy_out(struct bcm2835dma_message *m, struct spi_message *msg)
{
	struct bcm2835dma_buf *buf = m->bufs;
	struct spi_transfer *t;

	list_for_each_entry(t, &msg->transfers, transfer_list) {
		if (t->rx_buf && buf->copy_rx)
			memcpy(t->rx_buf, buf->rx, t->len);
		t->effective_speed_hz = buf->effective_hz;
		buf++;
	}
}

/**
 * bcm2835dma_by_dma() - shall a message be transferred by DMA?
 * @b: controller
 * @msg: message; its device is there
 *
 * Context: any
 * Return: whether to try
 */
bool bcm2835dma_by_dma(const struct bcm2835dma *b, const struct spi_message *msg)
{
	return b->rx && bcm2835dma_device(msg->spi)->by_dma &&
	       msg->frame_length >= READ_ONCE(bcm2835dma_pio_bytes);
}

/* What the message was compiled to, now or before, with a reference to it */
static struct bcm2835dma_message *bcm2835dma_transfer_get(struct bcm2835dma *b,
							  struct spi_message *msg, bool unused,
							  bool map, gfp_t gfp)
{
	struct bcm2835dma_message *m = bcm2835dma_cache_get(b, msg, unused);

	if (m)
		return m;
	m = bcm2835dma_transfer_compile(b, msg, map, gfp);
	/* mapped buffers are of this message only, and much memory is not kept */
	if (!IS_ERR(m) && m->pooled && m->job.chain.bytes <= BCM2835DMA_COPY_MESSAGE)
		bcm2835dma_cache_add(m);
	return m;
}

static void bcm2835dma_transfer_forget(struct bcm2835dma_message *m)
{
	if (m->refs)
		bcm2835dma_cache_put(m);
	else
		bcm2835dma_transfer_free(m);
}

/**
 * bcm2835dma_transfer_claim() - a compiled message that carries the bytes of this one only
 * @b: controller
 * @msg: message
 * @map: long buffers may be mapped
 * @gfp: how to allocate
 *
 * Context: as @gfp says; in transfer_one_message()
 * Return: to be given to bcm2835dma_transfer_put(), or an ERR_PTR(): -EOPNOTSUPP if it is a
 * job for the CPU, -ENOMEM, -EINVAL
 */
struct bcm2835dma_message *bcm2835dma_transfer_claim(struct bcm2835dma *b,
						     struct spi_message *msg, bool map,
						     gfp_t gfp)
{
	struct bcm2835dma_message *m = canpipe_spi_opt_state(msg);

	if (m && !m->msg && bcm2835dma_fresh(m))
		bcm2835dma_cache_hold(m);
	else
		m = bcm2835dma_transfer_get(b, msg, true, map, gfp);
	if (!IS_ERR(m))
		m->msg = msg;
	return m;
}

/**
 * bcm2835dma_transfer_put() - a compiled message carries no bytes any more
 * @m: the message, not under way
 *
 * Context: process
 */
void bcm2835dma_transfer_put(struct bcm2835dma_message *m)
{
	m->msg = NULL;
	bcm2835dma_transfer_forget(m);
}

/**
 * bcm2835dma_transfer_submit() - put a message into the queue
 * @m: the message, claimed
 *
 * Context: process
 * Return: 0 or a negative error, as bcm2835dma_submit()
 */
int bcm2835dma_transfer_submit(struct bcm2835dma_message *m)
{
	bcm2835dma_copy_in(m, m->msg);
	reinit_completion(&m->done);
	return bcm2835dma_submit(m->b, &m->job, bcm2835dma_short(&m->job));
}

/* Until it is over. Returns its result. */
static int bcm2835dma_transfer_wait(struct bcm2835dma_message *m)
{
	/* those behind it can follow at once */
	bcm2835dma_look_ahead(m->b);
	if (m->job.poll)
		bcm2835dma_poll(m->b, &m->job);
	wait_for_completion(&m->done);
	bcm2835dma_settle(&m->job);
	if (!m->job.status)
		bcm2835dma_copy_out(m, m->msg);
	return m->job.status;
}

/* @m: it has been submitted already, or NULL */
static int bcm2835dma_transfer_dma(struct bcm2835dma *b, struct spi_message *msg,
				   struct bcm2835dma_message *m)
{
	int err = 0;

	do {
		if (!m) {
			m = bcm2835dma_transfer_claim(b, msg, true, GFP_KERNEL);
			if (IS_ERR(m))
				return PTR_ERR(m);
			err = bcm2835dma_transfer_submit(m);
		}
		if (!err)
			err = bcm2835dma_transfer_wait(m);
		bcm2835dma_transfer_put(m);
		m = NULL;
		/* compiled for what has changed meanwhile: once more */
	} while (err == -EAGAIN);
	return err;
}

/**
 * bcm2835dma_transfer_one_message() - run a message of the SPI core's queue
 * @ctlr: SPI controller
 * @msg: message
 *
 * Context: process, may sleep; one at a time
 * Return: 0; the result is in the message
 */
int bcm2835dma_transfer_one_message(struct spi_controller *ctlr, struct spi_message *msg)
{
	struct bcm2835dma *b = spi_controller_get_devdata(ctlr);
	struct bcm2835dma_message *m = bcm2835dma_ahead_get(b, msg);
	int err = -EOPNOTSUPP;

	/* clients may be too slow for a device that goes away */
	if (!bcm2835dma_device(msg->spi))
		err = -ENODEV;
	else if (m || bcm2835dma_by_dma(b, msg))
		err = bcm2835dma_transfer_dma(b, msg, m);
	if (err == -EOPNOTSUPP || err == -ENOMEM)
		err = bcm2835dma_pio_transfer(b, msg);

	msg->status = err;
	if (!err)
		msg->actual_length = msg->frame_length;
	spi_finalize_current_message(ctlr);
	return 0;
}

/**
 * bcm2835dma_optimize() - compile a message before it is submitted
 * @msg: message; short ones only, as mapped buffers belong to the client in between
 *
 * Context: any; spi_async() comes here, too
 * Return: 0 or -EINVAL
 */
int bcm2835dma_optimize(struct spi_message *msg)
{
	struct bcm2835dma *b = spi_controller_get_devdata(msg->spi->controller);
	struct bcm2835dma_device *device = bcm2835dma_device(msg->spi);
	struct bcm2835dma_message *m;

	canpipe_spi_set_opt_state(msg, NULL);
	if (!device || !device->by_dma || !b->rx)
		return 0;

	m = bcm2835dma_transfer_get(b, msg, false, false, GFP_ATOMIC | __GFP_NOWARN);
	if (!IS_ERR(m))
		canpipe_spi_set_opt_state(msg, m);
	return PTR_ERR_OR_ZERO(m) == -EINVAL ? -EINVAL : 0;
}

/**
 * bcm2835dma_unoptimize() - undo bcm2835dma_optimize()
 * @msg: message
 *
 * Context: process
 * Return: 0
 */
int bcm2835dma_unoptimize(struct spi_message *msg)
{
	struct bcm2835dma_message *m = canpipe_spi_opt_state(msg);

	if (m)
		bcm2835dma_transfer_forget(m);
	canpipe_spi_set_opt_state(msg, NULL);
	return 0;
}
