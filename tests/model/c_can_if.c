// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C_CAN model: IF1 and IF2, the CPU's windows into the message RAM, and
 * the basic mode in which they are the buffers themselves.
 *
 * C_CAN r1.2, 3.3 and 2.3.5; AM335x TRM, 23.3.17.1.
 */
#include <string.h>

#include "c_can_internal.h"

/* The words of an IF. */
enum { IF_CMD, IF_MASK, IF_ARB, IF_MCTRL, IF_DATAA, IF_DATAB };

/*
 * Transfer times in clocks. The shorter one holds when the message handler
 * leaves the RAM alone, the longer one when the transfer meets a scan, a store
 * or a load.
 */
static const struct {
	unsigned int min, max;
} busy_clocks[] = {
	[C_CAN_BOSCH] = { 3, 6 },
	[D_CAN_BOSCH] = { 2, 8 },
	[D_CAN_TI] = { 4, 14 },
};

/* STALE_NEWDAT: for so long NEWDAT lists an object whose NewDat was cleared. */
#define STALE_CLOCKS 64

static uint64_t busy_ns(const struct c_can *c, bool contended)
{
	unsigned int clocks = c->config.busy_clocks;

	if (!clocks)
		clocks = contended ? busy_clocks[c->config.type].max :
				     busy_clocks[c->config.type].min;
	return c_can_clocks_ns(c, clocks);
}

uint64_t c_can_if_max_ns(const struct c_can *c)
{
	return c_can_clocks_ns(c, busy_clocks[c->config.type].max);
}

static unsigned int object_number(const struct c_can *c, uint32_t number)
{
	/* Beyond the last it starts anew; 0 is the last (C_CAN r1.2, 3.3.1). */
	unsigned int n = number & (c->objects - 1);

	return n ? n : c->objects;
}

static void begin(struct c_can *c, int i)
{
	c->if_active = i;
	c->if_started = c->sim->now;
	if (c_can_has_erratum(c, C_CAN_ERRATUM_IF_STUCK))
		return;
	sim_at(c->sim, &c->if_event,
	       c->sim->now + busy_ns(c, c->sim->now < c->ram_busy_until));
}

static void request(struct c_can *c, int i)
{
	c->iface[i].busy = true;
	if (c->if_active < 0)
		begin(c, i);
	else
		c->if_queued = i;	/* starts when the other one is done */
}

/* The handler uses the message RAM: a transfer under way takes longer. */
void c_can_ram_access(struct c_can *c)
{
	uint64_t until;

	c->ram_busy_until = c->sim->now + busy_ns(c, true) - busy_ns(c, false);
	if (c->if_active < 0 || !sim_armed(&c->if_event))
		return;
	until = c->if_started + busy_ns(c, true);
	if (until > c->if_event.at)
		sim_at(c->sim, &c->if_event, until);
}

static void clear_newdat(struct c_can *c, struct c_can_object *o)
{
	if ((o->mctrl & MCTRL_NEWDAT) && c_can_has_erratum(c, C_CAN_ERRATUM_STALE_NEWDAT))
		o->stale_until = c->sim->now + c_can_clocks_ns(c, STALE_CLOCKS);
	o->mctrl &= ~MCTRL_NEWDAT;
}

static void transfer_read(struct c_can *c, struct c_can_if *f, unsigned int n)
{
	const uint32_t cmd = f->cmdmask;
	struct c_can_object *o = &c->object[n];
	bool had_newdat = o->mctrl & MCTRL_NEWDAT;
	bool cleared = false;

	c_can_parity_check(c, n, 5);
	if (cmd & CMD_MASK)
		f->mask = o->mask;
	if (cmd & CMD_ARB)
		f->arb = o->arb;
	if (cmd & CMD_CONTROL)
		f->mctrl = o->mctrl;	/* the flags as they were before */
	if (cmd & CMD_DATAA)
		memcpy(f->data, o->data, 4);
	if (cmd & CMD_DATAB)
		memcpy(f->data + 4, o->data + 4, 4);
	if ((cmd & CMD_CLRINTPND) && (o->mctrl & MCTRL_INTPND)) {
		o->mctrl &= ~MCTRL_INTPND;
		cleared = true;
	}
	if ((cmd & CMD_NEWDAT) && had_newdat) {
		clear_newdat(c, o);
		cleared = true;
	}
	if (cleared)
		c_can_object_touched(c, n,
				     cmd & (CMD_CONTROL | CMD_ARB | CMD_DATAA | CMD_DATAB) ?
				     C_CAN_TOUCH_READ : C_CAN_TOUCH_CLEAR,
				     had_newdat && (cmd & CMD_NEWDAT));
}

