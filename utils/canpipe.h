/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * canpipe: what the commands share
 *
 * A command is int cmd_NAME(struct canpipe *cp, int argc, char **argv), argv[0] being its name;
 * main.c has the table. It returns what the process exits with.
 *
 * Nothing here uses the network, starts another program or parses what one prints.
 */
#ifndef CANPIPE_H
#define CANPIPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct canpipe {
	const char *root;	/* all files are looked for below it; "" is the system itself */
	bool json;		/* --json was given before the command */
};

/* What the process exits with. */
enum {
	EXIT_OK = 0,
	EXIT_FOUND = 1,		/* doctor has findings; another command was refused */
	EXIT_NOT_LOOKED = 2,	/* it could not look, or did not understand its arguments */
};

int cmd_status(struct canpipe *cp, int argc, char **argv);	/* status.c */
int cmd_doctor(struct canpipe *cp, int argc, char **argv);	/* doctor.c */
int cmd_overlay(struct canpipe *cp, int argc, char **argv);	/* overlay.c */
int cmd_setup(struct canpipe *cp, int argc, char **argv);	/* setup.c */

/* Messages for people: "canpipe: ..." on stderr, with a newline. */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Memory that is there: these end the program when there is none left. */
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);
char *xstrdup(const char *s);
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));

bool is_option(const char *arg, const char *name);
bool is_help(const char *arg);

/* of "--name value" or "--name=value", with *i at the value; NULL if argv[*i] is none of them */
const char *option_value(int argc, char **argv, int *i, const char *name);

#endif
