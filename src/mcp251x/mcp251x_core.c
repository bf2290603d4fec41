// SPDX-License-Identifier: GPL-2.0-only
/*
 * SocketCAN driver for the Microchip MCP2510, MCP2515 and MCP25625: life cycle
 *
 * While the interface is up the chip belongs to the machine of mcp251x_irq.c. This file
 * switches it on and off, and everything that waits is here and in mcp251x_chip.c.
 */

#include "mcp251x.h"

#include <linux/clk.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/property.h>
#include <linux/regulator/consumer.h>

/* What the data sheets allow (table 13-1: up to 5.5 V; nobody knows ours) */
#define MCP251X_OSC_MIN_HZ	1000000
#define MCP251X_OSC_MAX_HZ	25000000
/* A chip that does not come back is tried again */
#define MCP251X_RECOVER_MS	500
/* How often the chip is looked at, and how soon again if it is not well */
#define MCP251X_HEALTH_MS	1000
#define MCP251X_SICK_MS		20
/* Enough for the stack to take what has been received */
#define MCP251X_DRAIN_TRIES	1000

static bool mcp251x_strict_frame_ordering = true;

static int mcp251x_set_strict_frame_ordering(const char *value, const struct kernel_param *param)
{
	int err = param_set_bool(value, param);

	if (err)
		pr_err("mcp251x: strict_frame_ordering=%.*s is neither Y nor N\n",
		       (int)strcspn(value, "\n"), value);
	return err;
}

static const struct kernel_param_ops mcp251x_strict_frame_ordering_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = mcp251x_set_strict_frame_ordering,
	.get = param_get_bool,
};

module_param_cb(strict_frame_ordering, &mcp251x_strict_frame_ordering_ops,
		&mcp251x_strict_frame_ordering, 0644);
__MODULE_PARM_TYPE(strict_frame_ordering, "bool");
MODULE_PARM_DESC(strict_frame_ordering,
		 "Use the acceptance filters so that frames are delivered in the order of their arrival, rather than let all six of them work; for interfaces that appear from now on (ethtool --set-priv-flags for the others); Y or N (default Y)");

static const struct can_bittiming_const mcp251x_bittiming_const = {
	.name = "mcp251x",
	.tseg1_min = 3,
	.tseg1_max = 16,
	.tseg2_min = 2,
	.tseg2_max = 8,
	.sjw_max = 4,
	.brp_min = 1,
	.brp_max = 64,
	.brp_inc = 1,
};

static const struct mcp251x_chip mcp251x_mcp2510 = {
	.name = "MCP2510",
	.max_hz = 5000000,
	.quirks = MCP251X_QUIRK_MCP2510,
};

static const struct mcp251x_chip mcp251x_mcp2515 = {
	.name = "MCP2515",
	.max_hz = 10000000,
};

static const struct mcp251x_chip mcp251x_mcp25625 = {
	.name = "MCP25625",
	.max_hz = 10000000,
};

static int mcp251x_regulator_on(struct regulator *regulator)
{
	return regulator ? regulator_enable(regulator) : 0;
}

static void mcp251x_regulator_off(struct regulator *regulator)
{
	if (regulator)
		regulator_disable(regulator);
}

/* CANCTRL as the modes ask for it. CLKOUT is off, as the kernel's own driver has it. */
static u8 mcp251x_wanted_canctrl(const struct mcp251x_priv *priv)
{
	u32 ctrlmode = priv->can.ctrlmode;
	u8 canctrl = MCP251X_CANCTRL_REQOP_NORMAL;

	if (ctrlmode & CAN_CTRLMODE_LOOPBACK)
		canctrl = MCP251X_CANCTRL_REQOP_LOOPBACK;
	else if (ctrlmode & CAN_CTRLMODE_LISTENONLY)
		canctrl = MCP251X_CANCTRL_REQOP_LISTEN;
	if (ctrlmode & CAN_CTRLMODE_ONE_SHOT)
		canctrl |= MCP251X_CANCTRL_OSM;
	return canctrl;
}

