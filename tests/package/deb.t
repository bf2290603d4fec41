#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The package itself: what is in it, that it can be built again to the same bits, lintian.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=tap.sh
. tests/package/tap.sh

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' dkms.conf)
deb=canpipe-dkms_${version}_all.deb

run "debian/make-deb builds it" debian/make-deb "$tmp/one"
is "$(cd "$tmp/one" && echo canpipe*)" \
	"canpipe-dkms_${version}_all.deb canpipe_$version.dsc canpipe_$version.tar.xz canpipe_${version}_amd64.buildinfo canpipe_${version}_amd64.changes" \
	"binary, source, and the papers of both"

# Each file, and no other: the modules' sources as git has them, overlays, and the documents.
wanted=$(
	git -c safe.directory="$PWD" ls-files Kbuild dkms.conf src | sed "s|^|/usr/src/canpipe-$version/|"
	printf '/usr/share/doc/canpipe-dkms/%s\n' README.Debian changelog.gz copyright \
		examples/c_can.conf examples/mcp251x.conf examples/spi-bcm2835dma.conf
	printf '/usr/share/man/man4/%s.4.gz\n' c_can mcp251x spi-bcm2835dma
	printf '/usr/share/canpipe/overlays/%s.dtbo\n' canpipe-mcp2515 canpipe-spi0-dma
	echo /usr/share/lintian/overrides/canpipe-dkms
)
is "$(dpkg-deb --fsys-tarfile "$tmp/one/$deb" | tar -t | sed -n 's|^\.\(/.*[^/]\)$|\1|p' | sort)" \
	"$(sort <<<"$wanted")" "the files of the package"

# dh_dkms writes the maintainer scripts; by hand there is none.
is "$(dpkg-deb --ctrl-tarfile "$tmp/one/$deb" | tar -t | sed 's|^\./||' | sort | xargs)" \
	"control md5sums postinst prerm" "its control files"
is "$(find debian -regextype posix-extended -regex '.*[./](preinst|postinst|prerm|postrm)')" "" \
	"no maintainer script is written by hand"
is "$(dpkg-deb -f "$tmp/one/$deb" Architecture Depends)" \
	"Architecture: all"$'\n'"Depends: kmod, dkms (>= 2.1.0.0)" \
	"installs with the DKMS of Debian 11 and later"

# Once more from a copy elsewhere, with other times, another umask, language and time zone, and
# with files that git does not know: what is left of a build, and what an editor leaves.
copy=$tmp/copy
git -c safe.directory="$PWD" ls-files -z | while IFS= read -r -d '' file; do
	[ ! -e "$file" ] || printf '%s\0' "$file"
done | tar --null -T - -cf - | (umask 077 && mkdir "$copy" && tar -C "$copy" -xf - --touch --no-same-permissions)
again() {
	cd "$copy"
	git init -q .
	git add -f .
	touch src/c_can/c_can.o src/c_can/left-over.c debian/canpipe-dkms.postinst~ left-over
	find . -name '*.c' -exec touch -d 2001-02-03 {} +
	umask 077
	LC_ALL=C TZ=Pacific/Auckland debian/make-deb "$tmp/two"
}
run "it builds from a copy with untracked files" again
for file in "$deb" "canpipe_$version.tar.xz" "canpipe_$version.dsc"; do
	is "$(cd "$tmp/two" && sha256sum "$file")" "$(cd "$tmp/one" && sha256sum "$file")" \
		"$file: the same bits"
done

if command -v lintian >/dev/null; then
	is "$(lintian --allow-root -EvIL +pedantic --fail-on warning "$tmp/one"/*.changes 2>&1; echo "exit $?")" \
		"exit 0" "lintian has nothing to say"
else
	ok 1 "lintian is missing: run tests/lib/setup"
fi

done_testing
