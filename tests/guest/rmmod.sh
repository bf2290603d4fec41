#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Unload and load the driver ROUNDS times while the bus is full (flood.peer) and the interface up.

. /rig/lib.sh

ROUNDS=${ROUNDS:-20}

need_can0
case $RIG_BOARD in
pch) glue=c_can_pci ;;
*) glue=c_can_platform ;;
esac

# kilobytes that the kernel holds in slabs, after what is to be freed has been
slab() {
	sleep 0.5
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.1
	awk '/^SUnreclaim:/ { print $2 }' /proc/meminfo
}

round() {
	can_up || return 1
	sleep 0.0$((i % 3))1
	modprobe -r $glue c_can || return 1
	[ ! -e /sys/class/net/can0 ] || return 1
	[ ! -d /sys/module/c_can ] || return 1
	modprobe $glue || return 1
	wait_for 5 test -e /sys/class/net/can0
}

rigctl signal 1
failed=0 i=0
while [ $i -lt "$ROUNDS" ]; do
	round || failed=$((failed + 1))
	# the first rounds fill caches
	[ $i -ne 4 ] || first=$(slab)
	i=$((i + 1))
done
last=$(slab)
is $failed 0 "$ROUNDS times unloaded and loaded under load"
diag "slab memory after 5 rounds $first kB, after $ROUNDS $last kB"
grew=$((last - first))
if [ $grew -lt $(((ROUNDS - 5) * 16 + 200)) ]; then
	pass "no leak: less than 16 kB a round"
else
	fail "leak: $grew kB in $((ROUNDS - 5)) rounds"
fi

can_up || bail "can0 does not come up"
cancheck -n 500 -f 123 -1 can0 >/tmp/rx
is "$(sed -n 's/^RESULT //p' /tmp/rx | tr '\n' ' ')" \
	"received=500 lost=0 swapped=0 duplicated=0 " "works afterwards: 500 frames in order"
ip link set can0 down
is "$(awk '$1 == "c_can" { print $3 }' /proc/modules)" 1 "only $glue holds c_can"
is "$(cat /sys/module/$glue/refcnt)" 0 "nobody holds $glue"
result rounds "$ROUNDS"
result leak_kb "$grew"
tap_done
