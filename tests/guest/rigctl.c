// SPDX-License-Identifier: GPL-2.0-only
/*
 * rigctl: talk to the rig from inside the guest, through the control device's
 * registers (tests/rig/core/control.c). No driver is involved.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PCI_DEVICES	"/sys/bus/pci/devices"
#define VENDOR		"0x1234\n"
#define DEVICE		"0xca01\n"
#define ID		0x47525043	/* "CPRG" */

enum {
	REG_ID = 0x00, REG_SIGNAL = 0x04, REG_RUNNING = 0x08, REG_MEASURE = 0x0c,
	REG_NOW = 0x10, REG_SENT = 0x18, REG_RECEIVED = 0x20, REG_LOST = 0x28,
	REG_SWAPPED = 0x2c, REG_DUPLICATED = 0x30, REG_UNEXPECTED = 0x34,
	REG_STALL = 0x38,
};

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

static volatile uint32_t *registers;

static const char usage[] =
	"usage: rigctl signal N             give signal N to the peers on the bus\n"
	"       rigctl measure start|stop   count anew; stop counting and write the result\n"
	"       rigctl wait-peers [SECONDS] until the scripts of all peers have ended (10)\n"
	"       rigctl stall US...          the CPU stands still, interrupts wait; again, at once\n"
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

__attribute__((noreturn))
static void fail(const char *what)
{
	fprintf(stderr, "rigctl: %s: %s\n", what, strerror(errno));
	exit(1);
}

static bool file_says(const char *dir, const char *name, const char *want)
{
	char path[512], text[32];
	FILE *f;
	bool same;

	snprintf(path, sizeof(path), PCI_DEVICES "/%s/%s", dir, name);
	f = fopen(path, "r");
	if (!f)
		return false;
	same = fgets(text, sizeof(text), f) && !strcmp(text, want);
	fclose(f);
	return same;
}

static bool find_device(char *name, size_t len)
{
	DIR *d = opendir(PCI_DEVICES);
	const struct dirent *e;
	bool found = false;

	if (!d)
		fail(PCI_DEVICES);
	while (!found && (e = readdir(d))) {
		found = file_says(e->d_name, "vendor", VENDOR) &&
			file_says(e->d_name, "device", DEVICE);
		if (found)
			snprintf(name, len, "%s", e->d_name);
	}
	closedir(d);
	return found;
}

/* Nobody has switched its memory decoder on, since no driver has it. */
static void enable(const char *device)
{
	char path[512];
	int fd;

	if (file_says(device, "enable", "1\n"))
		return;
	snprintf(path, sizeof(path), PCI_DEVICES "/%s/enable", device);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "1", 1) != 1)
		fail(path);
	close(fd);
}

static void map(void)
{
	char device[256], path[512];
	void *p;
	int fd;

	if (!find_device(device, sizeof(device))) {
		fprintf(stderr, "rigctl: there is no control device: start the rig with ctl=PATH\n");
		exit(1);
	}
	enable(device);
	snprintf(path, sizeof(path), PCI_DEVICES "/%s/resource0", device);
	fd = open(path, O_RDWR | O_SYNC);
	if (fd < 0)
		fail(path);
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		fail(path);
	close(fd);
	registers = p;
	if (registers[REG_ID / 4] != ID) {
		fprintf(stderr, "rigctl: the control device says 0x%08x, not who it is\n",
			registers[REG_ID / 4]);
		exit(1);
	}
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

int main(int argc, char **argv)
{
	if (argc < 2)
		help();
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
