#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# canpipe doctor with boards that are described wrongly, with the kernel's own driver, and with a
# C_CAN. PHASES: which of them; what else they need, the board's options tell.

. /rig/lib.sh
. /rig/doctor-lib.sh
modules=/lib/modules/$(uname -r)

# our driver; osc=20000000 crystal=8000000 speed=25000000, an edge
mistaken() {
	need_can0
	ip link set can0 txqueuelen 1000
	ip link set can0 up type can bitrate 500000 restart-ms 100
	examine
	says "wrong crystal, SPI clock, trigger" crystal-wrong:certain irq-edge:possible \
		spi-too-fast:possible
	is "$(mend_of crystal-wrong | grep -c 'oscillator=8000000')" 1 "it says which crystal"
	mkdir -p /boot/firmware/overlays
	echo 'dtoverlay=mcp2515-can0,oscillator=20000000,interrupt=25,spimaxfrequency=25000000' \
		>/boot/firmware/config.txt
	examine
	mends crystal-wrong
	mends spi-too-fast
	mends irq-edge
	is "$(cat /boot/firmware/config.txt)" \
		"dtoverlay=canpipe-mcp2515,oscillator=8000000,interrupt=25,spimaxfrequency=10000000" \
		"config.txt, mended"
	check "and the overlay is where the firmware looks" \
		test -s /boot/firmware/overlays/canpipe-mcp2515.dtbo
	is "$(wc -l </tmp/reboots)" 3 "each with a reboot"
	ip link set can0 down
	ip link set can0 up type can bitrate 800000
	examine
	says "a rate that 20 MHz cannot be divided to" crystal-wrong:certain rate-inexact:likely \
		irq-edge:possible spi-too-fast:possible
	examine --bitrate 800000
	says "... and that is asked for" crystal-wrong:certain rate-differs:certain \
		rate-impossible:certain irq-edge:possible spi-too-fast:possible
}

# the kernel's own driver; osc=8000000 speed=1000000, an edge, two chips at one interrupt
in_tree() {
	need_can0
	# without the package nothing is said of headers
	rm -r /usr/src/canpipe-*
	rm -r "$modules/build"
	examine can0
	says "8 MHz before a rate is set" interface-down:certain irq-edge:likely \
		txqueue-short:likely rate-impossible:possible
	ip link set can0 txqueuelen 1000
	ip link set can0 up type can bitrate 1000000 2>/dev/null
	examine --bitrate 1000000 can0
	says "8 MHz for 1 Mbit/s" interface-down:certain rate-impossible:certain irq-edge:likely \
		spi-too-slow:likely
	examine can0
	says "8 MHz after 1 Mbit/s was refused" interface-down:certain irq-edge:likely \
		rate-impossible:likely
	ip link set can0 up type can bitrate 500000 restart-ms 100
	examine can0
	says "a slow SPI clock" irq-edge:likely spi-too-slow:likely
	ip link set can1 txqueuelen 1000
	ip link set can1 up type can bitrate 125000 2>/dev/null
	examine can1
	says "an interrupt of two" interface-down:certain irq-edge:likely irq-taken:likely
	cangen can0 -g 5 -I 100 -L 8 -n 5
	examine can0
	says "traffic changes nothing" irq-edge:likely spi-too-slow:likely
	rigctl signal 1
	cansend can0 100#11
	sleep 0.1
	examine can0
	says "nobody acknowledges" irq-edge:likely no-ack:likely spi-too-slow:likely
	rigctl signal 2
	sleep 0.1
	ip link set can0 down
	ip link set can0 up
	# 3: INT is low the next time, and nobody sees it
	rigctl board 9 3 >/dev/null
	cangen can0 -g 5 -I 100 -L 8 -n 3
	examine can0
	says "a lost edge" irq-edge:likely irq-silent:likely spi-too-slow:likely
	mends irq-silent
	cangen can0 -g 5 -I 100 -L 8 -n 5
	examine can0
	says "down and up helps" irq-edge:likely spi-too-slow:likely
	# 2: INT is low and stays so, as after an edge that came at a bad moment
	rigctl board 9 2 >/dev/null
	cansend can0 100#11
	examine can0
	says "INT is low" irq-stuck:certain irq-edge:likely spi-too-slow:likely
	rigctl board 9 0 >/dev/null
	mends irq-stuck
	examine can0
	says "it is high again" irq-edge:likely spi-too-slow:likely
	# 1: INT is not connected. One frame is in the chip, the others wait
	rigctl board 9 1 >/dev/null
	cangen can0 -g 5 -I 100 -L 8 -n 5
	examine can0
	says "INT is not wired" irq-edge:likely irq-silent:likely spi-too-slow:likely
	rigctl board 9 0 >/dev/null
	modprobe -r mcp251x
	# 2: SO is always high, that of both
	rigctl board 12 2 >/dev/null
	rigctl board 12 $((2 | 1 << 8)) >/dev/null
	modprobe mcp251x
	sleep 1
	examine
	says "no chip" chip-not-found:certain chip-not-found:certain
	rigctl board 12 0 >/dev/null
	rigctl board 12 $((1 << 8)) >/dev/null
	check "chip-not-found: what it says mends it" sh -c "$(mend_of chip-not-found | head -n 1)"
	wait_for 5 test -e /sys/class/net/can0
	ip link set can0 txqueuelen 1000
	ip link set can0 up type can bitrate 125000 restart-ms 100
	examine can0
	says "the chip is back, and slow enough" irq-edge:likely
}

