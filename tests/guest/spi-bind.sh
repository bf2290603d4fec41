#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Binding spi-bcm2835dma by hand, where the device tree is the kernel's own (--dt none): from the
# in-tree driver and back, and never to what it does not know. FOREIGN=1: the DMA engine is that of
# another chip (--dt foreign-dma).

. /rig/lib.sh
. /rig/spi-lib.sh

PLATFORM=/sys/bus/platform
MODULE=spi-bcm2835dma

# drive DEVICE DRIVER
drive() {
	[ ! -e $PLATFORM/devices/"$1"/driver ] ||
		echo "$1" >$PLATFORM/devices/"$1"/driver/unbind
	echo "$2" >$PLATFORM/devices/"$1"/driver_override
	echo "$1" >$PLATFORM/drivers/"$2"/bind
}

# refused DEVICE WHY
refused() {
	dmesg -c >/dev/null
	drive "$1" $MODULE 2>/dev/null && fail "$1 is refused" && return
	case $(dmesg) in
	*"$2"*) pass "$1 is refused: $2" ;;
	*) fail "$1 is refused: $(dmesg)" ;;
	esac
}

if [ "${FOREIGN:-}" ]; then
	# the in-tree driver waits for the DMA engine's
	wait_for 10 test -e $PLATFORM/drivers/spi-bcm2835
	modprobe $MODULE
	refused "$(cd $PLATFORM/devices && echo *.spi)" \
		"is not the DMA engine of a BCM2835 to BCM2711"
	tap_done
fi

need_spi
is "$(spi_driver)" spi-bcm2835 "the in-tree driver has it at first"
SPI=$(basename "$(readlink -f /sys/class/spi_master/spi0/device)")
modprobe $MODULE
is "$(spi_driver)" spi-bcm2835 "loading our module changes nothing"
refused 0.flash "not the SPI block of a BCM2835 to BCM2711"
for i in 1 2 3; do
	check "driver_override: ours ($i)" drive "$SPI" $MODULE
	wait_for 5 test -e /dev/spidev0.0
	is "$(spi_driver) $(stat dma)" "spi-bcm2835dma 1" "it has DMA channels ($i)"
	check "data by ours ($i)" spitest -l 1-40,4000
	check "the in-tree driver again ($i)" drive "$SPI" spi-bcm2835
	wait_for 5 test -e /dev/spidev0.0
	check "data by the in-tree driver ($i)" spitest -l 1-40,4000
	at_least "$(cat /sys/kernel/debug/spi-bcm2835-*/count_transfer_dma)" 1 \
		"it has its DMA channels back ($i)"
done
tap_done
