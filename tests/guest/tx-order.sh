#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Transmission in the order of the queue, whatever happens on the wire: N frames with a counter and
# random identifiers, as fast as the bus takes them, while two nodes compete at random moments with
# identifiers above and below, and a fourth destroys frames (tx-order*.peer). Each frame must arrive
# once and in order, and so must its echo.

. /rig/lib.sh

N=${N:-3000}
RIVALS=${RIVALS:-1500}

value_of() {
	sed -n "s/^RESULT $1=//p" "$2"
}

# listen NAME COUNT FILTER...: a witness on a socket of its own
listen() {
	witness=$1 count=$2
	shift 2
	cancheck -n "$count" -R "/tmp/$witness.ready" "$@" can0 >"/tmp/$witness" 2>&1 &
	wait_for 10 test -e "/tmp/$witness.ready" || bail "cancheck does not start"
}

# judge NAME COUNT WHAT
judge() {
	got="$(value_of received "/tmp/$1") $(value_of lost "/tmp/$1")"
	got="$got $(value_of swapped "/tmp/$1") $(value_of duplicated "/tmp/$1")"
	is "$got" "$2 0 0 0" "$3"
	[ "$got" = "$2 0 0 0" ] || cat "/tmp/$1"
}


need_can0
can_up || bail "can0 does not come up"
listen echo "$N" -S
echo=$!
listen above "$RIVALS" -f 04000000
above=$!
listen below "$RIVALS" -f 18000000
below=$!
sent_before=$(stat_of tx_packets) received_before=$(stat_of rx_packets)

rigctl measure start
rigctl signal 1
check "cangen sends $N frames" cangen can0 -g0 -p10 -I r -L8 -Di -n "$N"
wait $echo
wait $above
wait $below
check "all scripts of the peers come to their end" rigctl wait-peers 10
rigctl measure stop

is "$(rigctl get lost) $(rigctl get swapped) $(rigctl get duplicated)" "0 0 0" \
	"each frame arrives once and in the order of the queue"
is "$(rigctl get unexpected)" 0 "and nothing else arrives"
judge echo "$N" "each echo comes once and in order"
is "$(($(stat_of tx_packets) - sent_before))" "$N" "as many are counted as sent"
is "$(($(stat_of tx_dropped))) $(($(stat_of tx_aborted_errors)))" "0 0" "none is dropped"
judge above "$RIVALS" "the frames of higher priority are received once and in order"
judge below "$RIVALS" "so are those of lower priority"
is "$(($(stat_of rx_packets) - received_before))" $((2 * RIVALS)) "they are counted as received"
is "$(can_state)" ERROR-ACTIVE "the controller is error-active in the end"
ip -details -statistics link show can0 | sed 's/^/# /'
result sent $((N + 2 * RIVALS))
result received $((N + 2 * RIVALS))
result lost "$(rigctl get lost)"
result swapped "$(rigctl get swapped)"
result duplicated "$(rigctl get duplicated)"
tap_done
