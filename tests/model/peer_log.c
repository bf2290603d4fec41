// SPDX-License-Identifier: GPL-2.0-only
#include "peer_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "canbus_frame.h"

void peer_log_init(struct peer_log *log, size_t room)
{
	log->count = 0;
	log->room = room;
	log->entry = room ? calloc(room, sizeof(*log->entry)) : NULL;
	if (room && !log->entry)
		abort();
}

void peer_log_free(struct peer_log *log)
{
	free(log->entry);
	log->entry = NULL;
	log->room = 0;
}

void peer_log_add(struct peer_log *log, const struct peer_log_entry *e)
{
	if (log->room)
		log->entry[log->count++ % log->room] = *e;
}

static const char *error_name(enum canbus_error error)
{
	static const char *const name[] = { "ok", "stuff", "form", "ack", "bit1", "bit0", "crc" };

	return name[error];
}

static size_t print_entry(const struct peer_log_entry *e, char *buf, size_t len)
{
	const struct canbus_frame *f = &e->frame;
	size_t n;

	n = snprintf(buf, len, "(%" PRIu64 ".%09" PRIu64 ") ", e->at / 1000000000,
		     e->at % 1000000000);
	if (e->error != CANBUS_OK)
		return n + snprintf(buf + n, len - n, "%s error %s tec %u rec %u\n",
				    e->own ? "tx" : "rx", error_name(e->error), e->tec, e->rec);
	n += snprintf(buf + n, len - n, f->ext ? "%s %08X#" : "%s %03X#", e->own ? "tx" : "rx",
		      f->id);
	if (f->rtr)
		return n + snprintf(buf + n, len - n, "R%u\n", f->dlc);
	for (unsigned int i = 0; i < canbus_data_len(f); i++)
		n += snprintf(buf + n, len - n, "%02X", f->data[i]);
	if (f->dlc > 8)
		n += snprintf(buf + n, len - n, "_%X", f->dlc);
	return n + snprintf(buf + n, len - n, "\n");
}

size_t peer_log_print(const struct peer_log *log, char *buf, size_t len)
{
	uint64_t i = log->count > log->room ? log->count - log->room : 0;
	size_t total = 0;
	char line[96];

	for (; i < log->count; i++) {
		size_t n = print_entry(&log->entry[i % log->room], line, sizeof(line));

		if (total < len)
			snprintf(buf + total, len - total, "%s", line);
		total += n;
	}
	if (len && !total)
		buf[0] = '\0';
	return total;
}
