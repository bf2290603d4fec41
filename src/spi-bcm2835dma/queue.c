// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who is next: prepared and ordinary messages, one chain
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
#include <linux/ktime.h>

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

/*
 * The timer is left alone as long as it comes early enough: it looks at the deadline, which is not
 * in jiffies, as they stand still while the CPU that counts them has its interrupts off.
 */
static void bcm2835dma_arm_timer(struct bcm2835dma_queue *q)
{
	u64 ns = q->batch_ns * BCM2835DMA_TIMEOUT_FACTOR + BCM2835DMA_TIMEOUT_MS * NSEC_PER_MSEC;
	unsigned long at = jiffies + nsecs_to_jiffies(ns) + 1;

	q->deadline = ktime_get_ns() + ns;
	if (!timer_pending(&q->timer) || time_before(at, q->timer.expires))
		mod_timer(&q->timer, at);
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
	WRITE_ONCE(job->silent, job->poll && (!last || last->silent));
	if (job->silent)
		bcm2835dma_chain_follow(&job->chain, 0);
	if (!last)
		return;
	bcm2835dma_then(b, last, bcm2835dma_chain_first(&job->chain));
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

/**
 * bcm2835dma_kick() - link what waits, start it if nothing runs
 * @b: controller
 *
 * Context: any, with the queue's lock held
 */
void bcm2835dma_kick(struct bcm2835dma *b)
{
	struct bcm2835dma_queue *q = &b->queue;
	struct bcm2835dma_job *job;

	while (!q->owner && (job = bcm2835dma_choose(q))) {
		if (job->class == BCM2835DMA_EXCLUSIVE && list_empty(&q->linked)) {
			bcm2835dma_grant(q, job);
			break;
		}
		/* after an exclusive one nothing goes any more; it waits for the chain's end */
		if (job->class == BCM2835DMA_EXCLUSIVE || !bcm2835dma_fits(q, job)) {
			bcm2835dma_speak(b);
			break;
		}
		bcm2835dma_link(b, job);
	}
	if (!q->running && !list_empty(&q->linked))
		bcm2835dma_start(b);
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
	job->poll = false;
	job->silent = false;
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
 * @poll: see struct bcm2835dma_job
 *
 * Context: any
 * Return: 0, -EBUSY if it is there already, -EAGAIN if it has to be compiled anew, -ESHUTDOWN
 */
int bcm2835dma_submit(struct bcm2835dma *b, struct bcm2835dma_job *job, bool poll)
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
		job->poll = poll;
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

/*
 * Idle, and its function is not running: it may be about to submit the job again, which the lock
 * keeps from happening between the two looks.
 */
static bool bcm2835dma_quiet(struct bcm2835dma_queue *q, const struct bcm2835dma_job *job)
{
	unsigned long flags;
	bool quiet;

	raw_spin_lock_irqsave(&q->lock, flags);
	quiet = bcm2835dma_settled(job);
	raw_spin_unlock_irqrestore(&q->lock, flags);
	return quiet;
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
	} else if (job->state == BCM2835DMA_LINKED) {
		/* nobody looks for its end any more */
		bcm2835dma_speak(b);
	}
	raw_spin_unlock_irqrestore(&q->lock, flags);

	/* the timer sees to it that this ends */
	while (!bcm2835dma_quiet(q, job))
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

	raw_spin_lock_irqsave(&q->lock, flags);
	list_for_each_entry_safe(job, next, &q->ordinary, node)
		if (job->class == BCM2835DMA_ORDINARY)
			bcm2835dma_over(b, job, status);
	if (prepared)
		list_for_each_entry_safe(job, next, &q->prepared, node)
			bcm2835dma_over(b, job, status);
	raw_spin_unlock_irqrestore(&q->lock, flags);

	bcm2835dma_report(b);
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
	bcm2835dma_submit(b, &turn->job, false);
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
	INIT_LIST_HEAD(&q->over);
	timer_setup(&q->timer, bcm2835dma_watch, 0);
}
