// SPDX-License-Identifier: GPL-2.0-only
/*
 * canpipe doctor: controllers on SPI, their clock, their interrupt, their wires
 */

#include "doctor.h"

#include <stdlib.h>
#include <string.h>

/*
 * What the SPI clock must be for a full bus of the shortest frames (48 bits): 20 bytes are sent and
 * received for each of them, and 15 us go by between the messages.
 */
#define BITS_PER_FRAME	(20 * 8)
#define PAUSE_US	15
#define FRAME_BITS	48

static uint32_t needed_hz(uint32_t bitrate)
{
	double us = FRAME_BITS * 1e6 / bitrate - PAUSE_US;

	return BITS_PER_FRAME * 1e6 / us;
}

static void check_too_fast(const struct system *s, const struct watched *w, struct findings *f)
{
	const struct iface_spi *spi = &w->now->spi;
	struct finding *x;

	if (spi->asked_hz <= spi->limit_hz)
		return;
	x = f_add(f, "spi-too-fast", w->now->ours ? SURE_POSSIBLE : SURE_LIKELY, w->now->link->name);
	f_seen(x, "The device tree asks for an SPI clock of %u Hz; %s stands %u Hz.", spi->asked_hz,
	       w->now->compatible, spi->limit_hz);
	if (w->now->ours)
		f_means(x, "canpipe's driver takes %u Hz instead. The kernel's own would take what is asked for, and read wrong bits.",
			spi->limit_hz);
	else
		f_means(x, "Bits are read wrong: identifiers and data change, the driver does not find the chip, or interrupts stop.");
	f_fix(x, "sudo sed -i -E 's/(spimaxfrequency|speed)=[0-9]+/\\1=%u/' %s && sudo reboot",
	      spi->limit_hz, doctor_config_txt(s));
}

/* The core clock when there is little to do, in percent of what it is else; 100: always the same. */
static unsigned int idle_percent(const struct system *s)
{
	const char *turbo = config_value(&s->config, "force_turbo");
	const char *core = config_value(&s->config, "core_freq");
	const char *min = config_value(&s->config, "core_freq_min");

	if (!s->model || !s->config.path || (turbo && strcmp(turbo, "1") == 0) ||
	    (core && min && strcmp(core, min) == 0))
		return 100;
	if (strncmp(s->model, "Raspberry Pi 4", 14) == 0)
		return 40;	/* 200 of 500 MHz */
	if (strncmp(s->model, "Raspberry Pi 3", 14) == 0)
		return 62;	/* 250 of 400 MHz */
	return 100;
}

static void fix_core_clock(struct finding *x, const struct system *s, uint32_t core_hz)
{
	f_fix(x, "printf 'core_freq=%u\\ncore_freq_min=%u\\n' | sudo tee -a %s && sudo reboot",
	      core_hz / 1000000, core_hz / 1000000, doctor_config_txt(s));
}

static void check_too_slow(const struct system *s, const struct watched *w, struct findings *f)
{
	const struct iface_spi *spi = &w->now->spi;
	uint32_t rate = w->bitrate ? w->bitrate : w->now->link->timing.bitrate;
	uint32_t real = spi->real_hz ? spi->real_hz : spi->asked_hz;
	const char *name = w->now->link->name;
	unsigned int percent = idle_percent(s);
	uint32_t need = rate ? needed_hz(rate) : 0;
	struct finding *x;

	if (!need || !real)
		return;
	if (spi->core_now_hz && spi->core_now_hz < spi->core_hz && real < need) {
		/* not by what was asked for, but by a core clock that is low now */
		x = f_add(f, "spi-core-clock", SURE_CERTAIN, name);
		f_seen(x, "The core clock is %u Hz now, the SPI driver counts on %u Hz: SPI runs at %u Hz.",
		       spi->core_now_hz, spi->core_hz, real);
		f_means(x, "The firmware lowers the core clock while there is little to do, and SPI with it. Frames that come without a pause at %u bit/s need %u Hz.",
			rate, need);
		fix_core_clock(x, s, spi->core_hz);
	} else if (real < need) {
		x = f_add(f, "spi-too-slow", SURE_LIKELY, name);
		f_seen(x, "The SPI clock is %u Hz%s.", real, spi->real_hz ? "" : " at most");
		f_means(x, "Frames that come without a pause at %u bit/s need %u Hz: some are lost when they come close together.",
			rate, need);
		f_fix(x, "sudo sed -i -E 's/(spimaxfrequency|speed)=[0-9]+/\\1=%u/' %s && sudo reboot",
		      spi->limit_hz, doctor_config_txt(s));
	} else if (!spi->core_now_hz && spi->core_hz && (uint64_t)real * percent / 100 < need) {
		x = f_add(f, "spi-core-clock", SURE_POSSIBLE, name);
		f_seen(x, "This is a %s, and %s lets the firmware lower the core clock.", s->model,
		       s->config.path);
		f_means(x, "SPI then runs at %u Hz instead of %u while there is little to do. Frames that come without a pause at %u bit/s need %u Hz.",
			(uint32_t)((uint64_t)real * percent / 100), real, rate, need);
		fix_core_clock(x, s, spi->core_hz);
	}
}

