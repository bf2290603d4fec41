#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# T7 of tests/rig/mcp251x-cases-bus.t, in real time: the interrupt moves from CPU to CPU while frames
# come. Order and accounting only: real time is slow, so that nothing is said about losses.
# shellcheck disable=SC2154 # listener is mcp251x-lib.sh's

. /rig/lib.sh
. /rig/mcp251x-lib.sh

N=${N:-160}

# of the board, on each CPU
cpus() {
	awk '/rig-intc/ { print $2, $3 }' /proc/interrupts
}

need_can0
can_up || bail "can0 does not come up"
# Debian's irq/NN-... of a driver with a thread; the interrupts of all
threads=$(pgrep -d ' ' 'irq/.*(spi0|can0|mcp251x)' || :)
listen -n "$N" -t 2000 -f 123
(
	while :; do
		for cpu in 1 2; do
			for irq in /proc/irq/[0-9]*; do
				echo $cpu >"$irq/smp_affinity" || :
			done
			for thread in $threads; do
				taskset -p $cpu "$thread" || :
			done
			sleep 0.001
		done
	done
) >/dev/null 2>&1 &
mover=$!
packets=$(stat_of rx_packets)
rigctl signal 1
wait "$listener"
kill $mover
packets=$(($(stat_of rx_packets) - packets))
[ "$(of_listener swapped) $(of_listener duplicated)" = "0 0" ] &&
	[ "$(of_listener received)" = "$packets" ] && [ "$packets" -gt $((N / 4)) ] &&
	[ "$(cpus | awk '{ print ($1 > 20 && $2 > 20) }')" = 1 ]
judge T7 "two CPUs, the interrupt moves every ms" $? "$(figures), counted as received $packets; interrupts of the two CPUs: $(cpus)"
cases_done
