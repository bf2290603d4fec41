// SPDX-License-Identifier: GPL-2.0-only
/*
 * C_CAN and D_CAN in a SoC: device tree, platform devices
 */

#include "c_can.h"

#include <linux/clk.h>
#include <linux/delay.h>
#include <linux/mfd/syscon.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/property.h>
#include <linux/regmap.h>
#include <linux/reset.h>

#define C_CAN_RAMINIT_WAIT_US	1000

/**
 * struct c_can_raminit_bits - one instance's bits in TI's RAMINIT word
 * @start: starts the initialisation
 * @done: set when it is over
 */
struct c_can_raminit_bits {
	u8 start;
	u8 done;
};

/**
 * struct c_can_platform_chip - a compatible
 * @chip: the controller
 * @raminit: bits of each instance, NULL if the SoC has no such word
 * @instances: number of entries in @raminit
 * @raminit_pulse: the start bit must be taken back at once. DRA75x/AM572x
 *	SR1.0: a pulse of 64 or more interface clocks stops the module for good.
 */
struct c_can_platform_chip {
	struct c_can_chip chip;
	const struct c_can_raminit_bits *raminit;
	unsigned int instances;
	bool raminit_pulse;
};

/**
 * struct c_can_platform - glue data of one controller
 * @chip: its kind
 * @syscon: map with the RAMINIT word
 * @offset: of the word
 * @bits: this instance's bits
 * @reset: reset line, may be NULL
 */
struct c_can_platform {
	const struct c_can_platform_chip *chip;
	struct regmap *syscon;
	unsigned int offset;
	struct c_can_raminit_bits bits;
	struct reset_control *reset;
};

/* AM335x TRM, 9.3.1.46 (dcan_raminit); the same on AM43xx */
static const struct c_can_raminit_bits c_can_am33xx_raminit[] = {
	{ .start = 0, .done = 8 },
	{ .start = 1, .done = 9 },
};

/* DRA7xx TRM, CTRL_CORE_CONTROL_IO_2 */
static const struct c_can_raminit_bits c_can_dra7_raminit[] = {
	{ .start = 3, .done = 1 },
	{ .start = 5, .done = 2 },
};

static const struct c_can_platform_chip c_can_platform_c_can = {
	.chip = {
		.name = "Bosch C_CAN",
		.family = C_CAN_FAMILY_C_CAN,
		.objects = 32,
	},
};

static const struct c_can_platform_chip c_can_platform_d_can = {
	.chip = {
		.name = "Bosch D_CAN",
		.family = C_CAN_FAMILY_D_CAN,
		.objects = 32,
		.quirks = C_CAN_QUIRK_HWS,
	},
};

static const struct c_can_platform_chip c_can_platform_am33xx = {
	.chip = {
		.name = "TI D_CAN",
		.family = C_CAN_FAMILY_D_CAN,
		.objects = 64,
		.quirks = C_CAN_QUIRK_TI,
	},
	.raminit = c_can_am33xx_raminit,
	.instances = ARRAY_SIZE(c_can_am33xx_raminit),
};

static const struct c_can_platform_chip c_can_platform_dra7 = {
	.chip = {
		.name = "TI D_CAN",
		.family = C_CAN_FAMILY_D_CAN,
		.objects = 64,
		.quirks = C_CAN_QUIRK_TI,
	},
	.raminit = c_can_dra7_raminit,
	.instances = ARRAY_SIZE(c_can_dra7_raminit),
	.raminit_pulse = true,
};

/*
 * The word is shared with the other instance, whose done bit is cleared by
 * writing 1: keep every done bit but our own out of what is written.
 */
static void c_can_raminit_write(const struct c_can_platform *plat, u32 start, u32 done)
{
	u32 others = 0, word = 0;
	unsigned int n;

	for (n = 0; n < plat->chip->instances; n++)
		others |= BIT(plat->chip->raminit[n].done);

	regmap_read(plat->syscon, plat->offset, &word);
	word &= ~(others | BIT(plat->bits.start));
	regmap_write(plat->syscon, plat->offset, word | start | done);
}

