#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A newer version of the package replaces the older one in every kernel.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=flow.sh
. tests/package/flow.sh

long_only
flow_start tests/rig/guest-root bookworm-amd64

next=$VERSION.1
build_next() {
	local tree=$ROOT/root/next
	mkdir "$tree"
	mkdir "$tree/tests"
	cp -a Kbuild dkms.conf src config man utils debian COPYING "$tree"
	cp -a tests/lib "$tree/tests"
	sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$next\"/" "$tree/dkms.conf"
	sed -i "1s/(.*)/($next)/" "$tree/debian/changelog"
	CANPIPE_CACHE=$CACHE "$tree/debian/make-deb" "$tree/build" all
	cp "$tree/build/canpipe-dkms_${next}_all.deb" "$ROOT/root/next.deb"
}
run "a next version is built" build_next

run "apt installs the package" apt_install /root/canpipe-dkms.deb
is "$(inside modinfo -k "$NEWER" -F version c_can)" "$VERSION" "the version is $VERSION"
run "apt installs the next version" apt_install /root/next.deb
for kernel in "$OLDER" "$NEWER"; do
	for module in $MODULES; do
		is "$(inside modinfo -k "$kernel" -F version "$module")" "$next" \
			"$kernel: $module is $next"
	done
done
is "$(cd "$ROOT" && echo usr/src/canpipe-* var/lib/dkms/canpipe/"$VERSION"*)" \
	"usr/src/canpipe-$next var/lib/dkms/canpipe/$next" "nothing of $VERSION is left"

run "apt purges the package" inside apt-get purge -y canpipe-dkms
is "$(left_behind)" "" "nothing is left behind"

done_testing
