#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Bus-off while the CPU stands still: every round a frame is destroyed 32 times, and the CPU stands
# still for a millisecond at another register access on the way, so that bus-off comes at another
# point of the driver's work. restart-ms must bring it back each time.

. /rig/lib.sh

ROUNDS=${ROUNDS:-30}
FIRST=${FIRST:-100}
STEP=${STEP:-11}

# column NAME of the CAN statistics
statistics() {
	ip -details -statistics link show can0 | awk -v name="$1" '
		{ for (i = 1; i <= NF; i++) if ($i == name) { column = i; row = NR } }
		row && NR == row + 1 { print $column; exit }'
}

restarted() {
	[ "$(statistics re-started)" = "$1" ]
}

need_can0
can_up restart-ms 20 || bail "can0 does not come up"
rigctl measure start
round=0 missed=0 stalls=0 at=$FIRST
while [ "$round" -lt "$ROUNDS" ] && [ "$missed" -eq 0 ]; do
	round=$((round + 1))
	rigctl signal 1
	rigctl stall-at "$at" 1000000
	cansend can0 200#0011223344556677
	if ! wait_for 1 restarted "$round"; then
		missed=1
		diag "access $at ($(rigctl stalled)): bus-off $(statistics bus-off) times," \
			"restarted $(statistics re-started) times, $(can_state)"
	fi
	[ "$(rigctl stalled)" = no ] || stalls=$((stalls + 1))
	rigctl stall-at 0 0
	at=$((at + STEP))
done
rigctl measure stop
is "$missed" 0 "no bus-off is missed"
is "$(statistics bus-off)" "$ROUNDS" "bus-off $ROUNDS times"
is "$(can_state)" ERROR-ACTIVE "error-active in the end"
at_least "$stalls" $((ROUNDS / 2)) "the CPU stood still on the way: $stalls times"
result missed $missed
result rounds $round
result bus_off "$(statistics bus-off)"
tap_done
