// SPDX-License-Identifier: GPL-2.0-only
#include "insn.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 4096

struct kept {
	struct insn insn;
	struct kept *next;
};

static struct kept *bucket[BUCKETS];

/* Field by field: padding has no value. */
static bool same(const struct insn *a, const struct insn *b)
{
	return a->pc == b->pc && a->immediate == b->immediate &&
	       a->displacement == b->displacement && a->after_ns == b->after_ns &&
	       a->kind == b->kind && a->length == b->length && a->reg == b->reg &&
	       a->base == b->base && a->index == b->index && a->shift == b->shift &&
	       a->size == b->size && a->merge == b->merge;
}

struct insn *insn_keep(const struct insn *insn)
{
	uint64_t hash = (insn->pc ^ insn->after_ns << 3) * 0x9e3779b97f4a7c15ull;
	struct kept **head = &bucket[hash >> 52];
	struct kept *k;

	for (k = *head; k; k = k->next) {
		if (same(&k->insn, insn))
			return &k->insn;
	}
	k = malloc(sizeof(*k));
	if (!k) {
		fprintf(stderr, "canpipe rig: out of memory\n");
		abort();
	}
	k->insn = *insn;
	k->next = *head;
	*head = k;
	return &k->insn;
}
