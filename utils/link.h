/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CAN interfaces as rtnetlink and ethtool describe them
 */
#ifndef CANPIPE_LINK_H
#define CANPIPE_LINK_H

#include "canpipe.h"

#include <linux/can/netlink.h>
#include <linux/if_link.h>

struct nlmsghdr;

#define LINK_NAME	16	/* IFNAMSIZ */

struct link_counter {
	char name[32];		/* ETH_GSTRING_LEN */
	uint64_t value;
};

struct link {
	int index;
	char name[LINK_NAME];
	char kind[LINK_NAME];		/* "can", "vcan"... */
	bool up;
	uint32_t mtu;
	uint32_t txqueuelen;
	char qdisc[LINK_NAME];
	uint64_t qdisc_drops;
	uint32_t qdisc_backlog;		/* frames that wait */
	struct rtnl_link_stats64 stats;

	/* IFLA_CAN_*; absent ones are zero */
	bool is_can;			/* a CAN controller, or something that says it is one */
	bool has_state, has_berr, has_restart_ms;
	enum can_state state;
	struct can_bittiming timing;
	struct can_bittiming_const limits;
	struct can_berr_counter berr;
	struct can_device_stats can_stats;
	uint32_t clock;			/* Hz, that bit times are divided from */
	uint32_t ctrlmode;		/* CAN_CTRLMODE_* */
	uint32_t restart_ms;

	/* ethtool */
	char driver[32], driver_version[32], firmware[32], bus_info[32];
	struct link_counter *counters;
	size_t counter_count;

	struct link *next;
};

/*
 * links_read: all CAN interfaces, or the one of that name; *links is NULL when there are none.
 * Returns false with errno when the kernel does not answer.
 */
bool links_read(const char *name, struct link **links);
void links_free(struct link *links);

/* one RTM_NEWLINK message; NULL if it is not a CAN interface */
struct link *link_parse(const struct nlmsghdr *nlh);

const struct link_counter *link_counter(const struct link *link, const char *name);

/* ethtool.c: fill in what ethtool knows; what it does not stays empty */
void link_ethtool(struct link *link);

#endif
