// SPDX-License-Identifier: GPL-2.0-only
/*
 * spitest: SPI messages through spidev, with everything that comes back compared.
 * What is behind the chip select is the rig's choice (--boardopt slave=...):
 * a loopback, or a byte memory with the commands of common serial SRAMs.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <linux/spi/spidev.h>

#define MAX_BYTES	65536
#define MAX_TRANSFERS	16

static const char usage[] =
	"usage: spitest [OPTION...]\n"
	"  -D DEVICE    /dev/spidev0.0\n"
	"  -l LENGTHS   of a transfer: numbers and ranges FROM-TO[/STEP], with commas (14)\n"
	"  -n N         messages of each length (1)\n"
	"  -x N         transfers in a message (1), each with data of its own\n"
	"  -d DATA      both (default): full duplex; tx, rx: the other buffer is left out;\n"
	"               mix: both, tx, rx in turn\n"
	"  -S SLAVE     loopback (default), memory, none: nothing is compared\n"
	"  -s HZ        clock (10000000)\n"
	"  -m MODE      0 to 3 (0)\n"
	"  -H, -L       chip select active high, LSB first\n"
	"  -c           cs_change between the transfers of a message\n"
	"  -u US        delay after each transfer\n"
	"  -w US        sleep between messages\n"
	"  -r PREFIX    print RESULT lines with this prefix\n"
	"Exit code 0: all messages done, all data right.\n";

struct options {
	const char *device, *lengths, *data, *slave, *prefix;
	unsigned int count, transfers, hz, mode, delay_us, sleep_us;
	bool cs_change;
};

static struct options o = {
	.device = "/dev/spidev0.0", .lengths = "14", .data = "both", .slave = "loopback",
	.count = 1, .transfers = 1, .hz = 10000000,
};

static struct {
	uint64_t messages, bytes, bad;
	int64_t min, max, sum;
} done = { .min = INT64_MAX };

static int spi;
static uint8_t tx[MAX_BYTES], rx[MAX_BYTES];

__attribute__((noreturn))
static void fail(const char *what)
{
	fprintf(stderr, "spitest: %s: %s\n", what, strerror(errno));
	exit(1);
}

__attribute__((noreturn))
static void help(void)
{
	fputs(usage, stderr);
	exit(2);
}

static unsigned int number(const char *text, char **end)
{
	unsigned long n;

	if (*text < '0' || *text > '9')
		help();
	n = strtoul(text, end, 0);
	if (n > UINT32_MAX)
		help();
	return (unsigned int)n;
}

static unsigned int only_number(const char *text)
{
	char *end;
	unsigned int n = number(text, &end);

	if (*end)
		help();
	return n;
}

static int64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Another byte at every place of every message. */
static uint8_t pattern(uint64_t message, size_t i)
{
	uint64_t x = (message << 20 ^ i) * 0x9e3779b97f4a7c15ull;

	return (uint8_t)(x >> 56);
}

static void message(struct spi_ioc_transfer *t, unsigned int count)
{
	int64_t begin = now_ns(), ns;
	int total = 0, ret;

	for (unsigned int i = 0; i < count; i++)
		total += (int)t[i].len;
	ret = ioctl(spi, SPI_IOC_MESSAGE(count), t);
	ns = now_ns() - begin;
	if (ret < 0)
		fail("SPI_IOC_MESSAGE");
	if (ret != total) {
		fprintf(stderr, "spitest: %d bytes transferred, not %d\n", ret, total);
		exit(1);
	}
	done.messages++;
	done.bytes += (uint64_t)total;
	done.sum += ns;
	if (ns < done.min)
		done.min = ns;
	if (ns > done.max)
		done.max = ns;
}

static void wrong(const char *what, unsigned int len, size_t i, uint8_t got, uint8_t want)
{
	if (!done.bad++)
		fprintf(stderr, "spitest: %s, %u bytes: byte %zu is 0x%02x, not 0x%02x\n", what,
			len, i, got, want);
}

static struct spi_ioc_transfer transfer(const uint8_t *out, uint8_t *in, unsigned int len)
{
	return (struct spi_ioc_transfer){
		.tx_buf = (uintptr_t)out,
		.rx_buf = (uintptr_t)in,
		.len = len,
		.speed_hz = o.hz,
		.delay_usecs = (uint16_t)o.delay_us,
		.bits_per_word = 8,
	};
}

/* The loopback gives back what was sent; without a tx buffer zeros are sent. */
static void loopback(uint64_t id, unsigned int len)
{
	struct spi_ioc_transfer t[MAX_TRANSFERS];
	unsigned int count = o.transfers;
	size_t total = (size_t)count * len;

	if (total > MAX_BYTES)
		help();
	for (size_t i = 0; i < total; i++) {
		tx[i] = pattern(id, i);
		rx[i] = (uint8_t)~tx[i];
	}
	for (unsigned int k = 0; k < count; k++) {
		bool mix = !strcmp(o.data, "mix");
		bool no_tx = !strcmp(o.data, "rx") || (mix && k % 3 == 2);
		bool no_rx = !strcmp(o.data, "tx") || (mix && k % 3 == 1);

		t[k] = transfer(no_tx ? NULL : tx + k * len, no_rx ? NULL : rx + k * len, len);
		t[k].cs_change = o.cs_change && k + 1 < count;
	}
	message(t, count);
	if (!strcmp(o.slave, "none"))
		return;
	for (size_t i = 0; i < total; i++) {
		const struct spi_ioc_transfer *p = &t[i / len];
		uint8_t want = p->tx_buf ? tx[i] : 0;

		if (p->rx_buf && rx[i] != want)
			wrong("loopback", len, i, rx[i], want);
	}
}

