/* SPDX-License-Identifier: GPL-2.0-only */
/* Also what the C library takes for the kernel's. */
#include <asm/errno.h>
