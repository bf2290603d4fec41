/* SPDX-License-Identifier: GPL-2.0-only */
/* What the drivers' pure parts need of the kernel's header of this name. */
#ifndef TEST_LINUX_MATH64_H
#define TEST_LINUX_MATH64_H

#include <stdint.h>

static inline uint64_t div_u64(uint64_t dividend, uint32_t divisor)
{
	return dividend / divisor;
}

#endif
