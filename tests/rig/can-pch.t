#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The package installed by apt in a stock amd64 kernel, an EG20T in front of it: full bus load.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

N=${N:-1000}

for kernel in 6.1 6.12; do
	rig_later "pch-$kernel" --board pch --kernel $kernel --scenario tests/guest/rxtx.sh --set N="$N"
done
# without MSI, and with the trouble the real part has
rig_later pch-intx --board pch --intx --boardopt errata=newdat-clear --scenario tests/guest/rxtx.sh \
	--set N="$N"
rig_later pch-modes --board pch --scenario tests/guest/modes.sh
rig_later pch-suspend --board pch --scenario tests/guest/suspend.sh
done_testing
