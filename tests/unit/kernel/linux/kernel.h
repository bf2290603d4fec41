/* SPDX-License-Identifier: GPL-2.0-only */
/* What the drivers' pure parts need of the kernel's header of this name. */
#ifndef TEST_LINUX_KERNEL_H
#define TEST_LINUX_KERNEL_H

#define DIV_ROUND_UP_ULL(n, d)	(((n) + 0ULL + (d) - 1) / (d))
#define round_up(n, to)		((((n) - 1) | ((__typeof__(n))(to) - 1)) + 1)
#define min(a, b)		((a) < (b) ? (a) : (b))
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define max_t(type, a, b)	((type)(a) > (type)(b) ? (type)(a) : (type)(b))

#endif
