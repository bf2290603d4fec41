// SPDX-License-Identifier: GPL-2.0-only
/*
 * CAN interfaces as rtnetlink describes them
 */

#include "link.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if.h>
#include <linux/if_arp.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

/* Old kernels send shorter structures than the headers have, new ones longer. */
static void copy_attr(const struct nlattr *attr, void *to, size_t size)
{
	size_t got = mnl_attr_get_payload_len(attr);

	memset(to, 0, size);
	memcpy(to, mnl_attr_get_payload(attr), got < size ? got : size);
}

static uint32_t attr_u32(const struct nlattr *attr)
{
	uint32_t value;

	copy_attr(attr, &value, sizeof(value));
	return value;
}

/* text attributes end in a zero, if whoever sent it is right */
static void copy_text(const struct nlattr *attr, char *to, size_t size)
{
	size_t n = mnl_attr_get_payload_len(attr);

	n = n < size ? n : size - 1;
	memcpy(to, mnl_attr_get_payload(attr), n);
	to[n] = 0;
}

static void parse_can(struct link *link, const struct nlattr *data)
{
	struct can_ctrlmode mode;
	struct can_clock clock;
	const struct nlattr *attr;

	mnl_attr_for_each_nested(attr, data) {
		switch (mnl_attr_get_type(attr)) {
		case IFLA_CAN_BITTIMING:
			copy_attr(attr, &link->timing, sizeof(link->timing));
			break;
		case IFLA_CAN_BITTIMING_CONST:
			copy_attr(attr, &link->limits, sizeof(link->limits));
			break;
		case IFLA_CAN_CLOCK:
			copy_attr(attr, &clock, sizeof(clock));
			link->clock = clock.freq;
			break;
		case IFLA_CAN_STATE:
			link->state = attr_u32(attr);
			link->has_state = true;
			break;
		case IFLA_CAN_CTRLMODE:
			copy_attr(attr, &mode, sizeof(mode));
			link->ctrlmode = mode.flags;
			break;
		case IFLA_CAN_RESTART_MS:
			link->restart_ms = attr_u32(attr);
			link->has_restart_ms = true;
			break;
		case IFLA_CAN_BERR_COUNTER:
			copy_attr(attr, &link->berr, sizeof(link->berr));
			link->has_berr = true;
			break;
		}
	}
}

static void parse_linkinfo(struct link *link, const struct nlattr *info)
{
	const struct nlattr *attr, *data = NULL, *stats = NULL;

	mnl_attr_for_each_nested(attr, info) {
		switch (mnl_attr_get_type(attr)) {
		case IFLA_INFO_KIND:
			copy_text(attr, link->kind, sizeof(link->kind));
			break;
		case IFLA_INFO_DATA:
			data = attr;
			break;
		case IFLA_INFO_XSTATS:
			stats = attr;
			break;
		}
	}
	if (strcmp(link->kind, "can") != 0)
		return;
	link->is_can = true;
	if (data)
		parse_can(link, data);
	if (stats)
		copy_attr(stats, &link->can_stats, sizeof(link->can_stats));
}

struct link *link_parse(const struct nlmsghdr *nlh)
{
	const struct ifinfomsg *ifm = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;
	struct link *link;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*ifm) || ifm->ifi_type != ARPHRD_CAN)
		return NULL;
	link = xcalloc(1, sizeof(*link));
	link->index = ifm->ifi_index;
	link->up = ifm->ifi_flags & IFF_UP;
	mnl_attr_for_each(attr, nlh, sizeof(*ifm)) {
		switch (mnl_attr_get_type(attr)) {
		case IFLA_IFNAME:
			copy_text(attr, link->name, sizeof(link->name));
			break;
		case IFLA_MTU:
			link->mtu = attr_u32(attr);
			break;
		case IFLA_TXQLEN:
			link->txqueuelen = attr_u32(attr);
			break;
		case IFLA_QDISC:
			copy_text(attr, link->qdisc, sizeof(link->qdisc));
			break;
		case IFLA_STATS64:
			copy_attr(attr, &link->stats, sizeof(link->stats));
			break;
		case IFLA_LINKINFO:
			parse_linkinfo(link, attr);
			break;
		}
	}
	return link;
}

static int on_link(const struct nlmsghdr *nlh, void *data)
{
	struct link **links = data, *new = link_parse(nlh);

	if (new) {
		while (*links)
			links = &(*links)->next;
		*links = new;
	}
	return MNL_CB_OK;
}

/* the queueing discipline at the root of an interface: what it has thrown away and what waits */
static int on_qdisc(const struct nlmsghdr *nlh, void *data)
{
	const struct tcmsg *tcm = mnl_nlmsg_get_payload(nlh);
	const struct nlattr *attr;
	struct tc_stats stats;
	struct link *link;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*tcm) || tcm->tcm_parent != TC_H_ROOT)
		return MNL_CB_OK;
	for (link = *(struct link **)data; link; link = link->next)
		if (link->index == tcm->tcm_ifindex)
			break;
	if (!link)
		return MNL_CB_OK;
	mnl_attr_for_each(attr, nlh, sizeof(*tcm)) {
		if (mnl_attr_get_type(attr) == TCA_STATS) {
			copy_attr(attr, &stats, sizeof(stats));
			link->qdisc_drops = stats.drops;
			link->qdisc_backlog = stats.qlen;
		}
	}
	return MNL_CB_OK;
}

/* ask for a dump and give each message to the function; false with errno */
static bool dump(struct mnl_socket *nl, int type, size_t header, mnl_cb_t cb, void *data)
{
	char buffer[32768];	/* a message of a dump is no longer */
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buffer);
	unsigned int seq = type;
	int n, rc = MNL_CB_OK;

	nlh->nlmsg_type = type;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	nlh->nlmsg_seq = seq;
	memset(mnl_nlmsg_put_extra_header(nlh, header), 0, header);
	if (mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0)
		return false;
	while (rc == MNL_CB_OK) {
		n = mnl_socket_recvfrom(nl, buffer, sizeof(buffer));
		if (n <= 0)
			return false;
		rc = mnl_cb_run(buffer, n, seq, mnl_socket_get_portid(nl), cb, data);
	}
	return rc == MNL_CB_STOP;
}

static void keep_one(struct link **links, const char *name)
{
	struct link *link;

	while ((link = *links)) {
		if (strcmp(link->name, name) == 0) {
			links = &link->next;
			continue;
		}
		*links = link->next;
		link->next = NULL;
		links_free(link);
	}
}

bool links_read(const char *name, struct link **links)
{
	struct mnl_socket *nl = mnl_socket_open(NETLINK_ROUTE);
	struct link *link;
	bool ok;
	int err;

	*links = NULL;
	if (!nl)
		return false;
	ok = mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) >= 0 &&
		dump(nl, RTM_GETLINK, sizeof(struct ifinfomsg), on_link, links) &&
		dump(nl, RTM_GETQDISC, sizeof(struct tcmsg), on_qdisc, links);
	err = errno;
	mnl_socket_close(nl);
	if (!ok) {
		links_free(*links);
		*links = NULL;
		errno = err;
		return false;
	}
	if (name)
		keep_one(links, name);
	for (link = *links; link; link = link->next)
		link_ethtool(link);
	return true;
}

void links_free(struct link *links)
{
	struct link *next;

	for (; links; links = next) {
		next = links->next;
		free(links->counters);
		free(links);
	}
}

const struct link_counter *link_counter(const struct link *link, const char *name)
{
	size_t i;

	for (i = 0; i < link->counter_count; i++)
		if (strcmp(link->counters[i].name, name) == 0)
			return &link->counters[i];
	return NULL;
}
