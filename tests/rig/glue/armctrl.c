// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interrupt controller of the Raspberry Pi, tests/model/bcm2835_intc.h, with
 * the two cells that the Pi's device trees use: bank 0 (ARM), 1, 2 (GPU) and
 * number. The kernel's own driver for it can only be started at boot, when there
 * is no PCI yet.
 */
#include <linux/io.h>
#include <linux/irq.h>
#include <linux/of.h>

#include "glue.h"

#define ARMCTRL_OFFSET	0xb200
#define BANKS		3

#define BASIC_PENDING	0x00
#define BASIC_ARM	0xff
#define BASIC_BANK(n)	BIT(7 + (n))	/* n: 1, 2 */
#define BASIC_SHORTCUT	10

static const u8 pending_reg[BANKS] = { 0x00, 0x04, 0x08 };
static const u8 enable_reg[BANKS] = { 0x18, 0x10, 0x14 };
static const u8 disable_reg[BANKS] = { 0x24, 0x1c, 0x20 };

/* Lines of the GPU that have a bit of their own in BASIC_PENDING, and nothing else there. */
static const u8 shortcut[] = { 7, 9, 10, 18, 19, 53, 54, 55, 56, 57, 62 };

static void armctrl_mask(struct irq_data *d)
{
	struct rig_glue *glue = irq_data_get_irq_chip_data(d);

	writel(BIT(d->hwirq % 32), glue->intc + disable_reg[d->hwirq / 32]);
}

static void armctrl_unmask(struct irq_data *d)
{
	struct rig_glue *glue = irq_data_get_irq_chip_data(d);

	writel(BIT(d->hwirq % 32), glue->intc + enable_reg[d->hwirq / 32]);
}

static struct irq_chip armctrl_chip = {
	.name = "rig-armctrl",
	.irq_mask = armctrl_mask,
	.irq_unmask = armctrl_unmask,
};

static int armctrl_map(struct irq_domain *domain, unsigned int virq, irq_hw_number_t hwirq)
{
	irq_set_chip_data(virq, domain->host_data);
	irq_set_chip_and_handler(virq, &armctrl_chip, handle_level_irq);
	irq_set_status_flags(virq, IRQ_LEVEL | IRQ_NOPROBE);
	return 0;
}

static int armctrl_xlate(struct irq_domain *domain, struct device_node *np, const u32 *spec,
			 unsigned int cells, unsigned long *hwirq, unsigned int *type)
{
	if (cells != 2 || spec[0] >= BANKS || spec[1] >= 32)
		return -EINVAL;
	*hwirq = spec[0] * 32 + spec[1];
	*type = IRQ_TYPE_NONE;
	return 0;
}

static const struct irq_domain_ops armctrl_domain_ops = {
	.map = armctrl_map,
	.xlate = armctrl_xlate,
};

static void armctrl_handle(struct rig_glue *glue, unsigned int hwirq)
{
	/* a line that nobody wants must not keep us here */
	if (generic_handle_domain_irq(glue->domain, hwirq))
		writel(BIT(hwirq % 32), glue->intc + disable_reg[hwirq / 32]);
}

/* Reading BASIC_PENDING as 0 arms the controller again: loop until then. */
static irqreturn_t armctrl_demux(int irq, void *arg)
{
	struct rig_glue *glue = arg;
	irqreturn_t ret = IRQ_NONE;
	unsigned long basic, lines;
	unsigned int bank, i;

	while ((basic = readl(glue->intc + BASIC_PENDING))) {
		lines = basic & BASIC_ARM;
		for_each_set_bit(i, &lines, 8)
			armctrl_handle(glue, i);
		for (i = 0; i < ARRAY_SIZE(shortcut); i++)
			if (basic & BIT(BASIC_SHORTCUT + i))
				armctrl_handle(glue, 32 + shortcut[i]);
		for (bank = 1; bank < BANKS; bank++) {
			if (!(basic & BASIC_BANK(bank)))
				continue;
			lines = readl(glue->intc + pending_reg[bank]);
			for_each_set_bit(i, &lines, 32)
				armctrl_handle(glue, bank * 32 + i);
		}
		ret = IRQ_HANDLED;
	}
	return ret;
}

const struct rig_intc rig_armctrl = {
	.compatible = "canpipe,rig-armctrl",
	.offset = ARMCTRL_OFFSET,
	.lines = BANKS * 32,
	.domain_ops = &armctrl_domain_ops,
	.demux = armctrl_demux,
};
