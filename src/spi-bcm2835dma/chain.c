// SPDX-License-Identifier: GPL-2.0-only
/*
 * The message compiler: what can be done, and in what order; see chain.h.
 *
 * Counting and building are the same walk; counting has no memory to build in.
 */

#include "chain_priv.h"

#include <linux/errno.h>
#include <linux/string.h>

#include "regs.h"

static bool chain_adjoins(u32 addr, u32 len, u32 next)
{
	return addr ? addr + len == next : !next;
}

/* Can @b be one transfer with @a? */
static bool chain_mergeable(const struct bcm2835dma_xfer *a, const struct bcm2835dma_xfer *b)
{
	return a->len && b->len && a->speed_hz == b->speed_hz && a->cs_off == b->cs_off &&
	       !a->delay_ns && !a->cs_change && !a->patch && !b->patch &&
	       chain_adjoins(a->tx, a->len, b->tx) && chain_adjoins(a->rx, a->len, b->rx);
}

static void chain_message(struct chain_walk *w, const struct bcm2835dma_xfer *xfers,
			  unsigned int num, struct bcm2835dma_patch *patches)
{
	struct bcm2835dma_xfer x;
	unsigned int i, next;

	chain_idle(w);
	/* the message before may have left it active */
	w->selected = num && xfers[0].cs_off;

	for (i = 0; i < num && !w->err; i = next) {
		x = xfers[i];
		for (next = i + 1; next < num && chain_mergeable(&x, &xfers[next]); next++) {
			u32 len = x.len + xfers[next].len;

			if (len < x.len)
				break;
			x = xfers[next];
			x.len = len;
			x.tx = xfers[i].tx;
			x.rx = xfers[i].rx;
		}

		chain_select(w, !x.cs_off);
		chain_data(w, &x, x.patch && patches ? &patches[i] : NULL);
		chain_delay(w, x.delay_ns);
		if (x.cs_change && next < num) {
			chain_select(w, false);
			chain_delay(w, x.cs_change_ns);
		}
	}

	if (num && xfers[num - 1].cs_change) {
		if (w->selected && w->cs_kind == BCM2835DMA_CS_NATIVE)
			chain_fail(w, -EOPNOTSUPP,
				   "native chip select cannot stay active: use cs-gpios");
		chain_settle(w);
	} else {
		chain_select(w, false);
		/* of a message that had no chip select to wait with */
		chain_settle(w);
	}
}

static void chain_check_chip(struct chain_walk *w)
{
	const struct bcm2835dma_chip *chip = w->chip;
	u32 known = BCM2835DMA_CPHA | BCM2835DMA_CPOL | BCM2835DMA_CS_HIGH | BCM2835DMA_NO_CS;

	if (w->limits->core_hz < 1000000)
		chain_fail(w, -EINVAL, "the core clock's rate is not known");
	if (chip->mode & BCM2835DMA_LSB_FIRST)
		chain_fail(w, -EINVAL, "SPI_LSB_FIRST is not supported");
	if (chip->mode & BCM2835DMA_3WIRE)
		chain_fail(w, -EINVAL, "SPI_3WIRE is not supported");
	if (chip->mode & ~known)
		chain_fail(w, -EINVAL, "only modes 0 to 3, SPI_CS_HIGH and SPI_NO_CS work");

	switch (w->cs_kind) {
	case BCM2835DMA_CS_GPIO:
		if (!w->limits->gpio)
			chain_fail(w, -EOPNOTSUPP, "chip select is a GPIO that DMA cannot reach");
		if (chip->cs_line >= BCM2835_GPIO_LINES)
			chain_fail(w, -EINVAL, "no such GPIO line for a chip select");
		break;
	case BCM2835DMA_CS_NATIVE:
		if (chip->cs_line >= BCM2835_SPI_CS_CS_NONE)
			chain_fail(w, -EINVAL, "no such native chip select");
		break;
	case BCM2835DMA_CS_NONE:
		break;
	}
}

