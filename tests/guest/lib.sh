# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only
#
# For the scenarios that run inside a guest: TAP, results, waiting. Variables of tests/rig/run
# --set and RIG_BOARD, RIG_DRIVER, RIG_BITRATE... are in the environment of the scenario.

. /rig/env

TAP_COUNT=0
TAP_FAILED=0

diag() {
	printf '# %s\n' "$*"
}

# pass NAME / fail NAME
pass() {
	TAP_COUNT=$((TAP_COUNT + 1))
	printf 'ok %d - %s\n' "$TAP_COUNT" "$*"
}

fail() {
	TAP_COUNT=$((TAP_COUNT + 1))
	TAP_FAILED=$((TAP_FAILED + 1))
	printf 'not ok %d - %s\n' "$TAP_COUNT" "$*"
}

skip() {
	TAP_COUNT=$((TAP_COUNT + 1))
	printf 'ok %d - %s # SKIP %s\n' "$TAP_COUNT" "$1" "$2"
}

# check NAME COMMAND...: the command succeeds; what it says shows when it does not
check() {
	_name=$1
	shift
	if _out=$("$@" 2>&1); then
		pass "$_name"
	else
		fail "$_name"
		printf '%s\n' "$_out" | sed 's/^/# /'
	fi
}

# is GOT WANT NAME
is() {
	if [ "$1" = "$2" ]; then
		pass "$3"
	else
		fail "$3"
		diag "got '$1', want '$2'"
	fi
}

# at_least GOT WANT NAME
at_least() {
	if [ "$1" -ge "$2" ] 2>/dev/null; then
		pass "$3"
	else
		fail "$3"
		diag "got '$1', want at least '$2'"
	fi
}

tap_done() {
	printf '1..%d\n' "$TAP_COUNT"
	[ "$TAP_FAILED" -eq 0 ]
	exit
}

# The scenario cannot go on.
bail() {
	printf 'Bail out! %s\n' "$*"
	exit 1
}

# result KEY VALUE: goes into build/results/NAME.json
result() {
	printf 'RESULT %s=%s\n' "$1" "$2"
}

# wait_for SECONDS COMMAND...: poll until it succeeds
wait_for() {
	_left=$(($1 * 20))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$_left" -gt 0 ] || return 1
		_left=$((_left - 1))
		sleep 0.05
	done
}

# come_to_rest: before something is measured for which the CPU must not be late. udevd's workers end
# when they have had nothing to do for 3 s, up to ten of them within 50 ms. That takes ten million
# instructions, and the kernel gives their pages back by the hundred, with interrupts off for up to
# 0.6 ms (pi1); so it does, in small portions, in some of the seconds after that. By the virtual
# clock waiting costs nothing.
come_to_rest() {
	sleep 15
}

# need_can0: udev has loaded the driver by the device's own identification
need_can0() {
	wait_for 10 test -e /sys/class/net/can0 || {
		ip -d link
		lsmod
		bail "no can0: udev has not found a driver, or its probe has failed"
	}
	_driver=$(readlink -f /sys/class/net/can0/device/driver)
	diag "can0 is driven by $(basename "$_driver"), module" \
		"$(modinfo -n "$(basename "$(readlink -f "$_driver/module")")")"
}

# need_spi: the same for the SPI controller of the Raspberry Pi, with spidev at chip select 0
need_spi() {
	wait_for 10 test -e /dev/spidev0.0 || {
		lsmod
		ls -l /sys/bus/platform/devices /sys/bus/spi/devices
		bail "no spidev0.0: udev has not found a driver for the controller, or its probe failed"
	}
	diag "spi0 is driven by $(spi_driver)"
}

spi_driver() {
	basename "$(readlink -f /sys/class/spi_master/spi0/device/driver)"
}

# loaded_from DIR MODULE...: they are loaded, and each is the one of that directory
loaded_from() {
	_dir=$1
	shift
	for _module; do
		_file=$(modinfo -n "$_module")
		_loaded=/sys/module/$(echo "$_module" | tr - _)
		is "${_file#/usr}" "/lib/modules/$(uname -r)/$_dir/${_file##*/}" \
			"$_module: modprobe takes that of $_dir"
		is "$(cat "$_loaded/srcversion" 2>&1)" "$(modinfo -F srcversion "$_file")" \
			"$_module: it is the one that is loaded"
		diag "$_module $(modinfo -F version "$_file"): $_file"
	done
}

# can_up [OPTION...]: can0 with the bitrate of the run
can_up() {
	ip link set can0 down
	ip link set can0 txqueuelen 1000
	ip link set can0 up type can bitrate "$RIG_BITRATE" "$@" && sleep 0.001
}

# stat_of NAME: of can0, e.g. rx_packets
stat_of() {
	cat "/sys/class/net/can0/statistics/$1"
}

# can_state: ERROR-ACTIVE, BUS-OFF, ...
can_state() {
	ip -details link show can0 | sed -n 's/.*can .*state \([A-Z-]*\).*/\1/p'
}

in_state() {
	[ "$(can_state)" = "$1" ]
}
