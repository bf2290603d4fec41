/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Properties of the device tree, by their files in sysfs. Numbers there are big-endian.
 */
#ifndef CANPIPE_DEVTREE_H
#define CANPIPE_DEVTREE_H

#include "canpipe.h"

/* the first text of a property, to be freed; NULL if it is not there */
char *devtree_string(const struct canpipe *cp, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* the cell with that index (-1: the last one), or missing */
uint32_t devtree_cell(const struct canpipe *cp, int index, uint32_t missing, const char *format,
		      ...) __attribute__((format(printf, 4, 5)));

/* the directory of the node with that phandle, to be freed; NULL if there is none */
char *devtree_node(const struct canpipe *cp, uint32_t phandle);

#endif
