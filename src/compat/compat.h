/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * canpipe: one face for the kernels from 5.10 on
 *
 * The drivers are written for the newest interfaces; this header gives older
 * kernels the same names. The CANPIPE_HAVE_... symbols come from probe.sh. No
 * other file of the package asks what kernel it is built for.
 */
#ifndef CANPIPE_COMPAT_H
#define CANPIPE_COMPAT_H

#include <linux/can.h>
#include <linux/can/dev.h>
#include <linux/can/error.h>
#include <linux/can/skb.h>
#include <linux/ethtool.h>
#include <linux/hrtimer.h>
#include <linux/netdevice.h>
#include <linux/pci.h>

/* Echo skbs: the length in the data link layer came in 5.12 and 5.13. */

static inline int canpipe_put_echo_skb(struct sk_buff *skb, struct net_device *dev,
				       unsigned int idx)
{
#ifdef CANPIPE_HAVE_ECHO_SKB_PUT_FRAME_LEN
	return can_put_echo_skb(skb, dev, idx, 0);
#else
	return can_put_echo_skb(skb, dev, idx);
#endif
}

static inline unsigned int canpipe_get_echo_skb(struct net_device *dev, unsigned int idx)
{
#ifdef CANPIPE_HAVE_ECHO_SKB_GET_FRAME_LEN
	return can_get_echo_skb(dev, idx, NULL);
#else
	return can_get_echo_skb(dev, idx);
#endif
}

static inline void canpipe_free_echo_skb(struct net_device *dev, unsigned int idx)
{
#ifdef CANPIPE_HAVE_ECHO_SKB_FREE_FRAME_LEN
	can_free_echo_skb(dev, idx, NULL);
#else
	can_free_echo_skb(dev, idx);
#endif
}

/* Frames that may not be sent: the check for listen-only mode came with 6.1. */

static inline bool canpipe_dropped_skb(struct net_device *dev, struct sk_buff *skb)
{
#ifdef CANPIPE_HAVE_CAN_DEV_DROPPED_SKB
	return can_dev_dropped_skb(dev, skb);
#else
	struct can_priv *priv = netdev_priv(dev);

	if (priv->ctrlmode & CAN_CTRLMODE_LISTENONLY) {
		kfree_skb(skb);
		dev->stats.tx_dropped++;
		return true;
	}
	return can_dropped_invalid_skb(dev, skb);
#endif
}

/* The length and the raw DLC of a classical frame (5.11). */

#ifdef CANPIPE_HAVE_CAN_LEN8_DLC
#define CANPIPE_CTRLMODE_CC_LEN8_DLC	CAN_CTRLMODE_CC_LEN8_DLC

static inline u8 canpipe_frame_len(const struct can_frame *cf)
{
	return cf->len;
}

static inline u8 canpipe_frame_dlc(u32 ctrlmode, const struct can_frame *cf)
{
	return can_get_cc_dlc(cf, ctrlmode);
}

static inline void canpipe_frame_set_dlc(struct can_frame *cf, u32 ctrlmode, u8 dlc)
{
	can_frame_set_cc_len(cf, dlc, ctrlmode);
}
#else
#define CANPIPE_CTRLMODE_CC_LEN8_DLC	0

static inline u8 canpipe_frame_len(const struct can_frame *cf)
{
	return cf->can_dlc;
}

static inline u8 canpipe_frame_dlc(u32 ctrlmode, const struct can_frame *cf)
{
	return cf->can_dlc;
}

static inline void canpipe_frame_set_dlc(struct can_frame *cf, u32 ctrlmode, u8 dlc)
{
	cf->can_dlc = min_t(u8, dlc, CAN_MAX_DLEN);
}
#endif

/* An error frame that carries the counters says so since 6.0. */
#ifndef CAN_ERR_CNT
#define CAN_ERR_CNT	0
#endif

/* The device may only be a classical one; the core knows since 6.18. */
#ifdef CANPIPE_HAVE_CAN_CHANGE_MTU
#define CANPIPE_NDO_CHANGE_MTU	.ndo_change_mtu = can_change_mtu,
#else
#define CANPIPE_NDO_CHANGE_MTU
#endif

/* NAPI: the weight is always NAPI_POLL_WEIGHT (an argument until 6.0). */

static inline void canpipe_napi_add(struct net_device *dev, struct napi_struct *napi,
				    int (*poll)(struct napi_struct *napi, int budget))
{
#ifdef CANPIPE_HAVE_NAPI_ADD_WEIGHT
	netif_napi_add(dev, napi, poll, NAPI_POLL_WEIGHT);
#else
	netif_napi_add(dev, napi, poll);
#endif
}

/* High-resolution timers: set up with their function since 6.13. */

static inline void canpipe_hrtimer_setup(struct hrtimer *timer,
					 enum hrtimer_restart (*function)(struct hrtimer *timer),
					 enum hrtimer_mode mode)
{
#ifdef CANPIPE_HAVE_HRTIMER_SETUP
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = function;
#endif
}

/* ethtool -g: two more arguments since 5.17. */
#ifdef CANPIPE_HAVE_KERNEL_ETHTOOL_RINGPARAM
#define CANPIPE_RINGPARAM_ARGS						\
	struct net_device *dev, struct ethtool_ringparam *ring,		\
	struct kernel_ethtool_ringparam *kernel_ring,			\
	struct netlink_ext_ack *extack
#else
#define CANPIPE_RINGPARAM_ARGS						\
	struct net_device *dev, struct ethtool_ringparam *ring
#endif

/* PCI: the old name of the pin interrupt until 6.8. */
#ifndef PCI_IRQ_INTX
#define PCI_IRQ_INTX	PCI_IRQ_LEGACY
#endif

#endif
