/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Findings: what doctor has seen, what it means, how sure that is, and the one command that
 * mends it.
 */
#ifndef CANPIPE_FINDING_H
#define CANPIPE_FINDING_H

#include "canpipe.h"

enum sure { SURE_POSSIBLE, SURE_LIKELY, SURE_CERTAIN };

struct finding {
	const char *id;		/* for scripts: a word that does not change */
	enum sure sure;		/* that it is what makes trouble */
	char *iface;		/* NULL: the whole system */
	char *seen;
	char *means;
	char *fix;		/* a command for a shell */
};

struct findings {
	struct finding *list;
	size_t count;
};

/* f_add: a new finding, ready to be given its texts by f_seen(), f_means(), f_fix() */
struct finding *f_add(struct findings *f, const char *id, enum sure sure, const char *iface);
void f_seen(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));
void f_means(struct finding *finding, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void f_fix(struct finding *finding, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The most certain ones first. */
void f_sort(struct findings *f);
void f_print(const struct findings *f, FILE *out);
void f_print_json(const struct findings *f, FILE *out);
const struct finding *f_find(const struct findings *f, const char *id);
void f_free(struct findings *f);

#endif
