// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device-tree overlays in the boot partition of a Raspberry Pi
 */

#include "canpipe.h"

int cmd_overlay(struct canpipe *cp, int argc, char **argv)
{
	(void)cp;
	(void)argc;
	say("%s: not part of this version", argv[0]);
	return EXIT_NOT_LOOKED;
}