static int c_can_platform_raminit(struct c_can_priv *priv)
{
	struct c_can_platform *plat = priv->bus_data;
	u32 start = BIT(plat->bits.start), done = BIT(plat->bits.done), word;
	int err;

	/* idle, and the old done taken back; some parts clear it by start = 0 */
	c_can_raminit_write(plat, 0, done);
	err = regmap_read_poll_timeout(plat->syscon, plat->offset, word, !(word & done), 10,
				       C_CAN_RAMINIT_WAIT_US);
	if (err)
		return err;

	c_can_raminit_write(plat, start, 0);
	if (plat->chip->raminit_pulse)
		c_can_raminit_write(plat, 0, 0);

	return regmap_read_poll_timeout(plat->syscon, plat->offset, word, word & done, 10,
					C_CAN_RAMINIT_WAIT_US);
}

static int c_can_platform_get_raminit(struct c_can_priv *priv, struct c_can_platform *plat)
{
	struct device *dev = priv->device;
	unsigned int args[2];

	if (!plat->chip->raminit || !dev_fwnode(dev) ||
	    !device_property_present(dev, "syscon-raminit"))
		return 0;

	plat->syscon = syscon_regmap_lookup_by_phandle_args(dev->of_node, "syscon-raminit",
							    ARRAY_SIZE(args), args);
	if (IS_ERR(plat->syscon))
		return dev_err_probe(dev, PTR_ERR(plat->syscon),
				     "syscon-raminit does not lead to a register\n");
	plat->offset = args[0];
	if (args[1] >= plat->chip->instances)
		return dev_err_probe(dev, -EINVAL, "syscon-raminit: no instance %u\n", args[1]);
	plat->bits = plat->chip->raminit[args[1]];
	priv->raminit = c_can_platform_raminit;
	return 0;
}

/* How far apart the 16-bit registers are, and how wide accesses must be */
static int c_can_platform_get_layout(struct c_can_priv *priv, const struct resource *mem)
{
	struct device *dev = priv->device;
	u32 shift = 1, width = 2;

	if (c_can_is_d_can(priv))
		return 0;

	/* board files say it by the resource's type (SPEAr) */
	if ((mem->flags & IORESOURCE_MEM_TYPE_MASK) == IORESOURCE_MEM_32BIT)
		shift = 2;
	device_property_read_u32(dev, "reg-shift", &shift);
	device_property_read_u32(dev, "reg-io-width", &width);
	if (shift < 1 || shift > 3 || (width != 2 && width != 4) || (width == 4 && shift < 2))
		return dev_err_probe(dev, -EINVAL,
				     "reg-shift %u and reg-io-width %u do not fit: 16-bit registers are 2, 4 or 8 bytes apart\n",
				     shift, width);

	/* offsets are those of registers 2 bytes apart */
	priv->reg_shift = shift - 1;
	priv->io_32bit = width == 4;
	return 0;
}

static void c_can_platform_teardown(void *data)
{
	struct net_device *dev = data;
	struct c_can_priv *priv = netdev_priv(dev);
	struct c_can_platform *plat = priv->bus_data;
	struct device *device = priv->device;

	c_can_unregister(dev);
	pm_runtime_disable(device);
	reset_control_assert(plat->reset);
	c_can_free(dev);
}

