// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is done with a compiled message, and the arithmetic of the clocks; see chain.h.
 */

#include "chain.h"

#include <asm/byteorder.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "regs.h"

/**
 * bcm2835dma_cdiv() - by what to divide the SPI block's clock
 * @core_hz: that clock, the highest that may occur
 * @speed_hz: what is asked for, not 0
 *
 * Even, as odd dividers are rounded down by the hardware, which would be too fast.
 *
 * Context: any.
 * Return: 2 to 65536 (written as 0), or -EINVAL if the slowest clock is faster than @speed_hz.
 */
int bcm2835dma_cdiv(u32 core_hz, u32 speed_hz)
{
	u32 cdiv = DIV_ROUND_UP_ULL(core_hz, speed_hz);

	if (cdiv > BCM2835_SPI_CLK_MAX)
		return -EINVAL;
	return max_t(u32, round_up(cdiv, 2), 2);
}

/**
 * bcm2835dma_delay_per_us() - how fast does a delay block count?
 * @core_hz: the clock, the highest that may occur
 * @lite: the channel that runs it is a lite one
 *
 * There is no documentation. On a Pi 1 at 250 MHz, 889 bytes took a microsecond on a
 * normal channel. A lite one copies words; each is read and written with waits,
 * which cannot be done in less than 20 clocks. Rounded in favour of a longer delay.
 *
 * Context: any.
 * Return: the bytes to count for a delay of 1 us, at least 1.
 */
u32 bcm2835dma_delay_per_us(u32 core_hz, bool lite)
{
	return DIV_ROUND_UP_ULL(core_hz, lite ? 5000000 : 250000);
}

/**
 * bcm2835dma_chain_arm() - make a chain ready to run, or to run again
 * @chain: a chain that was built and is not under way
 *
 * It is linked to nothing afterwards and not done. dma_wmb() before it is started or linked to.
 *
 * Context: any.
 */
void bcm2835dma_chain_arm(struct bcm2835dma_chain *chain)
{
	struct bcm2835dma_cb *cb = &chain->cb[chain->done];

	WRITE_ONCE(cb->pad[1], 0);
	WRITE_ONCE(cb->next, cpu_to_le32(bcm2835dma_chain_tail(chain)));
}

/**
 * bcm2835dma_chain_link() - let another chain follow without an interrupt between them
 * @chain: the last one that was started or linked; may be running, may be over
 * @next: an armed one; dma_wmb() before
 *
 * Whether it was in time is known when the interrupt of a tail has come: see chain.h.
 *
 * Context: any.
 */
void bcm2835dma_chain_link(struct bcm2835dma_chain *chain, const struct bcm2835dma_chain *next)
{
	bcm2835dma_chain_follow(chain, bcm2835dma_chain_first(next));
}

/**
 * bcm2835dma_chain_follow() - what the DMA engine does after the message
 * @chain: an armed chain; may be running, may be over
 * @next: bus address of a block, 0: it stops, without an interrupt
 *
 * Context: any.
 */
void bcm2835dma_chain_follow(struct bcm2835dma_chain *chain, u32 next)
{
	WRITE_ONCE(chain->cb[chain->done].next, cpu_to_le32(next));
}

/**
 * bcm2835dma_chain_set_len() - change the length of a transfer
 * @chain: the chain, not under way
 * @patch: where, from bcm2835dma_chain_build()
 * @len: 1 to the length it was built with
 *
 * Three writes to memory. The estimates in @chain stay those of the greatest length.
 *
 * Context: any.
 * Return: 0, or -EINVAL.
 */
int bcm2835dma_chain_set_len(struct bcm2835dma_chain *chain,
			     const struct bcm2835dma_patch *patch, u32 len)
{
	struct bcm2835dma_cb *cb = chain->cb;

	if (!len || len > patch->max)
		return -EINVAL;
	cb[patch->clk].pad[1] = cpu_to_le32(len);
	cb[patch->tx].len = cpu_to_le32(round_up(len, 4));
	cb[patch->rx].len = cpu_to_le32(len);
	return 0;
}
