#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# "canpipe setup": the files it writes, that it writes them once and removes them, what it refuses;
# that a power cut at any moment leaves a whole file. And the examples of config/network and the
# udev rule, as systemd's own checkers see them.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=tap.sh
. tests/package/tap.sh
# shellcheck source-path=SCRIPTDIR source=power-cut.sh
. tests/package/power-cut.sh
# shellcheck source-path=SCRIPTDIR source=helper.sh
. tests/package/helper.sh

root=$out/root
mkdir "$root"
words=(--root "$root" setup)

files() {
	(cd "$root" && find . -type f | LC_ALL=C sort)
}

network=etc/systemd/network/80-canpipe-can0.network
mark='# written by "canpipe setup can0"; "canpipe setup can0 --remove" removes it'

# networkd
exits 0 "a dry run" can0 500000 --dry-run
said 'BitRate=500000' "... shows the file"
is "$(files)" "" "... and writes nothing"
exits 0 "can0 at 500 kbit/s" can0 500000
said 'systemctl enable --now systemd-networkd' "... says what turns it on"
is "$(cat "$root/$network")" "$mark
[Match]
Name=can0

[Link]
RequiredForOnline=no

[CAN]
BitRate=500000
RestartSec=100ms" "... the file"
is "$(stat -c %a "$root/$network")" 644 "... for all to read"
before=$(stat -c '%i %Y' "$root/$network")
exits 0 "once more" can0 500000
said 'is as it should be' "... there is nothing to do"
is "$(stat -c '%i %Y' "$root/$network")" "$before" "... nor is anything done"
exits 0 "with other settings" can0 250000 --restart-ms=0 --sample-point .8 --listen-only \
	--triple-sampling
is "$(sed -n '/^\[CAN\]/,$p' "$root/$network")" "[CAN]
BitRate=250000
SamplePoint=80.0%
ListenOnly=yes
TripleSampling=yes" "... they are in the file"
exits 1 "two ways for one interface" can0 250000 --with unit
said '80-canpipe-can0.network brings can0 up already' "... are refused"
exits 0 "remove, dry run" can0 --remove --dry-run
said "would remove .*$network" "... says so"
is "$(files)" "./$network" "... the file is still there"
exits 0 "remove" can0 --remove
is "$(files)" "" "... it is gone"
exits 0 "remove once more" can0 --remove
said 'has written nothing for can0' "... there is nothing to do"

# somebody else's file
mkdir -p "$root/${network%/*}"
echo '[Match]' >"$root/$network"
exits 1 "a file that it has not written" can0 500000
said 'not written by canpipe setup' "... is not touched"
exits 1 "... nor removed" can0 --remove
is "$(cat "$root/$network")" '[Match]' "... it is as it was"
rm "$root/$network"

# the others
exits 0 "ifupdown" can0 500000 --with ifupdown --sample-point 0.875
is "$(cat "$root/etc/network/interfaces.d/canpipe-can0")" "$mark
allow-hotplug can0
iface can0 can static
	bitrate 500000
	samplepoint 0.875
	restart-ms 100" "... the file"
exits 0 "... remove" can0 --remove
exits 0 "unit" can0 500000 --with unit --restart-ms 20
is "$(cat "$root/etc/canpipe/can0.conf")" "$mark
BITRATE=500000
OPTIONS=\"restart-ms 20 listen-only off triple-sampling off\"" "... the file"
said 'systemctl enable canpipe@can0' "... says what turns it on"
exits 0 "... remove" can0 --remove
is "$(files)" "" "... all are gone"

# what is refused
for arguments in '' can0 'can0 0' 'can0 999' 'can0 1000001' 'can0 500k' 'can0 -5' 'can0 5e5' \
	'can0 500000 can1' 'can/0 500000' 'can* 500000' '../x 500000' '-x 500000' '.x 500000' \
	'can0 500000 --restart-ms -1' 'can0 500000 --restart-ms 60001' 'can0 500000 --restart-ms' \
	'can0 500000 --sample-point 1' 'can0 500000 --sample-point 0.4' \
	'can0 500000 --sample-point 0.8755' 'can0 500000 --sample-point .' \
	'can0 500000 --with cron' 'can0 500000 --with' 'can0 500000 --foo' 'can0 500000 --remove' \
	'can-spi0.0 500000 --with unit' 'can0123456789012 500000 --with ifupdown'; do
	# shellcheck disable=SC2086 # they are words
	exits 2 "refused: '$arguments'" $arguments
	like "$(cat "$out/err")" "^canpipe: " "... says why"
