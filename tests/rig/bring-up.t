#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Bring-up at boot with systemd's own udevd and networkd: canpipe's udev rule, the examples of
# config/network, settings in modprobe.d; two MCP2515s, found in either order.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

systemd=$("$RIG/systemd-layer")
layers=$TOP/build/rig/bring-up
config=$TOP/config/network

layer() { # CASE: an empty one with the udev rule; sets etc
	rm -rf "${layers:?}/$1"
	etc=$layers/$1/etc
	mkdir -p "$etc/systemd/network" "$etc/modprobe.d"
	install -D -m 644 "$TOP/udev/85-canpipe.rules" \
		"$layers/$1/usr/lib/udev/rules.d/85-canpipe.rules"
}

network() { # NAME RESTART: the example, for another interface
	sed -e "s/^Name=.*/Name=$1/" -e "s/^RestartSec=.*/$2/" "$config/80-canpipe-can0.network" \
		>"$etc/systemd/network/80-canpipe-$1.network"
}

boot() { # CASE OPTION...
	rig_later "bring-up-$1" --board rpi --driver canpipe --dt spi-dma --dt mcp2515 \
		--dt mcp2515-1 --boardopt slave=mcp2515 --bitrate 500000 --set "CASE=$1" \
		--scenario "$RIG/../guest/bring-up.sh" --layer "$systemd" --layer "$layers/$1" \
		--append 'rdinit=/usr/lib/systemd/systemd systemd.show_status=no' "${@:2}"
}

layer plain
boot plain

layer hats
cp "$config"/70-canpipe-hat[01].link "$etc/systemd/network/"
printf 'TransmitQueueLength=10\n' >>"$etc/systemd/network/70-canpipe-hat1.link"
network hat0 RestartSec=100ms
network hat1 RestartSec=250ms
printf '%s\n' 'options mcp251x coalesce=2 strict_frame_ordering=N' \
	'options spi-bcm2835dma batch=4' >"$etc/modprobe.d/canpipe.conf"
boot hats --dt mcp2515-1-first

done_testing
