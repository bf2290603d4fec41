/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What status shows, as a tree of JSON
 */
#ifndef CANPIPE_STATUS_H
#define CANPIPE_STATUS_H

#include "iface.h"
#include "system.h"

#include <jansson.h>

json_t *status_system(const struct system *s);				/* status_tree.c */
json_t *status_iface(const struct iface *iface);			/* status_tree.c */

/* for people: names as in the tree, with what is null or zero left out where it says nothing */
void status_print(const json_t *tree, FILE *out);			/* status_print.c */

#endif
