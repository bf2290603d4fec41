#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The same scenario twice gives the same result, also beside a busy host.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

result() {
	jq -S 'del(.rig.peers[].script)' "$RESULTS/$1.json"
}

for board in am335x pch; do
	rig repeat-$board-1 --board $board --scenario tests/guest/rxtx.sh --set N=300
	(while :; do :; done) &
	first=$!
	(while :; do :; done) &
	second=$!
	rig repeat-$board-2 --board $board --scenario tests/guest/rxtx.sh --set N=300
	kill $first $second
	rc=0
	diff <(result repeat-$board-1) <(result repeat-$board-2) | sed 's/^/# /' || rc=1
	point $rc "$board: identical results, beside a busy host as well"
done
done_testing