#define MEMORY_WRITE	0x02
#define MEMORY_READ	0x03
#define MEMORY_COMMAND	3	/* command, 16 bits of address */

static void memory_command(uint8_t *to, uint8_t command, uint32_t address)
{
	to[0] = command;
	to[1] = (uint8_t)(address >> 8);
	to[2] = (uint8_t)address;
}

/*
 * Write to the memory, read it back: data without an rx buffer, then without a
 * tx buffer, each behind a command in the same message; or, full duplex, in one
 * transfer with the command.
 */
static void memory(uint64_t id, unsigned int len)
{
	bool both = !strcmp(o.data, "both");
	uint32_t address = (uint32_t)(id * 97 % 65536);
	uint8_t command[MEMORY_COMMAND];
	struct spi_ioc_transfer t[2];

	if (len + MEMORY_COMMAND > MAX_BYTES)
		help();
	for (unsigned int i = 0; i < len; i++)
		tx[MEMORY_COMMAND + i] = pattern(id, i);
	memory_command(tx, MEMORY_WRITE, address);
	memory_command(command, MEMORY_WRITE, address);
	if (both) {
		t[0] = transfer(tx, rx, MEMORY_COMMAND + len);
	} else {
		t[0] = transfer(command, NULL, MEMORY_COMMAND);
		t[1] = transfer(tx + MEMORY_COMMAND, NULL, len);
	}
	message(t, both ? 1 : 2);

	memset(rx, 0x55, MEMORY_COMMAND + len);
	memory_command(command, MEMORY_READ, address);
	if (both) {
		uint8_t zeros[MAX_BYTES] = { 0 };

		memcpy(zeros, command, MEMORY_COMMAND);
		t[0] = transfer(zeros, rx, MEMORY_COMMAND + len);
		message(t, 1);
	} else {
		t[0] = transfer(command, NULL, MEMORY_COMMAND);
		t[1] = transfer(NULL, rx + MEMORY_COMMAND, len);
		message(t, 2);
	}
	for (unsigned int i = 0; i < len; i++) {
		uint8_t want = pattern(id, i);

		if (rx[MEMORY_COMMAND + i] != want)
			wrong("memory", len, i, rx[MEMORY_COMMAND + i], want);
	}
}

static void length(unsigned int len)
{
	static uint64_t id;

	if (!len)
		help();
	for (unsigned int i = 0; i < o.count; i++) {
		id++;
		if (!strcmp(o.slave, "memory"))
			memory(id, len);
		else
			loopback(id, len);
		if (o.sleep_us)
			usleep(o.sleep_us);
	}
}

static void all_lengths(const char *text)
{
	while (*text) {
		unsigned int from, to, step = 1;
		char *end;

		from = number(text, &end);
		to = from;
		if (*end == '-')
			to = number(end + 1, &end);
		if (*end == '/')
			step = number(end + 1, &end);
		if ((*end && *end != ',') || !step)
			help();
		for (; from <= to; from += step)
			length(from);
		text = end + (*end == ',');
	}
}

static bool one_of(const char *text, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(text, *list))
			return true;
	return false;
}

static void parse(int argc, char **argv)
{
	static const char *const ways[] = { "both", "tx", "rx", "mix", NULL };
	static const char *const slaves[] = { "loopback", "memory", "none", NULL };
	int c;

	while ((c = getopt(argc, argv, "D:l:n:x:d:S:s:m:HLcu:w:r:")) != -1) {
		switch (c) {
		case 'D': o.device = optarg; break;
		case 'l': o.lengths = optarg; break;
		case 'n': o.count = only_number(optarg); break;
		case 'x': o.transfers = only_number(optarg); break;
		case 'd': o.data = optarg; break;
		case 'S': o.slave = optarg; break;
		case 's': o.hz = only_number(optarg); break;
		case 'm': o.mode |= only_number(optarg) & (SPI_CPHA | SPI_CPOL); break;
		case 'H': o.mode |= SPI_CS_HIGH; break;
		case 'L': o.mode |= SPI_LSB_FIRST; break;
		case 'c': o.cs_change = true; break;
		case 'u': o.delay_us = only_number(optarg); break;
		case 'w': o.sleep_us = only_number(optarg); break;
		case 'r': o.prefix = optarg; break;
		default: help();
		}
	}
	if (optind != argc || !one_of(o.data, ways) || !one_of(o.slave, slaves) ||
	    !o.transfers || o.transfers > MAX_TRANSFERS)
		help();
}

int main(int argc, char **argv)
{
	uint32_t mode;

	parse(argc, argv);
	spi = open(o.device, O_RDWR);
	if (spi < 0)
		fail(o.device);
	mode = o.mode;
	if (ioctl(spi, SPI_IOC_WR_MODE32, &mode) < 0)
		fail("SPI_IOC_WR_MODE32");
	all_lengths(o.lengths);

	printf("# %" PRIu64 " messages, %" PRIu64 " bytes, %" PRIu64 " wrong; ns: min %" PRId64
	       ", mean %" PRId64 ", max %" PRId64 "\n", done.messages, done.bytes, done.bad,
	       done.min, done.sum / (int64_t)done.messages, done.max);
	if (o.prefix) {
		printf("RESULT %s_messages=%" PRIu64 "\nRESULT %s_bytes=%" PRIu64 "\n", o.prefix,
		       done.messages, o.prefix, done.bytes);
		printf("RESULT %s_bad=%" PRIu64 "\nRESULT %s_min_ns=%" PRId64 "\n", o.prefix,
		       done.bad, o.prefix, done.min);
		printf("RESULT %s_mean_ns=%" PRId64 "\nRESULT %s_max_ns=%" PRId64 "\n", o.prefix,
		       done.sum / (int64_t)done.messages, o.prefix, done.max);
	}
	return done.bad ? 1 : 0;
}
