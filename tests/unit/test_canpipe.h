/* SPDX-License-Identifier: GPL-2.0-only */
/* For tests of the helper: trees of files, texts. */
#ifndef TEST_CANPIPE_H
#define TEST_CANPIPE_H

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "canpipe.h"
#include "tap.h"

/* Two texts, or NULL; a difference is shown. */
#define same(got, want, ...) do {						\
	const char *g_ = (got), *w_ = (want);					\
										\
	if (!ok(g_ && w_ ? strcmp(g_, w_) == 0 : !g_ && !w_, __VA_ARGS__))	\
		printf("#   got '%s', want '%s'\n", g_ ? g_ : "(null)",		\
		       w_ ? w_ : "(null)");					\
} while (0)

static char tree[] = "/tmp/canpipe-test-XXXXXX";

/* An empty root. */
static inline struct canpipe tree_make(void)
{
	if (!mkdtemp(tree)) {
		perror(tree);
		exit(EXIT_FAILURE);
	}
	return (struct canpipe){ .root = tree };
}

static inline void tree_remove(void)
{
	char *command = xasprintf("rm -rf %s", tree);

	if (system(command))
		printf("# %s failed\n", command);
	free(command);
}

/* all directories of a path below the root but the last part */
static inline void tree_dirs(const char *path)
{
	char *full = xasprintf("%s%s", tree, path), *p;

	for (p = full + strlen(tree) + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		mkdir(full, 0755);
		*p = '/';
	}
	free(full);
}

static inline void tree_bytes(const char *path, const void *data, size_t size)
{
	char *full = xasprintf("%s%s", tree, path);
	FILE *f;

	tree_dirs(path);
	f = fopen(full, "w");
	if (!f || fwrite(data, 1, size, f) != size || fclose(f)) {
		perror(full);
		exit(EXIT_FAILURE);
	}
	free(full);
}

static inline void tree_file(const char *path, const char *text)
{
	tree_bytes(path, text, strlen(text));
}

static inline void tree_link(const char *path, const char *target)
{
	char *full = xasprintf("%s%s", tree, path);

	tree_dirs(path);
	if (symlink(target, full)) {
		perror(full);
		exit(EXIT_FAILURE);
	}
	free(full);
}

static inline void tree_unlink(const char *path)
{
	char *full = xasprintf("%s%s", tree, path);

	if (unlink(full))
		perror(full);
	free(full);
}

#endif
