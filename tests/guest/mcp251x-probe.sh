#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Wires, crystals and clocks that are wrong: each has its message, and nothing hangs. PHASES: which
# of them; what else they need, the board's options tell.

. /rig/lib.sh

# levels of the chip's SO, see rigctl board 12
SO_WIRED=0 SO_LOW=1 SO_HIGH=2

so() {
	rigctl board 12 "$1" >/dev/null
}

# lines of the driver, of a level at least as bad as the first argument
said() {
	dmesg --level="$1" | grep -E 'mcp251x|can0'
}

present() {
	test -e /sys/class/net/can0
}

# seconds since boot, in milliseconds
now_ms() {
	awk '{ print int($1 * 1000) }' /proc/uptime
}

# no_chip NAME SO PATTERN: probe fails with one line that matches, in less than a second
no_chip() {
	modprobe -r mcp251x
	so "$2"
	dmesg --clear
	start=$(now_ms)
	modprobe mcp251x
	took=$(($(now_ms) - start))
	check "$1: no interface is made of it" test ! -e /sys/class/net/can0
	is "$(said err,crit,alert,emerg | wc -l)" 1 "$1: one error line"
	check "$1: it says what to check" sh -c "dmesg --level=err | grep -E '$3'"
	said err,warn | sed 's/^/# /'
	at_least 1000 "$took" "$1: in less than a second"
	so $SO_WIRED
	modprobe -r mcp251x
	modprobe mcp251x
	check "$1: works with the wire back in its place" wait_for 5 present
}

# the chip is lost between probe and open
lost_before_open() {
	so $SO_HIGH
	dmesg --clear
	if can_up 2>/dev/null; then
		fail "open: the interface comes up without a chip"
	else
		pass "open: refused without a chip"
	fi
	is "$(said err,crit,alert,emerg | wc -l)" 1 "open: one error line"
	check "open: it says what to check" sh -c "dmesg --level=err | grep 'reads all ones: check power'"
	so $SO_WIRED
	check "open: works with the wire back in its place" can_up
	is "$(can_state)" ERROR-ACTIVE "open: error-active"
	ip link set can0 down
}

# the chip is lost while the interface is up, and comes back
lost_while_up() {
	can_up || bail "can0 does not come up"
	dmesg --clear
	so "$1"
	sleep 3
	check "lost while up: the log tells" sh -c "dmesg --level=err | grep 'resetting the chip'"
	at_least 3 "$(said err,crit,alert,emerg | wc -l)" "lost while up: and does not overflow"
	so $SO_WIRED
	check "lost while up: the chip is started again" \
		wait_for 3 sh -c 'dmesg | grep "the chip works again"'
	rm -f /tmp/dump
	candump -L -n 1 -T 2000 can0 >/tmp/dump &
	listener=$!
	sleep 0.1
	rigctl signal "$2"
	wait $listener
	is "$(sed 's/.* //' /tmp/dump)" "123#$3" "lost while up: and receives"
	said err,warn,info | sed 's/^/# /'
	ip link set can0 down
}

wires() {
	need_can0
	check "the right crystal raises no doubt" sh -c "! dmesg | grep 'crystal seems'"
	no_chip "all ones" $SO_HIGH 'reads all ones: check power, the wires'
	no_chip "all zeros" $SO_LOW 'reads all zeros: check power, the wires'
	lost_before_open
	lost_while_up $SO_HIGH 1 00
	lost_while_up $SO_LOW 2 01
	settings_lost
}

# a dip of the supply: bit timing is zero, the chip waits for its configuration
settings_lost() {
	can_up || bail "can0 does not come up"
	dmesg --clear
	# CANCTRL first: CNF2 can be written in configuration mode only
	rigctl board 11 $((0x0f | 0x87 << 16)) >/dev/null
	sleep 0.001
	rigctl board 11 $((0x29)) >/dev/null
	is "$(rigctl board 10 $((0x29)))" 0 "settings are lost"
	check "a chip that has lost its settings is noticed" \
		wait_for 3 sh -c 'dmesg | grep "its settings are gone.*resetting the chip"'
	sleep 0.1
	at_least "$(rigctl board 10 $((0x29)))" 128 "and has them again"
	is "$(ethtool -S can0 | sed -n 's/ *recoveries: //p')" 3 "ethtool -S counts three recoveries"
	ip link set can0 down
}

# --boardopt crystal=8000000 --boardopt speed=25000000, osc 16 MHz
mistaken() {
	need_can0
	said warn,notice | sed 's/^/# /'
	is "$(dmesg | grep -c 'crystal seems to run at about 8\.0 MHz, the device tree says 16000000 Hz')" 1 \
		"the crystal that is not what the device tree says is noticed"
	is "$(dmesg | grep -c 'SPI clock of 25000000 Hz is too fast for an MCP2515: using 10000000 Hz')" 1 \
		"a clock that is too fast is reduced, with a message"
	can_up || fail "and the interface comes up"
	ip link set can0 down
}

# --boardopt osc=40000000
absurd() {
	sleep 2
	check "no interface with a crystal of 40 MHz" test ! -e /sys/class/net/can0
	is "$(said err,crit,alert,emerg | grep -c 'no MCP2515 has a crystal of 40000000 Hz')" 1 \
		"the message says what is possible"
	said err | sed 's/^/# /'
}

# --boardopt osc=8000000, an MCP2510
slow() {
	need_can0
	is "$(dmesg | grep -c 'SPI clock of 10000000 Hz is too fast for an MCP2510: using 5000000 Hz')" 1 \
		"an MCP2510 gets 5 MHz"
	check "a crystal of 8 MHz raises no doubt" sh -c "! dmesg | grep 'crystal seems'"
	if ip link set can0 up type can bitrate 1000000 2>/dev/null; then
		fail "1 Mbit/s with 8 MHz is taken"
	else
		pass "1 Mbit/s with 8 MHz is refused"
	fi
	ip link set can0 down 2>/dev/null
	for rate in 10000 125000 250000 500000; do
		check "$rate bit/s" ip link set can0 up type can bitrate $rate
		ip link set can0 down
	done
	if ip link set can0 type can bitrate 250000 one-shot on 2>/dev/null; then
		fail "one-shot, which an MCP2510 has not, is taken"
	else
		pass "one-shot, which an MCP2510 has not, is refused"
	fi
}

for phase in ${PHASES:-wires}; do
	$phase
done
tap_done
