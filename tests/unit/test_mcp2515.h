/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A bench for the tests of the MCP2515 model: a chip with a 16 MHz crystal, an SPI master that
 * clocks its bytes at 10 MHz, a bus, and a second node that sends what it is given and notes
 * what it hears.
 */
#ifndef TEST_MCP2515_H
#define TEST_MCP2515_H

#include <stdarg.h>
#include <string.h>

#include "bus_probe.h"
#include "mcp2515.h"

#define US	1000ull
#define MS	1000000ull
#define BYTE_NS	800

/* Instructions, registers and bits from the data sheet, not from the model. */
#define I_RESET		0xc0
#define I_READ		0x03
#define I_WRITE		0x02
#define I_BITS		0x05
#define I_STATUS	0xa0
#define I_RX_STATUS	0xb0
#define I_RTS(mask)	(0x80 | (mask))
#define I_READ_RX(n)	(0x90 | (n) << 2)
#define I_READ_RXD(n)	(0x92 | (n) << 2)
#define I_LOAD(n)	(0x40 | (n) << 1)
#define I_LOADD(n)	(0x41 | (n) << 1)

enum {
	R_BFPCTRL = 0x0c, R_TXRTSCTRL = 0x0d, R_CANSTAT = 0x0e, R_CANCTRL = 0x0f,
	R_TEC = 0x1c, R_REC = 0x1d, R_RXM0 = 0x20, R_RXM1 = 0x24,
	R_CNF3 = 0x28, R_CNF2 = 0x29, R_CNF1 = 0x2a,
	R_CANINTE = 0x2b, R_CANINTF = 0x2c, R_EFLG = 0x2d,
	R_TXB0 = 0x30, R_TXB1 = 0x40, R_TXB2 = 0x50, R_RXB0 = 0x60, R_RXB1 = 0x70,
};

enum { F_RX0 = 1, F_RX1 = 2, F_TX0 = 4, F_TX1 = 8, F_TX2 = 16, F_ERR = 32, F_WAK = 64,
       F_MERR = 128 };
enum { E_WARN = 1, E_RXWAR = 2, E_TXWAR = 4, E_RXEP = 8, E_TXEP = 16, E_BO = 32, E_RX0OVR = 64,
       E_RX1OVR = 128 };
enum { NORMAL = 0x00, SLEEP = 0x20, LOOPBACK = 0x40, LISTEN = 0x60, CONFIG = 0x80 };
enum { ABTF = 0x40, MLOA = 0x20, TXERR = 0x10, TXREQ = 0x08 };
#define BUKT	0x04
#define RXM_ALL	0x60

struct bench {
	struct sim sim;
	struct canbus *bus;
	struct mcp2515 *m;
	struct spi_slave *spi;
	struct spi_clock clock;
	struct probe peer;
	struct mcp2515_config config;
	bool level[MCP2515_PIN_COUNT];
	unsigned int fell[MCP2515_PIN_COUNT];
	uint64_t changed_at[MCP2515_PIN_COUNT];
};

static inline void bench_pin(void *arg, enum mcp2515_pin pin, bool high)
{
	struct bench *b = arg;

	b->fell[pin] += b->level[pin] && !high;
	b->level[pin] = high;
	b->changed_at[pin] = b->sim.now;
}

static inline void run(struct bench *b, uint64_t ns)
{
	sim_advance(&b->sim, b->sim.now + ns);
}

static inline struct bench *bench_config(const struct mcp2515_config *config)
{
	struct bench *b = calloc(1, sizeof(*b));

	if (!b)
		abort();
	sim_init(&b->sim, NULL, NULL);
	b->bus = canbus_new(&b->sim);
	b->config = *config;
	if (!b->config.osc_hz)
		b->config.osc_hz = 16000000;
	memset(b->level, true, sizeof(b->level));
	b->level[MCP2515_PIN_SOF] = false;
	b->m = mcp2515_new(&b->sim, b->bus, &b->config, bench_pin, b);
	b->spi = mcp2515_slave(b->m);
	b->clock.half_ps = 50000;
	probe_init(&b->peer, &b->sim, b->bus, "peer");
	canbus_node_start(&b->peer.node);
	run(b, 200 * US);
	return b;
}

