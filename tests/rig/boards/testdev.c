// SPDX-License-Identifier: GPL-2.0-only
/*
 * A board for testing the rig itself: memory to write and read back, a clock to
 * compare with, events at given times that interrupt and write to guest memory.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "boards.h"

#define TESTDEV_ID		0x00	/* r: "TSTD" */
#define TESTDEV_SCRATCH		0x04	/* rw */
#define TESTDEV_NOW		0x08	/* r: the clock, ns, 64 bits; reading it low latches high */
#define TESTDEV_ONE_SHOT	0x10	/* w: an event after so many ns */
#define TESTDEV_PERIOD		0x14	/* w: an event every so many ns; 0: none */
#define TESTDEV_STATUS		0x18	/* r: causes that stand; w: ones clear */
#define TESTDEV_ENABLE		0x1c	/* rw: which status bits interrupt */
#define TESTDEV_EVENT_TIME	0x20	/* r: when the last event came, 64 bits */
#define TESTDEV_DMA		0x28	/* rw: bus address of the ring, 64 bits; 0: none */
#define TESTDEV_EVENTS		0x30	/* r: events so far; w: set */
#define TESTDEV_READ_COST	0x34	/* w: ns that each further read takes */
#define TESTDEV_WRITE_COST	0x38	/* w: ns that each further write takes */
#define TESTDEV_READS		0x3c	/* r: reads so far, this one included */
#define TESTDEV_CAUSES		0x40	/* rw: which status bits an event sets, at first bit 0 */
#define TESTDEV_MEMORY		0x100	/* rw: 256 bytes, of any size */
#define TESTDEV_MEMORY_SIZE	0x100

#define TESTDEV_ID_VALUE	0x44545354u
#define TESTDEV_RING		256	/* slots; event number n goes to slot n % 256 */

struct testdev_slot {
	uint64_t number;
	uint64_t time;
};

struct testdev {
	struct board board;
	struct sim *sim;
	struct sim_event one_shot;
	struct sim_event periodic;
	uint32_t period;
	uint32_t scratch;
	uint32_t status;
	uint32_t causes;
	uint32_t enable;
	uint32_t high;
	uint32_t events;
	uint32_t read_cost;
	uint32_t write_cost;
	uint64_t event_time;
	uint64_t dma;
	uint64_t reads;
	uint64_t writes;
	uint64_t dma_failures;
	uint8_t memory[TESTDEV_MEMORY_SIZE];
};

static void update_irq(struct testdev *t)
{
	sim_set_irq(t->sim, 0, t->status & t->enable);
}

static void happen(struct testdev *t)
{
	t->event_time = t->sim->now;
	if (t->dma) {
		struct testdev_slot slot = { .number = t->events, .time = t->event_time };
		uint64_t at = t->dma + t->events % TESTDEV_RING * sizeof(slot);

		if (!sim_mem_write(t->sim, at, &slot, sizeof(slot)))
			t->dma_failures++;
	}
	t->events++;
	t->status |= t->causes;
	update_irq(t);
}

static void one_shot(void *arg)
{
	happen(arg);
}

static void periodic(void *arg)
{
	struct testdev *t = arg;

	sim_at(t->sim, &t->periodic, t->sim->now + t->period);
	happen(t);
}

static uint32_t split(struct testdev *t, uint64_t value)
{
	t->high = (uint32_t)(value >> 32);
	return (uint32_t)value;
}

static uint64_t read_register(struct testdev *t, uint64_t off)
{
	switch (off) {
	case TESTDEV_ID:
		return TESTDEV_ID_VALUE;
	case TESTDEV_SCRATCH:
		return t->scratch;
	case TESTDEV_NOW:
		return split(t, t->sim->now);
	case TESTDEV_EVENT_TIME:
		return split(t, t->event_time);
	case TESTDEV_NOW + 4:
	case TESTDEV_EVENT_TIME + 4:
		return t->high;
	case TESTDEV_STATUS:
		return t->status;
	case TESTDEV_ENABLE:
		return t->enable;
	case TESTDEV_DMA:
		return (uint32_t)t->dma;
	case TESTDEV_DMA + 4:
		return t->dma >> 32;
	case TESTDEV_EVENTS:
		return t->events;
	case TESTDEV_CAUSES:
		return t->causes;
	case TESTDEV_READS:
		return (uint32_t)t->reads;
	default:
		return 0;
	}
}

