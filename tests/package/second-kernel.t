#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel that comes after the package gets its modules unasked, and takes them along when it goes.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=flow.sh
. tests/package/flow.sh

long_only
flow_start tests/rig/guest-root bookworm-amd64

# The newer kernel as files, to install it without a network.
keep_kernel() {
	local debs
	debs=$(kernel_debs bookworm-backports "$NEWER")
	mkdir -p "$ROOT/root/kernel"
	cp "$debs"/*.deb "$ROOT/root/kernel"
}
run "the newer kernel is kept for later" keep_kernel
run "the newer kernel goes" purge_now "linux-*${NEWER%-amd64}*"

run "apt installs the package" apt_install /root/canpipe-dkms.deb
is "$(status "$OLDER")" installed "$OLDER: DKMS has installed it"
is "$(status "$NEWER")" added "$NEWER: not there yet"

run "apt installs the newer kernel with its headers" inside sh -c \
	'apt-get install -y --no-install-recommends /root/kernel/*.deb'
is "$(package_state "linux-image-$NEWER")" installed "$NEWER: the kernel is configured"
is "$(package_state "linux-headers-$NEWER")" installed "$NEWER: its headers are configured"
is "$(status "$NEWER")" installed "$NEWER: DKMS has installed it"
for module in $MODULES; do
	is "$(where "$NEWER" "$module")" "updates/dkms/$module.ko" "$NEWER: modprobe takes our $module"
done

run "apt removes the newer kernel" inside apt-get purge -y "linux-image-$NEWER" "linux-headers-$NEWER"
is "$(find "$ROOT/lib/modules/$NEWER" -name 'c_can*' 2>/dev/null)" "" "$NEWER: no module of ours stays"
is "$(status "$NEWER")" added "$NEWER: DKMS has nothing there"
is "$(where "$OLDER" c_can)" updates/dkms/c_can.ko "$OLDER: keeps ours"

done_testing
