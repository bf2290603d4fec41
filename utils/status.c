// SPDX-License-Identifier: GPL-2.0-only
/*
 * canpipe status: what drives the CAN interfaces, and how they are doing
 */

#include "canpipe.h"
#include "link.h"

#include <errno.h>
#include <string.h>

int cmd_status(struct canpipe *cp, int argc, char **argv)
{
	struct link *links, *link;

	(void)cp;
	if (!links_read(argc > 1 ? argv[1] : NULL, &links)) {
		say("the kernel does not tell about its interfaces: %s", strerror(errno));
		return EXIT_NOT_LOOKED;
	}
	for (link = links; link; link = link->next)
		printf("%s: %s %s\n", link->name, link->driver, link->driver_version);
	links_free(links);
	return EXIT_OK;
}
