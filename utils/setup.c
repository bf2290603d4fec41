// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that bring an interface up at boot
 */

#include "canpipe.h"

int cmd_setup(struct canpipe *cp, int argc, char **argv)
{
	(void)cp;
	(void)argc;
	say("%s: not part of this version", argv[0]);
	return EXIT_NOT_LOOKED;
}
