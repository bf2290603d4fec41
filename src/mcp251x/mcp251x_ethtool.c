// SPDX-License-Identifier: GPL-2.0-only
/*
 * ethtool: driver information, rings, statistics, flags, time stamping
 */

#include "mcp251x.h"

#include <linux/ethtool.h>

#define MCP251X_STAT(member) { #member, offsetof(struct mcp251x_counters, member) }

static const struct {
	char name[ETH_GSTRING_LEN];
	size_t offset;
} mcp251x_stats[] = {
	MCP251X_STAT(rx_overflows),
	MCP251X_STAT(rx_ring_full),
	MCP251X_STAT(rx_nomem),
	MCP251X_STAT(rx_filtered),
	MCP251X_STAT(rx_order_unsure),
	MCP251X_STAT(rx_stale_irqs),
	MCP251X_STAT(tx_one_shot_failed),
	MCP251X_STAT(tx_flushed),
	MCP251X_STAT(irq_lost),
	MCP251X_STAT(irq_storms),
	MCP251X_STAT(spi_messages),
	MCP251X_STAT(spi_errors),
	MCP251X_STAT(spi_bogus),
	MCP251X_STAT(recoveries),
};

#define MCP251X_FLAG_STRICT	BIT(0)

static const char mcp251x_flags[][ETH_GSTRING_LEN] = {
	"strict-frame-ordering",
};

static void mcp251x_get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	struct mcp251x_priv *priv = netdev_priv(dev);

	strscpy(info->driver, "mcp251x", sizeof(info->driver));
	strscpy(info->version, "canpipe " CANPIPE_VERSION, sizeof(info->version));
	/* no firmware: the chip, and the way its messages take */
	snprintf(info->fw_version, sizeof(info->fw_version), "%s, %s", priv->chip->name,
		 mcp251x_spi_transport(priv));
	strscpy(info->bus_info, dev_name(&priv->spi->dev), sizeof(info->bus_info));
}

/* The chip's buffers: their number is what it is. */
static void mcp251x_get_ringparam(CANPIPE_RINGPARAM_ARGS)
{
	ring->rx_max_pending = MCP251X_RXB_COUNT;
	ring->rx_pending = MCP251X_RXB_COUNT;
	ring->tx_max_pending = MCP251X_TXB_COUNT;
	ring->tx_pending = MCP251X_TXB_COUNT;
}

static int mcp251x_get_sset_count(struct net_device *dev, int sset)
{
	switch (sset) {
	case ETH_SS_STATS:
		return ARRAY_SIZE(mcp251x_stats);
	case ETH_SS_PRIV_FLAGS:
		return ARRAY_SIZE(mcp251x_flags);
	default:
		return -EOPNOTSUPP;
	}
}

static void mcp251x_get_strings(struct net_device *dev, u32 sset, u8 *data)
{
	unsigned int n;

	if (sset == ETH_SS_PRIV_FLAGS)
		memcpy(data, mcp251x_flags, sizeof(mcp251x_flags));
	if (sset != ETH_SS_STATS)
		return;
	for (n = 0; n < ARRAY_SIZE(mcp251x_stats); n++)
		memcpy(data + n * ETH_GSTRING_LEN, mcp251x_stats[n].name, ETH_GSTRING_LEN);
}

static void mcp251x_get_ethtool_stats(struct net_device *dev, struct ethtool_stats *stats,
				      u64 *data)
{
	struct mcp251x_priv *priv = netdev_priv(dev);
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(mcp251x_stats); n++)
		data[n] = *(unsigned long *)((char *)&priv->counters + mcp251x_stats[n].offset);
}

static u32 mcp251x_get_priv_flags(struct net_device *dev)
{
	struct mcp251x_priv *priv = netdev_priv(dev);

	return priv->strict ? MCP251X_FLAG_STRICT : 0;
}

static int mcp251x_set_priv_flags(struct net_device *dev, u32 flags)
{
	struct mcp251x_priv *priv = netdev_priv(dev);

	if (netif_running(dev)) {
		netdev_err(dev, "take the interface down to change its flags\n");
		return -EBUSY;
	}
	priv->strict = flags & MCP251X_FLAG_STRICT;
	/* decides whether both receive buffers may have filters of their own */
	mcp251x_filter_plan(priv);
	return 0;
}

const struct ethtool_ops mcp251x_ethtool_ops = {
	.get_drvinfo = mcp251x_get_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_ringparam = mcp251x_get_ringparam,
	.get_sset_count = mcp251x_get_sset_count,
	.get_strings = mcp251x_get_strings,
	.get_ethtool_stats = mcp251x_get_ethtool_stats,
	.get_priv_flags = mcp251x_get_priv_flags,
	.set_priv_flags = mcp251x_set_priv_flags,
	.get_ts_info = ethtool_op_get_ts_info,
};
