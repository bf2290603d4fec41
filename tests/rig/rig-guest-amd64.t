#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The virtual clock, the register paths and the interrupts of the rig, seen by an amd64 guest.

set -eu -o pipefail

# shellcheck source-path=SCRIPTDIR source=selftest/lib.sh
. "$(dirname "$(readlink -f "$0")")/selftest/lib.sh"
# shellcheck source-path=SCRIPTDIR source=selftest/checks.sh
. "$SELFTEST/checks.sh"

check_guest amd64
finished
