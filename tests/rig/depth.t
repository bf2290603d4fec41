#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How long the CPU may stand still with the shortest frames at 1 Mbit/s before some are lost, and
# that each loss is known when it stands still for longer.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$(readlink -f "$0")")/lib/tap.sh"

depth() { # NAME BOARD STRICT ROUNDS CASES [OVERFLOW]
	rig_later "stall-depth-$1" --board "$2" --scenario "$RIG/../guest/depth.sh" --timeout 120 \
		--peer "$RIG/../guest/depth.peer" --set STRICT="$3" --set ROUNDS="$4" \
		--set "CASES=$5" --set "OVERFLOW=${6:-}"
}

# A frame is 48 bits long, and its object is chosen before its end. On an EG20T some 18 us pass until
# the first object is free: 30 objects last for 1396 us, in the worst phase. With strict order up to
# a quarter of the objects is occupied on a controller that is not TI's.
depth pch-off pch off 3 '-:1100 30/2:1390 31/1:1400'
depth pch pch on 3 '-:1100 30/2:1390 31/1:1400' 24/8:4000
depth am335x am335x on 1 '-:2500' 56/8:8000
settle

for board in pch am335x; do
	# what the model has overwritten is what is missing: the frame that did it was delivered
	same "$(value stall-depth-$board .guest.overflow_lost)" \
		"$(value stall-depth-$board .windows.overflow.counters.rx_overwritten)" \
		"$board: exactly the frames that were overwritten are missing"
	same "$(value stall-depth-$board '[.windows[] | .counters.rx_unmatched] | add')" 0 \
		"$board: no frame goes nowhere"
done
done_testing
