// SPDX-License-Identifier: GPL-2.0-only
/*
 * DMA: what a channel does with a control block (BCM2835 ARM Peripherals, 4.2.1.2 and the
 * descriptions of CS and TI). Everything happens in events; a block that is current is
 * in the registers as a whole, so what memory says later does not matter to it.
 */
#include <string.h>

#include "bcm2835_dma_internal.h"

#define NOT_ARMED	UINT64_MAX

static uint64_t now(const struct dma_channel *c)
{
	return c->dma->sim->now;
}

static void arm_in(struct dma_channel *c, uint64_t ns)
{
	sim_at(c->dma->sim, &c->event, now(c) + ns);
}

static bool needs_dreq(const struct dma_channel *c)
{
	return c->ti & (TI_SRC_DREQ | TI_DEST_DREQ);
}

static unsigned int permap(const struct dma_channel *c)
{
	return c->ti >> 16 & 31;
}

static bool may_move(const struct dma_channel *c)
{
	if (bcm2835_dma_writes_full(c))
		return false;
	return !needs_dreq(c) || (c->dma->dreq >> permap(c) & 1);
}

static bool reads_reg(const struct dma_channel *c)
{
	return !(c->ti & TI_SRC_IGNORE) && BCM2835_IS_REG(c->src);
}

static bool writes_reg(const struct dma_channel *c)
{
	return !(c->ti & TI_DEST_IGNORE) && BCM2835_IS_REG(c->dst);
}

/*
 * Bytes of the next step: a word where registers or requests are involved, or where one
 * address is read or written over and over.
 */
static uint32_t step(const struct dma_channel *c)
{
	bool word = reads_reg(c) || writes_reg(c) || needs_dreq(c) ||
		    !(c->ti & (TI_SRC_INC | TI_SRC_IGNORE)) ||
		    !(c->ti & (TI_DEST_INC | TI_DEST_IGNORE));
	uint32_t most = word ? 4 : CHUNK;

	return c->x < most ? c->x : most;
}

static uint64_t step_ns(const struct dma_channel *c)
{
	const struct bcm2835_dma_costs *costs = &c->dma->config.costs;
	uint64_t words = (step(c) + 3) / 4;
	uint64_t waits = (c->ti >> 21 & 31) * costs->wait_ns;
	uint64_t ns = 0;

	if (!(c->ti & TI_SRC_IGNORE))
		ns += words * (waits + (reads_reg(c) ? costs->reg_read_ns : costs->mem_ns));
	if (!(c->ti & TI_DEST_IGNORE)) {
		ns += words * (waits + (writes_reg(c) ? costs->reg_write_ns : costs->mem_ns));
		if (c->ti & TI_WAIT_RESP)
			ns += costs->resp_ns;
	}
	if (c->lite)
		ns *= 2;
	return ns ? ns : 1;
}

static uint64_t delay_ns(const struct dma_channel *c)
{
	uint64_t fs = (uint64_t)c->x * c->dma->config.costs.delay_fs;

	/* at most 2^30 * 2^32 * 2^5: divide first */
	return fs / 1000000 * ((c->ti >> 21 & 31) + 1) / 32 + 1;
}

static void fail(struct dma_channel *c, uint32_t error)
{
	c->error |= error;
	c->stats.errors++;
	c->phase = PHASE_IDLE;
	c->left = NOT_ARMED;
	bcm2835_dma_set_active(c, false);
	bcm2835_dma_set_int(c, true);
}

static uint32_t le32(const uint8_t *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (uint32_t)p[3] << 24;
}

static void take_length(struct dma_channel *c, uint32_t length)
{
	c->y = 0;
	if (c->lite) {
		c->x = length & 0xffff;
	} else if (c->ti & TI_TDMODE) {
		c->x = length & 0xffff;
		/* Y + 1 rows; none of them has a byte if X is 0 */
		c->y = c->x ? length >> 16 & 0x3fff : 0;
	} else {
		c->x = length & 0x3fffffff;
	}
	c->x_row = c->x;
}

