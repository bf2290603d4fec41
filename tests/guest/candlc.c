// SPDX-License-Identifier: GPL-2.0-only
/*
 * Send or receive one frame of 8 bytes with a raw DLC of 9 to 15, which
 * can-utils of Debian 12 cannot.
 */
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/raw.h>

static int fail(const char *what)
{
	perror(what);
	return 1;
}

int main(int argc, char **argv)
{
	struct can_frame frame = { .len = 8, .data = "\x11\x22\x33\x44\x55\x66\x77\x88" };
	struct sockaddr_can addr = { .can_family = AF_CAN };
	struct timeval patience = { .tv_sec = 3 };
	struct can_filter filter = { .can_mask = CAN_SFF_MASK | CAN_EFF_FLAG };
	int fd = socket(PF_CAN, SOCK_RAW, CAN_RAW);

	if (argc < 4 || (strcmp(argv[2], "send") && strcmp(argv[2], "receive"))) {
		fputs("usage: candlc IFACE send ID DLC | candlc IFACE receive ID\n", stderr);
		return 2;
	}
	addr.can_ifindex = (int)if_nametoindex(argv[1]);
	filter.can_id = (canid_t)strtoul(argv[3], NULL, 16);
	if (fd < 0 || !addr.can_ifindex || bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fail(argv[1]);
	if (!strcmp(argv[2], "send")) {
		frame.can_id = filter.can_id;
		frame.len8_dlc = (__u8)atoi(argc > 4 ? argv[4] : "8");
		return write(fd, &frame, sizeof(frame)) == sizeof(frame) ? 0 : fail("write");
	}
	setsockopt(fd, SOL_CAN_RAW, CAN_RAW_FILTER, &filter, sizeof(filter));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (read(fd, &frame, sizeof(frame)) != sizeof(frame))
		return fail("read");
	printf("dlc %d length %d\n", frame.len8_dlc ? frame.len8_dlc : frame.len, frame.len);
	return 0;
}
