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
for board in am335x pch; do
	rig_later "order-$board" --board "$board" "${order[@]}" \
		--set PHASES='data empty full full0 overflow'
	rig_later "order-$board-errata" --board "$board" "${order[@]}" \
		--boardopt "errata=${errata[$board]}" --set PHASES='data full0 overflow'
	runs+=("order-$board" "order-$board-errata")
	rig_later "order-$board-in-tree" --board "$board" --driver in-tree "${order[@]}" \
		--set PHASES='data full' --set EXPECT=swap
	# not asked for: nothing is lost, but the order may not be kept
	rig_later "order-$board-off" --board "$board" "${order[@]}" --set STRICT=off \
		--set PHASES='data overflow' --set EXPECT=none
done
rig_later order-cyclone5-errata --board cyclone5 "${order[@]}" \
	--boardopt "errata=${errata[cyclone5]}" --set PHASES='data full0'
runs+=(order-cyclone5-errata)

depth=(--scenario tests/guest/order.sh --set PHASES=deep)
rig_later depth-pch --board pch "${depth[@]}" --set DEPTH_US=1100
rig_later depth-pch-30 --board pch "${depth[@]}" --set DEPTH_US=1400 --set 'RINGS=rx 30 tx 2'
rig_later depth-am335x --board am335x "${depth[@]}" --set DEPTH_US=2550
runs+=(depth-pch depth-pch-30 depth-am335x)
settle

# what the controller has overwritten is what is missing
for run in "${runs[@]}"; do
	same "$(value "$run" .lost)" "$(value "$run" .rig.counters.rx_overwritten)" \
		"$run: frames that are missing are those that were overwritten"
	same "$(value "$run" .rig.counters.rx_erratum_lost)" 0 "$run: no erratum takes a frame"
done
done_testing
