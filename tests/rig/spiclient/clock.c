// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test only: a core clock whose rate Linux changes, for --dt soft-clock. The parameter "rate" is
 * its rate in Hz; writing changes it as any consumer of a clock would. The board is to
 * be told as well (rigctl board 1), before or after.
 */
#include <linux/clk.h>
#include <linux/clk-provider.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>

static struct clk_hw soft_hw;
static struct clk *soft_clk;
static unsigned long soft_hz;

static unsigned int delay_ms;
module_param(delay_ms, uint, 0644);
MODULE_PARM_DESC(delay_ms, "how long a change takes, ms (default 0)");

static unsigned long soft_recalc_rate(struct clk_hw *hw, unsigned long parent)
{
	return soft_hz;
}

static int soft_determine_rate(struct clk_hw *hw, struct clk_rate_request *req)
{
	return 0;
}

static int soft_set_rate(struct clk_hw *hw, unsigned long rate, unsigned long parent)
{
	msleep(delay_ms);
	soft_hz = rate;
	return 0;
}

static const struct clk_ops soft_ops = {
	.recalc_rate = soft_recalc_rate,
	.determine_rate = soft_determine_rate,
	.set_rate = soft_set_rate,
};

static int rate_set(const char *value, const struct kernel_param *param)
{
	unsigned long hz;
	int err = kstrtoul(value, 0, &hz);

	if (err)
		return err;
	return soft_clk ? clk_set_rate(soft_clk, hz) : -ENODEV;
}

static int rate_get(char *buffer, const struct kernel_param *param)
{
	return sprintf(buffer, "%lu\n", soft_hz);
}

static const struct kernel_param_ops rate_ops = {
	.set = rate_set,
	.get = rate_get,
};
module_param_cb(rate, &rate_ops, NULL, 0644);
MODULE_PARM_DESC(rate, "of the clock, Hz");

static int soft_probe(struct platform_device *pdev)
{
	static const struct clk_init_data init = {
		.name = "rig-soft-clock",
		.ops = &soft_ops,
	};
	u32 hz;
	int err;

	err = of_property_read_u32(pdev->dev.of_node, "clock-frequency", &hz);
	if (err)
		return err;
	soft_hz = hz;
	soft_hw.init = &init;
	err = devm_clk_hw_register(&pdev->dev, &soft_hw);
	if (err)
		return err;
	err = devm_of_clk_add_hw_provider(&pdev->dev, of_clk_hw_simple_get, &soft_hw);
	if (err)
		return err;
	soft_clk = soft_hw.clk;
	return 0;
}

static const struct of_device_id soft_ids[] = {
	{ .compatible = "canpipe,rig-soft-clock" },
	{ }
};
MODULE_DEVICE_TABLE(of, soft_ids);

static struct platform_driver soft_driver = {
	.driver = {
		.name = "rig-soft-clock",
		.of_match_table = soft_ids,
		.suppress_bind_attrs = true,
	},
	.probe = soft_probe,
};
module_platform_driver(soft_driver);

MODULE_DESCRIPTION("canpipe test rig: core clock that Linux changes");
MODULE_LICENSE("GPL");
