#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Two CPUs and real time: races and order, no claims about time.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

rig wall-smp --board pch --clock wall --smp 2 --scenario tests/guest/smp.sh --set N="${N:-300}"
done_testing
