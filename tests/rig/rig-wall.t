#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The same board under the clock on the wall, in front of a guest with two CPUs.

set -eu -o pipefail

# shellcheck source-path=SCRIPTDIR source=selftest/lib.sh
. "$(dirname "$(readlink -f "$0")")/selftest/lib.sh"

rounds=100
boot amd64 msi wall=2 guest=rounds=$rounds
is "$(value widths_bad)" 0 "accesses of 1, 2, 4 and 8 bytes, by every accessor"
between "$(value asleep_handled)" $rounds $((10 * rounds)) "MSI arrives"
is "$(value stuck_handled)" 1 "a level that stays up sends one message only"
is "$(value unstuck_handled)" 2 "and the next one when it has been down"
between "$(value sleep_difference)" -50000000 50000000 "time passes as in the guest"
is "$(got clock)" wall "the result says which clock it was"
is "$(got instructions)" null "and knows nothing about instructions"
is "$(got reg_reads)" "$(got counters.reads)" "board and rig count the same"

boot amd64 intx wall=2 guest=rounds=$rounds guest=intx=1
between "$(value intx_handled)" $((3 * rounds)) $((4 * rounds)) "INTx comes until all is handled"
between "$(value intx_empty)" 0 $((rounds / 50)) "and hardly ever without a cause"
finished
