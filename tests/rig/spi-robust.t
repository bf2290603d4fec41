#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# spi-bcm2835dma when something goes wrong below it, when it is suspended, unbound, removed under
# traffic, bound by hand, with clients that use all that the SPI core offers, and with two CPUs.
# CANPIPE_LONG=1: on both kernels, more rounds.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

guest=$RIG/../guest

rig_later spi-faults --board rpi --boardopt slave1=dead --scenario "$guest/spi-faults.sh"
rig_later spi-clients --board rpi --kernel 6.12 --dt spi-dma --dt client \
	--scenario "$guest/spi-clients.sh"
rig_later spi-life --board rpi --scenario "$guest/spi-life.sh"
rig_later spi-clock --board rpi --dt spi-dma --dt soft-clock --scenario "$guest/spi-clock.sh"
rig_later spi-bind --board rpi --dt none --scenario "$guest/spi-bind.sh"
rig_later spi-foreign --board rpi --dt foreign-dma --set FOREIGN=1 \
	--scenario "$guest/spi-bind.sh"
rig_later spi-smp --board rpi --dt spi-dma --dt client --clock wall --smp 2 \
	--scenario "$guest/spi-smp.sh"
if [ -n "${CANPIPE_LONG:-}" ]; then
	rig_later spi-faults-6.12 --board rpi --kernel 6.12 --boardopt slave1=dead \
		--scenario "$guest/spi-faults.sh"
	rig_later spi-life-6.12 --board rpi --kernel 6.12 --timeout 1200 --set ROUNDS=50 \
		--scenario "$guest/spi-life.sh"
	rig_later spi-smp-6.12 --board rpi --kernel 6.12 --dt spi-dma --dt client --clock wall \
		--smp 2 --timeout 1200 --set N=20000 --set ROUNDS=50 --scenario "$guest/spi-smp.sh"
fi
done_testing
