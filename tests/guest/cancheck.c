// SPDX-License-Identifier: GPL-2.0-only
/*
 * Receive CAN frames that carry a counter and say which are missing, out of
 * order or there twice. Ends after N frames, or when nothing has come for a
 * while.
 */
#include <errno.h>
#include <inttypes.h>
#include <net/if.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/raw.h>

/* Irregular counters that are shown, the first ones. */
#define SHOWN		8

/* How far back a late counter is still told from a repeated one. */
#define WINDOW 65536u

struct check {
	uint64_t next;			/* the counter that should come now */
	unsigned char seen[WINDOW];	/* of the last WINDOW counters below next */
	uint64_t received;
	uint64_t lost;
	uint64_t swapped;
	uint64_t duplicated;
	uint64_t foreign;
	uint64_t torn;
	uint64_t error_frames;
	struct {
		uint64_t nth;		/* frame since the beginning */
		uint64_t came;
		uint64_t expected;
	} shown[SHOWN];
	unsigned int irregular;
};

static void usage(FILE *out)
{
	fputs("usage: cancheck [-n FRAMES] [-t IDLE_MS] [-s FIRST_MS] [-f ID | -S] [-o OFFSET] [-l LENGTH] [-b] [-i] [-m] IFACE\n"
	      "  -n  end after so many frames (default: only by -t)\n"
	      "  -t  end when no frame has come for so long (2000)\n"
	      "  -s  the same, before the first frame (20000)\n"
	      "  -f  take only frames of this identifier (hexadecimal, more than 3 digits: extended)\n"
	      "  -S  take only frames with a standard identifier, whichever\n"
	      "  -o  first byte of the counter (0)   -l  its length in bytes (4)\n"
	      "  -b  the counter is big-endian       -i  the counter is the identifier\n"
	      "  -m  a standard identifier is the counter, too: any other is of a torn frame\n"
	      "  -1  the first counter may have any value\n"
	      "  -R  touch this file when ready to receive\n"
	      "Prints RESULT lines; exit code 1 when a frame was lost, swapped, duplicated or torn.\n", out);
}

static uint64_t counter_of(const struct can_frame *f, int offset, int length, bool big)
{
	uint64_t v = 0;

	for (int i = 0; i < length; i++)
		v |= (uint64_t)f->data[offset + i] << 8 * (big ? length - 1 - i : i);
	return v;
}

/* @bits: width of the counter on the wire; it wraps there */
static void check_counter(struct check *c, uint64_t wire, int bits)
{
	uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	uint64_t ahead = (wire - c->next) & mask, back = (c->next - wire) & mask;
	uint64_t value;

	if (wire != (c->next & mask) && c->irregular < SHOWN) {
		c->shown[c->irregular].nth = c->received;
		c->shown[c->irregular].came = wire;
		c->shown[c->irregular++].expected = c->next & mask;
	}
	if (ahead <= mask / 2) {
		value = c->next + ahead;
		c->lost += ahead;
		for (uint64_t v = c->next; v < value && v < c->next + WINDOW; v++)
			c->seen[v % WINDOW] = 0;
		c->seen[value % WINDOW] = 1;
		c->next = value + 1;
		return;
	}
	value = c->next - back;
	if (back < WINDOW && back <= c->next && !c->seen[value % WINDOW]) {
		c->seen[value % WINDOW] = 1;
		c->swapped++;
		c->lost--;
	} else {
		c->duplicated++;
	}
}

static int open_can(const char *iface)
{
	struct sockaddr_can addr = { .can_family = AF_CAN };
	can_err_mask_t errors = CAN_ERR_MASK;
	int fd = socket(PF_CAN, SOCK_RAW, CAN_RAW), room = 64 << 20, on = 1;

	addr.can_ifindex = (int)if_nametoindex(iface);
	if (fd < 0 || !addr.can_ifindex) {
		fprintf(stderr, "cancheck: %s: %s\n", iface, strerror(errno));
		exit(2);
	}
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room)))
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room));
	setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof(on));
	setsockopt(fd, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &errors, sizeof(errors));
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr))) {
		perror("cancheck: bind");
		exit(2);
	}
	return fd;
}

