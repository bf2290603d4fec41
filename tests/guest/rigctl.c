// SPDX-License-Identifier: GPL-2.0-only
/*
 * rigctl: talk to the rig from inside the guest, through the control device's
 * registers (tests/rig/core/control.c). No driver is involved.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rigdev.h"

static const struct {
	const char *name;
	unsigned int reg;
	bool wide;
} value[] = {
	{ "running", REG_RUNNING, false },
	{ "measuring", REG_MEASURE, false },
	{ "now", REG_NOW, true },
	{ "sent", REG_SENT, true },
	{ "received", REG_RECEIVED, true },
	{ "lost", REG_LOST, false },
	{ "swapped", REG_SWAPPED, false },
	{ "duplicated", REG_DUPLICATED, false },
	{ "unexpected", REG_UNEXPECTED, false },
};

#define VALUES (sizeof(value) / sizeof(value[0]))

static const char usage[] =
	"usage: rigctl signal N             give signal N to the peers on the bus\n"
	"       rigctl measure start|stop   count anew; stop counting and write the result\n"
	"       rigctl wait-peers [SECONDS] until the scripts of all peers have ended (10)\n"
	"       rigctl stall US...          the CPU stands still, interrupts wait; again, at once\n"
	"       rigctl stall-at N NS        it does so at the N-th register access from now on\n"
	"       rigctl stalled              did it, and where: no, or r|w BAR:OFFSET\n"
	"       rigctl board COMMAND ARG    a command to the board; prints its answer\n"
	"       rigctl get NAME             one of";

__attribute__((noreturn))
static void help(void)
{
	fputs(usage, stderr);
	for (size_t i = 0; i < VALUES; i++)
		fprintf(stderr, " %s", value[i].name);
	fputc('\n', stderr);
	exit(2);
}

static unsigned long number(const char *text)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 0);
	if (errno || end == text || *end)
		help();
	return n;
}

static int get(const char *name)
{
	for (size_t i = 0; i < VALUES; i++) {
		uint64_t v;

		if (strcmp(value[i].name, name))
			continue;
		v = registers[value[i].reg / 4];
		if (value[i].wide)
			v |= (uint64_t)registers[value[i].reg / 4 + 1] << 32;
		printf("%" PRIu64 "\n", v);
		return 0;
	}
	help();
}

static int wait_peers(unsigned long seconds)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	struct timespec now;
	time_t end;

	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + (time_t)seconds;
	while (registers[REG_RUNNING / 4]) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > end) {
			fprintf(stderr, "rigctl: %u peers have not come to their end in %lu s\n",
				registers[REG_RUNNING / 4], seconds);
			return 1;
		}
		nanosleep(&pause, NULL);
	}
	return 0;
}

/* Interrupts that have waited are served between one standstill and the next. */
static int stall(int count, char **times)
{
	if (!count)
		help();
	map();
	for (int i = 0; i < count; i++)
		registers[REG_STALL / 4] = (uint32_t)number(times[i]);
	return 0;
}

static int stall_at(const char *access, const char *ns)
{
	map();
	registers[REG_STALL_NS / 4] = (uint32_t)number(ns);
	registers[REG_STALL_AT / 4] = (uint32_t)number(access);
	return 0;
}

static int board(const char *command, const char *arg)
{
	map();
	registers[REG_BOARD_ARG / 4] = (uint32_t)number(arg);
	registers[REG_BOARD / 4] = (uint32_t)number(command);
	printf("%" PRIu32 "\n", registers[REG_BOARD / 4]);
	return 0;
}

int main(int argc, char **argv)
{
	char text[32];

	if (argc < 2)
		help();
	if (argc == 4 && !strcmp(argv[1], "stall-at"))
		return stall_at(argv[2], argv[3]);
	if (argc == 4 && !strcmp(argv[1], "board"))
		return board(argv[2], argv[3]);
	if (argc == 2 && !strcmp(argv[1], "stalled")) {
		map();
		puts(stalled_text(text));
		return 0;
	}
	if (!strcmp(argv[1], "stall"))
		return stall(argc - 2, argv + 2);
	if (argc > 3)
		help();
	if (!strcmp(argv[1], "wait-peers")) {
		unsigned long seconds = argc == 3 ? number(argv[2]) : 10;

		map();
		return wait_peers(seconds);
	}
	if (argc != 3)
		help();
	if (!strcmp(argv[1], "signal")) {
		unsigned long n = number(argv[2]);

		map();
		registers[REG_SIGNAL / 4] = (uint32_t)n;
		return 0;
	}
	if (!strcmp(argv[1], "measure")) {
		bool start = !strcmp(argv[2], "start");

		if (!start && strcmp(argv[2], "stop"))
			help();
		map();
		registers[REG_MEASURE / 4] = start;
		return 0;
	}
	if (!strcmp(argv[1], "get")) {
		map();
		return get(argv[2]);
	}
	help();
}
