// SPDX-License-Identifier: GPL-2.0-only
/*
 * From transfers to a chain of control blocks in coherent memory
 *
 * The memory of a message: control blocks, bytes received, bytes to be sent.
 */

#include "bcm2835dma.h"

#include <linux/dma-mapping.h>
#include <linux/dmapool.h>
#include <linux/slab.h>

/* Blocks are counted before there is memory: any address will do that is not 0. */
#define BCM2835DMA_NOWHERE	0x1000
/* How long the chip select is inactive between transfers, unless the client says so (spi.h) */
#define BCM2835DMA_CS_CHANGE_NS	10000

/**
 * bcm2835dma_message_alloc() - an empty message
 * @b: controller
 * @spi: device
 * @class: BCM2835DMA_PREPARED or BCM2835DMA_ORDINARY
 * @num: transfers
 * @gfp: how to allocate
 *
 * Context: any, as @gfp says
 * Return: the message, to be given to bcm2835dma_message_free(), or NULL
 */
struct bcm2835dma_message *bcm2835dma_message_alloc(struct bcm2835dma *b, struct spi_device *spi,
						    enum bcm2835dma_class class, unsigned int num,
						    gfp_t gfp)
{
	struct bcm2835dma_message *m;
	size_t each = sizeof(*m->bufs) + sizeof(*m->xfers) + sizeof(*m->shapes) +
		      sizeof(*m->patches);

	if (num > (KMALLOC_MAX_SIZE - sizeof(*m)) / each)
		return NULL;
	m = kzalloc(sizeof(*m) + num * each, gfp);
	if (!m)
		return NULL;

	m->b = b;
	m->num = num;
	m->bufs = (void *)(m + 1);
	m->xfers = (void *)(m->bufs + num);
	m->shapes = (void *)(m->xfers + num);
	m->patches = (void *)(m->shapes + num);
	INIT_LIST_HEAD(&m->node);
	INIT_LIST_HEAD(&m->ahead);
	init_completion(&m->done);
	bcm2835dma_job_init(&m->job, class, spi, NULL);
	return m;
}

/**
 * bcm2835dma_message_convert() - a transfer in the compiler's terms, without its memory
 * @b: controller
 * @spi: device
 * @t: the transfer; its effective speed is set
 * @xfer: filled in
 *
 * Context: any
 * Return: 0 or -EINVAL
 */
int bcm2835dma_message_convert(struct bcm2835dma *b, struct spi_device *spi,
			       struct spi_transfer *t, struct bcm2835dma_xfer *xfer)
{
	u32 speed = t->speed_hz ?: spi->max_speed_hz ?: b->ctlr->max_speed_hz;
	int cdiv = bcm2835dma_cdiv(b->limits.core_hz, speed);
	struct spi_delay after = canpipe_spi_xfer_delay(t);
	int delay, cs_change, word;

	if (cdiv < 0)
		return cdiv;
	/* delays may be in clocks */
	t->effective_speed_hz = b->limits.core_hz / cdiv;

	delay = spi_delay_to_ns(&after, t);
	cs_change = spi_delay_to_ns(&t->cs_change_delay, t);
	word = spi_delay_to_ns(&t->word_delay, t);
	if (delay < 0 || cs_change < 0 || word < 0)
		return -EINVAL;
	if (!t->cs_change_delay.value && t->cs_change_delay.unit == SPI_DELAY_UNIT_USECS)
		cs_change = BCM2835DMA_CS_CHANGE_NS;

	memset(xfer, 0, sizeof(*xfer));
	xfer->len = t->len;
	xfer->speed_hz = speed;
	xfer->delay_ns = delay;
	xfer->cs_change_ns = cs_change;
	xfer->word_delay_ns = word;
	xfer->cs_change = t->cs_change;
	xfer->cs_off = canpipe_spi_xfer_cs_off(t);
	return 0;
}

/*
 * Where the copies of the bytes are. One after the other, so that transfers can be joined;
 * those of prepared messages by themselves, as their lengths change.
 */
static size_t bcm2835dma_layout(struct bcm2835dma_message *m, dma_addr_t base, void *mem)
{
	const size_t align = m->job.class == BCM2835DMA_PREPARED ? 4 : 1;
	struct bcm2835dma_xfer *x;
	struct bcm2835dma_buf *buf;
	unsigned int i;
	size_t at = 0;

	for (i = 0; i < m->num; i++) {
		x = &m->xfers[i];
		buf = &m->bufs[i];
		x->rx = buf->rx_map;
		if (!buf->copy_rx)
			continue;
		x->rx = base + at;
		buf->rx = mem + at;
		at += round_up(x->len, align);
	}
	at = round_up(at, 4);
	for (i = 0; i < m->num; i++) {
		x = &m->xfers[i];
		buf = &m->bufs[i];
		x->tx = buf->tx_map;
		if (!buf->copy_tx)
			continue;
		x->tx = base + at;
		buf->tx = mem + at;
		at += round_up(x->len, align);
	}
	/* the last word is read as a whole */
	return round_up(at, 4) + 4;
}

