#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# D_CANs by device tree in a stock arm64 kernel: full bus load, errata, modes, suspend.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

N=${N:-1000}

for kernel in 6.1 6.12; do
	rig_later "am335x-$kernel" --board am335x --kernel $kernel --scenario tests/guest/rxtx.sh \
		--set N="$N"
done
rig_later am335x-errata --board am335x --boardopt errata=bulk-clear+stale-newdat+late-init \
	--scenario tests/guest/rxtx.sh --set N="$N"
rig_later dra7 --board am335x --boardopt variant=dra7 --scenario tests/guest/rxtx.sh --set N="$N"
rig_later cyclone5 --board cyclone5 --scenario tests/guest/rxtx.sh --set N="$N"
rig_later cyclone5-held-in-reset --board cyclone5 --boardopt reset=held \
	--scenario tests/guest/rxtx.sh --set N=200
rig_later am335x-modes --board am335x --scenario tests/guest/modes.sh
rig_later am335x-suspend --board am335x --scenario tests/guest/suspend.sh
rig_later cyclone5-suspend --board cyclone5 --scenario tests/guest/suspend.sh
done_testing
