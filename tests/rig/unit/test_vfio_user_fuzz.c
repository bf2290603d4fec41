// SPDX-License-Identifier: GPL-2.0-only
/*
 * The vfio-user server against a client that has lost its mind: random and
 * mutated messages, always the same ones. The sanitizers look for crashes; this
 * looks for a missing or malformed reply, for an access that should have been
 * refused, and for leaked descriptors.
 *
 * test_vfio_user_fuzz.t [MESSAGES [SEED]]
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

static uint64_t state;

/* xorshift64 */
static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static unsigned int below(unsigned int n)
{
	return (unsigned int)(next() >> 33) % n;
}

/* Numbers at which software breaks. */
static uint64_t number(void)
{
	static const uint64_t edge[] = {
		0, 1, 2, 3, 4, 7, 8, 9, 16, 32, 0xff, 0x100, 0xfff, 0x1000, 0x1001, 0xffffff,
		0x1000000, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, INT64_MAX,
		0x8000000000000000, UINT64_MAX - 0xfff, UINT64_MAX - 1, UINT64_MAX,
	};

	switch (below(4)) {
	case 0:
		return next();
	case 1:
		return below(64);
	case 2:
		return (uint64_t)below(64) << 12;
	default:
		return edge[below(sizeof(edge) / sizeof(edge[0]))];
	}
}

static int files[6];

static void open_files(void)
{
	int pipes[2];

	files[0] = memfd_create("sealed", MFD_ALLOW_SEALING);
	files[1] = memfd_create("loose", 0);
	if (ftruncate(files[0], 64 << 12) < 0 || ftruncate(files[1], 64 << 12) < 0)
		perror("ftruncate");
	fcntl(files[0], F_ADD_SEALS, F_SEAL_SHRINK);
	files[2] = eventfd(0, EFD_NONBLOCK);
	files[3] = eventfd(0, 0);
	files[4] = open("/dev/null", O_RDWR);
	if (pipe(pipes) < 0)
		perror("pipe");
	close(pipes[0]);
	files[5] = pipes[1];
}

static void close_files(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		close(files[i]);
}

static size_t put(uint8_t *body, const void *data, size_t len)
{
	memcpy(body, data, len);
	return len;
}

/* A sensible request, in most of its fields. */
static size_t request(uint16_t *command, uint8_t *body)
{
	static const uint16_t known[] = {
		VFIO_USER_VERSION, VFIO_USER_DMA_MAP, VFIO_USER_DMA_UNMAP,
		VFIO_USER_DEVICE_GET_INFO, VFIO_USER_GET_REGION_INFO, VFIO_USER_GET_IRQ_INFO,
		VFIO_USER_SET_IRQS, VFIO_USER_REGION_READ, VFIO_USER_REGION_WRITE,
		VFIO_USER_REGION_READ, VFIO_USER_REGION_WRITE, VFIO_USER_DMA_MAP,
		VFIO_USER_SET_IRQS, VFIO_USER_DEVICE_RESET, 0, 6, 11, 12, 14, 15,
	};

	*command = known[below(sizeof(known) / sizeof(known[0]))];
	if (!below(50))
		*command = (uint16_t)next();
	switch (*command) {
	case VFIO_USER_DMA_MAP: {
		struct vfio_user_dma_map m = {
			.argsz = sizeof(m),
			.flags = below(8) ? 3 : (uint32_t)number(),
			.offset = number(),
			.address = number(),
			.size = number(),
		};

		return put(body, &m, sizeof(m));
	}
	case VFIO_USER_DMA_UNMAP: {
		struct vfio_user_dma_unmap m = {
			.argsz = sizeof(m),
			.flags = below(8) ? 0 : (uint32_t)number(),
			.address = number(),
			.size = number(),
		};

		return put(body, &m, sizeof(m));
	}
	case VFIO_USER_SET_IRQS: {
		struct vfio_user_set_irqs s = {
			.argsz = sizeof(s),
			.flags = below(2) ? 0x24 : below(64),
			.index = below(8) ? below(2) : (uint32_t)number(),
			.start = below(4) ? 0 : (uint32_t)number(),
			.count = below(4) ? 1 : (uint32_t)number(),
		};

		return put(body, &s, sizeof(s)) + below(3);
	}
	case VFIO_USER_REGION_READ:
	case VFIO_USER_REGION_WRITE: {
		struct vfio_user_region_access a = {
			.offset = below(2) ? below(BAR0_SIZE / 8) * 8 : number(),
			.region = below(8) ? below(9) & ~1u : (uint32_t)number(),
			.count = below(4) ? 1u << below(4) : (uint32_t)number(),
		};
		size_t len = put(body, &a, sizeof(a));

		for (unsigned int i = 0; i < 8; i++)
			body[len + i] = (uint8_t)next();
		return *command == VFIO_USER_REGION_WRITE ? len + a.count % 300 : len;
	}
	default: {
		uint32_t info[8] = { 32, 0, below(12) };

		return put(body, info, below(sizeof(info) + 1));
	}
	}
}

