#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What of N frames back to back reaches the application, without data (rx_0) and with 8 bytes
# (rx_8), one measurement each. A driver that loses frames does not fail here; it is written down.
# KINDS: which of them. LOAD: what goes on beside it: 1: datagrams go round through the network
# stack; exits: processes end that give back 8 MiB each.

. /rig/lib.sh

N=${N:-10000}
KINDS=${KINDS:-rx_0 rx_8}
LOAD=${LOAD:-}
WINDOWS=''

of_listener() {
	sed -n "s/^RESULT $1=//p" /tmp/rx
}

receive() { # NAME SIGNAL CANCHECK-OPTION...
	name=$1 signal=$2
	shift 2
	rm -f /tmp/ready
	cancheck -R /tmp/ready -n "$N" -t 50 "$@" can0 >/tmp/rx &
	listener=$!
	wait_for 10 test -e /tmp/ready
	over=$(stat_of rx_over_errors)
	packets=$(stat_of rx_packets)
	WINDOWS="$WINDOWS${WINDOWS:+ }$name"
	rigctl measure start
	rigctl signal "$signal"
	wait "$listener"
	rigctl measure stop
	diag "$name: $(of_listener received) of $N received, $(of_listener swapped) swapped"
	result "${name}_sent" "$(rigctl get sent)"
	result "${name}_received" "$(of_listener received)"
	result "${name}_swapped" "$(of_listener swapped)"
	result "${name}_duplicated" "$(of_listener duplicated)"
	result "${name}_packets" $(($(stat_of rx_packets) - packets))
	result "${name}_overruns" $(($(stat_of rx_over_errors) - over))
	pass "$name"
}

need_can0
can_up || bail "can0 does not come up"
come_to_rest
case $LOAD in
'') ;;
exits)
	while :; do dd if=/dev/zero of=/dev/null bs=8M count=1 2>/dev/null; done &
	;;
*)
	netload 60 &
	sleep 0.1
	;;
esac
for kind in $KINDS; do
	case $kind in
	rx_0) receive rx_0 1 -i ;;
	rx_8) receive rx_8 2 -f 123 ;;
	*) bail "no kind '$kind'" ;;
	esac
done
result frames "$N"
result windows "$WINDOWS"
tap_done
