#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Reception cases of the MCP2515, ours and the kernel's own driver: ours has to pass, the table at
# the end says what the other one does.
#
#   T1   a full bus, of each kind of frame            T2   a frame ends between two reads
#   T3   a frame ends during a read                   T4   latency of the interrupt
#   T5   INT is stuck, or an edge is lost             T19  the reader is slow, the queue is full
#   T20  timestamps                                   T25  a slow SPI clock
#
# CANPIPE_LONG=1: a million frames of each kind, sweeps in finer steps, the slowest Pi, the kernel's
# SPI driver, the other driver with an edge, too.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
# shellcheck source-path=SCRIPTDIR source=lib/cases.sh
. "$RIG/lib/cases.sh"

guest=$RIG/../guest
n=500 positions=3 stalls=10 long=''
if [ -n "${CANPIPE_LONG:-}" ]; then
	n=${CASES_N:-1000000} positions=1 stalls=5 long=1
fi

# T2: a frame, a pause, two frames; pauses of 1, 2, 3 us ... over three frame times
sweep() { # SIGNAL LAST_US
	local us
	printf 'wait signal %s\nstart\n' "$1"
	for ((us = 1; us <= $2; us++)); do
		printf 'send count=1 id=0x000..0x7ff%s\nwait %sus\n' "$([ "$us" -gt 1 ] || printf ' first=0')" "$us"
		printf 'send count=2 id=0x000..0x7ff\nwait 400us\n'
	done
	printf 'stop\n'
}

peers=$(mktemp -d)
on_cases_exit() {
	on_table_exit
	rm -r "$peers"
}
trap on_cases_exit EXIT
options=(--scenario "$guest/mcp251x-cases.sh" --boardopt slave0=mcp2515 --bitrate 500000
	--set "N=$n" --set "POSITIONS=$positions" --set "STALLS=$stalls"
	--set SWEEP_500K=870 --set SWEEP_1M=435
	--timeout $((long ? 36000 : 300)))
cp "$guest"/mcp251x-cases.peer "$guest"/mcp251x-cases.*.peer "$peers"
sweep 7 290 >>"$peers/mcp251x-cases.peer"
sweep 17 145 >>"$peers/mcp251x-cases.fast.peer"
sweep 17 145 >>"$peers/mcp251x-cases.fast.peer"
for peer in "$peers"/*; do
	options+=(--peer "$peer")
done

both mcp251x-cases "${options[@]}"
compared mcp251x-cases-edge "${options[@]}" --dt edge --set "N=60" \
	--set PHASES='fast full sweep positions int'
if [ -n "$long" ]; then
	ours_stock mcp251x-cases "${options[@]}"
	both mcp251x-cases-pi1 "${options[@]}" --profile pi1 --set PHASES='full'
fi
settle
# INT is low all the time, with nothing to be done: no storm
for run in mcp251x-cases-ours mcp251x-cases-in-tree; do
	share=$(value $run '.windows.T5_low | .busy_ns * 100 / .virtual_ns | floor')
	good=pass
	[ "$share" -lt 50 ] || good=FAIL
	verdict $run "T5/CPU while INT is stuck low" $good "$share %"
	if [ $run = mcp251x-cases-ours ]; then
		rc=0
		[ $good = pass ] || rc=1
		point $rc "T5: no storm while INT is stuck low, CPU $share %"
	fi
done
account mcp251x-cases-ours
account mcp251x-cases-in-tree
cases_table "${runs[@]}"
done_testing
