// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parameters of a compiled overlay: the names of the properties of its node /__overrides__
 * (Devicetree Specification, chapter 5: flattened format, big endian).
 */

#include "overlay_dtb.h"

#include <stdlib.h>
#include <string.h>

#define FDT_MAGIC	0xd00dfeed
#define FDT_HEADER	40

enum {
	FDT_BEGIN_NODE = 1,
	FDT_END_NODE = 2,
	FDT_PROP = 3,
	FDT_NOP = 4,
};

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* a text at offset from, which ends before to */
static const char *text_at(const unsigned char *data, size_t from, size_t to)
{
	return from < to && memchr(data + from, 0, to - from) ? (const char *)data + from : NULL;
}

char **dtb_parameters(const void *blob, size_t size)
{
	const unsigned char *data = blob;
	size_t at, end, strings, strings_end, count = 0;
	bool inside = false;
	char **names;
	const char *name;
	int depth = 0;

	if (size < FDT_HEADER || be32(data) != FDT_MAGIC || be32(data + 4) > size)
		return NULL;
	at = be32(data + 8);
	strings = be32(data + 12);
	end = at + be32(data + 36);
	strings_end = strings + be32(data + 32);
	if (at > size || end > size || strings > size || strings_end > size)
		return NULL;
	names = xcalloc(1, sizeof(*names));
	while (at + 4 <= end) {
		uint32_t token = be32(data + at);

		at += 4;
		if (token == FDT_BEGIN_NODE) {
			name = text_at(data, at, end);
			if (!name)
				break;
			if (++depth == 2 && strcmp(name, "__overrides__") == 0)
				inside = true;
			at += (strlen(name) + 4) & ~(size_t)3;
		} else if (token == FDT_END_NODE) {
			if (depth-- == 2)
				inside = false;
		} else if (token == FDT_PROP && at + 8 <= end) {
			name = text_at(data, strings + be32(data + at + 4), strings_end);
			if (!name)
				break;
			if (inside) {
				names = xrealloc(names, (count + 2) * sizeof(*names));
				names[count++] = xstrdup(name);
				names[count] = NULL;
			}
			at += 8 + (((size_t)be32(data + at) + 3) & ~(size_t)3);
		} else if (token != FDT_NOP) {
			break;
		}
	}
	return names;
}
