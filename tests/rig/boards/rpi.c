// SPDX-License-Identifier: GPL-2.0-only
/*
 * The peripherals of a Raspberry Pi that an SPI driver needs (SPI0, DMA, GPIO,
 * interrupt controller, system timer: tests/model/bcm2835_soc.h) behind BAR 0 of a
 * test PCI function, and a slave at each of the two chip selects. The guest's
 * device tree, tests/rig/dts/rpi.dtsi, has them at 0x7E000000 as on the chip.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rpi_bus.h"
#include "rpi_options.h"
#include "spi_slaves.h"

#define SLAVES	RPI_SLAVES

/* What `rigctl board COMMAND ARG` can do. */
enum {
	RPI_CORE_HZ = 1,	/* another core clock; nobody is told */
	RPI_GPIO,		/* pin ARG & 0xff is driven to ARG >> 8 & 1 */
	RPI_DMA_FAULT,		/* channel ARG & 0xff, enum bcm2835_dma_fault ARG >> 8 & 0xff,
				 * at block ARG >> 16 from now on
				 */
	RPI_SPI_ERRATA,		/* BCM2835_SPI_...: from now on exactly these */
	RPI_DMA_ERRATA,		/* BCM2835_DMA_... */
	RPI_MEMORY,		/* the byte at ARG & 0xffff of the memory at chip select ARG >> 16 */
	RPI_FAULTS,		/* what the checker of chip select ARG has found */
	RPI_GPIO_LEVEL,		/* of pin ARG */
	RPI_CAN_INT,		/* of the chip at chip select ARG >> 8: enum rpi_can_int ARG & 0xff */
	RPI_CAN_PEEK,		/* its register ARG & 0xff */
	RPI_CAN_POKE,		/* ... becomes ARG >> 16 */
	RPI_CAN_SO,		/* enum rpi_can_so ARG & 0xff */
	RPI_CAN_FLIP,		/* of every (ARG & 0xff) * 1000 SPI bytes one has a wrong bit */
	RPI_BUS_SIGNAL,		/* signal ARG for the peer on the second bus */
	RPI_BUS_GET,		/* enum rpi_bus_value ARG of it */
};

/* A slave, watched by a checker. */
struct rpi_slave {
	const char *kind;
	struct spi_slave *inner;	/* of a kind of spi_slaves.h */
	struct rpi_can *can;		/* or a CAN controller */
	struct spi_checker *checker;
};

/*
 * Pauses between two chip selects that are so short that the second message must
 * have been waiting for the first. The bus counts all of them.
 */
#define SHORT_GAP_NS	100000u

struct rpi {
	struct board board;
	struct sim *sim;
	struct bcm2835_soc *soc;
	struct rpi_slave slave[SLAVES];
	struct rpi_bus *bus;		/* the second one, or NULL */
	unsigned int selected;		/* chip selects that are active, one bit each */
	uint64_t deselected;		/* when the last one went away; 0: never */
	struct spi_span short_gap;
};

static const unsigned int slave_pin[SLAVES] = { BCM2835_PIN_CE0, BCM2835_PIN_CE1 };
/* INT of a CAN controller there, as the boards of the overlays mcp2515-can0 and -can1 have it */
static const unsigned int int_pin[SLAVES] = { 25, 24 };

/* Chip select times that about every chip can do with, ns. */
static const struct spi_checker_limits limits = {
	.setup_ns = 50,
	.hold_ns = 50,
	.disable_ns = 50,
};

static struct rpi *to_rpi(struct board *board)
{
	return (struct rpi *)board;
}

static void rpi_irq(void *arg, bool level)
{
	struct rpi *b = arg;

	sim_set_irq(b->sim, 0, level);
}

static void count_gap(struct spi_span *s, uint64_t ns)
{
	if (!s->count++ || ns < s->min)
		s->min = ns;
	if (ns > s->max)
		s->max = ns;
	s->sum += ns;
}

static void rpi_gpio(void *arg, unsigned int n, bool level)
{
	struct rpi *b = arg;

	for (unsigned int i = 0; i < SLAVES; i++) {
		unsigned int before = b->selected;
		uint64_t now = b->sim->now;

		if (n != slave_pin[i])
			continue;
		b->selected = level ? before & ~(1u << i) : before | 1u << i;
		if (!before && b->selected && b->deselected &&
		    now - b->deselected < SHORT_GAP_NS)
			count_gap(&b->short_gap, now - b->deselected);
		if (before && !b->selected)
			b->deselected = now;
	}
}

static const struct bcm2835_soc_ops soc_ops = {
	.irq = rpi_irq,
	.gpio = rpi_gpio,
};

/* Life cycle */

