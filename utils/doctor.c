// SPDX-License-Identifier: GPL-2.0-only
/*
 * canpipe doctor: look for the troubles that are known
 */

#include "canpipe.h"
#include "finding.h"

int cmd_doctor(struct canpipe *cp, int argc, char **argv)
{
	struct findings f = { 0 };

	(void)argc;
	(void)argv;
	f_sort(&f);
	if (cp->json)
		f_print_json(&f, stdout);
	else
		f_print(&f, stdout);
	f_free(&f);
	return EXIT_OK;
}
