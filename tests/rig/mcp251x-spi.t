#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mcp251x on an SPI driver that has no prepared messages, the kernel's spi-bcm2835: as a kernel without
# and one with spi_optimize_message() has it; and when each message sleeps until its interrupt comes.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

guest=$RIG/../guest
N=100
LOAD=2000

mcp() { # NAME SCENARIO OPTION...
	rig_later "mcp251x-spi-$1" --board rpi --driver canpipe --dt mcp2515 \
		--boardopt slave0=mcp2515 --bitrate 500000 --scenario "$guest/$2.sh" "${@:3}"
}

mcp async mcp251x --set N=$N
mcp optimized mcp251x --kernel 6.12 --set N=$N
mcp sleeping mcp251x --kernel 6.12 --set N=$N --set PHASES='receive formats send' \
	--module-opts 'options spi-bcm2835 polling_limit_us=0'
mcp load mcp251x-load --kernel 6.12 --profile pi3 --set N=$LOAD
settle

# the SPI driver sleeps until its interrupt comes, and else it does not: so that the run is what it says
for name in optimized sleeping; do
	interrupts=$(value mcp251x-spi-$name '.windows.receive.counters.spi_interrupts')
	rc=0
	if [ $name = sleeping ]; then
		[ "$interrupts" -ge $N ] || rc=1
	else
		[ "$interrupts" -eq 0 ] || rc=1
	fi
	point $rc "$name: $interrupts interrupts of SPI for $N frames"
done
for kind in rx_0 rx_8; do
	same "$(value mcp251x-spi-load "[.guest.${kind}_received, .guest.${kind}_swapped,
		.guest.${kind}_duplicated, .guest.${kind}_overruns] | join(\" \")")" "$LOAD 0 0 0" \
		"$kind: $LOAD frames back to back, all received once and in order"
done
done_testing
