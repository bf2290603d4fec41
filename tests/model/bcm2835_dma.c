// SPDX-License-Identifier: GPL-2.0-only
/* DMA: registers, life cycle, requests (BCM2835 ARM Peripherals, 4.2.1). */
#include <stdlib.h>
#include <string.h>

#include "bcm2835_dma_internal.h"

const char *const bcm2835_dma_reg_name[BCM2835_DMA_REGS + 1] = {
	"CS", "CONBLK_AD", "TI", "SOURCE_AD", "DEST_AD", "TXFR_LEN", "STRIDE", "NEXTCONBK",
	"DEBUG", "OTHER",
};

void bcm2835_dma_set_int(struct dma_channel *c, bool level)
{
	if (c->intr == level)
		return;
	c->intr = level;
	c->stats.interrupts += level;
	if (c->dma->ops.irq)
		c->dma->ops.irq(c->dma->arg, c->n, level);
}

void bcm2835_dma_set_active(struct dma_channel *c, bool active)
{
	if (c->active == active)
		return;
	c->active = active;
	if (active) {
		c->stats.starts++;
		c->busy_since = c->dma->sim->now;
	} else {
		c->stats.busy_ns += c->dma->sim->now - c->busy_since;
	}
}

static uint32_t read_cs(const struct dma_channel *c)
{
	uint32_t cs = c->cs;

	if (c->active)
		cs |= CS_ACTIVE;
	if (c->end)
		cs |= CS_END;
	if (c->intr)
		cs |= CS_INT;
	/* of the PERMAP of the last block that was loaded, if there was one */
	if (c->valid && (c->dma->dreq >> (c->ti >> 16 & 31) & 1))
		cs |= CS_DREQ;
	if ((!c->active && c->conblk) || bcm2835_dma_writes_full(c))
		cs |= CS_PAUSED;
	if (c->active && c->phase == PHASE_MOVE && c->blocked && !bcm2835_dma_writes_full(c))
		cs |= CS_DREQ_STOPS;
	if (c->phase == PHASE_END || bcm2835_dma_writes_full(c) || c->writes_hang ||
	    (!c->active && c->late_count))
		cs |= CS_WAITING;
	if (c->error)
		cs |= CS_ERROR;
	return cs;
}

/* RESET lets go of everything but writes that are under way already. */
static void reset_channel(struct dma_channel *c)
{
	bcm2835_dma_drop(c);
	bcm2835_dma_set_active(c, false);
	c->valid = false;
	c->cs = 0;
	c->end = false;
	c->error = 0;
	c->conblk = 0;
	c->ti = 0;
	c->src = 0;
	c->dst = 0;
	c->x = 0;
	c->x_row = 0;
	c->y = 0;
	c->stride = 0;
	c->next = 0;
	c->writes_hang = false;
	bcm2835_dma_set_int(c, false);
}

static void write_cs(struct dma_channel *c, uint32_t value)
{
	if (value & CS_RESET) {
		reset_channel(c);
		return;
	}
	c->cs = value & CS_STORED;
	if (value & CS_END)
		c->end = false;
	if (value & CS_ABORT)
		bcm2835_dma_abort(c);
	if (!(value & CS_ACTIVE)) {
		if (c->active)
			bcm2835_dma_pause(c);
		bcm2835_dma_set_active(c, false);
	} else if (c->conblk && !c->error) {
		/* nothing to do without a block, and an error has to be cleared first */
		bcm2835_dma_set_active(c, true);
		bcm2835_dma_resume(c);
	}
	if (value & CS_INT)
		bcm2835_dma_set_int(c, false);
}

static uint32_t read_channel(const struct dma_channel *c, unsigned int offset)
{
	switch (offset) {
	case BCM2835_DMA_CS:
		return read_cs(c);
	case BCM2835_DMA_CONBLK_AD:
		return c->conblk;
	case BCM2835_DMA_TI:
		return c->ti;
	case BCM2835_DMA_SOURCE_AD:
		return c->src;
	case BCM2835_DMA_DEST_AD:
		return c->dst;
	case BCM2835_DMA_TXFR_LEN:
		return c->ti & TI_TDMODE ? c->y << 16 | c->x : c->x;
	case BCM2835_DMA_STRIDE:
		return c->stride;
	case BCM2835_DMA_NEXTCONBK:
		return c->next;
	case BCM2835_DMA_DEBUG:
		/* version 2; the id is the channel's number */
		return c->error | c->late_count << 4 | c->n << 8 | 2u << 25 |
		       (c->lite ? DEBUG_LITE : 0);
	default:
		return 0;
	}
}

static void write_channel(struct dma_channel *c, unsigned int offset, uint32_t value)
{
	switch (offset) {
	case BCM2835_DMA_CS:
		write_cs(c, value);
		break;
	case BCM2835_DMA_CONBLK_AD:
		/* not while it runs; paused, what was there is gone (CONBLK_AD) */
		if (c->active || c->phase == PHASE_HUNG) {
			c->stats.refused++;
			break;
		}
		bcm2835_dma_settle(c);
		bcm2835_dma_drop(c);
		c->conblk = value & ~31u;
		break;
	case BCM2835_DMA_NEXTCONBK:
		/* only safe while it is paused, says the manual: otherwise it does nothing here */
		if (c->active)
			c->stats.refused++;
		else
			c->next = value & ~31u;
		break;
	case BCM2835_DMA_DEBUG:
		c->error &= ~value;
		break;
	default:
		break;		/* the block's fields come from memory only */
	}
}

static struct dma_channel *channel_at(struct bcm2835_dma *dma, unsigned int offset)
{
	return offset >> 8 < dma->config.channels ? &dma->channel[offset >> 8] : NULL;
}

