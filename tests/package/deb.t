#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The packages themselves: what is in them, what they ask for, that they can be built again to the
# same bits, lintian.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=tap.sh
. tests/package/tap.sh
# shellcheck source-path=SCRIPTDIR source=../lib/debian.sh
. tests/lib/debian.sh

tmp=$(mktemp -d)
on_exit rm -rf "$tmp"
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' dkms.conf)
dkms=canpipe-dkms_${version}_all.deb
utils=canpipe-utils_${version}_amd64.deb

# The other architectures are compiled in roots of their own.
architectures=(all amd64)
[ "${CANPIPE_LONG:-0}" != 1 ] || architectures+=(arm64 armhf)

# for later
copy=$tmp/copy
git -c safe.directory="$PWD" ls-files -z | while IFS= read -r -d '' file; do
	[ ! -e "$file" ] || printf '%s\0' "$file"
done | tar --null -T - -cf - | (umask 077 && mkdir "$copy" && tar -C "$copy" -xf - --touch --no-same-permissions)
run "debian/make-deb builds ${architectures[*]}" debian/make-deb "$tmp/one" "${architectures[@]}"
is "$(cd "$tmp/one" && printf '%s\n' canpipe* | sort)" "$({
	printf "canpipe_$version%s\n" .dsc .tar.xz _{all,amd64}.{buildinfo,changes}
	printf '%s\n' "$dkms" "$utils"
	[ "${CANPIPE_LONG:-0}" != 1 ] || printf '%s\n' "canpipe-utils_$version"_{arm64,armhf}.deb \
		"canpipe_$version"_{arm64,armhf}.{buildinfo,changes}
} | sort)" "binaries, source, and their papers"

# Each file, and no other: the modules' sources as git has them; the helper, overlays, documents.
files() {
	dpkg-deb --fsys-tarfile "$tmp/one/$1" | tar -t | sed -n 's|^\.\(/.*[^/]\)$|\1|p' | sort
}
is "$(files "$dkms")" "$({
	git -c safe.directory="$PWD" ls-files Kbuild dkms.conf src | sed "s|^|/usr/src/canpipe-$version/|"
	printf '/usr/share/doc/canpipe-dkms/%s\n' README.Debian.gz changelog.gz copyright
	echo /usr/lib/udev/rules.d/85-canpipe.rules
	echo /usr/share/lintian/overrides/canpipe-dkms
} | sort)" "the files of canpipe-dkms"
is "$(files "$utils")" "$({
	echo /usr/bin/canpipe
	echo /usr/lib/systemd/system/canpipe@.service
	echo /usr/share/lintian/overrides/canpipe-utils
	echo /usr/share/bash-completion/completions/canpipe
	printf '/usr/share/man/man4/%s.4.gz\n' c_can mcp251x spi-bcm2835dma
	printf '/usr/share/man/man%s.gz\n' 7/canpipe.7 8/canpipe.8
	printf '/usr/share/canpipe/overlays/%s.dtbo\n' canpipe-mcp2515 canpipe-spi0-dma
	printf '/usr/share/doc/canpipe-utils/%s\n' changelog.gz copyright \
		examples/{c_can,mcp251x,spi-bcm2835dma}.conf examples/70-canpipe-hat{0,1}.link \
		examples/80-canpipe-can0.network examples/canpipe-can0.ifupdown
} | sort)" "the files of canpipe-utils"

# dh_dkms writes the maintainer scripts; by hand there is none.
control() {
	dpkg-deb --ctrl-tarfile "$tmp/one/$1" | tar -t | sed 's|^\./||' | sort | xargs
}
is "$(control "$dkms")" "control md5sums postinst prerm" "control files of canpipe-dkms"
is "$(control "$utils")" "control md5sums" "control files of canpipe-utils"
is "$(find debian -regextype posix-extended -regex '.*[./](preinst|postinst|prerm|postrm)')" "" \
	"no maintainer script is written by hand"

