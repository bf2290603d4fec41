/* SPDX-License-Identifier: GPL-2.0-only */
/* What `--boardopt name=value` says about the board rpi. */
#ifndef RPI_OPTIONS_H
#define RPI_OPTIONS_H

#include "bcm2835_soc.h"
#include "boards.h"
#include "rpi_can.h"

#define RPI_SLAVES	2
#define RPI_GUEST_RAM	0x40000000u	/* of QEMU's virt machine */
#define RPI_CLOCK_MIN	1000000u
#define RPI_CLOCK_MAX	1000000000u

/**
 * struct rpi_options
 * @soc: of the chip
 * @clock: core clock as the device tree says it, Hz
 * @core: what it is at first; 0: the same
 * @no_clock: SCLK never runs
 * @can: of the CAN controllers
 * @shared_int: the CAN controllers' INT is one wire, at the first one's pin
 * @can1_peer: script of a peer on a bus of its own, with the CAN controller at chip select 1
 * @slave: what is at the chip selects: a kind of spi_slaves.h, a CAN controller, "none"
 */
struct rpi_options {
	struct bcm2835_soc_config soc;
	uint32_t clock;
	uint32_t core;
	bool no_clock;
	struct rpi_can_options can;
	bool shared_int;
	const char *can1_peer;
	const char *slave[RPI_SLAVES];
};

/* @o is preset with the defaults; false: @err says what is wrong. */
bool rpi_parse_options(struct rpi_options *o, const struct board_option *option, size_t count,
		       char *err, size_t errlen);

#endif
