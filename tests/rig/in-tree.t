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

rig_later intree-am335x --board am335x --driver in-tree --scenario tests/guest/rxtx.sh --set N="$N"
rig_later intree-pch --board pch --driver in-tree --scenario tests/guest/rxtx.sh --set N="$N" \
	--set PHASES=receive --peer tests/guest/receive.peer

for board in am335x pch; do
	rig_later intree-$board-rx --board $board --driver in-tree \
		--scenario tests/guest/rxtx.sh --set PHASES=receive --set N="$N" \
		--peer tests/guest/receive-paced.peer
	rig_later intree-$board-tx --board $board --driver in-tree \
		--scenario tests/guest/rxtx.sh --set PHASES=send8 --set N="$N" \
		--peer tests/guest/send8.peer
done
settle

# On a C_CAN its transmit ring takes a full one for an empty one when the first of 16 frames has
# not been sent yet: reported from an EG20T, and so it must be here.
"$RIG/run" --name intree-pch-overrun --board pch --driver in-tree --timeout 60 \
	--scenario tests/guest/rxtx.sh --set N=100 --set PHASES=send --peer tests/guest/send.peer \
	>/dev/null 2>&1 || :
rc=0
grep -q 'echo_skb 0 is occupied' "$TOP/build/rig/run/intree-pch-overrun/console" || rc=1
point $rc "pch: sending without a pause shows the known fault (echo_skb 0 is occupied)"

for board in am335x pch; do
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
