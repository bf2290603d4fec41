#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The CPU stands still at every register access in turn, while frames arrive: with strict order
# they come in the order of the wire whatever the delay, and none is lost unless the controller
# has no room. The in-tree driver, on the same script, swaps. CANPIPE_LONG=1 for more delays.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

at=1:29 stalls=2,3,13 full=7000
if [ -n "${CANPIPE_LONG:-}" ]; then
	at=1:45 stalls=$(seq -s , 1 22) full=60000
fi
sweep=(--set "AT=$at" --set "STALLS=$stalls" --set "FULL=$full" --timeout 1800)
order=(--scenario tests/guest/order.sh "${sweep[@]}")

# all errata that a board can have
declare -A errata=([am335x]=bulk-clear+stale-newdat+late-init
	[pch]=newdat-clear+stale-newdat+late-init [cyclone5]=bulk-clear+stale-newdat+late-init)

runs=()
in_order() { # NAME BOARD PHASES [OPTION...]
	rig_later "order-$1" --board "$2" "${order[@]}" --set "PHASES=$3" "${@:4}"
	runs+=("order-$1")
}

all='data empty full full0 overflow'
in_order am335x am335x "$all"
in_order pch-errata pch "$all" --boardopt "errata=${errata[pch]}"
in_order am335x-errata am335x 'data full0 overflow' --boardopt "errata=${errata[am335x]}"
in_order cyclone5-errata cyclone5 'data full0 many' --boardopt "errata=${errata[cyclone5]}"

boards=am335x
if [ -n "${CANPIPE_LONG:-}" ]; then
	boards='am335x pch cyclone5'
	in_order pch pch "$all"
	in_order cyclone5 cyclone5 'data empty full full0 many'
fi
for board in $boards; do
	# the same script shows what this is about
	rig_later "order-$board-in-tree" --board "$board" --driver in-tree "${order[@]}" \
		--set PHASES='data full' --set EXPECT=swap
	# not asked for: nothing is lost, but the order may not be kept
	rig_later "order-$board-off" --board "$board" "${order[@]}" --set STRICT=off \
		--set PHASES=data --set EXPECT=none
done
settle

# what the controller has overwritten is what is missing
for run in "${runs[@]}"; do
	same "$(value "$run" .lost)" "$(value "$run" .rig.counters.rx_overwritten)" \
		"$run: frames that are missing are those that were overwritten"
	same "$(value "$run" .rig.counters.rx_erratum_lost)" 0 "$run: no erratum takes a frame"
done
done_testing
