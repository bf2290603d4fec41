#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Without restart-ms the interface stays off until it is restarted by hand.

. /rig/lib.sh

need_can0
can_up restart-ms 0 || bail "can0 does not come up"
rigctl signal 1
cansend can0 200#1122
check "bus-off is reached" wait_for 5 in_state BUS-OFF
sleep 0.5
is "$(can_state)" BUS-OFF "and stays"
is "$(rigctl get received)" 0 "nothing is sent meanwhile"
check "a restart by hand is accepted" ip link set can0 type can restart
check "the controller is error-active again" wait_for 5 in_state ERROR-ACTIVE
before=$(rigctl get received)
cansend can0 201#3344
sleep 0.1
is $(($(rigctl get received) - before)) 1 "exactly the next frame is sent"
tap_done
