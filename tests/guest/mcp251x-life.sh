#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The driver goes while the bus is full and frames are being sent: unloaded, unbound from the chip,
# together with its SPI controller; ROUNDS times each. Then all is as it was.

. /rig/lib.sh

ROUNDS=${ROUNDS:-10}
spi=/sys/bus/platform/drivers/$(spi_driver)
controller=$(basename "$(readlink -f /sys/class/spi_master/spi0/device)")

# kilobytes that the kernel holds in slabs, after what is to be freed has been
slab() {
	sleep 0.5
	echo 3 >/proc/sys/vm/drop_caches
	sleep 0.1
	awk '/^SUnreclaim:/ { print $2 }' /proc/meminfo
}

there() {
	test -e /sys/class/net/can0
}

begin() {
	wait_for 5 there || return 1
	can_up || return 1
	cangen can0 -g 0 -p 10 -I 7F0 -L 8 -x >/dev/null 2>&1 &
	gen=$!
	sleep "0.00$1"
}

end() {
	kill "$gen" 2>/dev/null
	wait "$gen" 2>/dev/null
	! there
}

unload() {
	modprobe -r mcp251x || return 1
	end || return 1
	modprobe mcp251x
}

unbind() {
	echo spi0.0 >/sys/bus/spi/drivers/mcp251x/unbind || return 1
	end || return 1
	echo spi0.0 >/sys/bus/spi/drivers/mcp251x/bind
}

unbind_spi() {
	echo "$controller" >"$spi/unbind" || return 1
	end || return 1
	echo "$controller" >"$spi/bind"
}

rounds() { # NAME WHAT
	failed=0 i=0
	while [ $i -lt "$ROUNDS" ]; do
		# a different moment in each round
		{ begin "$((i % 4))$((i * 7 % 10))" && $2; } || failed=$((failed + 1))
		# the first rounds fill caches
		[ $i -ne 2 ] || first=$(slab)
		i=$((i + 1))
	done
	is $failed 0 "$1, $ROUNDS times"
	grew=$(($(slab) - first))
	diag "$1: slab memory grew by $grew kB"
	# 16 kB a round, and what others need
	at_least $(((ROUNDS - 3) * 16 + 200)) "$grew" "$1: no leak"
}

need_can0
rigctl signal 1
rounds "unloaded and loaded" unload
rounds "unbound and bound" unbind
rounds "the controller unbound and bound" unbind_spi

wait_for 5 there || bail "no can0 any more"
can_up || bail "can0 does not come up"
cancheck -n 300 -f 123 -1 can0 >/tmp/rx
is "$(sed -n 's/^RESULT //p' /tmp/rx | tr '\n' ' ')" \
	"received=300 lost=0 swapped=0 duplicated=0 " "works afterwards: 300 frames in order"
is "$(can_state)" ERROR-ACTIVE "error-active"
ip link set can0 down
is "$(cat /sys/module/mcp251x/refcnt)" 0 "nobody holds mcp251x"
tap_done