/* Returns true if the test wants this block to fail. */
static bool play_fault(struct dma_channel *c)
{
	enum bcm2835_dma_fault fault = c->fault;

	if (fault == BCM2835_DMA_FAULT_NONE)
		return false;
	if (c->fault_skip) {
		c->fault_skip--;
		return false;
	}
	c->fault = BCM2835_DMA_FAULT_NONE;
	switch (fault) {
	case BCM2835_DMA_FAULT_READ:
		fail(c, DEBUG_READ);
		break;
	case BCM2835_DMA_FAULT_FIFO:
		fail(c, DEBUG_FIFO);
		break;
	default:
		c->phase = PHASE_HUNG;
		c->writes_hang = fault == BCM2835_DMA_FAULT_HANG_WRITES;
		break;
	}
	return true;
}

static void begin_block(struct dma_channel *c);
static void end_block(struct dma_channel *c);

static void load_block(struct dma_channel *c)
{
	struct bcm2835_dma *dma = c->dma;
	uint8_t cb[CB_SIZE];

	if (BCM2835_IS_REG(c->conblk) || !dma->ops.mem_read ||
	    !dma->ops.mem_read(dma->arg, c->conblk, cb, sizeof(cb))) {
		fail(c, DEBUG_READ);
		return;
	}
	c->stats.cbs++;
	c->ti = le32(cb) & TI_ALL;
	if (c->lite)
		c->ti &= ~(TI_TDMODE | TI_SRC_IGNORE | TI_DEST_IGNORE);
	c->src = le32(cb + 4);
	c->dst = le32(cb + 8);
	take_length(c, le32(cb + 12));
	c->stride = c->lite ? 0 : le32(cb + 16);
	c->next = le32(cb + 20) & ~31u;
	c->loaded = true;
	c->valid = true;
	if (!play_fault(c))
		begin_block(c);
}

/* The block is in the registers; also after a pause within it. */
static void begin_block(struct dma_channel *c)
{
	if (!c->x) {
		end_block(c);
	} else if ((c->ti & TI_SRC_IGNORE) && (c->ti & TI_DEST_IGNORE) && !needs_dreq(c)) {
		c->phase = PHASE_DELAY;
		arm_in(c, delay_ns(c));
	} else {
		c->phase = PHASE_MOVE;
		c->blocked = !may_move(c);
		if (!c->blocked)
			arm_in(c, step_ns(c));
	}
}

/* The block is over for good. */
static void complete(struct dma_channel *c)
{
	struct bcm2835_dma *dma = c->dma;
	bool lost = (dma->config.errata & BCM2835_DMA_ERRATUM_INT_LOST) && c->conblk;
	bool wanted = c->ti & TI_INTEN;

	c->end = true;
	if (c->conblk) {
		c->phase = PHASE_LOAD;
		arm_in(c, dma->config.costs.cb_ns);
	} else {
		c->phase = PHASE_IDLE;
		bcm2835_dma_set_active(c, false);
	}
	if (needs_dreq(c) && dma->ops.frame_end)
		dma->ops.frame_end(dma->arg, permap(c));
	if (wanted && !lost)
		bcm2835_dma_set_int(c, true);
}

/* With TI.WAIT_RESP the response has been waited for already. */
static void wait_end(struct dma_channel *c)
{
	c->phase = PHASE_END;
	c->blocked = c->late_count;
	if (!c->blocked)
		arm_in(c, c->ti & TI_WAIT_RESP ? 0 : c->dma->config.costs.resp_ns);
}

/*
 * All is moved. CONBLK_AD is that of the next block now, and ACTIVE goes if there is none;
 * END and INT wait for the last response if CS.WAIT_FOR_OUTSTANDING_WRITES says so.
 */
static void end_block(struct dma_channel *c)
{
	c->loaded = false;
	c->conblk = c->next;
	if (c->cs & CS_WAIT_WRITES) {
		wait_end(c);
		if (!c->conblk)
			bcm2835_dma_set_active(c, false);
	} else {
		complete(c);
	}
}

/*
 * Without source reads the data is zero, but the write strobes are off (SRC_IGNORE): RAM
 * keeps what it has. Registers know no strobes: the kernel fills the SPI's FIFO this way.
 */
static bool changes_ram(const struct dma_channel *c)
{
	return !(c->ti & (TI_DEST_IGNORE | TI_SRC_IGNORE));
}

static bool fetch(struct dma_channel *c, uint8_t *data, uint32_t bytes)
{
	struct bcm2835_dma *dma = c->dma;
	uint32_t value = 0, i;

	memset(data, 0, CHUNK);
	if (c->ti & TI_SRC_IGNORE)
		return true;
	if (!reads_reg(c))
		return dma->ops.mem_read && dma->ops.mem_read(dma->arg, c->src, data, bytes);
	if (!dma->ops.reg_read || !dma->ops.reg_read(dma->arg, c->src & ~3u, &value))
		return false;
	for (i = 0; i < bytes; i++)
		data[i] = value >> 8 * i;
	return true;
}