/**
 * mcp251x_run() - let the chip take part in traffic
 * @priv: interface; the chip is in configuration mode
 *
 * Context: process, may sleep, core_lock held
 * Return: 0 or a negative error, which has been reported; mcp251x_halt() undoes a part, too
 */
int mcp251x_run(struct mcp251x_priv *priv)
{
	int err;

	priv->canctrl = mcp251x_wanted_canctrl(priv);
	priv->inte = MCP251X_INT_ERR;
	if (priv->can.ctrlmode & CAN_CTRLMODE_BERR_REPORTING)
		priv->inte |= MCP251X_INT_MERR;
	priv->rx_direct = priv->filter.direct;
	priv->tx.one_shot = priv->can.ctrlmode & CAN_CTRLMODE_ONE_SHOT;

	err = mcp251x_chip_configure(priv);
	if (err)
		return err;

	if (!priv->irq_requested) {
		err = mcp251x_irq_request(priv);
		if (err) {
			netdev_err(priv->dev, "cannot get interrupt %d: %pe\n", priv->spi->irq,
				   ERR_PTR(err));
			return err;
		}
		priv->irq_requested = true;
	}

	err = mcp251x_chip_set_mode(priv, priv->canctrl);
	if (err)
		return err;

	priv->can.state = CAN_STATE_ERROR_ACTIVE;
	priv->running = true;
	napi_enable(&priv->napi);
	err = mcp251x_irq_start(priv);
	if (err)
		return err;
	netif_wake_queue(priv->dev);
	return 0;
}

/* Give the poll function the time to deliver what is there. */
static void mcp251x_drain(struct mcp251x_priv *priv)
{
	unsigned int tries = MCP251X_DRAIN_TRIES;

	while (READ_ONCE(priv->ring.head) != READ_ONCE(priv->ring.tail) && tries--) {
		local_bh_disable();
		napi_schedule(&priv->napi);
		local_bh_enable();
		usleep_range(50, 100);
	}
}

/**
 * mcp251x_halt() - stop talking to the chip
 * @priv: interface, running or not
 *
 * What has been received is delivered, what waits to be sent is dropped and counted. The chip
 * goes on with what it does.
 *
 * Context: process, may sleep, core_lock held
 */
void mcp251x_halt(struct mcp251x_priv *priv)
{
	netif_tx_disable(priv->dev);
	if (priv->running) {
		mcp251x_irq_stop(priv);
		mcp251x_drain(priv);
		napi_disable(&priv->napi);
		priv->running = false;
		/* the poll function may have woken it */
		netif_tx_disable(priv->dev);
	}
	mcp251x_tx_flush(priv);
}

static void mcp251x_halt_all(struct mcp251x_priv *priv)
{
	mcp251x_halt(priv);
	if (priv->irq_requested)
		mcp251x_irq_free(priv);
	priv->irq_requested = false;
}

/* End of traffic, for a while. Errors have been reported and change nothing. */
static void mcp251x_rest(struct mcp251x_priv *priv)
{
	mcp251x_chip_set_mode(priv, MCP251X_CANCTRL_REQOP_CONFIG | MCP251X_CANCTRL_ABAT);
	mcp251x_chip_sleep(priv);
}

static void mcp251x_recover_work(struct work_struct *work)
{
	struct mcp251x_priv *priv = container_of(to_delayed_work(work), struct mcp251x_priv,
						 recover_work);
	int err = 0;

	mutex_lock(&priv->core_lock);
	if (!priv->up)
		goto unlock;

	if (!priv->recovering) {
		netdev_err(priv->dev, "%s: resetting the chip\n", READ_ONCE(priv->recover_why));
		priv->counters.recoveries++;
	}
	mcp251x_halt_all(priv);

	/* a bus-off goes on until it is ended by a restart */
	if (priv->can.state != CAN_STATE_BUS_OFF) {
		err = mcp251x_chip_reset(priv, false);
		if (!err)
			err = mcp251x_run(priv);
	}
	if (err) {
		if (!priv->recovering)
			netdev_err(priv->dev, "trying again every %u ms\n", MCP251X_RECOVER_MS);
		schedule_delayed_work(&priv->recover_work, msecs_to_jiffies(MCP251X_RECOVER_MS));
	} else if (priv->recovering) {
		netdev_info(priv->dev, "the chip works again\n");
	}
	priv->recovering = err;
unlock:
	mutex_unlock(&priv->core_lock);
}

