// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may talk to the controller
 *
 * All that talks to it while the interface is up goes through one machine: somebody owns
 * the controller while a message is under way, nobody otherwise. Whoever wants something, be it the
 * interrupt, the transmit function, a timer, or a process, says so, and becomes the owner if there
 * is none. The end of each message is where the owner looks at what came back, asks the
 * plan, and starts the next one, until nothing is left to be done.
 *
 * So nothing waits, and it does not matter in which context it goes on: that of the interrupt
 * where the SPI controller's driver has prepared messages, else that of spi_async()'s callbacks.
 *
 * An interrupt that is a level is disabled from its handler on until there is no owner any more.
 */

#include "mcp251x.h"

#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/ktime.h>
#include <linux/module.h>

#define MCP251X_COALESCE_MAX	2
static unsigned int mcp251x_coalesce = 1;

static int mcp251x_set_coalesce(const char *value, const struct kernel_param *param)
{
	int err = param_set_uint_minmax(value, param, 0, MCP251X_COALESCE_MAX);

	if (err)
		pr_err("mcp251x: coalesce=%.*s is not 0, 1 or 2\n",
		       (int)strcspn(value, "\n"), value);
	return err;
}

static const struct kernel_param_ops mcp251x_coalesce_ops = {
	.set = mcp251x_set_coalesce,
	.get = param_get_uint,
};

module_param_cb(coalesce, &mcp251x_coalesce_ops, &mcp251x_coalesce, 0644);
__MODULE_PARM_TYPE(coalesce, "uint");
MODULE_PARM_DESC(coalesce,
		 "May a frame wait for others while they come fast, for 1 or 2 ms? 0: no, 1: yes, also for another one in the controller while frames are long enough, 2: dito, however short they are; 0 to 2 (default 1)");

/* Failures of SPI messages in a row before the controller is given up */
#define MCP251X_FAILURES_MAX	50
#define MCP251X_FAILURES_QUICK	3
/* Interrupts without a reason, in a row, and the time without them that they cause */
#define MCP251X_EMPTY_MAX	64
#define MCP251X_POLLS		1000
#define MCP251X_POLL_MS		1
/* Frames in MCP251X_WATCH_MS that make the interrupt tell its reason, or not any more */
#define MCP251X_QUICK_ON	16
#define MCP251X_QUICK_OFF	8
/*
 * Two at a time: when both buffers are full, the first one has to be read before the next frame
 * ends. Without that there is one frame's time more, for whatever keeps the CPU from it. So a
 * frame must take as long as reading one, and the CPU may be late by this:
 */
#define MCP251X_PAIR_LATE_NS	(45 * NSEC_PER_USEC)
/* Frames, all of them so long, that show what the bus carries */
#define MCP251X_PAIR_LONG	256
/* Looks at the rate; not so soon after frames were lost */
#define MCP251X_PAIR_WAIT	100
/* Bytes of MCP251X_STEP_SURE and _PAIR on SPI */
#define MCP251X_SURE_BYTES	20
#define MCP251X_PAIR_BYTES	34
/* A frame waits for others no longer than about twice this */
#define MCP251X_QUICK_MS	1

/*
 * The next step of the owner, or none: then nobody owns the controller, and the caller calls
 * mcp251x_irq_idle(). Under the lock.
 */
static enum mcp251x_step mcp251x_irq_choose(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;
	struct mcp251x_plan *plan = &m->plan;
	struct mcp251x_want want = {
		.look = m->look,
		.irq = m->irq_look,
		.status = m->status,
		.request = m->request,
		/* pairs with the release in mcp251x_start_xmit() */
		.frame = smp_load_acquire(&priv->tx.head) != priv->tx.next,
	};
	enum mcp251x_step step = MCP251X_STEP_NONE;

	if (unlikely(m->ticked)) {
		m->ticked = false;
		mcp251x_plan_tick(plan);
	}
	if (want.frame) {
		m->sent = true;
		m->quick = false;
		m->pair = false;
	}
	if (m->long_frames < MCP251X_PAIR_LONG)
		m->pair = false;
	plan->pair = m->pair;
	if (m->quick)
		plan->inte_want = MCP251X_INT_RX(m->pair);
	else
		plan->inte_want = priv->inte | MCP251X_INT_RX_MASK | MCP251X_INT_TX_MASK;

	if (likely(m->running))
		step = mcp251x_plan_next(plan, &want);
	else if (want.request)
		step = MCP251X_STEP_REQUEST;

	if (step == MCP251X_STEP_STATUS)
		m->status = false;
	/* every message looks */
	m->look = false;
	m->irq_look = false;
	if (step == MCP251X_STEP_NONE) {
		m->busy = false;
		if (unlikely(!m->running))
			complete(&m->idle);
	}
	return step;
}

