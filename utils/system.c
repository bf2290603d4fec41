// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine: kernel, headers, modules, settings
 */

#include "system.h"
#include "devtree.h"
#include "fs.h"
#include "iface.h"

#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

static const char *const module_names[] = {
	"c_can", "c_can_platform", "c_can_pci", "mcp251x", "spi_bcm2835dma",
};

#define MODULES	(sizeof(module_names) / sizeof(module_names[0]))

/* what this program was built for, where dpkg does not tell */
#if defined(__aarch64__)
#define BUILT_FOR	"arm64"
#elif defined(__arm__)
#define BUILT_FOR	"armhf"
#elif defined(__x86_64__)
#define BUILT_FOR	"amd64"
#elif defined(__i386__)
#define BUILT_FOR	"i386"
#else
#define BUILT_FOR	"unknown"
#endif

static void read_kernel(const struct canpipe *cp, struct system *s)
{
	struct utsname uts;

	if (uname(&uts) < 0)
		memset(&uts, 0, sizeof(uts));
	s->release = fs_line(cp, "/proc/sys/kernel/osrelease");
	if (!s->release)
		s->release = xstrdup(uts.release);
	/* Linux 6.1 and later; says the truth to programs of 32 bits, too */
	s->kernel_arch = fs_line(cp, "/proc/sys/kernel/arch");
	if (!s->kernel_arch)
		s->kernel_arch = xstrdup(uts.machine);
}

/* dpkg's own architecture is that of the user land */
static void read_user_arch(const struct canpipe *cp, struct system *s)
{
	char *status = fs_read(cp, NULL, "/var/lib/dpkg/status");
	char *entry = NULL, *field, *end;

	if (status && strncmp(status, "Package: dpkg\n", 14) == 0)
		entry = status;
	else if (status)
		entry = strstr(status, "\n\nPackage: dpkg\n");
	if (entry) {
		entry += strspn(entry, "\n");
		end = strstr(entry, "\n\n");
		if (end)
			*end = 0;
		field = strstr(entry, "\nArchitecture: ");
		if (field) {
			field += strlen("\nArchitecture: ");
			field[strcspn(field, "\n")] = 0;
			s->user_arch = xstrdup(field);
		}
	}
	if (!s->user_arch)
		s->user_arch = xstrdup(BUILT_FOR);
	free(status);
}

/* #define UTS_RELEASE "6.1.0-50-arm64" */
static char *headers_release(const struct canpipe *cp, const char *release)
{
	static const char *const places[] = {
		"include/generated/utsrelease.h", "include/generated/uapi/linux/utsrelease.h",
	};
	char *text = NULL, *begin, *found = NULL;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]) && !text; i++)
		text = fs_read(cp, NULL, "/lib/modules/%s/build/%s", release, places[i]);
	begin = text ? strstr(text, "UTS_RELEASE \"") : NULL;
	if (begin) {
		begin += strlen("UTS_RELEASE \"");
		begin[strcspn(begin, "\"")] = 0;
		found = xstrdup(begin);
	}
	free(text);
	return found;
}

static bool has_headers(const struct canpipe *cp, const char *release)
{
	return fs_exists(cp, "/lib/modules/%s/build/Makefile", release);
}

static void read_headers(const struct canpipe *cp, struct system *s)
{
	char **releases;
	size_t i;

	s->modules_there = fs_exists(cp, "/lib/modules/%s/modules.dep", s->release);
	if (has_headers(cp, s->release)) {
		s->headers_of = headers_release(cp, s->release);
		if (s->headers_of && strcmp(s->headers_of, s->release) != 0)
			s->headers = HEADERS_WRONG;
		return;
	}
	s->headers = HEADERS_MISSING;
	releases = fs_list(cp, "/lib/modules");
	for (i = 0; releases[i]; i++) {
		if (has_headers(cp, releases[i])) {
			free(s->headers_of);
			s->headers_of = xstrdup(releases[i]);
		}
	}
	fs_list_free(releases);
}

static void read_package(const struct canpipe *cp, struct system *s)
{
	char **names = fs_list(cp, "/usr/src");
	size_t i;

	for (i = 0; names[i]; i++) {
		if (strncmp(names[i], "canpipe-", 8) == 0 &&
		    fs_exists(cp, "/usr/src/%s/dkms.conf", names[i])) {
			free(s->package);
			s->package = xstrdup(names[i] + 8);
		}
	}
	fs_list_free(names);
}

static void read_modules(const struct canpipe *cp, struct system *s)
{
	struct module none;
	size_t i;

	s->modules = xcalloc(MODULES, sizeof(*s->modules));
	s->module_count = MODULES;
	for (i = 0; i < MODULES; i++) {
		module_read(cp, s->release, module_names[i], &s->modules[i]);
		if (s->modules[i].file && module_id_ours(&s->modules[i].file_id))
			s->built = true;
	}
	module_read(cp, s->release, "canpipe_none", &none);
	s->placeholder = none.file != NULL;
	module_clear(&none);
}

/* chips for mcp251x that it is not bound to */
static void read_unbound(const struct canpipe *cp, struct system *s)
{
	char **names = fs_list(cp, "/sys/bus/spi/devices");
	char *compatible;
	size_t i, n = 0;

	s->unbound = xcalloc(1, sizeof(*s->unbound));
	for (i = 0; names[i]; i++) {
		if (fs_exists(cp, "/sys/bus/spi/devices/%s/driver", names[i]))
			continue;
		compatible = devtree_string(cp, "/sys/bus/spi/devices/%s/of_node/compatible",
					    names[i]);
		if (compatible && iface_spi_limit(compatible)) {
			s->unbound = xrealloc(s->unbound, (n + 2) * sizeof(*s->unbound));
			s->unbound[n++] = xstrdup(names[i]);
			s->unbound[n] = NULL;
		}
		free(compatible);
	}
	fs_list_free(names);
}

void system_read(const struct canpipe *cp, struct system *s)
{
	*s = (struct system){ 0 };
	read_kernel(cp, s);
	read_user_arch(cp, s);
	read_headers(cp, s);
	read_package(cp, s);
	read_modules(cp, s);
	s->rmem_default = fs_number(cp, -1, "/proc/sys/net/core/rmem_default");
	s->rmem_max = fs_number(cp, -1, "/proc/sys/net/core/rmem_max");
	s->model = devtree_string(cp, "/sys/firmware/devicetree/base/model");
	config_read(cp, &s->config);
	kmsg_read(cp, &s->log);
	s->mcp251x_there = fs_exists(cp, "/sys/bus/spi/drivers/mcp251x");
	read_unbound(cp, s);
}

void system_clear(struct system *s)
{
	size_t i;

	for (i = 0; i < s->module_count; i++)
		module_clear(&s->modules[i]);
	free(s->modules);
	free(s->release);
	free(s->kernel_arch);
	free(s->user_arch);
	free(s->headers_of);
	free(s->package);
	free(s->model);
	config_clear(&s->config);
	kmsg_clear(&s->log);
	fs_list_free(s->unbound);
}

const struct module *system_module(const struct system *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->module_count; i++)
		if (strcmp(s->modules[i].name, name) == 0)
			return &s->modules[i];
	return NULL;
}

bool system_is_mixed(const struct system *s)
{
	bool wide = strcmp(s->kernel_arch, "aarch64") == 0 || strcmp(s->kernel_arch, "x86_64") == 0;
	bool narrow = strcmp(s->user_arch, "armhf") == 0 || strcmp(s->user_arch, "armel") == 0 ||
		      strcmp(s->user_arch, "i386") == 0;

	return wide && narrow;
}
