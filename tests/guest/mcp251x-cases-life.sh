#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A driver of the MCP2515 among faults: T12, T13, T16, T17 and T26 of the cases that
# tests/rig/mcp251x-cases-bus.t names. PHASES in any order. ROUNDS: of T16.
# shellcheck disable=SC2154 # listener is mcp251x-lib.sh's

. /rig/lib.sh
. /rig/mcp251x-lib.sh

N=${N:-200}
ROUNDS=${ROUNDS:-5}
PHASES=${PHASES:-life flips stuck nomem rates corrected}

present() {
	test -e /sys/class/net/can0
}

lines() { # PATTERN: of the kernel's log
	dmesg | grep -c -E "$1"
}

# sends and receives: the peer sends a frame each ms as long as it is there
works() {
	_before=$(rigctl get received)
	listen -n 20 -f 123 -1 -t 200 -s 500
	wait "$listener"
	cansend can0 5F0#11 2>/dev/null
	sleep 0.02
	[ "$(of_listener received)" = 20 ] && [ "$(rigctl get received)" -gt "$_before" ]
}

# traffic in both directions while something is done
traffic() {
	cangen can0 -g 1 -I 5F1 -L 8 -i -x >/dev/null 2>&1 &
	generator=$!
	sleep 0.01
}

traffic_end() {
	kill "$generator" 2>/dev/null
	wait "$generator" 2>/dev/null
}

again() { # NAME COMMAND
	dmesg --clear
	_failed=0
	_round=0
	while [ $_round -lt "$ROUNDS" ]; do
		traffic
		$2 || _failed=$((_failed + 1))
		traffic_end
		_round=$((_round + 1))
	done
	_works=no
	can_up && works && _works=yes
	[ "$_failed $_works" = "0 yes" ]
	judge T16 "$1 x $ROUNDS under traffic" $? "failed $_failed, works afterwards: $_works; warnings $(lines 'WARNING|BUG|Oops')"
}

down_up() {
	ip link set can0 down && can_up
}

device=spi0.0
bound=/sys/bus/spi/drivers/mcp251x

unbind_bind() {
	echo $device >$bound/unbind || return 1
	present && return 1
	rigctl measure start
	sleep 0.05
	rigctl measure stop
	UNBOUND="$UNBOUND${UNBOUND:+ }T16_unbound_$_round"
	WINDOWS="$WINDOWS${WINDOWS:+ }T16_unbound_$_round"
	echo $device >$bound/bind || return 1
	wait_for 5 present && can_up
}

remove_insert() {
	modprobe -r mcp251x && modprobe mcp251x && wait_for 5 present && can_up
}

suspend_resume() {
	echo devices >/sys/power/pm_test && echo freeze >/sys/power/state && in_state ERROR-ACTIVE
}

life() {
	can_up
	again "down and up" down_up
	again "unbind and bind" unbind_bind
	again "rmmod and modprobe" remove_insert
	if [ -e /sys/power/pm_test ]; then
		echo 0 >/sys/module/suspend/parameters/pm_test_delay 2>/dev/null
		again "suspend and resume" suspend_resume
	else
		result "T16/suspend and resume" "not provoked: this kernel has no /sys/power/pm_test"
	fi
}

