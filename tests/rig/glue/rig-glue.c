// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test only: gives a guest the devices of a system-on-chip that the rig has put
 * behind BAR 0 of a PCI function. The boot device tree holds a node
 * "canpipe,rig-soc" whose ranges point into the BAR; its interrupt controller
 * (tests/rig/boards/intc.c) makes one MSI of the lines of the children.
 */
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/module.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/of_platform.h>
#include <linux/pci.h>
#include <linux/platform_device.h>

#define INTC_OFFSET	0x8000
#define INTC_LINES	32

#define INTC_PENDING	0x00
#define INTC_ENABLE	0x10
#define INTC_DISABLE	0x14

struct rig_glue {
	void __iomem *intc;
	struct irq_domain *domain;
	struct platform_device *soc;
	u32 first_irq;
	int irq;
};

static void rig_irq_mask(struct irq_data *d)
{
	struct rig_glue *glue = irq_data_get_irq_chip_data(d);

	writel(BIT(d->hwirq), glue->intc + INTC_DISABLE);
}

static void rig_irq_unmask(struct irq_data *d)
{
	struct rig_glue *glue = irq_data_get_irq_chip_data(d);

	writel(BIT(d->hwirq), glue->intc + INTC_ENABLE);
}

static struct irq_chip rig_irq_chip = {
	.name = "rig-intc",
	.irq_mask = rig_irq_mask,
	.irq_unmask = rig_irq_unmask,
};

static int rig_irq_map(struct irq_domain *domain, unsigned int virq, irq_hw_number_t hwirq)
{
	irq_set_chip_data(virq, domain->host_data);
	irq_set_chip_and_handler(virq, &rig_irq_chip, handle_level_irq);
	irq_set_status_flags(virq, IRQ_LEVEL | IRQ_NOPROBE);
	return 0;
}

/* One cell: the number. Three cells: as the GIC's, the number is the second. */
static int rig_irq_xlate(struct irq_domain *domain, struct device_node *np, const u32 *spec,
			 unsigned int cells, unsigned long *hwirq, unsigned int *type)
{
	struct rig_glue *glue = domain->host_data;
	u32 number;

	if (cells != 1 && cells != 3)
		return -EINVAL;
	number = spec[cells == 3] - glue->first_irq;
	if (number >= INTC_LINES)
		return -EINVAL;
	*hwirq = number;
	*type = IRQ_TYPE_NONE;
	return 0;
}

static const struct irq_domain_ops rig_irq_domain_ops = {
	.map = rig_irq_map,
	.xlate = rig_irq_xlate,
};

/* Reading PENDING as 0 arms the controller again: loop until then. */
static irqreturn_t rig_irq_demux(int irq, void *arg)
{
	struct rig_glue *glue = arg;
	irqreturn_t ret = IRQ_NONE;
	unsigned long pending;
	unsigned int bit;

	while ((pending = readl(glue->intc + INTC_PENDING))) {
		for_each_set_bit(bit, &pending, INTC_LINES) {
			/* a line that nobody wants must not keep us here */
			if (generic_handle_domain_irq(glue->domain, bit))
				writel(BIT(bit), glue->intc + INTC_DISABLE);
		}
		ret = IRQ_HANDLED;
	}
	return ret;
}

static int rig_domain_create(struct rig_glue *glue, struct pci_dev *pdev)
{
	struct device_node *np;
	struct resource res;
	int ret;

	np = of_find_compatible_node(NULL, NULL, "canpipe,rig-intc");
	if (!np)
		return dev_err_probe(&pdev->dev, -ENODEV,
				     "no canpipe,rig-intc: boot with the board's device tree\n");
	ret = of_address_to_resource(np, 0, &res);
	if (!ret && res.start != pci_resource_start(pdev, 0) + INTC_OFFSET) {
		dev_err(&pdev->dev, "device tree has %pR, BAR 0 is %pR: ranges must point there\n",
			&res, &pdev->resource[0]);
		ret = -EINVAL;
	}
	if (!ret)
		ret = of_property_read_u32(np, "canpipe,first-irq", &glue->first_irq);
	if (!ret) {
		glue->domain = irq_domain_create_linear(&np->fwnode, INTC_LINES,
							&rig_irq_domain_ops, glue);
		if (!glue->domain)
			ret = -ENOMEM;
	}
	of_node_put(np);
	return ret;
}

static void rig_domain_remove(struct rig_glue *glue)
{
	unsigned int i;

	for (i = 0; i < INTC_LINES; i++) {
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
	pci_set_drvdata(pdev, glue);
	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;
	pci_set_master(pdev);

	/* No claim of the region: the children's drivers claim parts of it. */
	glue->intc = pcim_iomap(pdev, 0, 0);
	if (!glue->intc)
		return -ENOMEM;
	glue->intc += INTC_OFFSET;

	/* The domain comes first: it is what the children's suppliers wait for. */
	ret = rig_domain_create(glue, pdev);
	if (ret)
		return ret;
	ret = pci_alloc_irq_vectors(pdev, 1, 1, PCI_IRQ_MSI);
	if (ret < 0)
		goto err_domain;
	glue->irq = pci_irq_vector(pdev, 0);
	ret = request_irq(glue->irq, rig_irq_demux, IRQF_NO_THREAD, "rig-intc", glue);
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
	{ PCI_DEVICE(0x1234, 0x335a) },
	{ PCI_DEVICE(0x1234, 0xc5c0) },
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
