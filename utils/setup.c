// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that bring an interface up at boot: for systemd-networkd, ifupdown, or the unit canpipe@.
 * They are only written, the user turns on what reads them. There is no bit rate by default: a node
 * with a wrong one disturbs the bus.
 */

#include "canpipe.h"
#include "fs.h"
#include "fs_write.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BITRATE_MIN	1000
#define BITRATE_MAX	1000000
#define RESTART_MAX	60000		/* ms */
#define NAME_MAX_LEN	15		/* of an interface */

/* by this the files are known again */
#define MARK		"# written by \"canpipe setup %s\"; \"canpipe setup %s --remove\" removes it\n"
#define MARK_BEGIN	"# written by \"canpipe setup "

struct setup {
	const char *iface;
	unsigned int bitrate;		/* bit/s */
	unsigned int restart_ms;
	unsigned int sample_point;	/* in thousandths, 0: the kernel chooses */
	bool listen_only;
	bool triple_sampling;
	bool remove;
	bool dry_run;
	int with;			/* index of methods, -1: not said */
};

static char *text_networkd(const struct setup *s)
{
	char *sample = s->sample_point ? xasprintf("SamplePoint=%u.%u%%\n", s->sample_point / 10,
						   s->sample_point % 10) : xstrdup("");
	char *restart = s->restart_ms ? xasprintf("RestartSec=%ums\n", s->restart_ms) : xstrdup("");
	char *text = xasprintf(MARK "[Match]\nName=%s\n\n[Link]\nRequiredForOnline=no\n\n"
			       "[CAN]\nBitRate=%u\n%s%s%s%s", s->iface, s->iface, s->iface,
			       s->bitrate, sample, restart,
			       s->listen_only ? "ListenOnly=yes\n" : "",
			       s->triple_sampling ? "TripleSampling=yes\n" : "");

	free(sample);
	free(restart);
	return text;
}

static char *text_ifupdown(const struct setup *s)
{
	char *sample = s->sample_point ? xasprintf("\tsamplepoint 0.%03u\n", s->sample_point) :
					 xstrdup("");
	char *text = xasprintf(MARK "allow-hotplug %s\niface %s can static\n\tbitrate %u\n"
			       "%s\trestart-ms %u\n%s%s", s->iface, s->iface, s->iface, s->iface,
			       s->bitrate, sample, s->restart_ms,
			       s->listen_only ? "\tlistenonly on\n" : "",
			       s->triple_sampling ? "\ttriple on\n" : "");

	free(sample);
	return text;
}

static char *text_unit(const struct setup *s)
{
	char *sample = s->sample_point ? xasprintf("sample-point 0.%03u ", s->sample_point) :
					 xstrdup("");
	char *text = xasprintf(MARK "BITRATE=%u\nOPTIONS=\"%srestart-ms %u listen-only %s "
			       "triple-sampling %s\"\n", s->iface, s->iface, s->bitrate, sample,
			       s->restart_ms, s->listen_only ? "on" : "off",
			       s->triple_sampling ? "on" : "off");

	free(sample);
	return text;
}

/* what reads the files; %s: the interface */
static const struct method {
	const char *name;
	const char *path;
	char *(*text)(const struct setup *s);
	const char *on;		/* the commands that put the file into effect */
	const char *off;
} methods[] = {
	{ "networkd", "/etc/systemd/network/80-canpipe-%s.network", text_networkd,
	  "systemctl enable --now systemd-networkd && networkctl reload",
	  "networkctl reload && ip link set %s down" },
	{ "ifupdown", "/etc/network/interfaces.d/canpipe-%s", text_ifupdown,
	  "ifup %s", "ip link set %s down" },
	{ "unit", "/etc/canpipe/%s.conf", text_unit,
	  "systemctl enable canpipe@%s && systemctl restart canpipe@%s",
	  "systemctl disable --now canpipe@%s" },
};

#define WITH_UNIT	2
#define METHODS		(int)(sizeof(methods) / sizeof(methods[0]))

static void usage(FILE *out)
{
	fputs("usage: canpipe setup IFACE BITRATE [OPTION...]\n"
	      "       canpipe setup IFACE --remove [--dry-run]\n"
	      "\n"
	      "Writes a file that brings a CAN interface up at boot, and says which command puts it into\n"
	      "effect; it changes nothing by itself.\n"
	      "\n"
	      "  BITRATE              bit/s, that of the bus: 1000 to 1000000\n"
	      "  --restart-ms N       after bus-off try again, N ms later; 0: stay off (100)\n"
	      "  --sample-point P     0.500 to 0.999 (the kernel chooses)\n"
	      "  --listen-only        neither send nor acknowledge\n"
	      "  --triple-sampling    sample each bit three times\n"
	      "  --with WHAT          networkd (default), ifupdown, or unit: canpipe@IFACE.service\n"
	      "  --remove             remove what it has written for IFACE\n"
	      "  --dry-run            show the file, write nothing\n"
	      "\n"
	      "IFACE may be a name that stays with the controller, like can-spi0.0, for networkd.\n", out);
}

