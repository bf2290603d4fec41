// SPDX-License-Identifier: GPL-2.0-only
/*
 * netload: traffic over the loopback interface, to load the network stack
 * beside CAN: datagrams of random length in random bursts, to a process that
 * reads them. Ends when it is killed.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#define LENGTH_MAX	8192u
#define BURST_MAX	64u
#define PAUSE_NS_MAX	2000000u

__attribute__((noreturn))
static void fail(const char *what)
{
	fprintf(stderr, "netload: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* xorshift: the same for the same seed on every machine */
static uint32_t random_below(uint64_t *state, uint32_t limit)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 32) % limit;
}

__attribute__((noreturn))
static void sink(int fd)
{
	static char buffer[LENGTH_MAX];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		if (recv(fd, buffer, sizeof(buffer), 0) < 0)
			fail("recv");
}

int main(int argc, char **argv)
{
	static char buffer[LENGTH_MAX];
	struct sockaddr_in to = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	socklen_t len = sizeof(to);
	uint64_t state;
	int in, out;

	if (argc != 2 || !(state = strtoull(argv[1], NULL, 0))) {
		fprintf(stderr, "usage: netload SEED    (a number, not 0)\n");
		return 2;
	}
	in = socket(AF_INET, SOCK_DGRAM, 0);
	out = socket(AF_INET, SOCK_DGRAM, 0);
	if (in < 0 || out < 0)
		fail("socket");
	if (bind(in, (struct sockaddr *)&to, sizeof(to)) ||
	    getsockname(in, (struct sockaddr *)&to, &len))
		fail("bind");
	if (!fork())
		sink(in);
	close(in);
	for (;;) {
		struct timespec pause = { .tv_nsec = random_below(&state, PAUSE_NS_MAX) };

		/* a full receiver drops: that is none of our business */
		for (uint32_t n = random_below(&state, BURST_MAX); n; n--)
			if (sendto(out, buffer, random_below(&state, LENGTH_MAX), 0,
				   (struct sockaddr *)&to, sizeof(to)) < 0 && errno != ENOBUFS)
				fail("sendto");
		nanosleep(&pause, NULL);
	}
}
