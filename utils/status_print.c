// SPDX-License-Identifier: GPL-2.0-only
/*
 * canpipe status: the tree as text
 */

#include "status.h"

#include <string.h>

static const char *text(const json_t *object, const char *key, const char *otherwise)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : otherwise;
}

static long long number(const json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static bool yes(const json_t *object, const char *key)
{
	return json_is_true(json_object_get(object, key));
}

static bool is_known(const json_t *object, const char *key)
{
	return !json_is_null(json_object_get(object, key));
}

/* what is not zero, as "name value, name value", or the other text */
static void print_counts(FILE *out, const char *label, json_t *counts, const char *otherwise)
{
	const char *key, *comma = "";
	json_t *value;
	char name[64];
	size_t i;

	fprintf(out, "  %-11s", label);
	json_object_foreach(counts, key, value) {
		if (!json_integer_value(value))
			continue;
		snprintf(name, sizeof(name), "%s", key);
		for (i = 0; name[i]; i++)
			if (name[i] == '_')
				name[i] = ' ';
		fprintf(out, "%s%s %lld", comma, name, (long long)json_integer_value(value));
		comma = ", ";
	}
	fprintf(out, "%s\n", *comma ? "" : otherwise);
}

static void print_module(FILE *out, const char *name, const json_t *m)
{
	const char *key, *state = text(m, "state", "");
	json_t *value;

	fprintf(out, "  %-16s%s, %s%s", name, yes(m, "canpipe") ? "canpipe's" : "the kernel's own",
		state, text(m, "version", NULL) ? ", version " : "");
	fprintf(out, "%s\n", text(m, "version", ""));
	if (strcmp(state, "stale") == 0)
		fprintf(out, "  %-16sloaded from %s, the next time from %s\n", "",
			text(m, "loaded_from", "a file that is gone"), text(m, "file", "none"));
	else
		fprintf(out, "  %-16s%s\n", "", text(m, "loaded_from", text(m, "file", "")));
	if (json_object_size(json_object_get(m, "parameters"))) {
		fprintf(out, "  %-16s", "");
		json_object_foreach(json_object_get(m, "parameters"), key, value)
			fprintf(out, "%s=%s ", key, json_is_string(value) ?
				json_string_value(value) : "?");
		fputc('\n', out);
	}
}

static void print_system(FILE *out, const json_t *s)
{
	const json_t *config = json_object_get(s, "config"), *line;
	const char *key;
	json_t *m;
	size_t i;

	if (is_known(s, "model"))
		fprintf(out, "%s\n", text(s, "model", ""));
	fprintf(out, "Linux %s on %s, programs for %s; headers %s", text(s, "kernel", "?"),
		text(s, "kernel_architecture", "?"), text(s, "user_architecture", "?"),
		text(s, "headers", "?"));
	if (strcmp(text(s, "headers", ""), "installed") != 0 && is_known(s, "headers_of"))
		fprintf(out, " (those of %s are there)", text(s, "headers_of", ""));
	fprintf(out, "\ncanpipe-dkms %s\n", text(s, "canpipe_dkms", "is not installed"));
	if (json_is_object(config))
		fprintf(out, "%s\n", text(config, "file", ""));
	json_array_foreach(json_object_get(config, "lines"), i, line)
		fprintf(out, "  %s\n", json_string_value(line));
	if (json_object_size(json_object_get(s, "modules")))
		fputs("modules\n", out);
	json_object_foreach(json_object_get(s, "modules"), key, m)
		print_module(out, key, m);
}

static void print_device(FILE *out, const json_t *i)
{
	fprintf(out, "  %-11s", "device");
	if (is_known(i, "device"))
		fprintf(out, "%s%s%s on the %s bus, ", text(i, "compatible", ""),
			is_known(i, "compatible") ? " at " : "", text(i, "device", ""),
			text(i, "bus", "?"));
	fprintf(out, "driver %s", text(i, "driver", "none"));
	if (yes(i, "canpipe"))
		fprintf(out, " of canpipe, %s", text(i, "driver_version", ""));
	if (is_known(i, "chip"))
		fprintf(out, " (%s)", text(i, "chip", ""));
	fputc('\n', out);
}

static void print_spi(FILE *out, const json_t *spi)
{
	if (!json_is_object(spi))
		return;
	fprintf(out, "  %-11s%s, driver %s%s, chip select %lld\n", "SPI", text(spi, "controller", "?"),
		text(spi, "driver", "none"), yes(spi, "prepared_dma") ? " by DMA" : "",
		number(spi, "chip_select"));
	fprintf(out, "  %-11s", "");
	if (is_known(spi, "effective_hz"))
		fprintf(out, "clock %lld Hz, ", number(spi, "effective_hz"));
	else
		fputs("clock unknown, ", out);
	fprintf(out, "asked for %lld Hz", number(spi, "asked_hz"));
	if (is_known(spi, "limit_hz"))
		fprintf(out, ", the chip stands %lld Hz", number(spi, "limit_hz"));
	if (is_known(spi, "core_hz"))
		fprintf(out, "; core clock %lld Hz", number(spi, "core_hz"));
	if (is_known(spi, "core_now_hz"))
		fprintf(out, ", now %lld Hz", number(spi, "core_now_hz"));
	fputc('\n', out);
}

static void print_interrupt(FILE *out, const json_t *irq)
{
	fprintf(out, "  %-11s", "interrupt");
	if (!is_known(irq, "number")) {
		fprintf(out, "none now%s%s\n", is_known(irq, "trigger") ? ", triggered by " : "",
			text(irq, "trigger", ""));
		return;
	}
	fprintf(out, "%lld of %s, %s, %lld so far", number(irq, "number"), text(irq, "chip", "?"),
		text(irq, "trigger", "trigger unknown"), number(irq, "count"));
	if (is_known(irq, "pin"))
		fprintf(out, ", the pin is %s", number(irq, "pin") ? "high" : "low");
	fputc('\n', out);
}

static void print_can(FILE *out, const json_t *can)
{
	const json_t *t = json_object_get(can, "bit_timing"), *modes, *mode;
	size_t i;

	if (!json_is_object(can))
		return;
	fprintf(out, "  %-11s", "bit rate");
	if (json_is_object(t))
		fprintf(out, "%lld bit/s, sample point %.1f %%, clock %lld Hz", number(t, "bitrate"),
			json_real_value(json_object_get(t, "sample_point")) * 100,
			number(can, "clock_hz"));
	else
		fprintf(out, "not set, clock %lld Hz", number(can, "clock_hz"));
	if (is_known(can, "crystal_hz"))
		fprintf(out, " (crystal %lld Hz)", number(can, "crystal_hz"));
	if (is_known(can, "crystal_measured_hz"))
		fprintf(out, ", MEASURED %lld Hz", number(can, "crystal_measured_hz"));
	fputc('\n', out);
	modes = json_object_get(can, "modes");
	if (json_array_size(modes)) {
		fprintf(out, "  %-11s", "modes");
		json_array_foreach(modes, i, mode)
			fprintf(out, "%s%s", i ? ", " : "", json_string_value(mode));
		fputc('\n', out);
	}
	fprintf(out, "  %-11s", "errors");
	if (is_known(can, "tx_errors"))
		fprintf(out, "counters tx %lld, rx %lld; ", number(can, "tx_errors"),
			number(can, "rx_errors"));
	fprintf(out, "restart-ms %lld\n", number(can, "restart_ms"));
	print_counts(out, "events", json_object_get(can, "events"), "none");
}

static void print_iface(FILE *out, const json_t *i)
{
	const json_t *can = json_object_get(i, "can");

	fprintf(out, "\n%s: %s, %s\n", text(i, "name", "?"), yes(i, "up") ? "up" : "down",
		json_is_object(can) ? text(can, "state", "state unknown") : text(i, "kind", "?"));
	print_device(out, i);
	print_spi(out, json_object_get(i, "spi"));
	if (is_known(i, "device"))
		print_interrupt(out, json_object_get(i, "interrupt"));
	print_can(out, can);
	fprintf(out, "  %-11s%s, length %lld, %lld wait\n", "queue", text(i, "qdisc", "none"),
		number(i, "txqueuelen"), number(i, "queued"));
	print_counts(out, "counters", json_object_get(i, "counters"), "nothing so far");
	print_counts(out, "lost", json_object_get(i, "losses"), "nothing");
	if (json_object_size(json_object_get(i, "driver_counters")))
		print_counts(out, "driver", json_object_get(i, "driver_counters"), "nothing so far");
}

void status_print(const json_t *tree, FILE *out)
{
	const json_t *list = json_object_get(tree, "interfaces"), *iface;
	size_t i;

	print_system(out, json_object_get(tree, "system"));
	if (!json_array_size(list))
		fputs("\nThere is no CAN interface; \"canpipe doctor\" may say why.\n", out);
	json_array_foreach(list, i, iface)
		print_iface(out, iface);
}
