#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Destroyed frames, error states, bus-off and restart.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

for board in am335x pch; do
	rig_later $board-errors --board $board --scenario tests/guest/errors.sh
	rig_later $board-manual-restart --board $board --scenario tests/guest/manual-restart.sh
	rig_later $board-busoff --board $board --scenario tests/guest/busoff.sh \
		--set LAPS="${LAPS:-10}"
done
settle

# From error-active to bus-off it takes 32 error frames, and there are no others on that bus: so
# many bus-offs has the wire seen.
for board in am335x pch; do
	same "$(value $board-busoff '.guest.bus_off * 32')" "$(value $board-busoff .rig.bus.errors)" \
		"$board: no bus-off is missed"
done
done_testing
