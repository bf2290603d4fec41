/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bench for the tests of the C_CAN model: one controller at 8 MHz, set to
 * 1 Mbit/s, a bus, and a second node that sends what it is given and notes what
 * it hears.
 */
#ifndef TEST_C_CAN_H
#define TEST_C_CAN_H

#include <string.h>

#include "c_can.h"
#include "tap.h"

#define BENCH_BTR	0x1400		/* 8 quanta of one clock: 1000 ns */
#define CLOCK_NS	125
#define BIT_NS		1000
#define US		1000ull
#define MS		1000000ull

/* Bits of the registers, from the manuals, not from the model. */
#define INIT	0x01
#define IE	0x02
#define SIE	0x04
#define EIE	0x08
#define DAR	0x20
#define CCE	0x40
#define TEST	0x80
#define RXOK	0x10
#define TXOK	0x08
#define NEWDAT	0x8000
#define MSGLST	0x4000
#define INTPND	0x2000
#define UMASK	0x1000
#define TXIE	0x0800
#define RXIE	0x0400
#define RMTEN	0x0200
#define TXRQST	0x0100
#define EOB	0x0080
#define VALID	0x80000000u
#define XTD	0x40000000u
#define DIR	0x20000000u
#define STD(id)	((uint32_t)(id) << 18)

enum { CMD, MSK, ARB, MCTL, DATA, DATB };	/* words of an IF */

struct seen {
	struct canbus_frame frame;
	uint64_t at;
};

struct bench {
	struct sim sim;
	struct canbus *bus;
	struct c_can_config config;
	struct c_can *c;
	bool line;
	unsigned int edges;
	uint64_t line_at;

	struct canbus_node peer;
	struct canbus_frame queue[256];
	unsigned int head, tail;
	struct seen heard[256];
	unsigned int nheard;
	unsigned int errors;
	unsigned int lost;
};

static bool peer_want_tx(void *arg, struct canbus_frame *frame)
{
	struct bench *b = arg;

	if (b->head == b->tail)
		return false;
	*frame = b->queue[b->tail];
	return true;
}

static void peer_tx_done(void *arg, const struct canbus_frame *frame)
{
	struct bench *b = arg;

	(void)frame;
	b->tail++;
}

static void peer_rx_frame(void *arg, const struct canbus_frame *frame)
{
	struct bench *b = arg;

	if (b->nheard < 256)
		b->heard[b->nheard++] = (struct seen){ *frame, b->sim.now };
}

static void peer_error(void *arg, enum canbus_error error, bool transmitting)
{
	struct bench *b = arg;

	(void)error;
	(void)transmitting;
	b->errors++;
}

static void peer_lost(void *arg)
{
	struct bench *b = arg;

	b->lost++;
}

static const struct canbus_node_ops bench_peer_ops = {
	.want_tx = peer_want_tx,
	.tx_done = peer_tx_done,
	.tx_lost = peer_lost,
	.rx_frame = peer_rx_frame,
	.error = peer_error,
};

static void bench_irq(void *arg, bool level)
{
	struct bench *b = arg;

	b->line = level;
	b->line_at = b->sim.now;
	b->edges += level;
}

static inline struct bench *bench_config(const struct c_can_config *config)
{
	struct bench *b = calloc(1, sizeof(*b));

	if (!b)
		abort();
	b->config = *config;
	sim_init(&b->sim, NULL, NULL);
	b->bus = canbus_new(&b->sim);
	b->c = c_can_new(&b->sim, b->bus, config, bench_irq, b);
	b->peer.name = "peer";
	b->peer.ops = &bench_peer_ops;
	b->peer.arg = b;
	b->peer.bit_ns = BIT_NS;
	canbus_attach(b->bus, &b->peer);
	canbus_node_start(&b->peer);
	return b;
}

static inline struct bench *bench_new(enum c_can_type type, unsigned int objects,
				      unsigned int errata)
{
	struct c_can_config config = {
		.type = type, .objects = objects, .clock_hz = 8000000, .errata = errata,
	};

	return bench_config(&config);
}

static inline void bench_free(struct bench *b)
{
	c_can_free(b->c);
	canbus_free(b->bus);
	sim_free(&b->sim);
	free(b);
}

static inline void run(struct bench *b, uint64_t ns)
{
	sim_advance(&b->sim, b->sim.now + ns);
}

static inline bool d_can(const struct bench *b)
{
	return b->config.type != C_CAN_BOSCH;
}

/* The registers that all have, by their C_CAN offset. */
static inline uint32_t rd(struct bench *b, unsigned int offset)
{
	return d_can(b) ? c_can_read(b->c, offset * 2, 4) : c_can_read(b->c, offset, 2);
}

