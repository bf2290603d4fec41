# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# shellcheck disable=SC2034 # variables are for the tests that source this
#
# For tests that install the package: a throwaway Debian with two kernels ($OLDER, $NEWER),
# their headers and DKMS, the package in it as /root/canpipe-dkms.deb, and questions to it.
# To be sourced after "cd" to the top of the tree.

# A failed step in $(...) is a failed step.
shopt -s inherit_errexit

# shellcheck source-path=SCRIPTDIR source=tap.sh
. tests/package/tap.sh
# shellcheck source-path=SCRIPTDIR source=../lib/debian.sh
. tests/lib/debian.sh

need_root "to install packages in a throwaway root"

VERSION=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' dkms.conf)
DEB=build/deb/canpipe-dkms_${VERSION}_all.deb
# Modules that an amd64 kernel hosts: it has no device tree.
MODULES='c_can c_can_pci mcp251x'

# Tests of several minutes run only in "make check-package".
long_only() {
	[ "${CANPIPE_LONG:-0}" = 1 ] || skip_all "takes long: make check-package"
}

# The package of the tree as it is now: "make check" has just built it, a lone test may not have.
package_build() {
	if [ ! -e "$DEB" ] || [ -n "$(find Kbuild dkms.conf src debian man config utils -newer "$DEB" -print -quit)" ]; then
		debian/make-deb build/deb
	fi
}

# flow_start COMMAND...: mount a throwaway copy of the root whose directory the command prints, and
# set $ROOT, $OLDER and $NEWER.
flow_start() {
	local base dir kernels
	base=$("$@")
	package_build
	dir=$(mktemp -d "$CACHE/package.XXXXXX")
	on_exit rm -rf --one-file-system "$dir"
	overlay_mount "$base" "$dir"
	ROOT=$dir/root
	mapfile -t kernels < <(find "$ROOT/lib/modules/" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -V)
	OLDER=${kernels[0]}
	NEWER=${kernels[-1]}
	cp "$DEB" "$ROOT/root/canpipe-dkms.deb"
}

inside() {
	root_run "$ROOT" "$@"
}

# apt_install PACKAGE...: apt-get install; when it fails, with the log of a build that failed.
apt_install() {
	inside apt-get install -q -y --no-install-recommends -o Dpkg::Progress-Fancy=0 "$@" || {
		tail -n 30 "$ROOT"/var/lib/dkms/canpipe/*/build/make.log
		return 1
	}
}

# All packages whose names match the patterns, without a look at what depends on them.
purge_now() {
	local list
	# shellcheck disable=SC2016 # dpkg-query expands these
	mapfile -t list < <(inside dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' "$@" |
		sed -n 's/^.i *//p')
	inside dpkg --purge --force-depends "${list[@]}"
}

# status KERNEL: what DKMS says of the package there: added, built, installed; empty if unknown.
status() {
	# DKMS lets readelf complain about modules without a compiler's comment.
	inside dkms status -m canpipe -k "$1" 2>/dev/null | sed -n 's/.*: \([a-z]*\).*/\1/p'
}

# where KERNEL MODULE: the file that modprobe would load, below /lib/modules/KERNEL; without the
# suffix of a compressed one
where() {
	local file
	file=$(inside modinfo -k "$1" -n "$2" 2>/dev/null) || return 0
	file=${file#/usr}
	sed -E -e 's/\.(gz|xz|zst)$//' <<<"${file#/lib/modules/"$1"/}"
}

# initramfs_modules KERNEL: the modules of that kernel that an initramfs of this root holds
initramfs_modules() {
	inside env -u INITRD mkinitramfs -o /root/initrd "$1" >/dev/null 2>&1 &&
		inside lsinitramfs /root/initrd | sed -n -E 's|.*/([^/]*)\.ko(\.[a-z]*)?$|\1|p' | sort
}

# Everything of ours that DKMS or dpkg has left anywhere; empty if there is nothing.
left_behind() {
	find "$ROOT"/lib/modules/*/ \( -name 'c_can*.ko*' -o -name 'canpipe*' -o -path '*/updates/*' \)
	find "$ROOT/var/lib/dkms" "$ROOT/usr/src" "$ROOT/etc/modprobe.d" -maxdepth 1 -name '*canpipe*'
	grep -HE '(/c_can[a-z_]*|canpipe_none)\.ko' "$ROOT"/lib/modules/*/modules.dep || true
}

package_state() {
	# shellcheck disable=SC2016 # dpkg-query expands this
	inside dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || echo absent
}

# build_as VERSION DIR: the packages of this tree as if it were that version
build_as() (
	tree=$(mktemp -d)
	on_exit rm -rf "$tree"
	tar -c --exclude=./.git --exclude=./.cache --exclude=./build . | tar -x -C "$tree"
	sed -i "s/^PACKAGE_VERSION=.*/PACKAGE_VERSION=\"$1\"/" "$tree/dkms.conf"
	sed -i "1s/(.*)/($1)/" "$tree/debian/changelog"
	CANPIPE_CACHE=$CACHE "$tree/debian/make-deb" "$2"
)

_fetch_debs() { # SUITE PACKAGE... DIR
	fetch_deb "$1" "${@: -1}" "${@:2:$#-2}"
}

# kept_debs NAME SUITE PACKAGE...: fetch them once, print the directory that they are in
kept_debs() {
	build_once "debs/$1" _fetch_debs "${@:2}"
	echo "$CACHE/debs/$1"
}

# kernel_debs SUITE RELEASE: the same for that kernel and its headers
kernel_debs() {
	kept_debs "kernel-$2" "$1" "linux-image-$2" "linux-headers-$2" "linux-headers-${2%-*}-common" \
		"$(kernel_field "$1" "linux-headers-$2" amd64 Depends | grep -o -E 'linux-kbuild-[^ ,]*')"
}
