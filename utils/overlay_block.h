/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The text of config.txt: lines between "# canpipe begin" and "# canpipe end" are this program's, all
 * others are only looked at.
 */
#ifndef CANPIPE_OVERLAY_BLOCK_H
#define CANPIPE_OVERLAY_BLOCK_H

#include "canpipe.h"

/* the firmware reads so much of a line */
#define CONFIG_LINE_MAX	98

struct block {
	char *before;		/* the text before the block, with its last newline */
	char *after;		/* the text behind it */
	char **lines;		/* those in it, without [all] and newlines */
	size_t count;
	bool there;		/* it was in the text */
	bool added_newline;	/* the last line before it had no end of its own */
	bool crlf;		/* lines end like in DOS */
};

/* an error message, or NULL; the block is to be cleared in any case */
const char *block_parse(struct block *b, const char *text);
void block_clear(struct block *b);

/* the whole text again; without lines there is no block, unless lines behind it need its [all] */
char *block_text(const struct block *b);

/* the line for the same overlay at the same chip select, -1 if there is none */
int block_find(const struct block *b, const char *line);

/* add a line, or put it in the place of the one that block_find() finds; whether it changes anything */
bool block_add(struct block *b, const char *line);
void block_remove(struct block *b, size_t i);

/* whether a line enables that overlay, with or without parameters */
bool line_enables(const char *line, const char *name);

/* whether a line has that word as a parameter */
bool line_has(const char *line, const char *parameter);

/*
 * calls fn for each line outside of the block that applies to a Raspberry Pi 0 to 4, without blanks at
 * its ends; number counts from 1
 */
void block_outside(const struct block *b, void (*fn)(void *arg, unsigned int number,
						     const char *line), void *arg);

#endif
