/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rig's control device (tests/rig/core/control.c) as a program in the guest
 * reaches it: a PCI function without a driver, whose registers are mapped.
 */
#ifndef RIGDEV_H
#define RIGDEV_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PCI_DEVICES	"/sys/bus/pci/devices"
#define VENDOR		"0x1234\n"
#define DEVICE		"0xca01\n"
#define ID		0x47525043	/* "CPRG" */

enum {
	REG_ID = 0x00, REG_SIGNAL = 0x04, REG_RUNNING = 0x08, REG_MEASURE = 0x0c,
	REG_NOW = 0x10, REG_SENT = 0x18, REG_RECEIVED = 0x20, REG_LOST = 0x28,
	REG_SWAPPED = 0x2c, REG_DUPLICATED = 0x30, REG_UNEXPECTED = 0x34,
	REG_STALL = 0x38, REG_STALL_AT = 0x40, REG_STALL_NS = 0x44, REG_STALLED = 0x48,
	REG_BOARD_ARG = 0x50, REG_BOARD = 0x54,
};

/* REG_STALLED */
#define STALLED_USED	0x80000000
#define STALLED_WRITE	0x40000000

static volatile uint32_t *registers;

__attribute__((noreturn))
static void fail(const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, strerror(errno));
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

/* Ends the program when there is none. */
static void map(void)
{
	char device[256], path[512];
	void *p;
	int fd;

	if (!find_device(device, sizeof(device))) {
		fprintf(stderr, "%s: there is no control device: start the rig with ctl=PATH\n",
			program_invocation_short_name);
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
		fprintf(stderr, "%s: the control device says 0x%08x, not who it is\n",
			program_invocation_short_name, registers[REG_ID / 4]);
		exit(1);
	}
}

/* "no", or what access the stall has hit: "w 0:10c" */
static inline const char *stalled_text(char text[32])
{
	uint32_t where = registers[REG_STALLED / 4];

	if (!(where & STALLED_USED))
		return strcpy(text, "no");
	snprintf(text, 32, "%c %x:%x", where & STALLED_WRITE ? 'w' : 'r', where >> 24 & 0xf,
		 where & 0xffffff);
	return text;
}

#endif