static void chain_check_xfers(struct chain_walk *w, const struct bcm2835dma_xfer *xfers,
			      unsigned int num)
{
	unsigned int i;

	for (i = 0; i < num; i++) {
		if (!xfers[i].speed_hz)
			chain_fail(w, -EINVAL, "transfer without a speed");
		if (xfers[i].word_delay_ns)
			chain_fail(w, -EOPNOTSUPP, "delays between words cannot be done by DMA");
		if (xfers[i].patch && (!xfers[i].len || xfers[i].len > BCM2835_SPI_DLEN_MAX))
			chain_fail(w, -EINVAL, "a length that changes must be at most 65532");
	}
}

/* Both entries: with blocks to write to, or without. */
static int chain_compile(struct chain_walk *w, const struct bcm2835dma_limits *limits,
			 const struct bcm2835dma_chip *chip, const struct bcm2835dma_xfer *xfers,
			 unsigned int num, struct bcm2835dma_patch *patches,
			 struct bcm2835dma_chain *chain)
{
	w->limits = limits;
	w->chip = chip;
	w->cs_kind = chip->mode & BCM2835DMA_NO_CS ? BCM2835DMA_CS_NONE : chip->cs_kind;
	w->cs_mode = limits->spi_cs;
	if (chip->mode & BCM2835DMA_CPHA)
		w->cs_mode |= BCM2835_SPI_CS_CPHA;
	if (chip->mode & BCM2835DMA_CPOL)
		w->cs_mode |= BCM2835_SPI_CS_CPOL;

	chain_check_chip(w);
	chain_check_xfers(w, xfers, num);
	if (w->err)
		return w->err;

	if (patches)
		memset(patches, 0, num * sizeof(*patches));
	chain_message(w, xfers, num, patches);
	chain_finish(w, &chain->done, &chain->tail);
	chain->keeps_cs = w->selected;
	chain->count = w->count;
	chain->rx_count = w->rx_count;
	chain->bytes = w->bytes;
	chain->time_ns = w->time_ns;
	return w->err;
}

/**
 * bcm2835dma_chain_count() - how many blocks does a message need?
 * @limits: the hardware
 * @chip: the device
 * @xfers: the transfers
 * @num: how many of them
 * @why: set to a text for the user on error, may be NULL
 *
 * Context: any.
 * Return: number of blocks, -EOPNOTSUPP if the CPU could do what the DMA cannot, or -EINVAL.
 */
int bcm2835dma_chain_count(const struct bcm2835dma_limits *limits,
			   const struct bcm2835dma_chip *chip,
			   const struct bcm2835dma_xfer *xfers, unsigned int num,
			   const char **why)
{
	struct bcm2835dma_chain chain = {};
	struct chain_walk w = {};
	int ret;

	ret = chain_compile(&w, limits, chip, xfers, num, NULL, &chain);
	if (why)
		*why = w.why;
	return ret ?: (int)chain.count;
}

/**
 * bcm2835dma_chain_build() - compile a message
 * @chain: where to, with @cb, @dma and @room set
 * @limits: the hardware
 * @chip: the device
 * @xfers: the transfers, not needed any more afterwards
 * @num: how many of them
 * @patches: one for each transfer, is filled in; may be NULL
 * @why: set to a text for the user on error, may be NULL
 *
 * The chain is armed. On error nothing of it may be used.
 *
 * Context: any.
 * Return: 0, -ENOSPC if @room is less than bcm2835dma_chain_count(), or what that returns.
 */
int bcm2835dma_chain_build(struct bcm2835dma_chain *chain,
			   const struct bcm2835dma_limits *limits,
			   const struct bcm2835dma_chip *chip,
			   const struct bcm2835dma_xfer *xfers, unsigned int num,
			   struct bcm2835dma_patch *patches, const char **why)
{
	struct chain_walk w = {
		.cb = chain->cb,
		.dma = chain->dma,
		.room = chain->room,
	};
	int ret;

	if (chain->dma % sizeof(*chain->cb))
		chain_fail(&w, -EINVAL, "DMA chain is not aligned");
	ret = chain_compile(&w, limits, chip, xfers, num, patches, chain);
	if (why)
		*why = w.why;
	if (!ret)
		bcm2835dma_chain_arm(chain);
	return ret;
}
