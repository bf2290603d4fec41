// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C_CAN model: status bits and interrupts.
 *
 * C_CAN r1.2, 3.2.2 and 3.4.1; AM335x TRM, 23.3.10.
 */
#include "c_can_internal.h"

/*
 * Which line an object's interrupt belongs to. TI: bit 0 of INTMUX stands for
 * the last object, bit n for object n (as in the addresses of the message RAM).
 */
static unsigned int object_line(const struct c_can *c, unsigned int n)
{
	unsigned int bit = n == c->objects ? 0 : n;

	return c->intmux[bit / 32] >> (bit % 32) & 1;
}

static unsigned int first_pending(const struct c_can *c, unsigned int line)
{
	unsigned int n;

	for (n = 1; n <= c->objects; n++)
		if ((c->object[n].mctrl & MCTRL_INTPND) && object_line(c, n) == line)
			return n;
	return 0;
}

/* PER is a level: no edge is needed after EIE has been set. */
static bool status_pending(const struct c_can *c)
{
	return c->status_int || ((c->ctrl & CTRL_EIE) && (c->sts & STS_PER));
}

/* The status has the highest priority, then the lowest object number. */
uint32_t c_can_int_read(const struct c_can *c)
{
	uint32_t value = status_pending(c) ? INT_STATUS : first_pending(c, 0);

	if (c_can_is_ti(c))
		value |= first_pending(c, 1) << 16;
	return value;
}

/* A line is a level: it stays until its cause is gone or it is disabled. */
void c_can_update_irq(struct c_can *c)
{
	bool line0, line1 = false;

	switch (c->config.type) {
	case D_CAN_TI:
		line0 = (c->ctrl & CTRL_IE) && (status_pending(c) || first_pending(c, 0));
		line1 = (c->ctrl & CTRL_IE1) && first_pending(c, 1);
		break;
	case D_CAN_BOSCH:
		line0 = (c->ctrl & CTRL_IE) &&
			(status_pending(c) ||
			 (!(c->ctrl & CTRL_MIL) && first_pending(c, 0)));
		line1 = (c->ctrl & CTRL_IE) && (c->ctrl & CTRL_MIL) && first_pending(c, 0);
		break;
	default:
		line0 = (c->ctrl & CTRL_IE) && (status_pending(c) || first_pending(c, 0));
		break;
	}
	c->line[1] = line1;
	if (line0 == c->line[0])
		return;
	c->line[0] = line0;
	if (line0)
		c->stats.interrupts++;
	if (c->irq)
		c->irq(c->irq_arg, line0);
}

/*
 * The core has updated RxOk, TxOk, WakeUpPnd or LEC (@lec < 0: not LEC). An
 * update counts, not a change: with SIE each frame on the bus interrupts.
 */
void c_can_status_event(struct c_can *c, uint32_t set, int lec)
{
	c->sts |= set;
	if (lec >= 0)
		c->sts = (c->sts & ~STS_LEC) | ((uint32_t)lec & STS_LEC);
	if (c->ctrl & CTRL_SIE)
		c->status_int = true;
	c_can_update_irq(c);
}

/* EPass, EWarn and BOff follow the counters; a change of EPass is silent. */
void c_can_error_state(struct c_can *c)
{
	uint32_t errors = 0, changed;

	if (canbus_node_passive(&c->node))
		errors |= STS_EPASS;
	if (canbus_node_warning(&c->node))
		errors |= STS_EWARN;
	if (c->node.bus_off)
		errors |= STS_BOFF;
	changed = errors ^ c->errors;
	c->errors = errors;
	if ((changed & (STS_BOFF | STS_EWARN)) && (c->ctrl & CTRL_EIE))
		c->status_int = true;
	if (changed & errors & STS_BOFF) {
		if (!(c->ctrl & CTRL_IE) && c_can_has_erratum(c, C_CAN_ERRATUM_LOST_BUSOFF))
			c->status_int = false;
		/* All bus activity stops, and Init is set by the hardware. */
		c_can_set_init(c, true);
		if (c_can_is_ti(c) && (c->ctrl & CTRL_ABO))
			sim_at(c->sim, &c->abo_event,
			       c->sim->now + c_can_clocks_ns(c, c->abotr));
	}
	c_can_update_irq(c);
}
