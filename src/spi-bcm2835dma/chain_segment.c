// SPDX-License-Identifier: GPL-2.0-only
/*
 * The blocks of a chain: segments, chip selects, delays; see chain.h.
 *
 * A message is cut into segments: what one count of the SPI block's DLEN covers.
 * A segment ends where its length is no multiple of 4 (the FIFOs work in words
 * then, and the rest of the last word has to be cleared away), where the speed
 * changes, where a delay or a change of the chip select is asked for, and at the
 * last multiple of 4 that DLEN can hold. For a segment the RX channel runs
 *
 *	CS = clear both FIFOs, TA off		(not if that is so already)
 *	chip select active			(if it is not)
 *	CLK and DLEN
 *	TX channel: CONBLK_AD, CS = ACTIVE
 *	CS = TA, DMAEN				(not in the first one: clearing takes time)
 *	one block per piece of data received
 *
 * The TX channel loads its first block meanwhile and waits for the request that comes with
 * DMAEN. Only a native chip select has to be active for some time before that.
 *
 * and the TX channel one block per piece of data to send. It writes exactly the
 * words of the segment: one more would be taken for a header, see BCM2835 ARM
 * Peripherals, 10.6.3. Each block that writes a register waits for the response,
 * as two peripherals may see writes in any order without (ibid., 1.3).
 */

#include "chain_priv.h"

#include <asm/byteorder.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "regs.h"

/* Longer delays are a matter for the CPU: the bus stands still that long. */
#define CHAIN_DELAY_MAX_NS	100000000
/* Indices are 16 bits wide; what is longer than this is better done in parts. */
#define CHAIN_BLOCKS_MAX	8192
/* From the end of one block to the end of a small one behind it, for estimates. */
#define CHAIN_BLOCK_NS		250
#define CHAIN_LITE_BLOCK_NS	400
/* What a byte of a delay may take, for estimates: on a Pi 1; on a lite channel, nobody knows */
#define CHAIN_DELAY_BYTE_PS	1125
#define CHAIN_LITE_DELAY_BYTE_PS 200000
/*
 * A word is in the FIFO, and the chip select may go, half a clock before the last
 * edge. The blocks between cover that at clocks faster than this.
 */
#define CHAIN_BLOCKS_COVER_NS	100

static u32 chain_block_addr(const struct chain_walk *w, unsigned int index)
{
	return w->dma + index * sizeof(*w->cb);
}

static struct bcm2835dma_cb *chain_new_block(struct chain_walk *w, u32 ti, u32 src, u32 dst,
					     u32 len)
{
	struct bcm2835dma_cb *cb = &w->nowhere;

	if (w->count >= CHAIN_BLOCKS_MAX)
		chain_fail(w, -EOPNOTSUPP, "message too long for one DMA chain: split it");
	else if (w->cb && w->count >= w->room)
		chain_fail(w, -ENOSPC, "no room for the DMA chain");
	else if (w->cb)
		cb = &w->cb[w->count];
	w->count++;

	memset(cb, 0, sizeof(*cb));
	cb->ti = cpu_to_le32(ti);
	cb->src = cpu_to_le32(src);
	cb->dst = cpu_to_le32(dst);
	cb->len = cpu_to_le32(len);
	return cb;
}

/* The next block that the RX channel runs. */
static struct bcm2835dma_cb *chain_rx_block(struct chain_walk *w, u32 ti, u32 src, u32 dst, u32 len)
{
	u32 addr = chain_block_addr(w, w->count);
	struct bcm2835dma_cb *cb = chain_new_block(w, ti, src, dst, len);

	if (w->rx_last)
		w->rx_last->next = cpu_to_le32(addr);
	w->rx_last = cb;
	w->rx_count++;
	w->time_ns += w->limits->rx_lite ? CHAIN_LITE_BLOCK_NS : CHAIN_BLOCK_NS;
	return cb;
}

/* Bus address of a word that comes with the block to be made next. */
static u32 chain_next_pad(const struct chain_walk *w, unsigned int word)
{
	return chain_block_addr(w, w->count) + offsetof(struct bcm2835dma_cb, pad) + 4 * word;
}