/**
 * mcp251x_recover() - the chip does not do what it should: reset it and begin anew
 * @priv: interface
 * @why: what was seen, for the log; a constant
 *
 * Returns at once. Nothing happens if the interface is down.
 *
 * Context: any
 */
void mcp251x_recover(struct mcp251x_priv *priv, const char *why)
{
	WRITE_ONCE(priv->recover_why, why);
	schedule_delayed_work(&priv->recover_work, 0);
}

/*
 * What is found once may be a change that is under way; the second time, a little later, it is
 * not.
 */
static void mcp251x_health_work(struct work_struct *work)
{
	struct mcp251x_priv *priv = container_of(to_delayed_work(work), struct mcp251x_priv,
						 health_work);
	unsigned int ms = MCP251X_HEALTH_MS;
	bool sick;

	mutex_lock(&priv->core_lock);
	if (!priv->up)
		goto unlock;

	sick = priv->running && priv->can.state != CAN_STATE_BUS_OFF &&
	       !mcp251x_chip_healthy(priv);
	if (sick && priv->sick)
		mcp251x_recover(priv, "its settings are gone, check its supply and MISO");
	else if (sick)
		ms = MCP251X_SICK_MS;
	priv->sick = sick;
	schedule_delayed_work(&priv->health_work, msecs_to_jiffies(ms));
unlock:
	mutex_unlock(&priv->core_lock);
}

static int mcp251x_open(struct net_device *dev)
{
	struct mcp251x_priv *priv = netdev_priv(dev);
	int err;

	err = open_candev(dev);
	if (err)
		return err;

	err = mcp251x_regulator_on(priv->transceiver);
	if (err) {
		netdev_err(dev, "cannot switch the transceiver's supply on: %pe\n", ERR_PTR(err));
		goto err_close;
	}

	mcp251x_rx_reset(priv);
	mutex_lock(&priv->core_lock);
	priv->recovering = false;
	err = mcp251x_chip_wake(priv);
	if (!err)
		err = mcp251x_run(priv);
	if (err) {
		mcp251x_halt_all(priv);
		mcp251x_chip_sleep(priv);
	}
	priv->up = !err;
	if (!err)
		schedule_delayed_work(&priv->health_work, msecs_to_jiffies(MCP251X_HEALTH_MS));
	mutex_unlock(&priv->core_lock);
	if (err)
		goto err_transceiver;
	return 0;

err_transceiver:
	mcp251x_regulator_off(priv->transceiver);
err_close:
	close_candev(dev);
	priv->can.state = CAN_STATE_STOPPED;
	return err;
}

/* From now on nothing begins anew by itself. */
static void mcp251x_down(struct mcp251x_priv *priv)
{
	mutex_lock(&priv->core_lock);
	if (priv->up) {
		priv->up = false;
		mcp251x_halt_all(priv);
		mcp251x_rest(priv);
		mcp251x_regulator_off(priv->transceiver);
	}
	mutex_unlock(&priv->core_lock);
	cancel_delayed_work_sync(&priv->health_work);
	cancel_delayed_work_sync(&priv->recover_work);
}

static int mcp251x_stop(struct net_device *dev)
{
	struct mcp251x_priv *priv = netdev_priv(dev);

	mcp251x_down(priv);
	/* ends the restart work, which would wait for core_lock */
	close_candev(dev);
	priv->can.state = CAN_STATE_STOPPED;
	return 0;
}

