// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hardware acceptance filters
 *
 * /sys/class/net/canX/acceptance_filter holds the frames that the interface wants, in the
 * notation of candump(1): "123:7FF,18FEF100:1FFFFF00". An empty list is everything.
 *
 * The chip compares a frame with two filters that share a mask (RXB0) and, if those do not
 * match, with four others that share another one (RXB1), 4.5. A frame that only RXB1's
 * filters match goes to RXB1 while RXB0 is empty, and then nobody can tell which of two full
 * buffers holds the older frame. So with strict-frame-ordering RXB1 gets the filters of RXB0:
 * it is filled only while RXB0 is full, and the order is known. Without it all filters are
 * used, each for something else, if the list asks for that.
 *
 * Not every list fits. What the chip then lets through in addition is dropped by the driver
 * before the network stack sees it; filters and masks are chosen so that it is little.
 */

#include "mcp251x.h"

#include <linux/ctype.h>
#include <linux/rtnetlink.h>

static u32 mcp251x_filter_id_mask(canid_t id)
{
	return id & CAN_EFF_FLAG ? CAN_EFF_MASK : CAN_SFF_MASK;
}

/**
 * mcp251x_filter_match() - is a frame in the list?
 * @filter: list, not empty
 * @id: identifier and flags of the frame
 *
 * Context: any
 * Return: true if it is
 */
bool mcp251x_filter_match(const struct mcp251x_filter *filter, canid_t id)
{
	unsigned int n;

	for (n = 0; n < filter->count; n++) {
		const struct can_filter *f = &filter->list[n];

		/* the mask has CAN_EFF_FLAG: standard and extended ones are different */
		if (!((id ^ f->can_id) & f->can_mask))
			return true;
	}
	return false;
}

/*
 * The mask with which one filter lets all of @members through: the bits that each of them
 * cares for and that are the same in all. All are of one kind, standard or extended.
 */
static u32 mcp251x_filter_common(const struct mcp251x_filter *filter, unsigned int members)
{
	const struct can_filter *first = NULL;
	u32 mask = CAN_EFF_MASK;
	unsigned int n;

	for (n = 0; n < filter->count; n++) {
		const struct can_filter *f = &filter->list[n];

		if (!(members & BIT(n)))
			continue;
		if (!first)
			first = f;
		mask &= f->can_mask & ~(f->can_id ^ first->can_id);
	}
	return mask;
}

/* The mask in the bits of an extended identifier, whose first 11 bits are SID10..0 */
static u32 mcp251x_filter_chip_mask(u32 mask, bool extended)
{
	return extended ? mask & CAN_EFF_MASK : (mask & CAN_SFF_MASK) << 18;
}

/*
 * Which members go to the first filter, the others to the second, so that the mask that
 * both share has as many bits as possible. With standard and extended ones in the list the
 * kind decides; such a mask has no bits below SID0, because for standard frames these
 * would be compared with data bytes (4.5.1).
 */
static u32 mcp251x_filter_split(const struct mcp251x_filter *filter, unsigned int *best)
{
	unsigned int all = BIT(filter->count) - 1, extended = 0, n, set;
	u32 best_mask = 0;

	for (n = 0; n < filter->count; n++)
		if (filter->list[n].can_id & CAN_EFF_FLAG)
			extended |= BIT(n);

	if (extended && extended != all) {
		*best = extended;
		best_mask = mcp251x_filter_chip_mask(mcp251x_filter_common(filter, extended), true);
		best_mask &= mcp251x_filter_chip_mask(mcp251x_filter_common(filter,
									    all & ~extended),
						      false);
		return best_mask;
	}

	/* the first one is in the first set: the other half is the same with both swapped */
	*best = all;
	for (set = 1; set <= all; set += 2) {
		u32 mask = mcp251x_filter_common(filter, set);

		if (set != all)
			mask &= mcp251x_filter_common(filter, all & ~set);
		mask = mcp251x_filter_chip_mask(mask, extended);
		if (hweight32(mask) > hweight32(best_mask)) {
			best_mask = mask;
			*best = set;
		}
	}
	return best_mask;
}

/* The mask that lets through exactly what entry @n wants */
static u32 mcp251x_filter_own_mask(const struct mcp251x_filter *filter, unsigned int n)
{
	const struct can_filter *f = &filter->list[n];

	return mcp251x_filter_chip_mask(f->can_mask, f->can_id & CAN_EFF_FLAG);
}

