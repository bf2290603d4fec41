#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Order under a forced delay: the CPU stands still at every register access in turn, while frames
# arrive. Phases:
#   data, empty   bursts of frames of 8 bytes and of none, while the bus was idle
#   full, full0   the same without a pause on the bus
#   overflow      bursts that are too long for the controller
#   many          a backlog of up to 90 frames, for controllers with room for it
# AT, STALLS: accesses and lengths (in frames) for cansweep. STRICT: the driver's setting. EXPECT:
# "order"; "swap": the driver is known to swap; "none": show what happens.
#
# The controller only tells that frames were overwritten, not how many. Exact are: delivered and
# lost frames are those that were sent; an overflow is reported if, and only if, frames are lost,
# and once for each delay.

. /rig/lib.sh

PHASES=${PHASES:-data empty full full0}
AT=${AT:-1:40}
STALLS=${STALLS:-1,2,3,5,8,13,20}
STRICT=${STRICT:-on}
EXPECT=${EXPECT:-order}
TRIALS=0 RECEIVED=0 SWAPPED=0 DUPLICATED=0 LOST=0 OVERFLOWS=0

value_of() {
	sed -n "s/^RESULT $1=//p" /tmp/rx
}

receive_objects() {
	ethtool -g can0 | awk '/^Current/ { now = 1 } now && /^RX:/ { print $2; exit }'
}

# sweep PHASE CANSWEEP-OPTION...
sweep() {
	phase=$1
	shift
	cansweep "$@" can0 >/tmp/rx || fail "$phase: cansweep ends well"
	grep '^#' /tmp/rx
	diag "$phase: $(value_of trials) trials: $(value_of received) frames," \
		"$(value_of swapped) swapped, $(value_of lost) lost, $(value_of overflows) overflows"
	is "$(value_of unused)" 0 "$phase: the CPU stood still $(value_of trials) times"
	is "$(value_of duplicated)" 0 "$phase: no frame comes twice"
	if [ "$EXPECT" = order ]; then
		is "$(value_of swapped)" 0 "$phase: frames come in the order of the wire"
		is "$(value_of bad_loss)" 0 "$phase: lost are only those that an overflow tells of"
	fi
	TRIALS=$((TRIALS + $(value_of trials)))
	RECEIVED=$((RECEIVED + $(value_of received)))
	SWAPPED=$((SWAPPED + $(value_of swapped)))
	DUPLICATED=$((DUPLICATED + $(value_of duplicated)))
	LOST=$((LOST + $(value_of lost)))
	OVERFLOWS=$((OVERFLOWS + $(value_of overflows)))
}

need_can0
ip link set can0 down
if [ "$RIG_DRIVER" = canpipe ]; then
	ethtool --set-priv-flags can0 strict-frame-ordering "$STRICT" ||
		bail "strict-frame-ordering cannot be set"
fi
can_up || bail "can0 does not come up"
rigctl measure start
for phase in $PHASES; do
	case $phase in
	data) sweep data -g 1 -m 40 -b 120000 -n "$AT" -s "$STALLS" ;;
	empty) sweep empty -g 2 -i -m 40 -b 49000 -n "$AT" -s "$STALLS" ;;
	full) sweep full -g 3 -m 0 -b 120000 -n "$AT" -s "$STALLS" ;;
	full0) sweep full0 -g 4 -i -m 0 -b 49000 -n "$AT" -s "$STALLS" ;;
	overflow)
		rx=$(receive_objects)
		sweep overflow -g 5 -i -m 100 -b 49000 -n "$AT" \
			-s "$((rx - 1)),$rx,$((rx + 1)),$((rx + 2)),$((rx + 8))"
		at_least "$LOST" 1 "overflow: frames are lost"
		;;
	many) sweep many -g 5 -i -m 100 -b 49000 -n "$AT" -s 40,90 ;;
	*) bail "no phase '$phase'" ;;
	esac
done
rigctl measure stop
if [ "$EXPECT" = swap ]; then
	at_least "$SWAPPED" 1 "this driver swaps frames"
else
	is "$(stat_of rx_over_errors)" "$OVERFLOWS" "each overflow is reported, and counted once"
fi
if [ "$RIG_DRIVER" = canpipe ]; then
	is "$(ethtool -S can0 | sed -n 's/ *rx_overruns: //p')" "$OVERFLOWS" \
		"by ethtool -S, too"
fi
result trials $TRIALS
result sent $((RECEIVED + LOST))
result received $RECEIVED
result swapped $SWAPPED
result duplicated $DUPLICATED
result lost $LOST
result counted_losses "$(stat_of rx_over_errors)"
tap_done
