#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Two runs with an arm64 guest give the same to the nanosecond, also beside a busy host.

set -eu -o pipefail

# shellcheck source-path=SCRIPTDIR source=selftest/lib.sh
. "$(dirname "$(readlink -f "$0")")/selftest/lib.sh"
# shellcheck source-path=SCRIPTDIR source=selftest/checks.sh
. "$SELFTEST/checks.sh"

check_repeats arm64
finished
