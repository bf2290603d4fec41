#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The life of spi-bcm2835dma under traffic, prepared messages (chip select 1) and spidev's (chip
# select 0): suspend, unbind and bind, removal of the module; its parameters; without DMA.
# ROUNDS: of unbind and bind.

. /rig/lib.sh
. /rig/spi-lib.sh

ROUNDS=${ROUNDS:-5}
DRIVER=/sys/bus/platform/drivers/spi-bcm2835dma
MODULE=spi-bcm2835dma

traffic() { # prepared messages and spidev's until stop_traffic
	prepared n=4000000000 k="${K:-3}" us="${US:-30}" len=20 bg=1 || fail "prepared messages start"
	rm -f /tmp/stop
	(
		while [ ! -e /tmp/stop ]; do
			spitest -l 14,1-10,1000 -n 3 >>/tmp/spitest 2>&1 || echo "exit $?" >>/tmp/spitest
		done
		echo end >>/tmp/spitest
	) &
	spidev=$!
	sleep 0.02
}

stop_spidev() {
	touch /tmp/stop
	wait $spidev
}

wrong_bytes() {
	grep -c -v -E ', 0 wrong|^exit|^end|: No such|spidev.*:|annot' /tmp/spitest
}

# kilobytes that the kernel holds in slabs
slab() {
	sleep 0.3
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.1
	awk '/^SUnreclaim:/ { print $2 }' /proc/meminfo
}

sleep_and_resume() {
	: >/tmp/spitest
	# more than a chain takes: some are always waiting
	K=20 US=10
	traffic
	K=3 US=30
	echo 0 >/sys/module/suspend/parameters/pm_test_delay 2>/dev/null
	before=$(stat messages)
	for i in 1 2 3; do
		echo devices >/sys/power/pm_test
		check "suspend and resume under traffic ($i)" sh -c 'echo freeze >/sys/power/state'
		sleep 0.02
	done
	stop_spidev
	# refused from the first suspend on: the client gives up
	prepared end=1 >/tmp/end 2>/dev/null && fail "prepared messages are refused in between"
	case $(cat /tmp/end) in
	*"wrong=0 disorder=0 not_hardirq=0 irqs_on=0 errors=0"*)
		fail "prepared messages that wait are given back: $(cat /tmp/end)" ;;
	*"wrong=0 disorder=0 not_hardirq=0 irqs_on=0"*"error=-108"*)
		pass "prepared messages: right, then given back" ;;
	*) fail "prepared messages: right, then given back: $(cat /tmp/end)" ;;
	esac
	is "$(grep -c ' 0 wrong' /tmp/spitest)/$(grep -c -v -E ' 0 wrong|^end' /tmp/spitest)" \
		"$(grep -c wrong /tmp/spitest)/0" "spidev's messages: right"
	at_least "$(($(stat messages) - before))" 20 "messages before and after"
	check "prepared messages after resume" prepared n=100 k=4 len=100
	check "spidev's messages after resume" spitest -l 1-40,1000
	is "$(stat timeouts) $(stat depth)" "0 0" "no timeout, nothing left in the queue"
	echo spi0.1 >"$PREPARED/driver/unbind"
}

unbind_round() {
	need_prepared
	traffic
	echo "$NAME" >$DRIVER/unbind || return 1
	[ ! -e /dev/spidev0.0 ] || return 1
	stop_spidev
	echo "$NAME" >$DRIVER/bind || return 1
	wait_for 5 test -e /dev/spidev0.0
}

unbind() {
	NAME=$(basename "$(readlink -f /sys/class/spi_master/spi0/device)")
	: >/tmp/spitest
	dmesg -c >/dev/null
	failed=0 i=0
	while [ $i -lt "$ROUNDS" ]; do
		unbind_round || failed=$((failed + 1))
		[ $i -ne 1 ] || first=$(slab)
		i=$((i + 1))
	done
	is $failed 0 "$ROUNDS times unbound and bound under traffic"
	grew=$(($(slab) - first))
	diag "slab memory grew by $grew kB"
	[ $grew -lt $((ROUNDS * 16 + 200)) ] && rc=pass || rc=fail
	$rc "no leak"
	is "$(dmesg | grep -c 'removed: over=[1-9][0-9]* wrong=0 disorder=0')" "$ROUNDS" \
		"prepared messages were right until the device went"
	is "$(wrong_bytes)" 0 "spidev's messages, too"
	check "spidev's messages afterwards" spitest -l 1-40,1000
}

unload() {
	need_prepared
	: >/tmp/spitest
	traffic
	rmmod $MODULE 2>/tmp/said && fail "a client of prepared messages holds the module"
	case $(cat /tmp/said) in
	*"in use"*) pass "a client of prepared messages holds the module" ;;
	*) fail "a client of prepared messages holds the module: $(cat /tmp/said)" ;;
	esac
	echo spi0.1 >"$PREPARED/driver/unbind"
	check "without it the module can be removed, under spidev's messages" rmmod $MODULE
	stop_spidev
	is "$(wrong_bytes)" 0 "which were right"
	check "it is gone" test ! -e /sys/module/spi_bcm2835dma
}

# refused NAME=VALUE WHAT
refused() {
	dmesg -c >/dev/null
	modprobe $MODULE "$1" 2>/dev/null && rmmod $MODULE && fail "$1 is refused" && return
	case $(dmesg) in
	*"$2"*) pass "$1 is refused: $2" ;;
	*) fail "$1 is refused: $(dmesg)" ;;
	esac
}

parameters() {
	refused batch=0 "batch=0 is not a number from 1 to 64"
	refused batch=many "batch=many is not a number from 1 to 64"
	refused pio_bytes=4097 "pio_bytes=4097 is not a number from 0 to 4096"
	refused dma=perhaps "dma=perhaps is neither Y nor N"
	check "batch=1" modprobe $MODULE batch=1
	wait_for 5 test -e /dev/spidev0.0
	need_prepared
	before=$(stat interrupts)
	check "each message has its own interrupt" prepared n=60 k=4 us=200
	is $(($(stat interrupts) - before)) 60 "60 messages, 60 interrupts"
	echo spi0.1 >"$PREPARED/driver/unbind"
	rmmod $MODULE
}

without_dma() {
	dmesg -c >/dev/null
	check "dma=N" modprobe $MODULE dma=N
	wait_for 5 test -e /dev/spidev0.0
	is "$(dmesg | grep -c 'spi-bcm2835dma.*by the CPU')" 1 "that is said once"
	need_prepared
	is "$(cat "$PREPARED/prepare")" 0 "messages cannot be prepared"
	check "data by the CPU" spitest -l 1-200,1000,4096
	check "data by the CPU, modes" spitest -m 3 -l 1-70
	check "data by the CPU, cs_change and delays" spitest -x 3 -c -u 5 -l 1-30
	check "data by the CPU, slow" spitest -s 50000 -l 1-5,100
	is "$(stat dma) $(stat messages) $(stat interrupts)" "0 0 0" "nothing by DMA, no interrupt"
	at_least "$(stat pio_messages)" 300 "all of it by the CPU"
	echo spi0.1 >"$PREPARED/driver/unbind"
	rmmod $MODULE
	check "with DMA again" modprobe $MODULE
	wait_for 5 test -e /dev/spidev0.0
	check "data by DMA" spitest -l 1-40,1000
}

need_spi
need_prepared
# not what happens at boot: the pins become outputs before anybody has set their levels
rigctl measure start
sleep_and_resume
unbind
unload
parameters
without_dma
no_spi_faults "all of it"
tap_done
