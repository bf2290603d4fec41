// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "client.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

static bool legal(unsigned int bar, uint64_t offset, unsigned int size)
{
	uint64_t room = bar == 0 ? BAR0_SIZE : bar == 2 ? BAR2_SIZE : 0;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return false;
	return !(offset % size) && offset < room && size <= room - offset;
}

static uint64_t fixture_read(void *arg, unsigned int bar, uint64_t offset, unsigned int size)
{
	struct fixture *f = arg;
	uint64_t value = 0;

	f->reads++;
	if (!legal(bar, offset, size)) {
		f->illegal++;
		return 0;
	}
	if (bar == 0)
		memcpy(&value, f->bar0 + offset, size);
	return value;
}

static void fixture_write(void *arg, unsigned int bar, uint64_t offset, unsigned int size,
			  uint64_t value)
{
	struct fixture *f = arg;

	f->writes++;
	if (!legal(bar, offset, size)) {
		f->illegal++;
		return;
	}
	if (bar == 0)
		memcpy(f->bar0 + offset, &value, size);
	/* The last word of BAR 2 is the interrupt's level. */
	if (bar == 2 && offset == BAR2_SIZE - 4)
		pci_irq_set(&f->fn, value);
}

static void fixture_reset(void *arg)
{
	struct fixture *f = arg;

	f->resets++;
}

static const struct pci_function_ops ops = {
	.read = fixture_read,
	.write = fixture_write,
	.reset = fixture_reset,
};

static void lock(struct pci_function *fn)
{
	struct fixture *f = fn->host_data;

	pthread_mutex_lock(&f->mutex);
}

static void unlock(struct pci_function *fn)
{
	struct fixture *f = fn->host_data;

	pthread_mutex_unlock(&f->mutex);
}

static void sync_clock(struct pci_function *fn)
{
	(void)fn;
}

static void irq_pending(struct pci_function *fn)
{
	struct fixture *f = fn->host_data;
	enum pci_irq_what what;

	if (f->defers)
		return;
	what = pci_irq_take(fn);
	if (what == PCI_IRQ_NOTHING)
		return;
	f->irqs++;
	if (f->sends)
		pci_irq_signal(what == PCI_IRQ_MSI ? fn->irq.msi_fd : fn->irq.intx_fd);
}

static const struct pci_host_ops host = {
	.lock = lock,
	.unlock = unlock,
	.sync = sync_clock,
	.irq_pending = irq_pending,
};

static const struct pci_ident ident = {
	.vendor = 0x8086,
	.device = 0x8818,
	.class = 0x0c0900,
	.revision = 2,
	.bar_size = { BAR0_SIZE, 0, BAR2_SIZE },
	.msi = true,
	.power_management = true,
};

static void *serve(void *arg)
{
	struct fixture *f = arg;

	vfio_user_serve(&f->fn, f->server_fd);
	return NULL;
}

void fixture_start(struct fixture *f)
{
	/* A server that does not answer shall fail the test, not hang it. */
	struct timeval patience = { .tv_sec = 20 };
	int pair[2];

	memset(f, 0, sizeof(*f));
	pthread_mutex_init(&f->mutex, NULL);
	pci_function_init(&f->fn, "test", &ident, &ops, f, &host, f);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) < 0) {
		perror("socketpair");
		exit(EXIT_FAILURE);
	}
	f->fd = pair[0];
	f->server_fd = pair[1];
	f->sends = true;
	setsockopt(f->fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (pthread_create(&f->thread, NULL, serve, f)) {
		fprintf(stderr, "no thread\n");
		exit(EXIT_FAILURE);
	}
}

void fixture_stop(struct fixture *f)
{
	close(f->fd);
	pthread_join(f->thread, NULL);
}

