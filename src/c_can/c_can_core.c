// SPDX-License-Identifier: GPL-2.0-only
/*
 * SocketCAN driver for the Bosch C_CAN and D_CAN: life cycle and interrupts
 *
 * The interrupt handler follows INT from cause to cause until there is none:
 * INT names the status or the lowest pending message object, so no other
 * register needs to be searched. It empties the controller into rings, and the
 * poll function does all that takes time. The controller is masked (IE) only
 * when the poll function must catch up or has to take over.
 */

#include "c_can.h"

#include <linux/bitfield.h>
#include <linux/clk.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/module.h>
#include <linux/pinctrl/consumer.h>
#include <linux/pm_runtime.h>

/* Causes served by one interrupt before others get the CPU */
#define C_CAN_SERVE_CAUSES	(2 * C_CAN_MAX_OBJECTS)

static bool c_can_strict_frame_ordering = true;

static int c_can_set_strict_frame_ordering(const char *value, const struct kernel_param *param)
{
	int err = param_set_bool(value, param);

	if (err)
		pr_err("c_can: strict_frame_ordering=%.*s is neither Y nor N\n",
		       (int)strcspn(value, "\n"), value);
	return err;
}

static const struct kernel_param_ops c_can_strict_frame_ordering_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = c_can_set_strict_frame_ordering,
	.get = param_get_bool,
};

module_param_cb(strict_frame_ordering, &c_can_strict_frame_ordering_ops,
		&c_can_strict_frame_ordering, 0644);
__MODULE_PARM_TYPE(strict_frame_ordering, "bool");
MODULE_PARM_DESC(strict_frame_ordering,
		 "Deliver frames in the order of their arrival even if they are read late, for one more register read per frame of a backlog; for interfaces that appear from now on (ethtool --set-priv-flags for the others); Y or N (default Y)");

static const struct can_bittiming_const c_can_bittiming_const = {
	.name = "c_can",
	.tseg1_min = 2,
	.tseg1_max = 16,
	.tseg2_min = 1,
	.tseg2_max = 8,
	.sjw_max = 4,
	.brp_min = 1,
	.brp_max = 1024,
	.brp_inc = 1,
};

static void c_can_irq_enable(struct c_can_priv *priv)
{
	/* before the interrupt can come */
	WRITE_ONCE(priv->irq_enabled, true);
	c_can_write(priv, C_CAN_REG_CTRL, priv->ctrl | C_CAN_CTRL_IE);
}

/*
 * Init must stay as it is. The controller sets it when it goes bus-off, and
 * clearing it begins the recovery, which is not ours to begin.
 */
static void c_can_irq_disable(struct c_can_priv *priv, u32 init)
{
	WRITE_ONCE(priv->irq_enabled, false);
	c_can_write(priv, C_CAN_REG_CTRL, priv->ctrl | init);
}

static u32 c_can_init(const struct c_can_priv *priv)
{
	return c_can_read(priv, C_CAN_REG_CTRL) & C_CAN_CTRL_INIT;
}

static u32 c_can_read_cause(const struct c_can_priv *priv)
{
	return FIELD_GET(C_CAN_INT_ID_MASK, c_can_read(priv, C_CAN_REG_INT));
}

/*
 * Follow INT from cause to cause. Returns true if there was any.
 *
 * While nothing is being sent an interrupt means a frame, most likely: NEWDAT
 * must be looked at anyway, and INT need not be read before.
 */
static bool c_can_serve(struct c_can_priv *priv)
{
	unsigned int served = 0;
	bool any = false;
	u32 cause;

	if (READ_ONCE(priv->tx.head) == priv->tx.done)
		any = c_can_rx_fetch(priv, 0, true);

	while ((cause = c_can_read_cause(priv))) {
		bool first = !any;

		any = true;
		c_can_msgobj_pending(priv, cause);

		if (cause == C_CAN_INT_STATUS) {
			if (!c_can_status_read(priv)) {
				c_can_irq_disable(priv, C_CAN_CTRL_INIT);
				return true;
			}
		} else if (cause > priv->objects) {
			c_can_dead(priv, "INT makes no sense");
		} else if (cause > priv->rx.count) {
			/* first of all: the bus may be idle until this is done */
			c_can_tx_done(priv, cause);
			c_can_rx_settle(priv);
			/* a level interrupts again, should there be more */
			if (priv->irq_level && !priv->dead)
				return true;
		} else {
			c_can_rx_fetch(priv, cause, first);
		}

		if (priv->dead) {
			c_can_irq_disable(priv, c_can_init(priv));
			return true;
		}
		/* too much for the stack: go on when it has caught up */
		if (c_can_rx_full(priv) || ++served >= C_CAN_SERVE_CAUSES) {
			priv->counters.rx_throttled++;
			c_can_rx_pause(priv);
			c_can_irq_disable(priv, c_can_init(priv));
			return true;
		}
	}
	c_can_msgobj_pending(priv, 0);
	c_can_rx_idle(priv);
	c_can_tx_idle(priv);
	return any;
}