static const struct net_device_ops mcp251x_netdev_ops = {
	.ndo_open = mcp251x_open,
	.ndo_stop = mcp251x_stop,
	.ndo_start_xmit = mcp251x_start_xmit,
	CANPIPE_NDO_CHANGE_MTU
};

static const struct of_device_id mcp251x_of_match[] = {
	{ .compatible = "microchip,mcp2510", .data = &mcp251x_mcp2510 },
	{ .compatible = "microchip,mcp2515", .data = &mcp251x_mcp2515 },
	{ .compatible = "microchip,mcp25625", .data = &mcp251x_mcp25625 },
	{ }
};
MODULE_DEVICE_TABLE(of, mcp251x_of_match);

static const struct spi_device_id mcp251x_id_table[] = {
	{ .name = "mcp2510", .driver_data = (kernel_ulong_t)&mcp251x_mcp2510 },
	{ .name = "mcp2515", .driver_data = (kernel_ulong_t)&mcp251x_mcp2515 },
	{ .name = "mcp25625", .driver_data = (kernel_ulong_t)&mcp251x_mcp25625 },
	{ }
};
MODULE_DEVICE_TABLE(spi, mcp251x_id_table);

static const struct mcp251x_chip *mcp251x_match(struct spi_device *spi)
{
	const void *chip = device_get_match_data(&spi->dev);

	return chip ? chip : (const void *)spi_get_device_id(spi)->driver_data;
}

static int mcp251x_get_regulator(struct device *device, const char *name,
				 struct regulator **regulator)
{
	*regulator = devm_regulator_get_optional(device, name);
	if (!IS_ERR(*regulator))
		return 0;
	if (PTR_ERR(*regulator) != -ENODEV)
		return dev_err_probe(device, PTR_ERR(*regulator), "regulator %s-supply\n", name);
	*regulator = NULL;
	return 0;
}

/* Everything that the device tree tells. */
static int mcp251x_get_resources(struct mcp251x_priv *priv)
{
	struct spi_device *spi = priv->spi;
	struct device *device = &spi->dev;
	u32 hz = 0;
	int err;

	if (spi->irq <= 0)
		return dev_err_probe(device, -EINVAL,
				     "no interrupt: the node needs interrupts, for the pin that INT is wired to\n");

	priv->clk = devm_clk_get_optional(device, NULL);
	if (IS_ERR(priv->clk))
		return dev_err_probe(device, PTR_ERR(priv->clk), "clock of the oscillator\n");
	hz = clk_get_rate(priv->clk);
	if (!hz)
		device_property_read_u32(device, "clock-frequency", &hz);
	if (!hz)
		return dev_err_probe(device, -ERANGE,
				     "the crystal's frequency is not known: the node needs clocks or clock-frequency\n");
	if (hz < MCP251X_OSC_MIN_HZ || hz > MCP251X_OSC_MAX_HZ)
		return dev_err_probe(device, -ERANGE,
				     "no %s has a crystal of %u Hz: give 1 to 25 MHz, in Hz (overlay: oscillator=)\n",
				     priv->chip->name, hz);
	priv->osc_hz = hz;
	priv->can.clock.freq = hz / 2;

	err = mcp251x_get_regulator(device, "vdd", &priv->power);
	if (err)
		return err;
	return mcp251x_get_regulator(device, "xceiver", &priv->transceiver);
}

static int mcp251x_setup_bus(struct mcp251x_priv *priv)
{
	struct spi_device *spi = priv->spi;
	u32 max = priv->chip->max_hz;
	int err;

	if (spi->max_speed_hz > max)
		dev_notice(&spi->dev, "an SPI clock of %u Hz is too fast for an %s: using %u Hz\n",
			   spi->max_speed_hz, priv->chip->name, max);
	if (!spi->max_speed_hz || spi->max_speed_hz > max)
		spi->max_speed_hz = max;
	spi->bits_per_word = 8;
	/* in mode 1,1 an RTS may be repeated (DS80179G, 5), and the chip takes both */
	spi->mode &= ~(SPI_CPOL | SPI_CPHA);
	/* the SPI core's thread must not wait until applications let it, see mcp251x_spi.c */
	spi->rt = true;
	err = spi_setup(spi);
	if (err)
		return dev_err_probe(&spi->dev, err, "SPI controller\n");
	return 0;
}

