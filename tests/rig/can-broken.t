#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A broken or absent controller: one error line and a clean failure of probe.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

for how in all-ones if-busy no-raminit; do
	rig_later am335x-$how --board am335x --boardopt broken=$how --scenario tests/guest/broken.sh
done
for how in all-ones if-busy; do
	rig_later pch-$how --board pch --boardopt broken=$how --scenario tests/guest/broken.sh
done
done_testing
