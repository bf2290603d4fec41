/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which bit rates a controller can have
 */
#ifndef CANPIPE_BITTIMING_H
#define CANPIPE_BITTIMING_H

#include <linux/can/netlink.h>
#include <stdint.h>

/* the rate next to the wanted one, 0 if nothing is known of the controller */
uint32_t bittiming_nearest(uint32_t clock, const struct can_bittiming_const *limits,
			   uint32_t wanted);

/* the common rate (of CiA, cars and machines) next to this one */
uint32_t bittiming_common(uint32_t rate);

/* how far real is from wanted, in millionths, without a sign */
uint32_t bittiming_ppm(uint32_t real, uint32_t wanted);

/* the fastest rate there is */
uint32_t bittiming_fastest(uint32_t clock, const struct can_bittiming_const *limits);

#endif
