#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A wrong or absent device (--boardopt broken=...): one error line that says what is wrong, a clean
# failure of probe (or of open, WHEN=open), no hang.

. /rig/lib.sh

# the driver's own complaints
errors() {
	dmesg --level=err,crit,alert,emerg | grep -c -E 'c_can|can0|d_can|8818|can@|[0-9a-f]\.can'
}

case $RIG_BOARD in
pch) glue=c_can_pci ;;
*) glue=c_can_platform ;;
esac
check "udev has loaded $glue" wait_for 10 test -d /sys/module/$glue
sleep 2
if [ -e /sys/class/net/can0 ] && [ "${WHEN:-probe}" = open ]; then
	if can_up; then
		fail "the interface comes up although the device is broken"
	else
		pass "the interface refuses to come up"
	fi
else
	check "no interface is made of it" test ! -e /sys/class/net/can0
fi
is "$(errors)" 1 "one error line"
dmesg --level=err,crit,alert,emerg | sed 's/^/# /'
check "the driver can be unloaded" modprobe -r $glue
check "and loaded again" modprobe $glue
sleep 2
check "and unloaded" modprobe -r $glue
tap_done
