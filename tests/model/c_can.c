// SPDX-License-Identifier: GPL-2.0-only
/* The C_CAN model: life cycle, resets, counters. */
#include <stdlib.h>
#include <string.h>

#include "c_can_internal.h"

const char *const c_can_reg_name[C_CAN_REG_COUNT] = {
	[C_CAN_REG_CTRL] = "CTRL",
	[C_CAN_REG_STS] = "STS",
	[C_CAN_REG_ERRCNT] = "ERRCNT",
	[C_CAN_REG_BTR] = "BTR",
	[C_CAN_REG_INT] = "INT",
	[C_CAN_REG_TEST] = "TEST",
	[C_CAN_REG_BRPEXT] = "BRPEXT",
	[C_CAN_REG_CFR] = "CFR",
	[C_CAN_REG_PERR] = "PERR",
	[C_CAN_REG_REL] = "REL",
	[C_CAN_REG_HWS] = "HWS",
	[C_CAN_REG_ABOTR] = "ABOTR",
	[C_CAN_REG_INTMUX] = "INTMUX",
	[C_CAN_REG_IF1_CMDREQ] = "IF1_CMDREQ",
	[C_CAN_REG_IF1_CMDMASK] = "IF1_CMDMASK",
	[C_CAN_REG_IF1_MASK] = "IF1_MASK",
	[C_CAN_REG_IF1_ARB] = "IF1_ARB",
	[C_CAN_REG_IF1_MCTRL] = "IF1_MCTRL",
	[C_CAN_REG_IF1_DATA] = "IF1_DATA",
	[C_CAN_REG_IF2_CMDREQ] = "IF2_CMDREQ",
	[C_CAN_REG_IF2_CMDMASK] = "IF2_CMDMASK",
	[C_CAN_REG_IF2_MASK] = "IF2_MASK",
	[C_CAN_REG_IF2_ARB] = "IF2_ARB",
	[C_CAN_REG_IF2_MCTRL] = "IF2_MCTRL",
	[C_CAN_REG_IF2_DATA] = "IF2_DATA",
	[C_CAN_REG_IF3] = "IF3",
	[C_CAN_REG_TXRQST] = "TXRQST",
	[C_CAN_REG_NEWDAT] = "NEWDAT",
	[C_CAN_REG_INTPND] = "INTPND",
	[C_CAN_REG_MSGVAL] = "MSGVAL",
	[C_CAN_REG_OTHER] = "OTHER",
};

/* How long @clocks of the CAN clock take; never less than the truth. */
uint64_t c_can_clocks_ns(const struct c_can *c, uint64_t clocks)
{
	return (clocks * 1000000000 + c->config.clock_hz - 1) / c->config.clock_hz;
}

/*
 * After power-up the message RAM holds whatever it holds; only the flags,
 * which have registers of their own, have a reset value (C_CAN r1.2, 3).
 * "Whatever" is the same in every run.
 */
static void power_up_ram(struct c_can *c)
{
	uint32_t x = 0x2545f491;
	unsigned int n, i;

	for (n = 1; n <= c->objects; n++) {
		struct c_can_object *o = &c->object[n];
		uint32_t r[5];

		for (i = 0; i < 5; i++) {
			x ^= x << 13;
			x ^= x >> 17;
			x ^= x << 5;
			r[i] = x;
		}
		o->mask = r[0] | MASK_ONE;
		o->arb = r[1] & ~ARB_MSGVAL;
		o->mctrl = r[2] & MCTRL_ALL & ~(MCTRL_NEWDAT | MCTRL_INTPND | MCTRL_TXRQST);
		c_can_word_bytes(o->data, r[3]);
		c_can_word_bytes(o->data + 4, r[4]);
		o->bad_parity = c->config.parity_ram;
	}
}

