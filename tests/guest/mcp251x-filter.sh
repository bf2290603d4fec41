#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Acceptance filters of the chip against the same lists as filters of a socket: the same frames come
# through, in the same order. LAPS of the peer's script of 2800 frames for each list.

. /rig/lib.sh

LAPS=${LAPS:-1}
dumpers=''
FILTER=/sys/class/net/can0/acceptance_filter
# lists that the chip holds as they are, and others
EXACT='123:7FF 123:7FF,456:7FF 100:700,300:700 18FEF100:1FFFFF00 123:7FF,18FC0000:1FFC0000
000:000 00000000:00000000'
COARSE='100:700,5A0:7F0 123:7FF,18FEF100:1FFFFF00 001:7FF,002:7FF,501:7FF,5FF:7FF'
# lists that have next to nothing in common
WILD='123:7FF,124:7FF,18FEF1AA:1FFFFFFF,000:001
001:00F,102:7FF,203:70F,304:7FF,405:7FF,506:7FF,607:7FF,708:7FF,18FEF100:1FFFFFFF,18FEF201:1FFFFFFF'
# what needs all six filters, and may swap frames
SIX='100:7F0,200:7F0,300:7F0,400:7F0,18FC0000:1FFC0000,14F00000:1FFC0000
123:7FF,124:7FF,125:7FF,126:7FF,127:7FF'

# the list in candump's terms: standard and extended frames differ in CAN_EFF_FLAG
as_socket() {
	echo "$1" | tr ',' '\n' | awk -F: '
		length($1) == 3 { printf ",%s:80000%s", $1, $2 }
		length($1) == 8 {
			printf ",%s:%s%s", $1, substr("89", substr($2, 1, 1) + 1, 1), substr($2, 2)
		}'
}

# send_all: the peer sends all of its frames, and they have arrived
send_all() {
	target=$(($(rigctl get sent) + 2800 * LAPS))
	rigctl signal 1
	while [ "$(rigctl get sent)" -lt $target ]; do
		sleep 0.05
	done
	sleep 0.02
}

# dump FILE ARGUMENT: from now on into FILE
dump() {
	candump -L -r 4194304 "$2" >"$1" 2>/dev/null &
	dumpers="$dumpers $!"
}

end_dumps() {
	# shellcheck disable=SC2086 # several
	kill $dumpers
	# shellcheck disable=SC2086
	wait $dumpers 2>/dev/null
	dumpers=''
}

without_times() {
	sed -i 's/^([0-9.]*) //' "$1"
}

# one file for each list: what a socket gets that has it as its filter
want_all() {
	can_up || bail "can0 does not come up"
	n=0
	for list in $EXACT $COARSE $WILD $SIX; do
		dump /tmp/want.$n "can0$(as_socket "$list")"
		n=$((n + 1))
	done
	sleep 0.2
	send_all
	end_dumps
	ip link set can0 down
}

filtered() {
	ethtool -S can0 | sed -n 's/^ *rx_filtered: //p'
}

# same LIST [sort]: the chip's filters let the same through; sets by_driver, frames. The lists
# come in the order of want_all.
same() {
	ip link set can0 down
	echo "$1" >$FILTER || fail "$1: refused"
	is "$(cat $FILTER)" "$1" "$1: reads back"
	can_up || bail "can0 does not come up"
	by_driver=$(filtered)
	packets=$(stat_of rx_packets)
	dump /tmp/got can0
	sleep 0.05
	send_all
	end_dumps
	by_driver=$(($(filtered) - by_driver))
	packets=$(($(stat_of rx_packets) - packets))
	without_times /tmp/got
	without_times /tmp/want.$n
	frames=$(wc -l </tmp/want.$n)
	if [ -n "${2:-}" ]; then
		sort -o /tmp/got /tmp/got
		sort -o /tmp/want.$n /tmp/want.$n
	fi
	is "$(sha256sum </tmp/got)" "$(sha256sum </tmp/want.$n)" "$1: the same $frames frames"
	at_least "$frames" 1 "$1: there are some"
	is "$packets" "$frames" "$1: and no others are counted"
	n=$((n + 1))
}

refused() { # NAME LIST
	dmesg --clear
	if echo "$2" >$FILTER 2>/dev/null; then
		fail "$1 is refused"
	else
		check "$1 is refused, with a message" sh -c 'dmesg | grep acceptance_filter'
	fi
}

need_can0
is "$(cat $FILTER)" "" "no filters at first"
want_all
n=0
for list in $EXACT; do
	same "$list"
	is "$by_driver" 0 "$list: all of it is the chip's work"
done
for list in $COARSE; do
	same "$list"
	diag "$list: the chip let $by_driver more pass, of $((2800 * LAPS))"
	# else it could as well be left to the driver
	at_least $((2800 * LAPS - frames)) $((by_driver * 6)) "$list: most of it is the chip's work"
done
for list in $WILD; do
	same "$list"
	diag "$list: the chip let $by_driver more pass, of $((2800 * LAPS))"
done
ip link set can0 down
ethtool --set-priv-flags can0 strict-frame-ordering off
for list in $SIX; do
	same "$list" sort
	is "$by_driver" 0 "$list: all of it is the chip's work"
done
ethtool --set-priv-flags can0 strict-frame-ordering on 2>/dev/null &&
	fail "flags are changed while the interface is up"
dmesg --clear
if echo >$FILTER 2>/dev/null; then
	fail "filters are changed while the interface is up"
else
	check "filters stay while the interface is up" \
		sh -c 'dmesg | grep "take the interface down to change its acceptance filter"'
fi
ip link set can0 down
refused "a standard identifier of four digits" 1234:7FF
refused "a mask that is too long" 123:FFF
refused "an identifier without mask" 123
refused "17 filters" "$(seq -s , -f '%03.0f:7FF' 100 116)"
check "blanks and newlines separate, too" sh -c "printf '123:7ff 456:700\n00000001:1' >$FILTER"
is "$(cat $FILTER)" "123:7FF,400:700,00000001:00000001" "and the list is shown as it works"
echo >$FILTER
is "$(cat $FILTER)" "" "an empty list takes all filters away"
tap_done
