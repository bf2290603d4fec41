// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is next: prepared and ordinary messages, one chain, its end
 *
 * A chain is made of whatever waits, up to a limit; messages that come while it runs
 * are linked to it. It ends with one interrupt, after which the CPU looks how far
 * it got: a message that was linked too late has not been run and begins the next
 * chain. So there is nothing to be detected when linking.
 */

#include "bcm2835dma.h"

#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/jiffies.h>
#include <linux/math64.h>

static struct bcm2835dma_job *bcm2835dma_first(struct list_head *list)
{
	return list_first_entry_or_null(list, struct bcm2835dma_job, node);
}

/* The next job: prepared ones first, but no ordinary one waits for long. */
static struct bcm2835dma_job *bcm2835dma_choose(struct bcm2835dma_queue *q)
{
	struct bcm2835dma_job *prepared = bcm2835dma_first(&q->prepared);
	struct bcm2835dma_job *ordinary = bcm2835dma_first(&q->ordinary);

	if (!prepared || !ordinary)
		return prepared ?: ordinary;
	if (q->passed >= BCM2835DMA_PASS_MAX)
		return ordinary;
	/* a device's messages keep their order */
	if (ordinary->spi == prepared->spi && (int)(ordinary->seq - prepared->seq) < 0)
		return ordinary;
	return prepared;
}

/* May the job become part of the chain that runs or is about to? */
static bool bcm2835dma_fits(struct bcm2835dma_queue *q, const struct bcm2835dma_job *job)
{
	struct bcm2835dma_job *last;

	if (list_empty(&q->linked))
		return true;

	last = list_last_entry(&q->linked, struct bcm2835dma_job, node);
	/* the CPU has to deselect the other device in between */
	if (last->chain.keeps_cs && last->spi != job->spi)
		return false;
	return q->batch < READ_ONCE(bcm2835dma_batch) &&
	       q->batch_ns + job->chain.time_ns <= BCM2835DMA_BATCH_NS;
}

static void bcm2835dma_count(struct bcm2835dma *b, const struct bcm2835dma_job *job)
{
	b->stats.messages++;
	b->stats.prepared += job->class == BCM2835DMA_PREPARED;
	b->stats.blocks += job->chain.count;
	b->stats.bytes += job->chain.bytes;
}

static unsigned long bcm2835dma_timeout(const struct bcm2835dma_queue *q)
{
	u64 ms = div_u64(q->batch_ns * BCM2835DMA_TIMEOUT_FACTOR, NSEC_PER_MSEC);

	return jiffies + msecs_to_jiffies(ms + BCM2835DMA_TIMEOUT_MS) + 1;
}

/* The timer is left alone as long as it comes early enough: it looks at the deadline. */
static void bcm2835dma_arm_timer(struct bcm2835dma_queue *q)
{
	WRITE_ONCE(q->deadline, bcm2835dma_timeout(q));
	if (!timer_pending(&q->timer) || time_before(q->deadline, q->timer.expires))
		mod_timer(&q->timer, q->deadline);
}

/* Make the job the last one of the chain. */
static void bcm2835dma_link(struct bcm2835dma *b, struct bcm2835dma_job *job)
{
	struct bcm2835dma_queue *q = &b->queue;
	struct bcm2835dma_job *last = NULL;

	if (!list_empty(&q->linked))
		last = list_last_entry(&q->linked, struct bcm2835dma_job, node);

	if (job->class == BCM2835DMA_PREPARED)
		q->passed += !list_empty(&q->ordinary);
	else
		q->passed = 0;

	list_move_tail(&job->node, &q->linked);
	job->state = BCM2835DMA_LINKED;
	q->batch++;
	q->batch_ns += job->chain.time_ns;

	bcm2835dma_chain_arm(&job->chain);
	if (!last)
		return;
	/* the blocks must be there before the pointer to them */
	dma_wmb();
	bcm2835dma_chain_link(&last->chain, &job->chain);
	if (q->running) {
		b->stats.appends++;
		bcm2835dma_arm_timer(q);
	}
}

/**
 * bcm2835dma_release_held() - a chip select that the last message has left active
 * @q: queue
 * @next: device of the next message; another one's is deselected
 *
 * Context: any, with the queue's lock held; or by the owner of the SPI block
 */
void bcm2835dma_release_held(struct bcm2835dma_queue *q, const struct spi_device *next)
{
	if (q->held && q->held != next)
		bcm2835dma_deselect(q->held);
	q->held = NULL;
}

