#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What a message of 14 bytes costs spi-bcm2835dma: prepared, alone; three at once; ordinary, by
# spidev. One measurement for each. Behind both chip selects is a loopback.

. /rig/lib.sh
. /rig/spi-lib.sh

WINDOWS=''

count() { # NAME COMMAND...
	name=$1
	shift
	WINDOWS="$WINDOWS${WINDOWS:+ }$name"
	rigctl measure start
	check "$name" "$@"
	rigctl measure stop
}

need_spi
need_prepared
# what is done once is not to be counted
prepared n=2
spitest -l 14 -n 2
count alone prepared n=100 us=100 fixed=1
count three prepared n=300 us=200 fixed=1 k=3
count chained prepared n=100 fixed=1
count ordinary spitest -l 14 -n 100
no_spi_faults "budget"
result windows "$WINDOWS"
tap_done
