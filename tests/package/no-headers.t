#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Without headers the package installs and says that it built nothing; when headers come, the
# modules are built unasked.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=flow.sh
. tests/package/flow.sh

flow_start tests/rig/guest-root bookworm-amd64

# The headers as files, so that installing them later needs no network.
keep_headers() {
	local debs
	debs=$(kept_debs "headers-$OLDER" bookworm "linux-headers-$OLDER" \
		"linux-headers-${OLDER%-amd64}-common" "linux-kbuild-${OLDER%.*}")
	mkdir -p "$ROOT/root/headers"
	cp "$debs"/*.deb "$ROOT/root/headers"
}
run "the headers are kept for later" keep_headers
run "the headers go" purge_now 'linux-headers-*' 'linux-kbuild-*'

log=$(apt_install /root/canpipe-dkms.deb 2>&1) && rc=0 || rc=$?
is "$rc" 0 "apt installs the package without headers"
is "$(package_state canpipe-dkms)" installed "dpkg has it configured"
like "$log" "build for kernel $OLDER was skipped|kernel headers for $OLDER" \
	"and says which headers are missing"
is "$(status "$OLDER")" added "DKMS has the source"
is "$(where "$OLDER" c_can)" "" "and has built nothing of it"

# shellcheck disable=SC2016 # expanded inside
run "apt installs the headers of $OLDER" inside sh -c \
	'apt-get install -y --no-install-recommends /root/headers/*.deb'
is "$(status "$OLDER")" installed "$OLDER: built when its headers came"
for module in $MODULES; do
	is "$(where "$OLDER" "$module")" "updates/dkms/$module.ko" "$OLDER: modprobe takes our $module"
done

done_testing
