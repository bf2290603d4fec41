/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's log, as far as it is still there: /dev/kmsg
 */
#ifndef CANPIPE_KMSG_H
#define CANPIPE_KMSG_H

#include "canpipe.h"

struct kmsg {
	bool readable;
	char **lines;		/* texts, the oldest first */
	size_t count;
};

void kmsg_read(const struct canpipe *cp, struct kmsg *log);
void kmsg_clear(struct kmsg *log);

/* the last line that has both in it, NULL if none has; b may be NULL */
const char *kmsg_last(const struct kmsg *log, const char *a, const char *b);

/*
 * What mcp251x has measured when it was bound to that device (spi0.0) the last time, in kHz;
 * 0 if it agreed with the device tree
 */
unsigned int kmsg_crystal_khz(const struct kmsg *log, const char *device);

#endif