static struct spi_slave *new_slave(const char *kind)
{
	if (!strcmp(kind, "loopback"))
		return spi_loopback_new();
	if (!strcmp(kind, "memory"))
		return spi_memory_new();
	if (!strcmp(kind, "dead"))
		return spi_dead_new(0xff);
	return NULL;
}

static void attach_slave(struct rpi *b, struct canbus *bus, const struct rpi_options *o,
			 unsigned int n)
{
	struct rpi_slave *s = &b->slave[n];
	enum mcp2515_type type;

	s->kind = o->slave[n];
	if (rpi_can_type(s->kind, &type))
		s->can = rpi_can_new(b->sim, bus, b->soc, &o->can, type, int_pin[n]);
	else
		s->inner = new_slave(s->kind);
	if (!s->can && !s->inner)
		return;
	s->checker = spi_checker_new(b->sim, &limits,
				     s->can ? rpi_can_slave(s->can) : s->inner);
	bcm2835_soc_attach(b->soc, slave_pin[n], spi_checker_slave(s->checker));
}

static struct board *rpi_create(struct sim *sim, struct canbus *bus,
				const struct board_option *options, size_t count, char *err,
				size_t errlen)
{
	struct rpi_options o = {
		.clock = 250000000,
		.can = { .osc = RPI_CAN_OSC },
		.slave = { "loopback", "loopback" },
		.soc = {
			.alias = { { 0xc0000000, RPI_GUEST_RAM, 0x20000000 } },
			.spi_errata = BCM2835_SPI_SILICON,
			.intc_edge = true,
		},
	};
	struct rpi *b = calloc(1, sizeof(*b));

	if (!b)
		abort();
	b->board.type = &board_rpi;
	b->sim = sim;
	if (!rpi_parse_options(&o, options, count, err, errlen)) {
		free(b);
		return NULL;
	}
	if (o.can1_peer) {
		b->bus = rpi_bus_new(sim, o.can1_peer, err, errlen);
		if (!b->bus) {
			free(b);
			return NULL;
		}
	}
	b->soc = bcm2835_soc_new(sim, &o.soc, &soc_ops, b);
	for (unsigned int n = 0; n < SLAVES; n++)
		attach_slave(b, n && b->bus ? rpi_bus_can(b->bus) : bus, &o, n);
	if (o.shared_int && b->slave[0].can && b->slave[1].can)
		rpi_can_share_int(b->slave[0].can, b->slave[1].can);
	return &b->board;
}

static void rpi_destroy(struct board *board)
{
	struct rpi *b = to_rpi(board);

	bcm2835_soc_free(b->soc);
	for (unsigned int n = 0; n < SLAVES; n++) {
		if (b->slave[n].checker)
			spi_checker_free(b->slave[n].checker);
		if (b->slave[n].inner)
			spi_slave_free(b->slave[n].inner);
		rpi_can_free(b->slave[n].can);
	}
	rpi_bus_free(b->bus);
	free(b);
}

static void rpi_reset(struct board *board)
{
	bcm2835_soc_reset(to_rpi(board)->soc);
}

static uint64_t rpi_read(struct board *board, unsigned int bar, uint64_t off, unsigned int size)
{
	return bar ? 0 : bcm2835_soc_read(to_rpi(board)->soc, (uint32_t)off, size);
}

static void rpi_write(struct board *board, unsigned int bar, uint64_t off, unsigned int size,
		      uint64_t value)
{
	if (!bar)
		bcm2835_soc_write(to_rpi(board)->soc, (uint32_t)off, size, value);
}

static void rpi_counters(struct board *board, FILE *out)
{
	struct rpi *b = to_rpi(board);

	bcm2835_soc_counters(b->soc, out);
	fprintf(out, "\"short_gaps\": {\"count\": %" PRIu64 ", \"min\": %" PRIu64
		", \"max\": %" PRIu64 ", \"sum\": %" PRIu64 "}, ", b->short_gap.count,
		b->short_gap.min, b->short_gap.max, b->short_gap.sum);
	for (unsigned int n = 0; n < SLAVES; n++) {
		if (b->slave[n].checker)
			spi_checker_counters(b->slave[n].checker, n ? "cs1_" : "cs0_", out);
		if (b->slave[n].can)
			rpi_can_counters(b->slave[n].can, n ? "cs1_" : "cs0_", out);
	}
	if (b->bus)
		rpi_bus_counters(b->bus, out);
}

