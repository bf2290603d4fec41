// SPDX-License-Identifier: GPL-2.0-only
/* The list of boards. */
#include <string.h>

#include "boards.h"

static const struct board_type *const boards[] = {
	&board_testdev,
	&board_pch,
	&board_am335x,
	&board_cyclone5,
	&board_rpi,
};

#define BOARDS (sizeof(boards) / sizeof(boards[0]))

const struct board_type *board_find(const char *name)
{
	for (size_t i = 0; i < BOARDS; i++)
		if (!strcmp(boards[i]->name, name))
			return boards[i];
	return NULL;
}

void board_list(FILE *out)
{
	for (size_t i = 0; i < BOARDS; i++)
		fprintf(out, "  %-10s %s\n", boards[i]->name, boards[i]->about);
}
