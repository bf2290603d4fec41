// SPDX-License-Identifier: GPL-2.0-only
/*
 * gpiotest: pins of the Raspberry Pi as the kernel's driver for them shows them to
 * programs, against what the rig does to the pin from outside (rigctl board).
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <poll.h>
#include <sys/ioctl.h>

#include <linux/gpio.h>

#include "rigdev.h"

/* Commands of the board rpi, see tests/rig/boards/rpi.c */
#define BOARD_GPIO		2
#define BOARD_GPIO_LEVEL	8

static const char usage[] =
	"usage: gpiotest edges LINE N   the rig drives the pin up and down N times; each edge must\n"
	"                               be reported once, in order\n"
	"       gpiotest output LINE N  set it N times, high and low; the rig must see it\n"
	"LINE is of the chip pinctrl-bcm2835 (or -bcm2711).\n";

static uint32_t board(uint32_t command, uint32_t arg)
{
	registers[REG_BOARD_ARG / 4] = arg;
	registers[REG_BOARD / 4] = command;
	return registers[REG_BOARD / 4];
}

static int open_chip(void)
{
	for (int i = 0; i < 8; i++) {
		struct gpiochip_info info;
		char path[32];
		int fd;

		snprintf(path, sizeof(path), "/dev/gpiochip%d", i);
		fd = open(path, O_RDWR);
		if (fd < 0)
			continue;
		if (!ioctl(fd, GPIO_GET_CHIPINFO_IOCTL, &info) &&
		    !strncmp(info.label, "pinctrl-bcm2", 12))
			return fd;
		close(fd);
	}
	fputs("gpiotest: no chip pinctrl-bcm2835: is this the board rpi?\n", stderr);
	exit(1);
}

static int request(unsigned int line, uint64_t flags)
{
	struct gpio_v2_line_request r = { .num_lines = 1, .consumer = "gpiotest" };

	r.offsets[0] = line;
	r.config.flags = flags;
	if (ioctl(open_chip(), GPIO_V2_GET_LINE_IOCTL, &r) < 0)
		fail("GPIO_V2_GET_LINE_IOCTL");
	return r.fd;
}

static int edges(unsigned int line, unsigned int n)
{
	struct gpio_v2_line_event e;
	unsigned int wrong = 0;
	struct pollfd p;

	board(BOARD_GPIO, line);
	p.fd = request(line, GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING |
		       GPIO_V2_LINE_FLAG_EDGE_FALLING);
	p.events = POLLIN;
	for (unsigned int i = 1; i <= 2 * n; i++) {
		uint32_t level = i & 1;

		board(BOARD_GPIO, line | level << 8);
		if (poll(&p, 1, 100) != 1) {
			fprintf(stderr, "gpiotest: edge %u of line %u is not reported\n", i, line);
			return 1;
		}
		if (read(p.fd, &e, sizeof(e)) != sizeof(e))
			fail("read");
		wrong += e.id != (level ? GPIO_V2_LINE_EVENT_RISING_EDGE :
				  GPIO_V2_LINE_EVENT_FALLING_EDGE) || e.line_seqno != i;
	}
	if (poll(&p, 1, 10)) {
		fputs("gpiotest: more edges are reported than there were\n", stderr);
		return 1;
	}
	printf("# line %u: %u edges, %u of them wrong\n", line, 2 * n, wrong);
	return wrong != 0;
}

static int output(unsigned int line, unsigned int n)
{
	int fd = request(line, GPIO_V2_LINE_FLAG_OUTPUT);
	unsigned int wrong = 0;

	for (unsigned int i = 1; i <= 2 * n; i++) {
		struct gpio_v2_line_values v = { .mask = 1, .bits = i & 1 };

		if (ioctl(fd, GPIO_V2_LINE_SET_VALUES_IOCTL, &v) < 0)
			fail("GPIO_V2_LINE_SET_VALUES_IOCTL");
		wrong += board(BOARD_GPIO_LEVEL, line) != (i & 1);
	}
	printf("# line %u: set %u times, %u times wrong\n", line, 2 * n, wrong);
	return wrong != 0;
}

int main(int argc, char **argv)
{
	unsigned int line, n;

	if (argc != 4 || sscanf(argv[2], "%u", &line) != 1 || sscanf(argv[3], "%u", &n) != 1) {
		fputs(usage, stderr);
		return 2;
	}
	map();
	if (!strcmp(argv[1], "edges"))
		return edges(line, n);
	if (!strcmp(argv[1], "output"))
		return output(line, n);
	fputs(usage, stderr);
	return 2;
}
