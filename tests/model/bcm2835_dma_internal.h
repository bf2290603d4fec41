/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the files of the DMA model share. Nothing of this is for others.
 *
 *	bcm2835_dma.c		registers, life cycle, requests
 *	bcm2835_dma_run.c	what a channel does with a control block
 *	bcm2835_dma_write.c	writes that are under way
 */
#ifndef BCM2835_DMA_INTERNAL_H
#define BCM2835_DMA_INTERNAL_H

#include "bcm2835_dma.h"

#define CS_ACTIVE	0x00000001u
#define CS_END		0x00000002u
#define CS_INT		0x00000004u
#define CS_DREQ		0x00000008u
#define CS_PAUSED	0x00000010u
#define CS_DREQ_STOPS	0x00000020u
#define CS_WAITING	0x00000040u	/* for outstanding writes */
#define CS_ERROR	0x00000100u
#define CS_WAIT_WRITES	0x10000000u
#define CS_ABORT	0x40000000u
#define CS_RESET	0x80000000u
/* PRIORITY, PANIC_PRIORITY, WAIT_FOR_OUTSTANDING_WRITES, DISDEBUG */
#define CS_STORED	0x30ff0000u

#define TI_INTEN	0x00000001u
#define TI_TDMODE	0x00000002u
#define TI_WAIT_RESP	0x00000008u
#define TI_DEST_INC	0x00000010u
#define TI_DEST_DREQ	0x00000040u
#define TI_DEST_IGNORE	0x00000080u
#define TI_SRC_INC	0x00000100u
#define TI_SRC_DREQ	0x00000400u
#define TI_SRC_IGNORE	0x00000800u
#define TI_ALL		0x07fffffbu

#define DEBUG_FIFO	0x00000002u
#define DEBUG_READ	0x00000004u
#define DEBUG_ERRORS	0x00000007u
#define DEBUG_LITE	0x10000000u

#define CB_SIZE		32
#define MAX_OUTSTANDING	13	/* writes that a channel may have under way (1.3) */
#define CHUNK		32	/* bytes of RAM to RAM in one event */

enum dma_phase {
	PHASE_IDLE,		/* nothing to do */
	PHASE_LOAD,		/* a control block comes */
	PHASE_MOVE,		/* a word, or some, come */
	PHASE_DELAY,		/* SRC_IGNORE and DEST_IGNORE: time passes */
	PHASE_END,		/* waits for the last response */
	PHASE_HUNG,		/* a fault: only RESET helps */
};

/* A write that takes effect later; ordered by time. */
struct dma_late {
	uint64_t at;
	uint32_t addr;
	uint32_t value;
};

struct dma_channel {
	struct bcm2835_dma *dma;
	unsigned int n;
	bool lite;

	uint32_t cs;			/* CS_STORED only */
	bool active, end, intr;
	uint32_t error;			/* DEBUG_ERRORS */
	uint32_t conblk;
	uint32_t ti, src, dst, stride, next;
	uint32_t x, x_row, y;		/* bytes left in the row; its length; rows after it */
	bool loaded;			/* conblk's block is in the registers */
	bool valid;			/* the registers have had a block since reset */

	enum dma_phase phase;
	struct sim_event event;
	uint64_t left;			/* paused: what was left of the event's time */
	bool blocked;			/* waits for DREQ, or for room among the writes */
	unsigned int generation;	/* changes when software stops or starts the work */

	struct dma_late late[MAX_OUTSTANDING];
	unsigned int late_count;
	struct sim_event late_event;

	enum bcm2835_dma_fault fault;
	unsigned int fault_skip;
	bool writes_hang;

	uint64_t busy_since;
	struct bcm2835_dma_stats stats;
};

struct bcm2835_dma {
	struct sim *sim;
	struct bcm2835_dma_config config;
	struct bcm2835_dma_ops ops;
	void *arg;
	uint32_t enable;
	uint32_t dreq;
	struct dma_channel channel[BCM2835_DMA_CHANNELS];
};

static inline bool dma_runs(const struct dma_channel *c)
{
	return c->active && (c->dma->enable >> c->n & 1);
}

/* bcm2835_dma.c */
void bcm2835_dma_set_int(struct dma_channel *c, bool level);
void bcm2835_dma_set_active(struct dma_channel *c, bool active);

/* bcm2835_dma_run.c */
void bcm2835_dma_run_init(struct dma_channel *c);
/* Go on, or begin, if the channel may. */
void bcm2835_dma_resume(struct dma_channel *c);
/* Stand still, so that resume goes on where it was. */
void bcm2835_dma_pause(struct dma_channel *c);
/* Forget the block and go to the next one, if any. */
void bcm2835_dma_abort(struct dma_channel *c);
/* Something that a blocked channel waits for may have come. */
void bcm2835_dma_unblock(struct dma_channel *c);
/* An end that waits for responses is not waited for any longer. */
void bcm2835_dma_settle(struct dma_channel *c);
/* Forget all work. */
void bcm2835_dma_drop(struct dma_channel *c);

/* bcm2835_dma_write.c */
void bcm2835_dma_late_init(struct dma_channel *c);
/* A word to a register, now or later. */
void bcm2835_dma_reg_write(struct dma_channel *c, uint32_t addr, uint32_t value);
/* There is no room for one more write under way. */
bool bcm2835_dma_writes_full(const struct dma_channel *c);

#endif