static void chain_poke(struct chain_walk *w, u32 reg, u32 value)
{
	struct bcm2835dma_cb *cb;

	cb = chain_rx_block(w, BCM2835_DMA_TI_WAIT_RESP, chain_next_pad(w, 0), reg, 4);
	cb->pad[0] = cpu_to_le32(value);
}

static void chain_poke_cs(struct chain_walk *w, u32 value)
{
	w->cs_now = value;
	chain_poke(w, w->limits->spi + BCM2835_SPI_CS, value | w->cs_mode);
}

/**
 * chain_delay() - let the bus stand still
 * @w: where the compiler is
 * @ns: at least that long; 0: nothing is done
 *
 * A block that reads and writes nothing takes time according to its length.
 * A lite channel knows no such thing; it copies a word again and again.
 *
 * Context: any.
 */
void chain_delay(struct chain_walk *w, u32 ns)
{
	const struct bcm2835dma_limits *l = w->limits;
	u32 per_us = l->delay_per_us, max, part;
	u64 bytes;

	if (!ns)
		return;
	if (ns > CHAIN_DELAY_MAX_NS) {
		chain_fail(w, -EOPNOTSUPP, "delay too long for DMA");
		return;
	}

	if (!per_us)
		per_us = bcm2835dma_delay_per_us(l->core_hz, l->rx_lite);
	bytes = round_up(div_u64((u64)ns * per_us + 999, 1000), 4);
	if (l->delay_per_us)
		w->time_ns += ns;
	else
		w->time_ns += div_u64(bytes * (l->rx_lite ? CHAIN_LITE_DELAY_BYTE_PS :
					       CHAIN_DELAY_BYTE_PS), 1000);
	max = (l->rx_lite ? BCM2835_DMA_LITE_LEN_MAX : BCM2835_DMA_LEN_MAX) & ~3;
	for (; bytes; bytes -= part) {
		part = min_t(u64, bytes, max);
		if (l->rx_lite)
			chain_rx_block(w, BCM2835_DMA_TI_WAIT_RESP | BCM2835_DMA_TI_WAITS(31),
				       l->zero, l->scratch, part);
		else
			chain_rx_block(w, BCM2835_DMA_TI_SRC_IGNORE | BCM2835_DMA_TI_DEST_IGNORE |
				       BCM2835_DMA_TI_WAITS(31), 0, 0, part);
	}
	w->settle_ns -= min(w->settle_ns, ns);
	/* the TX channel would not wait */
	w->open = false;
}

/**
 * chain_settle() - wait until the last edge of the clock is over
 * @w: where the compiler is
 *
 * Before anything happens to the clock line or the chip select.
 *
 * Context: any.
 */
void chain_settle(struct chain_walk *w)
{
	if (w->settle_ns > CHAIN_BLOCKS_COVER_NS)
		chain_delay(w, w->settle_ns);
	w->settle_ns = 0;
}

/**
 * chain_idle() - let the SPI block rest, with FIFOs that are empty
 * @w: where the compiler is
 *
 * A native chip select goes inactive, the clock line takes the level of the mode.
 *
 * Context: any.
 */
void chain_idle(struct chain_walk *w)
{
	if (w->idle)
		return;
	chain_settle(w);
	/* DONE is written, too: Linux' own driver found that transfers break without */
	chain_poke_cs(w, BCM2835_SPI_CS_CLEAR_TX | BCM2835_SPI_CS_CLEAR_RX | BCM2835_SPI_CS_DONE |
		      BCM2835_SPI_CS_CS_NONE);
	w->idle = true;
	w->open = false;
}

static void chain_poke_gpio(struct chain_walk *w, bool active)
{
	u32 line = w->chip->cs_line;
	bool high = active == w->chip->cs_high;

	chain_poke(w, w->limits->gpio + (high ? BCM2835_GPIO_SET(line) : BCM2835_GPIO_CLR(line)),
		   BIT(line % 32));
}

static u32 chain_cs_field(const struct chain_walk *w)
{
	if (w->cs_kind == BCM2835DMA_CS_NATIVE && w->selected)
		return w->chip->cs_line;
	return BCM2835_SPI_CS_CS_NONE;
}