/* Addresses and lengths after @bytes. Before the write, which may change the channel. */
static void advance(struct dma_channel *c, uint32_t bytes)
{
	c->stats.words += (bytes + 3) / 4;
	c->stats.bytes += bytes;
	if (c->ti & TI_SRC_INC)
		c->src += bytes;
	if (c->ti & TI_DEST_INC)
		c->dst += bytes;
	c->x -= bytes;
	if (!c->x && c->y) {
		c->y--;
		c->x = c->x_row;
		c->src += (uint32_t)(int16_t)(c->stride & 0xffff);
		c->dst += (uint32_t)(int16_t)(c->stride >> 16);
	}
}

static void move(struct dma_channel *c)
{
	struct bcm2835_dma *dma = c->dma;
	uint32_t bytes = step(c), dst = c->dst;
	bool to_reg = writes_reg(c);
	unsigned int generation = c->generation;
	uint8_t data[CHUNK];

	if (!may_move(c)) {
		c->blocked = true;
		return;
	}
	if (!fetch(c, data, bytes)) {
		fail(c, DEBUG_READ);
		return;
	}
	if (generation != c->generation)
		return;
	advance(c, bytes);
	if (to_reg)
		bcm2835_dma_reg_write(c, dst, le32(data));
	else if (changes_ram(c) &&
		 (!dma->ops.mem_write || !dma->ops.mem_write(dma->arg, dst, data, bytes)))
		c->stats.lost_writes++;
	if (generation == c->generation)
		begin_block(c);
}

static void channel_fn(void *arg)
{
	struct dma_channel *c = arg;

	switch (c->phase) {
	case PHASE_LOAD:
		load_block(c);
		break;
	case PHASE_MOVE:
		move(c);
		break;
	case PHASE_DELAY:
		c->x = 0;
		end_block(c);
		break;
	case PHASE_END:
		complete(c);
		break;
	default:
		break;
	}
}

void bcm2835_dma_unblock(struct dma_channel *c)
{
	if (!c->blocked)
		return;
	if (c->phase == PHASE_END) {
		c->blocked = c->late_count;
		if (!c->blocked)
			arm_in(c, 0);
	} else if (dma_runs(c) && c->phase == PHASE_MOVE && may_move(c)) {
		c->blocked = false;
		arm_in(c, step_ns(c));
	}
}

void bcm2835_dma_resume(struct dma_channel *c)
{
	if (!dma_runs(c) || c->phase == PHASE_HUNG || sim_armed(&c->event) || c->blocked)
		return;
	c->generation++;
	if (c->left != NOT_ARMED) {
		arm_in(c, c->left);
		c->left = NOT_ARMED;
	} else if (c->phase == PHASE_END) {
		wait_end(c);
	} else if (c->loaded) {
		begin_block(c);
	} else {
		c->phase = PHASE_LOAD;
		arm_in(c, c->dma->config.costs.cb_ns);
	}
}

void bcm2835_dma_pause(struct dma_channel *c)
{
	c->generation++;
	c->left = NOT_ARMED;
	if (sim_armed(&c->event))
		c->left = c->event.at - now(c);
	sim_cancel(c->dma->sim, &c->event);
	/* what it waits for is looked at anew when it goes on */
	c->blocked = false;
}

void bcm2835_dma_settle(struct dma_channel *c)
{
	if (c->phase == PHASE_END)
		complete(c);
}

void bcm2835_dma_drop(struct dma_channel *c)
{
	bcm2835_dma_pause(c);
	c->left = NOT_ARMED;
	c->loaded = false;
	c->phase = PHASE_IDLE;
}

void bcm2835_dma_abort(struct dma_channel *c)
{
	if (c->phase == PHASE_HUNG)
		return;
	bcm2835_dma_settle(c);
	if (c->loaded)
		c->conblk = c->next;
	bcm2835_dma_drop(c);
	if (!c->conblk)
		bcm2835_dma_set_active(c, false);
}

void bcm2835_dma_run_init(struct dma_channel *c)
{
	sim_event_init(&c->event, channel_fn, c);
	c->left = NOT_ARMED;
}
