// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test only: gives a guest the devices of a system-on-chip that the rig has put
 * behind BAR 0 of a PCI function. The boot device tree holds a node
 * "canpipe,rig-soc" whose ranges point into the BAR; its interrupt controller
 * (intc.c, armctrl.c) makes one MSI of the lines of the children.
 */
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/of_platform.h>
#include <linux/pci.h>
#include <linux/platform_device.h>

#include "glue.h"

static int rig_domain_create(struct rig_glue *glue, struct pci_dev *pdev)
{
	const struct rig_intc *type = glue->type;
	struct device_node *np;
	struct resource res;
	int ret;

	np = of_find_compatible_node(NULL, NULL, type->compatible);
	if (!np)
		return dev_err_probe(&pdev->dev, -ENODEV,
				     "no %s: boot with the board's device tree\n",
				     type->compatible);
	ret = of_address_to_resource(np, 0, &res);
	if (!ret && res.start != pci_resource_start(pdev, 0) + type->offset) {
		dev_err(&pdev->dev, "device tree has %pR, BAR 0 is %pR: ranges must point there\n",
			&res, &pdev->resource[0]);
		ret = -EINVAL;
	}
	if (!ret && type->start)
		ret = type->start(glue, np);
	if (!ret) {
		glue->domain = irq_domain_create_linear(&np->fwnode, type->lines,
							type->domain_ops, glue);
		if (!glue->domain)
			ret = -ENOMEM;
	}
	of_node_put(np);
	return ret;
}

static void rig_domain_remove(struct rig_glue *glue)
{
	unsigned int i;

	for (i = 0; i < glue->type->lines; i++) {
		unsigned int virq = irq_find_mapping(glue->domain, i);

		if (virq)
			irq_dispose_mapping(virq);
	}
	irq_domain_remove(glue->domain);
}

static int rig_glue_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct device_node *soc;
	struct rig_glue *glue;
	int ret;

	glue = devm_kzalloc(&pdev->dev, sizeof(*glue), GFP_KERNEL);
	if (!glue)
		return -ENOMEM;
	glue->type = (const struct rig_intc *)id->driver_data;
	pci_set_drvdata(pdev, glue);
	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;
	pci_set_master(pdev);

	/* No claim of the region: the children's drivers claim parts of it. */
	glue->intc = pcim_iomap(pdev, 0, 0);
	if (!glue->intc)
		return -ENOMEM;
	glue->intc += glue->type->offset;

	/* The domain comes first: it is what the children's suppliers wait for. */
	ret = rig_domain_create(glue, pdev);
	if (ret)
		return ret;
	ret = pci_alloc_irq_vectors(pdev, 1, 1, PCI_IRQ_MSI);
	if (ret < 0)
		goto err_domain;
	glue->irq = pci_irq_vector(pdev, 0);
	ret = request_irq(glue->irq, glue->type->demux, IRQF_NO_THREAD, "rig-intc", glue);
	if (ret)
		goto err_vectors;

	soc = of_find_compatible_node(NULL, NULL, "canpipe,rig-soc");
	/* depopulate finds the children only below the node's own device */
	glue->soc = soc ? of_find_device_by_node(soc) : NULL;
	if (!glue->soc) {
		ret = -ENODEV;
		goto err_node;
	}
	ret = of_platform_populate(soc, NULL, NULL, &glue->soc->dev);
	if (ret)
		goto err_soc;
	of_node_put(soc);
	return 0;

err_soc:
	put_device(&glue->soc->dev);
err_node:
	of_node_put(soc);
	free_irq(glue->irq, glue);
err_vectors:
	pci_free_irq_vectors(pdev);
err_domain:
	rig_domain_remove(glue);
	return ret;
}

static void rig_glue_remove(struct pci_dev *pdev)
{
	struct rig_glue *glue = pci_get_drvdata(pdev);

	of_platform_depopulate(&glue->soc->dev);
	put_device(&glue->soc->dev);
	free_irq(glue->irq, glue);
	pci_free_irq_vectors(pdev);
	rig_domain_remove(glue);
}

static const struct pci_device_id rig_glue_ids[] = {
	{ PCI_DEVICE(0x1234, 0x335a), .driver_data = (kernel_ulong_t)&rig_intc },
	{ PCI_DEVICE(0x1234, 0xc5c0), .driver_data = (kernel_ulong_t)&rig_intc },
	{ PCI_DEVICE(0x1234, 0x2835), .driver_data = (kernel_ulong_t)&rig_armctrl },
	{ }
};
MODULE_DEVICE_TABLE(pci, rig_glue_ids);

static struct pci_driver rig_glue_driver = {
	.name = "rig-glue",
	.id_table = rig_glue_ids,
	.probe = rig_glue_probe,
	.remove = rig_glue_remove,
};
module_pci_driver(rig_glue_driver);

MODULE_DESCRIPTION("canpipe test rig: SoC block behind a PCI BAR");
MODULE_LICENSE("GPL");
