// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random messages, two of them linked, against what the interface promises: every byte
 * on the wire at its speed, in the right assertion of the chip select, no sooner than
 * the delays allow; every byte received in its place, and no other byte of RAM written.
 *
 *	test_spi_chain_random.t [SEED [ROUNDS]]	(CANPIPE_LONG=1: more rounds)
 */

#include "chain_rig.h"

#define XFERS	6
#define TX_AREA	RIG_DATA		/* RAM offsets */
#define RX_AREA	0x200000u
#define AREA	0x180000u

/* What has to be seen next: a byte, or a change of the chip select. */
struct expected {
	int mosi;		/* as in struct rig_event */
	uint32_t half_ps;
	uint64_t after_ns;	/* at the earliest, from the end of the one before */
};

struct message {
	struct bcm2835dma_xfer xfer[XFERS];
	unsigned int num;
	struct bcm2835dma_chain chain;
};

struct round {
	uint32_t seed;
	struct rig_options options;
	struct bcm2835dma_chip chip;
	struct message msg[2];
	uint32_t tx_used, rx_used;
	uint8_t *image;		/* what the receive area is to be */

	struct expected *expect;
	unsigned int expected;
	bool selected;
	uint64_t pending_ns;
	uint32_t strays, miso, glitches;
	unsigned int since_select;
};

static uint32_t rnd(struct round *r, uint32_t below)
{
	r->seed ^= r->seed << 13;
	r->seed ^= r->seed >> 17;
	r->seed ^= r->seed << 5;
	return r->seed % below;
}

static bool one_in(struct round *r, uint32_t n)
{
	return !rnd(r, n);
}

static void random_setup(struct round *r)
{
	struct rig_options *o = &r->options;
	struct bcm2835dma_chip *chip = &r->chip;
	static const uint32_t clocks[] = { 250000000, 400000000, 500000000 };
	static const uint8_t pins[] = { 8, 7, 22, 45 };

	o->soc.core_hz = clocks[rnd(r, 3)];
	o->soc.bcm2711 = one_in(r, 3);
	o->soc.spi_errata = one_in(r, 4) ? 0 : BCM2835_SPI_SILICON;
	o->soc.dma_errata = BCM2835_DMA_LATE_WRITES;
	o->rx_lite = one_in(r, 4);
	o->tx_lite = one_in(r, 4);
	o->native = one_in(r, 6);
	o->cs_high = one_in(r, 3);
	o->cs_pin = o->native ? 7 + rnd(r, 2) : pins[rnd(r, 4)];

	chip->mode = rnd(r, 4);
	chip->cs_kind = o->native ? BCM2835DMA_CS_NATIVE : BCM2835DMA_CS_GPIO;
	chip->cs_line = o->native ? 8 - o->cs_pin : o->cs_pin;
	chip->cs_high = o->cs_high;
	chip->cs_setup_ns = one_in(r, 3) ? rnd(r, 5000) : 0;
	chip->cs_hold_ns = one_in(r, 3) ? rnd(r, 5000) : 0;
	chip->cs_inactive_ns = one_in(r, 3) ? rnd(r, 5000) : 0;
	o->wants = (struct spi_checker_limits){
		.setup_ns = chip->cs_setup_ns > 50 ? chip->cs_setup_ns : 50,
		.hold_ns = chip->cs_hold_ns > 50 ? chip->cs_hold_ns : 50,
		.disable_ns = chip->cs_inactive_ns > 50 ? chip->cs_inactive_ns : 50,
		.min_period_ps = 1, .modes = 1u << chip->mode,
	};
}

static uint32_t random_len(struct round *r)
{
	switch (rnd(r, 20)) {
	case 0:
		return 0;
	case 1:
		return 1 + rnd(r, 2000);
	case 2:
		return one_in(r, 10) ? 65500 + rnd(r, 70000) : 64;
	case 3 ... 9:
		return 4 * (1 + rnd(r, 20));
	default:
		return 1 + rnd(r, 20);
	}
}

/* A buffer right behind the last one, or somewhere else. */
static uint32_t random_buffer(struct round *r, uint32_t area, uint32_t *used, uint32_t len)
{
	uint32_t at = *used + (one_in(r, 3) ? 0 : 4 + rnd(r, 8));

	*used = at + len;
	return PROBE_RAM + area + at;
}

