// SPDX-License-Identifier: GPL-2.0-only
/*
 * Error states, bus errors, overruns, bus-off and restart
 *
 * EFLG tells the state, TEC and REC are the counters behind it. ERRIF is set when a state
 * gets worse, nothing tells that it gets better: while it is not error-active, the data
 * path samples EFLG. Numbers in parentheses are sections of DS20001801J.
 *
 * A chip that is bus-off would take part in traffic again by itself (6.6), after 1.4 ms at
 * 1 Mbit/s, and send what is pending. The data path puts it into configuration mode before,
 * so that it is the restart that begins anew, by restart-ms or by hand.
 */

#include "mcp251x.h"

static enum can_state mcp251x_state_of(u8 eflg, u8 passive, u8 warning)
{
	if (eflg & passive)
		return CAN_STATE_ERROR_PASSIVE;
	if (eflg & warning)
		return CAN_STATE_ERROR_WARNING;
	return CAN_STATE_ERROR_ACTIVE;
}

static void mcp251x_error_counters(struct can_frame *cf, const struct mcp251x_error *error)
{
	cf->can_id |= CAN_ERR_CNT;
	cf->data[6] = error->tec;
	cf->data[7] = error->rec;
}

static void mcp251x_change_state(struct mcp251x_priv *priv, const struct mcp251x_error *error)
{
	enum can_state tx_state, rx_state;
	struct can_frame *cf = NULL;
	u8 eflg = error->eflg;
	struct sk_buff *skb;

	tx_state = mcp251x_state_of(eflg, MCP251X_EFLG_TXEP, MCP251X_EFLG_TXWAR);
	rx_state = mcp251x_state_of(eflg, MCP251X_EFLG_RXEP, MCP251X_EFLG_RXWAR);
	if (eflg & MCP251X_EFLG_TXBO)
		tx_state = CAN_STATE_BUS_OFF;
	if (max(tx_state, rx_state) == priv->can.state)
		return;

	skb = alloc_can_err_skb(priv->dev, &cf);
	can_change_state(priv->dev, cf, tx_state, rx_state);
	if (priv->can.state == CAN_STATE_BUS_OFF)
		can_bus_off(priv->dev);
	if (!skb)
		return;

	/* the counter is at its end then, eight bits do not hold it */
	if (priv->can.state != CAN_STATE_BUS_OFF)
		mcp251x_error_counters(cf, error);
	netif_receive_skb(skb);
}

/* MERRF: a frame was not sent or not received. The chip does not tell which, nor what it was. */
static void mcp251x_bus_error(struct mcp251x_priv *priv, const struct mcp251x_error *error)
{
	struct can_frame *cf = NULL;
	struct sk_buff *skb;

	/* without MERRE the flag is seen by chance only */
	if (!(priv->can.ctrlmode & CAN_CTRLMODE_BERR_REPORTING))
		return;

	priv->can.can_stats.bus_error++;
	skb = alloc_can_err_skb(priv->dev, &cf);
	if (!skb)
		return;

	cf->can_id |= CAN_ERR_PROT | CAN_ERR_BUSERROR;
	mcp251x_error_counters(cf, error);
	netif_receive_skb(skb);
}

/**
 * mcp251x_error_event() - report what the data path has sampled
 * @priv: interface
 * @error: flags and counters
 *
 * Context: the poll function
 */
void mcp251x_error_event(struct mcp251x_priv *priv, const struct mcp251x_error *error)
{
	/* the restart has not been asked for yet: what comes is history */
	if (priv->can.state == CAN_STATE_BUS_OFF)
		return;

	if (error->canintf & MCP251X_INT_MERR)
		mcp251x_bus_error(priv, error);
	mcp251x_change_state(priv, error);
}

/**
 * mcp251x_error_overflow() - frames were lost, the buffers were full
 * @priv: interface
 *
 * The chip does not count them: one event is one frame or more.
 *
 * Context: the poll function
 */
void mcp251x_error_overflow(struct mcp251x_priv *priv)
{
	struct can_frame *cf = NULL;
	struct sk_buff *skb;

	priv->dev->stats.rx_over_errors++;
	priv->dev->stats.rx_errors++;

	skb = alloc_can_err_skb(priv->dev, &cf);
	if (!skb)
		return;
	cf->can_id |= CAN_ERR_CRTL;
	cf->data[1] = CAN_ERR_CRTL_RX_OVERFLOW;
	netif_receive_skb(skb);
}

/**
 * mcp251x_get_berr_counter() - can_priv.do_get_berr_counter
 * @dev: net device
 * @bec: result; zero while the interface is down
 *
 * Context: process, RTNL held, may sleep
 * Return: 0 or a negative error of the SPI controller
 */
int mcp251x_get_berr_counter(const struct net_device *dev, struct can_berr_counter *bec)
{
	struct mcp251x_priv *priv = netdev_priv(dev);
	u8 count[2] = { 0, 0 };
	int err = 0;

	mutex_lock(&priv->core_lock);
	/* TEC and REC are neighbours */
	if (priv->running)
		err = mcp251x_reg_read(priv, MCP251X_TEC, count, sizeof(count));
	mutex_unlock(&priv->core_lock);

	bec->txerr = count[0];
	bec->rxerr = count[1];
	return err;
}

/**
 * mcp251x_set_mode() - can_priv.do_set_mode
 * @dev: net device
 * @mode: CAN_MODE_START: leave bus-off
 *
 * Context: process, may sleep: the restart work, or RTNL held
 * Return: 0 or -EOPNOTSUPP
 */
int mcp251x_set_mode(struct net_device *dev, enum can_mode mode)
{
	struct mcp251x_priv *priv = netdev_priv(dev);
	int err = 0;

	if (mode != CAN_MODE_START)
		return -EOPNOTSUPP;

	mutex_lock(&priv->core_lock);
	/* else it is being taken down */
	if (priv->up) {
		mcp251x_halt(priv);
		priv->can.state = CAN_STATE_ERROR_ACTIVE;
		/* the data path has asked for it, too, but did not wait; clears the counters */
		err = mcp251x_chip_set_mode(priv, MCP251X_CANCTRL_REQOP_CONFIG |
					    MCP251X_CANCTRL_ABAT);
		if (!err)
			err = mcp251x_run(priv);
	}
	mutex_unlock(&priv->core_lock);

	/* the core would not try again: we do */
	if (err)
		mcp251x_recover(priv, "it could not be restarted");
	return 0;
}
