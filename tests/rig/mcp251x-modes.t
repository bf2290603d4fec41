#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mcp251x on an MCP2515: loopback, listen-only, one-shot, triple sampling, raw DLC, alone on the bus,
# destroyed frames and error states, bus-off and a restart by hand, the spare pins; and on an
# MCP2510.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

guest=$RIG/../guest

mcp() { # NAME SCENARIO OPTION...
	rig_later "mcp251x-$1" --board rpi --driver canpipe --dt spi-dma --dt mcp2515 \
		--bitrate 500000 --scenario "$guest/$2.sh" "${@:3}"
}

mcp modes modes --boardopt slave0=mcp2515
mcp more-modes mcp251x-modes --boardopt slave0=mcp2515
mcp errors errors --boardopt slave0=mcp2515
mcp manual-restart manual-restart --boardopt slave0=mcp2515
mcp gpio mcp251x-gpio --boardopt slave0=mcp2515 --dt gpio \
	--peer "$guest/flood.peer" --peer "$guest/flood.ack.peer"
# no buffer instructions: register by register; the old overlays' trigger
mcp 2510 mcp251x --boardopt slave0=mcp2510 --boardopt osc=8000000 --boardopt speed=5000000 \
	--dt edge --bitrate 250000
done_testing
