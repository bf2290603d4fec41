// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C_CAN model: IF3 of TI's DCAN, which fetches received objects by itself
 * (for a DMA controller).
 *
 * AM335x TRM, 23.3.17.2 and the registers IF3OBS .. IF3UPD78.
 */
#include <string.h>

#include "c_can_internal.h"

/* The words of IF3; all but the first are sections that can be observed. */
enum { IF3_OBS, IF3_MASK, IF3_ARB, IF3_MCTRL, IF3_DATAA, IF3_DATAB };

#define OBS_SECTIONS	0x1f
#define OBS_LEFT_SHIFT	8
#define OBS_UPD		0x8000u

/* The bytes that make up each section (the control word has 16 bits). */
static const uint32_t section_lanes[5] = {
	0xffffffff, 0xffffffff, 0x0000ffff, 0xffffffff, 0xffffffff,
};

static uint32_t sections_left(const struct c_can *c)
{
	uint32_t left = 0;
	unsigned int s;

	for (s = 0; s < 5; s++)
		if (c->if3.left[s])
			left |= 1u << s;
	return left;
}

/* Nothing observed: a new copy need not wait for anyone. */
static bool may_copy(const struct c_can *c)
{
	return !sections_left(c);
}

static void copy(struct c_can *c, unsigned int n)
{
	struct c_can_object *o = &c->object[n];
	struct c_can_if3 *f = &c->if3;
	unsigned int s;

	c_can_parity_check(c, n, 5);
	f->mask = o->mask;
	f->arb = o->arb;
	f->mctrl = o->mctrl;
	memcpy(f->data, o->data, sizeof(f->data));
	/* The copy clears NewDat; IntPnd is not mentioned, so it stays. */
	o->mctrl &= ~MCTRL_NEWDAT;
	for (s = 0; s < 5; s++)
		f->left[s] = f->obs >> s & 1 ? section_lanes[s] : 0;
	f->upd = true;
	if (c->ctrl & CTRL_DE3)
		f->dma_request = true;
	c_can_object_touched(c, n, C_CAN_TOUCH_READ, true);
}

/* Something may have changed: fetch the lowest watched object with NewDat. */
void c_can_if3_poll(struct c_can *c)
{
	unsigned int n;

	if (!c_can_is_ti(c))
		return;
	for (n = 1; n <= c->objects && may_copy(c); n++) {
		const struct c_can_object *o = &c->object[n];

		if ((c->if3.update[(n - 1) / 32] >> (n - 1) % 32 & 1) &&
		    (o->arb & ARB_MSGVAL) && (o->mctrl & MCTRL_NEWDAT))
			copy(c, n);
	}
}

static void section_read(struct c_can *c, unsigned int s, uint32_t lanes)
{
	struct c_can_if3 *f = &c->if3;
	uint32_t before = sections_left(c);

	f->dma_request = false;
	f->left[s] &= ~lanes;
	/* Read to the end; with nothing to observe any read will do. */
	if (!sections_left(c) && (before || !(f->obs & OBS_SECTIONS))) {
		f->upd = false;
		c_can_if3_poll(c);
	}
}

uint32_t c_can_if3_read(struct c_can *c, unsigned int word, uint32_t lanes)
{
	struct c_can_if3 *f = &c->if3;
	uint32_t value = 0;

	switch (word) {
	case IF3_OBS:
		f->dma_request = false;
		return f->obs | sections_left(c) << OBS_LEFT_SHIFT | (f->upd ? OBS_UPD : 0);
	case IF3_MASK:
		value = f->mask | MASK_ONE;
		break;
	case IF3_ARB:
		value = f->arb;
		break;
	case IF3_MCTRL:
		value = f->mctrl;
		break;
	case IF3_DATAA:
	case IF3_DATAB:
		value = c_can_bytes_word(f->data + (word - IF3_DATAA) * 4);
		break;
	}
	section_read(c, word - IF3_MASK, lanes);
	c_can_update_irq(c);
	return value;
}

/* Writing IF3OBS gives up the cycle under way and lets a new copy happen. */
void c_can_if3_write(struct c_can *c, unsigned int word, uint32_t value, uint32_t lanes)
{
	struct c_can_if3 *f = &c->if3;

	f->dma_request = false;
	if (word != IF3_OBS)
		return;		/* the copy is read only */
	f->obs = ((f->obs & ~lanes) | (value & lanes)) & OBS_SECTIONS;
	memset(f->left, 0, sizeof(f->left));
	f->upd = false;
	c_can_if3_poll(c);
	c_can_update_irq(c);
}

void c_can_if3_update_write(struct c_can *c, unsigned int word, uint32_t value,
			    uint32_t lanes)
{
	uint32_t *update = &c->if3.update[word];

	*update = (*update & ~lanes) | (value & lanes);
	c_can_if3_poll(c);
	c_can_update_irq(c);
}

void c_can_if3_reset(struct c_can *c)
{
	memset(&c->if3, 0, sizeof(c->if3));
	c->if3.mask = 0xffffffff;
}
