#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Bus-off under load, at many moments: every round the peer destroys 32 frames in a row; restart-ms
# 100 brings the interface back. A lap of the peer's script is five rounds.

. /rig/lib.sh

ROUNDS=$((5 * ${LAPS:-10}))

# column NAME of the CAN statistics
statistics() {
	ip -details -statistics link show can0 | awk -v name="$1" '
		{ for (i = 1; i <= NF; i++) if ($i == name) { column = i; row = NR } }
		row && NR == row + 1 { print $column; exit }'
}

need_can0
can_up restart-ms 100 || bail "can0 does not come up"
rigctl measure start
rigctl signal 1
cangen can0 -g 1 -p 10 -I 200 -L 8 -D i -x >/tmp/gen 2>&1 &
gen=$!
rigctl wait-peers $((ROUNDS * 2 + 20)) || fail "the rounds come to an end"
sleep 0.3
is "$(statistics bus-off)" "$ROUNDS" "bus-off $ROUNDS times"
is "$(statistics re-started)" "$ROUNDS" "restarted $ROUNDS times"
is "$(can_state)" ERROR-ACTIVE "error-active in the end"
check "the sender is still alive" kill -0 $gen
before=$(rigctl get received)
sleep 0.1
at_least $(($(rigctl get received) - before)) 50 "and its frames arrive"
is "$(rigctl get swapped) $(rigctl get duplicated)" "0 0" "no frame out of order or twice"
kill $gen
wait $gen 2>/dev/null
rigctl measure stop
diag "$(rigctl get lost) frames of cangen were given up in $ROUNDS bus-offs"
ip -details -statistics link show can0 | sed 's/^/# /'
result bus_off "$(statistics bus-off)"
result restarts "$(statistics re-started)"
result received "$(rigctl get received)"
result swapped "$(rigctl get swapped)"
result duplicated "$(rigctl get duplicated)"
tap_done