static irqreturn_t c_can_isr(int irq, void *dev_id)
{
	struct c_can_priv *priv = dev_id;

	/* masked: a shared line, or the clock is off */
	if (!READ_ONCE(priv->irq_enabled) || !c_can_serve(priv))
		return IRQ_NONE;

	napi_schedule(&priv->napi);
	return IRQ_HANDLED;
}

static void c_can_do_restart(struct c_can_priv *priv)
{
	netif_tx_lock(priv->dev);
	c_can_tx_flush(priv);
	/* what was read before the restart is history */
	priv->sts.tail = priv->sts.head;
	if (c_can_hw_restart(priv)) {
		c_can_dead(priv, "controller does not come back from bus-off");
	} else {
		c_can_state_sync(priv);
		netif_wake_queue(priv->dev);
	}
	netif_tx_unlock(priv->dev);
}

static int c_can_poll(struct napi_struct *napi, int budget)
{
	struct c_can_priv *priv = container_of(napi, struct c_can_priv, napi);
	int work;

	if (xchg(&priv->restart, false))
		c_can_do_restart(priv);

	work = c_can_rx_deliver(priv, budget);
	c_can_tx_complete(priv);
	c_can_status_poll(priv);
	if (!priv->dead)
		c_can_tx_one_shot_check(priv);

	if (work >= budget || !napi_complete_done(napi, work))
		return work;

	/* bus-off: nothing will come, and the restart begins here */
	if (READ_ONCE(priv->irq_enabled) || priv->dead || priv->can.state == CAN_STATE_BUS_OFF)
		return work;

	/*
	 * A bus-off while IE was 0 may not interrupt any more (seen on AM3352), and
	 * setting IE clears Init, the only sign of it.
	 */
	if (c_can_init(priv))
		c_can_bus_off(priv);
	else
		c_can_irq_enable(priv);
	return work;
}

static int c_can_set_mode(struct net_device *dev, enum can_mode mode)
{
	struct c_can_priv *priv = netdev_priv(dev);

	if (mode != CAN_MODE_START)
		return -EOPNOTSUPP;

	/*
	 * The restart work and ndo_stop do not exclude each other. The poll
	 * function does the work: it is stopped for good before anything else
	 * goes away, and it owns what must be touched.
	 */
	priv->can.state = CAN_STATE_ERROR_ACTIVE;
	xchg(&priv->restart, true);
	local_bh_disable();
	napi_schedule(&priv->napi);
	local_bh_enable();
	return 0;
}

static void c_can_pins_active(struct c_can_priv *priv)
{
	struct pinctrl *pins;

	/* DRA7: "default" keeps the pins quiet until the interface is used */
	pins = pinctrl_get_select(priv->device, "active");
	if (!IS_ERR(pins))
		pinctrl_put(pins);
	else
		pinctrl_pm_select_default_state(priv->device);
}

static int c_can_power_on(struct c_can_priv *priv)
{
	int err;

	err = pm_runtime_resume_and_get(priv->device);
	if (err)
		return err;
	err = clk_prepare_enable(priv->clk);
	if (err)
		pm_runtime_put_sync(priv->device);
	return err;
}

static void c_can_power_off(struct c_can_priv *priv)
{
	clk_disable_unprepare(priv->clk);
	pm_runtime_put_sync(priv->device);
}

/* Configure the controller, let it take part in traffic, take interrupts. */
static int c_can_run(struct c_can_priv *priv)
{
	int err;

	c_can_rx_reset(priv);
	priv->tx.one_shot = priv->can.ctrlmode & CAN_CTRLMODE_ONE_SHOT;
	priv->restart = false;
	priv->sts.head = 0;
	priv->sts.tail = 0;
	priv->sts.state = CAN_STATE_STOPPED;

	c_can_pins_active(priv);
	err = c_can_hw_start(priv);
	if (err) {
		c_can_hw_stop(priv);
		pinctrl_pm_select_sleep_state(priv->device);
		return err;
	}
	c_can_state_sync(priv);

	napi_enable(&priv->napi);
	c_can_irq_enable(priv);
	return 0;
}

