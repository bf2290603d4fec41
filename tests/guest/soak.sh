#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Receive N frames and send N frames at the same time on a saturated bus. With LOAD=1 beside a busy
# loop and traffic over the loopback interface. RUN, DLC, ID, OFFSET: what makes the runs differ.

. /rig/lib.sh

N=${N:-250000}
RUN=${RUN:-1}
DLC=${DLC:-8}
ID=${ID:-0A5}
LOAD=${LOAD:-0}

peer_has_all() {
	[ "$(rigctl get received)" -ge "$N" ]
}

value_of() {
	sed -n "s/^RESULT $1=//p" /tmp/rx
}

need_can0
can_up || bail "can0 does not come up"
if [ "$LOAD" = 1 ]; then
	sh -c 'while :; do :; done' &
	netload $((RUN + 1)) &
	packets=$(cat /sys/class/net/lo/statistics/rx_packets)
fi

cancheck -R /tmp/ready -n "$N" -f 123 can0 >/tmp/rx &
listener=$!
wait_for 20 test -e /tmp/ready
rigctl measure start
rigctl signal 1
# four times what the bus needs: cangen waits for ever for a transmitter that has stopped
timeout $((N / 1000 + 30)) cangen can0 -g0 -I"$ID" -L"$DLC" -Di -x -n "$N" >/tmp/tx 2>&1 ||
	fail "cangen does not end: $(cat /tmp/tx)"
wait "$listener"
wait_for 20 peer_has_all || :
rigctl measure stop
[ "$LOAD" != 1 ] || at_least $(($(cat /sys/class/net/lo/statistics/rx_packets) - packets)) \
	$((N / 100)) "there was traffic on the loopback interface"

losses=$(($(stat_of rx_over_errors) + $(stat_of rx_missed_errors) + $(stat_of rx_dropped)))
grep '^#' /tmp/rx
is "$(value_of received) $(value_of lost) $(value_of swapped) $(value_of duplicated)" \
	"$N 0 0 0" "$N frames are received once and in order"
is "$(rigctl get received) $(rigctl get lost) $(rigctl get swapped) $(rigctl get duplicated)" \
	"$N 0 0 0" "$N frames are sent once and in order"
is "$losses $(stat_of rx_errors) $(stat_of tx_errors)" "0 0 0" "the interface counts no loss, no error"
is "$(rigctl get unexpected)" 0 "the peer sees nothing but these frames"
result sent "$N"
result received "$(($(value_of received) + $(rigctl get received)))"
result lost "$(($(value_of lost) + $(rigctl get lost)))"
result swapped "$(($(value_of swapped) + $(rigctl get swapped)))"
result duplicated "$(($(value_of duplicated) + $(rigctl get duplicated)))"
result counted_losses "$losses"
tap_done