static int bcm2835dma_message_memory(struct bcm2835dma_message *m, size_t size, gfp_t gfp)
{
	struct bcm2835dma *b = m->b;

	m->size = size;
	m->pooled = size <= BCM2835DMA_POOL_SIZE;
	if (m->pooled)
		m->mem = dma_pool_zalloc(b->pool, gfp, &m->dma);
	else
		m->mem = dma_alloc_coherent(b->dev, size, &m->dma, gfp);
	return m->mem ? 0 : -ENOMEM;
}

static int bcm2835dma_message_build(struct bcm2835dma_message *m, const char **why)
{
	struct bcm2835dma *b = m->b;
	const struct bcm2835dma_chip *chip = &bcm2835dma_device(m->job.spi)->chip;
	int err;

	err = bcm2835dma_chain_build(&m->job.chain, &b->limits, chip, m->xfers, m->num,
				     m->job.class == BCM2835DMA_PREPARED ? m->patches : NULL, why);
	if (err)
		return err;
	m->mode = chip->mode;
	m->job.idle_cs = bcm2835dma_idle_cs(b, m->job.spi);
	return 0;
}

/**
 * bcm2835dma_message_compile() - make a chain of the message
 * @m: message, its transfers converted
 * @gfp: how to allocate
 *
 * Context: any, as @gfp says. Ordinary messages need no lock: if the limits change
 * meanwhile they are refused by bcm2835dma_submit(). Prepared ones: with messages_lock.
 * Return: 0, -ENOMEM, -EOPNOTSUPP if it is a job for the CPU, -EINVAL, which was reported
 */
int bcm2835dma_message_compile(struct bcm2835dma_message *m, gfp_t gfp)
{
	struct bcm2835dma *b = m->b;
	struct spi_device *spi = m->job.spi;
	struct bcm2835dma_chain *chain = &m->job.chain;
	const char *why = NULL;
	size_t blocks, bytes;
	int ret;

	m->job.epoch = READ_ONCE(b->queue.epoch);
	/* pairs with the barrier in bcm2835dma_set_limits() */
	smp_rmb();

	bytes = bcm2835dma_layout(m, BCM2835DMA_NOWHERE, NULL);
	ret = bcm2835dma_chain_count(&b->limits, &bcm2835dma_device(spi)->chip, m->xfers, m->num,
				     &why);
	if (ret < 0)
		goto out;
	chain->room = ret;
	blocks = ret * sizeof(*chain->cb);

	ret = bcm2835dma_message_memory(m, blocks + bytes, gfp);
	if (ret)
		goto out;
	chain->cb = m->mem;
	chain->dma = m->dma;
	bcm2835dma_layout(m, m->dma + blocks, m->mem + blocks);
	ret = bcm2835dma_message_build(m, &why);
	bcm2835dma_stats_add(b, &b->stats.compiled, 1);
out:
	if (ret == -EINVAL)
		dev_err_ratelimited(&spi->dev, "message refused: %s\n", why ?: "it makes no sense");
	else if (ret == -EOPNOTSUPP)
		dev_dbg(&spi->dev, "not by DMA: %s\n", why ?: "no reason given");
	return ret;
}

/**
 * bcm2835dma_message_rebuild() - compile it anew for changed limits, in the same memory
 * @m: prepared message, not linked
 *
 * Context: with the queue's lock and messages_lock held
 * Return: 0 or a negative error: the chain must not be used
 */
int bcm2835dma_message_rebuild(struct bcm2835dma_message *m)
{
	unsigned int i;
	int err;

	err = bcm2835dma_message_build(m, NULL);
	if (err)
		return err;
	for (i = 0; i < m->num; i++)
		if (m->patches[i].max)
			bcm2835dma_chain_set_len(&m->job.chain, &m->patches[i], m->bufs[i].len);
	return 0;
}

/**
 * bcm2835dma_message_free() - release a message and its memory
 * @m: message, idle; NULL is ignored
 *
 * Context: process
 */
void bcm2835dma_message_free(struct bcm2835dma_message *m)
{
	if (!m)
		return;
	if (m->mem && m->pooled)
		dma_pool_free(m->b->pool, m->mem, m->dma);
	else if (m->mem)
		dma_free_coherent(m->b->dev, m->size, m->mem, m->dma);
	kfree(m);
}
