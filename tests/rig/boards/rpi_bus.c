// SPDX-License-Identifier: GPL-2.0-only
/* A second CAN bus of the board rpi: another bit rate, other traffic. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rpi_bus.h"

#define SCRIPT_MAX	65536

struct rpi_bus {
	struct canbus *can;
	struct peer *peer;
};

static char *read_file(const char *name, char *err, size_t errlen)
{
	char *text = calloc(1, SCRIPT_MAX + 1);
	FILE *file = fopen(name, "r");
	size_t len;

	if (!text)
		abort();
	if (!file) {
		snprintf(err, errlen, "can1-peer=%s: %s", name, strerror(errno));
		free(text);
		return NULL;
	}
	len = fread(text, 1, SCRIPT_MAX + 1, file);
	fclose(file);
	if (len <= SCRIPT_MAX)
		return text;
	snprintf(err, errlen, "can1-peer=%s: longer than %d bytes", name, SCRIPT_MAX);
	free(text);
	return NULL;
}

struct rpi_bus *rpi_bus_new(struct sim *sim, const char *file, char *err, size_t errlen)
{
	struct rpi_bus *b = calloc(1, sizeof(*b));
	char *script = read_file(file, err, errlen);

	if (!b)
		abort();
	if (script) {
		b->can = canbus_new(sim);
		b->peer = peer_new(sim, b->can, "can1-peer", script, err, errlen);
	}
	free(script);
	if (b->peer)
		return b;
	canbus_free(b->can);
	free(b);
	return NULL;
}

void rpi_bus_free(struct rpi_bus *b)
{
	if (!b)
		return;
	peer_free(b->peer);
	canbus_free(b->can);
	free(b);
}

struct canbus *rpi_bus_can(struct rpi_bus *b)
{
	return b->can;
}

void rpi_bus_signal(struct rpi_bus *b, unsigned int n)
{
	peer_signal(b->peer, n);
}

uint32_t rpi_bus_value(const struct rpi_bus *b, uint32_t what)
{
	const struct peer_stats *s = peer_stats(b->peer);

	switch (what) {
	case RPI_BUS_SENT:
		return (uint32_t)s->sent;
	case RPI_BUS_RECEIVED:
		return (uint32_t)s->received;
	case RPI_BUS_LOST:
		return (uint32_t)s->lost;
	case RPI_BUS_SWAPPED:
		return (uint32_t)s->swapped;
	case RPI_BUS_DUPLICATED:
		return (uint32_t)s->duplicated;
	case RPI_BUS_UNEXPECTED:
		return (uint32_t)s->unexpected;
	default:
		return UINT32_MAX;
	}
}

void rpi_bus_counters(const struct rpi_bus *b, FILE *out)
{
	const struct canbus_stats *bus = canbus_stats(b->can);
	const struct peer_stats *s = peer_stats(b->peer);

	fprintf(out, "\"can1_frames\": %" PRIu64 ", \"can1_errors\": %" PRIu64
		", \"can1_gaps\": %" PRIu64 ", \"can1_max_gap_ns\": %" PRIu64 ", ",
		bus->frames, bus->errors, bus->gaps, bus->max_gap_ns);
	fprintf(out, "\"can1_peer_sent\": %" PRIu64 ", \"can1_peer_received\": %" PRIu64
		", \"can1_peer_lost\": %" PRIu64 ", \"can1_peer_swapped\": %" PRIu64
		", \"can1_peer_duplicated\": %" PRIu64 ", ",
		s->sent, s->received, s->lost, s->swapped, s->duplicated);
}

void rpi_bus_counters_reset(struct rpi_bus *b)
{
	canbus_stats_reset(b->can);
	peer_stats_reset(b->peer);
}
