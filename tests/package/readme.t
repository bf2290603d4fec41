#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The README, followed word for word in clean roots of Debian 12 and 13: its commands are taken from
# it and run. Two things are prepared: packages that Debian's archive has not, or not for this
# architecture (the headers of a Raspberry Pi, of a BeagleBone), and the boot partition of a
# Raspberry Pi. What would need a CAN bus is only looked at: the rig has a bus.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=flow.sh
. tests/package/flow.sh

long_only

# commands HEADING: the blocks of shell commands under this heading, not of those below it
commands() {
	awk -v heading="$1" '
		/^#+ / && !code { here = index($0, heading) == 1 && length($0) >= length(heading) }
		/^```sh$/ { code = 1; next }
		/^```$/ { code = 0; next }
		code && here
	' README.md
}

# follow HEADING: run them inside as a user would, who says yes and whose sudo asks nothing
follow() {
	commands "$1" >"$ROOT/root/commands"
	[ -s "$ROOT/root/commands" ] || die "README.md has no commands under '$1'"
	inside sh -c 'cd /root/canpipe && exec bash -eux -o pipefail /root/commands'
}

# the first steps of that section; what comes after the reboot is for the rig
with_hat() {
	commands '## MCP2515 on a Raspberry Pi' | sed '/^sudo reboot$/q' >"$ROOT/root/commands"
	inside bash -eux -o pipefail /root/commands
	rm "$ROOT/root/reboots"
}

# a package without anything, of this name
stand_in() {
	mkdir -p "$ROOT/root/$1/DEBIAN"
	printf '%s\n' "Package: $1" 'Version: 1' 'Architecture: all' 'Maintainer: nobody <nobody@example.org>' \
		'Description: stands in' >"$ROOT/root/$1/DEBIAN/control"
	inside dpkg-deb -b "/root/$1" "/root/$1.deb"
	inside dpkg -i "/root/$1.deb"
}

prepare() {
	mkdir -p "$ROOT/root/canpipe"
	git -c safe.directory="$PWD" ls-files -z | while IFS= read -r -d '' file; do
		[ ! -e "$file" ] || printf '%s\0' "$file"
	done | tar --null -T - -c | tar -C "$ROOT/root/canpipe" -x --no-same-owner
	printf '#!/bin/sh\nexec "$@"\n' >"$ROOT/usr/bin/sudo"
	printf '#!/bin/sh\necho reboot >>/root/reboots\n' >"$ROOT/usr/bin/reboot"
	chmod 755 "$ROOT/usr/bin/sudo" "$ROOT/usr/bin/reboot"
	echo 'APT::Get::Assume-Yes "true";' >"$ROOT/etc/apt/apt.conf.d/yes"
	mkdir -p "$ROOT/boot/firmware/overlays"
	printf '%s\n' 'dtparam=audio=on' '[all]' >"$ROOT/boot/firmware/config.txt"
}

check() { # SYSTEM
	is "$(package_state canpipe-dkms) $(package_state canpipe-utils)" "installed installed" \
		"$1: both packages are installed"
	is "$(status "$NEWER")" installed "$1: the drivers are built"
	is "$(where "$NEWER" mcp251x)" updates/dkms/mcp251x.ko "$1: modprobe takes ours"
	is "$(cat "$ROOT/root/reboots")" reboot "$1: the last step is to reboot"
	rm "$ROOT/root/reboots"
	like "$(inside canpipe --json status)" '"system"' "$1: canpipe status works"
}

next_system() {
	run "apt removes canpipe-dkms, as the README says" inside apt-get remove -y canpipe-dkms
	is "$(find "$ROOT/lib/modules/" -path '*/updates/dkms/*.ko*')" "" "every module of ours is gone"
}

for release in bookworm trixie; do
	flow_start tests/rig/guest-root "$release-amd64"
	run "$release: what is not there is prepared" prepare
	run "$release: the packages are built" follow '## Install'

	run "$release: Debian" follow '### Debian'
	check "$release: Debian"
	next_system

	run "$release: headers of a Raspberry Pi stand in" stand_in linux-headers-rpi-v8
	run "$release: Raspberry Pi OS" follow '### Raspberry Pi OS'
	check "$release: Raspberry Pi OS"
	run "$release: MCP2515 on a Raspberry Pi" with_hat
	is "$(find "$ROOT/boot/firmware/overlays" -name 'canpipe-*.dtbo' | wc -l)" \
		"$(find config/overlays -name '*.dts' | wc -l)" "$release: the overlays are where the firmware looks"
	like "$(cat "$ROOT/boot/firmware/config.txt")" '^dtoverlay=canpipe-spi0-dma' "$release: config.txt names them"
	like "$(cat "$ROOT/boot/firmware/config.txt")" '^dtparam=audio=on$' "... and keeps what it had"
	next_system

	run "$release: headers of a BeagleBone stand in" stand_in linux-headers-armmp
	run "$release: BeagleBone" follow '### BeagleBone'
	check "$release: BeagleBone"
done

# What runs on the board only: each command is one that there is, with arguments it takes.
after=$(commands '### After the reboot')
like "$after" '^canpipe status( |$)' "after the reboot: canpipe status"
like "$after" '^sudo canpipe doctor( |$)' "... canpipe doctor"
like "$after" '^sudo ip link set can0 up type can bitrate 500000 restart-ms 100' "... the interface comes up"

done_testing
