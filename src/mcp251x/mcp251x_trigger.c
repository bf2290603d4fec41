// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interrupt: a level or an edge?
 *
 * If the device tree says that INT is a level, it is one as long as frames come slowly: none can be
 * overlooked. But a level stays until the message has cleared its reason, so that the interrupt
 * has to be disabled until then, and somebody has to enable it. When frames come fast, it
 * is made an edge: nothing has to be done at the end of a message (mcp251x_rate.c). An edge that
 * gets lost is found by the watch (mcp251x_irq.c), which comes every millisecond then.
 */

#include "mcp251x.h"

#include <linux/irq.h>

/* Looks at the rate without many frames until it is a level again: 1 s */
#define MCP251X_TRIGGER_SLOW	100

static unsigned int mcp251x_trigger_edge(u32 level)
{
	return level == IRQ_TYPE_LEVEL_HIGH ? IRQ_TYPE_EDGE_RISING : IRQ_TYPE_EDGE_FALLING;
}

static bool mcp251x_trigger_change(struct mcp251x_priv *priv, bool edge)
{
	struct mcp251x_machine *m = &priv->machine;
	int irq = priv->spi->irq;
	int err;

	/* until it is known to be an edge, what a level needs is done, which is right for both */
	raw_spin_lock_irq(&m->lock);
	m->level = true;
	raw_spin_unlock_irq(&m->lock);

	err = irq_set_irq_type(irq, edge ? mcp251x_trigger_edge(m->trigger) : m->trigger);

	raw_spin_lock_irq(&m->lock);
	if (err) {
		m->edge_refused = true;
		m->edge = false;
	} else if (edge) {
		m->level = false;
	}
	raw_spin_unlock_irq(&m->lock);
	return !err;
}

static void mcp251x_trigger_work(struct work_struct *work)
{
	struct mcp251x_priv *priv = container_of(work, struct mcp251x_priv, machine.trigger_work);

	/* there may have been no edge since it is one */
	if (mcp251x_trigger_change(priv, READ_ONCE(priv->machine.edge)))
		mcp251x_irq_look(priv);
}

/**
 * mcp251x_trigger_tick() - what shall it be?
 * @priv: interface
 *
 * Context: any, with the machine's lock held
 */
void mcp251x_trigger_tick(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;
	bool edge = m->edge;

	if (!(m->trigger & IRQ_TYPE_LEVEL_MASK) || m->edge_refused || !mcp251x_spi_in_irq(priv))
		return;
	if (m->quick) {
		edge = true;
		m->slow = 0;
	} else if (++m->slow >= MCP251X_TRIGGER_SLOW) {
		edge = false;
	}
	if (edge != m->edge) {
		WRITE_ONCE(m->edge, edge);
		schedule_work(&m->trigger_work);
	}
}

/**
 * mcp251x_trigger_setup() - prepare it once
 * @priv: interface
 *
 * Context: probe
 */
void mcp251x_trigger_setup(struct mcp251x_priv *priv)
{
	INIT_WORK(&priv->machine.trigger_work, mcp251x_trigger_work);
}

/**
 * mcp251x_trigger_reset() - as the device tree says
 * @priv: interface; the machine has been told to stop, and its watch has
 *
 * Context: process
 */
void mcp251x_trigger_reset(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;

	cancel_work_sync(&m->trigger_work);
	if (m->edge)
		mcp251x_trigger_change(priv, false);
	m->edge = false;
	m->slow = 0;
}
