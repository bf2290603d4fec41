// SPDX-License-Identifier: GPL-2.0-only
/*
 * The peripherals of a Raspberry Pi that an SPI driver needs (SPI0, DMA, GPIO,
 * interrupt controller, system timer: tests/model/bcm2835_soc.h) behind BAR 0 of a
 * test PCI function, and a slave at each of the two chip selects. The guest's
 * device tree, tests/rig/dts/rpi.dtsi, has them at 0x7E000000 as on the chip.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bcm2835_soc.h"
#include "boards.h"
#include "rpi_can.h"
#include "spi_slaves.h"

#define GUEST_RAM	0x40000000u	/* of QEMU's virt machine */
#define SLAVES		2

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
	RPI_CAN_REGISTER,	/* ARG & 0xff of the chip at chip select ARG >> 8, by itself */
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

/* Options */

static const struct {
	const char *name;
	unsigned int spi, dma;
} errata[] = {
	{ "none", 0, 0 },
	{ "silicon", BCM2835_SPI_SILICON, 0 },
	{ "done-stays", BCM2835_SPI_ERRATUM_DONE_STAYS, 0 },
	{ "dreq-after-end", BCM2835_SPI_ERRATUM_DREQ_AFTER_END, 0 },
	{ "frame-end-clears-ta", BCM2835_SPI_FRAME_END_CLEARS_TA, 0 },
	{ "int-lost", 0, BCM2835_DMA_ERRATUM_INT_LOST },
	{ "late-writes", 0, BCM2835_DMA_LATE_WRITES },
};

#define ERRATA	(sizeof(errata) / sizeof(errata[0]))

/* "a+b+c" */
static bool parse_errata(struct bcm2835_soc_config *c, const char *text)
{
	c->spi_errata = 0;
	c->dma_errata = 0;
	while (*text) {
		size_t len = strcspn(text, "+"), i;

		for (i = 0; i < ERRATA; i++)
			if (strlen(errata[i].name) == len && !strncmp(text, errata[i].name, len))
				break;
		if (i == ERRATA)
			return false;
		c->spi_errata |= errata[i].spi;
		c->dma_errata |= errata[i].dma;
		text += len;
		text += *text == '+';
	}
	return true;
}

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

static bool set_slave(struct rpi *b, unsigned int n, const char *kind)
{
	static const char *const kinds[] = {
		"loopback", "memory", "dead", "none", "mcp2515", "mcp2510", "mcp25625",
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kind, kinds[i]))
			continue;
		b->slave[n].kind = kinds[i];
		return true;
	}
	return false;
}

static bool parse_u32(const char *text, uint32_t min, uint32_t max, uint32_t *value)
{
	unsigned long long v;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	v = strtoull(text, &end, 0);
	if (*end || errno || v < min || v > max)
		return false;
	*value = (uint32_t)v;
	return true;
}

static bool parse_chip(struct bcm2835_soc_config *c, const char *text)
{
	c->bcm2711 = !strcmp(text, "bcm2711");
	return c->bcm2711 || !strcmp(text, "bcm2835");
}

#define CLOCK_MIN	1000000u
#define CLOCK_MAX	1000000000u

#define KINDS	"loopback, memory, dead, none, " RPI_CAN_KINDS

static const struct rpi_option {
	const char *name;
	const char *wanted;
} options_known[] = {
	{ "slave", KINDS },
	{ "slave0", KINDS },
	{ "slave1", KINDS },
	{ "clock", "what the device tree says of the core clock, Hz" },
	{ "core", "what it really is at first, Hz" },
	{ "alias", "bus address of RAM: 0xc0000000 or 0x40000000" },
	{ "window", "bytes of RAM that the DMA reaches, 0x40000000 at most" },
	{ "chip", "bcm2835 or bcm2711" },
	{ "errata",
	  "none, silicon, done-stays, dreq-after-end, frame-end-clears-ta, int-lost, late-writes, joined by +" },
	{ "broken", "no-clock" },
	{ "osc", "what the device tree says of the CAN controllers' crystal, Hz" },
	{ "crystal", "what it really is, Hz" },
	{ "can-errata", RPI_CAN_ERRATA },
	{ "mode-delay", "ns that a CAN controller's change of mode takes at least" },
	{ "speed", "what the device tree says of the CAN controllers' SPI clock, Hz" },
};

struct rpi_options {
	struct bcm2835_soc_config soc;
	uint32_t clock;
	uint32_t core;
	bool no_clock;
	struct rpi_can_options can;
};

/* Of the CAN controllers; the speed is for the device tree only. */
static bool take_can_option(struct rpi_can_options *o, const char *name, const char *v)
{
	uint32_t n = 0;

	if (!strcmp(name, "osc"))
		return parse_u32(v, CLOCK_MIN, 40000000, &o->osc);
	if (!strcmp(name, "crystal"))
		return parse_u32(v, CLOCK_MIN, 40000000, &o->crystal);
	if (!strcmp(name, "can-errata"))
		return rpi_can_errata(o, v);
	if (!parse_u32(v, 0, UINT32_MAX, &n))
		return false;
	if (!strcmp(name, "mode-delay"))
		o->chip.mode_delay_ns = n;
	return true;
}