/*
 * A write is a read-modify-write: what is not selected is read from the object
 * first. Only that part can show a parity error.
 */
static void transfer_write(struct c_can *c, struct c_can_if *f, unsigned int n)
{
	const uint32_t cmd = f->cmdmask;
	const uint32_t all = CMD_MASK | CMD_ARB | CMD_CONTROL | CMD_DATAA | CMD_DATAB;
	struct c_can_object *o = &c->object[n];
	bool had_newdat = o->mctrl & MCTRL_NEWDAT, had_newdat_now;
	unsigned int word = 0;		/* AM335x TRM, table 23-12 */
	bool bad = false;

	if (!(cmd & CMD_MASK) || !(cmd & CMD_CONTROL))
		word = 5;
	else if (!(cmd & CMD_ARB))
		word = 4;
	else if (!(cmd & CMD_DATAA))
		word = 2;
	else if (!(cmd & CMD_DATAB))
		word = 1;
	if ((cmd & all) != all)
		bad = c_can_parity_check(c, n, word);

	if (cmd & CMD_MASK)
		o->mask = f->mask;
	else
		f->mask = o->mask;
	if (cmd & CMD_ARB)
		o->arb = f->arb;
	if (bad)
		o->arb &= ~ARB_MSGVAL;
	f->arb = o->arb;
	if (cmd & CMD_CONTROL)
		o->mctrl = f->mctrl;
	if (cmd & CMD_NEWDAT)
		o->mctrl |= MCTRL_TXRQST | MCTRL_NEWDAT;
	if (!(cmd & CMD_CONTROL))
		f->mctrl = o->mctrl;
	if (cmd & CMD_DATAA)
		memcpy(o->data, f->data, 4);
	else
		memcpy(f->data, o->data, 4);
	if (cmd & CMD_DATAB)
		memcpy(o->data + 4, f->data + 4, 4);
	else
		memcpy(f->data + 4, o->data + 4, 4);

	/* Parity off: its bits in the RAM stay as they were. */
	if (c_can_parity_on(c))
		o->bad_parity = false;
	had_newdat_now = o->mctrl & MCTRL_NEWDAT;
	if (had_newdat && !had_newdat_now && c_can_has_erratum(c, C_CAN_ERRATUM_STALE_NEWDAT))
		o->stale_until = c->sim->now + c_can_clocks_ns(c, STALE_CLOCKS);
	c_can_object_touched(c, n, C_CAN_TOUCH_WRITE, had_newdat && !had_newdat_now);
}

/* The transfer under way is complete: this is the moment it takes effect. */
void c_can_if_done(void *arg)
{
	struct c_can *c = arg;
	struct c_can_if *f = &c->iface[c->if_active];
	unsigned int n = object_number(c, f->number);

	if (f->cmdmask & CMD_WR)
		transfer_write(c, f, n);
	else
		transfer_read(c, f, n);
	f->busy = false;
	f->dma_request = f->dma_active &&
			 (c->ctrl & (c->if_active ? CTRL_DE2 : CTRL_DE1));

	c->if_active = -1;
	if (c->if_queued >= 0) {
		int next = c->if_queued;

		c->if_queued = -1;
		begin(c, next);
	}
	c_can_if3_poll(c);
	c_can_kick(c);
	c_can_update_irq(c);
}

void c_can_if_reset(struct c_can *c)
{
	unsigned int i;

	sim_cancel(c->sim, &c->if_event);
	c->if_active = -1;
	c->if_queued = -1;
	c->ram_busy_until = 0;
	c->tx_basic = false;
	c->tx_basic_wire = false;
	for (i = 0; i < 2; i++)
		c->iface[i] = (struct c_can_if){ .number = 1, .mask = 0xffffffff };
}

/* Basic mode: a valid frame goes to IF2, whatever it is. */
void c_can_basic_store(struct c_can *c, const struct canbus_frame *frame)
{
	struct c_can_if *f = &c->iface[1];

	f->arb = (f->arb & ARB_MSGVAL) | (frame->ext ? ARB_XTD | (frame->id & ARB_ID) :
					  (frame->id << ARB_STD_SHIFT & ARB_STD));
	if (frame->rtr)
		f->arb |= ARB_DIR;
	/* NewDat and MsgLst keep their meaning, the other flags read as zero. */
	f->mctrl = (f->mctrl & MCTRL_MSGLST) | MCTRL_NEWDAT |
		   (f->mctrl & MCTRL_NEWDAT ? MCTRL_MSGLST : 0) | (frame->dlc & MCTRL_DLC);
	if (!frame->rtr)
		memcpy(f->data, frame->data, 8);
}

