// SPDX-License-Identifier: GPL-2.0-only
/*
 * Device-tree overlays in the boot partition of a Raspberry Pi: copies them there and enables them
 * in a marked block of config.txt (overlay_block.h), and takes all that away again.
 */

#include "canpipe.h"
#include "config.h"
#include "devtree.h"
#include "fs.h"
#include "fs_write.h"
#include "overlay_block.h"
#include "overlay_dtb.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OVERLAYS	"/usr/share/canpipe/overlays"
#define DTOVERLAY	"dtoverlay="

struct overlay {
	struct canpipe *cp;
	bool dry_run, all;
	char *config;		/* /boot/firmware/config.txt */
	char *boot;		/* /boot/firmware */
	char *text;		/* of config.txt as it is */
	struct block block;
	const char *line;	/* that is compared with the others */
	unsigned int conflicts;
};

static void usage(FILE *out)
{
	fputs("usage: canpipe overlay list\n"
	      "       canpipe overlay install OVERLAY[,PARAMETER[=VALUE]...]... [--dry-run]\n"
	      "       canpipe overlay remove OVERLAY[,ce1]...|--all [--dry-run]\n"
	      "\n"
	      "install copies overlays of this package to the boot partition of a Raspberry Pi and enables\n"
	      "them in config.txt, between \"# canpipe begin\" and \"# canpipe end\"; no other line is\n"
	      "touched. What config.txt was before is kept in config.txt.before-canpipe. remove undoes it.\n"
	      "Both take effect at the next start.\n"
	      "\n"
	      "  --dry-run            say what would be done\n"
	      "  --all                all that it has installed\n"
	      "\n"
	      "  canpipe overlay install canpipe-spi0-dma canpipe-mcp2515,oscillator=16000000,interrupt=25\n",
	      out);
}

static char *name_of(const char *argument)
{
	return xasprintf("%.*s", (int)strcspn(argument, ","), argument);
}

/* nothing that leads elsewhere or means something in config.txt */
static bool is_plain(const char *argument)
{
	for (; *argument; argument++)
		if (!isalnum((unsigned char)*argument) && !strchr("-_.,=", *argument))
			return false;
	return true;
}

static bool open_config(struct overlay *o)
{
	struct config c;
	const char *error;
	char *slash;
	size_t size;

	config_read(o->cp, &c);
	if (!c.path) {
		say("no config.txt in %s/boot/firmware or %s/boot: is this a Raspberry Pi, and is its boot partition mounted?",
		    o->cp->root, o->cp->root);
		config_clear(&c);
		return false;
	}
	o->config = xstrdup(c.path);
	error = config_value(&c, "os_prefix") ? "os_prefix" :
		config_value(&c, "overlay_prefix") ? "overlay_prefix" : NULL;
	config_clear(&c);
	o->boot = xstrdup(o->config);
	slash = strrchr(o->boot, '/');
	*slash = 0;
	if (error) {
		say("%s%s has %s=, so overlays are elsewhere: copy them from " OVERLAYS " yourself",
		    o->cp->root, o->config, error);
		return false;
	}
	if (!fs_is_dir(o->cp, "%s/overlays", o->boot)) {
		say("%s%s/overlays is missing: is the boot partition mounted?", o->cp->root, o->boot);
		return false;
	}
	o->text = fs_read(o->cp, &size, "%s", o->config);
	if (!o->text) {
		fs_say_error(o->cp, o->config, -errno);
		return false;
	}
	error = strlen(o->text) == size ? block_parse(&o->block, o->text) : "is no text";
	if (error)
		say("%s%s %s; mend it first", o->cp->root, o->config, error);
	return !error;
}

static void close_config(struct overlay *o)
{
	block_clear(&o->block);
	free(o->text);
	free(o->boot);
	free(o->config);
}

static bool is_pi5(const struct canpipe *cp)
{
	char *model = devtree_string(cp, "/sys/firmware/devicetree/base/model");
	bool is = model && (strstr(model, "Raspberry Pi 5") || strstr(model, "Compute Module 5"));

	free(model);
	return is;
}

