#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel's own mcp251x, unmodified, over the kernel's own spi-bcm2835 judges the model of the
# MCP2515: it works at low load, with the SPI bytes that reading its source gives, and loses frames
# when the bus is full of short ones, as is known of it.
# shellcheck disable=SC2016 # $c is jq's
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

guest=$RIG/../guest
N=100
LOAD=1500

mcp() { # NAME SCENARIO OPTION...
	rig_later "mcp251x-in-tree$1" --board rpi --driver in-tree --dt mcp2515 \
		--scenario "$guest/$2.sh" "${@:3}"
}

mcp '' mcp251x --boardopt slave0=mcp2515 --bitrate 500000 --set N=$N
# no buffer instructions: register by register; the old overlays' trigger
mcp -2510 mcp251x --boardopt slave0=mcp2510 --boardopt osc=8000000 --boardopt speed=5000000 \
	--dt edge --bitrate 250000 --set N=$N --set PHASES='receive formats send lostedge'
mcp -load mcp251x-load --boardopt slave0=mcp2515 --profile pi1 --set N=$LOAD --set KINDS=rx_0
settle

# per frame, in a window
each() { # WINDOW FILTER
	value mcp251x-in-tree ".windows[\"$1\"].counters | ($2) / $N"
}

# CANINTF and EFLG 4, RXB0 14, CANINTF and EFLG 4, and once more 4, now 0
same "$(each receive .cs0_spi_selects)" 4 "a frame received: 4 messages"
same "$(each receive .cs0_spi_bytes)" 26 "a frame received: 26 bytes"
same "$(each receive .cs0_int_edges)" 1 "a frame received: one interrupt"
# LOAD TX BUFFER 14 and RTS 1; CANINTF and EFLG 4, BIT MODIFY 4, and once more 4, now 0
same "$(each send .cs0_spi_selects)" 5 "a frame of 8 bytes sent: 5 messages"
same "$(each send .cs0_spi_bytes)" 27 "a frame of 8 bytes sent: 27 bytes"

load() {
	value mcp251x-in-tree-load ".windows.rx_0.counters as \$c | .guest | $1"
}

# The thread that serves the chip has the CPU for itself: what it gets in time, the application
# does not, and the socket's buffer overflows.
printf '# pi1, 1 Mbit/s, frames without data: %s of %s received; lost: %s by the chip (the driver says %s), %s by the socket\n' \
	"$(load .rx_0_received)" "$LOAD" "$(load '$c.cs0_rx_overflow')" \
	"$(load .rx_0_overruns)" "$(load '$c.cs0_rx_stored - .rx_0_received')"
same "$(load '.rx_0_sent, $c.cs0_rx_valid' | tr '\n' ' ')" "$LOAD $LOAD " \
	"full load: the chip hears all frames"
same "$(load '$c.cs0_rx_stored + $c.cs0_rx_overflow')" $LOAD \
	"full load: sent = stored + overflow of the chip"
same "$(load '.rx_0_packets - $c.cs0_rx_stored')" 0 \
	"full load: the driver gets all that the chip has stored"
printf '# %s swapped\n' "$(load .rx_0_swapped)"
same "$(load .rx_0_duplicated)" 0 "full load: no frame comes twice"
# how many depends on what else the CPU has to do: it is at its limit
rc=0
[ "$(load .rx_0_received)" -lt $LOAD ] || rc=1
point $rc "full load: frames are lost"
same "$(load '[$c.cs0_unsafe_reads, $c.cs0_fault_disable, $c.cs0_spi_ignored] | tostring')" '[0,0,0]' \
	"full load: no buffer is read that was not full, no chip select too short"
done_testing
