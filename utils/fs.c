// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files below the root
 */

#include "fs.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* no file that is read here comes near it; what does is not what it should be */
#define FS_MAX	(16 << 20)

static char *fs_vpath(const struct canpipe *cp, const char *format, va_list ap)
{
	char *path, *full;

	if (vasprintf(&path, format, ap) < 0)
		abort();
	full = xasprintf("%s%s", cp->root, path);
	free(path);
	return full;
}

/* PATH(cp, format): the path that the arguments of the function make */
#define PATH(cp, format) __extension__ ({		\
	va_list _ap;					\
	char *_path;					\
							\
	va_start(_ap, format);				\
	_path = fs_vpath(cp, format, _ap);		\
	va_end(_ap);					\
	_path;						\
})

char *fs_path(const struct canpipe *cp, const char *format, ...)
{
	return PATH(cp, format);
}

bool fs_exists(const struct canpipe *cp, const char *format, ...)
{
	char *path = PATH(cp, format);
	bool exists = access(path, F_OK) == 0;

	free(path);
	return exists;
}

bool fs_is_dir(const struct canpipe *cp, const char *format, ...)
{
	char *path = PATH(cp, format);
	struct stat st;
	bool is = stat(path, &st) == 0 && S_ISDIR(st.st_mode);

	free(path);
	return is;
}

static char *fs_read_path(const char *path, size_t *size)
{
	size_t used = 0, room = 4096, n;
	FILE *f = fopen(path, "re");
	char *text;
	int err;

	if (!f)
		return NULL;
	text = xrealloc(NULL, room);
	/* files of sysfs and procfs do not tell their size */
	while ((n = fread(text + used, 1, room - used - 1, f)) > 0) {
		used += n;
		if (used == room - 1)
			text = xrealloc(text, room *= 2);
		if (used > FS_MAX)
			break;
	}
	err = ferror(f) ? errno : used > FS_MAX ? EFBIG : 0;
	fclose(f);
	if (err) {
		free(text);
		errno = err;
		return NULL;
	}
	text[used] = 0;
	if (size)
		*size = used;
	return text;
}

char *fs_read(const struct canpipe *cp, size_t *size, const char *format, ...)
{
	char *path = PATH(cp, format);
	char *text = fs_read_path(path, size);
	int err = errno;

	free(path);
	errno = err;
	return text;
}

char *fs_line(const struct canpipe *cp, const char *format, ...)
{
	char *path = PATH(cp, format);
	char *text = fs_read_path(path, NULL);

	free(path);
	if (text)
		text[strcspn(text, "\n")] = 0;
	return text;
}

long long fs_number(const struct canpipe *cp, long long missing, const char *format, ...)
{
	char *path = PATH(cp, format);
	char *text = fs_read_path(path, NULL), *end;
	long long n = missing;

	free(path);
	if (text) {
		n = strtoll(text, &end, 10);
		if (end == text)
			n = missing;
	}
	free(text);
	return n;
}

char *fs_link_name(const struct canpipe *cp, const char *format, ...)
{
	char *path = PATH(cp, format);
	char target[PATH_MAX], *last;
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	free(path);
	if (n < 0)
		return NULL;
	target[n] = 0;
	last = strrchr(target, '/');
	return xstrdup(last ? last + 1 : target);
}

char *fs_real(const struct canpipe *cp, const char *format, ...)
{
	char *path = PATH(cp, format), *real, *root = NULL, *inside = NULL;
	size_t n = 0;

	real = realpath(path, NULL);
	free(path);
	if (!real)
		return NULL;
	if (*cp->root) {
		root = realpath(cp->root, NULL);
		n = root && strcmp(root, "/") != 0 ? strlen(root) : 0;
	}
	if (!n || (strncmp(real, root, n) == 0 && real[n] == '/'))
		inside = xstrdup(real + n);
	free(root);
	free(real);
	return inside;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **fs_list(const struct canpipe *cp, const char *format, ...)
{
	char *path = PATH(cp, format), **names = xcalloc(1, sizeof(*names));
	DIR *dir = opendir(path);
	struct dirent *entry;
	size_t n = 0;

	free(path);
	if (!dir)
		return names;
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		names = xrealloc(names, (n + 2) * sizeof(*names));
		names[n++] = xstrdup(entry->d_name);
	}
	closedir(dir);
	qsort(names, n, sizeof(*names), by_name);
	names[n] = NULL;
	return names;
}

void fs_list_free(char **names)
{
	size_t i;

	for (i = 0; names[i]; i++)
		free(names[i]);
	free(names);
}