static int mcp251x_power_on(struct mcp251x_priv *priv)
{
	int err;

	err = clk_prepare_enable(priv->clk);
	if (err)
		return err;
	err = mcp251x_regulator_on(priv->power);
	if (err)
		clk_disable_unprepare(priv->clk);
	return err;
}

static void mcp251x_power_off(struct mcp251x_priv *priv)
{
	mcp251x_regulator_off(priv->power);
	clk_disable_unprepare(priv->clk);
}

/* First contact. The chip is left asleep. */
static int mcp251x_identify(struct mcp251x_priv *priv)
{
	int err;

	mutex_lock(&priv->core_lock);
	err = mcp251x_chip_reset(priv, true);
	if (!err) {
		mcp251x_chip_measure(priv);
		mcp251x_chip_sleep(priv);
	}
	mutex_unlock(&priv->core_lock);
	return err;
}

static struct net_device *mcp251x_alloc(struct spi_device *spi)
{
	struct mcp251x_priv *priv;
	struct net_device *dev;

	dev = alloc_candev(sizeof(*priv), MCP251X_TX_SLOTS);
	if (!dev)
		return NULL;

	SET_NETDEV_DEV(dev, &spi->dev);
	dev->netdev_ops = &mcp251x_netdev_ops;
	dev->ethtool_ops = &mcp251x_ethtool_ops;
	dev->sysfs_groups[0] = &mcp251x_filter_group;
	dev->flags |= IFF_ECHO;

	priv = netdev_priv(dev);
	priv->dev = dev;
	priv->spi = spi;
	priv->chip = mcp251x_match(spi);
	priv->strict = mcp251x_strict_frame_ordering;
	mutex_init(&priv->core_lock);
	INIT_DELAYED_WORK(&priv->recover_work, mcp251x_recover_work);
	INIT_DEFERRABLE_WORK(&priv->health_work, mcp251x_health_work);
	mcp251x_irq_setup(priv);
	mcp251x_tx_setup(priv);
	canpipe_napi_add(dev, &priv->napi, mcp251x_poll);

	priv->can.bittiming_const = &mcp251x_bittiming_const;
	priv->can.do_set_mode = mcp251x_set_mode;
	priv->can.do_get_berr_counter = mcp251x_get_berr_counter;
	priv->can.ctrlmode_supported = CAN_CTRLMODE_3_SAMPLES | CAN_CTRLMODE_LOOPBACK |
				       CAN_CTRLMODE_LISTENONLY | CAN_CTRLMODE_BERR_REPORTING |
				       CANPIPE_CTRLMODE_CC_LEN8_DLC;
	/* CANCTRL of the MCP2510 has no OSM */
	if (!(priv->chip->quirks & MCP251X_QUIRK_MCP2510))
		priv->can.ctrlmode_supported |= CAN_CTRLMODE_ONE_SHOT;
	return dev;
}

static int mcp251x_probe(struct spi_device *spi)
{
	struct mcp251x_priv *priv;
	struct net_device *dev;
	int err;

	dev = mcp251x_alloc(spi);
	if (!dev)
		return -ENOMEM;
	priv = netdev_priv(dev);
	spi_set_drvdata(spi, priv);

	err = mcp251x_get_resources(priv);
	if (!err)
		err = mcp251x_setup_bus(priv);
	if (err)
		goto err_free;

	err = mcp251x_power_on(priv);
	if (err) {
		dev_err_probe(&spi->dev, err, "cannot power up the chip\n");
		goto err_free;
	}
	err = mcp251x_spi_setup(priv);
	if (err) {
		dev_err_probe(&spi->dev, err, "cannot prepare SPI messages\n");
		goto err_power;
	}
	err = mcp251x_identify(priv);
	if (err)
		goto err_spi;
	err = mcp251x_gpio_setup(priv);
	if (err)
		goto err_spi;
	err = register_candev(dev);
	if (err) {
		dev_err_probe(&spi->dev, err, "cannot register the interface\n");
		goto err_gpio;
	}

	netdev_info(dev, "%s at %s: SPI clock up to %u Hz, crystal %u Hz\n", priv->chip->name,
		    dev_name(&spi->dev), spi->max_speed_hz, priv->osc_hz);
	return 0;

err_gpio:
	mcp251x_gpio_cleanup(priv);
err_spi:
	mcp251x_spi_cleanup(priv);
err_power:
	mcp251x_power_off(priv);
err_free:
	netif_napi_del(&priv->napi);
	free_candev(dev);
	return err;
}