/* RXB0 for all, RXB1 the same. What comes is the list, and may be more. */
static void mcp251x_filter_plan_ordered(struct mcp251x_filter *filter)
{
	unsigned int set, other, n;
	canid_t id[2];
	u32 mask;

	mask = mcp251x_filter_split(filter, &set);
	other = (BIT(filter->count) - 1) & ~set;
	id[0] = filter->list[__ffs(set)].can_id;
	/* a filter that is not needed is the same as the other one */
	id[1] = other ? filter->list[__ffs(other)].can_id : id[0];

	for (n = 0; n < MCP251X_RXF_COUNT; n++)
		filter->chip_id[n] = id[n % 2];
	for (n = 0; n < MCP251X_RXB_COUNT; n++)
		filter->chip_mask[n] = mask;
	filter->direct = false;

	/* a member that had to give up bits of its mask lets more through */
	filter->check = false;
	for (n = 0; n < filter->count; n++)
		if (mcp251x_filter_own_mask(filter, n) != mask)
			filter->check = true;
}

/*
 * Give entries with mask @mask to buffer @rxb as far as they fit, the others of @entries are
 * returned. A filter that is not needed is the same as the last one.
 */
static unsigned int mcp251x_filter_fill(struct mcp251x_filter *filter, unsigned int rxb, u32 mask,
					unsigned int entries)
{
	unsigned int first = rxb ? 2 : 0, end = rxb ? MCP251X_RXF_COUNT : 2, slot = first, n;

	filter->chip_mask[rxb] = mask;
	for (n = 0; n < filter->count && slot < end; n++) {
		if (!(entries & BIT(n)) || mcp251x_filter_own_mask(filter, n) != mask)
			continue;
		filter->chip_id[slot++] = filter->list[n].can_id;
		entries &= ~BIT(n);
	}
	for (; slot < end; slot++)
		filter->chip_id[slot] = filter->chip_id[slot - 1];
	return entries;
}

/* All six filters, each for an entry of the list. Returns false if it does not fit. */
static bool mcp251x_filter_plan_direct(struct mcp251x_filter *filter)
{
	unsigned int all = BIT(filter->count) - 1, n, rest;

	/* the mask of RXB0 is that of some entry, then that of RXB1 is that of one left over */
	for (n = 0; n < filter->count; n++) {
		rest = mcp251x_filter_fill(filter, 0, mcp251x_filter_own_mask(filter, n), all);
		if (!rest)
			return false;	/* two filters do: there is no need to be unordered */
		rest = mcp251x_filter_fill(filter, 1,
					   mcp251x_filter_own_mask(filter, __ffs(rest)), rest);
		if (!rest) {
			filter->check = false;
			filter->direct = true;
			return true;
		}
	}
	return false;
}

/**
 * mcp251x_filter_plan() - decide which filters and masks the chip gets
 * @priv: interface, down
 *
 * Context: process, RTNL held
 */
void mcp251x_filter_plan(struct mcp251x_priv *priv)
{
	struct mcp251x_filter *filter = &priv->filter;

	filter->check = false;
	filter->direct = false;
	if (!filter->count)
		return;
	if (priv->strict || !mcp251x_filter_plan_direct(filter))
		mcp251x_filter_plan_ordered(filter);
}

/* SIDH, SIDL, EID8, EID0 (registers 4-10 to 4-17) */
static void mcp251x_filter_encode(u8 *reg, u32 chip_id, bool extended)
{
	reg[0] = chip_id >> 21;
	reg[1] = (chip_id >> 18 << MCP251X_SIDL_SID_SHIFT) |
		 (chip_id >> 16 & MCP251X_SIDL_EID_MASK);
	if (extended)
		reg[1] |= MCP251X_RXF_SIDL_EXIDE;
	reg[2] = chip_id >> 8;
	reg[3] = chip_id;
}

/**
 * mcp251x_filter_apply() - write filters, masks and how the receive buffers use them
 * @priv: interface; the chip is in configuration mode
 *
 * Context: process, may sleep, core_lock held
 * Return: 0 or a negative error
 */
int mcp251x_filter_apply(struct mcp251x_priv *priv)
{
	const struct mcp251x_filter *filter = &priv->filter;
	u8 mode = filter->count ? MCP251X_RXBCTRL_RXM_FILTER : MCP251X_RXBCTRL_RXM_ANY;
	u8 ctrl[MCP251X_RXB_COUNT] = { mode | MCP251X_RXBCTRL_BUKT, mode };
	unsigned int n;
	u8 reg[4];
	int err = 0;

	for (n = 0; !err && n < MCP251X_RXB_COUNT; n++)
		err = mcp251x_reg_write(priv, MCP251X_RXBCTRL(n), &ctrl[n], 1);
	if (!filter->count)
		return err;

	for (n = 0; !err && n < MCP251X_RXF_COUNT; n++) {
		canid_t id = filter->chip_id[n];
		bool extended = id & CAN_EFF_FLAG;

		mcp251x_filter_encode(reg, mcp251x_filter_chip_mask(id, extended), extended);
		err = mcp251x_reg_write(priv, mcp251x_rxf(n), reg, sizeof(reg));
	}
	/* masks have no EXIDE: the kind of frame is always compared */
	for (n = 0; !err && n < MCP251X_RXB_COUNT; n++) {
		mcp251x_filter_encode(reg, filter->chip_mask[n], false);
		err = mcp251x_reg_write(priv, MCP251X_RXM(n), reg, sizeof(reg));
	}
	return err;
}

