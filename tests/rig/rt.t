#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# PREEMPT_RT kernels: handlers are threads there, but for those of spi-bcm2835dma and mcp251x, and
# nothing may sleep in those. CANPIPE_LONG=1 only: it needs a root of its own.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

if [ -z "${CANPIPE_LONG:-}" ]; then
	echo '1..0 # SKIP takes long: make check-rig'
	exit
fi

guest=$RIG/../guest
mcp=(--dt mcp2515 --boardopt slave0=mcp2515 --bitrate 500000)

for kernel in 6.1 6.12; do
	rig_later "rt-$kernel-c_can" --rt --kernel $kernel --board am335x --scenario "$guest/rxtx.sh" \
		--set N=3000
	rig_later "rt-$kernel-c_can-modes" --rt --kernel $kernel --board am335x \
		--scenario "$guest/modes.sh"
	rig_later "rt-$kernel-spi" --rt --kernel $kernel --board rpi \
		--scenario "$guest/spi-prepared.sh"
	rig_later "rt-$kernel-spi-life" --rt --kernel $kernel --board rpi \
		--scenario "$guest/spi-life.sh"
	rig_later "rt-$kernel-mcp251x" --rt --kernel $kernel --board rpi --dt spi-dma "${mcp[@]}" \
		--scenario "$guest/mcp251x.sh"
	# frames that come fast: INT is made an edge
	rig_later "rt-$kernel-mcp251x-load" --rt --kernel $kernel --board rpi --dt spi-dma "${mcp[@]}" \
		--profile pi3 --scenario "$guest/mcp251x-load.sh" --set N=5000
	# the kernel's SPI driver does its work in a thread
	rig_later "rt-$kernel-mcp251x-stock" --rt --kernel $kernel --board rpi "${mcp[@]}" \
		--scenario "$guest/mcp251x.sh"
	rig_later "rt-$kernel-smp" --rt --kernel $kernel --board rpi --clock wall --smp 2 \
		--scenario "$guest/spi-smp.sh"
done
done_testing
