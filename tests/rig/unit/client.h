/* SPDX-License-Identifier: GPL-2.0-only */
/* A vfio-user client and a function for it to talk to, for the tests of the server. */
#ifndef TEST_CLIENT_H
#define TEST_CLIENT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vfio_user.h"
#include "vfio_user_proto.h"

#define BAR0_SIZE 4096u
#define BAR2_SIZE (1u << 24)

/**
 * struct fixture - a function with two BARs, its server's thread, a connection
 * @reads, @writes: accesses that came through
 * @illegal: accesses that should have been refused by the server
 * @resets: how often the function was reset
 * @irqs: interrupts the function wanted to send
 * @sends: really send them
 * @defers: leave them pending
 */
struct fixture {
	struct pci_function fn;
	pthread_mutex_t mutex;
	pthread_t thread;
	int server_fd;
	int fd;
	uint8_t bar0[BAR0_SIZE];
	unsigned int reads, writes, illegal, resets, irqs;
	bool sends;
	bool defers;
};

struct answer {
	struct vfio_user_header header;
	uint8_t body[65536];
	size_t len;
};

void fixture_start(struct fixture *f);
/* Hang up, wait until the server's thread has ended. */
void fixture_stop(struct fixture *f);

bool client_send(struct fixture *f, const void *data, size_t len, const int *fds,
		 size_t fd_count);
bool client_receive(struct fixture *f, struct answer *answer);
/* A request with a well-formed header, and the answer's errno value (or -1). */
int client_call(struct fixture *f, uint16_t command, const void *body, size_t len,
		const int *fds, size_t fd_count, struct answer *answer);

int client_version(struct fixture *f);
int client_read(struct fixture *f, uint32_t region, uint64_t offset, uint32_t count,
		void *data);
int client_write(struct fixture *f, uint32_t region, uint64_t offset, uint32_t count,
		 const void *data);
uint32_t client_config32(struct fixture *f, unsigned int offset);
void client_set_config32(struct fixture *f, unsigned int offset, uint32_t value);
void client_set_config16(struct fixture *f, unsigned int offset, uint16_t value);

/* How many descriptors this process has open. */
unsigned int open_descriptors(void);

#endif
