#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Two MCP2515 on one SPI bus: T6, T14 and T21 of the cases that tests/rig/mcp251x-cases-bus.t names.
# PHASES: with can1 on a bus of its own (--boardopt can1-peer=) full, else formats and canfdtest.

. /rig/lib.sh
. /rig/mcp251x-lib.sh

N=${N:-400}
PHASES=${PHASES:-formats canfdtest}

up() { # IFACE BITRATE OPTION...
	_iface=$1 _bits=$2
	shift 2
	ip link set "$_iface" down
	ip link set "$_iface" txqueuelen 1000
	ip link set "$_iface" up type can bitrate "$_bits" "$@"
}

over_of() {
	cat "/sys/class/net/$1/statistics/rx_over_errors"
}

result_of() { # NAME FILE
	sed -n "s/^RESULT $1=//p" "/tmp/$2"
}

# T6: both buses full
full() {
	both_full "500k and $CAN1_RATE bit/s" 1
	up can0 1000000
	rigctl signal 10
	sleep 0.01
	both_full "1M and $CAN1_RATE bit/s" 1
}

both_full() { # WHAT SIGNAL
	_over0=$(over_of can0) _over1=$(over_of can1)
	for iface in can0 can1; do
		rm -f /tmp/ready
		cancheck -R /tmp/ready -n "$N" -t 100 -s 1000 -i $iface >/tmp/$iface &
		wait_for 10 test -e /tmp/ready
	done
	window_start
	rigctl board 14 "$2" >/dev/null
	rigctl signal "$2"
	wait
	sleep 0.05
	window_stop "T6_$(echo "$1" | tr -d ' ')"
	_over0=$(($(over_of can0) - _over0)) _over1=$(($(over_of can1) - _over1))
	_rc=0
	for iface in can0 can1; do
		_over=$_over0
		[ $iface = can0 ] || _over=$_over1
		_lost=$((N - $(result_of received $iface)))
		[ "$(result_of swapped $iface) $(result_of duplicated $iface)" = "0 0" ] || _rc=1
		# neither starves, and what is lost is counted
		[ "$(result_of received $iface)" -gt $((N / 2)) ] || _rc=1
		[ $_lost -eq 0 ] || [ "$_over" -gt 0 ] || _rc=1
	done
	judge T6 "$1 full" $_rc "received $(result_of received can0) and $(result_of received can1) of $N, overruns counted $_over0 and $_over1"
}

# T14: all that a frame can be, both ways, each with what follows it
frames() {
	awk 'BEGIN {
		for (i = 0; i < 2048; i += 13) printf "%03X#\n", i
		for (i = 1; i < 536870912; i *= 2) printf "%08X#%02X\n", i, i % 251
		for (i = 0; i <= 8; i++) {
			printf "5AA#R%s\n1234ABCD#R%s\n", i ? i : "", i ? i : ""
			d = ""
			for (k = 0; k < i; k++) d = d sprintf("%02X", 160 + 7 * i + k)
			printf "555#%s\n0ABCDEF1#%s\n7FF#FFFFFFFFFFFFFFFF\n000#\n", d, d
		} }'
}

formats() {
	frames >/tmp/frames
	_n=$(wc -l </tmp/frames)
	for from in can0 can1; do
		to=can1
		[ $from = can0 ] || to=can0
		candump -L -n "$_n" -T 1000 $to >/tmp/dump &
		listener=$!
		sleep 0.1
		while read -r frame; do
			cansend $from "$frame"
		done </tmp/frames
		wait "$listener"
		sed 's/^([0-9.]*) can[01] //; s/ .*//' /tmp/dump >/tmp/got
		awk 'NR == FNR { want[NR] = $0; n = NR; next }
			$0 != want[FNR] { print "# " FNR ": " $0 " instead of " want[FNR] }
			END { for (i = FNR + 1; i <= n; i++) print "# " i ": nothing instead of " want[i] }' \
			/tmp/frames /tmp/got >/tmp/wrong
		_wrong=$(wc -l </tmp/wrong)
		head -n 6 /tmp/wrong
		judge_if T14 "$from to $to, bit by bit" "$_n frames of all kinds, $_wrong wrong" \
			[ "$_wrong" = 0 ]
	done
	long_dlc
}

# DLC 9 to 15: 8 bytes, and the DLC where the driver shows it
long_dlc() {
	if up can0 500000 cc-len8-dlc on 2>/tmp/err && up can1 500000 cc-len8-dlc on; then
		_wrong=0
		for dlc in 9 10 11 12 13 14 15; do
			candlc can1 receive 302 >/tmp/dlc &
			listener=$!
			sleep 0.1
			candlc can0 send 302 $dlc
			sleep 0.05
			kill "$listener" 2>/dev/null
			wait "$listener" 2>/dev/null
			[ "$(cat /tmp/dlc)" = "dlc $dlc length 8" ] || _wrong=$((_wrong + 1))
		done
		judge_if T14 "raw DLC 9 to 15" "7 frames, $_wrong wrong" [ $_wrong = 0 ]
	else
		judge T14 "raw DLC 9 to 15" 1 "cc-len8-dlc refused: $(head -n 1 /tmp/err)"
	fi
	up can0 500000 cc-len8-dlc off
	up can1 500000 cc-len8-dlc off
}

# T21: can1 sends, can0 sends back, 50 under way; all in order
canfdtest_1m() {
	up can0 1000000
	up can1 1000000
	canfdtest can0 >/tmp/dut 2>&1 &
	dut=$!
	sleep 0.1
	_start=$(rigctl get now)
	timeout 30 canfdtest -g -l "${LOOPS:-500}" -f 50 can1 >/tmp/host 2>&1
	_rc=$?
	_us=$((($(rigctl get now) - _start) / 1000))
	kill $dut
	wait $dut 2>/dev/null
	grep -i -E 'error|lost|wrong|mismatch|timeout' /tmp/host /tmp/dut | sed 's/^/# /'
	judge T21 "canfdtest, 1M, 50 under way" $_rc "${LOOPS:-500} loops in $_us us, exit code $_rc: $(tail -n 1 /tmp/host)"
}

need_can0
wait_for 10 test -e /sys/class/net/can1 || bail "no can1"
up can0 500000 || bail "can0 does not come up"
if ! up can1 "${CAN1_RATE:-500000}" 2>/tmp/err; then
	judge T6 "both interfaces up" 1 "can1: $(head -n 1 /tmp/err)"
	tap_done
fi
judge T6 "both interfaces up" 0 "can0 and can1"
for phase in $PHASES; do
	case $phase in
	canfdtest) canfdtest_1m ;;
	*) $phase ;;
	esac
done
for iface in can0 can1; do
	ip -details -statistics link show $iface | sed 's/^/# /'
done
cases_done
