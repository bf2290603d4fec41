// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPI0 of the BCM2835 to BCM2711: whole messages by chained DMA
 *
 * A message is compiled into DMA control blocks, chip selects and delays included
 * (chain.c). Running it needs no CPU: two register writes start it, one
 * interrupt tells of its end. Life cycle, parameters and SPI controller are here.
 */

#include "bcm2835dma.h"

#include <linux/dmapool.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/platform_device.h>

static bool bcm2835dma_use_dma = true;
unsigned int bcm2835dma_batch = 8;
unsigned int bcm2835dma_pio_bytes;
unsigned int bcm2835dma_spin_us = 30;

static int bcm2835dma_set_dma(const char *value, const struct kernel_param *param)
{
	int err = param_set_bool(value, param);

	if (err)
		pr_err("spi-bcm2835dma: dma=%.*s is neither Y nor N\n",
		       (int)strcspn(value, "\n"), value);
	return err;
}

static const struct kernel_param_ops bcm2835dma_dma_ops = {
	.flags = KERNEL_PARAM_OPS_FL_NOARG,
	.set = bcm2835dma_set_dma,
	.get = param_get_bool,
};

/* A number in a range */
struct bcm2835dma_range {
	unsigned int *value;
	unsigned int min;
	unsigned int max;
};

static int bcm2835dma_set_range(const char *value, const struct kernel_param *param)
{
	const struct bcm2835dma_range *range = param->arg;
	unsigned int number;

	if (kstrtouint(value, 0, &number) || number < range->min || number > range->max) {
		pr_err("spi-bcm2835dma: %s=%.*s is not a number from %u to %u\n", param->name,
		       (int)strcspn(value, "\n"), value, range->min, range->max);
		return -EINVAL;
	}
	WRITE_ONCE(*range->value, number);
	return 0;
}

static int bcm2835dma_get_range(char *buffer, const struct kernel_param *param)
{
	const struct bcm2835dma_range *range = param->arg;

	return sprintf(buffer, "%u\n", *range->value);
}

static const struct kernel_param_ops bcm2835dma_range_ops = {
	.set = bcm2835dma_set_range,
	.get = bcm2835dma_get_range,
};

static struct bcm2835dma_range bcm2835dma_batch_range = { &bcm2835dma_batch, 1, 64 };
static struct bcm2835dma_range bcm2835dma_pio_range = { &bcm2835dma_pio_bytes, 0, 4096 };
static struct bcm2835dma_range bcm2835dma_spin_range = { &bcm2835dma_spin_us, 0, 1000 };

module_param_cb(dma, &bcm2835dma_dma_ops, &bcm2835dma_use_dma, 0444);
__MODULE_PARM_TYPE(dma, "bool");
MODULE_PARM_DESC(dma,
		 "Transfer by DMA; N: all by the CPU, and no prepared messages; Y or N (default Y)");

module_param_cb(batch, &bcm2835dma_range_ops, &bcm2835dma_batch_range, 0644);
__MODULE_PARM_TYPE(batch, "uint");
MODULE_PARM_DESC(batch,
		 "Messages that share one interrupt if they are submitted before it comes; 1: each has its own; 1 to 64 (default 8)");

module_param_cb(pio_bytes, &bcm2835dma_range_ops, &bcm2835dma_pio_range, 0644);
__MODULE_PARM_TYPE(pio_bytes, "uint");
MODULE_PARM_DESC(pio_bytes,
		 "Messages shorter than this are transferred by the CPU, but for prepared ones; bytes, 0 to 4096 (default 0)");

module_param_cb(spin_us, &bcm2835dma_range_ops, &bcm2835dma_spin_range, 0644);
__MODULE_PARM_TYPE(spin_us, "uint");
MODULE_PARM_DESC(spin_us,
		 "The CPU waits for messages that take no longer than this, but for prepared ones; us, 0 to 1000 (default 30)");

/**
 * bcm2835dma_is_ours() - does this driver drive the controller?
 * @ctlr: SPI controller
 *
 * Context: any
 * Return: whether it does
 */
