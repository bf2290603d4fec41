// SPDX-License-Identifier: GPL-2.0-only
/* What `--boardopt name=value` says about the board rpi. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rpi_options.h"

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

static bool set_slave(struct rpi_options *o, unsigned int n, const char *kind)
{
	static const char *const kinds[] = {
		"loopback", "memory", "dead", "none", "mcp2515", "mcp2510", "mcp25625",
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kind, kinds[i]))
			continue;
		o->slave[n] = kinds[i];
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
	{ "int", "separate or shared" },
	{ "can1-peer", "a file" },
	{ "speed", "what the device tree says of the CAN controllers' SPI clock, Hz" },
};

/* Of the CAN controllers; the speed is for the device tree only. */
static bool take_can_option(struct rpi_can_options *o, const char *name, const char *v)
{
	uint32_t n = 0;

	if (!strcmp(name, "osc"))
		return parse_u32(v, RPI_CLOCK_MIN, 40000000, &o->osc);
	if (!strcmp(name, "crystal"))
		return parse_u32(v, RPI_CLOCK_MIN, 40000000, &o->crystal);
	if (!strcmp(name, "can-errata"))
		return rpi_can_errata(o, v);
	if (!parse_u32(v, 0, UINT32_MAX, &n))
		return false;
	if (!strcmp(name, "mode-delay"))
		o->chip.mode_delay_ns = n;
	return true;
}

static bool take_option(struct rpi_options *o, const char *name, const char *v)
{
	struct bcm2835_alias *ram = &o->soc.alias[0];

	if (!strcmp(name, "slave"))
		return set_slave(o, 0, v) && set_slave(o, 1, v);
	if (!strcmp(name, "slave0"))
		return set_slave(o, 0, v);
	if (!strcmp(name, "slave1"))
		return set_slave(o, 1, v);
	if (!strcmp(name, "clock"))
		return parse_u32(v, RPI_CLOCK_MIN, RPI_CLOCK_MAX, &o->clock);
	if (!strcmp(name, "core"))
		return parse_u32(v, RPI_CLOCK_MIN, RPI_CLOCK_MAX, &o->core);
	if (!strcmp(name, "alias"))
		return parse_u32(v, RPI_GUEST_RAM, UINT32_MAX, &ram->bus) &&
		       (ram->bus == 0xc0000000 || ram->bus == 0x40000000);
	if (!strcmp(name, "window"))
		return parse_u32(v, 0x100000, 0x40000000, &ram->size);
	if (!strcmp(name, "chip"))
		return parse_chip(&o->soc, v);
	if (!strcmp(name, "errata"))
		return parse_errata(&o->soc, v);
	if (!strcmp(name, "int")) {
		o->shared_int = !strcmp(v, "shared");
		return o->shared_int || !strcmp(v, "separate");
	}
	if (!strcmp(name, "can1-peer")) {
		o->can1_peer = v;
		return *v;
	}
	if (strcmp(name, "broken"))
		return take_can_option(&o->can, name, v);
	o->no_clock = true;
	return !strcmp(v, "no-clock");
}

bool rpi_parse_options(struct rpi_options *o, const struct board_option *option, size_t count,
		       char *err, size_t errlen)
{
	const size_t known = sizeof(options_known) / sizeof(options_known[0]);

	for (size_t i = 0; i < count; i++) {
		size_t k;

		for (k = 0; k < known; k++)
			if (!strcmp(option[i].name, options_known[k].name))
				break;
		if (k == known) {
			snprintf(err, errlen,
				 "board rpi has no option '%s' (it has slave, slave0, slave1, clock, core, alias, window, chip, errata, broken, osc, crystal, can-errata, mode-delay, int, can1-peer, speed)",
				 option[i].name);
			return false;
		}
		if (!take_option(o, option[i].name, option[i].value)) {
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
