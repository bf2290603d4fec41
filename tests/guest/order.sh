#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Order under a forced delay: the CPU stands still at every register access in turn, while frames
# arrive. SWEEP: options of cansweep, which must fit to the peer. STRICT=off: order by NEWDAT's bits
# only. EXPECT: "order" (default), "swap": the driver is known to swap, "none": show what happens.

. /rig/lib.sh

SWEEP=${SWEEP:-}
STRICT=${STRICT:-on}
EXPECT=${EXPECT:-order}
RINGS=${RINGS:-}

value_of() {
	sed -n "s/^RESULT $1=//p" /tmp/rx
}

overruns() {
	ethtool -S can0 2>/dev/null | sed -n 's/ *rx_overruns: //p'
}

need_can0
ip link set can0 down
if [ "$RIG_DRIVER" = canpipe ]; then
	ethtool --set-priv-flags can0 strict-frame-ordering "$STRICT" ||
		bail "strict-frame-ordering cannot be set"
	if [ -n "$RINGS" ]; then
		# shellcheck disable=SC2086
		ethtool -G can0 $RINGS || bail "the rings cannot be set"
	fi
fi
can_up || bail "can0 does not come up"
rigctl measure start
# shellcheck disable=SC2086
cansweep $SWEEP can0 >/tmp/rx || fail "cansweep ends well"
rigctl measure stop
grep '^#' /tmp/rx
diag "$(value_of trials) trials, $(value_of unused) of them without a stall:" \
	"$(value_of received) frames, $(value_of swapped) swapped, $(value_of lost) lost," \
	"$(value_of overflows) overflows"
at_least "$(($(value_of trials) - $(value_of unused)))" $(($(value_of trials) * 9 / 10)) \
	"the CPU stood still"
case $EXPECT in
order)
	is "$(value_of swapped) $(value_of duplicated)" "0 0" \
		"frames come in the order of the wire, and once"
	is "$(value_of bad_loss)" 0 "none is lost unless an overflow is reported, and the reverse"
	is "$(value_of overflows) $(overruns)" "$(stat_of rx_over_errors) $(stat_of rx_over_errors)" \
		"each overflow is counted and reported"
	;;
swap)
	at_least "$(value_of swapped)" 1 "this driver swaps frames"
	;;
none)
	is "$(value_of duplicated)" 0 "no frame comes twice"
	;;
esac
for key in trials received swapped duplicated lost overflows; do
	result $key "$(value_of $key)"
done
result counted_losses "$(stat_of rx_over_errors)"
tap_done
