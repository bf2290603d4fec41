// SPDX-License-Identifier: GPL-2.0-only
/*
 * The C_CAN model under random accesses, traffic, errors and resets: it must
 * neither crash (sanitizers) nor run without end (the alarm), and what it tells
 * about itself must stay consistent. The seeds are fixed; a seed given as an
 * argument is played alone, a second argument is the number of steps.
 */
#include <unistd.h>

#include "test_c_can.h"

static uint64_t rng;

static uint32_t rnd(void)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng >> 16;
}

static unsigned int below(unsigned int n)
{
	return rnd() % n;
}

/* Registers that matter more often than a random offset would. */
static unsigned int offset(const struct bench *b)
{
	static const uint16_t c[] = {
		0x00, 0x02, 0x0a, 0x10, 0x12, 0x18, 0x1a, 0x1c, 0x40, 0x42, 0x4a, 0x4c, 0x08,
	};
	static const uint16_t d[] = {
		0x00, 0x04, 0x10, 0x14, 0x18, 0x80, 0xd8, 0x100, 0x104, 0x108, 0x10c, 0x120,
		0x128, 0x12c, 0x140, 0x148, 0x154, 0x160, 0x114, 0x02,
	};

	switch (below(4)) {
	case 0:
		return below(d_can(b) ? 0x200 : 0x100);
	default:
		return d_can(b) ? d[below(sizeof(d) / 2)] : c[below(sizeof(c) / 2)];
	}
}

static uint32_t value(void)
{
	switch (below(4)) {
	case 0:
		return 1u << below(32);
	case 1:
		return rnd() & rnd() & 0xff00ff;
	case 2:
		return below(256) | below(256) << 16;
	default:
		return rnd();
	}
}

static void random_frame(struct bench *b)
{
	struct canbus_frame f = { .ext = below(2), .rtr = !below(4), .dlc = below(16) };
	unsigned int i;

	f.id = rnd() & (f.ext ? 0x1fffffff : 0x7ff);
	for (i = 0; i < 8 && !f.rtr; i++)
		f.data[i] = rnd();
	if (b->head == b->tail)
		b->head = b->tail = 0;
	if (b->head < 200)
		send(b, &f);
}

/* What a driver does, so that the machine gets past Init at all. */
static void set_up(struct bench *b)
{
	unsigned int n;

	wr(b, CTRL, INIT | CCE);
	run(b, 20 * US);
	wr(b, BTR, BENCH_BTR);
	for (n = 0; n < 4; n++)
		object(b, 1 + below(16), VALID | (rnd() & XTD) | (below(2) ? DIR : 0) | rnd() >> 3,
		       rnd() & rnd() & rnd(), rnd() & 0xff8f);
	wr(b, CTRL, IE | (rnd() & (SIE | EIE | DAR)));
}

static void step(struct bench *b)
{
	static const uint8_t sizes[4] = { 1, 2, 4, 4 };

	switch (below(16)) {
	case 0:
		random_frame(b);
		break;
	case 1:
		run(b, below(300) * US);
		break;
	case 2:
		if (!below(8))
			canbus_destroy(b->bus, NULL, 0, 1 + below(3), (int)below(150) - 1);
		break;
	case 3:
		if (!below(50))
			c_can_reset(b->c);
		else if (!below(10))
			c_can_raminit(b->c, below(2));
		break;
	case 4:
		if (!below(8))
			set_up(b);
		break;
	case 5:
		if (!below(40))
			run(b, 50 * MS);
		break;
	case 6:
	case 7:
	case 8:
	case 9:
	case 10:
		c_can_write(b->c, offset(b), sizes[below(4)], value());
		break;
	default:
		c_can_read(b->c, offset(b), sizes[below(4)]);
		break;
	}
	run(b, below(3000));
}

/* What must hold at any time, whatever has been done. */
static bool consistent(struct bench *b)
{
	const struct c_can_stats *s = c_can_stats(b->c);
	uint32_t intr = rd(b, INTR), ctrl = rd(b, CTRL);
	uint32_t id0 = intr & 0xffff;
	bool ie = ctrl & IE, mil = b->config.type == D_CAN_BOSCH && (ctrl & 0x20000);

	if (id0 && id0 != 0x8000 && id0 > 128)
		return false;
	if (b->line != (ie && id0 && !(mil && id0 != 0x8000)))
		return false;
	if (c_can_node(b->c)->running && (ctrl & INIT) && !(rd(b, STS) & 0x400))
		return false;
	return s->rx_overwritten <= s->rx_stored && b->edges == s->interrupts;
}

static void play(uint64_t seed, unsigned int steps)
{
	struct c_can_config config = { .clock_hz = 8000000 };
	struct bench *b;
	unsigned int i, wrong = 0;

	rng = seed * 0x9e3779b97f4a7c15ull + 1;
	config.type = below(3);
	config.objects = 16 << below(4);
	config.errata = below(2) ? rnd() & 0x0f : 0;
	config.busy_clocks = below(3) ? 0 : 1 + below(50);
	config.parity_ram = below(2);
	b = bench_config(&config);
	set_up(b);
	for (i = 0; i < steps; i++) {
		step(b);
		if (!consistent(b) && !wrong++)
			printf("# seed %llu, step %u: inconsistent\n",
			       (unsigned long long)seed, i);
	}
	is(wrong, 0, "seed %llu: type %d, errata %x: %u steps, %llu frames stored, %llu sent",
	   (unsigned long long)seed, config.type, config.errata, steps,
	   (unsigned long long)c_can_stats(b->c)->rx_stored,
	   (unsigned long long)c_can_stats(b->c)->tx_sent);
	bench_free(b);
}

int main(int argc, char **argv)
{
	unsigned int steps = argc > 2 ? strtoul(argv[2], NULL, 0) : 4000;
	uint64_t seed;

	alarm(argc > 2 ? 3600 : 120);
	if (argc > 1) {
		play(strtoull(argv[1], NULL, 0), steps);
		return tap_done();
	}
	for (seed = 1; seed <= 48; seed++)
		play(seed, steps);
	return tap_done();
}
