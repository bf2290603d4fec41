#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# ip link set down and up again ROUNDS times while the bus is full (flood.peer).

. /rig/lib.sh

ROUNDS=${ROUNDS:-100}

need_can0
rigctl signal 1
rigctl measure start
failed=0 i=0
while [ $i -lt "$ROUNDS" ]; do
	can_up || failed=$((failed + 1))
	# a different moment in each round
	sleep "0.00$((i % 7))$((i % 10))"
	[ $((i % 3)) -ne 0 ] || cansend can0 "7FF#$(printf %04x $i)" 2>/dev/null
	ip link set can0 down || failed=$((failed + 1))
	i=$((i + 1))
done
rigctl measure stop
is $failed 0 "$ROUNDS times up and down"
before=$(stat_of rx_packets)
at_least "$before" "$ROUNDS" "frames were received in between"

can_up || bail "can0 does not come up"
cancheck -n 500 -f 123 -1 can0 >/tmp/rx
is "$(sed -n 's/^RESULT //p' /tmp/rx | tr '\n' ' ')" \
	"received=500 lost=0 swapped=0 duplicated=0 " "works afterwards: 500 frames in order"
is "$(can_state)" ERROR-ACTIVE "error-active"
ip -details -statistics link show can0 | sed 's/^/# /'
result rounds "$ROUNDS"
tap_done
