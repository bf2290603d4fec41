// SPDX-License-Identifier: GPL-2.0-only
/*
 * canpipe doctor: config.txt of a Raspberry Pi; CAN controllers that did not become an interface
 */

#include "doctor.h"

#include <stdlib.h>
#include <string.h>

const char *doctor_config_txt(const struct system *s)
{
	return s->config.path ? s->config.path : "/boot/firmware/config.txt";
}

/* what guides told people to write into config.txt, and does no good any more */
static const struct {
	const char *overlay;	/* dtoverlay= */
	const char *means;
} recipes[] = {
	{ "spi-bcm2835-overlay",
	  "This overlay has not existed since 2015: the line does nothing." },
	{ "spi-bcm2835",
	  "This overlay has not existed since 2015: the line does nothing." },
	{ "spi0-hw-cs",
	  "It leaves the chip selects to the SPI block, which neither the kernel's driver nor spi-bcm2835dma can use as fast as GPIOs." },
	{ "spi-dma",
	  "This overlay has not existed since 2015: DMA is used anyway." },
};

static void check_recipes(const struct system *s, struct findings *f)
{
	const char *line, *core, *min;
	struct finding *x;
	size_t i, n;

	for (i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++) {
		line = config_overlay(&s->config, recipes[i].overlay);
		n = strlen("dtoverlay=") + strlen(recipes[i].overlay);
		/* a whole name, not the beginning of a longer one */
		if (!line || (line[n] && line[n] != ','))
			continue;
		x = f_add(f, "config-old-recipe", SURE_CERTAIN, NULL);
		f_seen(x, "%s has \"%s\".", s->config.path, line);
		f_means(x, "%s", recipes[i].means);
		f_fix(x, "sudo sed -i 's/^%.*s/#&/' %s", (int)n, line, s->config.path);
	}
	core = config_value(&s->config, "core_freq");
	min = config_value(&s->config, "core_freq_min");
	if (core && (!min || strcmp(core, min) != 0) && atoi(core) < 400) {
		x = f_add(f, "config-old-recipe", SURE_CERTAIN, NULL);
		f_seen(x, "%s has \"core_freq=%s\"%s.", s->config.path, core,
		       min ? " and another core_freq_min" : " and no core_freq_min");
		f_means(x, "It slows the whole machine down and does not keep the SPI clock constant, since the firmware still lowers it. What does is core_freq_min with the same value: 500 on a Pi 4, 400 on older ones.");
		f_fix(x, "sudo sed -i 's/^core_freq=/#&/' %s", s->config.path);
	}
}

static bool has_can_overlay(const struct config *c)
{
	/* the overlays for CAN of the firmware, and ours; any vendor's that say so by their name */
	size_t i;

	for (i = 0; i < c->count; i++)
		if (strncmp(c->lines[i], "dtoverlay=", 10) == 0 &&
		    (strstr(c->lines[i], "mcp251") || strstr(c->lines[i], "can")))
			return true;
	return false;
}

/* what the driver has said last of a device, if that is why it is not bound */
static const char *why(const struct system *s, const char *device)
{
	static const char *const signs[] = {
		"no chip answers", "is no value that the chip has", "it stays in", "has a crystal of",
		"Probe failed", "conf mode", "failed with error", "cannot",
	};
	char *who = xasprintf("mcp251x %s", device);
	const char *line = kmsg_last(&s->log, who, NULL);
	size_t i;

	free(who);
	for (i = 0; line && i < sizeof(signs) / sizeof(signs[0]); i++)
		if (strstr(line, signs[i]))
			return line;
	return NULL;
}

static void check_unbound(const struct system *s, struct findings *f)
{
	const struct module *driver = system_module(s, "mcp251x");
	struct finding *x;
	const char *line;
	size_t i;

	for (i = 0; s->unbound[i]; i++) {
		line = why(s, s->unbound[i]);
		if (!s->mcp251x_there) {
			x = f_add(f, "driver-missing", SURE_CERTAIN, NULL);
			f_seen(x, "The device tree has a CAN controller at %s, and the driver for it, mcp251x, is not loaded%s.",
			       s->unbound[i],
			       driver && driver->file ? "" : " and not there for this kernel");
			f_means(x, "udev loads it when the machine is started, unless it is blacklisted in /etc/modprobe.d.");
			f_fix(x, "sudo modprobe mcp251x");
			continue;
		}
		x = f_add(f, "chip-not-found", line ? SURE_CERTAIN : SURE_LIKELY, NULL);
		f_seen(x, "The device tree has a CAN controller at %s, and no driver is bound to it%s%s",
		       s->unbound[i], line ? "; the kernel says: " : ".", line ? line : "");
		if (line && (strstr(line, "err=16") || strstr(line, "EBUSY") ||
			     strstr(line, "error -16")))
			f_means(x, "Its interrupt or its chip select is in use by something else: two overlays for the same pins, or another driver.");
		else
			f_means(x, "The chip does not answer: no power, a wire is missing, it is at the other chip select, its crystal does not run, or the SPI clock is too fast for the wires.");
		f_fix(x, "sudo sh -c 'modprobe -r mcp251x; modprobe mcp251x; dmesg | grep mcp251x'");
	}
}

void doctor_config(const struct system *s, bool interfaces, struct findings *f)
{
	struct finding *x;

	check_unbound(s, f);
	if (s->config.path) {
		check_recipes(s, f);
		if (!interfaces && !has_can_overlay(&s->config)) {
			x = f_add(f, "overlay-missing", SURE_LIKELY, NULL);
			f_seen(x, "There is no CAN interface, and %s enables no CAN controller.",
			       s->config.path);
			f_means(x, "A HAT with an MCP2515 is not found by itself: the firmware has to be told, with the crystal and the interrupt pin of the board (16 MHz and GPIO 25 in the command).");
			f_fix(x, "sudo canpipe overlay install canpipe-mcp2515,oscillator=16000000,interrupt=25 && sudo reboot");
			return;
		}
	}
	if (!interfaces && !s->unbound[0]) {
		x = f_add(f, "no-interface", SURE_CERTAIN, NULL);
		f_seen(x, "There is no interface of a CAN controller.");
		f_means(x, "The kernel knows of no CAN controller, or has no driver for it: not plugged in, not in the device tree (an overlay is missing), or the driver's module is not there.");
		f_fix(x, "sudo dmesg | grep -i -E 'can|spi'");
	}
}