static void bcm2835dma_start(struct bcm2835dma *b)
{
	struct bcm2835dma_queue *q = &b->queue;
	struct bcm2835dma_job *job = bcm2835dma_first(&q->linked);

	bcm2835dma_release_held(q, job->spi);
	q->running = true;
	b->stats.starts++;
	bcm2835dma_engine_start(b, bcm2835dma_chain_first(&job->chain));
	bcm2835dma_arm_timer(q);
}

static void bcm2835dma_grant(struct bcm2835dma_queue *q, struct bcm2835dma_job *job)
{
	list_del(&job->node);
	q->passed = 0;
	q->owner = job;
	bcm2835dma_release_held(q, job->spi);
	job->over(job);
}

/* Link what waits; start it if nothing runs. */
static void bcm2835dma_kick(struct bcm2835dma *b)
{
	struct bcm2835dma_queue *q = &b->queue;
	struct bcm2835dma_job *job;

	while (!q->owner && (job = bcm2835dma_choose(q))) {
		if (job->class == BCM2835DMA_EXCLUSIVE) {
			/* nothing goes before it any more, and it waits for the chain's end */
			if (list_empty(&q->linked))
				bcm2835dma_grant(q, job);
			break;
		}
		if (!bcm2835dma_fits(q, job))
			break;
		bcm2835dma_link(b, job);
	}
	if (!q->running && !list_empty(&q->linked))
		bcm2835dma_start(b);
}

/* A job leaves the queue; it is reported when the lock is not held any more. */
static void bcm2835dma_over(struct bcm2835dma *b, struct bcm2835dma_job *job, int status,
			    struct list_head *over)
{
	job->status = status;
	list_move_tail(&job->node, over);
	b->queue.depth--;
}

/* Interrupts are off wherever it is called: clients need to think of one context only. */
static void bcm2835dma_report(struct list_head *over)
{
	struct bcm2835dma_job *job, *next;
	unsigned long flags;

	local_irq_save(flags);
	list_for_each_entry_safe(job, next, over, node) {
		list_del_init(&job->node);
		atomic_inc(&job->calling);
		/* from here on it can be submitted again; pairs with bcm2835dma_settled() */
		smp_store_release(&job->state, BCM2835DMA_IDLE);
		job->over(job);
		/* the last access to the job; pairs with bcm2835dma_settled() */
		atomic_dec_return_release(&job->calling);
	}
	local_irq_restore(flags);
}

/* Take the jobs off the chain that have been run. Returns the last one. */
static struct bcm2835dma_job *bcm2835dma_reap(struct bcm2835dma *b, struct list_head *over)
{
	struct bcm2835dma_job *job, *next, *last = NULL;

