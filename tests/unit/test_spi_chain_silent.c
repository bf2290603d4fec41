// SPDX-License-Identifier: GPL-2.0-only
/*
 * Chains that end without an interrupt: the CPU sees the end in memory. At every moment of such a
 * chain something is put behind it: its tail, for the interrupt after all, or another message.
 * Then the CPU looks whether the DMA engine has stopped already. Nothing gets lost, nothing is
 * done twice.
 */

#include "chain_rig.h"

#define TX(k)		(PROBE_RAM + RIG_DATA + 64u * (k))
#define RX(k)		(PROBE_RAM + 0x200000u + 64u * (k))
#define LEN		14u
/* What a register read takes at least: the engine goes on meanwhile */
#define READ_NS		30u

struct silent {
	struct rig *r;
	struct bcm2835dma_chain chain[2];
};

static struct silent silent_new(void)
{
	const struct rig_options o = rig_options();
	struct silent s = { .r = rig_new(&o) };
	unsigned int k;

	for (k = 0; k < 2; k++) {
		const struct bcm2835dma_xfer x = {
			.tx = TX(k), .rx = RX(k), .len = LEN, .speed_hz = 10000000,
		};

		memset(s.r->ram + (TX(k) - PROBE_RAM), 0x11 * (k + 1), LEN);
		if (rig_build(s.r, &s.chain[k], 32 * k, &probe_gpio, &x, 1, NULL))
			abort();
	}
	return s;
}

static void silent_start(struct silent *s)
{
	s->r->irqs = 0;
	s->r->logged = 0;
	bcm2835dma_chain_arm(&s->chain[0]);
	bcm2835dma_chain_follow(&s->chain[0], 0);
	rig_start(s->r, &s->chain[0]);
}

static uint32_t channel_at(struct silent *s)
{
	return bcm2835_soc_read(s->r->soc, rig_rx_channel(s->r) + BCM2835_DMA_CONBLK_AD, 4);
}

/* What the driver does: returns whether the engine had to be started again. */
static bool silent_then(struct silent *s, uint32_t next)
{
	uint32_t now;

	bcm2835dma_chain_follow(&s->chain[0], next);
	do {
		sim_advance(&s->r->sim, s->r->sim.now + READ_NS);
		now = channel_at(s);
	} while (now == bcm2835dma_chain_last(&s->chain[0]));
	if (now)
		return false;
	rig_write(s->r, rig_rx_channel(s->r) + BCM2835_DMA_CONBLK_AD, next);
	rig_write(s->r, rig_rx_channel(s->r) + BCM2835_DMA_CS, BCM2835_DMA_CS_ACTIVE);
	return true;
}

/* The slave has heard so many messages, each one whole, in order. */
static bool heard(const struct silent *s, unsigned int messages)
{
	const struct rig_event *e = s->r->log;
	unsigned int k, i;

	if (s->r->logged != messages * (LEN + 2))
		return false;
	for (k = 0; k < messages; k++) {
		if (e++->mosi != -1)
			return false;
		for (i = 0; i < LEN; i++)
			if (e++->mosi != (int)(0x11 * (k + 1)))
				return false;
		if (e++->mosi != -2)
			return false;
	}
	return true;
}

static void alone(void)
{
	struct silent s = silent_new();

	silent_start(&s);
	sim_advance(&s.r->sim, 100000);
	ok(bcm2835dma_chain_done(&s.chain[0]), "a silent chain: its end is in memory");
	is(s.r->irqs, 0, "... and nowhere else");
	is(channel_at(&s), 0, "... the channel has stopped");
	ok(heard(&s, 1), "... the message was sent");
	rig_free(s.r);
}

static void at_every_moment(bool message)
{
	struct silent s = silent_new();
	unsigned int bad = 0, again = 0, times = 0;
	uint64_t at, end = s.chain[0].time_ns + 2000;

	for (at = 0; at < end; at += 3) {
		bool done, late;

		silent_start(&s);
		sim_advance(&s.r->sim, s.r->sim.now + at);
		done = bcm2835dma_chain_done(&s.chain[0]) && !channel_at(&s);
		if (message)
			bcm2835dma_chain_arm(&s.chain[1]);
		late = silent_then(&s, message ? bcm2835dma_chain_first(&s.chain[1]) :
					       bcm2835dma_chain_tail(&s.chain[0]));
		sim_advance(&s.r->sim, s.r->sim.now + 100000);
		bad += s.r->irqs != 1 || !heard(&s, 1 + message) || (done && !late) ||
		       !bcm2835dma_chain_done(&s.chain[message]) || rig_trouble(s.r);
		again += late;
		times++;
		rig_ack(s.r);
	}
	is(bad, 0, "%s behind a silent chain, at %u moments: once, with one interrupt",
	   message ? "a message" : "its tail", times);
	ok(again && again < times, "... in time, or too late (%u times)", again);
	is(spi_checker_total(s.r->checker), 0, "... no fault on the wires");
	rig_free(s.r);
}

int main(void)
{
	alone();
	at_every_moment(false);
	at_every_moment(true);
	return tap_done();
}
