/* SPDX-License-Identifier: GPL-2.0-only */
/* Inside the message compiler: what chain.c asks of chain_segment.c. */
#ifndef SPI_BCM2835DMA_CHAIN_PRIV_H
#define SPI_BCM2835DMA_CHAIN_PRIV_H

#include "chain.h"

/* Where the compiler is in the message. Starts as zeros. */
struct chain_walk {
	const struct bcm2835dma_limits *limits;
	const struct bcm2835dma_chip *chip;
	struct bcm2835dma_cb *cb;	/* NULL: count only */
	struct bcm2835dma_cb nowhere;	/* is written in that case */
	struct bcm2835dma_cb *rx_last;	/* to be linked to the next one */
	struct bcm2835dma_cb *tx_last;
	u32 dma;
	unsigned int room;
	unsigned int count;
	unsigned int rx_count;
	u64 time_ns;
	u32 bytes;
	int err;
	const char *why;

	enum bcm2835dma_cs_kind cs_kind;
	u32 cs_mode;		/* CS without TA: mode and polarities */
	u32 cs_now;		/* CS as the last block leaves it */
	bool selected;
	bool idle;		/* TA is off, the FIFOs are clear */

	/* the segment that may go on */
	bool open;
	unsigned int clk;	/* block whose pad[1] is DLEN */
	u32 seg_len;
	u32 cdiv;
	u32 settle_ns;		/* what is left to wait for the last edge */
};

/* The first thing that is wrong is what the user hears of. */
static inline void chain_fail(struct chain_walk *w, int err, const char *why)
{
	if (w->err)
		return;
	w->err = err;
	w->why = why;
}

void chain_idle(struct chain_walk *w);
void chain_select(struct chain_walk *w, bool selected);
void chain_data(struct chain_walk *w, const struct bcm2835dma_xfer *x,
		struct bcm2835dma_patch *patch);
void chain_delay(struct chain_walk *w, u32 ns);
void chain_settle(struct chain_walk *w);
void chain_finish(struct chain_walk *w, unsigned int *done, unsigned int *tail);

#endif
