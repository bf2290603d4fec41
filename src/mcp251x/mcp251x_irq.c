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

/* Failures of SPI messages in a row before the controller is given up */
#define MCP251X_FAILURES_MAX	50
#define MCP251X_FAILURES_QUICK	3
/* Interrupts without a reason, in a row, and the time without them that they cause */
#define MCP251X_EMPTY_MAX	64
#define MCP251X_POLLS		1000
#define MCP251X_POLL_MS		1

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

/* Somebody wants something: own the controller, if nobody does. Under the lock. */
static enum mcp251x_step mcp251x_irq_own(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;

	if (m->busy || !m->running || m->retry)
		return MCP251X_STEP_NONE;
	m->busy = true;
	return mcp251x_irq_choose(priv);
}

/*
 * Nobody owns the controller any more, so the interrupt may come. While a level was masked it may
 * have become an edge, which was not seen then: look, and become the owner again.
 */
static enum mcp251x_step mcp251x_irq_idle(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;
	enum mcp251x_step step = MCP251X_STEP_NONE;
	unsigned long flags;

	raw_spin_lock_irqsave(&m->lock, flags);
	if (m->irq_off && !m->busy && m->running && !m->polling && !m->retry) {
		m->irq_off = false;
		/* under the lock: it may be about to be stopped and freed */
		enable_irq(priv->spi->irq);
		if (unlikely(m->edge)) {
			m->look = true;
			step = mcp251x_irq_own(priv);
		}
	}
	raw_spin_unlock_irqrestore(&m->lock, flags);
	return step;
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

/* Is there something that the owner should know of before long? */
static bool mcp251x_irq_wanted(const struct mcp251x_priv *priv)
{
	const struct mcp251x_machine *m = &priv->machine;

	return READ_ONCE(m->look) || READ_ONCE(m->request) || !READ_ONCE(m->running) ||
	       READ_ONCE(priv->tx.head) != READ_ONCE(priv->tx.next);
}

/* Nobody shall wait for the end of a silent message until somebody happens to look for it. */
static void mcp251x_irq_hurry(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;

	/* what is wanted is told before; pairs with mcp251x_irq_start_message() */
	smp_mb();
	if (READ_ONCE(m->silent))
		mcp251x_spi_finish(priv, READ_ONCE(m->step));
}

/* Start a message, and be the owner no more. Returns false if that failed. */
static bool mcp251x_irq_start_message(struct mcp251x_priv *priv, enum mcp251x_step step)
{
	struct mcp251x_machine *m = &priv->machine;
	bool silent;

	mcp251x_step_fill(priv, step);
	silent = mcp251x_rate_begin(priv, step);
	WRITE_ONCE(m->step, step);
	WRITE_ONCE(m->silent, silent);
	if (unlikely(mcp251x_spi_submit(priv, step, silent,
					step == MCP251X_STEP_REQUEST ? m->request : NULL))) {
		WRITE_ONCE(m->silent, false);
		return false;
	}
	if (!silent)
		return true;
	/* first the message, then what is wanted; pairs with mcp251x_irq_hurry() */
	smp_mb();
	if (unlikely(mcp251x_irq_wanted(priv)))
		mcp251x_spi_finish(priv, step);
	return true;
}

/* The caller is the owner, or nobody if there is no step. */
static void mcp251x_irq_go(struct mcp251x_priv *priv, enum mcp251x_step step)
{
	if (step == MCP251X_STEP_NONE)
		step = mcp251x_irq_idle(priv);
	while (step != MCP251X_STEP_NONE) {
		if (likely(mcp251x_irq_start_message(priv, step)))
			return;
		step = mcp251x_irq_failed(priv, step);
		if (step == MCP251X_STEP_NONE)
			step = mcp251x_irq_idle(priv);
	}
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

	WRITE_ONCE(m->silent, false);
	mcp251x_rate_over(priv, step);
	if (unlikely(status || !mcp251x_step_parse(priv, step))) {
		mcp251x_irq_go(priv, mcp251x_irq_failed(priv, step));
		return;
	}
	m->failures = 0;
	mcp251x_rate_parsed(priv, step);

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

/* Something is wanted: the caller has become the owner by it, or there is one. Without the lock. */
static void mcp251x_irq_push(struct mcp251x_priv *priv, enum mcp251x_step step)
{
	if (step != MCP251X_STEP_NONE)
		mcp251x_irq_go(priv, step);
	else
		mcp251x_irq_hurry(priv);
}

static void mcp251x_irq_kick(struct mcp251x_priv *priv, bool look)
{
	struct mcp251x_machine *m = &priv->machine;
	enum mcp251x_step step;
	unsigned long flags;

	raw_spin_lock_irqsave(&m->lock, flags);
	if (look)
		m->look = true;
	step = mcp251x_irq_own(priv);
	raw_spin_unlock_irqrestore(&m->lock, flags);
	mcp251x_irq_push(priv, step);
}

/**
 * mcp251x_irq_look() - look at the controller, whether or not it interrupts
 * @priv: interface
 *
 * Context: any
 */
void mcp251x_irq_look(struct mcp251x_priv *priv)
{
	mcp251x_irq_kick(priv, true);
}

/**
 * mcp251x_irq_frame() - there is a frame to send
 * @priv: interface
 *
 * Context: any
 */
void mcp251x_irq_frame(struct mcp251x_priv *priv)
{
	mcp251x_irq_kick(priv, false);
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
	mcp251x_irq_push(priv, step);
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
	/* a silent message may be over: what it has seen at its end decides */
	m->irq_look = (!m->busy || READ_ONCE(m->silent)) && !m->watch_look;
	m->irq_came = !m->busy;
	m->deaf = false;
	if ((m->level || m->polling || !m->running) && !m->irq_off) {
		m->irq_off = true;
		disable_irq_nosync(irq);
	}
	step = mcp251x_irq_own(priv);
	raw_spin_unlock_irqrestore(&m->lock, flags);
	mcp251x_irq_push(priv, step);
	return IRQ_HANDLED;
}

static enum hrtimer_restart mcp251x_irq_watch(struct hrtimer *timer)
{
	struct mcp251x_priv *priv = container_of(timer, struct mcp251x_priv, machine.watch);
	struct mcp251x_machine *m = &priv->machine;
	enum mcp251x_step step = MCP251X_STEP_NONE;
	unsigned int ms = m->level ? MCP251X_WATCH_MS : MCP251X_WATCH_EDGE_MS;
	unsigned long flags;
	bool rate, still;

	raw_spin_lock_irqsave(&m->lock, flags);
	if (!m->running) {
		raw_spin_unlock_irqrestore(&m->lock, flags);
		return HRTIMER_NORESTART;
	}
	m->ticked = true;
	m->retry = false;
	rate = --m->ticks == 0;
	if (rate)
		mcp251x_rate_tick(priv);
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
	still = m->seen == priv->counters.spi_messages;
	if (!m->busy) {
		m->watch_look = still;
		m->plan.flush |= m->watch_look;
		m->look |= m->watch_look || m->polling || m->deaf;
		step = mcp251x_irq_own(priv);
	}
	m->seen = priv->counters.spi_messages;
	mcp251x_irq_arm(priv, ms);
	raw_spin_unlock_irqrestore(&m->lock, flags);

	if (step == MCP251X_STEP_NONE)
		step = mcp251x_irq_idle(priv);
	if (step != MCP251X_STEP_NONE)
		mcp251x_irq_go(priv, step);
	else if (still)
		mcp251x_irq_hurry(priv);
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
	mcp251x_trigger_setup(priv);
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

	err = mcp251x_spi_open(priv);
	if (err)
		return err;

	m->trigger = irq_get_trigger_type(irq);
	if (!m->trigger)
		flags |= IRQF_TRIGGER_FALLING;
	m->level = m->trigger & IRQ_TYPE_LEVEL_MASK;
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
	m->ticks = 1;
	m->irq_came = false;
	m->deaf = false;
	m->polling = false;
	m->polls = 0;
	m->failures = 0;
	m->empty = 0;
	m->silent = false;
	mcp251x_rate_reset(priv);
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
	mcp251x_trigger_reset(priv);
	mcp251x_irq_hurry(priv);
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