done
is "$(files)" "" "... and nothing is written"
exits 0 "a name that stays with the controller" can-spi0.0 500000
is "$(files)" ./etc/systemd/network/80-canpipe-can-spi0.0.network "... has a file"
exits 0 "... remove" can-spi0.0 --remove

# no room, no right to write, no power
# shellcheck disable=SC2016 # for the inner shell
small() { # OPTIONS COMMAND...: with a file system of its own at the root
	unshare --mount bash -eu -c 'mount -t tmpfs -o "$1" tmpfs "$2" && shift 2 && "$@"' \
		small "$1" "$root" "${@:2}"
}
# shellcheck disable=SC2016 # for the inner shell
full='mkdir -p etc/systemd/network && echo old >etc/systemd/network/80-canpipe-can0.network
	sed -i "1i# written by \"canpipe setup can0\"" etc/systemd/network/80-canpipe-can0.network
	head -c 1M /dev/zero >fill || :
	rc=0; "$1" --root . setup can0 500000 || rc=$?
	cat etc/systemd/network/*; ls -A etc/systemd/network; exit $rc'
rc=0
small size=64k sh -c "cd '$root'; $full" full "$canpipe" >"$out/out" 2>&1 || rc=$?
is "$rc" 2 "a full disk"
said 'make room first' "... says so"
said '^old$' "... the old file is whole"
is "$(grep -c new "$out/out")" 0 "... nothing is left beside it"
rc=0
small ro "$canpipe" --root "$root" setup can0 500000 >"$out/out" 2>&1 || rc=$?
is "$rc" 2 "a file system that is read-only"
said 'mounted read-only' "... says so"

exits 0 "before the power cuts" can0 500000
cp "$root/$network" "$out/old"
exits 0 "after" can0 250000
cp "$root/$network" "$out/new"
is "$(power_cuts "$out/old" "$root/$network" "$out/new" \
	"$canpipe" --root "$root" setup can0 250000)" "new old " \
	"a power cut leaves the old file or the new one, and no third"
cp "$out/old" "$root/$network"
run "the file is on the disk before it gets its name" written_in_order \
	"$canpipe" --root "$root" setup can0 250000
exits 0 "and after power cuts it does its work" can0 250000
is "$(cat "$root/$network")" "$(cat "$out/new")" "... the file is the new one"
is "$(find "$root/${network%/*}" -type f | wc -l)" 1 "... and the only one"

# systemd's checkers, where they are new enough
trixie=$(tests/rig/guest-root trixie-amd64)
run "udevadm verify" chroot_ro "$trixie" udev/85-canpipe.rules udevadm verify \
	--resolve-names=never /run/canpipe/85-canpipe.rules
sed 's/^ATTR{tx_queue_len}="1000"/ATTR{tx_queue_len}=1000/' udev/85-canpipe.rules >"$out/85-bad.rules"
ok "$(chroot_ro "$trixie" "$out/85-bad.rules" udevadm verify --resolve-names=never \
	/run/canpipe/85-bad.rules >/dev/null 2>&1 && echo 1 || echo 0)" "... sees faults"
is "$(chroot_ro "$trixie" 'config/network/canpipe@.service' systemd-analyze verify --man=no \
	/run/canpipe/canpipe@can0.service 2>&1 | grep canpipe || :)" "" "systemd-analyze verify"
sed 's/^Assert/Asert/' 'config/network/canpipe@.service' >"$out/bad@.service"
ok "$(chroot_ro "$trixie" "$out/bad@.service" systemd-analyze verify --man=no \
	/run/canpipe/bad@can0.service 2>&1 | grep -q AsertPath && echo 0 || echo 1)" "... sees faults"
done_testing
