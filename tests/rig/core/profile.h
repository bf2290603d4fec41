/* SPDX-License-Identifier: GPL-2.0-only */
/* How much virtual time things cost on the machine that the guest is to be. */
#ifndef RIG_PROFILE_H
#define RIG_PROFILE_H

#include <stdint.h>
#include <stdio.h>

/**
 * struct rig_profile - one machine
 * @insn_ns: per instruction executed
 * @read_ns: per register read, on top of the instruction
 * @write_ns: per register write, on top of the instruction
 */
struct rig_profile {
	const char *name;
	const char *about;
	unsigned int insn_ns;
	unsigned int read_ns;
	unsigned int write_ns;
};

const struct rig_profile *rig_profile_find(const char *name);
void rig_profile_list(FILE *out);

#endif