static int c_can_platform_probe(struct platform_device *pdev)
{
	const struct c_can_platform_chip *chip = device_get_match_data(&pdev->dev);
	const struct platform_device_id *id = platform_get_device_id(pdev);
	struct c_can_platform *plat;
	struct net_device *dev;
	struct c_can_priv *priv;
	struct resource *mem;
	int err;

	if (!chip && id)
		chip = (const struct c_can_platform_chip *)id->driver_data;
	if (!chip)
		return dev_err_probe(&pdev->dev, -ENODEV, "unknown kind of controller\n");

	plat = devm_kzalloc(&pdev->dev, sizeof(*plat), GFP_KERNEL);
	if (!plat)
		return -ENOMEM;
	plat->chip = chip;

	dev = c_can_alloc(&pdev->dev, &chip->chip);
	if (!dev)
		return -ENOMEM;
	priv = netdev_priv(dev);
	priv->bus_data = plat;

	priv->base = devm_platform_get_and_ioremap_resource(pdev, 0, &mem);
	if (IS_ERR(priv->base)) {
		err = PTR_ERR(priv->base);
		goto err_free;
	}
	err = c_can_platform_get_layout(priv, mem);
	if (err)
		goto err_free;

	err = platform_get_irq(pdev, 0);
	if (err < 0)
		goto err_free;
	priv->irq = err;
	dev->irq = err;

	priv->clk = devm_clk_get(&pdev->dev, NULL);
	if (IS_ERR(priv->clk)) {
		err = dev_err_probe(&pdev->dev, PTR_ERR(priv->clk), "no clock\n");
		goto err_free;
	}
	priv->can.clock.freq = clk_get_rate(priv->clk);
	if (!priv->can.clock.freq) {
		err = dev_err_probe(&pdev->dev, -EINVAL, "the clock has no rate\n");
		goto err_free;
	}

	err = c_can_platform_get_raminit(priv, plat);
	if (err)
		goto err_free;

	plat->reset = devm_reset_control_get_optional_exclusive(&pdev->dev, NULL);
	if (IS_ERR(plat->reset)) {
		err = dev_err_probe(&pdev->dev, PTR_ERR(plat->reset), "no reset line\n");
		goto err_free;
	}
	err = reset_control_deassert(plat->reset);
	if (err) {
		dev_err_probe(&pdev->dev, err, "cannot release the reset line\n");
		goto err_free;
	}

	platform_set_drvdata(pdev, dev);
	of_can_transceiver(dev);
	pm_runtime_enable(&pdev->dev);
	err = c_can_register(dev);
	if (err)
		goto err_pm;

	/* instead of .remove, whose type depends on the kernel */
	return devm_add_action_or_reset(&pdev->dev, c_can_platform_teardown, dev);

err_pm:
	pm_runtime_disable(&pdev->dev);
	reset_control_assert(plat->reset);
err_free:
	c_can_free(dev);
	return err;
}

static int __maybe_unused c_can_platform_suspend(struct device *device)
{
	return c_can_suspend(dev_get_drvdata(device));
}

static int __maybe_unused c_can_platform_resume(struct device *device)
{
	return c_can_resume(dev_get_drvdata(device));
}

static const struct dev_pm_ops c_can_platform_pm_ops = {
	SET_SYSTEM_SLEEP_PM_OPS(c_can_platform_suspend, c_can_platform_resume)
};

static const struct of_device_id c_can_platform_of_ids[] = {
	{ .compatible = "bosch,c_can", .data = &c_can_platform_c_can },
	{ .compatible = "bosch,d_can", .data = &c_can_platform_d_can },
	{ .compatible = "ti,am3352-d_can", .data = &c_can_platform_am33xx },
	{ .compatible = "ti,am4372-d_can", .data = &c_can_platform_am33xx },
	{ .compatible = "ti,dra7-d_can", .data = &c_can_platform_dra7 },
	{ }
};
MODULE_DEVICE_TABLE(of, c_can_platform_of_ids);

static const struct platform_device_id c_can_platform_ids[] = {
	{ .name = "c_can_platform", .driver_data = (kernel_ulong_t)&c_can_platform_c_can },
	{ .name = "c_can", .driver_data = (kernel_ulong_t)&c_can_platform_c_can },
	{ .name = "d_can", .driver_data = (kernel_ulong_t)&c_can_platform_d_can },
	{ }
};
MODULE_DEVICE_TABLE(platform, c_can_platform_ids);

static struct platform_driver c_can_platform_driver = {
	.driver = {
		.name = "c_can_platform",
		.of_match_table = c_can_platform_of_ids,
		.pm = &c_can_platform_pm_ops,
	},
	.probe = c_can_platform_probe,
	.id_table = c_can_platform_ids,
};
module_platform_driver(c_can_platform_driver);

MODULE_AUTHOR("canpipe maintainers");
MODULE_DESCRIPTION("Platform and device tree glue for Bosch C_CAN and D_CAN controllers (canpipe)");
MODULE_LICENSE("GPL");
MODULE_VERSION(CANPIPE_VERSION);
