#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What a user can set: module parameter, flags and rings by ethtool. Good values take effect and
# can be read back, bad ones are refused with a message. The peer floods (flood.peer).

. /rig/lib.sh

# refuse NAME PATTERN COMMAND...: it fails, and the kernel or the program says why
refuse() {
	_name=$1 _pattern=$2
	shift 2
	dmesg --clear
	if "$@" >/tmp/said 2>&1; then
		fail "$_name"
		return
	fi
	dmesg >>/tmp/said
	check "$_name" grep -i "$_pattern" /tmp/said
}

flag() {
	ethtool --show-priv-flags can0 | sed -n 's/^strict-frame-ordering *: *//p'
}

# receive and transmit objects in use
rings() {
	ethtool -g can0 | awk '/^Current/ { now = 1 } now && /^(RX|TX):/ { printf "%s ", $2 }'
}

all_sent() {
	[ "$(stat_of tx_packets)" -ge "$1" ]
}

load() { # PARAMETER...
	modprobe -r $glue c_can && modprobe c_can "$@" && modprobe $glue &&
		wait_for 5 test -e /sys/class/net/can0
}

need_can0
case $RIG_BOARD in
pch) glue=c_can_pci objects=32 ;;
am335x) glue=c_can_platform objects=64 ;;
*) glue=c_can_platform objects=128 ;;
esac
parameter=/sys/module/c_can/parameters/strict_frame_ordering

is "$(cat $parameter)" Y "strict_frame_ordering is on by default"
is "$(flag)" on "and so for the interface"
modprobe -r $glue c_can
refuse "a bad value of the parameter is refused with a message" 'neither Y nor N' \
	modprobe c_can strict_frame_ordering=perhaps
check "the module loads with N" load strict_frame_ordering=N
is "$(cat $parameter)" N "the parameter reads back as N"
is "$(flag)" off "and the interface has it"
refuse "a bad value written later, too" 'neither Y nor N' sh -c "echo perhaps >$parameter"
check "Y can be written" sh -c "echo Y >$parameter"
is "$(flag)" off "which does not change interfaces that are there"
check "one interface is changed while it is down" \
	ethtool --set-priv-flags can0 strict-frame-ordering on
is "$(flag)" on "it has the flag now"

is "$(rings)" "$((objects - 8)) 8 " "8 objects send, the others receive"
refuse "three transmit objects are refused" 'tx must be' ethtool -G can0 tx 3
refuse "more objects than there are, too" 'at most' ethtool -G can0 rx $((objects - 2)) tx 4
check "$((objects - 2)) and 2 are taken" ethtool -G can0 rx $((objects - 2)) tx 2
is "$(rings)" "$((objects - 2)) 2 " "and read back"

rigctl signal 1
can_up || bail "can0 does not come up"
refuse "the rings stay while the interface is up" 'take the interface down' \
	ethtool -G can0 rx 8 tx 8
refuse "the flags, too" 'take the interface down' \
	ethtool --set-priv-flags can0 strict-frame-ordering off
cancheck -n 500 -f 123 -1 can0 >/tmp/rx
is "$(sed -n 's/^RESULT //p' /tmp/rx | tr '\n' ' ')" \
	"received=500 lost=0 swapped=0 duplicated=0 " "receives with these rings"
cangen can0 -g0 -p10 -I 1 -L 8 -n 20
wait_for 5 all_sent 20
is "$(stat_of tx_packets)" 20 "and sends"

ip link set can0 down
check "one receive object and one transmit object are enough" ethtool -G can0 rx 1 tx 1
can_up || bail "can0 does not come up"
cangen can0 -g1 -p10 -I 1 -L 8 -n 20
wait_for 5 all_sent 40
is "$(stat_of tx_packets)" 40 "to send 20 more"
tap_done