static void check_trigger(const struct system *s, const struct watched *w, struct findings *f)
{
	const char *config = doctor_config_txt(s);
	const struct iface *now = w->now;
	enum trigger trigger = now->trigger;
	struct finding *x;

	if (now->ours && now->wanted_trigger != TRIGGER_UNKNOWN)
		trigger = now->wanted_trigger;
	if (trigger != TRIGGER_EDGE)
		return;
	x = f_add(f, "irq-edge", now->ours ? SURE_POSSIBLE : SURE_LIKELY, now->link->name);
	f_seen(x, "The interrupt is triggered by an edge, not by a level.");
	if (now->ours)
		f_means(x, "An edge that comes while the line is low already gets lost. canpipe's driver notices after 10 ms; by then frames may be lost.");
	else
		f_means(x, "An edge that comes while the line is low already gets lost. The kernel's own driver then waits for ever: the interface is dead until it is taken down.");
	f_fix(x, "sudo sh -c 'cp /usr/share/canpipe/overlays/canpipe-mcp2515.dtbo %.*s/overlays/ && sed -i \"s/^dtoverlay=mcp2515-can0/dtoverlay=canpipe-mcp2515/;s/^dtoverlay=mcp2515-can1/dtoverlay=canpipe-mcp2515,ce1/\" %s && reboot'",
	      (int)(strrchr(config, '/') - config), config, config);
}

/* less than that is how long a busy machine may take to serve an interrupt */
#define SERVICE_S	0.05

/* INT of the chip is active, and no interrupt comes of it */
static bool pin_is_stuck(const struct watched *w)
{
	return w->seconds >= SERVICE_S && w->before->irq.pin == 0 && w->now->irq.pin == 0 &&
		w->now->irq.count == w->before->irq.count;
}

static void check_interrupt(const struct watched *w, struct findings *f)
{
	const struct iface *now = w->now;
	const struct link *link = now->link;
	bool moving = now->irq.count != w->before->irq.count;
	bool waiting = w->seconds >= SERVICE_S && link->qdisc_backlog && w->before->link->qdisc_backlog &&
		link->stats.tx_packets == w->before->link->stats.tx_packets;
	uint64_t lost = watched_counter(w, "irq_lost");
	struct finding *x;

	if (!link->up || now->irq.number < 0)
		return;
	if (pin_is_stuck(w) && !watched_counter(w, "irq_storms")) {
		x = f_add(f, "irq-stuck", SURE_CERTAIN, link->name);
		f_seen(x, "The chip's INT is low, and interrupt %d has not come once while that was watched (%lld so far).",
		       now->irq.number, now->irq.count);
		f_means(x, "The chip waits for the driver and the driver for the chip%s: nothing is received or sent any more.",
			now->trigger == TRIGGER_EDGE ? ", as an edge was lost" : "");
	} else if (lost && !now->irq.count) {
		x = f_add(f, "irq-dead", SURE_CERTAIN, link->name);
		f_seen(x, "The chip had something for the driver %llu times, and interrupt %d has never come.",
		       (unsigned long long)lost, now->irq.number);
		f_means(x, "INT of the chip is not wired to the pin that the device tree names: see interrupt= of the overlay and the papers of the board. The driver looks every 10 ms instead, and loses frames.");
	} else if (watched_growth(w, "irq_lost")) {
		x = f_add(f, "irq-lost", SURE_LIKELY, link->name);
		f_seen(x, "%llu interrupts did not come while this was watched (%llu so far).",
		       (unsigned long long)watched_growth(w, "irq_lost"), (unsigned long long)lost);
		f_means(x, "The interrupt is triggered by an edge, or INT has a bad contact. The driver makes up for it after 10 ms, too late for the frames of a busy bus.");
	} else if (waiting && !moving && link->state < CAN_STATE_ERROR_PASSIVE) {
		x = f_add(f, "irq-silent", SURE_LIKELY, link->name);
		f_seen(x, "%u frames wait to be sent, none was, and interrupt %d has not come once (%lld so far).",
		       link->qdisc_backlog, now->irq.number, now->irq.count);
		f_means(x, "INT of the chip is not wired to the pin that the device tree names, or an interrupt got lost.");
	} else {
		return;
	}
	f_fix(x, "sudo sh -c 'ip link set %s down && ip link set %s up'", link->name, link->name);
}

