// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frames that come fast
 *
 * At a high rate the interrupt is given one reason only, so that it tells what is to be read, and
 * the CPU has less to do for each frame:
 *
 * - a frame waits for others before it is handed to the stack (mcp251x_irq.c);
 * - the message that reads it ends without an interrupt, if that of the controller is an edge
 *   (mcp251x_trigger.c): when that comes the next time, the message has been over for long;
 * - if the user wants it, a frame waits in the controller for another one, and the interrupt
 *   comes for every second one.
 *
 * The second is not done if something may be left to be read at the end of the message, as that
 * would wait until the next interrupt. READ STATUS in the message guards against interrupts
 * without a reason, but what is then to be done would come late, too; so one that was
 * delivered late must not be possible: no message without this interrupt since the last one.
 *
 * The third is not done by itself: when both buffers are full, the first one has to be read before
 * the next frame ends. Without it there is one frame's time more, for whatever keeps the CPU from
 * that. A kernel that gives back the memory of a process has interrupts off for some 0.1 ms now
 * and then.
 */

#include "mcp251x.h"

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
		 "May a frame wait for others while they come fast, for 1 or 2 ms? 0: no, 1: in memory, 2: also in the controller for another one, which leaves less time before frames are lost; 0 to 2 (default 1)");

/* Frames in MCP251X_WATCH_MS that make the interrupt tell its reason, or not any more */
#define MCP251X_QUICK_ON	16
#define MCP251X_QUICK_OFF	8
/* Looks at the rate until two are waited for again, after frames were lost */
#define MCP251X_PAIR_WAIT	100

static bool mcp251x_rate_trusted(enum mcp251x_step step)
{
	return step == MCP251X_STEP_SURE || step == MCP251X_STEP_PAIR;
}

/**
 * mcp251x_rate_reset() - nothing is known
 * @priv: interface
 *
 * Context: process; the machine does not run
 */
void mcp251x_rate_reset(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;

	m->bit_ns = NSEC_PER_SEC / priv->can.bittiming.bitrate;
	m->quick = false;
	m->pair = false;
	m->sent = false;
	m->frames_seen = m->frames;
	m->calm = false;
	m->last = 0;
	m->gap = NSEC_PER_SEC;
}

/*
 * Has the interrupt come as soon as usual? If not, the controller may have got another frame while
 * it waited for the CPU.
 */
static bool mcp251x_rate_even(struct mcp251x_machine *m, u64 now)
{
	u32 gap = min_t(u64, now - m->last, NSEC_PER_SEC);
	bool even = gap < m->gap + m->gap / 2;

	m->last = now;
	/* the shortest one, but of now, not of long ago; the clock may be set, so it can be 0 */
	m->gap = min_t(u32, gap, m->gap + m->gap / 16 + NSEC_PER_USEC);
	return even;
}

/**
 * mcp251x_rate_begin() - a message is about to be started
 * @priv: interface
 * @step: which
 *
 * Context: any; the owner of the controller
 * Return: whether it may end without an interrupt
 */
bool mcp251x_rate_begin(struct mcp251x_priv *priv, enum mcp251x_step step)
{
	struct mcp251x_machine *m = &priv->machine;
	bool calm = m->calm, quick = READ_ONCE(m->quick), even;
	u64 now;

	m->calm = false;
	if (!mcp251x_rate_trusted(step))
		return false;
	/* what it reads is there, since a moment ago */
	now = ktime_get_real_ns();
	m->now = quick ? now : 0;
	even = mcp251x_rate_even(m, now);
	return calm && quick && !READ_ONCE(m->level) && mcp251x_spi_in_irq(priv) &&
	       (even || step == MCP251X_STEP_PAIR);
}

/**
 * mcp251x_rate_over() - a message has ended
 * @priv: interface
 * @step: which
 *
 * Context: any; the owner of the controller
 */
void mcp251x_rate_over(struct mcp251x_priv *priv, enum mcp251x_step step)
{
	struct mcp251x_machine *m = &priv->machine;

	if (!mcp251x_rate_trusted(step))
		m->now = READ_ONCE(m->quick) ? ktime_get_real_ns() : 0;
}

/**
 * mcp251x_rate_parsed() - what a message has brought is known
 * @priv: interface
 * @step: which
 *
 * Context: any; the owner of the controller
 */
void mcp251x_rate_parsed(struct mcp251x_priv *priv, enum mcp251x_step step)
{
	struct mcp251x_machine *m = &priv->machine;
	u8 left = step == MCP251X_STEP_PAIR ? MCP251X_RXB1 : MCP251X_INT_RX_MASK;

	m->calm = mcp251x_rate_trusted(step) && !m->plan.again && !(m->plan.canintf & left);
}

/**
 * mcp251x_rate_tick() - how does the interrupt serve best?
 * @priv: interface
 *
 * Once in MCP251X_WATCH_MS.
 *
 * Context: any, with the machine's lock held
 */
void mcp251x_rate_tick(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;
	unsigned int now = READ_ONCE(m->frames), frames = now - m->frames_seen;

	m->frames_seen = now;
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
	m->pair = m->quick && !m->pair_wait && mcp251x_coalesce > 1;
	mcp251x_trigger_tick(priv);
}
