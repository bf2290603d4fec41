// SPDX-License-Identifier: GPL-2.0-only
/*
 * Properties of the device tree
 */

#include "devtree.h"
#include "fs.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define BASE	"/sys/firmware/devicetree/base"

static char *property(const struct canpipe *cp, size_t *size, const char *format, va_list ap)
{
	char *path, *value;

	if (vasprintf(&path, format, ap) < 0)
		abort();
	value = fs_read(cp, size, "%s", path);
	free(path);
	return value;
}

char *devtree_string(const struct canpipe *cp, const char *format, ...)
{
	va_list ap;
	char *value;

	va_start(ap, format);
	value = property(cp, NULL, format, ap);
	va_end(ap);
	return value;
}

uint32_t devtree_cell(const struct canpipe *cp, int index, uint32_t missing, const char *format,
		      ...)
{
	const unsigned char *p;
	va_list ap;
	size_t size, cells;
	char *value;

	va_start(ap, format);
	value = property(cp, &size, format, ap);
	va_end(ap);
	if (value) {
		cells = size / 4;
		if (index < 0)
			index = (int)cells - 1;
		if (index >= 0 && (size_t)index < cells) {
			p = (unsigned char *)value + 4 * index;
			missing = (uint32_t)p[0] << 24 | p[1] << 16 | p[2] << 8 | p[3];
		}
	}
	free(value);
	return missing;
}

static char *search(const struct canpipe *cp, const char *dir, uint32_t phandle)
{
	char **names, *path, *found = NULL;
	size_t i;

	if (devtree_cell(cp, 0, 0, "%s/phandle", dir) == phandle)
		return xstrdup(dir);
	names = fs_list(cp, "%s", dir);
	for (i = 0; names[i] && !found; i++) {
		path = xasprintf("%s/%s", dir, names[i]);
		if (fs_is_dir(cp, "%s", path))
			found = search(cp, path, phandle);
		free(path);
	}
	fs_list_free(names);
	return found;
}

char *devtree_node(const struct canpipe *cp, uint32_t phandle)
{
	return phandle ? search(cp, BASE, phandle) : NULL;
}
