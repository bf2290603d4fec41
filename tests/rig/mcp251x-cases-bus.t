#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Cases of the MCP2515 with two chips, with faults, with its life cycle: ours and the kernel's own
# driver; ours has to pass, the table at the end says what the other one does.
#
#   T6   two chips, both buses full                   T7   the interrupt moves between CPUs
#   T12  a chip in any state, or none                 T13  crystals and bit rates
#   T14  every kind of frame, bit by bit              T16  down, unbind, rmmod, suspend under traffic
#   T17  SPI that lies                                T21  canfdtest
#   T26  no memory
#
# CANPIPE_LONG=1: more rounds, all crystals, a shared INT, and what the other one does.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"
# shellcheck source-path=SCRIPTDIR source=lib/cases.sh
. "$RIG/lib/cases.sh"

guest=$RIG/../guest
n=400 rounds=2 loops=200 long=''
[ -z "${CANPIPE_LONG:-}" ] || n=100000 rounds=1000 loops=1000000 long=1
chips=(--scenario "$guest/mcp251x-cases-two.sh" --boardopt slave=mcp2515 --dt mcp2515-1
	--bitrate 500000 --set "N=$n" --set "LOOPS=$loops" --timeout $((long ? 36000 : 300)))
can1=$(mktemp)
on_bus_exit() {
	on_table_exit
	rm "$can1"
}
trap on_bus_exit EXIT
sed "s/@N:400@/$n/" "$guest/mcp251x-cases-two.can1" >"$can1"
compared mcp251x-cases-two "${chips[@]}"
compared mcp251x-cases-full "${chips[@]}" --boardopt "can1-peer=$can1" --set CAN1_RATE=250000 \
	--set PHASES=full
life=(--scenario "$guest/mcp251x-cases-life.sh" --boardopt slave0=mcp2515 --bitrate 500000
	--set "ROUNDS=$rounds" --timeout $((long ? 36000 : 300)))
compared mcp251x-cases-life "${life[@]}"
compared mcp251x-cases-8mhz "${life[@]}" --boardopt osc=8000000 --boardopt speed=25000000 \
	--boardopt mode-delay=5000000 --set 'PHASES=state rates'
compared mcp251x-cases-smp --scenario "$guest/mcp251x-cases-smp.sh" --boardopt slave0=mcp2515 \
	--clock wall --smp 2
if [ -n "$long" ]; then
	for mhz in 12 20 25; do
		both mcp251x-cases-${mhz}mhz "${life[@]}" --boardopt osc=${mhz}000000 --set PHASES=rates
	done
	both mcp251x-cases-shared "${chips[@]}" --boardopt "can1-peer=$can1" --set CAN1_RATE=250000 \
		--dt shared-int --boardopt int=shared --set PHASES=full
fi
settle

# Nothing may be said to a chip whose driver is not there; nor before its oscillator runs.
same "$(value mcp251x-cases-life-ours '[.windows | to_entries[] | select(.key | startswith("T16_unbound")) | .value.counters.cs0_spi_selects] | add, length > 0' | tr '\n' ' ')" \
	"0 true " "T16: no SPI after unbind"
same "$(value mcp251x-cases-8mhz-ours '.windows.T12.counters | "\(.cs0_spi_ignored) \(.cs0_spi_fast_bytes) \(.cs0_fault_period)"')" \
	"0 0 0" "T12, T13: SPI of 25 MHz was asked for: no byte above 10 MHz, none that the chip does not hear"
unprovoked T7 "PREEMPT_RT" "the rig has no such kernel; and real time is too slow here to say anything of losses"
unprovoked T15 "the effect of triple sampling" "the model's wire has no errors of single samples"
cases_table "${runs[@]}"
done_testing