static void rpi_counters_reset(struct board *board)
{
	struct rpi *b = to_rpi(board);

	bcm2835_soc_counters_reset(b->soc);
	b->short_gap = (struct spi_span){ 0 };
	for (unsigned int n = 0; n < SLAVES; n++) {
		if (b->slave[n].checker)
			spi_checker_reset(b->slave[n].checker);
		if (b->slave[n].can)
			rpi_can_counters_reset(b->slave[n].can);
	}
	if (b->bus)
		rpi_bus_counters_reset(b->bus);
}

static uint32_t memory_byte(const struct rpi *b, uint32_t arg)
{
	unsigned int n = arg >> 16 & 1;

	if (!b->slave[n].inner || strcmp(b->slave[n].kind, "memory"))
		return UINT32_MAX;
	return spi_memory_data(b->slave[n].inner)[arg & 0xffff];
}

static uint32_t can_command(struct rpi *b, uint32_t command, uint32_t arg)
{
	unsigned int n = arg >> 8 & 0xff, what = arg & 0xff;
	struct rpi_can *can = n < SLAVES ? b->slave[n].can : NULL;

	if (!can)
		return UINT32_MAX;
	switch (command) {
	case RPI_CAN_PEEK:
		return mcp2515_peek(rpi_can_chip(can), what);
	case RPI_CAN_POKE:
		mcp2515_poke(rpi_can_chip(can), what, arg >> 16);
		return 0;
	case RPI_CAN_SO:
		if (what >= RPI_CAN_SO_COUNT)
			return UINT32_MAX;
		rpi_can_so(can, what);
		return 0;
	case RPI_CAN_FLIP:
		rpi_can_flip(can, what * 1000);
		return 0;
	default:
		if (what >= RPI_CAN_INT_COUNT)
			return UINT32_MAX;
		rpi_can_int(can, what);
		return 0;
	}
}

static uint32_t rpi_command(struct board *board, uint32_t command, uint32_t arg)
{
	struct rpi *b = to_rpi(board);

	switch (command) {
	case RPI_CORE_HZ:
		if (arg < RPI_CLOCK_MIN || arg > RPI_CLOCK_MAX)
			return UINT32_MAX;
		bcm2835_soc_set_core_hz(b->soc, arg);
		return 0;
	case RPI_GPIO:
		if ((arg & 0xff) >= BCM2835_GPIO_LINES)
			return UINT32_MAX;
		bcm2835_soc_gpio_input(b->soc, arg & 0xff, arg >> 8 & 1);
		return 0;
	case RPI_DMA_FAULT:
		if ((arg & 0xff) >= BCM2835_DMA_CHANNELS ||
		    (arg >> 8 & 0xff) > BCM2835_DMA_FAULT_HANG_WRITES)
			return UINT32_MAX;
		bcm2835_dma_fault(bcm2835_soc_dma(b->soc), arg & 0xff,
				  (enum bcm2835_dma_fault)(arg >> 8 & 0xff), arg >> 16);
		return 0;
	case RPI_SPI_ERRATA:
		bcm2835_spi_set_errata(bcm2835_soc_spi(b->soc), arg);
		return 0;
	case RPI_DMA_ERRATA:
		bcm2835_dma_set_errata(bcm2835_soc_dma(b->soc), arg);
		return 0;
	case RPI_MEMORY:
		return memory_byte(b, arg);
	case RPI_FAULTS:
		return arg < SLAVES && b->slave[arg].checker ?
			(uint32_t)spi_checker_total(b->slave[arg].checker) : UINT32_MAX;
	case RPI_GPIO_LEVEL:
		return arg < BCM2835_GPIO_LINES && bcm2835_soc_gpio_level(b->soc, arg);
	case RPI_CAN_INT:
	case RPI_CAN_PEEK:
	case RPI_CAN_POKE:
	case RPI_CAN_SO:
	case RPI_CAN_FLIP:
		return can_command(b, command, arg);
	case RPI_BUS_SIGNAL:
		if (b->bus)
			rpi_bus_signal(b->bus, arg);
		return b->bus ? 0 : UINT32_MAX;
	case RPI_BUS_GET:
		return b->bus ? rpi_bus_value(b->bus, arg) : UINT32_MAX;
	default:
		return UINT32_MAX;
	}
}

const struct board_type board_rpi = {
	.name = "rpi",
	.about = "Raspberry Pi: SPI0, DMA and GPIO of a BCM2835 with two SPI slaves",
	.vendor = 0x1234,
	.device = 0x2835,
	.class = 0xff0000,
	.bar_size = { BCM2835_SOC_SIZE },
	.msi = true,
	.create = rpi_create,
	.destroy = rpi_destroy,
	.reset = rpi_reset,
	.read = rpi_read,
	.write = rpi_write,
	.counters = rpi_counters,
	.counters_reset = rpi_counters_reset,
	.command = rpi_command,
};
