/* SPDX-License-Identifier: GPL-2.0-only */
/* The parameters of a compiled overlay */
#ifndef CANPIPE_OVERLAY_DTB_H
#define CANPIPE_OVERLAY_DTB_H

#include "canpipe.h"

/* names, NULL-terminated, to be freed by fs_list_free(); NULL if this is no device tree */
char **dtb_parameters(const void *blob, size_t size);

#endif
