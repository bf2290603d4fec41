/* SPDX-License-Identifier: GPL-2.0-only */
/* The last things that a peer saw, for messages. */
#ifndef PEER_LOG_H
#define PEER_LOG_H

#include "canbus.h"

struct peer_log_entry {
	uint64_t at;
	struct canbus_frame frame;
	bool own;
	enum canbus_error error;	/* not CANBUS_OK: an error instead of a frame */
	unsigned int tec;
	unsigned int rec;
};

struct peer_log {
	struct peer_log_entry *entry;
	size_t room;
	uint64_t count;			/* ever written */
};

void peer_log_init(struct peer_log *log, size_t room);
void peer_log_free(struct peer_log *log);
void peer_log_add(struct peer_log *log, const struct peer_log_entry *e);
size_t peer_log_print(const struct peer_log *log, char *buf, size_t len);

#endif
