#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Transmission by a driver of the MCP2515, bus-off, modes: T8 to T11 and T15 of the cases that
# tests/rig/mcp251x-cases-tx.t names. The peers are at 500 kbit/s, from signal 10 on at 1 Mbit/s.

. /rig/lib.sh
. /rig/mcp251x-lib.sh

# All of it is in the order of the peers' scripts, but each phase can be left out.
N=${N:-400}
PHASES=${PHASES:-saturate order fast saturate nobody busoff listen loopback oneshot triple}
rate=500k

# heard N: the peer on the bus has received so many frames since $before
heard() {
	[ $(($(rigctl get received) - before)) -ge "$1" ]
}

# the peers' lost, swapped, duplicated
wire() {
	echo "$(rigctl get lost) $(rigctl get swapped) $(rigctl get duplicated)"
}

# back to back; the .t looks at the gaps
saturate() {
	for length in 0 8; do
		packets=$(stat_of tx_packets)
		window_start
		before=0
		cangen can0 -g 0 -p 10 -I 555 -L $length -x -n "$N"
		wait_for 5 heard "$N"
		sleep 0.01
		window_stop "T9_${rate}_$length"
		_heard=$(($(rigctl get received) - before))
		packets=$(($(stat_of tx_packets) - packets))
		[ "$_heard $packets" = "$N $N" ]
		judge T9 "$rate, $length bytes: each frame once" $? "on the bus $_heard of $N, counted as sent $packets"
	done
}

# two rivals with delays, one that destroys; the same identifier all the time
order() {
	listen -n "$N" -f 5A6 -t 1000
	window_start
	packets=$(stat_of tx_packets)
	rigctl signal 1
	cangen can0 -g 0 -p 10 -I 5A6 -L 8 -D i -n "$N"
	wait "$listener"
	window_stop T8
	packets=$(($(stat_of tx_packets) - packets))
	[ "$(wire)" = "0 0 0" ]
	judge T8 "wire order = queue order" $? "lost, swapped, duplicated on the wire: $(wire)"
	[ "$(of_listener received) $(of_listener lost) $(of_listener swapped) $(of_listener duplicated)" = "$N 0 0 0" ]
	judge T8 "each echo once, in order" $? "$(figures)"
	[ "$packets" = "$N" ]
	judge T8 "each counted once" $? "tx_packets $packets of $N"
	# the rivals have to have come to their end
	sleep 0.3
}

fast() {
	rigctl signal 10
	rate=1M RIG_BITRATE=1000000
	can_up || bail "can0 does not come up"
}

# nobody acknowledges until signal 9
nobody() {
	rigctl signal 8
	ip link set can0 down
	ip link set can0 txqueuelen 100
	ip link set can0 up type can bitrate "$RIG_BITRATE" restart-ms 0
	sleep 0.01
	packets=$(stat_of tx_packets)
	cangen can0 -g 0 -I 5A7 -L 8 -D i -n 2000 >/tmp/gen 2>&1
	judge_if T10 "ENOBUFS when the queue is full" "$(head -n 1 /tmp/gen)" grep -q 'No buffer space' /tmp/gen
	sleep "${LONELY:-1}"
	_tec=$(rigctl board 10 0x1c)
	judge_if T10 "error-passive, never bus-off" "state $(can_state), TEC $_tec" \
		[ "$(can_state) $_tec" = "ERROR-PASSIVE 128" ]
	window_start
	before=0
	rigctl signal 9
	wait_for 2 heard 100
	sleep 0.05
	window_stop T10
	_heard=$(($(rigctl get received) - before))
	packets=$(($(stat_of tx_packets) - packets))
	[ "$(wire)" = "0 0 0" ] && [ "$_heard" = "$packets" ] && [ "$_heard" -ge 100 ]
	judge T10 "all sent once and in order when a peer comes" $? "on the bus $_heard, counted as sent $packets; lost, swapped, duplicated: $(wire)"
	result T10_heard "$_heard"
	can_up
	diag "up again after T10: $(can_state)"
}

# column NAME of the CAN statistics
statistics() {
	ip -details -statistics link show can0 | awk -v name="$1" '
		{ for (i = 1; i <= NF; i++) if ($i == name) { column = i; row = NR } }
		row && NR == row + 1 { print $column; exit }'
}

off_so_often() {
	[ "$(statistics bus-off)" -ge "$1" ]
}

# a lap of the peer's script is five rounds of bus-off, at different bits
busoff() {
	busoff_lap 1 200
	busoff_lap 100 201
	busoff_lap 0 202
}

