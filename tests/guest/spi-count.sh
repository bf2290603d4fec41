#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Counts of spidev's transfers, one measurement for each kind: 14 bytes (polled by the kernel's own
# driver), 80 bytes at 1 MHz (by interrupt), DMA in both directions, and one way.

. /rig/lib.sh

WINDOWS=''

count() { # NAME SPITEST-OPTION...
	name=$1
	shift
	WINDOWS="$WINDOWS${WINDOWS:+ }$name"
	rigctl measure start
	check "$name" spitest -r "$name" "$@"
	rigctl measure stop
	# shellcheck disable=SC2154 # of check
	printf '%s\n' "$_out"
}

need_spi
# what is done once (runtime power management, page tables) is not to be counted
spitest -l 14,80,4000 -n 2
count short -l 14 -n 100
count medium -l 80 -s 1000000 -n 50
count long -l 4000 -n 20
count send -l 333 -s 5000000 -d tx -n 20
count receive -l 333 -s 5000000 -d rx -n 20
is "$(rigctl board 7 0)" 0 "chip select and clock as data sheets want them"
result windows "$WINDOWS"
tap_done
