// SPDX-License-Identifier: GPL-2.0-only
/*
 * canpipe status: what drives the CAN interfaces, and how they are doing
 *
 * One tree is made of what is known, and printed as JSON or as text.
 */

#include "status.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void usage(FILE *out)
{
	fputs("usage: canpipe [--json] status [--json] [IFACE]\n", out);
}

static int parse(struct canpipe *cp, int argc, char **argv, const char **iface)
{
	int i;

	*iface = NULL;
	for (i = 1; i < argc; i++) {
		if (is_help(argv[i])) {
			usage(stdout);
			return EXIT_OK;
		} else if (is_option(argv[i], "--json")) {
			cp->json = true;
		} else if (argv[i][0] == '-' || *iface) {
			say("status: %s: no such option (see canpipe status --help)", argv[i]);
			return EXIT_NOT_LOOKED;
		} else {
			*iface = argv[i];
		}
	}
	return -1;
}

int cmd_status(struct canpipe *cp, int argc, char **argv)
{
	json_t *tree, *list;
	struct link *links, *link;
	struct iface iface;
	struct system s;
	const char *name;
	int rc = parse(cp, argc, argv, &name);

	if (rc >= 0)
		return rc;
	if (!links_read(name, &links)) {
		say("the kernel does not tell about its interfaces: %s", strerror(errno));
		return EXIT_NOT_LOOKED;
	}
	if (name && !links) {
		say("%s: there is no CAN interface of that name (see ip link)", name);
		return EXIT_NOT_LOOKED;
	}
	system_read(cp, &s);
	list = json_array();
	for (link = links; link; link = link->next) {
		iface_read(cp, &s, link, &iface);
		json_array_append_new(list, status_iface(&iface));
		iface_clear(&iface);
	}
	tree = json_pack("{s:o, s:o}", "system", status_system(&s), "interfaces", list);
	if (cp->json) {
		json_dumpf(tree, stdout, JSON_INDENT(2));
		putchar('\n');
	} else {
		status_print(tree, stdout);
	}
	json_decref(tree);
	links_free(links);
	system_clear(&s);
	return EXIT_OK;
}
