#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Prepared messages of spi-bcm2835dma, from hard irq (tests/rig/spiclient) at chip select 1, with
# and without spidev's messages at chip select 0. Behind both is a loopback. N: messages. HAMMER: of
# those that run beside spidev's.

. /rig/lib.sh
. /rig/spi-lib.sh

N=${N:-2000}
HAMMER=${HAMMER:-$N}

need_spi
need_prepared
rigctl measure start
check "one message" prepared n=1
check "each length, one after the other" prepared n=1024 len=1024
check "$N messages, each submitted in the completion of the one before" prepared n="$N"
check "eight at once" prepared n="$N" k=8 len=40
check "from a timer, faster than they can be run" prepared n="$N" k=4 us=10

# Silent ones: 14 bytes take 16 us, so that they are over when the timer looks after 100 us, but not
# after 10 us; then their ends interrupt. What nobody looks for is found by the driver's own timer.
interrupts=$(stat interrupts) polled=$(stat polled)
check "silent, looked for when they are over" prepared n=500 silent=1 us=100 fixed=1
is "$(($(stat interrupts) - interrupts)) $(($(stat polled) - polled))" "0 500" "no interrupt"
check "silent, looked for too early" prepared n="$N" silent=1 us=10 k=2
at_least "$(($(stat interrupts) - interrupts))" $((N / 8)) "interrupts tell"
check "silent, of one length after the other" prepared n="$N" silent=1 us=150 k=8 len=40
interrupts=$(stat interrupts)
prepared n=3 silent=1 >/dev/null 2>&1 || :	# not told in hard irq
is "$(sed 's/ not_hardirq=3 .*//' "$PREPARED/result")" "over=3 wrong=0 disorder=0" \
	"silent, and nobody looks"
is "$(($(stat interrupts) - interrupts)) $(stat lost_interrupts)" "0 0" "the timer has"
check "two transfers, chip select inactive between" prepared n=500 k=3 xfers=2 len=77
check "with delays" prepared n=200 k=2 xfers=2 delay=20
check "1 MHz" prepared n=200 hz=1000000 k=2

# A chip select that stays active ends with the next message of another device, whoever does that.
level() { rigctl board 8 7; }
check "chip select stays active" prepared n=3 keep=1
is "$(level)" 0 "it is"
check "then another device, by DMA" spitest -l 14
is "$(level)" 1 "it is not any more"
check "chip select stays active again" prepared n=3 keep=1
echo 4096 >/sys/module/spi_bcm2835dma/parameters/pio_bytes
check "then another device, by the CPU" spitest -l 14
echo 0 >/sys/module/spi_bcm2835dma/parameters/pio_bytes
is "$(level) $(stat pio_messages)" "1 1" "it is not any more"
prepared n=500 k=2 us=30 keep=1 bg=1
check "both by turns" spitest -l 14 -n 100
check "with right data" prepared end=1
spitest -l 14
is "$(level)" 1 "inactive at the end"

# The bus is full of prepared messages; an ordinary one waits for a few of them, and for the CPU.
prepared n=4000000000 k=16 len=100 fixed=1 bg=1
check "spidev on a bus full of prepared messages" spitest -l 14 -n 50
# shellcheck disable=SC2154 # of check
diag "$_out"
longest=$(printf '%s\n' "$_out" | sed -n 's/.*max \([0-9]*\)$/\1/p')
at_least 3000000 "$longest" "it waits for 3 ms at most"
at_least "$longest" 200000 "and does have to wait"
before=$(stat prepared)
sleep 0.01
at_least $(($(stat prepared) - before)) 50 "the prepared messages go on"
# the end: the client's device goes
echo spi0.1 >"$PREPARED/driver/unbind"
need_prepared
is "$(dmesg | grep -c 'removed: over=[0-9]\{3,\} wrong=0 disorder=0 error=0')" 1 "all of them were right"

before=$(stat compiled)
check "ordinary messages, optimised" prepared opt=1 n=200 len=33
is $(($(stat compiled) - before)) 1 "compiled once"
check "ordinary messages, optimised, not by copies" prepared opt=1 n=3 len=1000

before=$(stat prepared)
prepared n="$HAMMER" k=3 us=30 bg=1
rounds=0
while spitest -l 1-100,200-220,1000 -n 2 >/tmp/spitest; do
	rounds=$((rounds + 1))
	[ $(($(stat prepared) - before)) -lt "$HAMMER" ] || break
done
is "$(wc -l </tmp/spitest) $(grep -c ', 0 wrong' /tmp/spitest)" "1 1" \
	"spidev's messages meanwhile, $rounds times 244"
cat /tmp/spitest
check "$HAMMER messages, beside spidev's" prepared end=1
diag "$(cat "$PREPARED/result")"
is $(($(stat prepared) - before)) "$HAMMER" "the statistics know them"
is "$(stat depth)" 0 "nothing is left in the queue"
is "$(stat timeouts) $(stat dma_errors) $(stat lost_interrupts) $(stat pio_messages)" "0 0 0 1" \
	"no timeout, no error, no interrupt lost, nothing else by the CPU"
# shellcheck disable=SC2086 # a pattern
diag "$(cat $STATISTICS | tr '\n' ' ')"
at_least "$(stat appends)" 1000 "messages were linked to running chains"
at_least "$(stat late_appends)" 1 "some of them too late, which is no harm"
rigctl measure stop
no_spi_faults "prepared messages"
tap_done
