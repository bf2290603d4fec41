#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Bus-off while the interface is masked: softirqs are late, the driver's buffer is full, its interrupt
# is off, and then the frame that it has to send is destroyed 32 times. restart-ms must bring it back.

. /rig/lib.sh

# column NAME of the CAN statistics
statistics() {
	ip -details -statistics link show can0 | awk -v name="$1" '
		{ for (i = 1; i <= NF; i++) if ($i == name) { column = i; row = NR } }
		row && NR == row + 1 { print $column; exit }'
}

restarted() {
	[ "$(statistics re-started)" = "$1" ]
}

peer_has() {
	[ "$(rigctl get received)" -ge "$1" ]
}

need_can0
can_up restart-ms 50 || bail "can0 does not come up"
modprobe rig-hold || bail "rig-hold does not load"
rigctl measure start
rigctl signal 1
cansend can0 700#0011223344556677
echo 300 >/sys/module/rig_hold/parameters/bh
check "the interface is restarted" wait_for 2 restarted 1
is "$(statistics bus-off)" 1 "bus-off once"
is "$(can_state)" ERROR-ACTIVE "error-active again"
cansend can0 700#0011223344556677
check "the next frame arrives" wait_for 2 peer_has 1
rigctl measure stop
throttled=$(ethtool -S can0 | awk '/throttled/ { print $2 }')
[ "$RIG_DRIVER" = in-tree ] ||
	at_least "$throttled" 1 "the interrupt was off: $throttled times"
ip -details -statistics link show can0 | sed 's/^/# /'
result bus_off "$(statistics bus-off)"
result restarts "$(statistics re-started)"
tap_done
