#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Interface and driver come and go under full load: nothing hangs, leaks or warns.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

flood=(--peer tests/guest/flood.peer --peer tests/guest/flood.ack.peer)

for board in am335x pch; do
	rig_later $board-updown --board $board --scenario tests/guest/updown.sh "${flood[@]}" \
		--set ROUNDS="${ROUNDS:-100}"
	rig_later $board-rmmod --board $board --scenario tests/guest/rmmod.sh "${flood[@]}" \
		--set ROUNDS="${RMMODS:-20}"
done
done_testing
