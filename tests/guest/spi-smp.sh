#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# spi-bcm2835dma with several CPUs, in real time: prepared messages that a timer and their own ends
# submit, spidev from all CPUs, messages queued by a client in the kernel (--dt client), the
# interrupt moving from CPU to CPU, unbind and removal in the midst of it. Data, order and what the
# kernel says; nothing about time. ROUNDS: of unbind and bind; N: prepared messages of each kind.

. /rig/lib.sh
. /rig/spi-lib.sh

N=${N:-1000}
ROUNDS=${ROUNDS:-3}
DRIVER=/sys/bus/platform/drivers/spi-bcm2835dma

move_interrupts() {
	while :; do
		for cpu in 1 2; do
			for irq in /proc/irq/[0-9]*; do
				echo $cpu >"$irq/smp_affinity" || :
			done
			sleep 0.001
		done
	done
}

# spidev's messages from each CPU until stop_spidev; what they say goes to /tmp/spidev.CPU
start_spidev() {
	rm -f /tmp/stop /tmp/spidev.*
	users=''
	for cpu in 0 1; do
		(
			while [ ! -e /tmp/stop ]; do
				taskset -c $cpu spitest -l 14,1-20,300,1000 -n 2 >>/tmp/spidev.$cpu 2>&1 || :
			done
		) &
		users="$users $!"
	done
}

stop_spidev() {
	touch /tmp/stop
	# shellcheck disable=SC2086 # a list
	wait $users
}

spidev_right() { # WHAT
	at_least "$(cat /tmp/spidev.* | grep -c ', 0 wrong')" 1 "$1: spidev's messages are run"
	is "$(cat /tmp/spidev.* | grep -E -c ', [1-9][0-9]* wrong')" 0 "$1: none of them is wrong"
}

# together NAME WORD...: prepared messages beside spidev's
together() {
	name=$1
	shift
	n=$1
	start_spidev
	# on a host that is busy the timer may find the end of a chain before the interrupt comes
	prepared "$@" >/dev/null 2>&1 || :
	case $(cat "$PREPARED/result") in
	"over=${n#n=} wrong=0 disorder=0 not_hardirq="*" irqs_on=0 errors=0 error=0 refused=0 "*)
		pass "$name: prepared messages, in order" ;;
	*)
		fail "$name: prepared messages, in order: $(cat "$PREPARED/result")" ;;
	esac
	stop_spidev
	spidev_right "$name"
}

round() {
	need_prepared
	prepared n=4000000000 k=4 len=40 bg=1 || return 1
	start_spidev
	sleep 0.2
	echo "$NAME" >$DRIVER/unbind || return 1
	stop_spidev
	echo "$NAME" >$DRIVER/bind || return 1
	wait_for 5 test -e /dev/spidev0.0
}

# client WORD...: messages queued by the kernel (tests/rig/glue/spi-client.c), beside spidev's
client() {
	printf '%s\n' "$*" >"$PREPARED/run" || return 1
	read -r _messages _bytes _wrong _disorder _ <"$PREPARED/result"
	is "$_wrong $_disorder" "0 0" "queued, $1: $_messages messages, in order"
}

queued() {
	wait_for 10 test -e "$PREPARED/run" || bail "no client at chip select 1: run with --dt client"
	ahead=$(stat ahead)
	start_spidev
	client burst $((N / 20)) 14 10000000 50 3 || fail "short bursts"
	client hardirq $((N / 20)) 20 10000000 100 8 || fail "bursts from hard irq"
	client mix $((N / 20)) 100 10000000 20 8 || fail "a mixture"
	stop_spidev
	spidev_right "queued"
	at_least $(($(stat ahead) - ahead)) $((N / 20)) "queued: they follow each other"
	at_least "$(stat polled)" 1 "queued: the CPU waits for some of them"
}

# spidev's messages go through the queue, too, as long as there are others
queued_round() {
	start_spidev
	echo "mix 300 30 10000000 0 8" >"$PREPARED/run" &
	queue=$!
	sleep 0.1
	echo "$NAME" >$DRIVER/unbind || return 1
	wait $queue || return 1
	stop_spidev
	echo "$NAME" >$DRIVER/bind || return 1
	wait_for 5 test -e "$PREPARED/run"
}

need_spi
is "$(nproc)" "$RIG_SMP" "the guest has $RIG_SMP CPUs"
NAME=$(basename "$(readlink -f /sys/class/spi_master/spi0/device)")
move_interrupts 2>/dev/null &
mover=$!
rigctl measure start
queued
failed=0 i=0
while [ $i -lt "$ROUNDS" ]; do
	queued_round || failed=$((failed + 1))
	i=$((i + 1))
done
is $failed 0 "$ROUNDS times unbound and bound under queued messages"
is "$(cat /tmp/spidev.* | grep -E -c ', [1-9][0-9]* wrong')" 0 "spidev's are right"
need_prepared
together "eight at once" n="$N" k=8 len=40
together "one after the other, each length" n="$N" len=1024
together "from a timer" n="$N" k=6 us=100 len=60
together "silent, from a timer that looks" n="$N" k=4 us=150 len=40 silent=1
together "a chip select that stays active" n="$N" k=2 us=50 keep=1
# so long that the timer finds the end of the next chain on the other CPU
together "slow to be told" n=$((N / 5)) k=8 us=3000 slow=4000
failed=0 i=0
dmesg -c >/dev/null
while [ $i -lt "$ROUNDS" ]; do
	round || failed=$((failed + 1))
	i=$((i + 1))
done
is $failed 0 "$ROUNDS times unbound and bound under traffic"
at_least "$(dmesg | grep -c 'removed: over=[1-9][0-9]* wrong=0 disorder=0')" "$ROUNDS" \
	"prepared messages were right until the device went"
is "$(dmesg | grep -c -E 'removed: .*(wrong|disorder)=[1-9]')" 0 "each time"
is "$(cat /tmp/spidev.* | grep -E -c ', [1-9][0-9]* wrong')" 0 "spidev's, too"
start_spidev
sleep 0.1
check "the module is removed under traffic" rmmod spi-bcm2835dma
stop_spidev
check "and loaded again" modprobe spi-bcm2835dma
wait_for 5 test -e /dev/spidev0.0
check "data is right" spitest -l 1-40,1000
kill $mover
is "$(stat timeouts) $(stat aborts) $(stat depth)" "0 0 0" "no timeout, nothing left in the queue"
no_spi_faults "all of it"
tap_done