bool client_send(struct fixture *f, const void *data, size_t len, const int *fds,
		 size_t fd_count)
{
	union {
		char buf[CMSG_SPACE(16 * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)data, .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd_count) {
		struct cmsghdr *c;

		msg.msg_control = control.buf;
		msg.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(fd_count * sizeof(int));
		memcpy(CMSG_DATA(c), fds, fd_count * sizeof(int));
	}
	return sendmsg(f->fd, &msg, MSG_NOSIGNAL) == (ssize_t)len;
}

static bool receive(int fd, void *to, size_t len)
{
	return len == 0 || recv(fd, to, len, MSG_WAITALL) == (ssize_t)len;
}

bool client_receive(struct fixture *f, struct answer *a)
{
	if (!receive(f->fd, &a->header, sizeof(a->header)))
		return false;
	if (a->header.size < sizeof(a->header) ||
	    a->header.size - sizeof(a->header) > sizeof(a->body))
		return false;
	a->len = a->header.size - sizeof(a->header);
	return receive(f->fd, a->body, a->len);
}

int client_call(struct fixture *f, uint16_t command, const void *body, size_t len,
		const int *fds, size_t fd_count, struct answer *a)
{
	static uint16_t id;
	uint8_t message[sizeof(struct vfio_user_header) + VFIO_USER_MAX_BODY + 4096];
	struct vfio_user_header h = {
		.id = ++id,
		.command = command,
		.size = (uint32_t)(sizeof(h) + len),
	};

	memcpy(message, &h, sizeof(h));
	if (len)
		memcpy(message + sizeof(h), body, len);
	if (!client_send(f, message, h.size, fds, fd_count) || !client_receive(f, a))
		return -1;
	if (a->header.id != id || a->header.command != command)
		return -1;
	if ((a->header.flags & VFIO_USER_TYPE_MASK) != VFIO_USER_TYPE_REPLY)
		return -1;
	if (!(a->header.flags & VFIO_USER_ERROR))
		return a->header.error ? -1 : 0;
	return a->len ? -1 : (int)a->header.error;
}

int client_version(struct fixture *f)
{
	static const char body[] = "\0\0\0\0{\"capabilities\":{\"max_msg_fds\":8}}";
	struct answer a;

	return client_call(f, VFIO_USER_VERSION, body, sizeof(body), NULL, 0, &a);
}

int client_read(struct fixture *f, uint32_t region, uint64_t offset, uint32_t count,
		void *data)
{
	struct vfio_user_region_access r = {
		.offset = offset,
		.region = region,
		.count = count,
	};
	struct answer a;
	int rc = client_call(f, VFIO_USER_REGION_READ, &r, sizeof(r), NULL, 0, &a);

	if (rc)
		return rc;
	if (a.len != sizeof(r) + count || memcmp(a.body, &r, sizeof(r)))
		return -1;
	memcpy(data, a.body + sizeof(r), count);
	return 0;
}

int client_write(struct fixture *f, uint32_t region, uint64_t offset, uint32_t count,
		 const void *data)
{
	uint8_t body[sizeof(struct vfio_user_region_access) + VFIO_USER_MAX_DATA];
	struct vfio_user_region_access r = {
		.offset = offset,
		.region = region,
		.count = count,
	};
	struct answer a;

	memcpy(body, &r, sizeof(r));
	memcpy(body + sizeof(r), data, count);
	return client_call(f, VFIO_USER_REGION_WRITE, body, sizeof(r) + count, NULL, 0, &a);
}

uint32_t client_config32(struct fixture *f, unsigned int offset)
{
	uint32_t value = 0xdeadbeef;

	client_read(f, VFIO_USER_REGION_CONFIG, offset, sizeof(value), &value);
	return value;
}

void client_set_config32(struct fixture *f, unsigned int offset, uint32_t value)
{
	client_write(f, VFIO_USER_REGION_CONFIG, offset, sizeof(value), &value);
}

void client_set_config16(struct fixture *f, unsigned int offset, uint16_t value)
{
	client_write(f, VFIO_USER_REGION_CONFIG, offset, sizeof(value), &value);
}

unsigned int open_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned int count = 0;

	while (d && readdir(d))
		count++;
	if (d)
		closedir(d);
	return count;
}