# the chip is not in the state that a reset leaves it in: REGISTER VALUE...
poked() {
	_what=$1
	shift
	modprobe -r mcp251x
	while [ $# -gt 0 ]; do
		rigctl board 11 $(($1 | $2 << 16)) >/dev/null
		shift 2
	done
	_start=$(rigctl get now)
	modprobe mcp251x
	_ms=$((($(rigctl get now) - _start) / 1000000))
	_works=no
	wait_for 5 present && can_up && works && _works=yes
	[ $_works = yes ] && [ $_ms -lt 1000 ]
	judge T12 "chip found $_what" $? "works: $_works, probe took $_ms ms"
}

state() {
	poked "in Normal mode with a pending request" 0x0f 0x00 0x28 0x01 0x29 0x91 0x2a 0x01 0x30 0x08
	poked "asleep" 0x0f 0x20
	poked "with flags set and enabled" 0x2b 0xff 0x2c 0xff 0x2d 0xc0
	for so in 1 2; do
		modprobe -r mcp251x
		dmesg --clear
		rigctl board 12 $so >/dev/null
		_start=$(rigctl get now)
		modprobe mcp251x
		_ms=$((($(rigctl get now) - _start) / 1000000))
		present
		_there=$?
		_said=$(dmesg --level=err,warn | grep mcp251x | sed 's/.*mcp251x/mcp251x/' | head -n 1)
		rigctl board 12 0 >/dev/null
		[ $_there -ne 0 ] && [ $_ms -lt 1000 ] && [ -n "$_said" ]
		judge T12 "no chip, SO $([ $so = 1 ] && echo low || echo high)" $? "probe took $_ms ms, interface: $([ $_there -eq 0 ] && echo yes || echo no), says '$_said'"
	done
	afresh
	can_up
	window_start
	works
	window_stop T12
}

# one bit of each so many thousand bytes
flips() {
	for period in 10 1; do
		afresh
		can_up || diag "can0 does not come up"
		packets=$(stat_of rx_packets)
		window_start
		rigctl board 13 $period >/dev/null
		traffic
		sleep 0.6
		traffic_end
		rigctl board 13 0 >/dev/null
		window_stop "T17_flips_$period"
		packets=$(($(stat_of rx_packets) - packets))
		sleep 1.2
		_works=no
		works && _works=yes
		[ $_works = yes ] && [ $packets -gt 100 ]
		judge T17 "a wrong bit in 1 of $((period * 1000)) bytes" $? "received in 600 ms: $packets of about 600, works afterwards: $_works"
	done
}

# SO is stuck for a second, restart-ms 100
stuck() {
	for so in 1 2; do
		afresh
		can_up restart-ms 100 || diag "can0 does not come up"
		window_start
		rigctl board 12 $so >/dev/null
		_ms=$(awk '{ print int($1 * 1000) }' /proc/uptime)
		sleep 1
		rigctl board 12 0 >/dev/null
		_ms=$(($(awk '{ print int($1 * 1000) }' /proc/uptime) - _ms))
		window_stop "T17_so_$so"
		sleep 1.5
		_works=no
		works && _works=yes
		[ $_works = yes ] && [ $_ms -lt 1500 ]
		judge T17 "SO $([ $so = 1 ] && echo low || echo high) for 1 s" $? "the guest's second took $_ms ms, works afterwards: $_works, state $(can_state)"
	done
	down_stuck
	can_up restart-ms 0
}

# Error counters are asked for when it has just begun, and the interface goes down: both end, whatever
# the chip says.
down_stuck() {
	rigctl board 12 2 >/dev/null
	(
		sleep 0.03
		ip -details link show can0 >/dev/null
		ip link set can0 down
	) &
	_down=$!
	sleep 1
	_ended=no
	kill -0 $_down 2>/dev/null || _ended=yes
	rigctl board 12 0 >/dev/null
	wait $_down
	[ $_ended = yes ]
	judge T17 "down while SO is high" $? "ended in a second: $_ended"
}

# alloc_can_skb fails each third time
nomem() {
	afresh
	can_up || diag "can0 does not come up"
	modprobe rig-nomem 2>/tmp/err || {
		result "T26/no memory" "not provoked: $(head -n 1 /tmp/err)"
		return
	}
	packets=$(stat_of rx_packets) dropped=$(stat_of rx_dropped)
	window_start
	listen -n 600 -f 123 -1 -t 200 -s 500
	echo 3 >/sys/module/rig_nomem/parameters/every
	sleep 0.3
	echo 0 >/sys/module/rig_nomem/parameters/every
	_failures=$(cat /sys/module/rig_nomem/parameters/failures)
	wait "$listener"
	window_stop T26
	dropped=$(($(stat_of rx_dropped) - dropped))
	[ "$dropped $(of_listener lost) $(of_listener swapped)" = "$_failures $_failures 0" ] && [ "$_failures" -gt 20 ]
	judge T26 "no memory for each third frame" $? "failed $_failures, counted as dropped $dropped; $(figures)"
	_works=no
	works && _works=yes
	judge_if T26 "memory again" "works: $_works" [ $_works = yes ]
	modprobe -r rig-nomem
}

# the rates that two samples of the crystal's clock allow: 6 to 25 quanta (1 + 3..16 + 2..8), 1 to 64
exact() { # CLOCK RATE
	awk -v c="$1" -v r="$2" 'BEGIN {
		for (b = 1; b <= 64; b++) for (q = 6; q <= 25; q++) if (r * b * q == c) exit 0
		exit 1 }'
}

rates() {
	_clock=$(ip -details link show can0 | sed -n 's/.* clock \([0-9]*\).*/\1/p')
	_bad='' _n=0
	for bits in 10000 20000 50000 83333 100000 125000 200000 250000 400000 500000 800000 1000000; do
		ip link set can0 down
		_got=none
		ip link set can0 up type can bitrate $bits 2>/dev/null &&
			_got=$(ip -details link show can0 | sed -n 's/.* bitrate \([0-9]*\).*/\1/p')
		_n=$((_n + 1))
		if exact "$_clock" $bits; then
			[ "$_got" = $bits ] || _bad="$_bad $bits:$_got"
		elif [ "$_got" != none ]; then
			# no more than the kernel's 5 %
			echo "$_got $bits" | awk '{ d = $1 / $2 - 1; exit !(d < 0.05 && d > -0.05) }' ||
				_bad="$_bad $bits:$_got"
		fi
	done
	[ -z "$_bad" ]
	judge T13 "rates with a clock of $_clock Hz" $? "$_n rates, wrong:${_bad:- none}"
}

# with the crystal that the device tree says: the peer's rate, at the end
rates_work() {
	afresh
	can_up || diag "can0 does not come up"
	window_start
	works
	_rc=$?
	window_stop T13
	judge T13 "works at $RIG_BITRATE bit/s, clock $_clock Hz" $_rc "$(figures)"
}

# a wrong rate, while others talk at the right one, and then the right one
corrected() {
	ip link set can0 down
	ip link set can0 up type can bitrate 10000
	sleep 0.1
	can_up 2>/tmp/err
	judge_if T13 "10 kbit/s on a busy bus of $RIG_BITRATE bit/s, corrected" "state $(can_state), $(cat /tmp/err)" works
}

need_can0
# as long as nobody talks
case " $PHASES " in
*" rates "*) rates ;;
esac
can_up 2>/tmp/err || {
	judge T12 "can0 comes up" 1 "$(cat /tmp/err)"
	cases_done
}
rigctl signal 1
check "works at the beginning" works
for phase in $PHASES; do
	case $phase in
	rates) rates_work ;;
	*) $phase ;;
	esac
done
cases_done