/* "123:7FF" or "00000123:1FFFFFFF": the number of digits tells standard from extended. */
static int mcp251x_filter_parse_one(const char *text, struct can_filter *f)
{
	char id[9], mask[9];
	unsigned int digits = 0, mask_digits = 0;
	u32 value;

	while (isxdigit(text[digits]) && digits < sizeof(id) - 1) {
		id[digits] = text[digits];
		digits++;
	}
	id[digits] = 0;
	if (text[digits] != ':' || (digits != 3 && digits != 8))
		return -EINVAL;
	text += digits + 1;
	while (isxdigit(text[mask_digits]) && mask_digits < sizeof(mask) - 1) {
		mask[mask_digits] = text[mask_digits];
		mask_digits++;
	}
	mask[mask_digits] = 0;
	if (!mask_digits || text[mask_digits])
		return -EINVAL;

	if (kstrtou32(id, 16, &value) || kstrtou32(mask, 16, &f->can_mask))
		return -EINVAL;
	f->can_id = digits == 8 ? CAN_EFF_FLAG : 0;
	if ((value | f->can_mask) & ~mcp251x_filter_id_mask(f->can_id))
		return -EINVAL;
	/* bits that do not matter are zero, so that equal filters look equal */
	f->can_id |= value & f->can_mask;
	f->can_mask |= CAN_EFF_FLAG;
	return 0;
}

static int mcp251x_filter_parse(struct net_device *dev, char *text, struct mcp251x_filter *filter)
{
	char *one;

	filter->count = 0;
	while ((one = strsep(&text, "\n, "))) {
		if (!*one)
			continue;
		if (filter->count == MCP251X_FILTER_MAX) {
			netdev_err(dev, "acceptance_filter: more than %u filters\n",
				   MCP251X_FILTER_MAX);
			return -E2BIG;
		}
		if (mcp251x_filter_parse_one(one, &filter->list[filter->count])) {
			netdev_err(dev,
				   "acceptance_filter: '%s' is neither ID:MASK with 3 hexadecimal digits before the colon (standard frames, up to 7FF:7FF) nor with 8 (extended frames, up to 1FFFFFFF:1FFFFFFF)\n",
				   one);
			return -EINVAL;
		}
		filter->count++;
	}
	return 0;
}

static ssize_t acceptance_filter_show(struct device *device, struct device_attribute *attr,
				      char *buf)
{
	struct mcp251x_priv *priv = netdev_priv(to_net_dev(device));
	struct mcp251x_filter *filter = &priv->filter;
	unsigned int n;
	int len = 0;

	/* not rtnl_lock(): whoever removes the attribute holds it and waits for us */
	if (!rtnl_trylock())
		return restart_syscall();
	for (n = 0; n < filter->count; n++) {
		const struct can_filter *f = &filter->list[n];
		u32 bits = mcp251x_filter_id_mask(f->can_id);
		int digits = f->can_id & CAN_EFF_FLAG ? 8 : 3;

		len += sysfs_emit_at(buf, len, "%s%0*X:%0*X", n ? "," : "", digits,
				     f->can_id & bits, digits, f->can_mask & bits);
	}
	rtnl_unlock();
	len += sysfs_emit_at(buf, len, "\n");
	return len;
}

static ssize_t acceptance_filter_store(struct device *device, struct device_attribute *attr,
				       const char *buf, size_t count)
{
	struct net_device *dev = to_net_dev(device);
	struct mcp251x_priv *priv = netdev_priv(dev);
	struct mcp251x_filter filter = {};
	char *text;
	int err;

	text = kstrndup(buf, count, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	err = mcp251x_filter_parse(dev, text, &filter);
	kfree(text);
	if (err)
		return err;

	if (!rtnl_trylock())
		return restart_syscall();
	if (netif_running(dev)) {
		netdev_err(dev, "take the interface down to change its acceptance filter\n");
		err = -EBUSY;
	} else {
		priv->filter = filter;
		mcp251x_filter_plan(priv);
	}
	rtnl_unlock();
	return err ? err : count;
}

static DEVICE_ATTR_RW(acceptance_filter);

static struct attribute *mcp251x_filter_attrs[] = {
	&dev_attr_acceptance_filter.attr,
	NULL
};

const struct attribute_group mcp251x_filter_group = {
	.attrs = mcp251x_filter_attrs,
};
