#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Suspend with the interface up, by the kernel's own test mode; works before and after.

. /rig/lib.sh

need_can0
if [ ! -e /sys/power/pm_test ]; then
	skip "suspend" "this kernel has no /sys/power/pm_test"
	tap_done
fi
can_up || bail "can0 does not come up"
cancheck -n 400 -f 123 -t 20000 -R /tmp/ready can0 >/tmp/rx &
check=$!
wait_for 10 test -e /tmp/ready
rigctl signal 1
sleep 0.2
# do not wait 5 s at each test
echo 0 >/sys/module/suspend/parameters/pm_test_delay 2>/dev/null
i=0
while [ $i -lt "${ROUNDS:-5}" ]; do
	echo devices >/sys/power/pm_test
	if echo freeze >/sys/power/state; then
		pass "suspend and resume $i"
	else
		fail "suspend and resume $i"
	fi
	i=$((i + 1))
done
sleep 0.1
is "$(can_state)" ERROR-ACTIVE "error-active after resume"
cansend can0 200#1122
sleep 0.1
is "$(rigctl get received)" 1 "a frame is sent after resume"
rigctl signal 2
wait $check
is "$(sed -n 's/^RESULT //p' /tmp/rx | tr '\n' ' ')" \
	"received=400 lost=0 swapped=0 duplicated=0 " "frames are received before and after"
ip link set can0 down
echo devices >/sys/power/pm_test
if echo freeze >/sys/power/state; then
	pass "suspend with the interface down"
else
	fail "suspend with the interface down"
fi
can_up || fail "up after it"
is "$(can_state)" ERROR-ACTIVE "error-active after down, suspend, up"
tap_done
