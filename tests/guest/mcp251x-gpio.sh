#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The spare pins of an MCP2515 as GPIO lines, whether the interface is up, down, full of traffic, or
# was suspended (--dt gpio).

. /rig/lib.sh

BFPCTRL=$((0x0c))

bfpctrl() {
	rigctl board 10 $BFPCTRL
}

# value LINE [VALUE]: read or set a line; their directories are called as they are
value() {
	_line=/sys/class/gpio/$(echo TX0RTS TX1RTS TX2RTS RX0BF RX1BF | cut -d ' ' -f $(($1 + 1)))
	if [ -n "${2:-}" ]; then
		echo "$2" >"$_line/value"
	else
		cat "$_line/value"
	fi
}

# outputs WHEN: both outputs, all levels
outputs() {
	for levels in '0 0' '1 0' '1 1' '0 1'; do
		rx0bf=${levels% *} rx1bf=${levels#* }
		value 3 "$rx0bf"
		value 4 "$rx1bf"
		# both enabled (0x0c), levels in bits 4 and 5
		is "$(bfpctrl)" $((0x0c | rx0bf << 4 | rx1bf << 5)) "$1: outputs are $levels"
		is "$(value 3) $(value 4)" "$levels" "$1: and read back"
	done
}

need_can0
for chip in /sys/class/gpio/gpiochip*; do
	[ "$(cat "$chip/label")" != mcp2515 ] || base=$(cat "$chip/base")
done
[ -n "${base:-}" ] || bail "no GPIO chip mcp2515"
is "$(cat "/sys/class/gpio/gpiochip$base/ngpio")" 5 "five lines"
is "$(bfpctrl)" 0 "the outputs are off until somebody wants them"
for line in 0 1 2 3 4; do
	echo $((base + line)) >/sys/class/gpio/export
done
is "$(bfpctrl)" $((0x0c)) "the outputs are on"
# nothing drives them low
is "$(value 0)$(value 1)$(value 2)" 111 "the inputs are high"
outputs "down"
can_up || bail "can0 does not come up"
outputs "up"
rigctl signal 1
outputs "full of traffic"
value 3 1
value 4 0
echo devices >/sys/power/pm_test
echo 0 >/sys/module/suspend/parameters/pm_test_delay 2>/dev/null
check "suspend and resume" sh -c 'echo freeze >/sys/power/state'
is "$(bfpctrl)" $((0x1c)) "after resume the outputs are as before"
ip link set can0 down
is "$(bfpctrl)" $((0x1c)) "and when the interface is down"
echo $((base + 3)) >/sys/class/gpio/unexport
is "$(bfpctrl)" $((0x18)) "a line that is given back is off"
tap_done
