#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel's own driver, unmodified, judges the model: it works, with the accesses that reading its source gives.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

N=${N:-500}

# Register accesses for an 8-byte frame, alone in its interrupt, with one look at the busy flag
# of each transfer: counted in the source of the driver.
declare -A expected=([am335x-rx]=15 [am335x-tx]=17 [pch-rx]=23 [pch-tx]=23)

# Looks at the busy flag after the first: how long a transfer takes is the chip's business.
polls='[.rig.counters.registers | (.IF1_CMDREQ, .IF2_CMDREQ) | values | .r - .w] | add'

for board in am335x pch; do
	rig intree-$board --board $board --driver in-tree --scenario tests/guest/rxtx.sh \
		--set N="$N"
	rig intree-$board-rx --board $board --driver in-tree --scenario tests/guest/rxtx.sh \
		--set PHASES=receive --set N="$N" --peer tests/guest/receive-paced.peer
	rig intree-$board-tx --board $board --driver in-tree --scenario tests/guest/rxtx.sh \
		--set PHASES=send8 --set N="$N" --peer tests/guest/send8.peer
	for way in rx tx; do
		name=intree-$board-$way
		all=$(value $name '(.reg_reads + .reg_writes) / .sent')
		again=$(value $name "($polls) / .sent")
		printf '# %s: %s accesses a frame, %s of them further looks at the busy flag\n' \
			$name "$all" "$again"
		near "$(value $name "(.reg_reads + .reg_writes - ($polls)) / .sent")" \
			"${expected[$board-$way]}" 1 \
			"$board: about ${expected[$board-$way]} accesses for a frame ($way)"
	done
done
done_testing
