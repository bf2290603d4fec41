// SPDX-License-Identifier: GPL-2.0-only
/* The rig's own interrupt controller, tests/rig/boards/intc.c. */
#include <linux/io.h>
#include <linux/irq.h>
#include <linux/of.h>

#include "glue.h"

#define INTC_OFFSET	0x8000
#define INTC_LINES	32

#define INTC_PENDING	0x00
#define INTC_ENABLE	0x10
#define INTC_DISABLE	0x14

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

static int rig_intc_start(struct rig_glue *glue, struct device_node *np)
{
	return of_property_read_u32(np, "canpipe,first-irq", &glue->first_irq);
}

const struct rig_intc rig_intc = {
	.compatible = "canpipe,rig-intc",
	.offset = INTC_OFFSET,
	.lines = INTC_LINES,
	.domain_ops = &rig_irq_domain_ops,
	.demux = rig_irq_demux,
	.start = rig_intc_start,
};