/* "genirq: Flags mismatch irq 25. 00002008 (spi0.1) vs. 00002008 (spi0.0)": who comes second */
static void check_taken(const struct system *s, const struct watched *w, struct findings *f)
{
	const char *names[] = { w->now->link->name, w->now->device };
	const char *line = NULL, *other;
	struct finding *x;
	char *who;
	size_t i;

	if (w->now->link->up)
		return;
	for (i = 0; i < 2 && !line; i++) {
		who = xasprintf("(%s) vs.", names[i]);
		line = kmsg_last(&s->log, "Flags mismatch irq", who);
		free(who);
	}
	if (!line)
		return;
	other = strrchr(line, '(');
	x = f_add(f, "irq-taken", SURE_LIKELY, w->now->link->name);
	f_seen(x, "Its interrupt is that of %.*s, too, which does not share it.",
	       (int)strcspn(other + 1, ")"), other + 1);
	f_means(x, "The device tree has both at the same pin, so only one can be up. Each chip has its own INT: see interrupt= of the overlays and the papers of the board.");
	f_fix(x, "grep -n '^dtoverlay=' %s", doctor_config_txt(s));
}

static void check_storm(const struct watched *w, struct findings *f)
{
	struct finding *x;

	if (!watched_counter(w, "irq_storms"))
		return;
	x = f_add(f, "irq-storm", SURE_LIKELY, w->now->link->name);
	f_seen(x, "The interrupt did not end %llu times, and was replaced by polling for a while.",
	       (unsigned long long)watched_counter(w, "irq_storms"));
	f_means(x, "The pin that the device tree names is low without the chip's doing: another wire, a missing pull-up, a second chip that shares it.");
	f_fix(x, "grep -w %s /proc/interrupts", w->now->link->name);
}

static void check_wires(const struct watched *w, struct findings *f)
{
	uint64_t bogus = watched_counter(w, "spi_bogus");
	uint64_t errors = watched_counter(w, "spi_errors");
	uint64_t resets = watched_counter(w, "recoveries");
	struct finding *x;

	if (!bogus && !errors && !resets)
		return;
	x = f_add(f, "spi-errors", resets || errors ? SURE_CERTAIN : SURE_LIKELY,
		  w->now->link->name);
	f_seen(x, "Answers of the chip that make no sense: %llu; messages that failed: %llu; times it had to be reset: %llu.",
	       (unsigned long long)bogus, (unsigned long long)errors, (unsigned long long)resets);
	f_means(x, "Bits get lost between the chip and the processor: long or loose wires, a level shifter, a bad supply, no common ground. A slower SPI clock helps against some of them.");
	f_fix(x, "sudo dmesg | grep -E 'mcp251x|%s'", w->now->link->name);
}

void doctor_spi(const struct system *s, const struct watched *w, struct findings *f)
{
	/* what is known of the chips that mcp251x drives is not true of others */
	if (w->now->bus != BUS_SPI || !w->now->spi.limit_hz)
		return;
	check_too_fast(s, w, f);
	check_too_slow(s, w, f);
	check_trigger(s, w, f);
	check_interrupt(w, f);
	check_taken(s, w, f);
	check_storm(w, f);
	check_wires(w, f);
}
