#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Look into a kernel's headers and print a -D flag for each interface that this
# kernel has. Stable kernels get interfaces back-ported, so what counts is what
# the headers declare, not the version. The headers beside this file are the
# only readers.
#
# usage: probe.sh KERNEL_INCLUDE_DIR

inc=${1:?usage: probe.sh KERNEL_INCLUDE_DIR}

# has FLAG HEADER REGEX: the header, as one line without runs of blanks,
# matches the extended regular expression.
has() {
	if [ -r "$inc/$2" ] &&
	   tr -s '[:space:]' ' ' <"$inc/$2" | grep -qE "$3"; then
		printf ' -DCANPIPE_HAVE_%s' "$1"
	fi
}

# linux/can/skb.h
has ECHO_SKB_PUT_FRAME_LEN	linux/can/skb.h	'[ *]can_put_echo_skb\([^)]*frame_len'
has ECHO_SKB_GET_FRAME_LEN	linux/can/skb.h	'[ *]can_get_echo_skb\([^)]*frame_len'
has ECHO_SKB_FREE_FRAME_LEN	linux/can/skb.h	'[ *]can_free_echo_skb\([^)]*frame_len'
# uapi/linux/can.h: the raw DLC beside the length
has CAN_LEN8_DLC		uapi/linux/can.h	'len8_dlc;'
# linux/can/dev.h
has CAN_DEV_DROPPED_SKB		linux/can/dev.h	'[ *]can_dev_dropped_skb\('
has CAN_CHANGE_MTU		linux/can/dev.h	'[ *]can_change_mtu\('
# linux/netdevice.h
has NAPI_ADD_WEIGHT		linux/netdevice.h	'[ *]netif_napi_add\([^;{]*int weight'
# linux/hrtimer.h
has HRTIMER_SETUP		linux/hrtimer.h	'[ *]hrtimer_setup\('
# linux/ethtool.h
has KERNEL_ETHTOOL_RINGPARAM	linux/ethtool.h	'\(\*get_ringparam\)\([^)]*struct kernel_ethtool_ringparam'
# linux/gpio/driver.h
has GPIO_SET_INT		linux/gpio/driver.h	'[ ;{]int \(\*set\)\('
has GPIO_SET_RV			linux/gpio/driver.h	'[ ;{]int \(\*set_rv\)\('
# linux/spi/spi.h
has DEVM_SPI_ALLOC_HOST		linux/spi/spi.h	'[ *]devm_spi_alloc_host\('
has SPI_GET_CHIPSELECT		linux/spi/spi.h	'[ *]spi_get_chipselect\('
has SPI_CS_INDEX_MASK		linux/spi/spi.h	'cs_index_mask *: *SPI_[A-Z_]*MAX;'
has SPI_DELAY_USECS		linux/spi/spi.h	'u16 delay_usecs;'
has SPI_DEVICE_CS_TIMING	linux/spi/spi.h	'struct spi_delay word_delay; /\* Inter-word delay \*/ (/\* CS delays \*/ )?struct spi_delay cs_setup;'
has SPI_XFER_CS_OFF		linux/spi/spi.h	'unsigned cs_off *:'
has SPI_OPTIMIZE_MESSAGE	linux/spi/spi.h	'\(\*optimize_message\)\('
has SPI_REMOVE_INT		linux/spi/spi.h	'[ ;{]int \(\*remove\)\(struct spi_device'
