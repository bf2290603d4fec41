/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files below the root of struct canpipe. Paths begin with a slash and are made like printf.
 * What these return is to be freed.
 */
#ifndef CANPIPE_FS_H
#define CANPIPE_FS_H

#include "canpipe.h"

#define FS_PRINTF	__attribute__((format(printf, 2, 3)))

/* the name of the file as the system knows it */
char *fs_path(const struct canpipe *cp, const char *format, ...) FS_PRINTF;

bool fs_exists(const struct canpipe *cp, const char *format, ...) FS_PRINTF;
bool fs_is_dir(const struct canpipe *cp, const char *format, ...) FS_PRINTF;

/* the whole file with a zero behind it, NULL if it cannot be read (errno says why) */
char *fs_read(const struct canpipe *cp, size_t *size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* the first line without the newline; NULL if the file cannot be read */
char *fs_line(const struct canpipe *cp, const char *format, ...) FS_PRINTF;

/* a decimal number, or missing if there is none */
long long fs_number(const struct canpipe *cp, long long missing, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* the last part of what a symbolic link points to; NULL if it is none */
char *fs_link_name(const struct canpipe *cp, const char *format, ...) FS_PRINTF;

/*
 * where a path leads to when all links are followed, without the root; NULL if nowhere. Links
 * that are relative (all of sysfs are) stay below the root.
 */
char *fs_real(const struct canpipe *cp, const char *format, ...) FS_PRINTF;

/* names in a directory, sorted, without those that begin with a dot; NULL-terminated */
char **fs_list(const struct canpipe *cp, const char *format, ...) FS_PRINTF;
void fs_list_free(char **names);

#endif
