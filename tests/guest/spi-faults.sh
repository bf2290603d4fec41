#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What goes wrong below spi-bcm2835dma: a slave that never answers (chip select 1), errors and
# hangs of the DMA channels at each block of a message, an SPI block without clock, a core clock
# that changes. One message fails, with the right error; the next one is right.

. /rig/lib.sh
. /rig/spi-lib.sh

RX=$(dmesg | sed -n 's/.*DMA channels \([0-9]*\).*(rx).*/\1/p' | tail -n 1)
TX=$(dmesg | sed -n 's/.*(rx) and \([0-9]*\).*(tx)/\1/p' | tail -n 1)

# the counters that tell of trouble
trouble() {
	echo "$(stat timeouts) $(stat dma_errors) $(stat lost_interrupts)"
}

# fault NAME CHANNEL KIND SKIP ERRNO: a message fails, and only one
fault() {
	rigctl board 3 $(($2 | $3 << 8 | $4 << 16)) >/dev/null
	_said=$(spitest -l 14 2>&1) && {
		fail "$1: the message fails"
		return
	}
	case $_said in
	*"$5"*) ;;
	*)
		fail "$1: $5"
		diag "$_said"
		return
		;;
	esac
	is "$(rigctl board 8 8)" 1 "$1: chip select is inactive, $5"
	check "$1: the next messages are right" spitest -l 14,1-20,200
}

need_spi
# opening the device makes pins outputs
spitest -l 14

spitest -D /dev/spidev0.1 -S none -l 14 -n 20
is "$(trouble) $(stat messages)" "0 0 0 21" "a slave that never answers is nobody's fault"

for skip in 0 1 2 5 8; do
	fault "RX channel, read error at block $skip" "$RX" 1 $skip "Input/output error"
done
# the message is over then; nobody waits for a chain that ends with an interrupt
echo 0 >/sys/module/spi_bcm2835dma/parameters/spin_us
rigctl board 3 $((RX | 1 << 8 | 9 << 16)) >/dev/null
check "RX channel, read error in the tail: the message is right" spitest -l 14
echo 30 >/sys/module/spi_bcm2835dma/parameters/spin_us
fault "TX channel, read error" "$TX" 1 0 "Input/output error"
fault "RX channel, FIFO error" "$RX" 2 6 "Input/output error"
is "$(trouble)" "0 8 0" "eight errors of the DMA engine are counted"
for skip in 0 3 6 8; do
	fault "RX channel, hangs at block $skip" "$RX" 3 $skip "Connection timed out"
done
fault "TX channel, hangs" "$TX" 3 0 "Connection timed out"
fault "RX channel, hangs with writes under way" "$RX" 4 6 "Connection timed out"
is "$(trouble) $(stat aborts)" "6 8 0 14" "six hangs are counted, and fourteen aborts"

errata=$(((1 << 0) | (1 << 1)))
rigctl board 4 $((errata | 8)) >/dev/null
_said=$(spitest -l 14 2>&1)
case $_said in
*"Connection timed out"*) pass "no clock: the message ends with a timeout" ;;
*) fail "no clock: the message ends with a timeout: $_said" ;;
esac
echo 4096 >/sys/module/spi_bcm2835dma/parameters/pio_bytes
_said=$(spitest -l 14 2>&1)
case $_said in
*"Connection timed out"*) pass "no clock, by the CPU: the same" ;;
*) fail "no clock, by the CPU: the same: $_said" ;;
esac
rigctl board 4 "$errata" >/dev/null
check "by the CPU, with the clock back" spitest -l 14,1-20,200
is "$(rigctl board 8 8)" 1 "chip select is inactive"
echo 0 >/sys/module/spi_bcm2835dma/parameters/pio_bytes
check "by DMA again" spitest -l 14,1-20,200

before=$(trouble)
for hz in 100000000 250000000 400000000 100000000; do
	rigctl board 1 $hz >/dev/null
	check "core clock $hz Hz" spitest -l 1-40,1000,4096
	check "core clock $hz Hz, and 33 ms if it were 250 MHz" spitest -s 1000000 -l 4096
done
is "$(trouble)" "$before" "a slow clock is no timeout"
# 8 ms on the wire; the jiffies do not know of the time that the CPU stands still
for n in 1 2 3 4 5 6; do
	rigctl stall-at $n 200000000
	check "a CPU that stands still at access $n" spitest -s 100000 -l 100
	[ "$(rigctl stalled)" = no ] || stalled=$n
	rigctl stall-at 0 0
done
at_least "${stalled:-0}" 4 "it did stand still"
is "$(trouble)" "$before" "that is no timeout"
diag "$(dmesg | grep -c 'spi-bcm2835dma.*broken off') messages in the log"
is "$(stat depth)" 0 "nothing is left in the queue"
tap_done