/* The reverse. First the poll function, which could wake the queue. */
static void c_can_halt(struct c_can_priv *priv)
{
	cancel_delayed_work_sync(&priv->tx.one_shot_work);
	napi_disable(&priv->napi);
	netif_tx_disable(priv->dev);

	/*
	 * The handler writes CTRL, too: it must have ended before Init is set,
	 * and must not begin before IE is off.
	 */
	disable_irq(priv->irq);
	WRITE_ONCE(priv->irq_enabled, false);
	c_can_hw_stop(priv);
	enable_irq(priv->irq);

	/* the poll function may have asked for it before it was stopped */
	cancel_delayed_work_sync(&priv->tx.one_shot_work);
	c_can_tx_flush(priv);
	pinctrl_pm_select_sleep_state(priv->device);
}

static int c_can_open(struct net_device *dev)
{
	struct c_can_priv *priv = netdev_priv(dev);
	struct irq_data *irq_data;
	int err;

	err = c_can_power_on(priv);
	if (err) {
		netdev_err(dev, "cannot power up the controller (%pe)\n", ERR_PTR(err));
		return err;
	}

	err = open_candev(dev);
	if (err)
		goto err_power;

	err = request_irq(priv->irq, c_can_isr, IRQF_SHARED, dev->name, priv);
	if (err) {
		netdev_err(dev, "cannot get interrupt %d (%pe)\n", priv->irq, ERR_PTR(err));
		goto err_close;
	}

	irq_data = irq_get_irq_data(priv->irq);
	priv->irq_level = irq_data && irqd_is_level_type(irq_data);

	err = c_can_run(priv);
	if (err)
		goto err_irq;

	netif_start_queue(dev);
	return 0;

err_irq:
	free_irq(priv->irq, priv);
err_close:
	close_candev(dev);
err_power:
	c_can_power_off(priv);
	return err;
}

static int c_can_close(struct net_device *dev)
{
	struct c_can_priv *priv = netdev_priv(dev);

	/* suspended and not resumed: it is halted already */
	if (netif_device_present(dev))
		c_can_halt(priv);
	free_irq(priv->irq, priv);
	close_candev(dev);
	priv->can.state = CAN_STATE_STOPPED;
	if (netif_device_present(dev))
		c_can_power_off(priv);
	return 0;
}

static const struct net_device_ops c_can_netdev_ops = {
	.ndo_open = c_can_open,
	.ndo_stop = c_can_close,
	.ndo_start_xmit = c_can_start_xmit,
	CANPIPE_NDO_CHANGE_MTU
};

/**
 * c_can_suspend() - system sleep begins
 * @dev: net device
 *
 * Frames under way are dropped and counted. The controller is reset and
 * configured anew on resume, whatever kind it is.
 *
 * Context: process, may sleep
 * Return: 0
 */
int c_can_suspend(struct net_device *dev)
{
	struct c_can_priv *priv = netdev_priv(dev);

	if (!netif_running(dev))
		return 0;

	netif_device_detach(dev);
	/* resume ends a bus-off, too */
	cancel_delayed_work_sync(&priv->can.restart_work);
	c_can_halt(priv);
	priv->can.state = CAN_STATE_SLEEPING;
	c_can_power_off(priv);
	return 0;
}
EXPORT_SYMBOL_GPL(c_can_suspend);

/**
 * c_can_resume() - system sleep has ended
 * @dev: net device
 *
 * Context: process, may sleep
 * Return: 0 or a negative error; the interface stays detached then
 */
int c_can_resume(struct net_device *dev)
{
	struct c_can_priv *priv = netdev_priv(dev);
	int err;

	if (!netif_running(dev))
		return 0;

	err = c_can_power_on(priv);
	if (err)
		return err;

	err = c_can_run(priv);
	if (err) {
		c_can_power_off(priv);
		return err;
	}
	netif_carrier_on(dev);
	/* wakes the queue */
	netif_device_attach(dev);
	return 0;
}
EXPORT_SYMBOL_GPL(c_can_resume);

