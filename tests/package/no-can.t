#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Debian's cloud kernels have no CAN at all. The package must not keep such a kernel, or itself,
# from being installed, whichever of the two comes first.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=flow.sh
. tests/package/flow.sh

flow_start tests/rig/guest-root bookworm-amd64
CLOUD=${OLDER%-amd64}-cloud-amd64

fetch_cloud() {
	local debs
	debs=$(kept_debs "headers-$CLOUD" bookworm "linux-headers-$CLOUD")
	cp "$debs"/*.deb "$ROOT/root/cloud.deb"
}
run "fetch the headers of $CLOUD" fetch_cloud
# Only the cloud kernel shall cost time here.
run "the other headers' kernels go" purge_now "linux-headers-$OLDER" "linux-headers-$NEWER" \
	linux-headers-amd64

check() {
	is "$(package_state "linux-headers-$CLOUD")" installed "$1: the kernel's headers are configured"
	is "$(package_state canpipe-dkms)" installed "$1: the package is configured"
	is "$(status "$CLOUD")" installed "$1: DKMS has installed it"
	is "$(where "$CLOUD" canpipe_none)" updates/dkms/canpipe_none.ko "$1: that is the placeholder"
	is "$(where "$CLOUD" c_can)" "" "$1: and no c_can"
}

run "the package comes first" apt_install /root/canpipe-dkms.deb
run "then the kernel's headers" apt_install /root/cloud.deb
check "package first"

run "apt purges the package" inside apt-get purge -y canpipe-dkms
is "$(left_behind)" "" "nothing is left behind"

run "the package again, with the headers there" apt_install /root/canpipe-dkms.deb
check "headers first"

done_testing