static void write_register(struct testdev *t, uint64_t off, uint32_t value)
{
	switch (off) {
	case TESTDEV_SCRATCH:
		t->scratch = value;
		break;
	case TESTDEV_ONE_SHOT:
		sim_at(t->sim, &t->one_shot, t->sim->now + value);
		break;
	case TESTDEV_PERIOD:
		t->period = value;
		if (value)
			sim_at(t->sim, &t->periodic, t->sim->now + value);
		else
			sim_cancel(t->sim, &t->periodic);
		break;
	case TESTDEV_STATUS:
		t->status &= ~value;
		update_irq(t);
		break;
	case TESTDEV_ENABLE:
		t->enable = value;
		update_irq(t);
		break;
	case TESTDEV_DMA:
		t->dma = (t->dma & ~0xffffffffull) | value;
		break;
	case TESTDEV_DMA + 4:
		t->dma = (uint32_t)t->dma | (uint64_t)value << 32;
		break;
	case TESTDEV_CAUSES:
		t->causes = value;
		break;
	case TESTDEV_EVENTS:
		t->events = value;
		break;
	case TESTDEV_READ_COST:
		t->read_cost = value;
		break;
	case TESTDEV_WRITE_COST:
		t->write_cost = value;
		break;
	}
}

static bool in_memory(uint64_t off)
{
	return off - TESTDEV_MEMORY < TESTDEV_MEMORY_SIZE;
}

static uint64_t testdev_read(struct board *board, unsigned int bar, uint64_t off,
			     unsigned int size)
{
	struct testdev *t = (struct testdev *)board;
	uint64_t value = 0;

	(void)bar;
	t->reads++;
	if (in_memory(off))
		memcpy(&value, t->memory + (off - TESTDEV_MEMORY), size);
	else if (size == 4)
		value = read_register(t, off);
	sim_charge(t->sim, t->read_cost);
	return value;
}

static void testdev_write(struct board *board, unsigned int bar, uint64_t off,
			  unsigned int size, uint64_t value)
{
	struct testdev *t = (struct testdev *)board;

	(void)bar;
	t->writes++;
	sim_charge(t->sim, t->write_cost);
	if (in_memory(off))
		memcpy(t->memory + (off - TESTDEV_MEMORY), &value, size);
	else if (size == 4)
		write_register(t, off, (uint32_t)value);
}

static void testdev_reset(struct board *board)
{
	struct testdev *t = (struct testdev *)board;

	sim_cancel(t->sim, &t->one_shot);
	sim_cancel(t->sim, &t->periodic);
	t->period = 0;
	t->scratch = 0;
	t->status = 0;
	t->causes = 1;
	t->enable = 0;
	t->events = 0;
	t->read_cost = 0;
	t->write_cost = 0;
	t->dma = 0;
	memset(t->memory, 0, sizeof(t->memory));
	update_irq(t);
}

static struct board *testdev_create(struct sim *sim, struct canbus *bus,
				    const struct board_option *options, size_t count,
				    char *err, size_t errlen)
{
	struct testdev *t;

	(void)bus;
	if (count) {
		snprintf(err, errlen, "it has no option %s", options[0].name);
		return NULL;
	}
	t = calloc(1, sizeof(*t));
	if (!t) {
		snprintf(err, errlen, "out of memory");
		return NULL;
	}
	t->board.type = &board_testdev;
	t->sim = sim;
	t->causes = 1;
	sim_event_init(&t->one_shot, one_shot, t);
	sim_event_init(&t->periodic, periodic, t);
	return &t->board;
}

static void testdev_destroy(struct board *board)
{
	testdev_reset(board);
	free(board);
}

static void testdev_counters(struct board *board, FILE *out)
{
	const struct testdev *t = (struct testdev *)board;

	fprintf(out,
		"\"reads\": %" PRIu64 ", \"writes\": %" PRIu64 ", \"dma_failures\": %" PRIu64
		", ", t->reads, t->writes, t->dma_failures);
}

static void testdev_counters_reset(struct board *board)
{
	struct testdev *t = (struct testdev *)board;

	t->reads = 0;
	t->writes = 0;
	t->dma_failures = 0;
}

const struct board_type board_testdev = {
	.name = "testdev",
	.about = "for the tests of the rig: memory, clock, events, DMA (1234:ca00)",
	.vendor = 0x1234,
	.device = 0xca00,
	.class = 0xff0000,
	.bar_size = { 4096, [2] = 65536 },
	.msi = true,
	.create = testdev_create,
	.destroy = testdev_destroy,
	.reset = testdev_reset,
	.read = testdev_read,
	.write = testdev_write,
	.counters = testdev_counters,
	.counters_reset = testdev_counters_reset,
};
