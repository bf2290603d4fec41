// SPDX-License-Identifier: GPL-2.0-only
#include "profile.h"

#include <string.h>

/*
 * pch and am335x are derived from the public measurements of 2014 (one million
 * frames in loopback, shares of register access by perf) divided by the
 * accesses that the kernel's driver makes; the pi ones and cyclone5 are
 * assumptions of the same kind. "bare" charges nothing for registers.
 */
static const struct rig_profile profiles[] = {
	{ "pch", "Atom E6xx, EG20T behind PCIe", 3, 1400, 70 },
	{ "am335x", "Cortex-A8, D_CAN", 2, 160, 60 },
	{ "cyclone5", "Cortex-A9, D_CAN", 2, 160, 60 },
	{ "pi1", "ARM1176 at 700 MHz", 4, 150, 40 },
	{ "pi3", "Cortex-A53 at 1.2 GHz", 2, 120, 30 },
	{ "pi4", "Cortex-A72 at 1.5 GHz", 1, 120, 30 },
	{ "bare", "2 ns per instruction, registers for free", 2, 0, 0 },
};

#define PROFILES (sizeof(profiles) / sizeof(profiles[0]))

const struct rig_profile *rig_profile_find(const char *name)
{
	for (size_t i = 0; i < PROFILES; i++) {
		if (!strcmp(profiles[i].name, name))
			return &profiles[i];
	}
	return NULL;
}

void rig_profile_list(FILE *out)
{
	for (size_t i = 0; i < PROFILES; i++) {
		const struct rig_profile *p = &profiles[i];

		fprintf(out, "  %-10s %s: %u ns per instruction, %u ns per read, %u ns per write\n",
			p->name, p->about, p->insn_ns, p->read_ns, p->write_ns);
	}
}
