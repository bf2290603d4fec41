// SPDX-License-Identifier: GPL-2.0-only
/* The boards' interrupt controller; see boards.h. */
#include <inttypes.h>

#include "boards.h"

static void intc_update(struct intc *ic)
{
	if (ic->raised || !(ic->raw & ic->enabled))
		return;
	ic->raised = true;
	ic->raises++;
	sim_set_irq(ic->sim, 0, true);
}

void intc_init(struct intc *ic, struct sim *sim)
{
	*ic = (struct intc){ .sim = sim };
}

void intc_reset(struct intc *ic)
{
	ic->enabled = 0;
	if (ic->raised)
		sim_set_irq(ic->sim, 0, false);
	ic->raised = false;
}

void intc_line(struct intc *ic, unsigned int line, bool level)
{
	if (level)
		ic->raw |= 1u << line;
	else
		ic->raw &= ~(1u << line);
	intc_update(ic);
}

uint32_t intc_read(struct intc *ic, unsigned int off)
{
	uint32_t pending = ic->raw & ic->enabled;

	ic->reads++;
	switch (off) {
	case INTC_PENDING:
		if (!pending && ic->raised) {
			ic->raised = false;
			sim_set_irq(ic->sim, 0, false);
		}
		return pending;
	case INTC_RAW:
		return ic->raw;
	case INTC_ENABLED:
		return ic->enabled;
	default:
		return 0;
	}
}

void intc_write(struct intc *ic, unsigned int off, uint32_t value)
{
	ic->writes++;
	if (off == INTC_ENABLE)
		ic->enabled |= value;
	else if (off == INTC_DISABLE)
		ic->enabled &= ~value;
	intc_update(ic);
}

void intc_counters(const struct intc *ic, FILE *out)
{
	fprintf(out, "\"intc_reads\": %" PRIu64 ", \"intc_writes\": %" PRIu64
		", \"intc_raises\": %" PRIu64 ", ", ic->reads, ic->writes, ic->raises);
}

void intc_counters_reset(struct intc *ic)
{
	ic->reads = 0;
	ic->writes = 0;
	ic->raises = 0;
}