static void random_message(struct round *r, struct message *m)
{
	static const uint32_t speeds[] = { 10000000, 10000000, 10000000, 31250000, 4000000,
					   1000000 };
	bool cs_off = !r->options.native && one_in(r, 10);
	uint32_t speed = speeds[rnd(r, 6)];
	unsigned int i;

	m->num = 1 + rnd(r, XFERS);
	for (i = 0; i < m->num; i++) {
		struct bcm2835dma_xfer *x = &m->xfer[i];
		uint32_t len = random_len(r);

		*x = (struct bcm2835dma_xfer){
			.len = len,
			.speed_hz = one_in(r, 5) ? speeds[rnd(r, 6)] : speed,
			.delay_ns = one_in(r, 5) ? rnd(r, 8000) : 0,
			.cs_change = one_in(r, 5),
			.cs_off = cs_off && one_in(r, 2),
			.patch = len && len <= 65532 && one_in(r, 6),
		};
		if (!one_in(r, 3))
			x->tx = random_buffer(r, TX_AREA, &r->tx_used, len);
		if (!one_in(r, 3))
			x->rx = random_buffer(r, RX_AREA, &r->rx_used, len);
		if (x->cs_change)
			x->cs_change_ns = rnd(r, 3) * 1000;
	}
}

static void expect(struct round *r, int mosi, uint32_t half_ps)
{
	r->expect[r->expected++] = (struct expected){ mosi, half_ps, r->pending_ns };
	r->pending_ns = 0;
}

static void expect_select(struct round *r, bool selected)
{
	if (r->selected == selected)
		return;
	r->selected = selected;
	if (selected) {
		expect(r, -1, 0);
		r->pending_ns += r->chip.cs_setup_ns;
		r->since_select = 0;
	} else {
		r->pending_ns += r->chip.cs_hold_ns;
		/* a native one is made active by its clocks, or for a delay */
		expect(r, -2, 0);
		r->pending_ns += r->chip.cs_inactive_ns;
		r->glitches += !r->since_select;
	}
}

static void expect_data(struct round *r, struct rig *rig, const struct bcm2835dma_xfer *x)
{
	uint32_t cdiv = bcm2835dma_cdiv(rig->limits.core_hz, x->speed_hz);
	uint32_t half_ps = 500000000ull * cdiv / (rig->limits.core_hz / 1000);
	uint32_t i;

	for (i = 0; i < x->len; i++) {
		if (r->selected)
			expect(r, x->tx ? rig->ram[x->tx - PROBE_RAM + i] : 0, half_ps);
		if (x->rx)
			r->image[x->rx - PROBE_RAM - RX_AREA + i] =
				r->selected ? rig_miso(r->miso) : 0;
		r->miso += r->selected;
		r->strays += !r->selected;
	}
	if (x->len && !r->selected)
		r->pending_ns = 0;
	r->since_select += x->len;
}

static void expect_message(struct round *r, struct rig *rig, const struct message *m)
{
	unsigned int i;

	for (i = 0; i < m->num; i++) {
		const struct bcm2835dma_xfer *x = &m->xfer[i];

		expect_select(r, !x->cs_off);
		expect_data(r, rig, x);
		r->pending_ns += x->delay_ns;
		if (x->cs_change && i + 1 < m->num) {
			expect_select(r, false);
			r->pending_ns += x->cs_change_ns;
		}
	}
	if (!m->xfer[m->num - 1].cs_change)
		expect_select(r, false);
}

/* What a native chip select cannot do, by the rules of the interface. */
static bool may_be_refused(const struct round *r, const struct message *m)
{
	return r->options.native && (m->num > 1 || m->xfer[0].len > 65532 ||
				     m->xfer[m->num - 1].cs_change);
}

static const char *compare(const struct round *r, const struct rig *rig)
{
	uint64_t before = 0;
	unsigned int i;

	if (rig->logged != r->expected)
		return "number of events";
	for (i = 0; i < r->expected; i++) {
		const struct rig_event *e = &rig->log[i];
		const struct expected *x = &r->expect[i];

		if (e->mosi != x->mosi)
			return x->mosi < 0 ? "chip select" : "byte";
		if (e->mosi >= 0 && e->half_ps != x->half_ps)
			return "speed";
		if (e->mosi >= 0 && e->mode != r->chip.mode)
			return "mode";
		if (i && (e->mosi < 0 ? e->at : e->from) - before < x->after_ns)
			return "delay";
		before = e->at;
	}
	if (memcmp(rig->ram + RX_AREA, r->image, AREA))
		return "memory";
	return NULL;
}

