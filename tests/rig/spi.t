#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# spi-bcm2835dma on a Raspberry Pi: every byte right, through spidev and by prepared messages, and
# what a message costs, beside the kernel's own driver.
# CANPIPE_LONG=1: every length from 1 to 4096, and 1,000,000 prepared messages beside spidev's.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

guest=$RIG/../guest
lengths=1-50,1023-1025,4093-4096
timeout=300
hammer=2000
if [ -n "${CANPIPE_LONG:-}" ]; then
	lengths=1-4096
	timeout=7200
	hammer=1000000
fi

spi() { # NAME SCENARIO OPTION...
	rig_later "$1" --board rpi --scenario "$guest/$2.sh" --timeout "$timeout" "${@:3}"
}

spi spi-6.1 spi --boardopt slave1=memory --set LENGTHS=$lengths
[ -z "${CANPIPE_LONG:-}" ] ||
	spi spi-6.12 spi --kernel 6.12 --boardopt slave1=memory --set LENGTHS=$lengths
# a Pi 4, whose DMA does not reach all of RAM, with a clean SPI block
spi spi-pi4 spi --profile pi4 --kernel 6.12 --boardopt chip=bcm2711 --memory 2048 \
	--boardopt window=0x40000000 --boardopt slave1=memory --boardopt errata=none \
	--set PHASES='oneway messages bounce'
# chip selects without GPIO, as in the mainline device trees; and no DMA channels
spi spi-native-cs spi --dt spi-dma --dt native-cs --set PHASES='messages modes'
spi spi-no-dma spi --dt spi-dma --dt no-dma --set PHASES=messages
spi spi-prepared spi-prepared --set HAMMER=$hammer
# as with PREEMPT_RT: handlers become threads, unless they refuse
spi spi-prepared-6.12 spi-prepared --kernel 6.12 --append threadirqs \
	--boardopt errata=silicon+late-writes
spi spi-budget spi-budget --dt spi-dma --dt client
spi spi-ordinary bench-spi --kernel 6.12 --dt spi-dma --dt client --set N=50
spi spi-ordinary-in-tree bench-spi --kernel 6.12 --dt client --driver in-tree --set N=50
settle

# each WINDOW NUMBER FILTER: per message
each() {
	value spi-budget ".windows[\"$1\"].counters | ($3) / $2"
}

# In the window, 100 times 14 bytes at 9.6 MHz, the greatest speed that is not above 10 MHz.
wire=11648
for how in alone ordinary polled; do
	same "$(each $how 100 .reg_writes_dma)" 2 "$how: 2 register writes start a message"
	if [ $how = polled ]; then
		same "$(each $how 1 .interrupts)" 0 "$how: no interrupt"
	else
		same "$(each $how 100 .interrupts)" 1 "$how: one interrupt tells of its end"
	fi
	same "$(each $how 100 '.reg_reads_dma + .reg_reads_spi + .reg_reads_gpio')" 1 \
		"$how: one register read, at the end"
	same "$(each $how 100 .reg_writes_spi)" 1 "$how: one more write, at the end"
	same "$(each $how 1 '.spi_byte_gap_ns.count')" 0 "$how: no gap between bytes"
	# all of the chain, from the CPU's write to the interrupt; not the CPU's part
	awk -v t="$(each $how 100 .dma2_busy_ns)" -v w=$wire 'BEGIN { exit !(t <= 1.2 * w && t > w) }' &&
		rc=0 || rc=1
	point "$rc" "$how: the chain takes at most 1.2 times what the bytes take"
	printf '# %s: chain %s ns, bytes %s ns\n' "$how" "$(each $how 100 .dma2_busy_ns)" $wire
done
same "$(each alone 1 .reg_writes_gpio)" 0 "chip selects are not the CPU's business"
for how in three queued queued_by_irq; do
	if [ $how = queued ]; then
		same "$(each $how 1 .interrupts)" 0 "$how: no interrupt"
	else
		same "$(each $how 100 .interrupts)" 1 "$how: one interrupt"
	fi
	# once, the timer's tick may come before the next one is put behind the message that runs
	awk -v w="$(each $how 100 .reg_writes_dma)" 'BEGIN { exit !(w >= 2 && w <= 2.02) }' && rc=0 || rc=1
	point "$rc" "$how: one start"
	same "$(each $how 200 .short_gaps.count)" 1 "$how: two short pauses between them"
	gap=$(each $how 1 .short_gaps.max)
	rc=0
	[ "$gap" -le 2000 ] || rc=1
	point "$rc" "$how: at most 2 us between two chip selects"
	printf '# %s: %s ns between two chip selects\n' "$how" "$gap"
done
# 3.3 ms on the wire each; the client fills and compares all of it
for how in long long_polled; do
	same "$(each $how 20 .interrupts)" 1 "$how: the CPU is told"
	busy=$(value spi-budget ".windows[\"$how\"].busy_ns / 20 | floor")
	rc=0
	[ "$busy" -le 1000000 ] || rc=1
	point "$rc" "$how: the CPU sleeps meanwhile"
	printf '# %s: %s ns of CPU for each\n' "$how" "$busy"
done

ours=$(each ordinary 100 '.reg_reads_dma + .reg_writes_dma + .reg_reads_spi + .reg_writes_spi')
theirs=$(value spi-ordinary-in-tree '.windows.idle14.counters |
	(.reg_reads_spi + .reg_writes_spi + .reg_writes_gpio) / 50')
printf '# accesses per ordinary message of 14 bytes: %s; the in-tree driver: %s\n' "$ours" "$theirs"
awk -v o="$ours" -v t="$theirs" 'BEGIN { exit !(o == 4 && t > 90) }' && rc=0 || rc=1
point "$rc" "an ordinary message: 4 accesses, where the in-tree driver has more than 90"

# Clients that wait for each message, and those that queue them with the SPI core, must not have to
# wait longer than with the kernel's own driver, which keeps the CPU for all of a short message.
for how in idle14 burst3 mix; do
	ours=$(value spi-ordinary ".guest.${how}_mean")
	theirs=$(value spi-ordinary-in-tree ".guest.${how}_mean")
	awk -v o="$ours" -v t="$theirs" 'BEGIN { exit !(o > 0 && o <= t) }' && rc=0 || rc=1
	point "$rc" "$how, ordinary: from call to return no longer than with the in-tree driver"
	printf '# %s: %s ns; the in-tree driver: %s ns\n' "$how" "$ours" "$theirs"
done

# A client that knows nothing of us: the kernel's own CAN driver, on our SPI driver only.
rig spi-mcp251x-in-tree --board rpi --dt spi-dma --dt mcp2515 --boardopt slave0=mcp2515 \
	--modules "$(echo "$TOP"/build/rig/modules/6.1.*[0-9]-arm64/canpipe/src/spi-bcm2835dma)" \
	--bitrate 500000 --scenario "$guest/mcp251x.sh"
done_testing