# a C_CAN with our driver
c_can() {
	need_can0
	ip link set can0 txqueuelen 1000
	ip link set can0 up type can bitrate "$RIG_BITRATE" restart-ms 100
	sleep 0.01
	cangen can0 -g 1 -I 100 -L 8 -n 3
	examine
	silent "a C_CAN that works"
	canpipe status can0 >/tmp/status
	for line in '^can0: up, error-active$' 'driver .* of canpipe, canpipe ' \
		'bit rate  *500000 bit/s' 'counters  *tx frames 3, tx bytes 24' 'lost  *nothing' \
		"c_can  *canpipe's, loaded, version" '/updates/' 'interrupt  *[0-9]* of '; do
		check "status: $line" grep -q -e "$line" /tmp/status
	done
	rigctl signal 1
	cansend can0 100#11
	sleep 0.1
	examine
	says "nobody acknowledges" no-ack:likely
	rigctl signal 2
	sleep 0.1
	ip link set can0 down
	ip link set can0 up type can restart-ms 0
	rigctl signal 3
	sleep 0.01
	cansend can0 100#11
	sleep 0.1
	examine
	says "bus-off for good" bus-off-stays:certain
	mended "bus-off for good" bus-off-stays
	rigctl signal 4
	sleep 0.01
	cangen can0 -g 1 -I 100 -L 8 -n 20 >/dev/null 2>&1 &
	wait $!
	sleep 0.5
	rigctl signal 5
	sleep 0.5
	rigctl signal 6
	sleep 0.002
	rigctl stall 20000
	sleep 0.1
	examine
	says "the CPU was away" rx-lost:certain
	# another build on the disk
	sed -i 's/srcversion=[0-9A-F]\{4\}/srcversion=0000/' "$(modinfo -n c_can)"
	ip link set can0 down
	examine
	says "another driver on the disk" module-stale:certain interface-down:certain rx-lost:certain
	mends module-stale
	wait_for 5 test -e /sys/class/net/can0
	ip link set can0 txqueuelen 1000
	ip link set can0 up type can bitrate "$RIG_BITRATE" restart-ms 100
	examine
	silent "the driver that is on the disk"
}

# on a PC, --append module.sig_enforce=1: what secure boot does to modules without a key
rejected() {
	examine
	says "modules without a key that is known" no-interface:certain module-rejected:likely
	is "$(cat /sys/module/module/parameters/sig_enforce)" Y "signatures are enforced"
	diag "$(sed -n 's/^  seen: *//p' /tmp/found | head -n 1)"
}

healthy_system
for phase in $PHASES; do
	$phase
done
tap_done