/* TA on; this is what makes a native chip select active. */
static void chain_activate(struct chain_walk *w, u32 dmaen)
{
	chain_poke_cs(w, BCM2835_SPI_CS_TA | dmaen | chain_cs_field(w));
	w->idle = false;
	if (chain_cs_field(w) != BCM2835_SPI_CS_CS_NONE)
		chain_delay(w, w->chip->cs_setup_ns);
}

/**
 * chain_select() - make the chip select active or inactive, with its delays
 * @w: where the compiler is
 * @selected: which one
 *
 * The clock line has to be at rest in its mode before, so the block is made idle first.
 * A native chip select becomes active with the clocks.
 *
 * Context: any.
 */
void chain_select(struct chain_walk *w, bool selected)
{
	if (w->selected == selected)
		return;

	w->open = false;
	if (!selected) {
		chain_settle(w);
		chain_delay(w, w->chip->cs_hold_ns);
	}
	if (w->cs_kind == BCM2835DMA_CS_NATIVE || selected)
		chain_idle(w);
	if (w->cs_kind == BCM2835DMA_CS_GPIO)
		chain_poke_gpio(w, selected);
	w->selected = selected;
	if (!selected)
		chain_delay(w, w->chip->cs_inactive_ns);
	else if (w->cs_kind != BCM2835DMA_CS_NATIVE)
		chain_delay(w, w->chip->cs_setup_ns);
}

/*
 * A native chip select goes inactive when TA does, and for a moment when a FIFO
 * is cleared: it cannot outlive a segment.
 */
static bool chain_would_glitch(const struct chain_walk *w)
{
	return !w->idle && chain_cs_field(w) != BCM2835_SPI_CS_CS_NONE &&
	       (w->cs_now & BCM2835_SPI_CS_TA);
}

/* The first TX block is the one behind those that are made here. */
static void chain_open_segment(struct chain_walk *w, u32 cdiv)
{
	const struct bcm2835dma_limits *l = w->limits;
	struct bcm2835dma_cb *cb, *start;
	bool native = chain_cs_field(w) != BCM2835_SPI_CS_CS_NONE;

	if (chain_would_glitch(w)) {
		chain_fail(w, -EOPNOTSUPP, "native chip select cannot stay active: use cs-gpios");
		return;
	}
	chain_idle(w);

	w->clk = w->count;
	cb = chain_rx_block(w, BCM2835_DMA_TI_WAIT_RESP | BCM2835_DMA_TI_SRC_INC |
			    BCM2835_DMA_TI_DEST_INC, chain_next_pad(w, 0),
			    l->spi + BCM2835_SPI_CLK, 8);
	cb->pad[0] = cpu_to_le32(cdiv % BCM2835_SPI_CLK_MAX);

	if (native)
		chain_activate(w, BCM2835_SPI_CS_DMAEN);
	chain_poke(w, l->tx_chan + BCM2835_DMA_CONBLK_AD, 0);
	start = w->rx_last;
	chain_poke(w, l->tx_chan + BCM2835_DMA_CS, BCM2835_DMA_CS_ACTIVE | BCM2835_DMA_CS_END |
		   l->tx_chan_cs);
	if (!native)
		chain_activate(w, BCM2835_SPI_CS_DMAEN);
	start->pad[0] = cpu_to_le32(chain_block_addr(w, w->count));

	w->tx_last = NULL;
	w->seg_len = 0;
	w->cdiv = cdiv;
	w->open = true;
}

/* One block for each channel. @addr 0: nothing to send, or nobody to receive. */
static void chain_tx_data(struct chain_walk *w, u32 addr, u32 len)
{
	const struct bcm2835dma_limits *l = w->limits;
	u32 ti = BCM2835_DMA_TI_DEST_DREQ | BCM2835_DMA_TI_PERMAP((u32)l->tx_dreq) |
		 BCM2835_DMA_TI_WAIT_RESP;
	u32 next = chain_block_addr(w, w->count);
	struct bcm2835dma_cb *cb;

	if (addr)
		ti |= BCM2835_DMA_TI_SRC_INC;
	else if (l->tx_lite)
		addr = l->zero;
	else
		ti |= BCM2835_DMA_TI_SRC_IGNORE;

	cb = chain_new_block(w, ti, addr, l->spi + BCM2835_SPI_FIFO, round_up(len, 4));
	if (w->tx_last)
		w->tx_last->next = cpu_to_le32(next);
	w->tx_last = cb;
}

