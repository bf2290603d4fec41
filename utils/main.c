// SPDX-License-Identifier: GPL-2.0-only
/*
 * canpipe: says what CAN interfaces are doing, and what is wrong with them
 */

#include "canpipe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#ifndef CANPIPE_VERSION
#error "CANPIPE_VERSION: built by utils/Makefile"
#endif

static const struct {
	const char *name;
	int (*run)(struct canpipe *cp, int argc, char **argv);
	const char *arguments;
	const char *help;
} commands[] = {
	{ "status", cmd_status, "[IFACE]", "what drives the CAN interfaces, and how they are doing" },
	{ "doctor", cmd_doctor, "[IFACE]", "look for the troubles that are known, say what mends them" },
	{ "overlay", cmd_overlay, "...", "device-tree overlays in the boot partition of a Raspberry Pi" },
	{ "setup", cmd_setup, "IFACE BITRATE", "files that bring an interface up at boot" },
};

#define COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static void usage(FILE *out)
{
	size_t i;

	fputs("usage: canpipe [--json] COMMAND [ARGUMENT...]\n\n", out);
	for (i = 0; i < COMMANDS; i++)
		fprintf(out, "  %-8s %-16s %s\n", commands[i].name, commands[i].arguments,
			commands[i].help);
	fputs("\n"
	      "  --json         one JSON object instead of text (status, doctor)\n"
	      "  --root DIR     read files below DIR; interfaces are those of the running kernel\n"
	      "  --version      of canpipe\n"
	      "  --help         this; after a command: that command's\n"
	      "\n"
	      "\"canpipe doctor\" is what to run when frames do not come or do not go.\n"
	      "Run it as root: some of what it looks at is not for others to read.\n", out);
}

/* the options before the command; returns the index of the command, 0 when all is done */
static int options(struct canpipe *cp, int argc, char **argv, int *rc)
{
	const char *value;
	char *root;
	int i;

	*rc = EXIT_OK;
	for (i = 1; i < argc && argv[i][0] == '-'; i++) {
		if (is_help(argv[i])) {
			usage(stdout);
			return 0;
		} else if (is_option(argv[i], "--version") || is_option(argv[i], "-V")) {
			puts("canpipe " CANPIPE_VERSION);
			return 0;
		} else if (is_option(argv[i], "--json")) {
			cp->json = true;
		} else if ((value = option_value(argc, argv, &i, "--root"))) {
			root = realpath(value, NULL);
			if (!root) {
				say("--root %s: %s", value, strerror(errno));
				*rc = EXIT_NOT_LOOKED;
				return 0;
			}
			cp->root = strcmp(root, "/") == 0 ? "" : root;
		} else {
			say("%s: no such option, or its value is missing (see canpipe --help)", argv[i]);
			*rc = EXIT_NOT_LOOKED;
			return 0;
		}
	}
	if (i == argc) {
		usage(stderr);
		*rc = EXIT_NOT_LOOKED;
		return 0;
	}
	return i;
}

int main(int argc, char **argv)
{
	struct canpipe cp = { .root = "" };
	int first, rc;
	size_t i;

	first = options(&cp, argc, argv, &rc);
	if (!first)
		return rc;
	for (i = 0; i < COMMANDS; i++) {
		if (strcmp(argv[first], commands[i].name) == 0) {
			rc = commands[i].run(&cp, argc - first, argv + first);
			if (fflush(stdout) || ferror(stdout)) {
				say("cannot write what was found");
				return EXIT_NOT_LOOKED;
			}
			return rc;
		}
	}
	say("%s: no such command (see canpipe --help)", argv[first]);
	return EXIT_NOT_LOOKED;
}
