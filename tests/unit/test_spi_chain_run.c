// SPDX-License-Identifier: GPL-2.0-only
/*
 * The chains of the message compiler, run on the models: each length, lengths that
 * change, chains that follow each other, and how long it all takes.
 */

#include "chain_rig.h"

#define TX	(PROBE_RAM + RIG_DATA)
#define RX	(PROBE_RAM + 0x200000u)

static uint8_t tx_byte(uint32_t n)
{
	return (n * 40503u) >> 8 ^ n;
}

static void fill(struct rig *r, uint32_t len)
{
	uint32_t i;

	for (i = 0; i < len; i++)
		r->ram[TX - PROBE_RAM + i] = tx_byte(i);
	memset(r->ram + (RX - PROBE_RAM), 0xee, len + 8);
}

/* One message in one assertion of the chip select, nothing in RAM beside it. */
static bool exact(struct rig *r, const struct bcm2835dma_xfer *x, uint32_t miso)
{
	const uint8_t *rx = r->ram + ((x->rx ?: RX) - PROBE_RAM);
	uint32_t i;

	if (r->logged != x->len + 2 || r->log[0].mosi != -1 || r->log[x->len + 1].mosi != -2)
		return false;
	for (i = 0; i < x->len; i++)
		if (r->log[i + 1].mosi != (x->tx ? tx_byte(x->tx - TX + i) : 0))
			return false;
	for (i = 0; i < x->len; i++)
		if (rx[i] != (x->rx ? rig_miso(miso + i) : 0xee))
			return false;
	for (i = 0; i < 8; i++)
		if (rx[x->len + i] != 0xee)
			return false;
	return true;
}

/* Each length, by a chain of its own; every buffer alignment comes by. */
static void each_length(const char *name, struct rig_options o, uint32_t from, uint32_t to,
			bool tx, bool rx)
{
	struct bcm2835dma_chip chip = probe_gpio;
	struct rig *r = rig_new(&o);
	struct bcm2835dma_chain chain;
	unsigned int bad = 0, faults;
	uint32_t len;

	for (len = from; len <= to; len++) {
		struct bcm2835dma_xfer x = {
			.tx = tx ? TX + len % 4 : 0, .rx = rx ? RX + len / 4 % 4 : 0,
			.len = len, .speed_hz = 10000000,
		};
		uint32_t miso = r->miso;

		fill(r, len + 4);
		r->logged = 0;
		if (rig_build(r, &chain, 0, &chip, &x, 1, NULL) || !rig_run(r, &chain) ||
		    !exact(r, &x, miso)) {
			if (!bad++)
				printf("# length %u\n", len);
		}
	}
	is(bad, 0, "%s: lengths %u to %u", name, from, to);
	faults = spi_checker_total(r->checker);
	is(faults, 0, "%s: no fault on the wires", name);
	if (faults)
		spi_checker_counters(r->checker, "# ", stdout);
	rig_free(r);
}

static void lengths(void)
{
	struct rig_options o = rig_options();

	each_length("full duplex", o, 1, 300, true, true);
	each_length("send", o, 1, 300, true, false);
	each_length("receive", o, 1, 300, false, true);
	each_length("full duplex, long", o, 65530, 65540, true, true);
	each_length("send, long", o, 131060, 131066, true, false);
	o.soc.spi_errata |= BCM2835_SPI_FRAME_END_CLEARS_TA;
	each_length("TA cleared by the DMA", o, 1, 40, true, true);
	o.soc.spi_errata = 0;
	o.soc.dma_errata = 0;
	each_length("without errata", o, 1, 40, true, true);
	o = rig_options();
	o.soc.bcm2711 = true;
	o.soc.core_hz = 500000000;
	each_length("BCM2711", o, 1, 40, true, true);
	o = rig_options();
	o.rx_lite = true;
	o.tx_lite = true;
	each_length("lite channels, full duplex", o, 1, 100, true, true);
	each_length("lite channels, send", o, 1, 100, true, false);
	each_length("lite channels, receive", o, 1, 100, false, true);
	each_length("lite channels, long", o, 65530, 65540, true, true);
}

