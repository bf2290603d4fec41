// SPDX-License-Identifier: GPL-2.0-only
/*
 * Silent messages: the CPU looks for their end, or waits for it
 *
 * A driver that is going to be called soon anyway, by an interrupt of its device, may look then
 * whether its prepared message is over: one interrupt less.
 *
 * An interrupt, and two switches between tasks, take longer than a short message on the wire. So
 * whoever waits for one looks at its "done" word in memory instead, and its chain ends without an
 * interrupt: it is silent. Nobody else depends on when that process is run: a job that is linked
 * behind a silent one has its own interrupt, unless it is silent, too; and if something must wait
 * for the end of the chain, that end gets its interrupt after all.
 *
 * With an interrupt at the end nothing has to be detected when linking (queue.c). Without, it
 * has: the channel may have stopped already, and is then started at what was linked.
 */

#include "bcm2835dma.h"

#include <linux/dma-mapping.h>
#include <linux/ktime.h>

/* As for timeouts: the core clock may be slower than known */
#define BCM2835DMA_POLL_FACTOR	3

/**
 * bcm2835dma_then() - let something follow the last job of the chain
 * @b: controller
 * @last: that job
 * @next: bus address of the first block
 *
 * Context: any, with the queue's lock held
 */
void bcm2835dma_then(struct bcm2835dma *b, struct bcm2835dma_job *last, u32 next)
{
	/* the blocks must be there before the pointer to them */
	dma_wmb();
	bcm2835dma_chain_follow(&last->chain, next);
	if (!b->queue.running || !last->silent)
		return;
	if (bcm2835dma_engine_passed(b, bcm2835dma_chain_last(&last->chain))) {
		b->stats.late_appends++;
		bcm2835dma_engine_start(b, next);
	}
}

/**
 * bcm2835dma_speak() - let the chain end with an interrupt
 * @b: controller
 *
 * Context: any, with the queue's lock held
 */
void bcm2835dma_speak(struct bcm2835dma *b)
{
	struct list_head *linked = &b->queue.linked;
	struct bcm2835dma_job *last;

	if (list_empty(linked))
		return;
	last = list_last_entry(linked, struct bcm2835dma_job, node);
	if (!last->silent)
		return;
	bcm2835dma_then(b, last, bcm2835dma_chain_tail(&last->chain));
	WRITE_ONCE(last->silent, false);
}

/**
 * bcm2835dma_short() - is it worth while to wait for the job?
 * @job: the job, compiled
 *
 * Context: any
 * Return: whether it is
 */
bool bcm2835dma_short(const struct bcm2835dma_job *job)
{
	return job->chain.time_ns <= READ_ONCE(bcm2835dma_spin_us) * (u64)NSEC_PER_USEC;
}

/**
 * bcm2835dma_poll() - wait for a short job
 * @b: controller
 * @job: the job, submitted
 *
 * Not for ever. If it is not over then, its end comes with an interrupt.
 *
 * Context: process
 */
void bcm2835dma_poll(struct bcm2835dma *b, struct bcm2835dma_job *job)
{
	u64 limit = READ_ONCE(bcm2835dma_spin_us) * (u64)NSEC_PER_USEC * BCM2835DMA_POLL_FACTOR;
	u64 begin = ktime_get_ns();

	while (READ_ONCE(job->silent)) {
		if (bcm2835dma_chain_done(&job->chain))
			bcm2835dma_look(b);
		else
			cpu_relax();
		if (ktime_get_ns() - begin > limit)
			break;
	}

	/* pairs with bcm2835dma_report() */
	if (smp_load_acquire(&job->state) != BCM2835DMA_IDLE)
		bcm2835dma_finish(b, job);
}
