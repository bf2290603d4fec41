#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The kernel's own spi-bcm2835, bcm2835-dma and pinctrl-bcm2835, unmodified, judge the model of the
# Raspberry Pi: polled, by interrupt and by DMA, with the accesses that reading their source gives.
# CANPIPE_LONG=1: every length from 1 to 4096, on both kernels.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

guest=$RIG/../guest

spi() { # NAME SCENARIO OPTION...
	rig_later "$1" --board rpi --driver in-tree --scenario "$guest/$2.sh" "${@:3}"
}

lengths=1-300,511-513,1023-1025,4089-4096
[ -z "${CANPIPE_LONG:-}" ] || lengths=1-4096
spi spi-in-tree-6.1 spi --boardopt slave1=memory --set LENGTHS=$lengths \
	--set PHASES='lengths oneway messages modes speeds reload gpio'
spi spi-in-tree-6.12 spi --kernel 6.12 --boardopt slave1=memory --set LENGTHS=$lengths \
	--set PHASES='lengths oneway messages core gpio'
# the first Pi, with the other view of RAM; a Pi 4, whose DMA does not reach all of it
spi spi-in-tree-pi1 spi --profile pi1 --boardopt alias=0x40000000 --boardopt errata=none \
	--set PHASES='lengths modes' --set LENGTHS=1-150,4000
spi spi-in-tree-pi4 spi --profile pi4 --boardopt chip=bcm2711 --memory 2048 \
	--boardopt window=0x40000000 --boardopt slave1=memory --set PHASES='oneway bounce'
spi spi-in-tree-clients spi-clients --kernel 6.12 --dt client
spi spi-in-tree-count spi-count
spi spi-in-tree-again spi-count
settle

# per transfer, in a window
each() { # WINDOW NUMBER FILTER
	value spi-in-tree-count ".windows[\"$1\"].counters | ($3) / $2"
}

# about GOT WANT NAME: exact to a fiftieth; polls of a flag depend on where instructions end
about() {
	near "$1" "$2" "$(awk -v w="$2" 'BEGIN { print w / 50 }')" "$3"
}

# 14 bytes, polled: CS 3, CLK, DLEN and FIFO 14 written; GPIO twice, and once more when spidev is
# opened; FIFO 14 read, and CS until DONE
n=100
same "$(each short $n '.spi_writes_CS + .spi_writes_CLK + .spi_writes_DLEN + .spi_writes_FIFO')" 19 \
	"polled, 14 bytes: 19 writes to SPI0"
same "$(each short 1 '.gpio_writes_1c + .gpio_writes_28')" $((2 * n + 1)) \
	"polled, 14 bytes: chip select is set twice a message"
same "$(each short $n .spi_reads_FIFO)" 14 "polled, 14 bytes: 14 bytes are read"
about "$(each short $n '.reg_reads + .reg_writes')" 106 "polled, 14 bytes: about 106 accesses"
same "$(each short 1 .interrupts)" 0 "polled, 14 bytes: no interrupt"
about "$(each short $n .spi_cs_active_ns.sum)" 15000 "polled, 14 bytes: chip select is active for 15.0 us"
same "$(value spi-in-tree-count .windows.short.counters.spi_byte_gap_ns.min)" 104 \
	"polled, 14 bytes: one clock of rest between two bytes"
# the timer's tick may come just when the CPU fills the FIFO
about "$(value spi-in-tree-count '.windows.short.counters.spi_byte_gap_ns | .sum / .count')" 104 \
	"polled, 14 bytes: on average, too"

# 80 bytes by interrupt: RXR when 48 of the first 64 have been received, DONE at the end
n=50
same "$(each medium $n .spi_interrupts)" 2 "interrupt, 80 bytes: two interrupts"
same "$(each medium $n .interrupts)" 2 "interrupt, 80 bytes: the CPU has seen each"
same "$(each medium $n '.spi_reads_FIFO, .spi_writes_FIFO' | tr '\n' ' ')" '80 80 ' \
	"interrupt, 80 bytes: all go through the CPU"

# DMA: both channels interrupt; the CPU moves no byte. Read: CS, each channel's CONBLK_AD,
# BASIC_PENDING twice an interrupt, PENDING1 for channel 0 (channel 2 has a bit in BASIC_PENDING).
# Written: CS 3, CLK, DLEN 2, each channel's CONBLK_AD and CS 2, GPIO 2, mask and unmask 2 each
n=20
same "$(each long $n .dma_interrupts)" 2 "DMA, 4000 bytes: two interrupts"
same "$(each long $n .interrupts)" 2 "DMA, 4000 bytes: the CPU has seen each"
same "$(each long $n .dma_cbs)" 2 "DMA, 4000 bytes: two control blocks"
same "$(each long $n .dma_words)" 2000 "DMA, 4000 bytes: 1000 words each way"
same "$(each long $n .reg_reads)" 8 "DMA, 4000 bytes: 8 reads"
same "$(each long 1 .reg_writes)" $((18 * n + 1)) "DMA, 4000 bytes: 18 writes"
same "$(each long 1 .spi_byte_gap_ns.count)" 0 "DMA, 4000 bytes: no gap between bytes"
# 20 of them with all that a program costs; an idle loop that ran for each word would cost 25 million
near "$(value spi-in-tree-count .windows.long.instructions)" 4000000 2000000 \
	"DMA, 4000 bytes: the CPU sleeps meanwhile"
same "$(each send $n .spi_bytes)" 333 "DMA, sending only: 333 bytes"
same "$(each receive $n .spi_bytes)" 333 "DMA, receiving only: 333 bytes"
same "$(each receive $n .dma_interrupts)" 1 "DMA, receiving only: one interrupt"
same "$(value spi-in-tree-count '[.rig.fast_reads == .rig.reg_reads, .rig.fast_writes == .rig.reg_writes] | tostring')" \
	'[true,true]' "no access of the kernel's drivers goes through the socket"

rc=0
diff <(jq -S . "$RESULTS/spi-in-tree-count.json") <(jq -S . "$RESULTS/spi-in-tree-again.json") |
	sed 's/^/# /' || rc=1
point $rc "the same run twice: identical results"
done_testing
