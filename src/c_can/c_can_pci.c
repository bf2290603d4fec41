// SPDX-License-Identifier: GPL-2.0-only
/*
 * C_CAN behind PCI: Intel EG20T PCH, ST STA2X11
 */

#include "c_can.h"

#include <linux/delay.h>
#include <linux/module.h>
#include <linux/pci.h>

/* EG20T: soft reset of the CAN block, outside the C_CAN map */
#define C_CAN_PCI_EG20T_SRST	0x1fc

/**
 * struct c_can_pci_chip - a PCI function that is a C_CAN
 * @chip: the controller
 * @bar: where its registers are
 * @io_32bit: accesses must be 32 bits wide
 * @clock_hz: CAN clock
 * @soft_reset: offset of the soft reset register, 0 if there is none
 */
struct c_can_pci_chip {
	struct c_can_chip chip;
	unsigned int bar;
	bool io_32bit;
	u32 clock_hz;
	unsigned int soft_reset;
};

static const struct c_can_pci_chip c_can_pci_eg20t = {
	.chip = {
		.name = "Intel EG20T C_CAN",
		.family = C_CAN_FAMILY_C_CAN,
		.objects = 32,
		.quirks = C_CAN_QUIRK_SPLIT_CLEAR,
	},
	.bar = 1,
	.io_32bit = true,
	.clock_hz = 50000000,
	.soft_reset = C_CAN_PCI_EG20T_SRST,
};

static const struct c_can_pci_chip c_can_pci_sta2x11 = {
	.chip = {
		.name = "STA2X11 C_CAN",
		.family = C_CAN_FAMILY_C_CAN,
		.objects = 32,
	},
	.bar = 0,
	.clock_hz = 52000000,
};

static void c_can_pci_reset(struct c_can_priv *priv)
{
	const struct c_can_pci_chip *chip = priv->bus_data;
	void __iomem *srst = priv->base + chip->soft_reset;

	writel(1, srst);
	/* let the pulse reach the device, and last */
	readl(srst);
	udelay(1);
	writel(0, srst);
	readl(srst);
}

static int c_can_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	const struct c_can_pci_chip *chip = (const struct c_can_pci_chip *)id->driver_data;
	struct c_can_priv *priv;
	struct net_device *dev;
	int err;

	err = pci_enable_device(pdev);
	if (err)
		return dev_err_probe(&pdev->dev, err, "cannot enable the PCI device\n");

	err = pci_request_regions(pdev, KBUILD_MODNAME);
	if (err) {
		dev_err(&pdev->dev, "registers are in use by another driver (%pe)\n",
			ERR_PTR(err));
		goto err_disable;
	}

	/* messages need bus mastering */
	pci_set_master(pdev);
	err = pci_alloc_irq_vectors(pdev, 1, 1, PCI_IRQ_MSI | PCI_IRQ_INTX);
	if (err < 0) {
		dev_err(&pdev->dev, "no interrupt (%pe)\n", ERR_PTR(err));
		goto err_release;
	}

	err = -ENOMEM;
	dev = c_can_alloc(&pdev->dev, &chip->chip);
	if (!dev)
		goto err_vectors;

	priv = netdev_priv(dev);
	priv->base = pci_iomap(pdev, chip->bar, 0);
	if (!priv->base) {
		dev_err(&pdev->dev, "cannot map BAR %u\n", chip->bar);
		goto err_free;
	}
	priv->reg_shift = 1;
	priv->io_32bit = chip->io_32bit;
	priv->irq = pci_irq_vector(pdev, 0);
	priv->can.clock.freq = chip->clock_hz;
	priv->bus_data = (void *)chip;
	if (chip->soft_reset)
		priv->reset = c_can_pci_reset;
	dev->irq = priv->irq;

	pci_set_drvdata(pdev, dev);
	err = c_can_register(dev);
	if (err)
		goto err_unmap;
	return 0;

err_unmap:
	pci_iounmap(pdev, priv->base);
err_free:
	c_can_free(dev);
err_vectors:
	pci_free_irq_vectors(pdev);
err_release:
	pci_clear_master(pdev);
	pci_release_regions(pdev);
err_disable:
	pci_disable_device(pdev);
	return err;
}

static void c_can_pci_remove(struct pci_dev *pdev)
{
	struct net_device *dev = pci_get_drvdata(pdev);
	struct c_can_priv *priv = netdev_priv(dev);

	c_can_unregister(dev);
	pci_iounmap(pdev, priv->base);
	c_can_free(dev);
	pci_free_irq_vectors(pdev);
	pci_clear_master(pdev);
	pci_release_regions(pdev);
	pci_disable_device(pdev);
}

static int __maybe_unused c_can_pci_suspend(struct device *device)
{
	return c_can_suspend(dev_get_drvdata(device));
}

static int __maybe_unused c_can_pci_resume(struct device *device)
{
	return c_can_resume(dev_get_drvdata(device));
}

static const struct dev_pm_ops c_can_pci_pm_ops = {
	SET_SYSTEM_SLEEP_PM_OPS(c_can_pci_suspend, c_can_pci_resume)
};

static const struct pci_device_id c_can_pci_ids[] = {
	{ PCI_VDEVICE(INTEL, 0x8818), (kernel_ulong_t)&c_can_pci_eg20t },
	{ PCI_VDEVICE(STMICRO, 0xcc11), (kernel_ulong_t)&c_can_pci_sta2x11 },
	{ }
};
MODULE_DEVICE_TABLE(pci, c_can_pci_ids);

static struct pci_driver c_can_pci_driver = {
	.name = KBUILD_MODNAME,
	.id_table = c_can_pci_ids,
	.probe = c_can_pci_probe,
	.remove = c_can_pci_remove,
	.driver.pm = &c_can_pci_pm_ops,
};
module_pci_driver(c_can_pci_driver);

MODULE_AUTHOR("canpipe maintainers");
MODULE_DESCRIPTION("PCI glue for Bosch C_CAN controllers: Intel EG20T, STA2X11 (canpipe)");
MODULE_LICENSE("GPL");
MODULE_VERSION(CANPIPE_VERSION);