static void chain_rx_data(struct chain_walk *w, u32 addr, u32 len)
{
	const struct bcm2835dma_limits *l = w->limits;
	u32 ti = BCM2835_DMA_TI_SRC_DREQ | BCM2835_DMA_TI_PERMAP((u32)l->rx_dreq) |
		 BCM2835_DMA_TI_WAIT_RESP;

	if (addr)
		ti |= BCM2835_DMA_TI_DEST_INC;
	else if (l->rx_lite)
		addr = l->scratch;
	else
		ti |= BCM2835_DMA_TI_DEST_IGNORE;

	chain_rx_block(w, ti, l->spi + BCM2835_SPI_FIFO, addr, len);
}

/* A piece that fits in the open segment. */
static void chain_piece(struct chain_walk *w, u32 tx, u32 rx, u32 len,
			struct bcm2835dma_patch *patch)
{
	struct bcm2835dma_cb *clk = w->cb && !w->err ? &w->cb[w->clk] : &w->nowhere;

	if (patch) {
		patch->clk = w->clk;
		patch->tx = w->count;
		patch->rx = w->count + 1;
		patch->max = len;
	}
	chain_tx_data(w, tx, len);
	chain_rx_data(w, rx, len);

	w->seg_len += len;
	clk->pad[1] = cpu_to_le32(w->seg_len);
	w->bytes += len;
	w->time_ns += div_u64((u64)len * 8 * w->cdiv * 1000, w->limits->core_hz / 1000000);
	w->settle_ns = div_u64((u64)w->cdiv * 500000, w->limits->core_hz / 1000);
	if (len % 4 || w->seg_len == BCM2835_SPI_DLEN_MAX)
		w->open = false;
}

/**
 * chain_data() - transfer data
 * @w: where the compiler is
 * @x: what; its chip select and delays are the caller's
 * @patch: filled in, may be NULL
 *
 * Context: any.
 */
void chain_data(struct chain_walk *w, const struct bcm2835dma_xfer *x,
		struct bcm2835dma_patch *patch)
{
	u32 cdiv, done, part;
	int ret;

	ret = bcm2835dma_cdiv(w->limits->core_hz, x->speed_hz);
	if (ret < 0) {
		chain_fail(w, ret, "clock slower than the SPI block can go");
		return;
	}
	cdiv = ret;

	if (x->patch || cdiv != w->cdiv)
		w->open = false;
	for (done = 0; done < x->len && !w->err; done += part) {
		if (!w->open)
			chain_open_segment(w, cdiv);
		part = min_t(u32, x->len - done, BCM2835_SPI_DLEN_MAX - w->seg_len);
		chain_piece(w, x->tx ? x->tx + done : 0, x->rx ? x->rx + done : 0, part, patch);
	}
	if (x->patch)
		w->open = false;

	/* without a clock there is no segment that could make it active */
	if (!x->len && w->idle && chain_cs_field(w) != BCM2835_SPI_CS_CS_NONE)
		chain_activate(w, 0);
}

/**
 * chain_finish() - what comes once, after the last transfer
 * @w: where the compiler is
 * @done: set to the index of the block that reports the end
 * @tail: set to the index of the one that raises the interrupt
 *
 * Context: any.
 */
void chain_finish(struct chain_walk *w, unsigned int *done, unsigned int *tail)
{
	struct bcm2835dma_cb *cb;
	u32 cs = w->cs_now;

	*done = w->count;
	cb = chain_rx_block(w, BCM2835_DMA_TI_WAIT_RESP, chain_next_pad(w, 0),
			    chain_next_pad(w, 1), 4);
	cb->pad[0] = cpu_to_le32(1);

	/*
	 * With TA on and nothing to do, DONE is set, and raises the interrupt as soon as
	 * it is enabled (BCM2835 ARM Peripherals, 10.6.2). All else stays as it is, so that
	 * what may be left in the TX FIFO stays there.
	 */
	if (!(cs & BCM2835_SPI_CS_TA))
		cs = BCM2835_SPI_CS_TA | BCM2835_SPI_CS_CS_NONE;
	*tail = w->count;
	chain_poke_cs(w, cs | BCM2835_SPI_CS_INTD);
}
