#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The job of the bundle: receive N frames from a peer that leaves no gap, send N as fast as the
# bus takes them. PHASES: receive (own checker), candump (can-utils), send (cangen), send8 (frames
# of 8 bytes with a counter, a millisecond apart), sequence (cansequence). LOADED="DIR MODULE...":
# udev has loaded these modules, from that directory.

. /rig/lib.sh

N=${N:-2000}
PHASES=${PHASES:-receive send sequence}
WINDOWS=${WINDOWS:-}
SENT=0 RECEIVED=0 LOST=0 SWAPPED=0 DUPLICATED=0

# One measurement over all, or with WINDOWS=1 one for each phase.
measure() {
	[ -n "$WINDOWS" ] || [ "$2" = all ] || return 0
	[ -z "$WINDOWS" ] || [ "$2" != all ] || return 0
	rigctl measure "$1"
}

# value_of NAME FILE: of a RESULT line
value_of() {
	sed -n "s/^RESULT $1=//p" "$2"
}

add() {
	SENT=$((SENT + $1))
	RECEIVED=$((RECEIVED + $2))
	LOST=$((LOST + $3))
	SWAPPED=$((SWAPPED + $4))
	DUPLICATED=$((DUPLICATED + $5))
}

verdict() { # PHASE SENT RECEIVED LOST SWAPPED DUPLICATED
	diag "$1: $2 sent, $3 received, $4 lost, $5 swapped, $6 duplicated"
	if [ "$RIG_CLOCK" = wall ]; then
		# a stalled host may lose frames, it may not mix them up
		is "$5 $6" "0 0" "$1: frames arrive in order and none twice"
		is $(($3 + $4)) "$2" "$1: what has not arrived is known"
	else
		is "$3 $4 $5 $6" "$2 0 0 0" "$1: all $2 frames arrive once and in order"
	fi
	add "$2" "$3" "$4" "$5" "$6"
	result "$1_received" "$3"
	result "$1_lost" "$4"
	result "$1_swapped" "$5"
	result "$1_duplicated" "$6"
}

receive() {
	rm -f /tmp/ready
	cancheck -n "$N" -f 123 -R /tmp/ready can0 >/tmp/rx &
	wait_for 10 test -e /tmp/ready
	measure start receive
	rigctl signal 1
	wait $!
	measure stop receive
	verdict receive "$N" "$(value_of received /tmp/rx)" "$(value_of lost /tmp/rx)" \
		"$(value_of swapped /tmp/rx)" "$(value_of duplicated /tmp/rx)"
	grep '^#' /tmp/rx
}

# The same with candump's own log as witness: the counter is in the first four bytes.
receive_candump() {
	candump -L -T 3000 -r 67108864 -n "$N" can0,123:7FF >/tmp/dump &
	sleep 0.5
	measure start candump
	rigctl signal 1
	wait $!
	measure stop candump
	awk '
	BEGIN { for (i = 0; i < 16; i++) digit[sprintf("%X", i)] = i }
	{
		split($3, part, "#")
		value = 0
		for (i = 7; i >= 1; i -= 2)
			value = 256 * value + 16 * digit[substr(part[2], i, 1)] + \
				digit[substr(part[2], i + 1, 1)]
		received++
		if (value in seen) duplicated++
		else if (value < next_value) {
			swapped++
			printf "# %s: frame %d after frame %d\n", $1, value, last
		} else if (value > next_value) {
			printf "# %s: frame %d after frame %d\n", $1, value, last
		}
		last = value
		seen[value] = 1
		if (value >= next_value) next_value = value + 1
	}
	END {
		distinct = 0
		for (value in seen) distinct++
		printf "RESULT received=%d\nRESULT swapped=%d\nRESULT duplicated=%d\n",
			received, swapped, duplicated
		printf "RESULT lost=%d\n", n - distinct
	}' n="$N" /tmp/dump >/tmp/rx
	grep '^#' /tmp/rx | head -n 20
	verdict candump "$N" "$(value_of received /tmp/rx)" "$(value_of lost /tmp/rx)" \
		"$(value_of swapped /tmp/rx)" "$(value_of duplicated /tmp/rx)"
}

peer_has() {
	[ "$(rigctl get received)" -ge "$1" ]
}

# send PHASE COMMAND...: N frames; the peer counts
send() {
	phase=$1
	shift
	measure start "$phase"
	before=$(rigctl get received)
	sent_before=$(stat_of tx_packets)
	"$@" >/tmp/tx 2>&1 || {
		fail "$phase: $*"
		sed 's/^/# /' /tmp/tx
	}
	wait_for 10 peer_has $((before + N)) || :
	measure stop "$phase"
	verdict "$phase" "$N" $(($(rigctl get received) - before)) "$(rigctl get lost)" \
		"$(rigctl get swapped)" "$(rigctl get duplicated)"
	is "$(($(stat_of tx_packets) - sent_before))" "$N" "$phase: every frame is counted as sent"
}

need_can0
# shellcheck disable=SC2086 # words
[ -z "${LOADED:-}" ] || loaded_from $LOADED
can_up || bail "can0 does not come up"
measure start all
for phase in $PHASES; do
	case $phase in
	receive) receive ;;
	candump) receive_candump ;;
	send) send send cangen can0 -g0 -p10 -I5A5 -L0 -x -n "$N" ;;
	send8) send send8 cangen can0 -g1 -p10 -I5A6 -L8 -Di -x -n "$N" ;;
	sequence) send sequence cansequence can0 --poll --loop="$N" ;;
	*) bail "no phase '$phase'" ;;
	esac
done
measure stop all
[ -z "$WINDOWS" ] || result windows "$PHASES"

losses=$(($(stat_of rx_over_errors) + $(stat_of rx_missed_errors) + $(stat_of rx_dropped)))
is "$losses" 0 "the interface counts no loss"
is "$(stat_of rx_errors) $(stat_of tx_errors)" "0 0" "the interface counts no error"
is "$(can_state)" ERROR-ACTIVE "the controller is error-active"
is "$(rigctl get unexpected)" 0 "the peer sees nothing but these frames"
ip -details -statistics link show can0 | sed 's/^/# /'
result sent "$SENT"
result received "$RECEIVED"
result lost "$LOST"
result swapped "$SWAPPED"
result duplicated "$DUPLICATED"
result counted_losses "$losses"
tap_done
