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
	build_as "$next" "$ROOT/root/next"
	cp "$ROOT/root/next/canpipe-dkms_${next}_all.deb" "$ROOT/root/next.deb"
}
run "a next version is built" build_next

# Drivers that are loaded carry a bus that somebody uses: a root cannot load any, but it shows who
# would unload them, or load others.
watch_modules() {
	local tool
	for tool in modprobe rmmod insmod; do
		rm "$ROOT/usr/sbin/$tool"
		# kmod goes by its name
		ln -s /usr/bin/kmod "$ROOT/root/$tool"
		printf '#!/bin/sh\ncase "$*" in *--show-depends*|"-n "*|*" -n "*) ;; *) echo "%s $*" >>/root/loaded ;; esac\nexec /root/%s "$@"\n' \
			"$tool" "$tool" >"$ROOT/usr/sbin/$tool"
		chmod 755 "$ROOT/usr/sbin/$tool"
	done
	: >"$ROOT/root/loaded"
	inside rmmod canpipe_none 2>/dev/null || :
	[ "$(cat "$ROOT/root/loaded")" = "rmmod canpipe_none" ] || return 1
	: >"$ROOT/root/loaded"
}
run "loading and unloading is watched" watch_modules

run "apt installs the package" apt_install /root/canpipe-dkms.deb
is "$(inside modinfo -k "$NEWER" -F version c_can)" "$VERSION" "the version is $VERSION"
run "apt installs the next version" apt_install /root/next.deb
is "$(cat "$ROOT/root/loaded")" "" "no module was loaded or unloaded"
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
