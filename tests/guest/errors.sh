#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Frames destroyed on the wire: nothing is lost for good, errors are reported, states change and
# change back, the counters are those of the rules.

. /rig/lib.sh

need_can0
can_up berr-reporting on || bail "can0 does not come up with berr-reporting"
candump -L 'can0,0:0,#FFFFFFFF' >/tmp/dump &
dump=$!
cancheck -n 100 -f 123 -R /tmp/ready can0 >/tmp/rx &
check=$!
wait_for 10 test -e /tmp/ready

# error frames have bit 29 of the identifier set
error_frames() {
	grep -c -E ' (2|3)[0-9A-F]{7}#' /tmp/dump
}

# statistics NAME: a column of ip -statistics, e.g. bus-errors
statistics() {
	ip -details -statistics link show can0 | awk -v name="$1" '
		{ for (i = 1; i <= NF; i++) if ($i == name) { column = i; row = NR } }
		row && NR == row + 1 { print $column; exit }'
}

rigctl measure start
rigctl signal 1
wait $check
is "$(sed -n 's/^RESULT //p' /tmp/rx | tr '\n' ' ')" \
	"received=100 lost=0 swapped=0 duplicated=0 " "destroyed frames are received when repeated"
sleep 0.1
at_least "$(error_frames)" 20 "each error on the bus is reported"
at_least "$(statistics bus-errors)" 20 "ip -statistics counts them"
is "$(can_state)" ERROR-ACTIVE "20 errors of a receiver leave it error-active"

# 12 destroyed frames of its own make the transmitter warn (96), 16 make it passive (128)
rigctl signal 2
sleep 0.01
cansend can0 200#1122
sleep 0.1
at_least "$(statistics error-warn)" 1 "error-warning was reached and counted"
at_least "$(statistics error-pass)" 1 "error-passive was reached and counted"
is "$(statistics bus-off)" 0 "no bus-off"
at_least "$(stat_of tx_packets)" 1 "the frame got through in the end"
diag "state $(can_state), $(ip -details link show can0 | grep -o 'berr-counter.*')"

# every good frame takes one off the counter
i=0
while [ $i -lt 160 ]; do
	cansend can0 201#3344
	i=$((i + 1))
done
rigctl signal 3
rigctl wait-peers 10
sleep 0.2
is "$(can_state)" ERROR-ACTIVE "error-active again after 160 good frames"
is "$(stat_of tx_packets)" 161 "every frame was sent once"
rigctl measure stop
kill $dump
diag "$(error_frames) error frames"
grep -E ' (2|3)[0-9A-F]{7}#' /tmp/dump | awk '{ print $3 }' | sort | uniq -c | sed 's/^/# /' | head -20
ip -details -statistics link show can0 | sed 's/^/# /'
result sent 161
result received "$(rigctl get received)"
tap_done
