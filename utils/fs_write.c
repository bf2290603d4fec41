// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files below the root, written so that a power cut does no harm: the new text goes to a file beside
 * the old one, to the disk, and then takes its name.
 */

#include "fs_write.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int sync_dir(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	/* not all file systems can do it for directories */
	if (fsync(fd) < 0 && errno != EINVAL)
		err = -errno;
	close(fd);
	return err;
}

static int make_dirs(char *path)
{
	char *p;

	for (p = path + 1; (p = strchr(p, '/')); p++) {
		*p = 0;
		if (mkdir(path, 0755) < 0 && errno != EEXIST) {
			int err = -errno;

			*p = '/';
			return err;
		}
		*p = '/';
	}
	return 0;
}

static int write_all(int fd, const char *data, size_t size)
{
	ssize_t n;

	while (size) {
		n = write(fd, data, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		size -= (size_t)n;
	}
	return 0;
}

static int write_new(const char *path, const struct stat *old, const void *data, size_t size)
{
	int fd, err;

	/* what a power cut has left may be there */
	if (unlink(path) < 0 && errno != ENOENT)
		return -errno;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return -errno;
	err = write_all(fd, data, size);
	/* FAT has neither, and says so */
	if (!err && old && (fchown(fd, old->st_uid, old->st_gid) < 0 ||
			    fchmod(fd, old->st_mode & 07777) < 0) && errno != EPERM)
		err = -errno;
	if (!err && fsync(fd) < 0)
		err = -errno;
	if (close(fd) < 0 && !err)
		err = -errno;
	return err;
}

int fs_replace(const struct canpipe *cp, const char *path, const void *data, size_t size)
{
	char *full = xasprintf("%s%s", cp->root, path), *real, *copy, *dir, *name, *new;
	struct stat old;
	bool is_there;
	int err;

	/* a link stays, what it points to changes */
	real = realpath(full, NULL);
	if (real) {
		free(full);
		full = real;
	}
	err = make_dirs(full);
	if (err) {
		free(full);
		return err;
	}
	copy = xstrdup(full);
	dir = dirname(copy);
	name = strrchr(full, '/') + 1;
	new = xasprintf("%s/.%s.new", dir, name);
	is_there = stat(full, &old) == 0;
	err = write_new(new, is_there ? &old : NULL, data, size);
	if (!err && rename(new, full) < 0)
		err = -errno;
	if (!err)
		err = sync_dir(dir);
	else
		unlink(new);
	free(new);
	free(copy);
	free(full);
	return err;
}

int fs_remove(const struct canpipe *cp, const char *path)
{
	char *full = xasprintf("%s%s", cp->root, path);
	int err = 0;

	if (unlink(full) < 0)
		err = errno == ENOENT ? 0 : -errno;
	else
		err = sync_dir(dirname(full));
	free(full);
	return err;
}

void fs_say_error(const struct canpipe *cp, const char *path, int err)
{
	const char *advice = "";

	switch (-err) {
	case EACCES:
	case EPERM:
		advice = "; run it as root (sudo)";
		break;
	case EROFS:
		advice = "; the file system is mounted read-only (mount -o remount,rw ...)";
		break;
	case ENOSPC:
	case EDQUOT:
		advice = "; nothing was changed, make room first (df)";
		break;
	default:
		break;
	}
	say("%s%s: %s%s", cp->root, path, strerror(-err), advice);
}