static void mcp251x_remove(struct spi_device *spi)
{
	struct mcp251x_priv *priv = spi_get_drvdata(spi);

	unregister_candev(priv->dev);
	cancel_delayed_work_sync(&priv->recover_work);
	mcp251x_gpio_cleanup(priv);
	mcp251x_spi_cleanup(priv);
	mcp251x_power_off(priv);
	netif_napi_del(&priv->napi);
	free_candev(priv->dev);
}

CANPIPE_SPI_REMOVE(mcp251x_remove)

/* Frames under way are dropped and counted; bus-off ends. */
static int __maybe_unused mcp251x_suspend(struct device *device)
{
	struct mcp251x_priv *priv = dev_get_drvdata(device);

	if (netif_running(priv->dev)) {
		netif_device_detach(priv->dev);
		mcp251x_down(priv);
		cancel_delayed_work_sync(&priv->can.restart_work);
		priv->can.state = CAN_STATE_SLEEPING;
	}
	mcp251x_power_off(priv);
	return 0;
}

/* The chip may have lost its power, whoever switched it. */
static int __maybe_unused mcp251x_resume(struct device *device)
{
	struct mcp251x_priv *priv = dev_get_drvdata(device);
	int err;

	err = mcp251x_power_on(priv);
	if (err) {
		dev_err(device, "cannot power up the chip: %pe\n", ERR_PTR(err));
		return err;
	}

	mutex_lock(&priv->core_lock);
	if (!netif_running(priv->dev)) {
		err = mcp251x_chip_reset(priv, true);
		mcp251x_chip_sleep(priv);
		goto unlock;
	}

	err = mcp251x_regulator_on(priv->transceiver);
	if (err) {
		dev_err(device, "cannot switch the transceiver's supply on: %pe\n", ERR_PTR(err));
		goto unlock;
	}
	/* whatever the chip does now, it is tried again until it works */
	priv->up = true;
	schedule_delayed_work(&priv->health_work, msecs_to_jiffies(MCP251X_HEALTH_MS));
	err = mcp251x_chip_reset(priv, true);
	if (!err)
		err = mcp251x_run(priv);
	netif_carrier_on(priv->dev);
	netif_device_attach(priv->dev);
unlock:
	mutex_unlock(&priv->core_lock);
	if (err && priv->up)
		mcp251x_recover(priv, "it could not be started after system sleep");
	return err;
}

static SIMPLE_DEV_PM_OPS(mcp251x_pm_ops, mcp251x_suspend, mcp251x_resume);

static struct spi_driver mcp251x_driver = {
	.driver = {
		.name = "mcp251x",
		.of_match_table = mcp251x_of_match,
		.pm = &mcp251x_pm_ops,
	},
	.id_table = mcp251x_id_table,
	.probe = mcp251x_probe,
	.remove = canpipe_mcp251x_remove,
};
module_spi_driver(mcp251x_driver);

MODULE_AUTHOR("canpipe maintainers");
MODULE_DESCRIPTION("CAN driver for Microchip MCP2510, MCP2515 and MCP25625 controllers (canpipe)");
MODULE_LICENSE("GPL");
MODULE_VERSION(CANPIPE_VERSION);
