#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The job that was timed on silicon in 2014: N frames without data through cangen, 1 Mbit/s,
# loopback on. The rig measures how long it takes in virtual time.

. /rig/lib.sh

N=${N:-10000}

need_can0
can_up loopback on || bail "loopback is refused"

all_sent() {
	[ "$(stat_of tx_packets)" -ge "$N" ]
}

rigctl measure start
cangen can0 -g0 -p10 -I5A5 -L0 -x -n "$N"
rigctl measure stop
wait_for 5 all_sent
is "$(stat_of tx_packets)" "$N" "$N frames sent"
is "$(stat_of rx_packets)" "$N" "and received"
result sent "$N"
result received "$(stat_of rx_packets)"
tap_done
