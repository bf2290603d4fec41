#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mcp251x at a full bus: bus-off and restart at many moments, up and down, suspend, unloaded, unbound.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

guest=$RIG/../guest
flood=(--peer "$guest/flood.peer" --peer "$guest/flood.ack.peer")

mcp() { # SCENARIO OPTION...
	rig_later "mcp251x-$1" --board rpi --driver canpipe --dt spi-dma --dt mcp2515 \
		--boardopt slave0=mcp2515 --scenario "$guest/$1.sh" "${@:2}"
}

if [ "${CANPIPE_LONG:-0}" = 1 ]; then
	laps=200 rounds=1000 unloads=200
else
	laps=3 rounds=40 unloads=8
fi
mcp busoff --set LAPS="${LAPS:-$laps}"
mcp updown --set ROUNDS="${ROUNDS:-$rounds}" "${flood[@]}"
mcp suspend
mcp mcp251x-life --set ROUNDS="${UNLOADS:-$unloads}" "${flood[@]}"
settle

# From error-active to bus-off it takes 32 error frames, and there are no others on that bus: so
# many bus-offs has the wire seen.
same "$(value mcp251x-busoff '.guest.bus_off * 32')" "$(value mcp251x-busoff .rig.bus.errors)" \
	"no bus-off is missed"
for run in busoff updown suspend mcp251x-life; do
	same "$(value "mcp251x-$run" '[.rig.counters.cs0_unsafe_reads,
		.rig.counters.cs0_spi_short_deselect, .rig.counters.cs0_spi_ignored] | tostring')" \
		'[0,0,0]' "$run: no buffer is read that was not full, no rule of the bus is broken"
done
done_testing
