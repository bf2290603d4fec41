// SPDX-License-Identifier: GPL-2.0-only
/*
 * A message is appended to a chain that runs, at every moment there is: it runs once,
 * in its turn, and costs a start of its own only if the end of the chain was under way.
 */

#include "chain_rig.h"

#define MESSAGES	8
#define AREA		64u		/* buffer of a message, each way */
#define TX(k)		(PROBE_RAM + RIG_DATA + AREA * (k))
#define RX(k)		(PROBE_RAM + 0x200000u + AREA * (k))

/* The part of a driver that matters here. */
struct driver {
	struct rig *r;
	struct bcm2835dma_chain chain[MESSAGES];
	unsigned int len[MESSAGES];
	unsigned int submitted;		/* messages, in this order */
	unsigned int done;
	unsigned int starts;
	bool running;
	uint64_t latency;		/* of the interrupt handler */
	uint32_t miso;
};

static uint8_t tx_byte(unsigned int k, unsigned int i)
{
	return 0x55 + 37 * k + 11 * i;
}

static struct driver *driver_new(unsigned int seed)
{
	const struct rig_options o = rig_options();
	struct driver *d = calloc(1, sizeof(*d));
	unsigned int k, i;

	if (!d)
		abort();
	d->r = rig_new(&o);
	for (k = 0; k < MESSAGES; k++) {
		struct bcm2835dma_xfer x = {
			.tx = TX(k), .rx = RX(k), .speed_hz = 10000000,
		};

		x.len = d->len[k] = k ? 1 + (seed + 5 * k) % 14 : 14;
		for (i = 0; i < x.len; i++)
			d->r->ram[TX(k) - PROBE_RAM + i] = tx_byte(k, i);
		if (rig_build(d->r, &d->chain[k], 32 * k, &probe_gpio, &x, 1, NULL))
			abort();
	}
	return d;
}

static void driver_free(struct driver *d)
{
	rig_free(d->r);
	free(d);
}

static void driver_reset(struct driver *d)
{
	d->submitted = 0;
	d->done = 0;
	d->starts = 0;
	d->r->irqs = 0;
	d->r->logged = 0;
	d->miso = d->r->miso;
	memset(d->r->ram + (RX(0) - PROBE_RAM), 0xee, AREA * MESSAGES);
}

static void driver_start(struct driver *d, unsigned int k)
{
	d->running = true;
	d->starts++;
	rig_start(d->r, &d->chain[k]);
}

static void driver_submit(struct driver *d)
{
	unsigned int k = d->submitted++;

	bcm2835dma_chain_arm(&d->chain[k]);
	if (!d->running)
		driver_start(d, k);
	else
		bcm2835dma_chain_link(&d->chain[k - 1], &d->chain[k]);
}

static void driver_handler(struct driver *d)
{
	rig_ack(d->r);
	d->running = false;
	while (d->done < d->submitted && bcm2835dma_chain_done(&d->chain[d->done]))
		d->done++;
	if (d->done < d->submitted)
		driver_start(d, d->done);
}

/* Let time pass, with interrupts. */
static void driver_until(struct driver *d, uint64_t at)
{
	struct rig *r = d->r;

	while (rig_until(r, at)) {
		uint64_t handled = r->irq_at + d->latency;

		if (handled > at) {
			sim_advance(&r->sim, at);
			return;
		}
		sim_advance(&r->sim, handled > r->sim.now ? handled : r->sim.now);
		driver_handler(d);
	}
}

/* Every message once, in order, with its data; and one interrupt for each start. */
static bool driver_right(struct driver *d)
{
	const struct rig_event *e = d->r->log;
	uint32_t miso = d->miso;
	unsigned int k, i;

	if (rig_trouble(d->r) || d->running || d->done != d->submitted || d->r->irqs != d->starts)
		return false;
	for (k = 0; k < d->submitted; k++) {
		const uint8_t *rx = d->r->ram + (RX(k) - PROBE_RAM);

		if (e++->mosi != -1)
			return false;
		for (i = 0; i < d->len[k]; i++)
			if (e++->mosi != tx_byte(k, i) || rx[i] != rig_miso(miso++))
				return false;
		if (e++->mosi != -2)
			return false;
		for (; i < AREA; i++)
			if (rx[i] != 0xee)
				return false;
	}
	return e == d->r->log + d->r->logged;
}