static unsigned int row(unsigned int offset)
{
	offset = (offset & 0xff) / 4;
	return offset < BCM2835_DMA_REGS ? offset : BCM2835_DMA_REGS;
}

uint32_t bcm2835_dma_read(struct bcm2835_dma *dma, unsigned int offset)
{
	struct dma_channel *c = channel_at(dma, offset);
	uint32_t value = 0;
	unsigned int n;

	if (c) {
		c->stats.reads[row(offset)]++;
		return read_channel(c, offset & 0xff);
	}
	/* the block's own registers are counted with channel 0 */
	dma->channel[0].stats.reads[BCM2835_DMA_REGS]++;
	if (offset == BCM2835_DMA_ENABLE)
		return dma->enable;
	if (offset == BCM2835_DMA_INT_STATUS)
		for (n = 0; n < dma->config.channels; n++)
			value |= (uint32_t)dma->channel[n].intr << n;
	return value;
}

static void write_enable(struct bcm2835_dma *dma, uint32_t value)
{
	unsigned int n;

	dma->enable = value;
	for (n = 0; n < dma->config.channels; n++) {
		struct dma_channel *c = &dma->channel[n];

		if (!c->active)
			continue;
		if (value >> n & 1)
			bcm2835_dma_resume(c);
		else if (sim_armed(&c->event) || c->blocked)
			bcm2835_dma_pause(c);
	}
}

void bcm2835_dma_write(struct bcm2835_dma *dma, unsigned int offset, uint32_t value)
{
	struct dma_channel *c = channel_at(dma, offset);

	if (c) {
		c->stats.writes[row(offset)]++;
		write_channel(c, offset & 0xff, value);
		return;
	}
	dma->channel[0].stats.writes[BCM2835_DMA_REGS]++;
	if (offset == BCM2835_DMA_ENABLE)
		write_enable(dma, value);
}

void bcm2835_dma_dreq(struct bcm2835_dma *dma, unsigned int permap, bool level)
{
	unsigned int n;

	if (!permap || permap > 31 || (dma->dreq >> permap & 1) == level)
		return;
	dma->dreq ^= 1u << permap;
	for (n = 0; level && n < dma->config.channels; n++)
		bcm2835_dma_unblock(&dma->channel[n]);
}

void bcm2835_dma_fault(struct bcm2835_dma *dma, unsigned int n, enum bcm2835_dma_fault fault,
		       unsigned int skip)
{
	if (n >= dma->config.channels)
		return;
	dma->channel[n].fault = fault;
	dma->channel[n].fault_skip = skip;
}

void bcm2835_dma_set_errata(struct bcm2835_dma *dma, unsigned int errata)
{
	dma->config.errata = errata;
}

static void usual(uint32_t *cost, uint32_t value)
{
	if (!*cost)
		*cost = value;
}

/* No cost is 0: a block takes time, or a ring of empty ones would be an endless loop. */
static void usual_costs(struct bcm2835_dma_costs *costs)
{
	usual(&costs->cb_ns, 100);
	usual(&costs->mem_ns, 20);
	usual(&costs->reg_read_ns, 60);
	usual(&costs->reg_write_ns, 40);
	usual(&costs->resp_ns, 40);
	usual(&costs->delay_fs, 1125000);
	usual(&costs->wait_ns, 4);
	usual(&costs->late_ns, 250);
}

struct bcm2835_dma *bcm2835_dma_new(struct sim *sim, const struct bcm2835_dma_config *config,
				    const struct bcm2835_dma_ops *ops, void *arg)
{
	struct bcm2835_dma *dma = calloc(1, sizeof(*dma));
	unsigned int n;

	if (!dma)
		abort();
	dma->sim = sim;
	dma->config = *config;
	if (!dma->config.channels || dma->config.channels > BCM2835_DMA_CHANNELS)
		dma->config.channels = BCM2835_DMA_CHANNELS;
	usual_costs(&dma->config.costs);
	dma->ops = *ops;
	dma->arg = arg;
	dma->dreq = 1;
	for (n = 0; n < dma->config.channels; n++) {
		struct dma_channel *c = &dma->channel[n];

		c->dma = dma;
		c->n = n;
		c->lite = n >= 7;
		bcm2835_dma_run_init(c);
		bcm2835_dma_late_init(c);
	}
	bcm2835_dma_reset(dma);
	return dma;
}

void bcm2835_dma_free(struct bcm2835_dma *dma)
{
	unsigned int n;

	if (!dma)
		return;
	for (n = 0; n < dma->config.channels; n++) {
		sim_cancel(dma->sim, &dma->channel[n].event);
		sim_cancel(dma->sim, &dma->channel[n].late_event);
	}
	free(dma);
}

void bcm2835_dma_reset(struct bcm2835_dma *dma)
{
	unsigned int n;

	dma->enable = (1u << dma->config.channels) - 1;
	for (n = 0; n < dma->config.channels; n++) {
		struct dma_channel *c = &dma->channel[n];

		reset_channel(c);
		c->late_count = 0;
		sim_cancel(dma->sim, &c->late_event);
	}
}

const struct bcm2835_dma_stats *bcm2835_dma_stats(const struct bcm2835_dma *dma, unsigned int n)
{
	static const struct bcm2835_dma_stats none;

	return n < dma->config.channels ? &dma->channel[n].stats : &none;
}

void bcm2835_dma_stats_reset(struct bcm2835_dma *dma)
{
	unsigned int n;

	for (n = 0; n < dma->config.channels; n++)
		memset(&dma->channel[n].stats, 0, sizeof(dma->channel[n].stats));
}