bool bcm2835dma_is_ours(const struct spi_controller *ctlr)
{
	return ctlr->transfer_one_message == bcm2835dma_transfer_one_message;
}

/* driver_override binds to anything: look at the device, not at how it came here. */
static int bcm2835dma_check(struct device *dev)
{
	struct of_phandle_args spec;
	bool known;

	if (!of_device_is_compatible(dev->of_node, "canpipe,bcm2835-spi-dma") &&
	    !of_device_is_compatible(dev->of_node, "brcm,bcm2835-spi"))
		return dev_err_probe(dev, -ENODEV, "not the SPI block of a BCM2835 to BCM2711\n");

	/* no DMA at all is fine */
	if (of_parse_phandle_with_args(dev->of_node, "dmas", "#dma-cells", 0, &spec))
		return 0;
	known = of_device_is_compatible(spec.np, "brcm,bcm2835-dma");
	if (!known)
		dev_err(dev, "%pOF is not the DMA engine of a BCM2835 to BCM2711 (its legacy one): use the kernel's own driver\n",
			spec.np);
	of_node_put(spec.np);
	return known ? 0 : -ENODEV;
}

static void bcm2835dma_teardown(void *data)
{
	struct bcm2835dma *b = data;

	/* the devices are gone, and with them all messages */
	WARN_ON(!list_empty(&b->messages));
	bcm2835dma_ahead_drop(b, NULL);
	bcm2835dma_stop(b);
	bcm2835dma_engine_reset(b);
	bcm2835dma_debugfs_exit(b);
}

static void bcm2835dma_release_engine(void *data)
{
	bcm2835dma_engine_release(data);
}

/* Channels, or the reason why there are none */
static int bcm2835dma_init_dma(struct bcm2835dma *b)
{
	int err;

	if (!bcm2835dma_use_dma) {
		dev_info(b->dev, "dma=N: transfers are done by the CPU\n");
		return 0;
	}
	err = bcm2835dma_engine_claim(b);
	if (err == -EPROBE_DEFER)
		return err;
	if (err) {
		dev_warn(b->dev, "no DMA channels (%pe): transfers are done by the CPU\n",
			 ERR_PTR(err));
		return 0;
	}
	return devm_add_action_or_reset(b->dev, bcm2835dma_release_engine, b);
}

static int bcm2835dma_init_irq(struct bcm2835dma *b)
{
	unsigned long flags = IRQF_SHARED | IRQF_NO_THREAD;
	int err;

	if (!b->rx)
		return 0;
	b->pool = dmam_pool_create("spi-bcm2835dma", b->dev, BCM2835DMA_POOL_SIZE,
				   sizeof(struct bcm2835dma_cb), 0);
	if (!b->pool)
		return -ENOMEM;

	err = devm_request_irq(b->dev, b->irq, bcm2835dma_irq, flags, dev_name(b->dev), b);
	if (err == -EBUSY) {
		/* BCM2711: the line is that of SPI3 to 6, too, whose driver may have a thread */
		dev_info(b->dev, "the interrupt is shared with a threaded handler\n");
		err = devm_request_irq(b->dev, b->irq, bcm2835dma_irq, IRQF_SHARED,
				       dev_name(b->dev), b);
	}
	if (err)
		return dev_err_probe(b->dev, err, "cannot get interrupt %d\n", b->irq);
	return 0;
}

static void bcm2835dma_init_controller(struct bcm2835dma *b)
{
	struct spi_controller *ctlr = b->ctlr;

	ctlr->dev.of_node = b->dev->of_node;
	ctlr->bus_num = -1;
	ctlr->num_chipselect = BCM2835DMA_NATIVE_CS;
	ctlr->use_gpio_descriptors = true;
	ctlr->mode_bits = SPI_CPOL | SPI_CPHA | SPI_CS_HIGH | SPI_NO_CS;
	ctlr->bits_per_word_mask = SPI_BPW_MASK(8);
	ctlr->setup = bcm2835dma_setup;
	ctlr->cleanup = bcm2835dma_cleanup;
	ctlr->transfer_one_message = bcm2835dma_transfer_one_message;
	canpipe_spi_optimize_hooks(ctlr, bcm2835dma_optimize, bcm2835dma_unoptimize);
}

