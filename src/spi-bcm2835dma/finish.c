// SPDX-License-Identifier: GPL-2.0-only
/*
 * The end of a chain: by its interrupt, or by the timer if that does not come
 *
 * A job is reported without the lock, and is its client's again just before: so it
 * can be submitted anew where its end is told.
 */

#include "bcm2835dma.h"

#include <linux/dma-mapping.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>

/**
 * bcm2835dma_over() - a job leaves the queue
 * @b: controller
 * @job: the job, for bcm2835dma_report()
 * @status: its result
 *
 * Context: any, with the queue's lock held
 */
void bcm2835dma_over(struct bcm2835dma *b, struct bcm2835dma_job *job, int status)
{
	job->status = status;
	WRITE_ONCE(job->silent, false);
	list_move_tail(&job->node, &b->queue.over);
	b->queue.depth--;
}

/* With interrupts off, without the lock */
static void bcm2835dma_tell(struct list_head *over)
{
	struct bcm2835dma_job *job, *next;

	list_for_each_entry_safe(job, next, over, node) {
		list_del_init(&job->node);
		atomic_inc(&job->calling);
		/* from here on it can be submitted again; pairs with bcm2835dma_settled() */
		smp_store_release(&job->state, BCM2835DMA_IDLE);
		job->over(job);
		/* the last access to the job; pairs with bcm2835dma_settled() */
		atomic_dec_return_release(&job->calling);
	}
}

/**
 * bcm2835dma_report() - tell those who wait for jobs that are over
 * @b: controller
 *
 * Their functions are called with interrupts off, one at a time and in the order in which the jobs
 * were over: if another CPU is at it (the interrupt's and the timer's may differ), it does
 * this one's, too. So clients need to think of one context only.
 *
 * Context: any without the queue's lock
 */
void bcm2835dma_report(struct bcm2835dma *b)
{
	struct bcm2835dma_queue *q = &b->queue;
	unsigned long flags;
	LIST_HEAD(over);

	raw_spin_lock_irqsave(&q->lock, flags);
	if (!q->reporting) {
		q->reporting = true;
		while (!list_empty(&q->over)) {
			list_splice_init(&q->over, &over);
			raw_spin_unlock(&q->lock);
			bcm2835dma_tell(&over);
			raw_spin_lock(&q->lock);
		}
		q->reporting = false;
	}
	raw_spin_unlock_irqrestore(&q->lock, flags);
}

static void bcm2835dma_count(struct bcm2835dma *b, const struct bcm2835dma_job *job)
{
	b->stats.messages++;
	b->stats.prepared += job->class == BCM2835DMA_PREPARED;
	b->stats.blocks += job->chain.count;
	b->stats.bytes += job->chain.bytes;
}

/*
 * Take the jobs off the chain that have been run. While it goes on: those that the hardware
 * will not look at again, which are the silent ones that another one follows. Returns the last one.
 */
static struct bcm2835dma_job *bcm2835dma_reap(struct bcm2835dma *b, bool ended)
{
	struct bcm2835dma_job *job, *next, *last = NULL;
	struct list_head *linked = &b->queue.linked;

	list_for_each_entry_safe(job, next, linked, node) {
		if (!bcm2835dma_chain_done(&job->chain))
			break;
		if (!ended && (!job->silent || list_is_last(&job->node, linked)))
			break;
		bcm2835dma_count(b, job);
		bcm2835dma_over(b, job, 0);
		last = job;
	}
	/* what was received is not looked at before the sign that it is there */
	dma_rmb();
	return last;
}

/* The hardware is idle: go on with what is linked but has not been run, and with more. */
static void bcm2835dma_continue(struct bcm2835dma *b)
{
	struct bcm2835dma_queue *q = &b->queue;
	struct bcm2835dma_job *job;

	q->running = false;
	q->batch = 0;
	q->batch_ns = 0;
	list_for_each_entry(job, &q->linked, node) {
		q->batch++;
		q->batch_ns += job->chain.time_ns;
	}
	bcm2835dma_kick(b);
}

/* Break off the chain. The first job that has not been run is the culprit. */
static int bcm2835dma_give_up(struct bcm2835dma *b)
{
	struct bcm2835dma_queue *q = &b->queue;
	struct bcm2835dma_job *job;
	int status;

	b->stats.aborts++;
	status = bcm2835dma_engine_abort(b);
	if (status == -EIO)
		b->stats.dma_errors++;
	else
		b->stats.timeouts++;

	bcm2835dma_reap(b, true);
	q->held = NULL;
	job = bcm2835dma_first(&q->linked);
	if (job) {
		bcm2835dma_deselect(job->spi);
		bcm2835dma_over(b, job, status);
	}
	return job ? status : 0;
}