	list_for_each_entry_safe(job, next, &b->queue.linked, node) {
		if (!bcm2835dma_chain_done(&job->chain))
			break;
		bcm2835dma_count(b, job);
		bcm2835dma_over(b, job, 0, over);
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
static int bcm2835dma_give_up(struct bcm2835dma *b, struct list_head *over)
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

	bcm2835dma_reap(b, over);
	q->held = NULL;
	job = bcm2835dma_first(&q->linked);
	if (job) {
		bcm2835dma_deselect(job->spi);
		bcm2835dma_over(b, job, status, over);
	}
	return job ? status : 0;
}

/* The chain has ended. */
static void bcm2835dma_ended(struct bcm2835dma *b, struct list_head *over)
{
	struct bcm2835dma_queue *q = &b->queue;
	struct bcm2835dma_job *last = bcm2835dma_reap(b, over);

	if (!last) {
		/* something else has stopped the channel */
		bcm2835dma_give_up(b, over);
	} else {
		bcm2835dma_engine_idle(b, last->idle_cs);
		q->held = last->chain.keeps_cs ? last->spi : NULL;
		b->stats.late_appends += !list_empty(&q->linked);
	}
	bcm2835dma_continue(b);
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
	LIST_HEAD(over);

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
	bcm2835dma_ended(b, &over);
	raw_spin_unlock_irqrestore(&q->lock, flags);

	bcm2835dma_report(&over);
	return IRQ_HANDLED;
}

static void bcm2835dma_watch(struct timer_list *t)
{
	struct bcm2835dma_queue *q = timer_container_of(q, t, timer);
	struct bcm2835dma *b = container_of(q, struct bcm2835dma, queue);
	unsigned long flags;
	int status = 0;
	LIST_HEAD(over);

	raw_spin_lock_irqsave(&q->lock, flags);
	if (q->running && time_before(jiffies, q->deadline)) {
		mod_timer(&q->timer, q->deadline);
	} else if (q->running && bcm2835dma_engine_ended(b)) {
		b->stats.lost_interrupts++;
		bcm2835dma_ended(b, &over);
	} else if (q->running) {
		status = bcm2835dma_give_up(b, &over);
		bcm2835dma_continue(b);
	}
	raw_spin_unlock_irqrestore(&q->lock, flags);

	if (status)
		dev_err_ratelimited(b->dev, "%s: broken off (%pe)\n", status == -EIO ?
				    "the DMA engine met an error" : "a message did not end",
				    ERR_PTR(status));
	bcm2835dma_report(&over);
}

/**
 * bcm2835dma_job_init() - a job that is idle
 * @job: the job
 * @class: what it is
 * @spi: for which device, may be NULL
 * @over: called when it is over
 *
 * Context: any
 */
void bcm2835dma_job_init(struct bcm2835dma_job *job, enum bcm2835dma_class class,
			 struct spi_device *spi, void (*over)(struct bcm2835dma_job *job))
{
	INIT_LIST_HEAD(&job->node);
	job->class = class;
	job->spi = spi;
	job->over = over;
	job->state = BCM2835DMA_IDLE;
	atomic_set(&job->calling, 0);
}

/* With the lock held */
static int bcm2835dma_may_submit(struct bcm2835dma_queue *q, const struct bcm2835dma_job *job)
{
	/* pairs with bcm2835dma_report() */
	if (smp_load_acquire(&job->state) != BCM2835DMA_IDLE)
		return -EBUSY;
	if (q->stopped && job->class != BCM2835DMA_EXCLUSIVE)
		return -ESHUTDOWN;
	/* prepared ones are compiled anew by whoever changes what they depend on */
	if (job->class == BCM2835DMA_ORDINARY && job->epoch != q->epoch)
		return -EAGAIN;
	return 0;
}

/**
 * bcm2835dma_submit() - put a job into the queue
 * @b: controller
 * @job: the job
 *
 * Context: any
 * Return: 0, -EBUSY if it is there already, -EAGAIN if it has to be compiled anew, -ESHUTDOWN
 */
int bcm2835dma_submit(struct bcm2835dma *b, struct bcm2835dma_job *job)
{
	struct bcm2835dma_queue *q = &b->queue;
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&q->lock, flags);
	err = bcm2835dma_may_submit(q, job);
	if (err) {
		b->stats.refused++;
	} else {
		job->state = BCM2835DMA_QUEUED;
		job->seq = q->seq++;
		list_add_tail(&job->node, job->class == BCM2835DMA_PREPARED ? &q->prepared :
									      &q->ordinary);
		q->depth++;
		b->stats.depth_max = max_t(u64, b->stats.depth_max, q->depth);
		bcm2835dma_kick(b);
	}
	raw_spin_unlock_irqrestore(&q->lock, flags);
	return err;
}

static bool bcm2835dma_settled(const struct bcm2835dma_job *job)
{
	/* pairs with bcm2835dma_report() */
	return smp_load_acquire(&job->state) == BCM2835DMA_IDLE &&
	       !atomic_read_acquire(&job->calling);
}

/**
 * bcm2835dma_settle() - wait until a job's function has returned
 * @job: the job, over
 *
 * Interrupts are off where it is called from, so that it does not take long.
 *
 * Context: process
 */
void bcm2835dma_settle(const struct bcm2835dma_job *job)
{
	while (!bcm2835dma_settled(job))
		cpu_relax();
}

/**
 * bcm2835dma_cancel() - take a job back, or wait for its end
 * @b: controller
 * @job: the job, not submitted by anyone any more
 *
 * When it returns the job is idle and its function has returned.
 *
 * Context: process, may sleep
 * Return: true if it was taken back: its function is not called
 */
bool bcm2835dma_cancel(struct bcm2835dma *b, struct bcm2835dma_job *job)
{
	struct bcm2835dma_queue *q = &b->queue;
	unsigned long flags;
	bool taken = false;

	raw_spin_lock_irqsave(&q->lock, flags);
	if (job->state == BCM2835DMA_QUEUED) {
		list_del_init(&job->node);
		job->state = BCM2835DMA_IDLE;
		q->depth--;
		b->stats.cancelled++;
		taken = true;
	}
	raw_spin_unlock_irqrestore(&q->lock, flags);

	/* the timer sees to it that this ends */
	while (!bcm2835dma_settled(job))
		usleep_range(50, 200);
	return taken;
}

/**
 * bcm2835dma_flush() - take all waiting messages out of the queue
 * @b: controller
 * @status: their result
 * @prepared: prepared ones, too
 *
 * Context: any without the lock
 */