/* whether each parameter is one of the overlay's */
static bool check_parameters(const char *name, const char *argument, char **known)
{
	const char *p = argument;
	char *parameter;
	size_t i;
	bool is;

	while ((p = strchr(p, ','))) {
		p++;
		parameter = xasprintf("%.*s", (int)strcspn(p, ",="), p);
		for (i = 0, is = false; known[i]; i++)
			is = is || strcmp(known[i], parameter) == 0;
		if (!is)
			say("%s: %s has no parameter \"%s\" (see canpipe overlay list)", argument, name,
			    parameter);
		free(parameter);
		if (!is)
			return false;
	}
	return true;
}

/* an argument of install, the overlay's name in it */
static bool check_argument(struct canpipe *cp, const char *argument, const char *name)
{
	char **known, *blob;
	size_t size = 0;
	bool good;

	if (!is_plain(argument)) {
		say("%s: only letters, digits and -_.,= here", argument);
		return false;
	}
	if (strlen(DTOVERLAY) + strlen(argument) > CONFIG_LINE_MAX) {
		say("%s: too long, the firmware reads %d characters of a line", argument,
		    CONFIG_LINE_MAX);
		return false;
	}
	blob = *name ? fs_read(cp, &size, OVERLAYS "/%s.dtbo", name) : NULL;
	if (!blob) {
		say("%s: no such overlay in %s" OVERLAYS " (see canpipe overlay list)", name, cp->root);
		return false;
	}
	known = dtb_parameters(blob, size);
	free(blob);
	if (!known) {
		say("%s" OVERLAYS "/%s.dtbo is damaged: reinstall canpipe-utils", cp->root, name);
		return false;
	}
	good = check_parameters(name, argument, known);
	fs_list_free(known);
	return good;
}

/* what to do about two lines that do not go together; NULL: they do */
static const char *conflict(const char *line, const char *other)
{
	static const char *const cs_pins[] = { "spi0-0cs", "spi0-1cs", "spi0-2cs", "spi0-cs" };
	static const char *const recipes[] = { "spi0-hw-cs", "spi-bcm2835", "spi-bcm2835-overlay" };
	static const char *const hats[] = { "mcp2515", "mcp251xfd" };
	const char *there = "it is for the same chip select: put # in front of it";
	bool ce1 = line_has(line, "ce1");
	size_t i;

	if (line_enables(line, "canpipe-spi0-dma")) {
		for (i = 0; i < sizeof(recipes) / sizeof(recipes[0]); i++)
			if (line_enables(other, recipes[i]))
				return "it is for another driver: put # in front of it";
		for (i = 0; i < sizeof(cs_pins) / sizeof(cs_pins[0]); i++)
			if (line_enables(other, cs_pins[i]) && !line_has(line, "keep_pins"))
				return "it sets the same pins: put # in front of it, or keep them as it sets them with canpipe-spi0-dma,keep_pins";
	} else if (line_enables(line, "canpipe-mcp2515")) {
		if (line_enables(other, ce1 ? "mcp2515-can1" : "mcp2515-can0") ||
		    line_enables(other, "seeed-can-fd-hat-v1") ||
		    line_enables(other, "seeed-can-fd-hat-v2"))
			return there;
		for (i = 0; i < sizeof(hats) / sizeof(hats[0]); i++)
			if (line_enables(other, hats[i]) &&
			    line_has(other, ce1 ? "spi0-1" : "spi0-0"))
				return there;
	}
	return NULL;
}

static void compare(void *arg, unsigned int number, const char *other)
{
	struct overlay *o = arg;
	char *name = name_of(o->line + strlen(DTOVERLAY));
	const char *advice = conflict(o->line, other);

	if (!advice && line_enables(other, name) &&
	    line_has(other, "ce1") == line_has(o->line, "ce1"))
		advice = "it enables the same: put # in front of it, the one of canpipe takes its place";
	if (advice) {
		say("%s%s line %u, %s: %s", o->cp->root, o->config, number, other, advice);
		o->conflicts++;
	}
	free(name);
}

/* the firmware needs the file, at the place of its own ones */
static int copy_overlay(struct overlay *o, const char *name)
{
	char *path = xasprintf("%s/overlays/%s.dtbo", o->boot, name), *blob, *old;
	size_t size = 0, old_size = 0;
	int err = 0;

	blob = fs_read(o->cp, &size, OVERLAYS "/%s.dtbo", name);
	old = fs_read(o->cp, &old_size, "%s", path);
	if (!blob)
		err = -errno;
	else if (!old || old_size != size || memcmp(old, blob, size) != 0) {
		printf("%s %s%s\n", o->dry_run ? "would write" : "writing", o->cp->root, path);
		if (!o->dry_run)
			err = fs_replace(o->cp, path, blob, size);
	}
	if (err)
		fs_say_error(o->cp, path, err);
	free(old);
	free(blob);
	free(path);
	return err;
}

