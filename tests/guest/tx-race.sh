#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The race between sending and completing: one CPU sends, the other one takes the interrupt, and in
# each round the caller of a function (of HOLDS, in turn) is held up once, until all that is under
# way has been sent. In rounds in which the transmit ring (of RING objects) begins anew that is at
# its first object. A round is twelve frames of an identifier of its own, which the peer counts (see
# tests/rig/tx-race.t).

. /rig/lib.sh

ROUNDS=${ROUNDS:-12}
RING=${RING:-32}
HOLDS=${HOLDS:-can_put_echo_skb}
BURST=12
PARAMETERS=/sys/module/rig_hold/parameters
SENT=0 STUCK=0 HELD=0

all_sent() {
	[ "$(stat_of tx_packets)" -ge "$SENT" ]
}

# which of the next frames begins the ring anew; else any
nth() {
	left=$(((RING - SENT % RING) % RING))
	if [ "$left" -gt 0 ] && [ "$left" -lt $BURST ]; then
		echo $((left + 1))
	else
		echo $((SENT / BURST % BURST + 1))
	fi
}

race() { # FUNCTION
	modprobe rig-hold symbol="$1" ms=60 || bail "no function $1 that can be held up"
	round=0
	while [ "$round" -lt "$ROUNDS" ] && [ $STUCK -eq 0 ]; do
		nth >$PARAMETERS/nth
		taskset 1 timeout -s KILL 5 cangen can0 -g 0 -L 8 -D i -x -n $BURST \
			-I "$(printf %x $((0x300 + SENT / BURST)))" >/dev/null 2>&1
		SENT=$((SENT + BURST))
		wait_for 2 all_sent || STUCK=1
		round=$((round + 1))
	done
	diag "$round rounds, held up $(cat $PARAMETERS/holds) times in $1"
	HELD=$((HELD + $(cat $PARAMETERS/holds)))
	rmmod rig-hold
}

need_can0
ip link set can0 down
[ "$RIG_DRIVER" = in-tree ] ||
	check "the ring gets $RING objects" ethtool -G can0 rx $((64 - RING)) tx "$RING"
can_up || bail "can0 does not come up"
irq=$(awk -F: '/rig-intc/ { print $1 + 0; exit }' /proc/interrupts)
check "the other CPU takes the interrupt" sh -c "echo 2 >/proc/irq/$irq/smp_affinity"
# or else the sender would wait for its bytes to be sent, and the other CPU would go on sending
echo 10000 >/sys/class/net/can0/queues/tx-0/byte_queue_limits/limit_min
rigctl measure start
for hold in $HOLDS; do
	race "$hold"
done
# a frame that was never requested would wait for the next ones
sleep 0.2
rigctl measure stop
is "$STUCK" 0 "the transmitter does not get stuck"
is "$(rigctl get lost) $(rigctl get swapped) $(rigctl get duplicated) $(rigctl get unexpected)" \
	"0 0 0 0" "each frame arrives once and in order"
is "$(rigctl get received)" "$SENT" "all frames arrive"
is "$(stat_of tx_packets)" "$SENT" "as many are counted as sent"
at_least "$HELD" $((SENT / BURST - 1)) "the CPU was held up"
result stuck $STUCK
result sent $SENT
result lost "$(rigctl get lost)"
result duplicated "$(rigctl get duplicated)"
result received "$(rigctl get received)"
tap_done