static const char *wires(const struct round *r, const struct rig *rig)
{
	const struct spi_checker *c = rig->checker;
	uint64_t glitches = spi_checker_faults(c, SPI_FAULT_GLITCH);
	uint64_t strays = spi_checker_faults(c, SPI_FAULT_STRAY);

	if (glitches != r->glitches)
		return "chip select without a byte";
	if (strays != r->strays)
		return "clocks without chip select";
	if (spi_checker_total(c) != glitches + strays)
		return "protocol";
	return NULL;
}

/* Both messages by one start. Returns what is wrong; *refused: nothing was run. */
static const char *run(struct round *r, struct rig *rig, bool *refused)
{
	uint64_t estimate, took, start;
	const char *wrong;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		struct message *m = &r->msg[i];
		int ret = rig_build(rig, &m->chain, 1024 * i, &r->chip, m->xfer, m->num, NULL);

		*refused = ret == -EOPNOTSUPP;
		if (*refused)
			return may_be_refused(r, m) ? NULL : "refused for no reason";
		if (ret)
			return "not compiled";
		expect_message(r, rig, m);
		if (m->chain.keeps_cs != r->selected)
			return "keeps_cs";
	}
	bcm2835dma_chain_link(&r->msg[0].chain, &r->msg[1].chain);
	estimate = r->msg[0].chain.time_ns + r->msg[1].chain.time_ns;
	start = rig->sim.now;
	rig_start(rig, &r->msg[0].chain);
	if (!rig_until(rig, start + 20 * estimate))
		return "no interrupt";
	took = rig->irq_at - start;
	rig_ack(rig);
	if (rig->irqs != 1 || rig->line)
		return "interrupts";
	if (!bcm2835dma_chain_done(&r->msg[0].chain) || !bcm2835dma_chain_done(&r->msg[1].chain))
		return "not done";
	wrong = compare(r, rig) ?: wires(r, rig) ?: rig_trouble(rig);
	if (!wrong && (took > estimate + 1000 || took < estimate / 4))
		return "estimate of the time";
	return wrong;
}

static void show(const struct round *r, const struct rig *rig, const char *wrong)
{
	static struct probe_text text;
	unsigned int i;

	printf("# %s: mode %u, %s, core %u Hz\n# ", wrong, r->chip.mode,
	       r->options.native ? "native" : "GPIO", rig->limits.core_hz);
	spi_checker_counters(rig->checker, "", stdout);
	printf("\n");
	for (i = 0; i < 2; i++) {
		if (!r->msg[i].chain.cb)
			continue;
		probe_chain(&text, &r->msg[i].chain, &rig->limits);
		printf("# %.2000s\n", text.text);
	}
}

static const char *play(uint32_t seed, bool *refused)
{
	static struct expected expected[RIG_LOG];
	static uint8_t image[AREA];
	struct round r = { .seed = seed * 2654435761u + 1, .expect = expected, .image = image };
	const char *wrong;
	struct rig *rig;
	uint32_t i;

	random_setup(&r);
	random_message(&r, &r.msg[0]);
	random_message(&r, &r.msg[1]);
	memset(image, 0xa5, sizeof(image));
	rig = rig_new(&r.options);
	for (i = 0; i < r.tx_used; i++)
		rig->ram[TX_AREA + i] = rnd(&r, 256);
	wrong = r.tx_used > AREA || r.rx_used > AREA ? "too long" : run(&r, rig, refused);
	if (wrong)
		show(&r, rig, wrong);
	rig_free(rig);
	return wrong;
}

int main(int argc, char **argv)
{
	uint32_t many = getenv("CANPIPE_LONG") ? 10000 : 500;
	uint32_t seed = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	uint32_t rounds = argc > 2 ? strtoul(argv[2], NULL, 0) : argc > 1 ? 1 : many;
	unsigned int bad = 0, refusals = 0;
	uint32_t i;

	for (i = 0; i < rounds; i++) {
		bool refused = false;
		const char *wrong = play(seed + i, &refused);

		if (wrong && bad++ < 5)
			printf("# seed %u: %s\n", seed + i, wrong);
		refusals += refused;
	}
	printf("# %u rounds, %u refused\n", rounds, refusals);
	is(bad, 0, "random messages");
	ok(rounds < 100 || refusals < rounds / 4, "most of them are run");
	return tap_done();
}