static int remove_file(struct overlay *o, const char *path)
{
	int err = 0;

	if (!fs_exists(o->cp, "%s", path))
		return 0;
	printf("%s %s%s\n", o->dry_run ? "would remove" : "removing", o->cp->root, path);
	if (!o->dry_run)
		err = fs_remove(o->cp, path);
	if (err)
		fs_say_error(o->cp, path, err);
	return err;
}

/* config.txt with the block as it is now; a backup before the first change */
static int write_config(struct overlay *o)
{
	char *text = block_text(&o->block), *backup = xasprintf("%s.before-canpipe", o->config);
	char *old = fs_read(o->cp, NULL, "%s", backup);
	size_t i;
	int err = 0;

	if (strcmp(text, o->text) == 0)
		goto out;
	printf("%s %s%s%s\n", o->dry_run ? "would write" : "writing", o->cp->root, o->config,
	       o->block.count ? ", in the block of canpipe:" : ", without the block of canpipe");
	for (i = 0; i < o->block.count; i++)
		printf("  %s\n", o->block.lines[i]);
	if (o->dry_run)
		goto out;
	if (!o->block.there)
		err = fs_replace(o->cp, backup, o->text, strlen(o->text));
	if (err) {
		fs_say_error(o->cp, backup, err);
		goto out;
	}
	err = fs_replace(o->cp, o->config, text, strlen(text));
	if (err)
		fs_say_error(o->cp, o->config, err);
	else if (old && strcmp(old, text) == 0)
		err = remove_file(o, backup);	/* as if nothing had been */
	if (!err)
		puts("Takes effect at the next start.");
out:
	free(old);
	free(backup);
	free(text);
	return err;
}

static int install(struct overlay *o, int argc, char **argv)
{
	char *name, *line;
	bool good = true;
	int i, err = 0;

	if (is_pi5(o->cp)) {
		say("a Raspberry Pi 5 has another SPI controller (RP1): use the kernel's drivers, with dtoverlay=mcp2515-can0,... in config.txt");
		return EXIT_FOUND;
	}
	for (i = 0; i < argc && good; i++) {
		name = name_of(argv[i]);
		good = check_argument(o->cp, argv[i], name);
		free(name);
	}
	if (!good || !open_config(o))
		return EXIT_NOT_LOOKED;
	for (i = 0; i < argc; i++) {
		line = xasprintf(DTOVERLAY "%s", argv[i]);
		o->line = line;
		block_outside(&o->block, compare, o);
		block_add(&o->block, line);
		free(line);
	}
	if (o->conflicts) {
		say("nothing was changed");
		return EXIT_FOUND;
	}
	for (i = 0; i < argc && !err; i++) {
		name = name_of(argv[i]);
		err = copy_overlay(o, name);
		free(name);
	}
	if (!err)
		err = write_config(o);
	return err ? EXIT_NOT_LOOKED : EXIT_OK;
}

struct used {
	const char *name;
	bool is;
};

static void find_use(void *arg, unsigned int number, const char *line)
{
	struct used *used = arg;

	(void)number;
	used->is = used->is || line_enables(line, used->name);
}

/* the file of an overlay that no line enables */
static int remove_unused(struct overlay *o, const char *name)
{
	struct used used = { .name = name };
	char *path;
	size_t i;
	int err = 0;

	for (i = 0; i < o->block.count; i++)
		find_use(&used, 0, o->block.lines[i]);
	block_outside(&o->block, find_use, &used);
	if (!used.is) {
		path = xasprintf("%s/overlays/%s.dtbo", o->boot, name);
		err = remove_file(o, path);
		free(path);
	}
	return err;
}

/* OVERLAY: all lines of it; OVERLAY,ce1: that one */
static bool is_meant(const char *line, const char *argument, const char *name)
{
	return line_enables(line, name) &&
	       (!strchr(argument, ',') || line_has(line, "ce1") == line_has(argument, "ce1"));
}

