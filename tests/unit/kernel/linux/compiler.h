/* SPDX-License-Identifier: GPL-2.0-only */
/* What the drivers' pure parts need of the kernel's header of this name. */
#ifndef TEST_LINUX_COMPILER_H
#define TEST_LINUX_COMPILER_H

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, val)	(*(volatile __typeof__(x) *)&(x) = (val))
#define __aligned(n)		__attribute__((aligned(n)))

#endif
