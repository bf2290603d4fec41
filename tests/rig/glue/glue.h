/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef RIG_GLUE_H
#define RIG_GLUE_H

#include <linux/interrupt.h>
#include <linux/irqdomain.h>

struct pci_dev;
struct platform_device;
struct rig_glue;

/**
 * struct rig_intc - one kind of interrupt controller
 * @compatible: of its node
 * @offset: its registers in BAR 0
 * @lines: hardware interrupt numbers are 0 to @lines - 1
 * @domain_ops: map and xlate; host_data is the struct rig_glue
 * @demux: handler of the one interrupt that stands for all lines; arg is the
 *	struct rig_glue
 * @start: what else is to be read from its node; may be NULL
 */
struct rig_intc {
	const char *compatible;
	unsigned int offset;
	unsigned int lines;
	const struct irq_domain_ops *domain_ops;
	irq_handler_t demux;
	int (*start)(struct rig_glue *glue, struct device_node *np);
};

struct rig_glue {
	const struct rig_intc *type;
	void __iomem *intc;
	struct irq_domain *domain;
	struct platform_device *soc;
	u32 first_irq;
	int irq;
};

extern const struct rig_intc rig_intc;
extern const struct rig_intc rig_armctrl;

#endif