/* The second message comes at every moment of the first one, the third one some time later. */
static void at_every_moment(uint64_t latency, unsigned int step)
{
	struct driver *d = driver_new(3);
	unsigned int bad = 0, alone = 0, joined = 0, both = 0;
	uint64_t at, end = d->chain[0].time_ns + latency + 2000;

	d->latency = latency;
	for (at = 0; at < end; at += step) {
		uint64_t start = d->r->sim.now, gap = at * 13 % 20011;

		driver_reset(d);
		driver_submit(d);
		driver_until(d, start + at);
		driver_submit(d);
		driver_until(d, start + at + gap);
		driver_submit(d);
		driver_until(d, d->r->sim.now + 100000);
		if (!driver_right(d) && !bad++)
			printf("# first at %" PRIu64 " ns, then after %" PRIu64 " ns\n", at, gap);
		joined += d->starts == 1;
		both += d->starts == 2;
		alone += d->starts == 3;
	}
	printf("# of %" PRIu64 " times: %u by one start, %u by two, %u by three\n",
	       (end + step - 1) / step, joined, both, alone);
	is(bad, 0, "handler after %" PRIu64 " ns: right, whenever messages are appended", latency);
	ok(joined && both && alone, "... and each case came by");
	is(spi_checker_total(d->r->checker), 0, "... no fault on the wires");
	driver_free(d);
}

/*
 * When is it too late? The DMA engine loads the block that reports the end when that
 * begins, so only what is linked during it or the tail costs a start.
 */
static void too_late(void)
{
	struct driver *d = driver_new(3);
	uint64_t at, from = 0, done_at = 0;

	d->latency = 0;
	for (at = 10000; at < 20000 && !done_at; at++) {
		uint64_t start = d->r->sim.now;

		driver_reset(d);
		driver_submit(d);
		driver_until(d, start + at);
		if (bcm2835dma_chain_done(&d->chain[0]) && !done_at)
			done_at = at;
		driver_submit(d);
		driver_until(d, d->r->sim.now + 100000);
		if (d->starts > 1 && !from)
			from = at;
	}
	printf("# too late from %" PRIu64 " ns on, done at %" PRIu64 " ns\n", from, done_at);
	ok(from && from <= done_at, "a chain is closed before it is seen to be done");
	ok(done_at - from <= 250, "... but not more than one block before");
	driver_free(d);
}

/* Eight messages at random times. */
static void at_random(void)
{
	unsigned int round, bad = 0, starts = 0;
	uint32_t seed = 20261201;

	for (round = 0; round < 300; round++) {
		struct driver *d = driver_new(round);
		unsigned int k;

		driver_reset(d);
		d->latency = round * 37 % 4000;
		for (k = 0; k < MESSAGES; k++) {
			seed = seed * 1664525 + 1013904223;
			driver_submit(d);
			driver_until(d, d->r->sim.now + (seed >> 16) % (round % 2 ? 20000 : 3000));
		}
		driver_until(d, d->r->sim.now + 300000);
		bad += !driver_right(d) || spi_checker_total(d->r->checker);
		starts += d->starts;
		driver_free(d);
	}
	is(bad, 0, "300 times eight messages at random times: right");
	printf("# %u starts for %u messages\n", starts, 300 * MESSAGES);
	ok(starts > 300 && starts < 300 * MESSAGES, "... some are appended, some are started");
}

int main(void)
{
	at_every_moment(0, 7);
	at_every_moment(500, 11);
	at_every_moment(3000, 11);
	too_late();
	at_random();
	return tap_done();
}
