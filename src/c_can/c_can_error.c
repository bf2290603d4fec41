// SPDX-License-Identifier: GPL-2.0-only
/*
 * Error states, bus errors, error counters
 *
 * EIE reports warning and bus-off, nothing reports error-passive by itself, and
 * the way back to error-active is not reported either. So status interrupts
 * (SIE), which come with every frame on the bus, are on only while the
 * controller is not error-active, or when bus error reporting or one-shot mode
 * need them.
 */

#include "c_can.h"

#include <linux/bitfield.h>
#include <linux/ratelimit.h>

/**
 * c_can_dead() - the controller does not answer any more
 * @priv: interface
 * @what: what was seen
 *
 * Said once; the interface stays silent until it is taken down and up.
 *
 * Context: any
 */
void c_can_dead(struct c_can_priv *priv, const char *what)
{
	if (priv->dead)
		return;
	priv->dead = true;
	netif_stop_queue(priv->dev);
	netdev_err(priv->dev, "%s: interface stopped; take it down and up to try again\n", what);
}

static void c_can_read_counters(const struct c_can_priv *priv, struct can_berr_counter *bec)
{
	u32 count = c_can_read(priv, C_CAN_REG_ERRCNT);

	bec->txerr = FIELD_GET(C_CAN_ERRCNT_TEC_MASK, count);
	bec->rxerr = FIELD_GET(C_CAN_ERRCNT_REC_MASK, count);
	/* seven bits only; the limit is 128 (Bosch C_CAN r1.2, 3.2.3) */
	if (count & C_CAN_ERRCNT_RP && bec->rxerr < 128)
		bec->rxerr = 128;
}

/**
 * c_can_get_berr_counter() - can_priv.do_get_berr_counter
 * @dev: net device
 * @bec: result; zero while the interface is down
 *
 * Context: process, RTNL held
 * Return: 0
 */
int c_can_get_berr_counter(const struct net_device *dev, struct can_berr_counter *bec)
{
	const struct c_can_priv *priv = netdev_priv(dev);

	bec->txerr = 0;
	bec->rxerr = 0;
	if (netif_running(dev) && netif_device_present((struct net_device *)dev))
		c_can_read_counters(priv, bec);
	return 0;
}

static void c_can_bus_error(struct c_can_priv *priv, u32 lec)
{
	struct net_device_stats *stats = &priv->dev->stats;
	struct can_berr_counter bec;
	struct can_frame *cf = NULL;
	struct sk_buff *skb;
	bool tx = false;
	u8 type = CAN_ERR_PROT_UNSPEC, place = CAN_ERR_PROT_LOC_UNSPEC;

	priv->can.can_stats.bus_error++;

	switch (lec) {
	case C_CAN_STS_LEC_STUFF:
		type = CAN_ERR_PROT_STUFF;
		break;
	case C_CAN_STS_LEC_FORM:
		type = CAN_ERR_PROT_FORM;
		break;
	case C_CAN_STS_LEC_ACK:
		place = CAN_ERR_PROT_LOC_ACK;
		tx = true;
		break;
	case C_CAN_STS_LEC_BIT1:
		type = CAN_ERR_PROT_BIT1;
		tx = true;
		break;
	case C_CAN_STS_LEC_BIT0:
		type = CAN_ERR_PROT_BIT0;
		tx = true;
		break;
	case C_CAN_STS_LEC_CRC:
		place = CAN_ERR_PROT_LOC_CRC_SEQ;
		break;
	}
	if (tx)
		stats->tx_errors++;
	else
		stats->rx_errors++;

	if (!(priv->can.ctrlmode & CAN_CTRLMODE_BERR_REPORTING))
		return;

	skb = alloc_can_err_skb(priv->dev, &cf);
	if (!skb)
		return;

	c_can_read_counters(priv, &bec);
	cf->can_id |= CAN_ERR_PROT | CAN_ERR_BUSERROR | CAN_ERR_CNT;
	if (lec == C_CAN_STS_LEC_ACK)
		cf->can_id |= CAN_ERR_ACK;
	cf->data[2] = type | (tx ? CAN_ERR_PROT_TX : 0);
	cf->data[3] = place;
	cf->data[6] = min_t(u16, bec.txerr, U8_MAX);
	cf->data[7] = min_t(u16, bec.rxerr, U8_MAX);
	netif_receive_skb(skb);
}

static enum can_state c_can_state_of(u32 sts)
{
	if (sts & C_CAN_STS_BOFF)
		return CAN_STATE_BUS_OFF;
	if (sts & C_CAN_STS_EPASS)
		return CAN_STATE_ERROR_PASSIVE;
	if (sts & C_CAN_STS_EWARN)
		return CAN_STATE_ERROR_WARNING;
	return CAN_STATE_ERROR_ACTIVE;
}

static void c_can_change_state(struct c_can_priv *priv, enum can_state state)
{
	enum can_state tx_state, rx_state;
	struct can_berr_counter bec;
	struct can_frame *cf = NULL;
	struct sk_buff *skb;

	c_can_read_counters(priv, &bec);
	skb = alloc_can_err_skb(priv->dev, &cf);

	tx_state = bec.txerr >= bec.rxerr || state == CAN_STATE_BUS_OFF ? state : 0;
	rx_state = bec.txerr <= bec.rxerr && state != CAN_STATE_BUS_OFF ? state : 0;
	can_change_state(priv->dev, cf, tx_state, rx_state);

	if (state == CAN_STATE_BUS_OFF)
		can_bus_off(priv->dev);

	if (!skb)
		return;
	if (state != CAN_STATE_BUS_OFF) {
		cf->can_id |= CAN_ERR_CNT;
		cf->data[6] = min_t(u16, bec.txerr, U8_MAX);
		cf->data[7] = min_t(u16, bec.rxerr, U8_MAX);
	}
	netif_receive_skb(skb);
}

