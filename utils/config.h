/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * config.txt of a Raspberry Pi, as far as it matters to CAN and SPI. Only read here.
 */
#ifndef CANPIPE_CONFIG_H
#define CANPIPE_CONFIG_H

#include "canpipe.h"

struct config {
	char *path;		/* NULL: there is none */
	char **lines;		/* without comments, blanks at the ends and empty ones */
	size_t count;
};

void config_read(const struct canpipe *cp, struct config *c);
void config_parse(struct config *c, char *text);
void config_clear(struct config *c);

/* the value behind "name=", NULL if there is no such line; the last one counts */
const char *config_value(const struct config *c, const char *name);

/* the line that enables an overlay whose name begins like that, NULL if there is none */
const char *config_overlay(const struct config *c, const char *name);

#endif
