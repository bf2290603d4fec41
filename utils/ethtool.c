// SPDX-License-Identifier: GPL-2.0-only
/*
 * CAN interfaces as ethtool describes them. By ioctl: statistics of drivers are not part of
 * ethtool's netlink interface.
 */

#include "link.h"

#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* a driver with more than that does not exist */
#define COUNTERS_MAX	4096

static bool ask(int fd, const struct link *link, void *command)
{
	struct ifreq ifr = { 0 };

	memcpy(ifr.ifr_name, link->name, sizeof(ifr.ifr_name));
	ifr.ifr_data = command;
	return ioctl(fd, SIOCETHTOOL, &ifr) == 0;
}

/* The kernel's texts fill their fields; ours have a zero at the end. */
static void copy_field(char *to, size_t size, const char *from, size_t from_size)
{
	size_t n = strnlen(from, from_size < size - 1 ? from_size : size - 1);

	memcpy(to, from, n);
	to[n] = 0;
}

#define COPY_FIELD(to, from)	copy_field(to, sizeof(to), from, sizeof(from))

static void read_driver(int fd, struct link *link)
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };

	if (!ask(fd, link, &info))
		return;
	COPY_FIELD(link->driver, info.driver);
	COPY_FIELD(link->driver_version, info.version);
	COPY_FIELD(link->firmware, info.fw_version);
	COPY_FIELD(link->bus_info, info.bus_info);
}

static uint32_t count_of(int fd, const struct link *link)
{
	struct {
		struct ethtool_sset_info info;
		uint32_t count;
	} set = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1ULL << ETH_SS_STATS } };

	return ask(fd, link, &set) && set.info.sset_mask ? set.count : 0;
}

static void read_counters(int fd, struct link *link)
{
	uint32_t count = count_of(fd, link), i;
	struct ethtool_gstrings *names;
	struct ethtool_stats *values;

	if (!count || count > COUNTERS_MAX)
		return;
	names = xcalloc(1, sizeof(*names) + (size_t)count * ETH_GSTRING_LEN);
	values = xcalloc(1, sizeof(*values) + count * sizeof(values->data[0]));
	names->cmd = ETHTOOL_GSTRINGS;
	names->string_set = ETH_SS_STATS;
	names->len = count;
	values->cmd = ETHTOOL_GSTATS;
	values->n_stats = count;
	if (ask(fd, link, names) && ask(fd, link, values) &&
	    names->len == count && values->n_stats == count) {
		link->counters = xcalloc(count, sizeof(*link->counters));
		link->counter_count = count;
		for (i = 0; i < count; i++) {
			copy_field(link->counters[i].name, sizeof(link->counters[i].name),
				   (char *)names->data + (size_t)i * ETH_GSTRING_LEN,
				   ETH_GSTRING_LEN);
			link->counters[i].value = values->data[i];
		}
	}
	free(names);
	free(values);
}

void link_ethtool(struct link *link)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	/* a kernel without IPv4 */
	if (fd < 0)
		fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	read_driver(fd, link);
	read_counters(fd, link);
	close(fd);
}