/* One chain, used again and again with other lengths. */
static void lengths_that_change(void)
{
	struct bcm2835dma_xfer x[2] = {
		{ .tx = TX, .rx = RX, .len = 40, .speed_hz = 10000000, .patch = true },
		{ .tx = TX + 100, .rx = RX + 100, .len = 8, .speed_hz = 10000000 },
	};
	struct rig_options o = rig_options();
	struct rig *r = rig_new(&o);
	struct bcm2835dma_patch patches[2];
	struct bcm2835dma_chain chain;
	unsigned int len, i, bad = 0;

	is(rig_build(r, &chain, 0, &probe_gpio, x, 2, patches), 0, "compiles");
	for (len = 40; len; len--) {
		uint32_t miso = r->miso;
		bool good;

		fill(r, 200);
		r->logged = 0;
		bcm2835dma_chain_arm(&chain);
		good = !bcm2835dma_chain_set_len(&chain, &patches[0], len) &&
		       rig_run(r, &chain) && r->logged == len + 10;
		for (i = 0; good && i < len + 8; i++) {
			uint32_t at = i < len ? i : 100 + i - len;

			good = r->log[i + 1].mosi == tx_byte(at) &&
			       r->ram[RX - PROBE_RAM + at] == rig_miso(miso + i);
		}
		good = good && r->ram[RX - PROBE_RAM + len] == 0xee;
		bad += !good;
	}
	is(bad, 0, "40 to 1 bytes by the same chain");
	is(spi_checker_total(r->checker), 0, "no fault on the wires");
	rig_free(r);
}

/* How long a message of @len bytes takes from the CPU's last write to the interrupt. */
static void chain_time(const char *name, struct rig_options o, u32 speed, unsigned int len,
		       bool judge)
{
	struct bcm2835dma_xfer x = { .tx = TX, .rx = RX, .len = len, .speed_hz = speed };
	struct rig *r = rig_new(&o);
	struct bcm2835dma_chain chain;
	uint64_t from, ns, wire, done, clocks;

	rig_build(r, &chain, 0, &probe_gpio, &x, 1, NULL);
	rig_start(r, &chain);
	from = r->sim.now;
	rig_until(r, from + 1000000);
	ns = r->irq_at - from;
	done = r->log[r->logged - 1].at - r->log[0].at;
	clocks = r->log[len].at - r->log[1].from;
	wire = (uint64_t)len * 8 * bcm2835dma_cdiv(r->limits.core_hz, speed) * 1000 /
	       (r->limits.core_hz / 1000000);
	printf("# %s: %u bytes, %" PRIu64 " ns on the wire, chip select %" PRIu64
	       " ns, start to interrupt %" PRIu64 " ns (%.2f times the wire time)\n",
	       name, len, wire, done, ns, (double)ns / wire);
	ok(clocks <= wire + 1, "%s: no gap between the clocks (%" PRIu64 " ns)", name, clocks);
	ok(chain.time_ns >= ns && chain.time_ns <= ns * 3 / 2,
	   "%s: the estimate (%" PRIu64 " ns) is enough, and not much more", name,
	   (uint64_t)chain.time_ns);
	if (judge)
		ok(ns * 10 <= wire * 12, "%s: at most 1.2 times the wire time", name);
	rig_free(r);
}

static void chain_times(void)
{
	struct rig_options o = rig_options();

	chain_time("250 MHz core", o, 10000000, 14, true);
	chain_time("250 MHz core", o, 10000000, 3, false);
	o.soc.core_hz = 400000000;
	chain_time("400 MHz core", o, 10000000, 14, true);
	o.rx_lite = true;
	o.tx_lite = true;
	chain_time("lite channels", o, 10000000, 14, false);
}

/* Messages that were linked before the first one ran. */
static void back_to_back(void)
{
	struct bcm2835dma_xfer x = { .tx = TX, .rx = RX, .len = 14, .speed_hz = 10000000 };
	struct rig_options o = rig_options();
	struct rig *r = rig_new(&o);
	struct bcm2835dma_chain chain[3];
	const struct spi_bus_stats *stats;
	unsigned int i;

	for (i = 0; i < 3; i++)
		rig_build(r, &chain[i], 32 * i, &probe_gpio, &x, 1, NULL);
	bcm2835dma_chain_link(&chain[0], &chain[1]);
	bcm2835dma_chain_link(&chain[1], &chain[2]);
	rig_start(r, &chain[0]);
	ok(rig_until(r, 1000000), "three linked messages: the interrupt comes");
	is(r->irqs, 1, "... once");
	ok(bcm2835dma_chain_done(&chain[0]) && bcm2835dma_chain_done(&chain[1]) &&
	   bcm2835dma_chain_done(&chain[2]), "... after all of them");
	stats = spi_bus_stats(bcm2835_soc_bus(r->soc));
	is(stats->messages, 3, "... which are three on the wire");
	printf("# chip select inactive between linked messages: %" PRIu64 " to %" PRIu64
	       " ns; active to clock %" PRIu64 " ns; clock to inactive %" PRIu64 " ns\n",
	       stats->cs_gap.min, stats->cs_gap.max, stats->cs_to_clock.max,
	       stats->clock_to_cs.max);
	ok(stats->cs_gap.max <= 2000, "chip select is inactive for 2 us at most");
	ok(stats->cs_gap.min >= 50, "... and long enough for an MCP2515");
	is(spi_checker_total(r->checker), 0, "no fault on the wires");
	rig_free(r);
}

