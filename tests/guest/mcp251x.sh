#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# An MCP2515 at low load: every kind of frame in both directions, loopback, listen-only, one
# destroyed frame, bus-off with and without automatic restart, down and up. PHASES: some of it, or
# lostedge.

. /rig/lib.sh

# two nodes hear and count each frame
HEARD=2
N=${N:-100}
WINDOWS=''
PHASES=${PHASES:-receive formats send loopback listen errors busoff restart again}

# listen FRAMES: the log of candump so far goes to /tmp/dump
listen() {
	rm -f /tmp/dump
	candump -L -n "$1" -T 2000 can0 >/tmp/dump &
	listener=$!
	wait_for 5 grep -q '^ *can0 ' /proc/net/can/rcvlist_all || fail "candump does not listen"
}

heard() { # without times
	wait $listener
	sed 's/^([0-9.]*) can0 //' /tmp/dump | tr '\n' ' '
}

peers() { # so many frames more than BEFORE
	[ $(($(rigctl get received) - before)) -ge $(($1 * HEARD)) ]
}

receive() {
	cancheck -n "$N" -f 123 -R /tmp/ready can0 >/tmp/rx &
	check=$!
	wait_for 10 test -e /tmp/ready
	rigctl measure start
	rigctl signal 1
	wait $check
	sleep 0.01
	rigctl measure stop
	WINDOWS="$WINDOWS receive"
	is "$(sed -n 's/^RESULT //p' /tmp/rx | tr '\n' ' ')" \
		"received=$N lost=0 swapped=0 duplicated=0 " "receive: $N frames, a millisecond apart"
}

FORMATS='123#DEADBEEF 000# 7FF#R 7FF#R5 12345678#0102030405060708 00000000# 1FFFFFFF#R8 555#CC'

formats() {
	listen 8
	rigctl signal 2
	is "$(heard)" "$FORMATS " "receive: each format, each kind"
	before=$(rigctl get received)
	for frame in $FORMATS; do
		cansend can0 "$frame"
		sleep 0.01
	done
	is $(($(rigctl get received) - before)) $((8 * HEARD)) "send: each format, each kind"
}

send() {
	packets=$(stat_of tx_packets)
	rigctl measure start
	before=$(rigctl get received)
	cangen can0 -g 1 -p 10 -I 5A6 -L 8 -D i -x -n "$N"
	check "send: $N frames" wait_for 5 peers "$N"
	sleep 0.01
	rigctl measure stop
	WINDOWS="$WINDOWS send"
	is "$(rigctl get lost) $(rigctl get swapped) $(rigctl get duplicated)" "0 0 0" \
		"send: once and in order"
	is $(($(stat_of tx_packets) - packets)) "$N" "send: each is counted"
	listen 1
	cansend can0 300#1122
	is "$(heard)" "300#1122 " "send: a socket beside sees the frame"
}

loopback() {
	can_up loopback on || fail "loopback is refused"
	before=$(rigctl get received)
	packets=$(stat_of rx_packets)
	for i in 1 2 3 4 5; do
		cansend can0 "30$i#$i$i"
		sleep 0.01
	done
	is $(($(stat_of rx_packets) - packets)) 5 "loopback: each frame comes back"
	check "loopback: nothing gets out" [ "$(rigctl get received)" -eq "$before" ]
	can_up loopback off || fail "loopback off is refused"
}

listen_only() {
	can_up listen-only on || fail "listen-only is refused"
	listen 5
	rigctl signal 3
	is "$(heard)" "124#00 124#01 124#02 124#03 124#04 " "listen-only: hears what others acknowledge"
	before=$(rigctl get received)
	cansend can0 300#1122 2>/dev/null
	sleep 0.1
	is $(($(rigctl get received) - before)) 0 "listen-only: sends nothing"
	can_up listen-only off || fail "listen-only off is refused"
}

# one frame of its own is destroyed, one of the peer's
errors() {
	before=$(rigctl get received)
	rigctl signal 4
	sleep 0.01
	cansend can0 300#1122
	check "a destroyed frame is sent again" wait_for 2 peers 1
	listen 1
	rigctl signal 5
	is "$(heard)" "125#00 " "and received when it is"
	is "$(can_state)" ERROR-ACTIVE "error-active"
}

busoff() {
	can_up restart-ms 0 || fail "restart-ms 0 is refused"
	rigctl signal 6
	sleep 0.01
	cansend can0 301#1122
	check "bus-off is reached" wait_for 2 in_state BUS-OFF
	sleep 0.2
	is "$(can_state)" BUS-OFF "and stays"
	check "a restart by hand is accepted" ip link set can0 type can restart
	check "the controller is error-active again" wait_for 2 in_state ERROR-ACTIVE
	before=$(rigctl get received)
	cansend can0 302#3344
	check "the next frame is sent" wait_for 2 peers 1
}

restart() {
	can_up restart-ms 100 || fail "restart-ms 100 is refused"
	before=$(rigctl get received)
	rigctl signal 7
	sleep 0.01
	cansend can0 303#1122
	sleep 0.3
	cansend can0 304#3344
	check "restart-ms: frames are sent after bus-off" wait_for 2 peers 1
	diag "state $(can_state), $(($(rigctl get received) - before)) heard"
}

again() {
	i=0
	while [ $i -lt 5 ]; do
		can_up || fail "can0 does not come up"
		i=$((i + 1))
	done
	before=$(rigctl get received)
	cansend can0 305#55
	check "down and up: sends" wait_for 2 peers 1
	listen 1
	rigctl signal 8
	is "$(heard)" "126#00 " "down and up: receives"
}

# With an edge-triggered interrupt: one edge is not seen.
lostedge() {
	rm -f /tmp/dump
	candump -L -n 6 -T 2000 can0 >/tmp/dump &
	listener=$!
	sleep 0.1
	rigctl board 9 3 >/dev/null
	rigctl signal 9
	wait $listener
	got=$(wc -l </tmp/dump)
	if [ "$RIG_DRIVER" = in-tree ]; then
		is "$got" 0 "a lost edge: deaf for ever, as is known of this driver"
		can_up || fail "can0 does not come up"
	else
		is "$got" 6 "a lost edge: reception continues"
	fi
}

need_can0
can_up || bail "can0 does not come up"
for phase in $PHASES; do
	case $phase in
	receive | formats | send | loopback | errors | busoff | restart | again | lostedge) $phase ;;
	listen) listen_only ;;
	*) bail "no phase '$phase'" ;;
	esac
done
is "$(rigctl get unexpected)" 0 "the peer sees nothing but these frames"
ip -details -statistics link show can0 | sed 's/^/# /'
result windows "${WINDOWS# }"
tap_done