/* All that a hardware reset and TI's software reset have in common. */
void c_can_reset_registers(struct c_can *c)
{
	unsigned int n;

	sim_cancel(c->sim, &c->init_event);
	sim_cancel(c->sim, &c->abo_event);
	sim_cancel(c->sim, &c->power_event);
	sim_cancel(c->sim, &c->wake_event);
	canbus_node_stop(&c->node);
	c_can_handler_stop(c);
	c_can_if_reset(c);
	c_can_if3_reset(c);

	c->init = true;
	c->init_wanted = true;
	/* TI: parity is off until someone writes another value (AM335x TRM, CTL) */
	c->ctrl = c_can_is_ti(c) ? CTRL_PMD_OFF : 0;
	c->sts = c_can_is_d_can(c) ? STS_LEC_UNUSED : 0;
	c->btr = 0x2301;
	c->test = 0;
	c->cfr = 0;
	c->abotr = 0;
	c->tioc = 0;
	c->rioc = 0;
	memset(c->intmux, 0, sizeof(c->intmux));
	c->power = C_CAN_POWER_ON;
	c->monitor = false;
	c->status_int = false;

	/* "additionally the bus-off state is reset" (C_CAN r1.2, 2.2) */
	c->node.tec = 0;
	c->node.rec = 0;
	c->node.bus_off = false;
	c->errors = 0;
	c->node.mode = CANBUS_NORMAL;
	c->node.bit_ns = c_can_bit_ns(c);

	/* The C_CAN's message RAM is not affected by a reset. */
	if (c_can_is_d_can(c)) {
		for (n = 1; n <= c->objects; n++) {
			c->object[n].arb &= ~ARB_MSGVAL;
			c->object[n].mctrl &= ~(MCTRL_NEWDAT | MCTRL_INTPND | MCTRL_TXRQST);
			c->object[n].stale_until = 0;
		}
	}
	c_can_update_irq(c);
}

void c_can_reset(struct c_can *c)
{
	sim_cancel(c->sim, &c->ram_event);
	c->ram_start = false;
	c->ram_done = false;
	c_can_reset_registers(c);
}

static unsigned int supported_objects(unsigned int asked)
{
	unsigned int n = 16;

	while (n < asked && n < C_CAN_MAX_OBJECTS)
		n *= 2;
	return n;
}

struct c_can *c_can_new(struct sim *sim, struct canbus *bus,
			const struct c_can_config *config,
			void (*irq)(void *arg, bool level), void *arg)
{
	struct c_can *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->sim = sim;
	c->bus = bus;
	c->config = *config;
	if (!c->config.clock_hz)
		c->config.clock_hz = 8000000;
	/* The C_CAN has 32, no more and no less. */
	c->objects = config->type == C_CAN_BOSCH ? 32 : supported_objects(config->objects);
	c->irq = irq;
	c->irq_arg = arg;
	sim_event_init(&c->init_event, c_can_init_late, c);
	sim_event_init(&c->if_event, c_can_if_done, c);
	sim_event_init(&c->store_event, c_can_store, c);
	sim_event_init(&c->abo_event, c_can_abo_fire, c);
	sim_event_init(&c->power_event, c_can_power_check, c);
	sim_event_init(&c->wake_event, c_can_wake, c);
	sim_event_init(&c->ram_event, c_can_ram_ready, c);
	c->node.name = "c_can";
	c->node.ops = &c_can_node_ops;
	c->node.arg = c;
	c->node.bit_ns = c_can_bit_ns(c);
	canbus_attach(bus, &c->node);
	power_up_ram(c);
	c_can_reset(c);
	return c;
}

void c_can_free(struct c_can *c)
{
	if (!c)
		return;
	canbus_detach(&c->node);
	sim_cancel(c->sim, &c->init_event);
	sim_cancel(c->sim, &c->if_event);
	sim_cancel(c->sim, &c->store_event);
	sim_cancel(c->sim, &c->abo_event);
	sim_cancel(c->sim, &c->power_event);
	sim_cancel(c->sim, &c->wake_event);
	sim_cancel(c->sim, &c->ram_event);
	free(c);
}

const struct c_can_stats *c_can_stats(const struct c_can *c)
{
	return &c->stats;
}

void c_can_stats_reset(struct c_can *c)
{
	memset(&c->stats, 0, sizeof(c->stats));
}

struct canbus_node *c_can_node(struct c_can *c)
{
	return &c->node;
}
