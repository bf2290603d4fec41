#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What canpipe's udev rule and the examples of config/network do at boot, with systemd as PID 1 and
# its own udevd and networkd. Two MCP2515s on one bus; CASE says what is in /etc.

. /rig/lib.sh

altnames() { # IFACE
	ip -o link show "$1" | grep -o 'altname [^ \]*' | tr '\n' ' '
}

up() { # IFACE
	[ "$(cat "/sys/class/net/$1/operstate")" = up ]
}

controller() { # IFACE: the SPI device
	basename "$(readlink -f "/sys/class/net/$1/device")"
}

settings() { # IFACE: what it has of a bus
	ip -d link show "$1" | grep -o -E 'bitrate [0-9]*|restart-ms [0-9]*|<LISTEN-ONLY>' | sort |
		tr '\n' ' '
}

is "$(cat /proc/1/comm)" systemd "systemd is PID 1"
wait_for 10 test -e /sys/bus/spi/drivers/mcp251x/spi0.1/net || bail "no interface at chip select 1"
wait_for 10 test -e /sys/bus/spi/drivers/mcp251x/spi0.0/net || bail "no interface at chip select 0"
udevadm settle --timeout=30
diag "at chip select 0: $(ls /sys/bus/spi/devices/spi0.0/net), at 1:" \
	"$(ls /sys/bus/spi/devices/spi0.1/net)"

both_up() {
	up "$1" && up "$2"
}

traffic() { # FROM TO
	candump -n 20 -T 3000 "$2" >/tmp/heard &
	sleep 0.2
	cangen "$1" -g1 -I 123 -L 8 -n 20
	wait $!
	is "$(grep -c -w 123 /tmp/heard)" 20 "what $1 sends, $2 receives"
}

case $CASE in
plain)
	# nothing in /etc: nobody has asked for a bus
	sleep 3
	for i in can0 can1; do
		is "$(cat /sys/class/net/$i/operstate)" down "$i stays down"
		is "$(settings $i)" "restart-ms 0 " "$i gets no bit rate"
		is "$(altnames $i)" "altname can-$(controller $i) " "$i has the name of its chip select"
		is "$(cat /sys/class/net/$i/tx_queue_len)" 1000 "$i has a queue of 1000"
	done
	is "$(udevadm info -q property -p /sys/class/net/can0 | sed -n 's/^ID_CANPIPE_NAME=//p')" \
		"can-$(controller can0)" "udev's database has the name"

	# again: what the administrator has set meanwhile stays
	ip link set can0 txqueuelen 300
	udevadm trigger --action=add --settle /sys/class/net/can0
	is "$(cat /sys/class/net/can0/tx_queue_len)" 300 "the event again: a queue of 300 stays"
	is "$(altnames can0)" "altname can-$(controller can0) " "and there is one name"

	check "systemctl starts the unit" timeout 60 systemctl start canpipe@can0
	is "$(settings can0)" "bitrate 500000 restart-ms 100 " "can0 is as its file says"
	check "can0 is up" wait_for 5 up can0
	check "systemctl stops it" timeout 60 systemctl stop canpipe@can0
	is "$(cat /sys/class/net/can0/operstate)" down "can0 is down"
	if timeout 60 systemctl start canpipe@can1 2>/dev/null; then
		fail "without settings it does not start"
	else
		pass "without settings it does not start"
	fi
	is "$(cat /sys/class/net/can1/operstate)" down "can1 stays down"
	check "enabled" timeout 60 systemctl enable canpipe@can0
	chip=$(controller can0)
	echo "$chip" >/sys/bus/spi/drivers/mcp251x/unbind
	echo "$chip" >/sys/bus/spi/drivers/mcp251x/bind
	check "the interface comes up when it appears" wait_for 20 up can0
	;;
hats)
	check "both are up after boot" wait_for 20 both_up hat0 hat1
	is "$(controller hat0)" spi0.0 "hat0 is at chip select 0"
	is "$(controller hat1)" spi0.1 "hat1 is at chip select 1"
	is "$(settings hat0)" "bitrate 500000 restart-ms 100 " "hat0 is as its file says"
	is "$(settings hat1)" "bitrate 500000 restart-ms 250 " "hat1, too"
	is "$(altnames hat0)" "altname can-spi0.0 " "hat0 has the name of its chip select"
	is "$(altnames hat1)" "altname can-spi0.1 " "hat1, too"
	is "$(cat /sys/class/net/hat0/tx_queue_len)" 1000 "hat0 has a queue of 1000"
	is "$(cat /sys/class/net/hat1/tx_queue_len)" 10 "hat1 has the 10 that its .link file says"
	traffic hat0 hat1
	traffic hat1 hat0
	is "$(cat /sys/module/mcp251x/parameters/coalesce)" 2 "modprobe.d: coalesce"
	is "$(cat /sys/module/mcp251x/parameters/strict_frame_ordering)" N \
		"modprobe.d: strict_frame_ordering"
	is "$(cat /sys/module/spi_bcm2835dma/parameters/batch)" 4 "modprobe.d: batch"
	;;
esac
result virtual_s "$(cut -d. -f1 /proc/uptime)"
tap_done