/* Nobody owns the controller any more, so the interrupt may come. */
static void mcp251x_irq_idle(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;
	unsigned long flags;

	raw_spin_lock_irqsave(&m->lock, flags);
	if (m->irq_off && !m->busy && m->running && !m->polling && !m->retry) {
		m->irq_off = false;
		/* under the lock: it may be about to be stopped and freed */
		enable_irq(priv->spi->irq);
	}
	raw_spin_unlock_irqrestore(&m->lock, flags);
}

/* A message has failed, so its effect is not known. Try again, but not at full speed for ever. */
static enum mcp251x_step mcp251x_irq_failed(struct mcp251x_priv *priv, enum mcp251x_step step)
{
	struct mcp251x_machine *m = &priv->machine;
	unsigned long flags;

	priv->counters.spi_errors++;
	if (++m->failures == MCP251X_FAILURES_MAX)
		mcp251x_recover(priv, "its answers are missing or make no sense");

	raw_spin_lock_irqsave(&m->lock, flags);
	m->plan.canintf = 0;
	/* what CANINTE is now is not known, either */
	m->plan.inte = ~mcp251x_plan_inte(&m->plan);
	m->status = true;
	m->began = 0;
	m->irq_came = false;
	/* whoever waits shall not wait until it works again, which it may never do */
	if (m->request && (step == MCP251X_STEP_REQUEST ||
			   m->failures > MCP251X_FAILURES_QUICK)) {
		m->request->status = -EIO;
		complete(&m->request->done);
		m->request = NULL;
	}
	if (m->failures <= MCP251X_FAILURES_QUICK) {
		m->look = true;
		step = mcp251x_irq_choose(priv);
	} else {
		m->retry = true;
		m->busy = false;
		if (!m->running)
			complete(&m->idle);
		step = MCP251X_STEP_NONE;
	}
	raw_spin_unlock_irqrestore(&m->lock, flags);
	return step;
}

static bool mcp251x_irq_measured(enum mcp251x_step step)
{
	return step == MCP251X_STEP_SURE || step == MCP251X_STEP_PAIR;
}

/*
 * What reading takes is not what the SPI clock makes believe: the clock may be another one, and
 * others may be using SPI. Longer ones count at once.
 */
static void mcp251x_irq_measure(struct mcp251x_machine *m, enum mcp251x_step step)
{
	u32 ns = min_t(u64, ktime_get_ns() - m->began, NSEC_PER_MSEC);

	m->began = 0;
	if (step == MCP251X_STEP_PAIR)
		ns = ns * MCP251X_SURE_BYTES / MCP251X_PAIR_BYTES;
	if (ns > m->read_ns)
		m->read_ns = ns;
	else
		m->read_ns -= (m->read_ns - ns) / 8;
}

/* The caller is the owner. */
static void mcp251x_irq_go(struct mcp251x_priv *priv, enum mcp251x_step step)
{
	while (step != MCP251X_STEP_NONE) {
		mcp251x_step_fill(priv, step);
		if (unlikely(READ_ONCE(priv->machine.measure)) && mcp251x_irq_measured(step)) {
			WRITE_ONCE(priv->machine.measure, false);
			priv->machine.began = ktime_get_ns();
		}
		if (likely(!mcp251x_spi_submit(priv, step, step == MCP251X_STEP_REQUEST ?
					       priv->machine.request : NULL)))
			return;
		step = mcp251x_irq_failed(priv, step);
	}
	mcp251x_irq_idle(priv);
}

/* When shall @watch be there? Under the lock, running. */
static void mcp251x_irq_arm(struct mcp251x_priv *priv, unsigned int ms)
{
	hrtimer_start(&priv->machine.watch, ms_to_ktime(ms),
		      mcp251x_spi_in_irq(priv) ? HRTIMER_MODE_REL_HARD : HRTIMER_MODE_REL_SOFT);
}

