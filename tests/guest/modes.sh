#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Loopback, listen-only, one-shot, raw DLC. The in-tree driver knows the first two.

. /rig/lib.sh

# two nodes hear and count each frame
HEARD=2

need_can0

# --- loopback: nobody else hears it, everything comes back
can_up loopback on || bail "loopback is refused"
peers=$(rigctl get received)
cancheck -n 256 -l 1 -f 2 -R /tmp/ready can0 >/tmp/rx &
check=$!
wait_for 10 test -e /tmp/ready
cansequence can0 --poll --loop=256
wait $check
# each frame is seen twice: as echo of the own transmission, and as received
diag "loopback: $(sed -n 's/^RESULT //p' /tmp/rx | tr '\n' ' ')"
sleep 0.1
is "$(stat_of rx_packets)" 256 "loopback: every frame comes back"
is "$(stat_of tx_packets)" 256 "loopback: every frame counts as sent"
is "$(rigctl get received)" "$peers" "loopback: nothing gets out to the bus"
can_up loopback off || fail "loopback off is refused"

# --- listen-only
can_up listen-only on || bail "listen-only is refused"
rm -f /tmp/ready
cancheck -n 200 -f 123 -R /tmp/ready can0 >/tmp/rx &
check=$!
wait_for 10 test -e /tmp/ready
rigctl signal 1
wait $check
is "$(sed -n 's/^RESULT //p' /tmp/rx | tr '\n' ' ')" \
	"received=200 lost=0 swapped=0 duplicated=0 " "listen-only: receives"
before=$(stat_of tx_packets)
cansend can0 300#1122 2>/dev/null
sleep 0.1
is "$(stat_of tx_packets)" "$before" "listen-only: sends nothing"
can_up listen-only off || fail "listen-only off is refused"

# --- one-shot
rigctl signal 2
if can_up one-shot on 2>/tmp/err; then
	before=$(rigctl get received)
	cansend can0 301#0001
	sleep 0.1
	is "$(rigctl get received)" "$before" "one-shot: a destroyed frame is not repeated"
	cansend can0 301#0002
	sleep 0.1
	is $(($(rigctl get received) - before)) $HEARD "one-shot: the next one is sent"
	is "$(can_state)" ERROR-ACTIVE "one-shot: error-active"
	can_up one-shot off || fail "one-shot off is refused"
elif [ "$RIG_DRIVER" = in-tree ]; then
	skip "one-shot" "the in-tree driver does not have it"
	can_up || bail "can0 does not come up"
	cansend can0 301#0001
	sleep 0.1
else
	fail "one-shot is refused: $(cat /tmp/err)"
	can_up
fi

# --- raw DLC 9..15
if can_up cc-len8-dlc on 2>/tmp/err; then
	candlc can0 receive 124 >/tmp/dlc &
	receiver=$!
	sleep 0.2
	rigctl signal 3
	wait $receiver
	is "$(cat /tmp/dlc)" "dlc 13 length 8" "cc-len8-dlc: a DLC of 13 is received as such"
	before=$(rigctl get received)
	candlc can0 send 302 14
	sleep 0.1
	is $(($(rigctl get received) - before)) $HEARD "cc-len8-dlc: a DLC of 14 is sent"
	is "$(rigctl get unexpected)" 0 "cc-len8-dlc: and it is 14 on the wire"
	can_up cc-len8-dlc off || fail "cc-len8-dlc off is refused"
elif [ "$RIG_DRIVER" = in-tree ]; then
	skip "cc-len8-dlc" "the in-tree driver does not have it"
else
	fail "cc-len8-dlc is refused: $(cat /tmp/err)"
fi

# --- ethtool
check "ethtool knows the driver" ethtool -i can0
ethtool -i can0 2>/dev/null | sed 's/^/# /'
check "ethtool shows the rings" ethtool -g can0
ethtool -g can0 2>/dev/null | sed 's/^/# /'
check "ethtool shows the timestamping" ethtool -T can0
tap_done
