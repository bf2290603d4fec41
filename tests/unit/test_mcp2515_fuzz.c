// SPDX-License-Identifier: GPL-2.0-only
/*
 * The MCP2515 model under random instructions, cut bytes, traffic, errors, resets and pin
 * changes: it must neither crash (sanitizers) nor run without end (the alarm), and what it tells
 * about itself must stay consistent. The seeds are fixed; a seed given as an argument is played
 * alone, a second argument is the number of steps.
 */
#include <unistd.h>

#include "test_mcp2515.h"

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

static uint8_t instruction(void)
{
	static const uint8_t known[] = {
		I_READ, I_READ, I_WRITE, I_WRITE, I_BITS, I_BITS, I_STATUS, I_RX_STATUS,
		I_READ_RX(0), I_READ_RX(1), I_READ_RXD(0), I_READ_RXD(1), I_LOAD(0), I_LOAD(1),
		I_LOAD(2), I_LOADD(0), I_LOADD(1), I_LOADD(2), I_RTS(1), I_RTS(2), I_RTS(4),
		I_RTS(7), I_RTS(0),
	};

	if (!below(40))
		return rnd();
	if (!below(200))
		return I_RESET;
	return known[below(sizeof(known))];
}

/* Registers that matter more often than a random address would. */
static uint8_t address(void)
{
	static const uint8_t a[] = {
		R_BFPCTRL, R_CANCTRL, R_CANSTAT, R_CNF3, R_CNF2, R_CNF1, R_CANINTE, R_CANINTF, R_EFLG,
		R_TXB0, R_TXB1, R_TXB2, R_RXB0, R_RXB1, R_TXRTSCTRL, R_RXM0,
	};

	if (!below(3))
		return rnd();
	/* a step into another mode ends much of what follows */
	return a[(below(4) ? 5 : 0) + below(sizeof(a) - 5)];
}

static void random_instruction(struct bench *b)
{
	unsigned int i, len = 1 + below(below(8) ? 6 : 30), cut = below(12) ? len : below(len);

	b->clock.half_ps = below(4) ? 50000 : 20000 + below(500000);
	b->clock.mode = below(4) ? 0 : 3;
	bench_select(b);
	for (i = 0; i < len; i++) {
		uint8_t mosi = i ? i == 1 ? address() : rnd() : instruction();

		b->spi->ops->byte_start(b->spi->arg, &b->clock);
		run(b, below(2 * BYTE_NS));
		b->spi->ops->byte_end(b->spi->arg, mosi, i == cut ? below(8) : 8);
		if (i == cut)
			break;
		if (!below(30))
			run(b, below(100 * US));
	}
	b->spi->ops->cs(b->spi->arg, false);
	run(b, below(3) ? 50 : below(60));
}

static void random_frame(struct bench *b)
{
	struct canbus_frame f = { .ext = below(2), .rtr = !below(4), .dlc = below(16) };
	unsigned int i;

	f.id = rnd() & (f.ext ? 0x1fffffff : 0x7ff);
	for (i = 0; i < 8 && !f.rtr; i++)
		f.data[i] = rnd();
	if (b->peer.sent == b->peer.frames)
		b->peer.sent = b->peer.frames = 0;
	if (b->peer.frames < 60)
		probe_send(&b->peer, f);
	b->peer.notes = 0;
}

static void random_pin(struct bench *b)
{
	switch (below(20)) {
	case 0:
		mcp2515_reset_pin(b->m, false);
		break;
	case 1:
		mcp2515_standby(b->m, below(2));
		break;
	case 2: case 3: case 4: case 5:
		mcp2515_reset_pin(b->m, true);
		mcp2515_standby(b->m, false);
		break;
	default:
		mcp2515_rts_pin(b->m, below(3), below(2));
	}
}

/* What a driver does, so that the chip gets on the bus at all. */
static void set_up(struct bench *b)
{
	static const uint8_t mode[] = { NORMAL, NORMAL, NORMAL, LOOPBACK, LISTEN, SLEEP };

	mcp2515_reset_pin(b->m, true);
	SPI(b, I_RESET);
	run(b, 150 * US);
	wr(b, R_TXRTSCTRL, below(8));
	wr(b, R_BFPCTRL, rnd());
	bench_mode(b, CONFIG);
	wr(b, R_CANINTE, rnd());
	if (below(2)) {
		SPI(b, I_WRITE, R_RXM0, rnd() & rnd() & rnd(), rnd() & rnd(), 0, 0, rnd() & rnd() & rnd());
		wr(b, R_RXB0, rnd());
		wr(b, R_RXB1, rnd());
	}
	wr(b, R_CANCTRL, mode[below(sizeof(mode))] | below(16));
	run(b, 30 * US);
	/* bench_mode() means 1 Mbit/s with a crystal of 16 MHz */
	if (below(8)) {
		canbus_node_stop(&b->peer.node);
		b->peer.node.bit_ns = BIT * 16000000ull / b->config.osc_hz;
		b->peer.node.bus_off = false;
		b->peer.node.tec = 0;
		canbus_node_start(&b->peer.node);
	}
	run(b, 30 * US);
}

