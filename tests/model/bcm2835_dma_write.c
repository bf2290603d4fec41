// SPDX-License-Identifier: GPL-2.0-only
/*
 * DMA: register writes under way. Without the switch BCM2835_DMA_LATE_WRITES they take
 * effect at once; with it, those without WAIT_RESP take a time that depends on the
 * block they go to, so that a later write to another block can be earlier. Order within
 * a block is kept.
 */
#include "bcm2835_dma_internal.h"

#define BLOCK(addr)	((addr) >> 12)

static void emit(struct dma_channel *c, uint32_t addr, uint32_t value)
{
	struct bcm2835_dma *dma = c->dma;

	if (!dma->ops.reg_write || !dma->ops.reg_write(dma->arg, addr & ~3u, value))
		c->stats.lost_writes++;
}

static void arm(struct dma_channel *c)
{
	sim_at(c->dma->sim, &c->late_event, c->late_count ? c->late[0].at : SIM_NEVER);
}

static struct dma_late take(struct dma_channel *c, unsigned int i)
{
	struct dma_late late = c->late[i];

	for (c->late_count--; i < c->late_count; i++)
		c->late[i] = c->late[i + 1];
	return late;
}

static void late_fn(void *arg)
{
	struct dma_channel *c = arg;

	while (c->late_count && c->late[0].at <= c->dma->sim->now) {
		struct dma_late late = take(c, 0);

		emit(c, late.addr, late.value);
	}
	arm(c);
	bcm2835_dma_unblock(c);
}

/* Nothing overtakes a write to its own block. */
static void flush_block(struct dma_channel *c, uint32_t addr)
{
	unsigned int i = 0;

	while (i < c->late_count) {
		if (BLOCK(c->late[i].addr) == BLOCK(addr)) {
			struct dma_late late = take(c, i);

			emit(c, late.addr, late.value);
		} else {
			i++;
		}
	}
	arm(c);
}

bool bcm2835_dma_writes_full(const struct dma_channel *c)
{
	return c->late_count == MAX_OUTSTANDING;
}

void bcm2835_dma_reg_write(struct dma_channel *c, uint32_t addr, uint32_t value)
{
	struct bcm2835_dma *dma = c->dma;
	struct dma_late late = { .addr = addr, .value = value };
	unsigned int i;

	if (!(dma->config.errata & BCM2835_DMA_LATE_WRITES) || (c->ti & TI_WAIT_RESP) ||
	    bcm2835_dma_writes_full(c)) {
		flush_block(c, addr);
		emit(c, addr, value);
		return;
	}
	late.at = dma->sim->now + dma->config.costs.late_ns * (1ull + BLOCK(addr) % 3);
	for (i = c->late_count++; i && c->late[i - 1].at > late.at; i--)
		c->late[i] = c->late[i - 1];
	c->late[i] = late;
	arm(c);
}

void bcm2835_dma_late_init(struct dma_channel *c)
{
	sim_event_init(&c->late_event, late_fn, c);
}
