/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine: kernel, headers, modules, settings
 */
#ifndef CANPIPE_SYSTEM_H
#define CANPIPE_SYSTEM_H

#include "canpipe.h"
#include "config.h"
#include "kmsg.h"
#include "module.h"

enum headers {
	HEADERS_THERE,
	HEADERS_MISSING,
	HEADERS_WRONG,		/* what is in their place belongs to another kernel */
};

struct system {
	char *release;			/* of the running kernel */
	char *kernel_arch;		/* what uname -m says: aarch64 */
	char *user_arch;		/* what Debian calls the user land: armhf */
	bool modules_there;		/* the running kernel's modules are still on the disk */
	enum headers headers;
	char *headers_of;		/* which kernel's they are; HEADERS_MISSING: one that has some */
	char *package;			/* version of canpipe-dkms that is installed, or NULL */
	struct module *modules;
	size_t module_count;
	bool built;			/* one of this package's is there for the running kernel */
	bool placeholder;		/* the package has found nothing to build for this kernel */
	long long rmem_default, rmem_max;	/* bytes, -1 unknown */
	char *model;			/* of the board, NULL: unknown */
	struct config config;
	struct kmsg log;
	bool mcp251x_there;		/* the driver is known to the kernel, as module or built in */
	char **unbound;			/* CAN controllers on SPI without a driver: spi0.0 */
};

void system_read(const struct canpipe *cp, struct system *s);
void system_clear(struct system *s);

const struct module *system_module(const struct system *s, const char *name);

/* a kernel of 64 bits with a user land of 32: modules for it cannot be built there */
bool system_is_mixed(const struct system *s);

#endif
