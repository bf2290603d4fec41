#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What a message of 14 bytes costs spi-bcm2835dma: prepared, alone; three at once; ordinary, by
# spidev, and three at once by a client in the kernel (--dt client), waited for by the CPU or
# by interrupt. One measurement for each. Behind both chip selects is a loopback.

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

# poll US: for how long the CPU waits
poll() {
	echo "$1" >/sys/module/spi_bcm2835dma/parameters/spin_us
}

# queued N: N times three messages
queued() {
	echo "burst $1 14 10000000 200 3" >"$PREPARED/run"
}

need_spi
wait_for 10 test -e "$PREPARED/run" || bail "no client at chip select 1: run with --dt client"
queued 2
count queued queued 100
poll 0
count queued_by_irq queued 100
poll 30
need_prepared
# what is done once is not to be counted
prepared n=2
spitest -l 14 -n 2
count alone prepared n=100 us=100 fixed=1
count three prepared n=300 us=200 fixed=1 k=3
count chained prepared n=100 fixed=1
count polled spitest -l 14 -n 100
poll 0
count ordinary spitest -l 14 -n 100
count long spitest -l 4000 -n 20
poll 30
count long_polled spitest -l 4000 -n 20
no_spi_faults "budget"
result windows "$WINDOWS"
tap_done