static void basic_command(struct c_can *c, unsigned int i, uint32_t value)
{
	if (i == 0) {
		/*
		 * Busy is the transmit request. Taking it back stops what has not
		 * started, and the repetition of what has.
		 */
		c->tx_basic = value & CMD_BUSY;
		if (c->tx_basic)
			c_can_kick(c);
	} else if (value & CMD_BUSY) {
		uint32_t mctrl = c->iface[1].mctrl;

		/* Look at the shift register; no frame has been received by this. */
		c_can_basic_store(c, &c->shift);
		c->iface[1].mctrl = (mctrl & (MCTRL_NEWDAT | MCTRL_MSGLST)) |
				    (c->shift.dlc & MCTRL_DLC);
	}
}

static void command(struct c_can *c, unsigned int i, uint32_t value, uint32_t lanes)
{
	struct c_can_if *f = &c->iface[i];
	const bool bosch_d_can = c->config.type == D_CAN_BOSCH;

	if (lanes & 0x00ff0000)
		f->cmdmask = value >> CMD_MASK_SHIFT & 0xff;
	if (bosch_d_can && (value & lanes & CMD_CLRAUTOINC))
		f->autoinc = false;
	if (lanes & 0xff00) {
		f->dma_active = c_can_is_d_can(c) && (value & CMD_DMAACTIVE);
		f->autoinc = bosch_d_can && (value & CMD_AUTOINC) &&
			     !(value & lanes & CMD_CLRAUTOINC);
		if (c_can_basic(c))
			basic_command(c, i, value);
	}
	if (lanes & 0x00ff) {
		f->number = value & (c_can_is_d_can(c) ? 0xff : 0x3f);
		if (!c_can_basic(c))
			request(c, i);
	}
}

static bool is_busy(const struct c_can *c, unsigned int i)
{
	return c->iface[i].busy || (!i && (c->tx_basic || c->tx_basic_wire));
}

void c_can_if_write(struct c_can *c, unsigned int i, unsigned int word, uint32_t value,
		    uint32_t lanes)
{
	struct c_can_if *f = &c->iface[i];
	uint32_t data;

	if (f->dma_request) {
		f->dma_request = false;
		f->dma_active = false;
	}
	if (word == IF_CMD && !f->busy && is_busy(c, i) && c_can_basic(c) && (lanes & 0x8000)) {
		/* The one thing that can be done with a pending transmission. */
		c->tx_basic = value & CMD_BUSY;
		return;
	}
	if (is_busy(c, i))
		return;		/* write-protected */
	switch (word) {
	case IF_CMD:
		command(c, i, value, lanes);
		break;
	case IF_MASK:
		f->mask = (f->mask & ~lanes) | (value & lanes) | MASK_ONE;
		break;
	case IF_ARB:
		f->arb = (f->arb & ~lanes) | (value & lanes);
		break;
	case IF_MCTRL:
		f->mctrl = ((f->mctrl & ~lanes) | (value & lanes)) & MCTRL_ALL;
		break;
	case IF_DATAA:
	case IF_DATAB:
		data = c_can_bytes_word(f->data + (word - IF_DATAA) * 4);
		data = (data & ~lanes) | (value & lanes);
		c_can_word_bytes(f->data + (word - IF_DATAA) * 4, data);
		break;
	}
}

uint32_t c_can_if_read(struct c_can *c, unsigned int i, unsigned int word, uint32_t lanes)
{
	struct c_can_if *f = &c->iface[i];
	uint32_t value = 0;

	if (f->dma_request) {
		f->dma_request = false;
		f->dma_active = false;
	}
	switch (word) {
	case IF_CMD:
		value = f->cmdmask << CMD_MASK_SHIFT | f->number;
		if (is_busy(c, i))
			value |= CMD_BUSY;
		if (f->dma_active)
			value |= CMD_DMAACTIVE;
		if (f->autoinc)
			value |= CMD_AUTOINC;
		break;
	case IF_MASK:
		value = f->mask | MASK_ONE;
		break;
	case IF_ARB:
		value = f->arb;
		break;
	case IF_MCTRL:
		value = f->mctrl;
		break;
	case IF_DATAA:
	case IF_DATAB:
		value = c_can_bytes_word(f->data + (word - IF_DATAA) * 4);
		break;
	}
	/* Bosch D_CAN, AutoInc: data byte 7 read, the next object is fetched. */
	if (word == IF_DATAB && (lanes & 0xff000000) && f->autoinc && !f->busy &&
	    !(f->cmdmask & CMD_WR)) {
		f->number = (f->number + 1) & 0xff;
		request(c, i);
	}
	return value;
}
