#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Acceptance filters of the chip let exactly those frames through that the same list as filter of a
# socket does, in the same order.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

laps=1
[ "${CANPIPE_LONG:-0}" != 1 ] || laps=36
rig mcp251x-filter --board rpi --driver canpipe --dt spi-dma --dt mcp2515 \
	--boardopt slave0=mcp2515 --bitrate 500000 --set LAPS=$laps \
	--allow 'acceptance_filter|take the interface down' \
	--scenario "$RIG/../guest/mcp251x-filter.sh"
# frames that the chip throws away cost no SPI message
rc=0
[ "$(value mcp251x-filter .rig.counters.cs0_rx_filtered)" -gt $((18000 * laps)) ] || rc=1
point $rc "$(value mcp251x-filter .rig.counters.cs0_rx_filtered) frames did not leave the chip"
done_testing
