#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What frames cost a driver of the MCP2515, one measurement each: N frames back to back, received and
# sent, without data and with 8 bytes (bare_...: received, but no application listens); 3200 extended
# frames of 8 bytes a second, which is what Martin Sperl measured in 2013; and a storm, a sender whose
# frames nobody acknowledges, heard listen-only.
# For tests/bench/mcp251x, which compares drivers: one that loses frames does not fail here, it is
# written down. KINDS: which of them, those of one peer in its order, storm last.
# shellcheck disable=SC2154 # listener is mcp251x-lib.sh's

. /rig/lib.sh
. /rig/mcp251x-lib.sh

N=${N:-5000}
KINDS=${KINDS:-rx_0 rx_8 bare_0 bare_8 ext_8 tx_0 tx_8 storm}
# how often the task beside the storm works and sleeps
ROUNDS=${ROUNDS:-500}

receive() { # NAME SIGNAL CANCHECK-OPTION...
	name=$1 signal=$2
	shift 2
	listen -n "$N" -t 50 "$@"
	over=$(stat_of rx_over_errors)
	window_start
	rigctl signal "$signal"
	wait "$listener"
	window_stop "$name"
	result "${name}_over" $(($(stat_of rx_over_errors) - over))
	for key in received swapped duplicated; do
		result "${name}_$key" "$(of_listener $key)"
	done
	pass "$name: $(figures)"
}

# The driver and the network stack alone. To ask whether all have come would cost something, too, so
# sleep for as long as they take at the most; NAME_silent is the same without frames.
bare() { # NAME SIGNAL
	over=$(stat_of rx_over_errors)
	packets=$(stat_of rx_packets)
	for signal in 0 "$2"; do
		window_start
		rigctl signal "$signal"
		sleep $((N / 3500 + 1))
		window_stop "$1$([ "$signal" != 0 ] || echo _silent)"
	done
	result "$1_received" $(($(stat_of rx_packets) - packets))
	result "$1_over" $(($(stat_of rx_over_errors) - over))
	pass "$1"
}

all_sent() {
	[ "$(stat_of tx_packets)" -ge "$want" ]
}

send() { # NAME CANGEN-OPTION...
	name=$1
	shift
	want=$(($(stat_of tx_packets) + N))
	window_start
	cangen can0 -g 0 -p 10 -I 5A5 -n "$N" "$@"
	wait_for 10 all_sent || :
	window_stop "$name"
	pass "$name"
}

# How long another task needs for the same work, and how late it is when it wants the CPU
storm() {
	window_start
	latency 100 >/tmp/calm
	window_stop storm_calm
	ip link set can0 down
	can_up listen-only on || bail "can0 does not come up"
	rigctl signal 4
	sleep 0.05
	window_start
	latency "$ROUNDS" >/tmp/storm
	window_stop storm
	for key in late_mean_ns late_max_ns work_ns; do
		result "calm_$key" "$(sed -n "s/^$key //p" /tmp/calm)"
		result "storm_$key" "$(sed -n "s/^$key //p" /tmp/storm)"
	done
	diag "calm: $(tr '\n' ' ' </tmp/calm)"
	diag "storm: $(tr '\n' ' ' </tmp/storm)"
	pass storm
}

need_can0
can_up || bail "can0 does not come up"
come_to_rest
for kind in $KINDS; do
	case $kind in
	rx_0) receive rx_0 1 -i ;;
	rx_8) receive rx_8 2 -f 123 ;;
	bare_0) bare bare_0 5 ;;
	bare_8) bare bare_8 6 ;;
	tx_0) send tx_0 -L 0 ;;
	tx_8) send tx_8 -L 8 -D i ;;
	ext_8) receive ext_8 3 -f 1234567 ;;
	storm) storm ;;
	*) bail "no kind '$kind'" ;;
	esac
done
result frames "$N"
cases_done
