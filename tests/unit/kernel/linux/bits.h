/* SPDX-License-Identifier: GPL-2.0-only */
/* What the drivers' pure parts need of the kernel's header of this name. */
#ifndef TEST_LINUX_BITS_H
#define TEST_LINUX_BITS_H

#define BIT(n)		(1UL << (n))
#define GENMASK(h, l)	((~0UL << (l)) & (~0UL >> (63 - (h))))

#endif
