/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files below the root, written. A power cut leaves either the old file or the new one. These return
 * 0 or a negative errno.
 */
#ifndef CANPIPE_FS_WRITE_H
#define CANPIPE_FS_WRITE_H

#include "canpipe.h"

/* the whole file; the directories on the way are made, mode and owner of an old one are kept */
int fs_replace(const struct canpipe *cp, const char *path, const void *data, size_t size);

/* a file that is not there is no error */
int fs_remove(const struct canpipe *cp, const char *path);

/* what to do about -err; path is named as the system knows it */
void fs_say_error(const struct canpipe *cp, const char *path, int err);

#endif
