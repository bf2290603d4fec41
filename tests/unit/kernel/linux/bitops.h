/* SPDX-License-Identifier: GPL-2.0-only */
/* What the drivers' pure parts need of the kernel's header of this name. */
#ifndef TEST_LINUX_BITOPS_H
#define TEST_LINUX_BITOPS_H

#include <linux/bits.h>

#define hweight32(w)	((unsigned int)__builtin_popcount(w))
#define __ffs(w)	((unsigned long)__builtin_ctzl(w))

#endif
