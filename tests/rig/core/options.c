// SPDX-License-Identifier: GPL-2.0-only
#include "options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

__attribute__((format(printf, 3, 4)))
static bool mistake(char *err, size_t errlen, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(err, errlen, fmt, ap);
	va_end(ap);
	return false;
}

static bool number(const char *name, const char *value, unsigned long min,
		   unsigned long max, unsigned long *to, char *err, size_t errlen)
{
	char *end;

	errno = 0;
	*to = strtoul(value, &end, 0);
	if (errno || *end || end == value || *value == '-' || *to < min || *to > max)
		return mistake(err, errlen, "%s=%s: must be a number from %lu to %lu", name,
			       value, min, max);
	return true;
}

static bool boolean(const char *name, const char *value, bool *to, char *err, size_t errlen)
{
	if (!strcmp(value, "1") || !strcmp(value, "on"))
		*to = true;
	else if (!strcmp(value, "0") || !strcmp(value, "off"))
		*to = false;
	else
		return mistake(err, errlen, "%s=%s: must be 0 or 1", name, value);
	return true;
}

static bool nanoseconds(const char *name, const char *value, unsigned int min,
			unsigned int *to, char *err, size_t errlen)
{
	unsigned long n;

	if (!number(name, value, min, 1000000, &n, err, errlen))
		return false;
	*to = (unsigned int)n;
	return true;
}

static bool board_option(struct rig_options *o, char *value, char *err, size_t errlen)
{
	char *equals = strchr(value, '=');

	if (!equals)
		return mistake(err, errlen, "boardopt=%s: write boardopt=NAME=VALUE", value);
	if (o->board_options == RIG_MAX_BOARD_OPTIONS)
		return mistake(err, errlen, "more than %d board options", RIG_MAX_BOARD_OPTIONS);
	*equals = '\0';
	o->board_option[o->board_options++] = (struct board_option){
		.name = value,
		.value = equals + 1,
	};
	return true;
}

static bool board(struct rig_options *o, const char *value, char *err, size_t errlen)
{
	o->board = board_find(value);
	return o->board || mistake(err, errlen, "board=%s: there is no such board", value);
}

/* Costs given one by one win, wherever they stand. */
struct costs {
	const struct rig_profile *profile;
	unsigned int insn_ns, read_ns, write_ns;
};

#define UNSET (~0u)

static bool option(struct rig_options *o, struct costs *c, const char *name, char *value,
		   char *err, size_t errlen)
{
	unsigned long n;

	if (!strcmp(name, "board"))
		return board(o, value, err, errlen);
	if (!strcmp(name, "profile")) {
		c->profile = rig_profile_find(value);
		return c->profile ||
		       mistake(err, errlen, "profile=%s: there is no such profile", value);
	}
	if (!strcmp(name, "insn_ns"))
		return nanoseconds(name, value, 1, &c->insn_ns, err, errlen);
	if (!strcmp(name, "read_ns"))
		return nanoseconds(name, value, 0, &c->read_ns, err, errlen);
	if (!strcmp(name, "write_ns"))
		return nanoseconds(name, value, 0, &c->write_ns, err, errlen);
	if (!strcmp(name, "fast"))
		return boolean(name, value, &o->fast, err, errlen);
	if (!strcmp(name, "intx"))
		return boolean(name, value, &o->intx, err, errlen);
	if (!strcmp(name, "boardopt"))
		return board_option(o, value, err, errlen);
	if (!strcmp(name, "bitrate")) {
		if (!number(name, value, 10000, 1000000, &n, err, errlen))
			return false;
		o->bitrate = (uint32_t)n;
		return true;
	}
	if (!strcmp(name, "peer")) {
		if (o->peers == RIG_MAX_PEERS)
			return mistake(err, errlen, "more than %d peers", RIG_MAX_PEERS);
		o->peer[o->peers++] = value;
		return true;
	}
	if (!strcmp(name, "sock"))
		o->sock = value;
	else if (!strcmp(name, "ctl"))
		o->ctl = value;
	else if (!strcmp(name, "result"))
		o->result = value;
	else if (!strcmp(name, "log"))
		o->log = value;
	else
		return mistake(err, errlen, "%s: there is no such option", name);
	return true;
}

bool rig_options_parse(struct rig_options *options, int argc, char **argv, char *err,
		       size_t errlen)
{
	struct costs c = {
		.profile = rig_profile_find("bare"),
		.insn_ns = UNSET,
		.read_ns = UNSET,
		.write_ns = UNSET,
	};

	*options = (struct rig_options){ .fast = true, .bitrate = 1000000 };
	for (int i = 0; i < argc; i++) {
		char *word = strdup(argv[i]);	/* argv may go away */
		char *equals = word ? strchr(word, '=') : NULL;

		if (!word)
			return mistake(err, errlen, "out of memory");
		if (!equals)
			return mistake(err, errlen, "%s: write NAME=VALUE", word);
		*equals = '\0';
		if (!option(options, &c, word, equals + 1, err, errlen))
			return false;
	}
	if (!options->board)
		return mistake(err, errlen, "board=NAME is missing");
	if (!options->sock)
		return mistake(err, errlen, "sock=PATH is missing");
	options->profile = *c.profile;
	if (c.insn_ns != UNSET)
		options->profile.insn_ns = c.insn_ns;
	if (c.read_ns != UNSET)
		options->profile.read_ns = c.read_ns;
	if (c.write_ns != UNSET)
		options->profile.write_ns = c.write_ns;
	return true;
}

void rig_options_help(FILE *out)
{
	fputs("Options, NAME=VALUE each:\n"
	      "  board=NAME          the hardware in front of the guest, see below\n"
	      "  sock=PATH           socket of the board, for QEMU's vfio-user-pci\n"
	      "  ctl=PATH            socket of the control device (none if not given)\n"
	      "  profile=NAME        what instructions and register accesses cost, see below\n"
	      "  insn_ns= read_ns= write_ns=  one of these costs, instead of the profile's\n"
	      "  peer=FILE           script of a node on the bus; may be repeated\n"
	      "  bitrate=N           of the peers (1000000)\n"
	      "  boardopt=NAME=VALUE for the board; may be repeated\n"
	      "  intx=1              the board has no MSI\n"
	      "  fast=0              all register accesses through the socket\n"
	      "  result=FILE         write the measurement there, as JSON\n"
	      "  log=FILE            write every register access and interrupt there\n"
	      "Boards:\n", out);
	board_list(out);
	fputs("Profiles:\n", out);
	rig_profile_list(out);
}
