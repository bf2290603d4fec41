# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only
#
# For the scenarios of spi-bcm2835dma, after lib.sh.

STATISTICS='/sys/kernel/debug/spi-bcm2835dma-*/statistics'
# shellcheck disable=SC2034 # for the scenarios
PREPARED=/sys/bus/spi/devices/spi0.1

# stat NAME: one of the driver's statistics
stat() {
	[ -d /sys/kernel/debug/gpio ] || mountpoint -q /sys/kernel/debug ||
		mount -t debugfs debugfs /sys/kernel/debug
	# shellcheck disable=SC2086 # a pattern
	awk -v name="$1" '$1 == name { print $2 }' $STATISTICS
}

# need_prepared: spi0.1 is for the client of prepared messages
need_prepared() {
	modprobe rig-spi-prepared || bail "no client of prepared messages"
	[ ! -e "$PREPARED/driver" ] || echo spi0.1 >"$PREPARED/driver/unbind"
	echo rig-spi-prepared >"$PREPARED/driver_override"
	echo spi0.1 >/sys/bus/spi/drivers/rig-spi-prepared/bind ||
		bail "the client of prepared messages does not bind"
}

# prepared WORD...: see tests/rig/spiclient
prepared() {
	printf '%s\n' "$*" >"$PREPARED/run" || {
		cat "$PREPARED/result"
		return 1
	}
}

no_spi_faults() { # WHAT
	is "$(rigctl board 7 0) $(rigctl board 7 1)" "0 0" "$1: chip selects and clocks as data sheets want them"
}