/* Status interrupts as the state and the modes need them. */
static u32 c_can_wanted_sie(const struct c_can_priv *priv, enum can_state state)
{
	u32 modes = CAN_CTRLMODE_BERR_REPORTING | CAN_CTRLMODE_ONE_SHOT;

	if (priv->can.ctrlmode & modes || state != CAN_STATE_ERROR_ACTIVE)
		return C_CAN_CTRL_SIE;
	return 0;
}

/**
 * c_can_status_read() - serve a status interrupt
 * @priv: interface
 *
 * STS is read only here, that is, only when INT says so: reading it takes the
 * cause away, and a bus-off could be lost.
 *
 * Context: interrupt handler
 * Return: false after bus-off: the controller is the poll function's then
 */
bool c_can_status_read(struct c_can_priv *priv)
{
	struct c_can_sts *ring = &priv->sts;
	u32 sts = c_can_read(priv, C_CAN_REG_STS), sie;
	enum can_state state = c_can_state_of(sts);
	unsigned int room = C_CAN_STS_RING;

	if (c_can_is_d_can(priv) && sts & D_CAN_STS_PER)
		/* AM335x: a write of the flag ends the interrupt */
		c_can_write(priv, C_CAN_REG_STS, D_CAN_STS_PER);

	/* Init tells a new bus-off from the recovery of the last one */
	if (state == CAN_STATE_BUS_OFF) {
		if (!(c_can_read(priv, C_CAN_REG_CTRL) & C_CAN_CTRL_INIT))
			return true;
		sie = priv->ctrl & C_CAN_CTRL_SIE;
	} else {
		sie = c_can_wanted_sie(priv, state);
		if (sie != (priv->ctrl & C_CAN_CTRL_SIE)) {
			priv->ctrl ^= C_CAN_CTRL_SIE;
			c_can_write(priv, C_CAN_REG_CTRL, priv->ctrl | C_CAN_CTRL_IE);
		}
	}

	/* a D_CAN does that by the read (r1.11, 3.2.2) */
	if (!c_can_is_d_can(priv) && sie)
		c_can_write(priv, C_CAN_REG_STS, C_CAN_STS_LEC_UNCHANGED);

	/* without SIE, LEC is an old one */
	if (!sie)
		sts |= C_CAN_STS_LEC_UNCHANGED;

	/* the last places are for changes of the state, which must not be missed */
	if (state == ring->state)
		room -= C_CAN_STS_RESERVED;
	/* pairs with the release in c_can_status_poll() */
	if (ring->head - smp_load_acquire(&ring->tail) < room) {
		ring->state = state;
		ring->ring[ring->head % C_CAN_STS_RING] = sts;
		/* pairs with the acquire in c_can_status_poll() */
		smp_store_release(&ring->head, ring->head + 1);
	} else {
		priv->counters.sts_missed++;
	}
	return state != CAN_STATE_BUS_OFF;
}

static void c_can_status_handle(struct c_can_priv *priv, u32 sts)
{
	u32 lec = FIELD_GET(C_CAN_STS_LEC_MASK, sts);
	enum can_state state = c_can_state_of(sts);

	if (c_can_is_d_can(priv) && sts & D_CAN_STS_PER) {
		priv->counters.parity_errors++;
		priv->dev->stats.rx_errors++;
		if (net_ratelimit())
			netdev_err(priv->dev, "parity error in the message RAM\n");
	}

	/* during bus-off every 11 recessive bits look like an error */
	if (state != CAN_STATE_BUS_OFF && lec != C_CAN_STS_LEC_NONE &&
	    lec != C_CAN_STS_LEC_UNCHANGED)
		c_can_bus_error(priv, lec);

	if (state != priv->can.state)
		c_can_change_state(priv, state);
}

/**
 * c_can_status_poll() - report what the interrupt handler has read from STS
 * @priv: interface
 *
 * Context: the poll function
 */
void c_can_status_poll(struct c_can_priv *priv)
{
	struct c_can_sts *ring = &priv->sts;
	/* pairs with the release in c_can_status_read() */
	unsigned int head = smp_load_acquire(&ring->head);

	while (ring->tail != head) {
		u32 sts = ring->ring[ring->tail % C_CAN_STS_RING];

		/* pairs with the acquire in c_can_status_read() */
		smp_store_release(&ring->tail, ring->tail + 1);
		c_can_status_handle(priv, sts);
	}
}

/**
 * c_can_bus_off() - report a bus-off that no status interrupt has told of
 * @priv: interface
 *
 * Context: the poll function
 */
void c_can_bus_off(struct c_can_priv *priv)
{
	if (priv->can.state != CAN_STATE_BUS_OFF)
		c_can_change_state(priv, CAN_STATE_BUS_OFF);
}

/**
 * c_can_state_sync() - take over the error state that the controller has
 * @priv: interface
 *
 * The error counters survive a stop, so the controller may not be error-active
 * when it is started, and will not tell.
 *
 * Context: process, while the poll function does not run
 */
void c_can_state_sync(struct c_can_priv *priv)
{
	enum can_state state = c_can_state_of(c_can_read(priv, C_CAN_REG_STS));

	/* bus-off: the recovery is under way, and ends error-active */
	if (state == CAN_STATE_BUS_OFF)
		state = CAN_STATE_ERROR_ACTIVE;
	priv->can.state = state;
	priv->ctrl = (priv->ctrl & ~C_CAN_CTRL_SIE) | c_can_wanted_sie(priv, state);
}
