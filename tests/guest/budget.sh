#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What a frame costs: one measurement for each way to receive or send it.
#   alone    one frame each 5 ms
#   backlog  8 frames come back to back while the CPU stands still, and are served together
#   queue    as many as the bus takes

. /rig/lib.sh

N=${N:-200}
ROUNDS=${ROUNDS:-25}
WINDOWS=''

# window NAME: begin to count; window_end FRAMES
window() {
	WINDOW=$1
	WINDOWS="$WINDOWS${WINDOWS:+ }$1"
	rigctl measure start
}

window_end() {
	rigctl measure stop
	result "${WINDOW}_frames" "$1"
}

# listen [OPTION...]: check the counters of the frames that come
listen() {
	rm -f /tmp/ready
	cancheck -R /tmp/ready "$@" can0 >/tmp/rx &
	LISTENER=$!
	wait_for 10 test -e /tmp/ready
}

# heard FRAMES: they are all there
heard() {
	wait "$LISTENER"
	is "$(sed -n 's/^RESULT [a-z]*=//p' /tmp/rx | xargs)" "$1 0 0 0" \
		"$WINDOW: $1 frames arrive once and in order"
	window_end "$1"
}

alone() { # NAME SIGNAL CANCHECK-OPTION...
	name=$1 signal=$2
	shift 2
	listen -n "$N" "$@"
	window "$name"
	rigctl signal "$signal"
	heard "$N"
}

# The signal comes, the CPU stops, the frames come 30 ms after the signal.
backlog() { # NAME SIGNAL CANCHECK-OPTION...
	name=$1 signal=$2 round=0
	shift 2
	listen -n $((8 * ROUNDS)) "$@"
	window "$name"
	while [ "$round" -lt "$ROUNDS" ]; do
		rigctl signal "$signal"
		rigctl stall 40000
		sleep 0.005
		round=$((round + 1))
	done
	heard $((8 * ROUNDS))
}

all_sent() {
	[ "$(stat_of tx_packets)" -ge "$1" ]
}

transmit() { # NAME CANGEN-OPTION...
	window "$1"
	shift
	want=$(($(stat_of tx_packets) + N))
	# one that waits for a transmitter that has stopped would wait for ever
	timeout 20 cangen can0 -I5A5 -x -n "$N" "$@" || diag "cangen does not end"
	wait_for 2 all_sent "$want" || :
	is "$(rigctl get received)" "$N" "$WINDOW: $N frames are on the bus"
	window_end "$(rigctl get received)"
}

need_can0
can_up || bail "can0 does not come up"
ip link set can0 txqueuelen 10
alone rx_alone_8 1 -f 123
alone rx_alone_0 2 -i
backlog rx_backlog_8 3 -1 -f 123
backlog rx_backlog_0 4 -1 -i
transmit tx_alone_8 -g5 -L8 -Di
transmit tx_alone_0 -g5 -L0
transmit tx_queue_8 -g0 -p10 -L8 -Di
transmit tx_queue_0 -g0 -p10 -L0
is "$(stat_of rx_errors) $(stat_of tx_errors)" "0 0" "the interface counts no error"
result windows "$WINDOWS"
tap_done
