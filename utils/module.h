/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel modules: which one is loaded, which file it came from, which one would be loaded now
 */
#ifndef CANPIPE_MODULE_H
#define CANPIPE_MODULE_H

#include "canpipe.h"

struct module_param {
	char *name;
	char *value;		/* NULL: not for us to read */
};

/* what a file says of itself, or the kernel of a loaded module; NULL where it says nothing */
struct module_id {
	char *version;		/* the kernel's own modules for CAN have none, ours have */
	char *srcversion;
};

struct module {
	char *name;			/* as the kernel writes it: spi_bcm2835dma */
	bool loaded;
	struct module_id id;		/* of the loaded one */
	struct module_param *params;
	size_t param_count;
	char *file;			/* what modprobe would load; NULL: none */
	bool file_read;			/* and it could be read */
	struct module_id file_id;
	char *loaded_file;		/* what the loaded one was loaded from; NULL: gone, unknown */
};

void module_read(const struct canpipe *cp, const char *release, const char *name,
		 struct module *m);
void module_clear(struct module *m);

/* one of this package, by what the kernel's own lack */
static inline bool module_id_ours(const struct module_id *id)
{
	return id->version != NULL;
}

bool module_id_same(const struct module_id *a, const struct module_id *b);

/* the loaded one is not the one that modprobe would load now */
bool module_is_stale(const struct module *m);

#endif