void bcm2835dma_flush(struct bcm2835dma *b, int status, bool prepared)
{
	struct bcm2835dma_queue *q = &b->queue;
	struct bcm2835dma_job *job, *next;
	unsigned long flags;
	LIST_HEAD(over);

	raw_spin_lock_irqsave(&q->lock, flags);
	list_for_each_entry_safe(job, next, &q->ordinary, node)
		if (job->class == BCM2835DMA_ORDINARY)
			bcm2835dma_over(b, job, status, &over);
	if (prepared)
		list_for_each_entry_safe(job, next, &q->prepared, node)
			bcm2835dma_over(b, job, status, &over);
	raw_spin_unlock_irqrestore(&q->lock, flags);

	bcm2835dma_report(&over);
}

static void bcm2835dma_granted(struct bcm2835dma_job *job)
{
	complete(&container_of(job, struct bcm2835dma_turn, job)->granted);
}

/**
 * bcm2835dma_acquire() - get the SPI block for the CPU
 * @b: controller
 * @turn: stays in use until bcm2835dma_release()
 * @spi: whose message it is for, in the order of which it gets it; may be NULL
 *
 * Returns when nothing is running, and nothing will be started.
 *
 * Context: process, may sleep
 */
void bcm2835dma_acquire(struct bcm2835dma *b, struct bcm2835dma_turn *turn,
			struct spi_device *spi)
{
	if (!b->rx) {
		/* the SPI core lets one at a time come here */
		bcm2835dma_release_held(&b->queue, spi);
		return;
	}
	init_completion(&turn->granted);
	bcm2835dma_job_init(&turn->job, BCM2835DMA_EXCLUSIVE, spi, bcm2835dma_granted);
	/* a new job, and not one of those that are refused */
	bcm2835dma_submit(b, &turn->job);
	/* the timer sees to it that this ends */
	wait_for_completion(&turn->granted);
}

/**
 * bcm2835dma_release() - the CPU is done with the SPI block
 * @b: controller
 * @turn: what bcm2835dma_acquire() was given
 *
 * Context: process
 */
void bcm2835dma_release(struct bcm2835dma *b, struct bcm2835dma_turn *turn)
{
	struct bcm2835dma_queue *q = &b->queue;
	unsigned long flags;

	if (!b->rx)
		return;
	raw_spin_lock_irqsave(&q->lock, flags);
	WARN_ON(q->owner != &turn->job);
	q->owner = NULL;
	q->depth--;
	bcm2835dma_kick(b);
	raw_spin_unlock_irqrestore(&q->lock, flags);
}

static void bcm2835dma_set_stopped(struct bcm2835dma_queue *q, bool stopped)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&q->lock, flags);
	q->stopped = stopped;
	raw_spin_unlock_irqrestore(&q->lock, flags);
}

/**
 * bcm2835dma_stop() - let the running chain end, refuse everything else
 * @b: controller
 *
 * Waiting messages are reported with -ESHUTDOWN.
 *
 * Context: process, may sleep
 */
void bcm2835dma_stop(struct bcm2835dma *b)
{
	struct bcm2835dma_turn turn;

	bcm2835dma_set_stopped(&b->queue, true);
	bcm2835dma_acquire(b, &turn, NULL);
	bcm2835dma_flush(b, -ESHUTDOWN, true);
	bcm2835dma_release(b, &turn);
	timer_delete_sync(&b->queue.timer);
}

/**
 * bcm2835dma_go() - take messages again
 * @b: controller
 *
 * Context: process
 */
void bcm2835dma_go(struct bcm2835dma *b)
{
	bcm2835dma_set_stopped(&b->queue, false);
}

/**
 * bcm2835dma_stats_add() - count something outside of the queue
 * @b: controller
 * @counter: one of its statistics
 * @n: how much
 *
 * Context: any without the lock
 */
void bcm2835dma_stats_add(struct bcm2835dma *b, u64 *counter, u64 n)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&b->queue.lock, flags);
	*counter += n;
	raw_spin_unlock_irqrestore(&b->queue.lock, flags);
}

/**
 * bcm2835dma_queue_init() - an empty queue
 * @b: controller
 *
 * Context: probe
 */
void bcm2835dma_queue_init(struct bcm2835dma *b)
{
	struct bcm2835dma_queue *q = &b->queue;

	raw_spin_lock_init(&q->lock);
	INIT_LIST_HEAD(&q->prepared);
	INIT_LIST_HEAD(&q->ordinary);
	INIT_LIST_HEAD(&q->linked);
	timer_setup(&q->timer, bcm2835dma_watch, 0);
}
