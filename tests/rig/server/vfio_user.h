/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A vfio-user server: one PCI function, one client at a time.
 *
 * vfio_user_handle() is the protocol without the transport. Everything that
 * comes in is checked before it is used; a client that breaks the rules gets an
 * error reply.
 */
#ifndef VFIO_USER_H
#define VFIO_USER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pci_function.h"

#define VFIO_USER_MAX_FDS	8
#define VFIO_USER_MAX_DATA	4096u
/* The longest body: a region access with the largest data. */
#define VFIO_USER_MAX_BODY	(VFIO_USER_MAX_DATA + 64u)

/**
 * struct vfio_user_message - a request, or the reply to it
 * @command: enum vfio_user_command
 * @len: of @body
 * @body: what follows the header
 * @fds: descriptors that came along; a handler that keeps one sets it to -1
 */
struct vfio_user_message {
	uint16_t command;
	size_t len;
	uint8_t body[VFIO_USER_MAX_BODY];
	int fds[VFIO_USER_MAX_FDS];
	size_t fd_count;
};

struct vfio_user_session {
	struct pci_function *fn;
	bool negotiated;
};

/*
 * Returns 0 and fills in @reply, or an errno value: then the reply is an error
 * without a body.
 */
int vfio_user_handle(struct vfio_user_session *session,
		     struct vfio_user_message *request,
		     struct vfio_user_message *reply);

/* Serve one connection until it ends or its framing is broken. Closes fd. */
void vfio_user_serve(struct pci_function *fn, int fd);

struct vfio_user_listener;

/*
 * Listen at a path and serve whoever connects, one after the other, in a
 * thread of its own. On failure returns NULL and writes a sentence to err.
 */
struct vfio_user_listener *vfio_user_listen(struct pci_function *fn, const char *path,
					    char *err, size_t errlen);
/* Wait until a client has come and gone. */
void vfio_user_wait_gone(struct vfio_user_listener *listener);
/* Remove the socket from the file system; the thread is left to the process. */
void vfio_user_unlink(struct vfio_user_listener *listener);

#endif