/* Two devices in turn, with other modes and polarities, by one chain. */
static void two_devices(void)
{
	const struct spi_checker_limits wants = {
		.setup_ns = 50, .hold_ns = 50, .disable_ns = 50, .modes = SPI_MODES(3, 3),
	};
	const struct bcm2835dma_chip other = {
		.mode = BCM2835DMA_CPOL | BCM2835DMA_CPHA, .cs_kind = BCM2835DMA_CS_GPIO,
		.cs_line = 45, .cs_high = true,
	};
	struct bcm2835dma_xfer x = { .tx = TX, .rx = RX, .len = 7, .speed_hz = 10000000 };
	struct rig_options o = rig_options();
	struct rig *r = rig_new(&o);
	struct spi_slave *loop = spi_loopback_new();
	struct bcm2835dma_chain chain[4];
	struct spi_checker *checker;
	unsigned int i;

	loop->cs_high = true;
	checker = spi_checker_new(&r->sim, &wants, loop);
	rig_write(r, BCM2835_SOC_GPIO + 4 * 4, 1u << 15);	/* GPIO 45 is an output, low */
	bcm2835_soc_attach(r->soc, 45, spi_checker_slave(checker));
	spi_checker_alone(r->checker, false);
	fill(r, 64);
	for (i = 0; i < 4; i++) {
		x.rx = RX + 8 * i;
		rig_build(r, &chain[i], 32 * i, i % 2 ? &other : &probe_gpio, &x, 1, NULL);
	}
	for (i = 0; i < 3; i++)
		bcm2835dma_chain_link(&chain[i], &chain[i + 1]);
	ok(rig_run(r, &chain[0]) && bcm2835dma_chain_done(&chain[3]),
	   "two devices in turn: all are done");
	is(r->logged, 2 * (7 + 2), "... the first one has heard its own");
	ok(!memcmp(r->ram + (RX - PROBE_RAM) + 8, r->ram + (TX - PROBE_RAM), 7) &&
	   !memcmp(r->ram + (RX - PROBE_RAM) + 24, r->ram + (TX - PROBE_RAM), 7),
	   "... the second one, too");
	is(spi_bus_stats(bcm2835_soc_bus(r->soc))->messages, 4, "... in four messages");
	is(spi_bus_stats(bcm2835_soc_bus(r->soc))->contention, 0, "... never both at once");
	is(spi_checker_total(r->checker) + spi_checker_total(checker), 0,
	   "... no fault on the wires");
	rig_free(r);
	spi_checker_free(checker);
	spi_slave_free(loop);
}

/* A slave that never answers costs nothing here, a clock that never runs is not the chain's. */
static void broken_clock(void)
{
	struct bcm2835dma_xfer x = { .tx = TX, .rx = RX, .len = 14, .speed_hz = 10000000 };
	struct rig_options o = rig_options();
	struct bcm2835dma_chain chain;
	struct rig *r;

	o.soc.spi_errata |= BCM2835_SPI_BROKEN_NO_CLOCK;
	r = rig_new(&o);
	rig_build(r, &chain, 0, &probe_gpio, &x, 1, NULL);
	rig_start(r, &chain);
	ok(!rig_until(r, 10000000), "no clock: no interrupt");
	ok(!bcm2835dma_chain_done(&chain), "... and the message is not done");
	rig_free(r);
}

/* The firmware changes the core clock while a message is under way. */
static void core_clock_changes(void)
{
	struct bcm2835dma_xfer x = { .tx = TX, .rx = RX, .len = 61, .speed_hz = 10000000 };
	struct rig_options o = rig_options();
	struct bcm2835dma_chain chain;
	unsigned int bad = 0, at;
	struct rig *r;

	o.soc.core_hz = 500000000;
	r = rig_new(&o);
	for (at = 0; at < 60000; at += 331) {
		uint32_t miso = r->miso;

		bcm2835_soc_set_core_hz(r->soc, 500000000);
		fill(r, 64);
		r->logged = 0;
		rig_build(r, &chain, 0, &probe_gpio, &x, 1, NULL);
		rig_start(r, &chain);
		sim_advance(&r->sim, r->sim.now + at);
		bcm2835_soc_set_core_hz(r->soc, 200000000);
		if (!rig_until(r, r->sim.now + 1000000))
			bad++;
		rig_ack(r);
		bad += !bcm2835dma_chain_done(&chain) || !exact(r, &x, miso);
	}
	is(bad, 0, "the core clock changes at any time");
	is(spi_checker_total(r->checker), 0, "no fault on the wires");
	rig_free(r);
}

int main(void)
{
	lengths();
	lengths_that_change();
	chain_times();
	back_to_back();
	two_devices();
	broken_clock();
	core_clock_changes();
	return tap_done();
}
