// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C_CAN model: power down and wake up, auto-bus-on, message RAM
 * initialisation and parity.
 *
 * AM335x TRM, 23.3.8.1.3, 23.3.8.2.2, 23.3.11, 23.3.12; D_CAN r1.11 (CFR).
 */
#include <string.h>

#include "c_can_internal.h"

/* Bosch's D_CAN has no switch for it, TI's PMD is off for one value only. */
bool c_can_parity_on(const struct c_can *c)
{
	if (c_can_is_ti(c))
		return (c->ctrl & CTRL_PMD) != CTRL_PMD_OFF;
	return c_can_is_d_can(c);
}

/*
 * Object @n is read, up to word @word of its image in the RAM. On a parity
 * error: PER, the place in PERR, MsgVal reset, true.
 */
bool c_can_parity_check(struct c_can *c, unsigned int n, unsigned int word)
{
	if (!c->object[n].bad_parity || !c_can_parity_on(c))
		return false;
	c->sts |= STS_PER;
	c->perr = word << 8 | n;
	c->object[n].arb &= ~ARB_MSGVAL;
	c_can_update_irq(c);
	return true;
}

static bool ram_busy(const struct c_can *c)
{
	return sim_armed(&c->ram_event);
}

/* Objects + 4 clocks (D_CAN r1.11, RamInit). */
static void ram_start(struct c_can *c)
{
	c->ram_done = false;
	if (c_can_has_erratum(c, C_CAN_ERRATUM_NO_RAMINIT))
		return;
	sim_at(c->sim, &c->ram_event, c->sim->now + c_can_clocks_ns(c, c->objects + 4));
}

void c_can_ram_ready(void *arg)
{
	struct c_can *c = arg;

	memset(c->object, 0, sizeof(c->object));
	c->cfr &= ~CFR_RAMINIT;
	c->ram_done = true;
	c_can_update_irq(c);
}

/* TI: the rising edge of the control module's signal starts it. */
void c_can_raminit(struct c_can *c, bool start)
{
	if (start && !c->ram_start && !ram_busy(c))
		ram_start(c);
	c->ram_start = start;
}

bool c_can_raminit_done(const struct c_can *c)
{
	return c->ram_done;
}

void c_can_cfr_write(struct c_can *c, uint32_t value, uint32_t lanes)
{
	bool was = c->cfr & CFR_CLKSTREQ, is = value & CFR_CLKSTREQ;

	if (!(lanes & 0xff))
		return;
	if (was != is) {
		c->cfr ^= CFR_CLKSTREQ;
		c_can_power_request(c, is);
	}
	/* RamInit: only in Init, cleared by the hardware alone. */
	if ((value & CFR_RAMINIT) && c->init && !(c->cfr & CFR_RAMINIT)) {
		c->cfr |= CFR_RAMINIT;
		ram_start(c);
	}
}

/* 11 recessive bits are what makes a bus idle. */
static uint64_t idle_ns(const struct c_can *c)
{
	return 11 * (uint64_t)c->node.bit_ns;
}

static void power_enter(struct c_can *c)
{
	c->power = C_CAN_POWER_DOWN;
	c_can_set_init(c, true);
	if (c_can_is_ti(c))
		c->sts |= STS_PDA;
	else
		c->cfr |= CFR_CLKSTACK;
	c_can_power_monitor(c);
}

/* Asked to sleep: all requests first, then an idle bus. */
void c_can_power_check(void *arg)
{
	struct c_can *c = arg;

	if (c->power != C_CAN_POWER_WAIT)
		return;
	if (c->init || (!c_can_tx_wanted(c) && !c->node.transmitting && !c->node.receiving &&
			!c->rx.valid))
		power_enter(c);
	else
		sim_at(c->sim, &c->power_event, c->sim->now + idle_ns(c));
}

/* The PDR bit (TI) or ClkStReq (Bosch) has changed. */
void c_can_power_request(struct c_can *c, bool down)
{
	if (down) {
		c->power = C_CAN_POWER_WAIT;
		sim_at(c->sim, &c->power_event, c->sim->now + (c->init ? 0 : idle_ns(c)));
		return;
	}
	sim_cancel(c->sim, &c->power_event);
	c->power = C_CAN_POWER_ON;
	c->sts &= ~STS_PDA;
	c->cfr &= ~CFR_CLKSTACK;
	c_can_power_monitor(c);
}

/*
 * Asleep with WUBA: the wake-up circuit watches the bus. The node listens in
 * silence for that; what this does to its counters is undone.
 */
void c_can_power_monitor(struct c_can *c)
{
	bool on = c->power == C_CAN_POWER_DOWN && c->init && !c->node.bus_off &&
		  c_can_is_ti(c) && (c->ctrl & CTRL_WUBA);

	if (on == c->monitor)
		return;
	if (on) {
		c->monitor = true;
		c->monitor_tec = c->node.tec;
		c->monitor_rec = c->node.rec;
		c->node.mode = CANBUS_SILENT;
		canbus_node_start(&c->node);
		return;
	}
	canbus_node_stop(&c->node);
	c->monitor = false;
	c->node.tec = c->monitor_tec;
	c->node.rec = c->monitor_rec;
}

/* Something happens on the bus. */
void c_can_activity(struct c_can *c)
{
	if (c->monitor) {
		/* Not from within the bus's callback: this restarts the node. */
		if (!sim_armed(&c->wake_event))
			sim_at(c->sim, &c->wake_event, c->sim->now);
	} else if (c->power == C_CAN_POWER_WAIT) {
		sim_at(c->sim, &c->power_event, c->sim->now + idle_ns(c));
	}
}

void c_can_wake(void *arg)
{
	struct c_can *c = arg;

	if (!c->monitor)
		return;
	c->power = C_CAN_POWER_ON;
	c_can_power_monitor(c);		/* ends the listening */
	c->ctrl &= ~CTRL_PDR;
	c->sts &= ~STS_PDA;
	c_can_status_event(c, STS_WAKEUP, -1);
	c_can_set_init(c, false);
}

/* Auto-bus-on: the hardware clears Init, which starts the recovery. */
void c_can_abo_fire(void *arg)
{
	struct c_can *c = arg;

	c_can_set_init(c, false);
}