/* The chain has ended. */
static void bcm2835dma_ended(struct bcm2835dma *b)
{
	struct bcm2835dma_queue *q = &b->queue;
	struct bcm2835dma_job *last = bcm2835dma_reap(b, true);

	if (!last) {
		/* something else has stopped the channel */
		bcm2835dma_give_up(b);
	} else {
		bcm2835dma_engine_idle(b, last->idle_cs);
		q->held = last->chain.keeps_cs ? last->spi : NULL;
		b->stats.late_appends += !list_empty(&q->linked);
	}
	bcm2835dma_continue(b);
}

static bool bcm2835dma_ends_silently(struct bcm2835dma_queue *q)
{
	return !list_empty(&q->linked) &&
	       list_last_entry(&q->linked, struct bcm2835dma_job, node)->silent;
}

/* A silent job may be over. What ends with an interrupt is left to that. */
static void bcm2835dma_polled(struct bcm2835dma *b)
{
	struct bcm2835dma_queue *q = &b->queue;
	u64 messages = b->stats.messages;

	if (q->running && bcm2835dma_ends_silently(q) && bcm2835dma_engine_ended(b))
		bcm2835dma_ended(b);
	else if (q->running)
		bcm2835dma_reap(b, false);
	b->stats.polled += b->stats.messages - messages;
}

/**
 * bcm2835dma_look() - the CPU has seen that a silent job is done
 * @b: controller
 *
 * Context: process
 */
void bcm2835dma_look(struct bcm2835dma *b)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&b->queue.lock, flags);
	bcm2835dma_polled(b);
	raw_spin_unlock_irqrestore(&b->queue.lock, flags);

	bcm2835dma_report(b);
}

/**
 * bcm2835dma_finish() - look whether a job is over, for the last time: else an interrupt shall tell
 * @b: controller
 * @job: the job, which may be over and told already, or about to be
 *
 * Context: any
 */
void bcm2835dma_finish(struct bcm2835dma *b, struct bcm2835dma_job *job)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&b->queue.lock, flags);
	if (job->silent && bcm2835dma_chain_done(&job->chain))
		bcm2835dma_polled(b);
	job->poll = false;
	if (job->silent)
		bcm2835dma_speak(b);
	raw_spin_unlock_irqrestore(&b->queue.lock, flags);

	bcm2835dma_report(b);
}

/**
 * bcm2835dma_irq() - the SPI block's interrupt: the tail of a chain
 * @irq: number
 * @data: controller
 *
 * One register read and one write, and two writes more if there is more to do.
 *
 * Context: hard irq, also with PREEMPT_RT; a thread if the line is shared with a threaded handler
 * Return: whether it was ours
 */
irqreturn_t bcm2835dma_irq(int irq, void *data)
{
	struct bcm2835dma *b = data;
	struct bcm2835dma_queue *q = &b->queue;
	unsigned long flags;

	raw_spin_lock_irqsave(&q->lock, flags);
	/*
	 * The tail is the last block. While the channel is still about to leave it the
	 * interrupt stays, and we are called again.
	 */
	if (!q->running || !bcm2835dma_engine_ended(b)) {
		b->stats.foreign_interrupts++;
		raw_spin_unlock_irqrestore(&q->lock, flags);
		return IRQ_NONE;
	}
	b->stats.interrupts++;
	bcm2835dma_ended(b);
	raw_spin_unlock_irqrestore(&q->lock, flags);

	bcm2835dma_report(b);
	return IRQ_HANDLED;
}

/**
 * bcm2835dma_watch() - the timer: has the chain ended in time?
 * @t: timer of the queue
 *
 * Context: timer
 */
void bcm2835dma_watch(struct timer_list *t)
{
	struct bcm2835dma_queue *q = timer_container_of(q, t, timer);
	struct bcm2835dma *b = container_of(q, struct bcm2835dma, queue);
	u64 now = ktime_get_ns();
	unsigned long flags;
	int status = 0;

	raw_spin_lock_irqsave(&q->lock, flags);
	if (q->running && now < q->deadline) {
		mod_timer(&q->timer, jiffies + nsecs_to_jiffies(q->deadline - now) + 1);
	} else if (q->running && bcm2835dma_engine_ended(b)) {
		/* or whoever looks for the end of a silent one is late */
		b->stats.lost_interrupts += !bcm2835dma_ends_silently(q);
		bcm2835dma_ended(b);
	} else if (q->running) {
		status = bcm2835dma_give_up(b);
		bcm2835dma_continue(b);
	}
	raw_spin_unlock_irqrestore(&q->lock, flags);

	if (status)
		dev_err_ratelimited(b->dev, "%s: broken off (%pe)\n", status == -EIO ?
				    "the DMA engine met an error" : "a message did not end",
				    ERR_PTR(status));
	bcm2835dma_report(b);
}