static bool take_option(struct rpi *b, struct rpi_options *o, const char *name, const char *v)
{
	struct bcm2835_alias *ram = &o->soc.alias[0];

	if (!strcmp(name, "slave"))
		return set_slave(b, 0, v) && set_slave(b, 1, v);
	if (!strcmp(name, "slave0"))
		return set_slave(b, 0, v);
	if (!strcmp(name, "slave1"))
		return set_slave(b, 1, v);
	if (!strcmp(name, "clock"))
		return parse_u32(v, CLOCK_MIN, CLOCK_MAX, &o->clock);
	if (!strcmp(name, "core"))
		return parse_u32(v, CLOCK_MIN, CLOCK_MAX, &o->core);
	if (!strcmp(name, "alias"))
		return parse_u32(v, GUEST_RAM, UINT32_MAX, &ram->bus) &&
		       (ram->bus == 0xc0000000 || ram->bus == 0x40000000);
	if (!strcmp(name, "window"))
		return parse_u32(v, 0x100000, 0x40000000, &ram->size);
	if (!strcmp(name, "chip"))
		return parse_chip(&o->soc, v);
	if (!strcmp(name, "errata"))
		return parse_errata(&o->soc, v);
	if (strcmp(name, "broken"))
		return take_can_option(&o->can, name, v);
	o->no_clock = true;
	return !strcmp(v, "no-clock");
}

static bool parse_options(struct rpi *b, struct rpi_options *o, const struct board_option *option,
			  size_t count, char *err, size_t errlen)
{
	const size_t known = sizeof(options_known) / sizeof(options_known[0]);

	for (size_t i = 0; i < count; i++) {
		size_t k;

		for (k = 0; k < known; k++)
			if (!strcmp(option[i].name, options_known[k].name))
				break;
		if (k == known) {
			snprintf(err, errlen,
				 "board rpi has no option '%s' (it has slave, slave0, slave1, clock, core, alias, window, chip, errata, broken, osc, crystal, can-errata, mode-delay, speed)",
				 option[i].name);
			return false;
		}
		if (!take_option(b, o, option[i].name, option[i].value)) {
			snprintf(err, errlen, "%s=%s: wanted %s", option[i].name, option[i].value,
				 options_known[k].wanted);
			return false;
		}
	}
	if (o->no_clock)
		o->soc.spi_errata |= BCM2835_SPI_BROKEN_NO_CLOCK;
	o->soc.core_hz = o->core ? o->core : o->clock;
	return true;
}

/* Life cycle */

static void attach_slave(struct rpi *b, struct canbus *bus, const struct rpi_can_options *o,
			 unsigned int n)
{
	struct rpi_slave *s = &b->slave[n];
	enum mcp2515_type type;

	if (rpi_can_type(s->kind, &type))
		s->can = rpi_can_new(b->sim, bus, b->soc, o, type, int_pin[n]);
	else
		s->inner = new_slave(s->kind);
	if (!s->can && !s->inner)
		return;
	s->checker = spi_checker_new(b->sim, &limits,
				     s->can ? mcp2515_slave(rpi_can_chip(s->can)) : s->inner);
	bcm2835_soc_attach(b->soc, slave_pin[n], spi_checker_slave(s->checker));
}

static struct board *rpi_create(struct sim *sim, struct canbus *bus,
				const struct board_option *options, size_t count, char *err,
				size_t errlen)
{
	struct rpi_options o = {
		.clock = 250000000,
		.can = { .osc = RPI_CAN_OSC },
		.soc = {
			.alias = { { 0xc0000000, GUEST_RAM, 0x20000000 } },
			.spi_errata = BCM2835_SPI_SILICON,
			.intc_edge = true,
		},
	};
	struct rpi *b = calloc(1, sizeof(*b));

	if (!b)
		abort();
	b->board.type = &board_rpi;
	b->sim = sim;
	for (unsigned int n = 0; n < SLAVES; n++)
		b->slave[n].kind = "loopback";
	if (!parse_options(b, &o, options, count, err, errlen)) {
		free(b);
		return NULL;
	}
	b->soc = bcm2835_soc_new(sim, &o.soc, &soc_ops, b);
	for (unsigned int n = 0; n < SLAVES; n++)
		attach_slave(b, bus, &o.can, n);
	return &b->board;
}

static void rpi_destroy(struct board *board)
{
	struct rpi *b = to_rpi(board);

	bcm2835_soc_free(b->soc);
	for (unsigned int n = 0; n < SLAVES; n++) {
		if (b->slave[n].checker)
			spi_checker_free(b->slave[n].checker);
		rpi_can_free(b->slave[n].can);
	}
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
			mcp2515_stats_reset(rpi_can_chip(b->slave[n].can));
	}
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
	struct rpi_can *can = arg >> 8 < SLAVES ? b->slave[arg >> 8].can : NULL;

	if (!can)
		return UINT32_MAX;
	if (command == RPI_CAN_REGISTER)
		return mcp2515_peek(rpi_can_chip(can), arg & 0xff);
	if ((arg & 0xff) >= RPI_CAN_INT_COUNT)
		return UINT32_MAX;
	rpi_can_int(can, arg & 0xff);
	return 0;
}

static uint32_t rpi_command(struct board *board, uint32_t command, uint32_t arg)
{
	struct rpi *b = to_rpi(board);

	switch (command) {
	case RPI_CORE_HZ:
		if (arg < CLOCK_MIN || arg > CLOCK_MAX)
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
	case RPI_CAN_REGISTER:
		return can_command(b, command, arg);
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
