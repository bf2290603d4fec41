#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel for which the drivers do not build: everything else that apt has to do is done, other
# drivers of DKMS are built, apt says where the log is; and each of the two ways out that
# README.Debian names makes all packages whole again.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=flow.sh
. tests/package/flow.sh

long_only
flow_start tests/rig/guest-root bookworm-amd64
run "only one kernel shall cost time" purge_now "linux-headers-$NEWER" "linux-image-$NEWER"

# Another driver of DKMS, and a package without any, as neighbours in one run of apt.
neighbour() {
	local dir=$ROOT/root/neighbour src=usr/src/neighbour-1
	mkdir -p "$dir/DEBIAN" "$dir/$src" "$ROOT/root/other/DEBIAN"
	printf 'Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: x\n' \
		neighbour-dkms >"$dir/DEBIAN/control"
	sed 's/neighbour-dkms/other/' "$dir/DEBIAN/control" >"$ROOT/root/other/DEBIAN/control"
	# shellcheck disable=SC2016 # for the script
	printf '#!/bin/sh\nset -e\n/usr/lib/dkms/common.postinst neighbour 1 /usr/share/neighbour "" "$2"\n' \
		>"$dir/DEBIAN/postinst"
	chmod 755 "$dir/DEBIAN/postinst"
	printf '%s\n' 'PACKAGE_NAME="neighbour"' 'PACKAGE_VERSION="1"' 'BUILT_MODULE_NAME[0]="neighbour"' \
		'DEST_MODULE_LOCATION[0]="/updates/dkms"' 'AUTOINSTALL="yes"' >"$dir/$src/dkms.conf"
	echo 'obj-m := neighbour.o' >"$dir/$src/Kbuild"
	printf '%s\n' '#include <linux/module.h>' 'MODULE_LICENSE("GPL");' 'MODULE_DESCRIPTION("x");' \
		>"$dir/$src/neighbour.c"
	inside dpkg-deb -b /root/neighbour /root/neighbour.deb
	inside dpkg-deb -b /root/other /root/other.deb
}
run "two other packages are there" neighbour

# A header of this kernel that lacks what the drivers need.
header=$ROOT/usr/src/linux-headers-${OLDER%-amd64}-common/include/linux/can/dev.h
cp "$header" "$header.kept"
echo '#error this kernel is none of those that the drivers know' >>"$header"

log=$(apt_install /root/canpipe-dkms.deb /root/neighbour.deb /root/other.deb 2>&1) && rc=0 || rc=$?
ok $((rc == 0)) "apt says that something went wrong"
like "$log" 'canpipe-dkms' "... with which package"
like "$log" "/var/lib/dkms/canpipe/$VERSION/build/make.log" "... and where the log is"
like "$(cat "$ROOT/var/lib/dkms/canpipe/$VERSION/build/make.log")" 'none of those that the drivers know' \
	"the log tells the cause"
is "$(package_state canpipe-dkms)" half-configured "our package waits"
is "$(package_state other) $(package_state neighbour-dkms)" "installed installed" "the others do not"
is "$(where "$OLDER" neighbour)" updates/dkms/neighbour.ko "the other driver is built"
is "$(where "$OLDER" c_can)$(find "$ROOT/lib/modules/$OLDER/" -name 'c_can*')" "" "nothing of ours is"
like "$(where "$OLDER" mcp251x)" '^kernel/drivers/' "modprobe takes the kernel's own mcp251x"
is "$(package_state "linux-image-$OLDER") $(package_state "linux-headers-$OLDER")" "installed installed" \
	"kernel and headers are whole"

# The first way out: remove it.
run "apt removes it" inside apt-get remove -y canpipe-dkms
is "$(inside dpkg --audit)" "" "all packages are whole"
is "$(where "$OLDER" neighbour)" updates/dkms/neighbour.ko "the other driver stays"
is "$(package_state canpipe-dkms)" absent "it is gone"
is "$(find "$ROOT/var/lib/dkms" "$ROOT/usr/src" -maxdepth 1 -name 'canpipe*')" "" "nothing is left behind"

# The second: remove the cause.
apt_install /root/canpipe-dkms.deb >/dev/null 2>&1 || :
is "$(package_state canpipe-dkms)" half-configured "once more"
mv "$header.kept" "$header"
run "dpkg goes on" inside dpkg --configure -a
is "$(package_state canpipe-dkms) $(status "$OLDER")" "installed installed" "installed, and built"

done_testing
