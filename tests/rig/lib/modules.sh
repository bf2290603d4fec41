# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Kernel modules for the guests of the rig; to be sourced after tests/lib/debian.sh.
#
#   kernel_headers ARCH RELEASE              a directory to build modules for that kernel in
#   build_modules ARCH RELEASE SOURCE NAME   build a module tree, print the .ko files

_headers_suite() { # ARCH RELEASE: the suite that has this kernel
	local suite
	for suite in bookworm bookworm-backports trixie; do
		if [ -n "$(apt_field "$suite" "linux-headers-$2:$1" Version)" ]; then
			printf '%s\n' "$suite"
			return
		fi
	done
	die "no suite has linux-headers-$2 for $1"
}

_headers_make() { # ARCH RELEASE DIR
	local arch=$1 release=$2 dir=$3 suite common kbuild deb
	suite=$(_headers_suite "$arch" "$release")
	read -r common kbuild < <(apt_field "$suite" "linux-headers-$release:$arch" Depends |
		tr ',' '\n' | awk '/linux-headers-.*-common/ { c = $1 } /linux-kbuild/ { k = $1 }
			END { print c, k }')
	fetch_deb "$suite" "$dir.debs" "linux-headers-$release:$arch" "$common" \
		"${kbuild%%:*}:$HOST_ARCH"
	mkdir -p "$dir"
	for deb in "$dir.debs"/*.deb; do
		dpkg-deb -x "$deb" "$dir"
	done
	rm -r "$dir.debs"
	# The packages expect to be in /usr/src of the running system.
	sed -i "s|/usr/src/|$CACHE/headers/$release/usr/src/|" \
		"$dir/usr/src/linux-headers-$release/Makefile"
}

kernel_headers() {
	build_once "headers/$2" _headers_make "$1" "$2"
	printf '%s\n' "$CACHE/headers/$2/usr/src/linux-headers-$2"
}

build_modules() {
	local arch=$1 release=$2 source=$3 out=$TOP/build/rig/modules/$2/$4 headers log lock
	local -a cross=()
	headers=$(kernel_headers "$arch" "$release")
	[ "$arch" != arm64 ] || cross=(ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-)
	mkdir -p "$out"
	exec {lock}>"$out.lock"
	flock "$lock"
	# The source is copied so that the tree stays clean; unchanged files keep their objects.
	rsync -a --checksum --exclude='*.ko' --exclude='*.o' --exclude='.*.cmd' "$source/" "$out/"
	log=$out.log
	if ! make -C "$headers" M="$out" "${cross[@]}" CONFIG_DEBUG_INFO_BTF_MODULES= modules \
		>"$log" 2>&1; then
		cat "$log" >&2
		die "$4 does not build for $release"
	fi
	flock -u "$lock"
	find "$out" -name '*.ko'
}