/*
 * A look has ended: has the interrupt come with a reason, and has it come for what is there? INT
 * may be stuck, not wired to us, or an edge was lost. Under the lock.
 */
static void mcp251x_irq_judge(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;
	bool reason = m->plan.canintf & m->plan.inte;

	if (reason) {
		m->empty = 0;
		if (m->watch_look && !m->look && !m->irq_came) {
			priv->counters.irq_lost++;
			m->deaf = true;
		}
	} else if (m->irq_came && ++m->empty >= MCP251X_EMPTY_MAX) {
		m->empty = 0;
		priv->counters.irq_storms++;
		m->polling = true;
	}
	m->watch_look = false;
	if (reason ? m->deaf : m->polling && !m->polls) {
		m->polls = MCP251X_POLLS;
		if (m->running)
			mcp251x_irq_arm(priv, MCP251X_POLL_MS);
	}
}

/* There is something in the ring since its head was there. */
static void mcp251x_irq_deliver(struct mcp251x_priv *priv, unsigned int head)
{
	const struct mcp251x_ring *ring = &priv->ring;

	/* the next owner may be there already, who delivers what it finds */
	if (READ_ONCE(ring->head) == head)
		return;
	/* or the watch does it, soon */
	if (READ_ONCE(priv->machine.now) &&
	    READ_ONCE(ring->head) - READ_ONCE(ring->tail) < MCP251X_RX_BATCH)
		return;
	mcp251x_rx_schedule(priv);
}

/**
 * mcp251x_irq_over() - a message has ended
 * @priv: interface
 * @step: what it was
 * @status: 0 or a negative error
 *
 * Context: that of the completion of SPI messages
 */
void mcp251x_irq_over(struct mcp251x_priv *priv, enum mcp251x_step step, int status)
{
	struct mcp251x_machine *m = &priv->machine;
	unsigned int head = priv->ring.head;
	unsigned long flags;

	m->now = READ_ONCE(m->quick) ? ktime_get_real_ns() : 0;
	if (unlikely(status || !mcp251x_step_parse(priv, step))) {
		mcp251x_irq_go(priv, mcp251x_irq_failed(priv, step));
		return;
	}
	m->failures = 0;
	if (unlikely(m->began))
		mcp251x_irq_measure(m, step);

	raw_spin_lock_irqsave(&m->lock, flags);
	if (step == MCP251X_STEP_LOOK)
		mcp251x_irq_judge(priv);
	m->irq_came = false;
	if (unlikely(step == MCP251X_STEP_REQUEST)) {
		complete(&m->request->done);
		m->request = NULL;
	}
	step = mcp251x_irq_choose(priv);
	raw_spin_unlock_irqrestore(&m->lock, flags);

	mcp251x_irq_go(priv, step);
	mcp251x_irq_deliver(priv, head);
}

/* Somebody wants something: own the controller, if nobody does. Under the lock. */
static enum mcp251x_step mcp251x_irq_own(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;

	if (m->busy || !m->running || m->retry)
		return MCP251X_STEP_NONE;
	m->busy = true;
	return mcp251x_irq_choose(priv);
}

/**
 * mcp251x_irq_frame() - there is a frame to send
 * @priv: interface
 *
 * Context: any
 */
void mcp251x_irq_frame(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;
	enum mcp251x_step step;
	unsigned long flags;

	raw_spin_lock_irqsave(&m->lock, flags);
	step = mcp251x_irq_own(priv);
	raw_spin_unlock_irqrestore(&m->lock, flags);
	if (step != MCP251X_STEP_NONE)
		mcp251x_irq_go(priv, step);
}

/**
 * mcp251x_irq_ask() - read or write registers while the machine runs
 * @priv: interface
 * @request: what is wanted
 *
 * Context: process, may sleep
 * Return: 0, -ENETDOWN if the machine does not run, -EIO
 */
