// SPDX-License-Identifier: GPL-2.0-only
/* vfio-user over a stream socket: framing, descriptors, threads. */
#define _GNU_SOURCE		/* MSG_CMSG_CLOEXEC */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "vfio_user.h"
#include "vfio_user_proto.h"

struct vfio_user_listener {
	struct pci_function *fn;
	int fd;
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	pthread_mutex_t lock;
	pthread_cond_t gone;
	unsigned int served;
};

static bool receive_rest(int fd, void *buf, size_t len)
{
	uint8_t *p = buf;

	while (len) {
		ssize_t n = recv(fd, p, len, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static bool send_all(int fd, const void *buf, size_t len)
{
	const uint8_t *p = buf;

	while (len) {
		ssize_t n = send(fd, p, len, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static void keep_fds(struct vfio_user_message *m, struct msghdr *msg)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t count;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < count; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(int));
			if (m->fd_count < VFIO_USER_MAX_FDS)
				m->fds[m->fd_count++] = fd;
			else
				close(fd);
		}
	}
}

static void close_fds(struct vfio_user_message *m)
{
	for (size_t i = 0; i < m->fd_count; i++) {
		if (m->fds[i] >= 0)
			close(m->fds[i]);
	}
	m->fd_count = 0;
}

/*
 * Descriptors travel with the first byte of a message. If the control buffer is
 * too small the kernel drops the rest of them, which is as good as refusing.
 */
static bool receive_header(int fd, struct vfio_user_header *h, struct vfio_user_message *m)
{
	union {
		char buf[CMSG_SPACE(VFIO_USER_MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = h, .iov_len = sizeof(*h) };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.buf,
		.msg_controllen = sizeof(control.buf),
	};
	ssize_t n;

	m->fd_count = 0;
	do {
		n = recvmsg(fd, &msg, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	keep_fds(m, &msg);
	return receive_rest(fd, (uint8_t *)h + n, sizeof(*h) - (size_t)n);
}

/* A message too long for us is read to its end, so that the next one is found. */
static bool skip(int fd, size_t len)
{
	uint8_t waste[1024];

	while (len) {
		size_t n = len < sizeof(waste) ? len : sizeof(waste);

		if (!receive_rest(fd, waste, n))
			return false;
		len -= n;
	}
	return true;
}

static bool reply_to(int fd, const struct vfio_user_header *h,
		     const struct vfio_user_message *reply, int error)
{
	uint8_t buf[sizeof(*h) + VFIO_USER_MAX_BODY];
	struct vfio_user_header r = {
		.id = h->id,
		.command = h->command,
		.flags = VFIO_USER_TYPE_REPLY | (error ? VFIO_USER_ERROR : 0),
		.error = (uint32_t)error,
	};
	size_t len = error ? 0 : reply->len;

	r.size = (uint32_t)(sizeof(r) + len);
	memcpy(buf, &r, sizeof(r));
	if (len)
		memcpy(buf + sizeof(r), reply->body, len);
	return send_all(fd, buf, sizeof(r) + len);
}

#define LONGEST_SKIPPED (1u << 20)

/* One request. Returns false when the connection is of no more use. */
static bool serve_one(struct vfio_user_session *session, int fd,
		      struct vfio_user_message *request, struct vfio_user_message *reply)
{
	struct vfio_user_header h;
	bool usable = true;
	int error = 0;

	if (!receive_header(fd, &h, request))
		return false;
	request->command = h.command;
	if (h.size < sizeof(h) || h.size > LONGEST_SKIPPED) {
		error = EINVAL;		/* where the next message begins is unknown */
		usable = false;
	} else if (h.size - sizeof(h) > VFIO_USER_MAX_BODY) {
		error = E2BIG;
		usable = skip(fd, h.size - sizeof(h));
	} else {
		request->len = h.size - sizeof(h);
		usable = receive_rest(fd, request->body, request->len);
		if (usable && (h.flags & VFIO_USER_TYPE_MASK) != VFIO_USER_TYPE_COMMAND)
			error = EINVAL;
	}
	if (usable && !error) {
		struct pci_function *fn = session->fn;

		fn->host->lock(fn);
		error = vfio_user_handle(session, request, reply);
		fn->host->unlock(fn);
	}
	close_fds(request);
	if (h.flags & VFIO_USER_NO_REPLY)
		return usable;
	return reply_to(fd, &h, reply, error) && usable;
}

void vfio_user_serve(struct pci_function *fn, int fd)
{
	struct vfio_user_session session = { .fn = fn };
	struct vfio_user_message *m = calloc(2, sizeof(*m));

	if (!m) {
		fprintf(stderr, "canpipe rig: out of memory\n");
		close(fd);
		return;
	}
	while (serve_one(&session, fd, &m[0], &m[1]))
		;
	close_fds(&m[0]);
	free(m);
	close(fd);
	fn->host->lock(fn);
	pci_function_disconnect(fn);
	fn->host->unlock(fn);
}

static void *listen_loop(void *arg)
{
	struct vfio_user_listener *l = arg;

	for (;;) {
		int fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC);

		if (fd < 0) {
			if (errno == EINTR || errno == ECONNABORTED)
				continue;
			return NULL;
		}
		vfio_user_serve(l->fn, fd);
		pthread_mutex_lock(&l->lock);
		l->served++;
		pthread_cond_broadcast(&l->gone);
		pthread_mutex_unlock(&l->lock);
	}
}

struct vfio_user_listener *vfio_user_listen(struct pci_function *fn, const char *path,
					    char *err, size_t errlen)
{
	struct vfio_user_listener *l = calloc(1, sizeof(*l));
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	pthread_t thread;
	int rc;

	if (!l) {
		snprintf(err, errlen, "out of memory");
		return NULL;
	}
	if (strlen(path) >= sizeof(addr.sun_path)) {
		snprintf(err, errlen, "%s: a socket's path has at most %zu characters", path,
			 sizeof(addr.sun_path) - 1);
		goto free;
	}
	strcpy(addr.sun_path, path);
	strcpy(l->path, path);
	l->fn = fn;
	pthread_mutex_init(&l->lock, NULL);
	pthread_cond_init(&l->gone, NULL);
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->fd < 0) {
		snprintf(err, errlen, "socket: %s", strerror(errno));
		goto free;
	}
	unlink(path);
	if (bind(l->fd, (struct sockaddr *)&addr, sizeof(addr)) || listen(l->fd, 1)) {
		snprintf(err, errlen, "%s: %s", path, strerror(errno));
		goto close;
	}
	rc = pthread_create(&thread, NULL, listen_loop, l);
	if (rc) {
		snprintf(err, errlen, "thread: %s", strerror(rc));
		goto close;
	}
	pthread_detach(thread);
	return l;
close:
	close(l->fd);
free:
	free(l);
	return NULL;
}

void vfio_user_wait_gone(struct vfio_user_listener *listener)
{
	pthread_mutex_lock(&listener->lock);
	while (!listener->served)
		pthread_cond_wait(&listener->gone, &listener->lock);
	pthread_mutex_unlock(&listener->lock);
}

void vfio_user_unlink(struct vfio_user_listener *listener)
{
	unlink(listener->path);
}
