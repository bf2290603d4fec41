#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# An SPI driver and clients in the kernel (tests/rig/glue/spi-client.c, at chip select 1: --dt
# client): spi_async() in bursts and in hard irq, every alignment of buffers in every kind of memory,
# a mixture of messages.

. /rig/lib.sh
. /rig/spi-lib.sh

client() { # WHAT N LEN HZ US K
	printf '%s\n' "$*" >"$PREPARED/run" || return 1
	# messages, bytes, wrong bytes, messages out of order, times
	read -r _messages _bytes _wrong _disorder _ <"$PREPARED/result"
	[ "$_wrong $_disorder" = "0 0" ] || {
		cat "$PREPARED/result"
		return 1
	}
}

need_spi
case $RIG_DT in
*spi-dma*) ours=1 ;;
*) ours='' ;;
esac
is "$(spi_driver)" "spi-bcm2835${ours:+dma}" "the driver of the run"
wait_for 10 test -e "$PREPARED/run" || bail "no client at chip select 1: run with --dt client"
# not what happens at boot: the pins become outputs before anybody has set their levels
rigctl measure start
check "spi_sync()" client sync 100 14 10000000 0
check "spi_async(), bursts" client burst 50 14 10000000 20 8
check "spi_async() in hard irq, bursts" client hardirq 50 20 10000000 20 8
check "every alignment, up to 24 bytes" client align 1 24 20000000
check "every alignment, 96 to 103 bytes" client align 1 103 60000000 96
check "long, across pages, in vmalloc memory" client align 1 3 60000000
check "16384 bytes" client sync 3 16384 60000000 0
check "a mixture" client mix 100 300 20000000 0 6
check "short ones, the same again with other buffers left out" client mix 200 3 20000000 0 6
check "a mixture of long ones" client mix 20 4000 60000000 0 4
if [ -n "$ours" ]; then
	is "$(stat timeouts) $(stat lost_interrupts) $(stat depth)" "0 0 0" "no timeout, nothing left"
	diag "compiled $(stat compiled) of $(stat messages), by the CPU $(stat pio_messages)"
fi
no_spi_faults "clients"
tap_done
