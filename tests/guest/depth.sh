#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# How long may the CPU stand still before frames are lost, and what happens then. CASES: words
# RX/TX:US, the split of the objects ("-": as it is) and for how long the CPU stands still; no
# frame may be lost. OVERFLOW: the same, but long enough to lose some. STRICT: on or off.

. /rig/lib.sh

N=${N:-5000}
CASES=${CASES:-}
OVERFLOW=${OVERFLOW:-}
STALLS=${STALLS:-4}
WINDOWS=''

value_of() {
	sed -n "s/^RESULT $1=//p" /tmp/rx
}

overruns() {
	# the in-tree driver counts none
	ethtool -S can0 2>/dev/null | awk '/rx_overruns:/ { n = $2 } END { print n + 0 }'
}

all_sent() {
	[ "$(rigctl get sent)" -ge "$N" ]
}

all_received() {
	[ "$(stat_of rx_packets)" -ge $((packets + N)) ]
}

# begin NAME RINGS: can0 comes up with them
begin() {
	WINDOWS="$WINDOWS${WINDOWS:+ }$1"
	ip link set can0 down
	if [ "$2" != - ]; then
		ethtool -G can0 rx "${2%/*}" tx "${2#*/}" || bail "the rings $2 cannot be set"
	fi
	if [ -n "${STRICT:-}" ]; then
		ethtool --set-priv-flags can0 strict-frame-ordering "$STRICT" ||
			bail "strict-frame-ordering cannot be set"
	fi
	can_up || bail "can0 does not come up"
	packets=$(stat_of rx_packets) errors=$(stat_of rx_over_errors) overruns=$(overruns)
	rigctl measure start
}

# stand_still US TIMES: in the midst of the stream
stand_still() {
	for _ in $(seq "$2"); do
		sleep 0.002
		rigctl stall "$1"
		if all_sent; then
			diag "the stream was over before the CPU stood still"
			return 1
		fi
	done
}

deep_enough() { # NAME RINGS US
	begin "$1" "$2"
	rigctl signal 1
	check "$1: the CPU stands still $STALLS times while frames come" stand_still "$3" "$STALLS"
	wait_for 5 all_sent || fail "$1: the peer does not end"
	wait_for 1 all_received || :
	rigctl measure stop
	is $(($(stat_of rx_packets) - packets)) "$(rigctl get sent)" "$1: no frame is lost in $3 us"
	is "$(($(stat_of rx_over_errors) - errors)) $(($(overruns) - overruns))" "0 0" \
		"$1: and no overflow is counted"
}

overflows() { # RINGS US
	rm -f /tmp/ready
	begin overflow "$1"
	cancheck -i -t 300 -n "$N" -R /tmp/ready can0 >/tmp/rx &
	wait_for 10 test -e /tmp/ready
	rigctl signal 2
	check "overflow: the CPU stands still while frames come" stand_still "$2" 3
	wait_for 5 all_sent || fail "overflow: the peer does not end"
	wait
	rigctl measure stop
	at_least "$(value_of lost)" 1 "overflow: frames are lost in $2 us"
	is "$(value_of swapped) $(value_of duplicated)" "0 0" "overflow: the others come in order"
	is $(($(value_of received) + $(value_of lost))) "$(rigctl get sent)" \
		"overflow: what the peer has sent was received or is missing"
	is "$(($(stat_of rx_over_errors) - errors)) $(($(overruns) - overruns))" "3 3" \
		"overflow: each of the three is counted once"
	check "overflow: and reported once" grep ' 3 error frames' /tmp/rx
	result overflow_lost "$(value_of lost)"
	grep '^#' /tmp/rx
}

need_can0
for word in $CASES; do
	rings=${word%:*}
	[ "$rings" != - ] && name=${rings%/*} || name=default
	deep_enough "rx_$name" "$rings" "${word#*:}"
done
[ -z "$OVERFLOW" ] || overflows "${OVERFLOW%:*}" "${OVERFLOW#*:}"
result windows "$WINDOWS"
tap_done
