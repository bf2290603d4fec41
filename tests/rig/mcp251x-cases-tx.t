#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Transmission cases of the MCP2515, ours and the kernel's own driver: ours has to pass, the table at
# the end says what the other one does.
#
#   T8   order among rivals and errors                T9   a full bus of our frames
#   T10  nobody acknowledges                          T11  bus-off and restart
#   T15  listen-only, loopback, one-shot, samples     T18  erratum 5: a chip select that is too long
#
# CANPIPE_LONG=1: 100000 frames, 1000 bus-offs, and what the other one does.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
# shellcheck source-path=SCRIPTDIR source=lib/cases.sh
. "$RIG/lib/cases.sh"

guest=$RIG/../guest
n=400 laps=1 long=''
[ -z "${CANPIPE_LONG:-}" ] || n=100000 laps=66 long=1
options=(--scenario "$guest/mcp251x-cases-tx.sh" --boardopt slave0=mcp2515 --bitrate 500000
	--boardopt can-errata=repeat --set "N=$n" --set "RIVALS=$((n * 5 / 8))"
	--set "NOISE=$(((n + 120) / 130))" --set "LAPS=$laps" --timeout $((long ? 36000 : 300)))
compared mcp251x-cases-tx "${options[@]}"
repeat=(--scenario "$guest/mcp251x-cases-repeat.sh" --boardopt slave0=mcp2515 --kernel 6.12
	--boardopt can-errata=repeat --dt cs-hold)
compared mcp251x-cases-repeat3 "${repeat[@]}" --dt mode3 --set 'MODE=SPI mode 1,1'
if [ -n "$long" ]; then
	both mcp251x-cases-repeat0 "${repeat[@]}" --set 'MODE=SPI mode 0,0'
	ours_stock mcp251x-cases-tx "${options[@]}"
fi
settle

# Gaps longer than the 3 bits of the intermission: one of 12, and six while there is not yet a queue, or
# cangen is late once
gaps() { # RUN WINDOW
	local frames gaps good=pass
	read -r frames gaps < <(value "$1" ".windows[\"$2\"] | \"\(.bus.frames // 0) \(.bus.gaps // 999)\"")
	[ "$gaps" -le $((frames / 12 + 6)) ] || good=FAIL
	verdict "$1" "T9/${2#T9_}: gaps of 3 bits, 11 of 12" $good \
		"longer ones $gaps of $frames, the longest $(value "$1" ".windows[\"$2\"].bus.max_gap_ns // 0 | . / 1000 | floor") us"
	[[ $1 = *-in-tree ]] || same $good pass "T9 $2: 11 of 12 gaps are the intermission"
}

for run in mcp251x-cases-tx-ours ${long:+mcp251x-cases-tx-in-tree}; do
	for window in T9_500k_0 T9_500k_8 T9_1M_0 T9_1M_8; do
		gaps "$run" $window
	done
done
# what rivals and errors are there has to be seen in the chip
same "$(value mcp251x-cases-tx-ours '.windows.T8.counters | (.cs0_tx_lost > 10 and .cs0_tx_errors > 5)')" true \
	"T8: arbitration was lost, frames were destroyed"
same "$(value mcp251x-cases-tx-ours '[.windows[].counters | .cs0_tx_busy_writes, .cs0_spi_ignored, .cs0_tx_repeated] | add')" 0 \
	"no buffer is written that is on its way, nothing during the start of the oscillator, nothing twice"
same "$(value mcp251x-cases-tx-ours '.windows.T15_oneshot.counters | .cs0_tx_errors')" 1 \
	"T15: one attempt in one-shot mode"
cases_table "${runs[@]}"
done_testing