/**
 * c_can_alloc() - make an interface
 * @device: bus device
 * @chip: kind of controller
 *
 * The glue fills in base, irq, can.clock.freq and what its bus needs, then
 * calls c_can_register().
 *
 * Context: probe
 * Return: net device, or NULL if there is no memory
 */
struct net_device *c_can_alloc(struct device *device, const struct c_can_chip *chip)
{
	struct c_can_priv *priv;
	struct net_device *dev;

	dev = alloc_candev(sizeof(*priv), C_CAN_MAX_TX_OBJECTS);
	if (!dev)
		return NULL;

	SET_NETDEV_DEV(dev, device);
	dev->netdev_ops = &c_can_netdev_ops;
	dev->ethtool_ops = &c_can_ethtool_ops;
	dev->flags |= IFF_ECHO;

	priv = netdev_priv(dev);
	priv->dev = dev;
	priv->device = device;
	priv->chip = chip;
	priv->rx.strict = c_can_strict_frame_ordering;
	c_can_hw_setup(priv);
	c_can_tx_setup(priv);
	canpipe_napi_add(dev, &priv->napi, c_can_poll);

	priv->can.bittiming_const = &c_can_bittiming_const;
	priv->can.do_set_mode = c_can_set_mode;
	priv->can.do_get_berr_counter = c_can_get_berr_counter;
	priv->can.ctrlmode_supported = CAN_CTRLMODE_LOOPBACK | CAN_CTRLMODE_LISTENONLY |
				       CAN_CTRLMODE_ONE_SHOT | CAN_CTRLMODE_BERR_REPORTING |
				       CANPIPE_CTRLMODE_CC_LEN8_DLC;
	return dev;
}
EXPORT_SYMBOL_GPL(c_can_alloc);

/**
 * c_can_free() - undo c_can_alloc()
 * @dev: net device, not registered
 *
 * Context: process
 */
void c_can_free(struct net_device *dev)
{
	struct c_can_priv *priv = netdev_priv(dev);

	netif_napi_del(&priv->napi);
	free_candev(dev);
}
EXPORT_SYMBOL_GPL(c_can_free);

/**
 * c_can_split_objects() - say which objects receive and which transmit
 * @priv: interface, not running
 * @rx: receive objects, at least one
 * @tx: transmit objects, a power of two up to C_CAN_MAX_TX_OBJECTS
 *
 * Context: probe, or RTNL held
 */
void c_can_split_objects(struct c_can_priv *priv, unsigned int rx, unsigned int tx)
{
	priv->rx.count = rx;
	priv->tx.count = tx;
	priv->tx.first = rx + 1;
}

/**
 * c_can_register() - check the controller and register the interface
 * @dev: net device
 *
 * Context: process, may sleep. Runtime PM of the bus device must be enabled.
 * Return: 0 or a negative error, which has been reported
 */
int c_can_register(struct net_device *dev)
{
	struct c_can_priv *priv = netdev_priv(dev);
	unsigned int tx;
	int err;

	err = c_can_power_on(priv);
	if (err)
		return dev_err_probe(priv->device, err, "cannot power up the controller\n");
	pinctrl_pm_select_sleep_state(priv->device);

	err = c_can_hw_probe(priv);
	c_can_power_off(priv);
	if (err)
		return err;
	/* few send, many receive: sending can wait, receiving cannot */
	tx = min_t(unsigned int, priv->objects / 4, C_CAN_TX_OBJECTS);
	c_can_split_objects(priv, priv->objects - tx, tx);

	err = register_candev(dev);
	if (err)
		return dev_err_probe(priv->device, err, "cannot register the interface\n");

	netdev_info(dev, "%s at %s: %u objects, %u receive and %u transmit, clock %u Hz\n",
		    priv->chip->name, dev_name(priv->device), priv->objects, priv->rx.count,
		    priv->tx.count, priv->can.clock.freq);
	return 0;
}
EXPORT_SYMBOL_GPL(c_can_register);

/**
 * c_can_unregister() - take the interface away
 * @dev: net device
 *
 * Context: process, may sleep
 */
void c_can_unregister(struct net_device *dev)
{
	unregister_candev(dev);
}
EXPORT_SYMBOL_GPL(c_can_unregister);

MODULE_AUTHOR("canpipe maintainers");
MODULE_DESCRIPTION("CAN driver for Bosch C_CAN and D_CAN controllers (canpipe)");
MODULE_LICENSE("GPL");
MODULE_VERSION(CANPIPE_VERSION);