/* One frame; @dropped is the socket's own loss so far. */
static bool receive(int fd, struct can_frame *frame, uint32_t *dropped)
{
	char control[CMSG_SPACE(sizeof(uint32_t))];
	struct iovec iov = { .iov_base = frame, .iov_len = sizeof(*frame) };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control, .msg_controllen = sizeof(control),
	};

	if (recvmsg(fd, &msg, 0) != sizeof(*frame)) {
		/* the interface has gone down: what is queued still comes */
		if (errno == ENETDOWN)
			return false;
		perror("cancheck: recvmsg");
		exit(2);
	}
	for (struct cmsghdr *m = CMSG_FIRSTHDR(&msg); m; m = CMSG_NXTHDR(&msg, m))
		if (m->cmsg_level == SOL_SOCKET && m->cmsg_type == SO_RXQ_OVFL)
			memcpy(dropped, CMSG_DATA(m), sizeof(*dropped));
	return true;
}

int main(int argc, char **argv)
{
	int offset = 0, length = 4, idle = 2000, first = 20000, opt;
	bool big = false, by_id = false, any_first = false, filter = false, standard = false, mixed = false;
	const char *ready = NULL;
	uint64_t frames = 0;
	canid_t only = 0;
	uint32_t dropped = 0;
	static struct check c;
	int fd;

	while ((opt = getopt(argc, argv, "n:t:s:f:So:l:bim1R:h")) != -1) {
		switch (opt) {
		case 'n': frames = strtoull(optarg, NULL, 0); break;
		case 't': idle = atoi(optarg); break;
		case 's': first = atoi(optarg); break;
		case 'f':
			filter = true;
			only = (canid_t)strtoul(optarg, NULL, 16);
			if (strlen(optarg) > 3)
				only |= CAN_EFF_FLAG;
			break;
		case 'S': standard = true; break;
		case 'o': offset = atoi(optarg); break;
		case 'l': length = atoi(optarg); break;
		case 'b': big = true; break;
		case 'i': by_id = true; break;
		case 'm': mixed = true; break;
		case '1': any_first = true; break;
		case 'R': ready = optarg; break;
		case 'h': usage(stdout); return 0;
		default: usage(stderr); return 2;
		}
	}
	if (optind + 1 != argc || offset < 0 || length < 1 || offset + length > 8) {
		usage(stderr);
		return 2;
	}
	fd = open_can(argv[optind]);
	if (ready)
		fclose(fopen(ready, "w"));
	while (!frames || c.received < frames) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		struct can_frame f;
		uint64_t value;
		int bits;

		if (poll(&p, 1, c.received ? idle : first) <= 0)
			break;
		if (!receive(fd, &f, &dropped))
			continue;
		if (f.can_id & CAN_ERR_FLAG) {
			c.error_frames++;
			continue;
		}
		if ((filter && (f.can_id & ~CAN_RTR_FLAG) != only) ||
		    (standard && f.can_id & CAN_EFF_FLAG) ||
		    (!by_id && f.can_dlc < offset + length)) {
			c.foreign++;
			continue;
		}
		if (by_id) {
			bits = f.can_id & CAN_EFF_FLAG ? 29 : 11;
			value = f.can_id & (f.can_id & CAN_EFF_FLAG ? CAN_EFF_MASK : CAN_SFF_MASK);
		} else {
			bits = 8 * length;
			value = counter_of(&f, offset, length, big);
			if (mixed && ((f.can_id ^ value) & CAN_SFF_MASK))
				c.torn++;
		}
		if (!c.received && any_first) {
			/* what is older than the first was not awaited: a repetition */
			c.next = value;
			memset(c.seen, 1, sizeof(c.seen));
		}
		c.received++;
		check_counter(&c, value, bits);
	}
	/* what should have come after the last one that did */
	if (frames > c.next && !any_first)
		c.lost += frames - c.next;
	printf("RESULT received=%" PRIu64 "\nRESULT lost=%" PRIu64 "\nRESULT swapped=%" PRIu64
	       "\nRESULT duplicated=%" PRIu64 "\n", c.received, c.lost, c.swapped, c.duplicated);
	if (mixed)
		printf("RESULT torn=%" PRIu64 "\n", c.torn);
	printf("# %" PRIu64 " foreign frames, %" PRIu64 " error frames, %" PRIu32
	       " dropped by the socket\n", c.foreign, c.error_frames, dropped);
	for (unsigned int i = 0; i < c.irregular; i++)
		printf("# frame %" PRIu64 ": %" PRIu64 " came instead of %" PRIu64 "\n",
		       c.shown[i].nth, c.shown[i].came, c.shown[i].expected);
	return c.lost || c.swapped || c.duplicated || c.torn ? 1 : 0;
}