static size_t mutate(uint8_t *body, size_t len)
{
	switch (below(12)) {
	case 0:
		return below((unsigned int)len + 1);
	case 1:
		return len + below(200);
	case 2:
		for (size_t i = 0; i < len; i++)
			body[i] = (uint8_t)next();
		return len;
	case 3:
		if (len)
			body[below((unsigned int)len)] ^= (uint8_t)(1u << below(8));
		return len;
	case 4: {
		uint64_t n = number();

		if (len >= 8)
			memcpy(body + below((unsigned int)len - 7), &n, sizeof(n));
		return len;
	}
	default:
		return len;
	}
}

/* false: the server has not answered as it should. */
static bool one_message(struct fixture *f)
{
	static struct answer a;
	uint8_t message[sizeof(struct vfio_user_header) + VFIO_USER_MAX_BODY] = { 0 };
	struct vfio_user_header h = { .id = (uint16_t)next() };
	int fds[10];
	unsigned int fd_count = below(3) ? below(2) : below(11);
	uint8_t *body = message + sizeof(h);

	h.size = (uint32_t)(sizeof(h) + mutate(body, request(&h.command, body)));
	if (!below(30))
		h.flags = VFIO_USER_NO_REPLY;
	else if (!below(30))
		h.flags = below(16);
	h.error = below(30) ? 0 : (uint32_t)next();
	for (unsigned int i = 0; i < fd_count; i++)
		fds[i] = files[below(6)];
	memcpy(message, &h, sizeof(h));
	if (!client_send(f, message, h.size, fds, fd_count))
		return false;
	if (h.flags & VFIO_USER_NO_REPLY)
		return true;
	if (!client_receive(f, &a) || a.header.id != h.id || a.header.command != h.command)
		return false;
	if ((a.header.flags & VFIO_USER_TYPE_MASK) != VFIO_USER_TYPE_REPLY)
		return false;
	/* An error comes alone. */
	return !(a.header.flags & VFIO_USER_ERROR) || (a.header.error && !a.len);
}

/* Lies about its length, rubbish, half messages: the server may hang up, not crash. */
static void bytes(struct fixture *f)
{
	uint8_t rubbish[256];
	unsigned int len = below(sizeof(rubbish)) + 1;

	for (unsigned int i = 0; i < len; i++)
		rubbish[i] = (uint8_t)next();
	if (below(2)) {
		struct vfio_user_header h = {
			.command = (uint16_t)below(16),
			.size = (uint32_t)number(),
		};

		memcpy(rubbish, &h, sizeof(h));
	}
	client_send(f, rubbish, len, files, below(7));
}

int main(int argc, char **argv)
{
	unsigned long messages = argc > 1 ? strtoul(argv[1], NULL, 0) : 200000;
	unsigned int before, illegal = 0, accesses = 0;
	static struct fixture f;
	unsigned long done = 0;
	bool answered = true;

	state = argc > 2 ? strtoull(argv[2], NULL, 0) : 0x9e3779b97f4a7c15;
	open_files();
	before = open_descriptors();
	while (answered && done < messages) {
		fixture_start(&f);
		if (below(10))
			client_version(&f);
		for (unsigned int i = 0; answered && i < 1000 && done < messages; i++, done++)
			answered = one_message(&f);
		fixture_stop(&f);
		illegal += f.illegal;
		accesses += f.reads + f.writes;
	}
	ok(answered, "each of %lu messages is answered as it should be", done);
	is(illegal, 0, "no illegal access comes through");
	ok(accesses > messages / 100, "but legal ones do (%u)", accesses);
	for (unsigned int i = 0; i < 2000; i++) {
		fixture_start(&f);
		if (below(2))
			client_version(&f);
		bytes(&f);
		fixture_stop(&f);
	}
	ok(true, "rubbish does no harm");
	is(open_descriptors(), before, "no descriptor is left open");
	close_files();
	return tap_done();
}
