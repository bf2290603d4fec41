// SPDX-License-Identifier: GPL-2.0-only
/*
 * ethtool: driver information, rings, statistics, time stamping
 */

#include "c_can.h"

#include <linux/ethtool.h>
#include <linux/log2.h>

#define C_CAN_STAT(member) { #member, offsetof(struct c_can_counters, member) }

static const struct {
	char name[ETH_GSTRING_LEN];
	size_t offset;
} c_can_stats[] = {
	C_CAN_STAT(rx_overruns),
	C_CAN_STAT(rx_stale),
	C_CAN_STAT(rx_nomem),
	C_CAN_STAT(rx_throttled),
	C_CAN_STAT(sts_missed),
	C_CAN_STAT(tx_one_shot_failed),
	C_CAN_STAT(tx_flushed),
	C_CAN_STAT(if_timeouts),
	C_CAN_STAT(parity_errors),
};

#define C_CAN_FLAG_STRICT	BIT(0)

static const char c_can_flags[][ETH_GSTRING_LEN] = {
	"strict-frame-ordering",
};

static void c_can_get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	struct c_can_priv *priv = netdev_priv(dev);

	strscpy(info->driver, "c_can", sizeof(info->driver));
	strscpy(info->version, "canpipe " CANPIPE_VERSION, sizeof(info->version));
	strscpy(info->fw_version, priv->chip->name, sizeof(info->fw_version));
	strscpy(info->bus_info, dev_name(priv->device), sizeof(info->bus_info));
}

static void c_can_get_ringparam(CANPIPE_RINGPARAM_ARGS)
{
	struct c_can_priv *priv = netdev_priv(dev);

	ring->rx_max_pending = priv->objects - 1;
	ring->tx_max_pending = min_t(u32, priv->objects / 2, C_CAN_MAX_TX_OBJECTS);
	ring->rx_pending = priv->rx.count;
	ring->tx_pending = priv->tx.count;
}

static int c_can_set_ringparam(CANPIPE_RINGPARAM_ARGS)
{
	struct c_can_priv *priv = netdev_priv(dev);
	u32 rx = ring->rx_pending, tx = ring->tx_pending;

	if (netif_running(dev)) {
		netdev_err(dev, "take the interface down to change its rings\n");
		return -EBUSY;
	}
	/* the core has checked each against its maximum */
	if (!rx || !is_power_of_2(tx) || rx + tx > priv->objects) {
		netdev_err(dev,
			   "cannot use %u receive and %u transmit objects: tx must be 1, 2, 4, 8 or 16, and both together at most %u\n",
			   rx, tx, priv->objects);
		return -EINVAL;
	}
	c_can_split_objects(priv, rx, tx);
	return 0;
}

static int c_can_get_sset_count(struct net_device *dev, int sset)
{
	switch (sset) {
	case ETH_SS_STATS:
		return ARRAY_SIZE(c_can_stats);
	case ETH_SS_PRIV_FLAGS:
		return ARRAY_SIZE(c_can_flags);
	default:
		return -EOPNOTSUPP;
	}
}

static void c_can_get_strings(struct net_device *dev, u32 sset, u8 *data)
{
	unsigned int n;

	if (sset == ETH_SS_PRIV_FLAGS)
		memcpy(data, c_can_flags, sizeof(c_can_flags));
	if (sset != ETH_SS_STATS)
		return;
	for (n = 0; n < ARRAY_SIZE(c_can_stats); n++)
		memcpy(data + n * ETH_GSTRING_LEN, c_can_stats[n].name, ETH_GSTRING_LEN);
}

static u32 c_can_get_priv_flags(struct net_device *dev)
{
	struct c_can_priv *priv = netdev_priv(dev);

	return priv->rx.strict ? C_CAN_FLAG_STRICT : 0;
}

static int c_can_set_priv_flags(struct net_device *dev, u32 flags)
{
	struct c_can_priv *priv = netdev_priv(dev);

	if (netif_running(dev)) {
		netdev_err(dev, "take the interface down to change its flags\n");
		return -EBUSY;
	}
	priv->rx.strict = flags & C_CAN_FLAG_STRICT;
	return 0;
}

static void c_can_get_ethtool_stats(struct net_device *dev, struct ethtool_stats *stats, u64 *data)
{
	struct c_can_priv *priv = netdev_priv(dev);
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(c_can_stats); n++)
		data[n] = *(unsigned long *)((char *)&priv->counters + c_can_stats[n].offset);
}

const struct ethtool_ops c_can_ethtool_ops = {
	.get_drvinfo = c_can_get_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_ringparam = c_can_get_ringparam,
	.set_ringparam = c_can_set_ringparam,
	.get_sset_count = c_can_get_sset_count,
	.get_strings = c_can_get_strings,
	.get_ethtool_stats = c_can_get_ethtool_stats,
	.get_priv_flags = c_can_get_priv_flags,
	.set_priv_flags = c_can_set_priv_flags,
	.get_ts_info = ethtool_op_get_ts_info,
};