int mcp251x_irq_ask(struct mcp251x_priv *priv, struct mcp251x_request *request)
{
	struct mcp251x_machine *m = &priv->machine;
	enum mcp251x_step step = MCP251X_STEP_NONE;
	unsigned long flags;
	bool running;

	request->status = 0;
	init_completion(&request->done);

	mutex_lock(&m->ask_lock);
	raw_spin_lock_irqsave(&m->lock, flags);
	running = m->running;
	if (running) {
		m->request = request;
		step = mcp251x_irq_own(priv);
	}
	raw_spin_unlock_irqrestore(&m->lock, flags);
	if (step != MCP251X_STEP_NONE)
		mcp251x_irq_go(priv, step);
	if (running)
		wait_for_completion(&request->done);
	mutex_unlock(&m->ask_lock);
	return running ? request->status : -ENETDOWN;
}

static irqreturn_t mcp251x_irq_handler(int irq, void *arg)
{
	struct mcp251x_priv *priv = arg;
	struct mcp251x_machine *m = &priv->machine;
	enum mcp251x_step step;
	unsigned long flags;

	raw_spin_lock_irqsave(&m->lock, flags);
	m->look = true;
	m->irq_look = !m->busy && !m->watch_look;
	m->irq_came = !m->busy;
	m->deaf = false;
	if ((m->level || m->polling || !m->running) && !m->irq_off) {
		m->irq_off = true;
		disable_irq_nosync(irq);
	}
	step = mcp251x_irq_own(priv);
	raw_spin_unlock_irqrestore(&m->lock, flags);
	if (likely(step != MCP251X_STEP_NONE))
		mcp251x_irq_go(priv, step);
	return IRQ_HANDLED;
}

/*
 * How does the interrupt serve best? At a high rate of frames it shall have one reason only, and if
 * there is time enough between frames it comes for every second one.
 */
static void mcp251x_irq_rate(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;
	unsigned int frames = m->frames, bits = UINT_MAX;

	m->frames = 0;
	if (m->plan.direct || !mcp251x_coalesce || m->sent || m->plan.prio.pending)
		m->quick = false;
	else if (frames >= MCP251X_QUICK_ON)
		m->quick = true;
	else if (frames < MCP251X_QUICK_OFF)
		m->quick = false;
	m->sent = false;

	if (m->overflows != priv->counters.rx_overflows)
		m->pair_wait = MCP251X_PAIR_WAIT;
	else if (m->pair_wait)
		m->pair_wait--;
	m->overflows = priv->counters.rx_overflows;
	m->measure = m->quick;
	if (mcp251x_coalesce > 1)
		bits = 0;
	else if (m->read_ns)
		bits = DIV_ROUND_UP(m->read_ns + MCP251X_PAIR_LATE_NS, m->bit_ns);
	/* if it takes longer than before, frames that were long enough may be no more */
	m->pair = m->quick && !m->pair_wait && bits <= m->pair_bits;
	m->pair_bits = bits;
}

static enum hrtimer_restart mcp251x_irq_watch(struct hrtimer *timer)
{
	struct mcp251x_priv *priv = container_of(timer, struct mcp251x_priv, machine.watch);
	struct mcp251x_machine *m = &priv->machine;
	enum mcp251x_step step = MCP251X_STEP_NONE;
	unsigned int ms = m->level ? MCP251X_WATCH_MS : MCP251X_WATCH_EDGE_MS;
	unsigned long flags;
	bool rate;

	raw_spin_lock_irqsave(&m->lock, flags);
	if (!m->running) {
		raw_spin_unlock_irqrestore(&m->lock, flags);
		return HRTIMER_NORESTART;
	}
	m->ticked = true;
	m->retry = false;
	rate = --m->ticks == 0;
	if (rate)
		mcp251x_irq_rate(priv);
	if (m->quick)
		ms = MCP251X_QUICK_MS;
	if (m->polls && !--m->polls) {
		m->polling = false;
		m->deaf = false;
	}
	/* one-shot mode gives up without a word */
	if (m->plan.prio.pending && priv->tx.one_shot)
		m->status = true;
	if (m->polling || m->deaf || m->status)
		ms = MCP251X_POLL_MS;
	if (rate)
		m->ticks = MCP251X_WATCH_MS / ms;
	if (!m->busy) {
		m->watch_look = m->seen == priv->counters.spi_messages;
		m->plan.flush |= m->watch_look;
		m->look |= m->watch_look || m->polling || m->deaf;
		step = mcp251x_irq_own(priv);
	}
	m->seen = priv->counters.spi_messages;
	mcp251x_irq_arm(priv, ms);
	raw_spin_unlock_irqrestore(&m->lock, flags);

