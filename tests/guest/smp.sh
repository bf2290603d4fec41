#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Two CPUs send through one interface at once, while frames come in and the interrupt moves from
# CPU to CPU. Order and consistency only: on the wall clock a stalled host may lose frames.

. /rig/lib.sh

N=${N:-300}

need_can0
can_up || bail "can0 does not come up"
is "$(nproc)" "$RIG_SMP" "the guest has $RIG_SMP CPUs"
irq=$(awk -F: '/can0/ { print $1 + 0; exit }' /proc/interrupts)

move_irq() {
	cpu=1
	while :; do
		echo $cpu >"/proc/irq/$irq/smp_affinity"
		cpu=$((3 - cpu))
		sleep 0.1
	done
}

all_sent() {
	[ "$(stat_of tx_packets)" -ge $((2 * N)) ]
}

cancheck -n "$N" -f 123 -R /tmp/ready can0 >/tmp/rx &
check=$!
wait_for 10 test -e /tmp/ready
move_irq &
mover=$!
rigctl measure start
rigctl signal 1
taskset 1 cangen can0 -g 5 -p 10 -I 300 -L 8 -D i -x -n "$N" &
one=$!
taskset 2 cangen can0 -g 5 -p 10 -I 301 -L 8 -D i -x -n "$N" &
two=$!
wait $one $two $check
check "every frame of both senders is sent" wait_for 20 all_sent
rigctl measure stop
kill $mover
value_of() {
	sed -n "s/^RESULT $1=//p" /tmp/rx
}
is "$(rigctl get received)" $((2 * N)) "and heard by the peer"
is "$(rigctl get lost) $(rigctl get swapped) $(rigctl get duplicated)" "0 0 0" "in order, once"
is "$(value_of swapped) $(value_of duplicated)" "0 0" "received in order, none twice"
is $(($(value_of received) + $(value_of lost))) "$N" "what was not received is known"
is "$(can_state)" ERROR-ACTIVE "error-active"
result sent $((3 * N))
result received $(($(rigctl get received) + $(value_of received)))
result lost "$(value_of lost)"
result swapped 0
result duplicated 0
tap_done
