// SPDX-License-Identifier: GPL-2.0-only
/* Interfaces as rtnetlink describes them: whole messages, those of old kernels, broken ones. */
#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/rtnetlink.h>

#include "link.h"
#include "test_canpipe.h"

static char buffer[4096];

static struct nlmsghdr *begin(unsigned short type, unsigned int flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *ifm = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifm));

	nlh->nlmsg_type = RTM_NEWLINK;
	*ifm = (struct ifinfomsg){ .ifi_type = type, .ifi_index = 7, .ifi_flags = flags };
	mnl_attr_put_strz(nlh, IFLA_IFNAME, "can0");
	mnl_attr_put_u32(nlh, IFLA_TXQLEN, 10);
	mnl_attr_put_strz(nlh, IFLA_QDISC, "pfifo_fast");
	return nlh;
}

/* size: how much of each structure the kernel knows */
static struct nlmsghdr *can_message(size_t stats_size)
{
	struct nlmsghdr *nlh = begin(ARPHRD_CAN, IFF_UP);
	struct can_bittiming timing = { .bitrate = 500000, .sample_point = 875, .brp = 1 };
	struct can_berr_counter berr = { .txerr = 128, .rxerr = 3 };
	struct can_device_stats stats = { .bus_off = 2, .restarts = 1 };
	struct rtnl_link_stats64 counters = { .rx_packets = 5, .rx_over_errors = 9 };
	struct can_ctrlmode mode = { .mask = ~0U, .flags = CAN_CTRLMODE_ONE_SHOT };
	struct can_clock clock = { .freq = 8000000 };
	struct nlattr *info, *data;

	mnl_attr_put(nlh, IFLA_STATS64, stats_size, &counters);
	info = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	/* data before kind: the order is nobody's promise */
	data = mnl_attr_nest_start(nlh, IFLA_INFO_DATA);
	mnl_attr_put(nlh, IFLA_CAN_BITTIMING, sizeof(timing), &timing);
	mnl_attr_put(nlh, IFLA_CAN_CLOCK, sizeof(clock), &clock);
	mnl_attr_put_u32(nlh, IFLA_CAN_STATE, CAN_STATE_ERROR_PASSIVE);
	mnl_attr_put(nlh, IFLA_CAN_CTRLMODE, sizeof(mode), &mode);
	mnl_attr_put_u32(nlh, IFLA_CAN_RESTART_MS, 100);
	mnl_attr_put(nlh, IFLA_CAN_BERR_COUNTER, sizeof(berr), &berr);
	mnl_attr_nest_end(nlh, data);
	mnl_attr_put_strz(nlh, IFLA_INFO_KIND, "can");
	mnl_attr_put(nlh, IFLA_INFO_XSTATS, sizeof(stats), &stats);
	mnl_attr_nest_end(nlh, info);
	return nlh;
}

static void whole(void)
{
	struct link *link = link_parse(can_message(sizeof(struct rtnl_link_stats64)));

	if (!ok(link != NULL, "a CAN interface"))
		return;
	same(link->name, "can0", "name");
	same(link->kind, "can", "kind");
	same(link->qdisc, "pfifo_fast", "qdisc");
	is(link->index, 7, "index");
	is(link->up, true, "up");
	is(link->is_can, true, "a controller");
	is(link->txqueuelen, 10, "length of the queue");
	is(link->timing.bitrate, 500000, "bit rate");
	is(link->clock, 8000000, "clock");
	is(link->state, CAN_STATE_ERROR_PASSIVE, "state");
	is(link->restart_ms, 100, "restart-ms");
	is(link->berr.txerr, 128, "transmit errors");
	is(link->ctrlmode, CAN_CTRLMODE_ONE_SHOT, "modes");
	is(link->can_stats.bus_off, 2, "bus-off");
	is(link->stats.rx_packets, 5, "received frames");
	is(link->stats.rx_over_errors, 9, "overruns");
	ok(link->has_state && link->has_berr && link->has_restart_ms, "what it has is known");
	links_free(link);
}

static void others(void)
{
	struct nlmsghdr *nlh = begin(ARPHRD_ETHER, 0);
	struct nlattr *info;
	struct link *link;

	ok(!link_parse(nlh), "Ethernet is none of ours");
	nlh = begin(ARPHRD_CAN, 0);
	info = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(nlh, IFLA_INFO_KIND, "vcan");
	mnl_attr_nest_end(nlh, info);
	link = link_parse(nlh);
	ok(link && !link->is_can && !link->up, "vcan has no controller");
	links_free(link);

	nlh = mnl_nlmsg_put_header(buffer);
	ok(!link_parse(nlh), "a message without a header");
	/* the first counters only */
	link = link_parse(can_message(16));
	is(link->stats.rx_packets, 5, "counters of an old kernel");
	is(link->stats.rx_over_errors, 0, "... and those that it does not know");
	links_free(link);
}

/* names that fill their field, or are longer */
static void long_names(void)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	struct ifinfomsg *ifm = mnl_nlmsg_put_extra_header(nlh, sizeof(*ifm));
	struct link *link;

	*ifm = (struct ifinfomsg){ .ifi_type = ARPHRD_CAN };
	mnl_attr_put(nlh, IFLA_IFNAME, 20, "abcdefghijklmnopqrst");
	mnl_attr_put(nlh, IFLA_QDISC, 0, "");
	link = link_parse(nlh);
	same(link->name, "abcdefghijklmno", "a name without an end");
	same(link->qdisc, "", "a name of no bytes");
	links_free(link);
}

/* one byte wrong: the sanitizers watch */
static void broken(void)
{
	static char good[sizeof(buffer)];
	unsigned int seed = 1, i, n, parsed = 0;
	struct nlmsghdr *nlh = can_message(sizeof(struct rtnl_link_stats64));
	char *copy;

	n = nlh->nlmsg_len;
	memcpy(good, buffer, n);
	for (i = 0; i < 20000; i++) {
		/* exactly as long as the message, so that each byte behind it is noticed */
		copy = xcalloc(1, n);
		memcpy(copy, good, n);
		copy[sizeof(*nlh) + rand_r(&seed) % (n - sizeof(*nlh))] = rand_r(&seed);
		copy[sizeof(*nlh) + rand_r(&seed) % (n - sizeof(*nlh))] ^= 1 << rand_r(&seed) % 8;
		links_free(link_parse((struct nlmsghdr *)copy));
		free(copy);
		parsed++;
	}
	is(parsed, 20000, "messages with wrong bytes");
}

static void counters(void)
{
	struct link_counter list[] = { { "rx_overflows", 3 }, { "irq_lost", 4 } };
	struct link link = { .counters = list, .counter_count = 2 };

	is(link_counter(&link, "irq_lost")->value, 4, "a counter by its name");
	ok(!link_counter(&link, "irq"), "one that is not there");
}

int main(void)
{
	whole();
	others();
	long_names();
	broken();
	counters();
	return tap_done();
}
