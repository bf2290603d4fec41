#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Transmission: in the order of the queue and once, frame and echo, under lost arbitration and
# destroyed frames; and without a gap when nothing of this happens.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

N=${N:-3000}

# A lap of the ring is this many frames (C_CAN_TX_OBJECTS).
LAP=8

for board in am335x pch; do
	rig_later $board-tx-order --board $board --scenario tests/guest/tx-order.sh --set N="$N" \
		--set RIVALS=$((N / 2))
	rig_later $board-saturate --board $board --scenario tests/guest/rxtx.sh --set N="$N" \
		--set PHASES=send --peer tests/guest/send.peer
done
# no such run on the EG20T: its transmit ring gets stuck (in-tree.t)
rig_later am335x-saturate-in-tree --board am335x --driver in-tree \
	--scenario tests/guest/rxtx.sh --set N="$N" --set PHASES=send --peer tests/guest/send.peer
settle

# at_most FOUND LIMIT NAME, at_least FOUND LIMIT NAME: numbers
at_most() {
	local rc=0
	awk -v f="$1" -v l="$2" 'BEGIN { exit !(f != "" && f <= l) }' || rc=1
	point $rc "$3"
	[ $rc -eq 0 ] || printf "# got '%s', want at most %s\n" "$1" "$2"
}

at_least() {
	local rc=0
	awk -v f="$1" -v l="$2" 'BEGIN { exit !(f != "" && f >= l) }' || rc=1
	point $rc "$3"
	[ $rc -eq 0 ] || printf "# got '%s', want at least %s\n" "$1" "$2"
}

for board in am335x pch; do
	name=$board-tx-order
	lost=$(value $name .rig.bus.arbitration_lost)
	errors=$(value $name .rig.bus.errors)
	printf '# %s: %s times arbitration lost, %s frames destroyed\n' $name "$lost" "$errors"
	at_least "$lost" $((N / 2)) "$board: arbitration was lost often"
	at_least "$errors" $((N / 40)) "$board: frames were destroyed"
done

# What is left of the bus: gaps between the first and the last frame (the last one's intermission
# of 3 us is busy, too), and how many laps of the ring have one. The share is without the longest
# gap: once in a run the CPU may be elsewhere until the ring is empty. Where the ring begins anew the
# request must come within 3 us. On the EG20T a CPU that wakes needs 1.1 to 1.7 us to get into the
# handler and 1.4 us to look at INT, so there is hardly a lap without a gap or just none, and what
# counts is how long they are.
# shellcheck disable=SC2016 # a variable of jq
idle='.rig.bus | (.last_eof + 3000 - .first_sof - .max_gap_ns) as $t | 100 * (1 - .busy_ns / $t)'
for run in am335x-saturate pch-saturate am335x-saturate-in-tree; do
	share=$(value $run "$idle") gaps=$(value $run .rig.bus.gaps)
	declare "idle_${run//-/_}=$share" "gaps_${run//-/_}=$gaps"
	printf '# %s: %s gaps in %s frames, the longest %s us; the bus is idle for %.3f %%\n' \
		$run "$gaps" "$N" "$(value $run '.rig.bus.max_gap_ns / 1000')" "$share"
done
# shellcheck disable=SC2154
{
	at_most "$idle_am335x_saturate" 0.05 "am335x: 0-byte frames leave 0.05 % of the bus idle"
	at_most "$idle_pch_saturate" 0.1 "pch: 0-byte frames leave 0.1 % of the bus idle"
	at_most "$gaps_am335x_saturate" $((10 * N / LAP / 100)) \
		"am335x: at most 10 % of the ring's laps have a gap"
}
done_testing