busoff_lap() { # RESTART_MS ID
	can_up restart-ms "$1" || diag "can0 does not come up"
	_off=$(statistics bus-off) _restarts=$(statistics re-started)
	window_start
	rigctl signal 11
	cangen can0 -g 1 -p 10 -I "$2" -L 8 -D i -x >/tmp/gen 2>&1 &
	gen=$!
	for _round in 1 2 3 4 5; do
		wait_for 2 off_so_often $((_off + _round)) || {
			diag "no bus-off $_round: state $(can_state)"
			break
		}
		[ "$1" != 0 ] || {
			sleep 0.01
			ip link set can0 type can restart
		}
	done
	sleep 0.5
	before=$(rigctl get received)
	sleep 0.1
	_flow=$(($(rigctl get received) - before))
	kill -9 $gen
	wait $gen 2>/dev/null
	window_stop "T11_$1"
	_off=$(($(statistics bus-off) - _off)) _restarts=$(($(statistics re-started) - _restarts))
	_state=$(can_state)
	[ "$_off $_restarts $_state" = "5 5 ERROR-ACTIVE" ]
	judge T11 "restart-ms $1: five bus-offs, five restarts" $? "bus-off $_off, restarted $_restarts, state $_state"
	[ $_flow -gt 50 ]
	judge T11 "restart-ms $1: sends afterwards" $? "$_flow frames in 100 ms"
	[ "$(rigctl get swapped) $(rigctl get duplicated)" = "0 0" ]
	judge T11 "restart-ms $1: no frame twice" $? "swapped, duplicated on the wire: $(rigctl get swapped) $(rigctl get duplicated)"
	[ "$RIG_DRIVER" = canpipe ] || {
		afresh
		can_up
	}
}

# a frame of the peer, which only this node could acknowledge
listen_only() {
	rigctl signal 8
	can_up listen-only on || {
		judge T15 "listen-only" 1 "refused"
		return
	}
	sent=$(rigctl get sent)
	listen -n 1 -f 7A0 -l 1 -1 -t 500 -s 500
	rigctl signal 12
	sleep 0.1
	_alone=$(($(rigctl get sent) - sent))
	rigctl signal 9
	wait "$listener"
	[ "$_alone $(($(rigctl get sent) - sent)) $(of_listener received)" = "0 1 1" ]
	judge T15 "listen-only gives no ACK" $? "peer's frames good without another node $_alone, with one $(($(rigctl get sent) - sent)); received $(of_listener received)"
	before=$(rigctl get received)
	cansend can0 5B0#11 2>/tmp/err
	sleep 0.05
	judge_if T15 "listen-only sends nothing" "$(cat /tmp/err)" [ "$(rigctl get received)" = "$before" ]
	can_up listen-only off
}

loopback() {
	can_up loopback on || {
		judge T15 "loopback" 1 "refused"
		return
	}
	before=$(rigctl get received)
	candump -L -n 20 -T 200 can0 >/tmp/dump &
	listener=$!
	sleep 0.05
	for i in 1 2 3; do
		cansend can0 5B1#0$i
		sleep 0.01
	done
	wait "$listener"
	[ "$(wc -l </tmp/dump) $(($(rigctl get received) - before))" = "3 0" ]
	judge T15 "loopback: one copy, none on the bus" $? "copies of 3 frames: $(wc -l </tmp/dump), on the bus $(($(rigctl get received) - before))"
	can_up loopback off
}

oneshot() {
	can_up one-shot on 2>/tmp/err || {
		judge T15 "one-shot" 1 "refused: $(head -n 1 /tmp/err)"
		can_up one-shot off
		return
	}
	errors=$(($(stat_of tx_errors) + $(stat_of tx_aborted_errors) + $(stat_of tx_dropped)))
	window_start
	before=0
	rigctl signal 8
	cansend can0 5B2#01
	sleep 0.05
	rigctl signal 9
	sleep 0.01
	cansend can0 5B2#02
	sleep 0.05
	window_stop T15_oneshot
	errors=$(($(stat_of tx_errors) + $(stat_of tx_aborted_errors) + $(stat_of tx_dropped) - errors))
	[ "$(($(rigctl get received) - before)) $((errors > 0))" = "1 1" ]
	judge T15 "one-shot: no ACK fails, the next one goes" $? "on the bus $(($(rigctl get received) - before)) of 2, failures counted $errors"
	# lost arbitration: against a full bus
	before=$(rigctl get received)
	packets=$(stat_of tx_packets)
	rigctl signal 13
	cangen can0 -g 0 -p 10 -I 5B3 -L 8 -n 20
	sleep 0.1
	_sent=$(($(stat_of tx_packets) - packets))
	before=$(rigctl get received)
	cansend can0 5B4#01
	sleep 0.05
	[ "$_sent $(($(rigctl get received) - before))" != "20 0" ] && [ $(($(rigctl get received) - before)) = 1 ]
	judge T15 "one-shot: lost arbitration, goes on" $? "sent $_sent of 20 against a full bus, then $(($(rigctl get received) - before)) of 1"
	can_up one-shot off
}

# three samples make no difference to the model's wire: the setting is looked at
triple() {
	can_up triple-sampling on 2>/tmp/err
	judge_if T15 "triple sampling is set" "CNF2 $(rigctl board 10 0x29)" \
		[ $(($(rigctl board 10 0x29) & 0x40)) -ne 0 ]
	can_up triple-sampling off
}

need_can0
can_up || bail "can0 does not come up"
for phase in $PHASES; do
	case $phase in
	listen) listen_only ;;
	*) $phase ;;
	esac
done
is "$(rigctl get unexpected)" 0 "the peers see nothing but these frames"
ip -details -statistics link show can0 | sed 's/^/# /'
cases_done
