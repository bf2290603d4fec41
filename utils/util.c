// SPDX-License-Identifier: GPL-2.0-only
/*
 * Messages, memory, arguments
 */

#include "canpipe.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void say(const char *format, ...)
{
	va_list ap;

	fputs("canpipe: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static void *there(void *p)
{
	if (!p) {
		say("no memory left");
		exit(EXIT_NOT_LOOKED);
	}
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	return there(calloc(n, size));
}

void *xrealloc(void *p, size_t size)
{
	return there(realloc(p, size));
}

char *xstrdup(const char *s)
{
	return there(strdup(s));
}

char *xasprintf(const char *format, ...)
{
	va_list ap;
	char *s;

	va_start(ap, format);
	if (vasprintf(&s, format, ap) < 0)
		s = NULL;
	va_end(ap);
	return there(s);
}

bool is_option(const char *arg, const char *name)
{
	return strcmp(arg, name) == 0;
}

bool is_help(const char *arg)
{
	return is_option(arg, "--help") || is_option(arg, "-h");
}

const char *option_value(int argc, char **argv, int *i, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(argv[*i], name, n) != 0)
		return NULL;
	if (argv[*i][n] == '=')
		return argv[*i] + n + 1;
	if (argv[*i][n] || *i + 1 >= argc)
		return NULL;
	return argv[++*i];
}
