// SPDX-License-Identifier: GPL-2.0-only
/*
 * canpipe doctor: look for the troubles that are known
 */

#include "doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WATCH_DEFAULT	1.0
#define WATCH_MAX	3600.0

struct options {
	const char *iface;
	double watch;		/* seconds */
	uint32_t bitrate;
};

/* a look at all interfaces */
struct look {
	struct link *links;
	struct iface *list;
	size_t count;
};

uint64_t watched_counter(const struct watched *w, const char *counter)
{
	const struct link_counter *c = link_counter(w->now->link, counter);

	return c ? c->value : 0;
}

uint64_t watched_growth(const struct watched *w, const char *counter)
{
	const struct link_counter *c = link_counter(w->before->link, counter);
	uint64_t now = watched_counter(w, counter);

	return c && now > c->value ? now - c->value : 0;
}

static void usage(FILE *out)
{
	fputs("usage: canpipe [--json] doctor [OPTION...] [IFACE]\n\n"
	      "  --watch SECONDS  for how long to watch interrupts and counters (1)\n"
	      "  --bitrate N      the bit rate of the bus, bit/s, if you know it\n"
	      "  --json           one JSON object instead of text\n\n"
	      "Exit code: 0 nothing was found, 1 something was, 2 it could not look.\n", out);
}

static bool number(const char *text, double max, double *value)
{
	char *end;

	*value = strtod(text, &end);
	return end != text && !*end && *value >= 0 && *value <= max;
}

/* returns what to exit with, or -1 to go on */
static int parse(struct canpipe *cp, int argc, char **argv, struct options *o)
{
	const char *value;
	double n;
	int i;

	*o = (struct options){ .watch = WATCH_DEFAULT };
	for (i = 1; i < argc; i++) {
		if (is_help(argv[i])) {
			usage(stdout);
			return EXIT_OK;
		} else if (is_option(argv[i], "--json")) {
			cp->json = true;
		} else if ((value = option_value(argc, argv, &i, "--watch"))) {
			if (!number(value, WATCH_MAX, &o->watch)) {
				say("--watch %s: seconds, 0 to %.0f", value, WATCH_MAX);
				return EXIT_NOT_LOOKED;
			}
		} else if ((value = option_value(argc, argv, &i, "--bitrate"))) {
			if (!number(value, 1e6, &n) || n < 1000) {
				say("--bitrate %s: in bit/s, as 500000", value);
				return EXIT_NOT_LOOKED;
			}
			o->bitrate = n;
		} else if (argv[i][0] == '-' || o->iface) {
			say("doctor: %s: no such option, or its value is missing (see canpipe doctor --help)",
			    argv[i]);
			return EXIT_NOT_LOOKED;
		} else {
			o->iface = argv[i];
		}
	}
	return -1;
}

static bool look(const struct canpipe *cp, const struct system *s, const char *iface,
		 struct look *l)
{
	const struct link *link;

	*l = (struct look){ 0 };
	if (!links_read(iface, &l->links)) {
		say("the kernel does not tell about its interfaces: %s", strerror(errno));
		return false;
	}
	for (link = l->links; link; link = link->next) {
		/* those that are made of software have none of these troubles */
		if (!link->is_can)
			continue;
		l->list = xrealloc(l->list, (l->count + 1) * sizeof(*l->list));
		iface_read(cp, s, link, &l->list[l->count++]);
	}
	return true;
}

static void look_clear(struct look *l)
{
	size_t i;

	for (i = 0; i < l->count; i++)
		iface_clear(&l->list[i]);
	free(l->list);
	links_free(l->links);
}

static void wait_for(double seconds)
{
	struct timespec ts = { .tv_sec = seconds };

	ts.tv_nsec = (seconds - ts.tv_sec) * 1e9;
	while (nanosleep(&ts, &ts) < 0 && errno == EINTR)
		;
}

/* the interface as it was in the first look; the second one if it is new */
static const struct iface *earlier(const struct look *before, const struct iface *now)
{
	size_t i;

	for (i = 0; i < before->count; i++)
		if (before->list[i].link->index == now->link->index)
			return &before->list[i];
	return now;
}

static void judge(const struct system *s, const struct look *before, const struct look *now,
		  const struct options *o, struct findings *f)
{
	struct watched *list = xcalloc(now->count + 1, sizeof(*list));
	size_t i;

	for (i = 0; i < now->count; i++) {
		list[i].now = &now->list[i];
		list[i].before = earlier(before, list[i].now);
		list[i].seconds = o->watch;
		list[i].bitrate = o->bitrate;
	}
	doctor_system(s, list, now->count, f);
	doctor_config(s, now->count > 0, f);
	for (i = 0; i < now->count; i++) {
		doctor_bus(s, &list[i], f);
		doctor_queue(s, &list[i], f);
		doctor_spi(s, &list[i], f);
	}
	free(list);
}

/* what could not be seen is said, but is no finding */
static void warn_blind(const struct system *s)
{
	if (geteuid() != 0)
		say("run as root to see everything (the kernel's log, pins, clocks)");
	else if (!s->log.readable)
		say("the kernel's log cannot be read: what drivers say is not looked at");
}

int cmd_doctor(struct canpipe *cp, int argc, char **argv)
{
	struct look before, now = { 0 };
	struct findings f = { 0 };
	struct options o;
	struct system s;
	int rc = parse(cp, argc, argv, &o);

	if (rc >= 0)
		return rc;
	system_read(cp, &s);
	warn_blind(&s);
	rc = EXIT_NOT_LOOKED;
	if (!look(cp, &s, o.iface, &before))
		goto out;
	if (o.iface && !before.count) {
		say("%s: there is no CAN controller of that name (see ip link)", o.iface);
		goto out;
	}
	wait_for(before.count ? o.watch : 0);
	if (!look(cp, &s, o.iface, &now))
		goto out;
	judge(&s, &before, &now, &o, &f);
	f_sort(&f);
	if (cp->json)
		f_print_json(&f, stdout);
	else if (f.count)
		f_print(&f, stdout);
	else
		printf("Nothing was found. %zu CAN interface%s looked at.\n", now.count,
		       now.count == 1 ? " was" : "s were");
	rc = f.count ? EXIT_FOUND : EXIT_OK;
out:
	f_free(&f);
	look_clear(&before);
	look_clear(&now);
	system_clear(&s);
	return rc;
}
