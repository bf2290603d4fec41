#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The known trouble of each chip, all at once; with CANPIPE_LONG each by itself, too. Full bus load
# in each direction (of am335x that is in can-arm64.t), then both directions under stress. Backlogs,
# which is where frames get lost by NewDat, are the business of order.t.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

N=${N:-600}

# load BOARD ERRATA, order BOARD ERRATA
load() {
	rig_later "$1-errata-$2" --board "$1" --boardopt errata="$2" \
		--scenario tests/guest/rxtx.sh --set N="$N"
}

order() {
	rig_later "$1-order-$2" --board "$1" --boardopt errata="$2" \
		--scenario tests/guest/tx-order.sh --set N="$N" --set RIVALS=$((N / 2)) --set NOISE=3
}

order am335x bulk-clear+stale-newdat+late-init
load pch newdat-clear+stale-newdat+late-init
order pch newdat-clear+stale-newdat+late-init
load cyclone5 bulk-clear+late-init
order cyclone5 bulk-clear+late-init

if [ -n "${CANPIPE_LONG:-}" ]; then
	for erratum in bulk-clear stale-newdat late-init; do
		load am335x $erratum
		order am335x $erratum
	done
	for erratum in newdat-clear stale-newdat late-init; do
		load pch $erratum
		order pch $erratum
	done
	for erratum in bulk-clear late-init; do
		load cyclone5 $erratum
		order cyclone5 $erratum
	done
fi
done_testing
