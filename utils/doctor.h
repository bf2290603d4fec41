/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What doctor looks for. The functions decide by what was read before; they read nothing.
 */
#ifndef CANPIPE_DOCTOR_H
#define CANPIPE_DOCTOR_H

#include "finding.h"
#include "iface.h"
#include "system.h"

/* an interface at the beginning and at the end of the time that was watched */
struct watched {
	const struct iface *before, *now;
	double seconds;		/* between them */
	uint32_t bitrate;	/* that the bus has, as the user says; 0: not said */
};

void doctor_system(const struct system *s, const struct watched *list, size_t count,
		   struct findings *f);				/* doctor_system.c */
void doctor_config(const struct system *s, bool interfaces, struct findings *f);
								/* doctor_config.c */
void doctor_bus(const struct system *s, const struct watched *w, struct findings *f);
								/* doctor_bus.c */
void doctor_queue(const struct system *s, const struct watched *w, struct findings *f);
								/* doctor_queue.c */
void doctor_spi(const struct system *s, const struct watched *w, struct findings *f);
								/* doctor_spi.c */

/* how much a counter of ethtool -S has grown while it was watched; 0 if there is no such one */
uint64_t watched_growth(const struct watched *w, const char *counter);
/* its value at the end */
uint64_t watched_counter(const struct watched *w, const char *counter);

/* the file that a line of config.txt is to be changed in */
const char *doctor_config_txt(const struct system *s);

#endif