static inline void bench_free(struct bench *b)
{
	mcp2515_free(b->m);
	canbus_free(b->bus);
	sim_free(&b->sim);
	free(b);
}

static inline void bench_select(struct bench *b)
{
	b->spi->ops->cs(b->spi->arg, true);
}

static inline void bench_deselect(struct bench *b)
{
	b->spi->ops->cs(b->spi->arg, false);
	run(b, 100);
}

static inline uint8_t bench_byte(struct bench *b, uint8_t mosi)
{
	uint8_t miso = b->spi->ops->byte_start(b->spi->arg, &b->clock);

	run(b, BYTE_NS);
	b->spi->ops->byte_end(b->spi->arg, mosi, 8);
	return miso;
}

/* One instruction of @len bytes; what came back is put into @buf. */
static inline void bench_spi(struct bench *b, uint8_t *buf, unsigned int len)
{
	unsigned int i;

	bench_select(b);
	for (i = 0; i < len; i++)
		buf[i] = bench_byte(b, buf[i]);
	bench_deselect(b);
}

#define SPI(b, ...) do {						\
	uint8_t spi_[] = { __VA_ARGS__ };				\
	bench_spi(b, spi_, sizeof(spi_));				\
} while (0)

static inline uint8_t rd(struct bench *b, uint8_t addr)
{
	uint8_t buf[3] = { I_READ, addr, 0 };

	bench_spi(b, buf, 3);
	return buf[2];
}

static inline void wr(struct bench *b, uint8_t addr, uint8_t value)
{
	SPI(b, I_WRITE, addr, value);
}

static inline void bits(struct bench *b, uint8_t addr, uint8_t mask, uint8_t value)
{
	SPI(b, I_BITS, addr, mask, value);
}

static inline uint8_t quick(struct bench *b, uint8_t instruction)
{
	uint8_t buf[2] = { instruction };

	bench_spi(b, buf, 2);
	return buf[1];
}

/* 1 Mbit/s, both buffers take anything, RXB0 rolls over. */
static inline void bench_mode(struct bench *b, uint8_t mode)
{
	SPI(b, I_WRITE, R_CNF3, 0x01, 0x91, 0x00);
	wr(b, R_RXB0, RXM_ALL | BUKT);
	wr(b, R_RXB1, RXM_ALL);
	wr(b, R_CANCTRL, mode);
	run(b, 20 * US);
}

/* In Normal mode, with these @switches of the model. */
static inline struct bench *bench_up(unsigned int switches)
{
	struct bench *b = bench_config(&(struct mcp2515_config){ .switches = switches });

	bench_mode(b, NORMAL);
	return b;
}

/* Fill a transmit buffer; no request. */
static inline void load(struct bench *b, unsigned int n, uint16_t id, uint8_t dlc)
{
	SPI(b, I_LOAD(n), id >> 3, (id & 7) << 5, 0, 0, dlc, 1, 2, 3, 4, 5, 6, 7, 8);
}

static inline void peer_sends(struct bench *b, uint32_t id)
{
	probe_send(&b->peer, (struct canbus_frame){ .id = id, .dlc = 1, .data = { id } });
}

/* Has the peer send one and waits until it is through. */
static inline void receive(struct bench *b, uint32_t id)
{
	peer_sends(b, id);
	run(b, 100 * US);
}

static inline uint16_t rx_id(struct bench *b, unsigned int n)
{
	return rd(b, R_RXB0 + 16 * n + 1) << 3 | rd(b, R_RXB0 + 16 * n + 2) >> 5;
}

#endif
