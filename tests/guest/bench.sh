#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How a driver does at full bus load, one measurement each: receive and send N frames with 8 and 0
# bytes, and the job that was timed on silicon in 2014. For tests/bench/c_can, which compares
# drivers; so a driver that loses frames or stops does not fail here, it is written down.

. /rig/lib.sh

N=${N:-50000}
WINDOWS=''

# window NAME: begin to count
window() {
	WINDOW=$1
	WINDOWS="$WINDOWS${WINDOWS:+ }$1"
	rigctl measure start
}

note() { # KEY VALUE
	result "${WINDOW}_$1" "$2"
}

of_listener() {
	sed -n "s/^RESULT $1=//p" /tmp/rx
}

receive() { # NAME SIGNAL CANCHECK-OPTION...
	name=$1 signal=$2
	shift 2
	rm -f /tmp/ready
	cancheck -R /tmp/ready -n "$N" -t 50 "$@" can0 >/tmp/rx &
	listener=$!
	wait_for 10 test -e /tmp/ready
	over=$(stat_of rx_over_errors)
	window "$name"
	rigctl signal "$signal"
	wait "$listener"
	rigctl measure stop
	diag "$name:"
	grep '^#' /tmp/rx
	note sent "$(rigctl get sent)"
	note received "$(of_listener received)"
	note swapped "$(of_listener swapped)"
	note duplicated "$(of_listener duplicated)"
	note overruns $(($(stat_of rx_over_errors) - over))
	pass "$name"
}

# sent TOTAL: until the interface has counted so many; what is queued takes some 10 ms
sent() {
	tries=50
	until [ "$(stat_of tx_packets)" -ge "$1" ]; do
		[ "$tries" -gt 0 ] || return 1
		tries=$((tries - 1))
		sleep 0.01
	done
}

# send NAME CANGEN-OPTION...: cangen waits for ever for a transmitter that has stopped
send() {
	window "$1"
	shift
	want=$(($(stat_of tx_packets) + N))
	stopped=0
	timeout "$PATIENCE" cangen can0 -I5A5 -x -n "$N" "$@" || stopped=1
	sent "$want" || stopped=1
	rigctl measure stop
	note sent "$(rigctl get received)"
	note stopped "$stopped"
	pass "$WINDOW"
}

# The transmitter starts anew, also when it has stopped.
again() {
	ip link set can0 down
	can_up "$@" || bail "can0 does not come up: $*"
}

# With the queue length of that time, and timed to the end of cangen, as then.
job2014() {
	again loopback on
	ip link set can0 txqueuelen 10
	window job2014
	received=$(stat_of rx_packets)
	want=$(($(stat_of tx_packets) + N))
	stopped=0
	timeout "$PATIENCE" cangen can0 -g0 -p10 -I5A5 -L0 -x -n "$N" || stopped=1
	rigctl measure stop
	note sent $((N + $(stat_of tx_packets) - want))
	note received $(($(stat_of rx_packets) - received))
	note stopped "$stopped"
	pass job2014
}

need_can0
# many times what the bus needs, in seconds
PATIENCE=$((N / 2000 + 5))
can_up || bail "can0 does not come up"
receive rx_8 1 -f 123
receive rx_0 2 -i
send tx_8 -g0 -L8 -Di
again
send tx_0 -g0 -L0
job2014
result frames "$N"
result windows "$WINDOWS"
tap_done
