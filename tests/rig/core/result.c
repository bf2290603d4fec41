// SPDX-License-Identifier: GPL-2.0-only
/* The result of a measurement, as one JSON object. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rig.h"

static void member(FILE *out, const char *name, uint64_t value)
{
	fprintf(out, "  \"%s\": %" PRIu64 ",\n", name, value);
}

static void string(FILE *out, const char *s)
{
	fputc('"', out);
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20)
			fprintf(out, "\\u%04x", (unsigned int)*s);
		else if (*s == '"' || *s == '\\')
			fprintf(out, "\\%c", *s);
		else
			fputc(*s, out);
	}
	fputc('"', out);
}

static void cpu(FILE *out, const struct rig *rig, const struct rig_counters *c)
{
	member(out, "virtual_ns", c->virtual_ns);
	if (rig->clock->cpu) {
		member(out, "busy_ns", c->busy_ns);
		member(out, "idle_ns", c->idle_ns);
		member(out, "instructions", c->instructions);
	} else {
		fputs("  \"busy_ns\": null,\n  \"idle_ns\": null,\n  \"instructions\": null,\n",
		      out);
	}
}

static void peer(FILE *out, const char *path, const struct peer_stats *s)
{
	fputs("    {\"script\": ", out);
	string(out, path);
	fprintf(out,
		", \"sent\": %" PRIu64 ", \"received\": %" PRIu64 ", \"lost\": %" PRIu64
		", \"swapped\": %" PRIu64 ", \"duplicated\": %" PRIu64
		", \"unexpected\": %" PRIu64 ", \"errors\": %" PRIu64 "}",
		s->sent, s->received, s->lost, s->swapped, s->duplicated, s->unexpected,
		s->errors);
}

static void peers(FILE *out, const struct rig *rig)
{
	struct peer_stats sum;

	rig_peer_stats(rig, &sum);
	member(out, "peers_sent", sum.sent);
	member(out, "peers_received", sum.received);
	member(out, "peers_lost", sum.lost);
	member(out, "peers_swapped", sum.swapped);
	member(out, "peers_duplicated", sum.duplicated);
	member(out, "peers_unexpected", sum.unexpected);
	member(out, "peers_errors", sum.errors);
	fputs("  \"peers\": [", out);
	for (size_t i = 0; i < rig->options.peers; i++) {
		fputs(i ? ",\n" : "\n", out);
		peer(out, rig->options.peer[i], peer_stats(rig->peer[i]));
	}
	fputs(rig->options.peers ? "\n  ],\n" : "],\n", out);
}

static void bus(FILE *out, const struct rig *rig)
{
	const struct canbus_stats *s = canbus_stats(rig->bus);

	fprintf(out,
		"  \"bus\": {\"frames\": %" PRIu64 ", \"errors\": %" PRIu64
		", \"arbitration_lost\": %" PRIu64 ", \"busy_ns\": %" PRIu64
		", \"first_sof\": %" PRIu64 ", \"last_eof\": %" PRIu64 ", \"gaps\": %" PRIu64
		", \"max_gap_ns\": %" PRIu64 "},\n",
		s->frames, s->errors, s->arbitration_lost, s->busy_ns, s->first_sof, s->last_eof,
		s->gaps, s->max_gap_ns);
}

/* A board writes "name": value, with a comma after each; JSON wants none at the end. */
static void counters(FILE *out, const struct rig *rig)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (f) {
		rig->board->type->counters(rig->board, f);
		fclose(f);
		while (len && strchr(", \n\t", text[len - 1]))
			text[--len] = '\0';
	}
	fprintf(out, "  \"counters\": {%s}\n", text ? text : "");
	free(text);
}

void rig_write_result(struct rig *rig)
{
	const struct rig_options *o = &rig->options;
	struct rig_counters c;
	FILE *out;

	if (!o->result)
		return;
	/* one object for each measurement */
	out = fopen(o->result, rig->results++ ? "a" : "w");
	if (!out) {
		fprintf(stderr, "canpipe rig: cannot write result=%s: %s\n", o->result,
			strerror(errno));
		return;
	}
	rig_count(rig, &c);
	fputs("{\n  \"board\": ", out);
	string(out, o->board->name);
	fputs(",\n  \"profile\": ", out);
	string(out, o->profile.name);
	fprintf(out, ",\n  \"clock\": \"%s\",\n", rig->clock->is_virtual ? "virtual" : "wall");
	member(out, "insn_ns", o->profile.insn_ns);
	member(out, "read_ns", o->profile.read_ns);
	member(out, "write_ns", o->profile.write_ns);
	member(out, "bitrate", o->bitrate);
	cpu(out, rig, &c);
	member(out, "interrupts", c.interrupts);
	member(out, "reg_reads", c.reads);
	member(out, "reg_writes", c.writes);
	member(out, "fast_reads", c.fast_reads);
	member(out, "fast_writes", c.fast_writes);
	bus(out, rig);
	peers(out, rig);
	counters(out, rig);
	fputs("}\n", out);
	if (fclose(out))
		fprintf(stderr, "canpipe rig: cannot write result=%s: %s\n", o->result,
			strerror(errno));
}