static void step(struct bench *b)
{
	switch (below(16)) {
	case 0: case 1:
		random_frame(b);
		break;
	case 2: case 7:
		run(b, below(300) * US);
		break;
	case 3:
		if (!below(6))
			canbus_destroy(b->bus, NULL, 0, 1 + below(40), (int)below(150) - 1);
		break;
	case 4:
		random_pin(b);
		break;
	case 5:
		if (!below(3))
			set_up(b);
		break;
	case 6:
		if (!below(40))
			run(b, 50 * MS);
		break;
	default:
		random_instruction(b);
	}
}

/* What must hold at any time, whatever has been done. */
static const char *wrong(struct bench *b)
{
	const struct mcp2515_stats *s = mcp2515_stats(b->m);
	const struct canbus_node *n = mcp2515_node(b->m);
	uint8_t flags = mcp2515_peek(b->m, R_CANINTF), mode = mcp2515_peek(b->m, R_CANSTAT) & 0xe0;
	uint8_t eflg = mcp2515_peek(b->m, R_EFLG), rxb0 = mcp2515_peek(b->m, R_RXB0);
	uint64_t sum = 0;
	unsigned int i;

	if (b->level[MCP2515_PIN_INT] != !(flags & mcp2515_peek(b->m, R_CANINTE)))
		return "INT";
	if (b->fell[MCP2515_PIN_INT] != s->int_edges)
		return "edges of INT";
	if (mode > CONFIG)
		return "OPMODE";
	if (n->running && (mode == SLEEP || mode == CONFIG))
		return "on the bus in Sleep or Configuration mode";
	if (mode != CONFIG && mcp2515_peek(b->m, R_RXM0))
		return "a mask shows";
	if ((mode == LISTEN || mode == CONFIG) &&
	    (mcp2515_peek(b->m, R_TEC) || mcp2515_peek(b->m, R_REC) || (eflg & 0x3f)))
		return "counters that are off";
	if (!!(eflg & E_TXEP) != (mode != LISTEN && mode != CONFIG && n->tec > 127))
		return "TXEP";
	if (!!(rxb0 & 4) != !!(rxb0 & 2))
		return "BUKT1";
	if (s->rx_valid != s->rx_stored[0] + s->rx_stored[1] + s->rx_overflow[0] +
			   s->rx_overflow[1] + s->rx_filtered)
		return "a frame is neither stored nor lost";
	for (i = 0; i < MCP2515_INSTRUCTIONS; i++)
		sum += s->instructions[i];
	if (sum > s->spi_selects || s->ignored > s->spi_bytes)
		return "SPI counters";
	return NULL;
}

static void play(uint64_t seed, unsigned int steps)
{
	static const uint32_t crystal[] = { 8000000, 16000000, 20000000 };
	struct mcp2515_config config = { 0 };
	const char *what, *first = NULL;
	struct bench *b;
	unsigned int i;

	rng = seed * 0x9e3779b97f4a7c15ull + 1;
	config.type = below(3);
	config.osc_hz = crystal[below(3)];
	config.switches = below(2) ? rnd() & 0x1f0f : 0;
	config.mode_delay_ns = below(4) ? 0 : below(MS);
	b = bench_config(&config);
	set_up(b);
	for (i = 0; i < steps; i++) {
		step(b);
		what = wrong(b);
		if (what && !first) {
			first = what;
			printf("# seed %llu, step %u: %s\n", (unsigned long long)seed, i, what);
		}
	}
	ok(!first, "seed %llu: type %u, switches %x: %u steps, %llu received, %llu sent, %llu errors",
	   (unsigned long long)seed, config.type, config.switches, steps,
	   (unsigned long long)mcp2515_stats(b->m)->rx_valid,
	   (unsigned long long)mcp2515_stats(b->m)->tx_sent,
	   (unsigned long long)mcp2515_stats(b->m)->tx_errors);
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
