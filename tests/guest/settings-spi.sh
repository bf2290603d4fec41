#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Parameters of mcp251x and spi-bcm2835dma: those in modprobe.d take effect when udev loads the
# modules; values can be read back; bad ones are refused with one message, when loaded and later.

. /rig/lib.sh

need_can0

value() { # MODULE PARAMETER
	cat "/sys/module/$1/parameters/$2"
}

is "$(value mcp251x coalesce)" 2 "modprobe.d: coalesce"
is "$(value mcp251x strict_frame_ordering)" N "modprobe.d: strict_frame_ordering"
is "$(ethtool --show-priv-flags can0 | sed -n 's/^strict-frame-ordering *: *//p')" off \
	"and the interface has it"
is "$(value spi_bcm2835dma batch)" 4 "modprobe.d: batch"
is "$(value spi_bcm2835dma pio_bytes)" 16 "modprobe.d: pio_bytes"
is "$(value spi_bcm2835dma spin_us)" 5 "modprobe.d: spin_us"
is "$(value spi_bcm2835dma dma)" Y "dma is not set: its default"

# refuse MODULE PARAMETER VALUE: written to what is loaded
refuse() {
	_file=/sys/module/$1/parameters/$2 _was=$(value "$1" "$2")
	dmesg --clear
	if echo "$3" 2>/dev/null >"$_file"; then
		fail "$2=$3 is refused"
	else
		is "$(dmesg | grep -c "$2=$3.* is n")" 1 "$2=$3 is refused with one message"
	fi
	is "$(value "$1" "$2")" "$_was" "and changes nothing"
}

refuse mcp251x coalesce 3
refuse mcp251x coalesce -1
refuse mcp251x coalesce many
refuse mcp251x strict_frame_ordering perhaps
refuse spi_bcm2835dma batch 0
refuse spi_bcm2835dma batch 65
refuse spi_bcm2835dma pio_bytes 4097
refuse spi_bcm2835dma spin_us 1001
for limit in mcp251x:coalesce:0 mcp251x:coalesce:1 mcp251x:strict_frame_ordering:Y \
	spi_bcm2835dma:batch:1 spi_bcm2835dma:batch:64 spi_bcm2835dma:pio_bytes:0 \
	spi_bcm2835dma:pio_bytes:4096 spi_bcm2835dma:spin_us:0 spi_bcm2835dma:spin_us:1000; do
	module=${limit%%:*} parameter=${limit#*:}
	want=${parameter#*:} parameter=${parameter%:*}
	echo "$want" >"/sys/module/$module/parameters/$parameter"
	is "$(value "$module" "$parameter")" "$want" "$parameter=$want can be written"
done

# loaded with a bad value, from the command line: not at all
modprobe -r mcp251x
for bad in coalesce=3 strict_frame_ordering=perhaps; do
	dmesg --clear
	if modprobe mcp251x "$bad" 2>/dev/null; then
		fail "mcp251x does not load with $bad"
	else
		at_least "$(dmesg | grep -c "mcp251x: $bad is n")" 1 \
			"mcp251x does not load with $bad, and says why"
	fi
done
check "mcp251x loads with coalesce=0" modprobe mcp251x coalesce=0
is "$(value mcp251x coalesce)" 0 "the command line goes before modprobe.d"
tap_done