	if (step != MCP251X_STEP_NONE)
		mcp251x_irq_go(priv, step);
	else
		mcp251x_irq_idle(priv);
	if (READ_ONCE(priv->ring.head) != READ_ONCE(priv->ring.tail))
		mcp251x_rx_schedule(priv);
	/* it has been, under the lock: others do so, too */
	return HRTIMER_NORESTART;
}

/**
 * mcp251x_irq_setup() - prepare the machine once
 * @priv: interface
 *
 * Context: probe
 */
void mcp251x_irq_setup(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;

	raw_spin_lock_init(&m->lock);
	mutex_init(&m->ask_lock);
	init_completion(&m->idle);
}

/**
 * mcp251x_irq_request() - get the messages and the interrupt
 * @priv: interface
 *
 * Context: process
 * Return: 0 or a negative error
 */
int mcp251x_irq_request(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;
	int irq = priv->spi->irq, err;
	unsigned long flags = 0;
	u32 trigger;

	err = mcp251x_spi_open(priv);
	if (err)
		return err;

	trigger = irq_get_trigger_type(irq);
	if (!trigger)
		flags |= IRQF_TRIGGER_FALLING;
	m->level = trigger & IRQ_TYPE_LEVEL_MASK;
	m->irq_off = false;
	if (mcp251x_spi_in_irq(priv))
		flags |= IRQF_NO_THREAD;
	canpipe_hrtimer_setup(&m->watch, mcp251x_irq_watch, mcp251x_spi_in_irq(priv) ?
			      HRTIMER_MODE_REL_HARD : HRTIMER_MODE_REL_SOFT);

	err = request_irq(irq, mcp251x_irq_handler, flags, priv->dev->name, priv);
	if (err)
		mcp251x_spi_close(priv);
	return err;
}

/**
 * mcp251x_irq_free() - undo mcp251x_irq_request()
 * @priv: interface; the machine does not run
 *
 * Context: process
 */
void mcp251x_irq_free(struct mcp251x_priv *priv)
{
	free_irq(priv->spi->irq, priv);
	mcp251x_spi_close(priv);
}

/**
 * mcp251x_irq_start() - run the machine
 * @priv: interface; the controller is in the mode it shall be in, with CANINTE all zeros
 *
 * Context: process
 * Return: 0
 */
int mcp251x_irq_start(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;
	enum mcp251x_step step;

	raw_spin_lock_irq(&m->lock);
	mcp251x_plan_reset(&m->plan, priv->rx_direct);
	m->look = false;
	m->irq_look = false;
	m->watch_look = false;
	m->ticked = false;
	m->status = false;
	m->retry = false;
	m->bit_ns = NSEC_PER_SEC / priv->can.bittiming.bitrate;
	m->quick = false;
	m->pair = false;
	m->sent = false;
	m->ticks = 1;
	m->irq_came = false;
	m->deaf = false;
	m->polling = false;
	m->polls = 0;
	m->failures = 0;
	m->empty = 0;
	m->frames = 0;
	m->long_frames = 0;
	m->pair_bits = UINT_MAX;
	m->measure = false;
	m->began = 0;
	m->read_ns = 0;
	reinit_completion(&m->idle);
	m->running = true;
	step = mcp251x_irq_own(priv);
	mcp251x_irq_arm(priv, MCP251X_WATCH_MS);
	raw_spin_unlock_irq(&m->lock);

	mcp251x_irq_go(priv, step);
	return 0;
}

/**
 * mcp251x_irq_stop() - stop the machine; nothing is under way after it
 * @priv: interface
 *
 * Context: process
 */
void mcp251x_irq_stop(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;
	bool busy, enable;
	u8 inte = 0;

	raw_spin_lock_irq(&m->lock);
	m->running = false;
	busy = m->busy;
	raw_spin_unlock_irq(&m->lock);
	/* nobody starts it any more */
	hrtimer_cancel(&m->watch);
	if (busy)
		wait_for_completion(&m->idle);

	/* if it does not answer, its interrupt stays off */
	if (mcp251x_reg_write(priv, MCP251X_CANINTE, &inte, 1))
		return;
	raw_spin_lock_irq(&m->lock);
	enable = m->irq_off;
	m->irq_off = false;
	raw_spin_unlock_irq(&m->lock);
	if (enable)
		enable_irq(priv->spi->irq);
}
