/* SPDX-License-Identifier: GPL-2.0-only */
/* What the drivers' pure parts need of the kernel's header of this name. */
#ifndef TEST_ASM_BYTEORDER_H
#define TEST_ASM_BYTEORDER_H

#include <endian.h>

#define cpu_to_le32(x)		htole32(x)
#define le32_to_cpu(x)		le32toh(x)

#endif