static int bcm2835dma_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;
	struct spi_controller *ctlr;
	struct bcm2835dma *b;
	int err;

	err = bcm2835dma_check(dev);
	if (err)
		return err;

	ctlr = canpipe_devm_spi_alloc_host(dev, sizeof(*b));
	if (!ctlr)
		return -ENOMEM;
	b = spi_controller_get_devdata(ctlr);
	b->dev = dev;
	b->ctlr = ctlr;
	mutex_init(&b->messages_lock);
	INIT_LIST_HEAD(&b->messages);
	spin_lock_init(&b->cache_lock);
	INIT_LIST_HEAD(&b->ahead);
	bcm2835dma_queue_init(b);
	platform_set_drvdata(pdev, b);

	b->spi = devm_platform_ioremap_resource(pdev, 0);
	if (IS_ERR(b->spi))
		return PTR_ERR(b->spi);
	b->irq = platform_get_irq(pdev, 0);
	if (b->irq < 0)
		return b->irq;

	bcm2835dma_find_gpio(b);
	err = bcm2835dma_clock_init(b);
	if (err)
		return err;
	bcm2835dma_engine_reset(b);
	err = bcm2835dma_init_dma(b);
	if (err)
		return err;
	err = bcm2835dma_init_irq(b);
	if (err)
		return err;

	bcm2835dma_debugfs_init(b);
	/* released in the reverse order: first the SPI devices, then the rest */
	err = devm_add_action_or_reset(dev, bcm2835dma_teardown, b);
	if (err)
		return err;

	bcm2835dma_init_controller(b);
	err = devm_spi_register_controller(dev, ctlr);
	if (err)
		return dev_err_probe(dev, err, "cannot register the controller\n");
	return 0;
}

static int __maybe_unused bcm2835dma_suspend(struct device *dev)
{
	struct bcm2835dma *b = dev_get_drvdata(dev);
	int err;

	err = spi_controller_suspend(b->ctlr);
	if (err)
		return err;
	bcm2835dma_stop(b);
	bcm2835dma_engine_reset(b);
	return 0;
}

static int __maybe_unused bcm2835dma_resume(struct device *dev)
{
	struct bcm2835dma *b = dev_get_drvdata(dev);

	bcm2835dma_engine_reset(b);
	bcm2835dma_clock_check(b);
	bcm2835dma_go(b);
	return spi_controller_resume(b->ctlr);
}

/* Reboot and kexec: the DMA engine must not write to memory that is somebody else's then. */
static void bcm2835dma_shutdown(struct platform_device *pdev)
{
	struct bcm2835dma *b = platform_get_drvdata(pdev);

	if (spi_controller_suspend(b->ctlr))
		dev_warn(b->dev, "messages are still waiting\n");
	bcm2835dma_stop(b);
	bcm2835dma_engine_reset(b);
}

static const struct dev_pm_ops bcm2835dma_pm_ops = {
	SET_SYSTEM_SLEEP_PM_OPS(bcm2835dma_suspend, bcm2835dma_resume)
};

static const struct of_device_id bcm2835dma_of_ids[] = {
	{ .compatible = "canpipe,bcm2835-spi-dma" },
	{ }
};
MODULE_DEVICE_TABLE(of, bcm2835dma_of_ids);

static struct platform_driver bcm2835dma_driver = {
	.driver = {
		.name = "spi-bcm2835dma",
		.of_match_table = bcm2835dma_of_ids,
		.pm = &bcm2835dma_pm_ops,
	},
	.probe = bcm2835dma_probe,
	.shutdown = bcm2835dma_shutdown,
};
module_platform_driver(bcm2835dma_driver);

MODULE_AUTHOR("canpipe maintainers");
MODULE_DESCRIPTION("SPI driver for the BCM2835 to BCM2711: messages by chained DMA (canpipe)");
MODULE_LICENSE("GPL");
MODULE_VERSION(CANPIPE_VERSION);