# Debian 11 is the oldest, and must not be asked for more than it has.
is "$(dpkg-deb -f "$tmp/one/$dkms" Architecture Depends)" \
	"Architecture: all"$'\n'"Depends: kmod, dkms (>= 2.1.0.0)" \
	"canpipe-dkms installs with the DKMS of Debian 11 and later"
like "$(dpkg-deb -f "$tmp/one/$dkms" Recommends)" '(^|, )canpipe-utils,' "... and recommends the helper"
is "$(dpkg-deb -f "$tmp/one/$dkms" Version)" "$(dpkg-deb -f "$tmp/one/$utils" Version)" \
	"both have one version"
# lacks SUITE PACKAGE: which of the package's dependencies the suite cannot meet
lacks() {
	local package operator wanted
	local -A has=()
	local -a depends=() names=()
	mapfile -t depends < <(dpkg-deb -f "$tmp/one/$2" Depends | tr ',' '\n' | tr -d '()')
	mapfile -t names < <(printf '%s\n' "${depends[@]}" | awk '{ print $1 }')
	while read -r package operator; do
		has[$package]=$operator
	done < <(apt_in "$1" apt-cache --no-all-versions show "${names[@]}" 2>/dev/null |
		sed -n '/^Package: /{s///;h}; /^Version: /{s///;H;x;s/\n/ /;p}')
	while read -r package operator wanted; do
		dpkg --compare-versions "${has[$package]:-0}" "${operator:-gt}" "${wanted:-0}" ||
			echo "$package $operator $wanted: ${has[$package]:-none}"
	done < <(printf '%s\n' "${depends[@]}")
}
suites=(bullseye)
[ "${CANPIPE_LONG:-0}" != 1 ] || suites+=(bookworm trixie)
for suite in "${suites[@]}"; do
	is "$(lacks "$suite" "$utils")" "" "$suite has what canpipe-utils depends on"
done
for deb in "$tmp/one"/canpipe-utils_*.deb; do
	dpkg-deb -x "$deb" "$tmp/utils-${deb##*_}"
	newest=$(readelf -W -V "$tmp/utils-${deb##*_}/usr/bin/canpipe" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
	is "$(printf '%s\n' "$newest" GLIBC_2.31 | sort -V | tail -n 1)" GLIBC_2.31 \
		"${deb##*_} runs with the C library of Debian 11 ($newest)"
done
is "$("$tmp/utils-amd64.deb/usr/bin/canpipe" --version)" "canpipe $version" "the program runs here"

# Once more from a copy elsewhere, with other times, another umask, language and time zone, and
# with files that git does not know: what is left of a build, and what an editor leaves.
again() {
	cd "$copy"
	git init -q .
	git add -f .
	touch src/c_can/c_can.o src/c_can/left-over.c debian/canpipe-dkms.postinst~ left-over
	find . -name '*.c' -exec touch -d 2001-02-03 {} +
	umask 077
	LC_ALL=C TZ=Pacific/Auckland CANPIPE_CACHE=$CACHE debian/make-deb "$tmp/two" "${architectures[@]}"
}
run "it builds from a copy with untracked files" again
for file in "canpipe_$version.tar.xz" "canpipe_$version.dsc" "$tmp/one"/*.deb; do
	file=${file##*/}
	is "$(cd "$tmp/two" && sha256sum "$file")" "$(cd "$tmp/one" && sha256sum "$file")" \
		"$file: the same bits"
done

if command -v lintian >/dev/null; then
	for changes in "$tmp/one"/*.changes; do
		is "$(lintian --allow-root -EvIL +pedantic --fail-on warning "$changes" 2>&1; echo "exit $?")" \
			"exit 0" "lintian has nothing to say about ${changes##*/}"
	done
else
	ok 1 "lintian is missing: run tests/lib/setup"
fi

done_testing
