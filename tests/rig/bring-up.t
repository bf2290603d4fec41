#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Bring-up at boot with systemd's own udevd and networkd: canpipe's udev rule, the examples of
# config/network, files that "canpipe setup" writes, the unit canpipe@, settings in modprobe.d; two
# MCP2515s, found in either order.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

make -s -C "$TOP/utils" >&2
canpipe=$TOP/build/utils/canpipe
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

# The rig boots to a target of its own, before those that every unit waits for by default.
unit() { # IFACE...: canpipe@.service, and its settings
	local units=$etc/systemd/system i
	mkdir -p "$units/canpipe@.service.d"
	cp "$config/canpipe@.service" "$units"
	printf '[Unit]\nDefaultDependencies=no\n' >"$units/canpipe@.service.d/rig.conf"
	for i; do
		"$canpipe" --root "${etc%/etc}" setup "$i" 500000 --with unit
	done
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
unit can0 >/dev/null
boot plain

layer hats
cp "$config"/70-canpipe-hat[01].link "$etc/systemd/network/"
printf 'TransmitQueueLength=10\n' >>"$etc/systemd/network/70-canpipe-hat1.link"
"$canpipe" --root "${etc%/etc}" setup hat0 500000 >/dev/null
network hat1 RestartSec=250ms
printf '%s\n' 'options mcp251x coalesce=2 strict_frame_ordering=N' \
	'options spi-bcm2835dma batch=4' >"$etc/modprobe.d/canpipe.conf"
boot hats --dt mcp2515-1-first

done_testing