/* only characters that mean nothing to those who read the files; not more than the kernel takes */
static bool is_name(const char *name, size_t max)
{
	const char *p;

	for (p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._-", *p))
			return false;
	return *name && *name != '.' && *name != '-' && strlen(name) <= max;
}

static bool number(const char *text, unsigned int min, unsigned int max, unsigned int *n)
{
	char *end;
	unsigned long value;

	if (!isdigit((unsigned char)*text))
		return false;
	value = strtoul(text, &end, 10);
	if (*end || value < min || value > max)
		return false;
	*n = (unsigned int)value;
	return true;
}

/* 0.875 in thousandths */
static bool sample_point(const char *text, unsigned int *n)
{
	char digits[4] = "000";
	size_t length;

	if (strncmp(text, "0.", 2) == 0)
		text++;
	if (*text != '.')
		return false;
	length = strlen(++text);
	if (!length || length > 3)
		return false;
	memcpy(digits, text, length);
	return number(digits, 500, 999, n);
}

static int parse(struct setup *s, int argc, char **argv)
{
	const char *value, *rate = NULL;
	int i;

	for (i = 1; i < argc; i++) {
		if (is_option(argv[i], "--listen-only")) {
			s->listen_only = true;
		} else if (is_option(argv[i], "--triple-sampling")) {
			s->triple_sampling = true;
		} else if (is_option(argv[i], "--remove")) {
			s->remove = true;
		} else if (is_option(argv[i], "--dry-run")) {
			s->dry_run = true;
		} else if ((value = option_value(argc, argv, &i, "--restart-ms"))) {
			if (!number(value, 0, RESTART_MAX, &s->restart_ms)) {
				say("--restart-ms %s: not a number from 0 to %u", value, RESTART_MAX);
				return -1;
			}
		} else if ((value = option_value(argc, argv, &i, "--sample-point"))) {
			if (!sample_point(value, &s->sample_point)) {
				say("--sample-point %s: not a number from 0.500 to 0.999", value);
				return -1;
			}
		} else if ((value = option_value(argc, argv, &i, "--with"))) {
			for (s->with = METHODS - 1; s->with >= 0; s->with--)
				if (strcmp(value, methods[s->with].name) == 0)
					break;
			if (s->with < 0) {
				say("--with %s: networkd, ifupdown or unit", value);
				return -1;
			}
		} else if (argv[i][0] == '-') {
			say("%s: no such option, or its value is missing (see canpipe setup --help)",
			    argv[i]);
			return -1;
		} else if (!s->iface) {
			s->iface = argv[i];
		} else if (!rate) {
			rate = argv[i];
		} else {
			say("%s: one interface and one bit rate (see canpipe setup --help)", argv[i]);
			return -1;
		}
	}
	if (!s->iface) {
		say("which interface? (see canpipe setup --help)");
		return -1;
	}
	/* an alternative name may be longer, and only networkd knows of them */
	if (!is_name(s->iface, s->with > 0 ? NAME_MAX_LEN : 64)) {
		say("%s: not the name of an interface%s", s->iface,
		    s->with > 0 ? " of 15 characters at most" : "");
		return -1;
	}
	if (s->with == WITH_UNIT && strchr(s->iface, '-')) {
		say("%s: a dash means something else in the name of a unit; --with networkd",
		    s->iface);
		return -1;
	}
	if (s->remove) {
		if (rate)
			say("%s: --remove takes no bit rate", rate);
		return rate ? -1 : 0;
	}
	if (!rate) {
		say("%s: at which bit rate is the bus? A wrong one disturbs it, so there is no default",
		    s->iface);
		return -1;
	}
	if (!number(rate, BITRATE_MIN, BITRATE_MAX, &s->bitrate)) {
		say("%s: the bit rate is not a number from %u to %u bit/s", rate, BITRATE_MIN,
		    BITRATE_MAX);
		return -1;
	}
	return 0;
}

/* for each %s the interface */
static char *fill_in(const char *pattern, const char *iface)
{
	char *text = xstrdup(""), *longer;
	const char *end;

	while ((end = strstr(pattern, "%s"))) {
		longer = xasprintf("%s%.*s%s", text, (int)(end - pattern), pattern, iface);
		free(text);
		text = longer;
		pattern = end + 2;
	}
	longer = xasprintf("%s%s", text, pattern);
	free(text);
	return longer;
}

static char *file_of(const struct method *m, const char *iface)
{
	return fill_in(m->path, iface);
}

static void advise(const char *what, const char *pattern, const char *iface)
{
	char *command = fill_in(pattern, iface);

	printf("%s:\n  %s\n", what, command);
	free(command);
}

static int remove_one(struct canpipe *cp, const struct setup *s, const struct method *m,
		      bool *found)
{
	char *path = file_of(m, s->iface), *text = fs_read(cp, NULL, "%s", path);
	int rc = EXIT_OK, err;

	if (text && strncmp(text, MARK_BEGIN, strlen(MARK_BEGIN)) != 0) {
		say("%s%s: not written by canpipe setup; it stays", cp->root, path);
		*found = true;
		rc = EXIT_FOUND;
	} else if (text) {
		*found = true;
		err = s->dry_run ? 0 : fs_remove(cp, path);
		if (err) {
			fs_say_error(cp, path, err);
			rc = EXIT_NOT_LOOKED;
		} else {
			printf("%s%s%s\n", s->dry_run ? "would remove " : "removed ", cp->root, path);
			advise("To put this into effect now", m->off, s->iface);
		}
	}
	free(text);
	free(path);
	return rc;
}

static int remove_files(struct canpipe *cp, const struct setup *s)
{
	bool found = false;
	int i, rc = EXIT_OK, one;

	for (i = 0; i < METHODS; i++) {
		if (s->with >= 0 && s->with != i)
			continue;
		one = remove_one(cp, s, &methods[i], &found);
		rc = one > rc ? one : rc;
	}
	if (!found)
		printf("canpipe setup has written nothing for %s\n", s->iface);
	return rc;
}

/* Two that bring one interface up fight. */
static bool is_set_up_otherwise(struct canpipe *cp, const struct setup *s, int with)
{
	char *path;
	bool is;
	int i;

	for (i = 0; i < METHODS; i++) {
		if (i == with)
			continue;
		path = file_of(&methods[i], s->iface);
		is = fs_exists(cp, "%s", path);
		if (is)
			say("%s%s brings %s up already: canpipe setup %s --remove, or --with %s",
			    cp->root, path, s->iface, s->iface, methods[i].name);
		free(path);
		if (is)
			return true;
	}
	return false;
}

static int write_file(struct canpipe *cp, const struct setup *s)
{
	int with = s->with < 0 ? 0 : s->with, rc = EXIT_OK, err;
	const struct method *m = &methods[with];
	char *path, *text, *old;

	if (is_set_up_otherwise(cp, s, with))
		return EXIT_FOUND;
	path = file_of(m, s->iface);
	text = m->text(s);
	old = fs_read(cp, NULL, "%s", path);
	if (old && strncmp(old, MARK_BEGIN, strlen(MARK_BEGIN)) != 0) {
		say("%s%s: not written by canpipe setup; move it away first", cp->root, path);
		rc = EXIT_FOUND;
	} else if (s->dry_run) {
		printf("would write %s%s:\n%s", cp->root, path, text);
	} else if (old && strcmp(old, text) == 0) {
		printf("%s%s is as it should be\n", cp->root, path);
	} else {
		err = fs_replace(cp, path, text, strlen(text));
		if (err) {
			fs_say_error(cp, path, err);
			rc = EXIT_NOT_LOOKED;
		} else {
			printf("wrote %s%s\n", cp->root, path);
		}
	}
	if (rc == EXIT_OK)
		advise("To put it into effect now and at each boot", m->on, s->iface);
	if (rc == EXIT_OK && !fs_exists(cp, "/sys/class/net/%s", s->iface))
		printf("There is no interface of the name %s now; canpipe status says which there are.\n",
		       s->iface);
	free(old);
	free(text);
	free(path);
	return rc;
}

int cmd_setup(struct canpipe *cp, int argc, char **argv)
{
	struct setup s = { .restart_ms = 100, .with = -1 };
	int i;

	for (i = 1; i < argc; i++) {
		if (is_help(argv[i])) {
			usage(stdout);
			return EXIT_OK;
		}
	}
	if (parse(&s, argc, argv) < 0)
		return EXIT_NOT_LOOKED;
	return s.remove ? remove_files(cp, &s) : write_file(cp, &s);
}
