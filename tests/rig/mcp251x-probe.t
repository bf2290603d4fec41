#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# An MCP2515 with wrong wires, a wrong crystal, a clock that is too fast: each has its message, and
# a chip that was lost while it was in use comes back by itself.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

probe() { # PHASE CHIP OPTION...
	rig_later "mcp251x-$1" --board rpi --driver canpipe --dt spi-dma --dt mcp2515 \
		--boardopt slave0="$2" --bitrate 500000 --set PHASES="$1" \
		--scenario "$RIG/../guest/mcp251x-probe.sh" "${@:3}"
}

probe wires mcp2515 --allow 'no chip answers|resetting the chip'
probe mistaken mcp2515 --boardopt crystal=8000000 --boardopt speed=25000000
probe absurd mcp2515 --boardopt osc=40000000 --allow 'has a crystal of 40000000 Hz'
probe slow mcp2510 --boardopt osc=8000000
settle

# the clock on the wire is what the message says
same "$(value mcp251x-mistaken '.rig.counters.cs0_spi_fast_bytes')" 0 \
	"no byte is clocked faster than an MCP2515 stands"
same "$(value mcp251x-slow '.rig.counters.cs0_spi_fast_bytes')" 0 \
	"no byte is clocked faster than an MCP2510 stands"
same "$(value mcp251x-wires '.rig.counters.cs0_spi_ignored')" 0 \
	"nothing is said to a chip whose oscillator is starting"
done_testing