static int remove_some(struct overlay *o, int argc, char **argv)
{
	char *name, **names;
	size_t line;
	int i, err;

	for (i = 0; i < argc; i++) {
		if (strncmp(argv[i], "canpipe-", 8) != 0 || !is_plain(argv[i])) {
			say("%s: not an overlay of canpipe", argv[i]);
			return EXIT_NOT_LOOKED;
		}
	}
	if (!open_config(o))
		return EXIT_NOT_LOOKED;
	for (line = o->block.count; line-- > 0;) {
		bool meant = o->all;

		for (i = 0; i < argc && !meant; i++) {
			name = name_of(argv[i]);
			meant = is_meant(o->block.lines[line], argv[i], name);
			free(name);
		}
		if (meant)
			block_remove(&o->block, line);
	}
	/* a line without its file is worse than a file without a line */
	err = write_config(o);
	if (o->all) {
		names = fs_list(o->cp, "%s/overlays", o->boot);
		for (i = 0; names[i] && !err; i++) {
			size_t n = strlen(names[i]);

			if (strncmp(names[i], "canpipe-", 8) != 0 || n < 5 ||
			    strcmp(names[i] + n - 5, ".dtbo") != 0)
				continue;
			names[i][n - 5] = 0;
			err = remove_unused(o, names[i]);
		}
		fs_list_free(names);
	}
	for (i = 0; i < argc && !err; i++) {
		name = name_of(argv[i]);
		err = remove_unused(o, name);
		free(name);
	}
	return err ? EXIT_NOT_LOOKED : EXIT_OK;
}

static void list_one(struct overlay *o, const char *name)
{
	size_t size = 0, old_size = 0, i;
	char *blob = fs_read(o->cp, &size, OVERLAYS "/%s.dtbo", name), **known;
	char *old = fs_read(o->cp, &old_size, "%s/overlays/%s.dtbo", o->boot, name);

	printf("%s: %s\n", name, !old ? "not installed" :
	       !blob || old_size != size || memcmp(old, blob, size) != 0 ?
	       "installed, and not as in this version" : "installed");
	known = blob ? dtb_parameters(blob, size) : NULL;
	for (i = 0; known && known[i]; i++)
		printf("%s%s", i ? ", " : "  parameters: ", known[i]);
	if (known && i)
		putchar('\n');
	for (i = 0; i < o->block.count; i++)
		if (line_enables(o->block.lines[i], name))
			printf("  %s\n", o->block.lines[i]);
	if (known)
		fs_list_free(known);
	free(old);
	free(blob);
}

static int list(struct overlay *o)
{
	char **names = fs_list(o->cp, OVERLAYS), *dot;
	size_t i, n = 0;

	if (!open_config(o)) {
		fs_list_free(names);
		return EXIT_NOT_LOOKED;
	}
	for (i = 0; names[i]; i++) {
		dot = strrchr(names[i], '.');
		if (!dot || strcmp(dot, ".dtbo") != 0)
			continue;
		*dot = 0;
		list_one(o, names[i]);
		n++;
	}
	if (!n)
		say("%s" OVERLAYS " has none: install canpipe-utils", o->cp->root);
	fs_list_free(names);
	return n ? EXIT_OK : EXIT_NOT_LOOKED;
}

int cmd_overlay(struct canpipe *cp, int argc, char **argv)
{
	struct overlay o = { .cp = cp };
	int i, n = 0, rc = EXIT_NOT_LOOKED;
	const char *what = NULL;

	for (i = 1; i < argc; i++) {
		if (is_help(argv[i])) {
			usage(stdout);
			return EXIT_OK;
		} else if (is_option(argv[i], "--dry-run")) {
			o.dry_run = true;
		} else if (is_option(argv[i], "--all")) {
			o.all = true;
		} else if (argv[i][0] == '-') {
			say("%s: no such option (see canpipe overlay --help)", argv[i]);
			return EXIT_NOT_LOOKED;
		} else if (!what) {
			what = argv[i];
		} else {
			argv[n++] = argv[i];
		}
	}
	if (what && strcmp(what, "list") == 0 && !n && !o.all)
		rc = list(&o);
	else if (what && strcmp(what, "install") == 0 && n && !o.all)
		rc = install(&o, n, argv);
	else if (what && strcmp(what, "remove") == 0 && (n > 0) != o.all)
		rc = remove_some(&o, n, argv);
	else
		usage(stderr);
	close_config(&o);
	return rc;
}