static inline void wr(struct bench *b, unsigned int offset, uint32_t value)
{
	if (d_can(b))
		c_can_write(b->c, offset * 2, 4, value);
	else
		c_can_write(b->c, offset, 2, value);
}

enum { CTRL = 0, STS = 2, ERRCNT = 4, BTR = 6, INTR = 8, TESTR = 0xa };

/* A word of an IF as the D_CAN has it. */
static inline uint32_t if_rd(struct bench *b, unsigned int i, unsigned int word)
{
	static const uint8_t low[6] = { 0, 4, 8, 0xc, 0xe, 0x12 };
	unsigned int base = i == 1 ? 0x10 : 0x40;
	uint32_t value;

	if (d_can(b))
		return c_can_read(b->c, 0xe0 + i * 0x20 + word * 4, 4);
	value = c_can_read(b->c, base + low[word], 2);
	if (word != MCTL)
		value |= c_can_read(b->c, base + low[word] + 2, 2) << 16;
	return value;
}

static inline void if_wr(struct bench *b, unsigned int i, unsigned int word, uint32_t value)
{
	static const uint8_t low[6] = { 0, 4, 8, 0xc, 0xe, 0x12 };
	unsigned int base = i == 1 ? 0x10 : 0x40;

	if (d_can(b)) {
		c_can_write(b->c, 0xe0 + i * 0x20 + word * 4, 4, value);
		return;
	}
	/* the upper half first: it is the command mask of word CMD */
	if (word != MCTL)
		c_can_write(b->c, base + low[word] + 2, 2, value >> 16);
	c_can_write(b->c, base + low[word], 2, value & 0xffff);
}

static inline bool if_busy(struct bench *b, unsigned int i)
{
	return if_rd(b, i, CMD) & 0x8000;
}

/* Wait for the end of a transfer; false if it does not come. */
static inline bool if_wait(struct bench *b, unsigned int i)
{
	unsigned int n;

	for (n = 0; n < 1000 && if_busy(b, i); n++)
		run(b, CLOCK_NS);
	return n < 1000;
}

static inline void transfer(struct bench *b, unsigned int i, unsigned int mask, unsigned int n)
{
	if_wr(b, i, CMD, mask << 16 | n);
	if_wait(b, i);
}

/* Write a whole object through IF1. */
static inline void object(struct bench *b, unsigned int n, uint32_t arb, uint32_t mask,
			  uint32_t mctrl)
{
	if_wr(b, 1, MSK, mask);
	if_wr(b, 1, ARB, arb);
	if_wr(b, 1, MCTL, mctrl);
	if_wr(b, 1, DATA, 0x03020100u);
	if_wr(b, 1, DATB, 0x07060504u);
	transfer(b, 1, 0xf3, n);
}

/* Read one without changing it. */
static inline uint32_t object_word(struct bench *b, unsigned int n, unsigned int word)
{
	transfer(b, 2, 0x73, n);
	return if_rd(b, 2, word);
}

static inline uint32_t flags(struct bench *b, unsigned int kind)
{
	static const uint8_t d[4] = { 0x88, 0x9c, 0xb0, 0xc4 };

	if (d_can(b))
		return c_can_read(b->c, d[kind], 4);
	return c_can_read(b->c, 0x80 + kind * 0x10, 2) |
	       c_can_read(b->c, 0x82 + kind * 0x10, 2) << 16;
}

enum { F_TXRQST, F_NEWDAT, F_INTPND, F_MSGVAL };

/* Bit timing set, Init off with the given other bits, bus idle. */
static inline void bench_go(struct bench *b, uint32_t ctrl)
{
	wr(b, CTRL, INIT | CCE);
	run(b, 10 * US);
	wr(b, BTR, BENCH_BTR);
	wr(b, CTRL, ctrl);
	run(b, 20 * US);
}

static inline struct canbus_frame std_frame(uint32_t id, uint8_t dlc)
{
	struct canbus_frame f = { .id = id, .dlc = dlc };
	unsigned int i;

	for (i = 0; i < dlc && i < 8; i++)
		f.data[i] = 0x11 * (i + 1);
	return f;
}

/* Let the peer send it. */
static inline void send(struct bench *b, const struct canbus_frame *frame)
{
	b->queue[b->head++] = *frame;
	canbus_node_kick(&b->peer);
}

static inline void send_id(struct bench *b, uint32_t id)
{
	struct canbus_frame f = std_frame(id, 8);

	send(b, &f);
}

/* ... and let time pass until it is through. */
static inline void deliver(struct bench *b, const struct canbus_frame *frame)
{
	send(b, frame);
	run(b, 200 * US);
}

#endif
