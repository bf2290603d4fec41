// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel's log
 */

#include "kmsg.h"
#include "fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RECORD_MAX	8192	/* CONSOLE_EXT_LOG_MAX of the kernel, and never more */

/* "6,339,5140900,-;text": of the lines of one record the first one has the text */
static void add_line(struct kmsg *log, const char *line)
{
	const char *text = strchr(line, ';');

	if (*line == ' ' || !text)
		return;
	log->lines = xrealloc(log->lines, (log->count + 1) * sizeof(*log->lines));
	log->lines[log->count++] = xstrdup(text + 1);
}

static void add_records(struct kmsg *log, char *text)
{
	char *line, *save;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		add_line(log, line);
}

void kmsg_read(const struct canpipe *cp, struct kmsg *log)
{
	char *path = fs_path(cp, "/dev/kmsg");
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char record[RECORD_MAX + 1];
	ssize_t n;

	free(path);
	*log = (struct kmsg){ .readable = fd >= 0 };
	if (fd < 0)
		return;
	/* EPIPE: what was to be read next has been overwritten; goes on with what is there */
	while ((n = read(fd, record, RECORD_MAX)) > 0 || (n < 0 && errno == EPIPE)) {
		if (n < 0)
			continue;
		record[n] = 0;
		add_records(log, record);
	}
	close(fd);
}

void kmsg_clear(struct kmsg *log)
{
	size_t i;

	for (i = 0; i < log->count; i++)
		free(log->lines[i]);
	free(log->lines);
	*log = (struct kmsg){ 0 };
}

const char *kmsg_last(const struct kmsg *log, const char *a, const char *b)
{
	size_t i;

	for (i = log->count; i-- > 0;)
		if (strstr(log->lines[i], a) && (!b || strstr(log->lines[i], b)))
			return log->lines[i];
	return NULL;
}

unsigned int kmsg_crystal_khz(const struct kmsg *log, const char *device)
{
	static const char seems[] = "the crystal seems to run at about ";
	unsigned int pending = 0, khz = 0, mhz, tenth;
	const char *text;
	size_t i;

	/* the doubt comes before the line that says that the device is bound */
	for (i = 0; i < log->count; i++) {
		if (strncmp(log->lines[i], "mcp251x ", 8) != 0 || !strstr(log->lines[i], device))
			continue;
		text = strstr(log->lines[i], seems);
		if (text && sscanf(text + sizeof(seems) - 1, "%u.%u MHz", &mhz, &tenth) == 2)
			pending = mhz * 1000 + tenth * 100;
		if (strstr(log->lines[i], "SPI clock up to ")) {
			khz = pending;
			pending = 0;
		}
	}
	return khz;
}
