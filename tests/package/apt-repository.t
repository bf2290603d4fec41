#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# From a signed apt repository: "apt upgrade" brings a newer canpipe and a newer kernel in one go.
# Both kernels end up with the newer version's modules, and nothing of the older one is left. The
# kernels are Debian's, which metapackages ask for, as they do everywhere.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=flow.sh
. tests/package/flow.sh

long_only
flow_start tests/rig/guest-root bookworm-amd64

previous=0.0.1
work=$(mktemp -d)
on_exit rm -rf "$work"
repo=$work/repo
mkdir -p "$repo/pool" "$work/gpg"
export GNUPGHOME=$work/gpg
on_exit gpgconf --kill gpg-agent

make_key() {
	gpg --quiet --batch --passphrase '' --quick-generate-key 'throwaway <nobody@canpipe.invalid>' \
		ed25519 sign
	mkdir -p "$ROOT/etc/apt/keyrings"
	gpg --quiet --batch --output "$ROOT/etc/apt/keyrings/canpipe.gpg" --export
}

# metapackage NAME VERSION DEPENDS
metapackage() {
	mkdir -p "$work/meta/DEBIAN"
	printf '%s\n' "Package: $1" "Version: $2" "Architecture: amd64" "Depends: $3" \
		"Maintainer: canpipe maintainers <maintainers@canpipe.invalid>" \
		"Description: the newest kernel" >"$work/meta/DEBIAN/control"
	dpkg-deb --root-owner-group --build "$work/meta" "$repo/pool/$1_${2}_amd64.deb"
}

# add_kernel SUITE RELEASE: its packages, and the metapackages that stand for it from now on
add_kernel() {
	local version debs
	debs=$(kernel_debs "$1" "$2")
	version=$(dpkg-deb -f "$debs/linux-image-$2"_*.deb Version)
	cp "$debs"/*.deb "$repo/pool"
	metapackage linux-image-amd64 "$version" "linux-image-$2 (= $version)"
	metapackage linux-headers-amd64 "$version" "linux-headers-$2 (= $version)"
}

publish() (
	cd "$repo"
	rm -f InRelease
	mkdir -p dists/stable/main/binary-amd64
	apt-ftparchive packages pool >dists/stable/main/binary-amd64/Packages
	apt-ftparchive -o APT::FTPArchive::Release::Codename=stable \
		-o APT::FTPArchive::Release::Architectures=amd64 \
		-o APT::FTPArchive::Release::Components=main release dists/stable >"$work/Release"
	gpg --quiet --batch --yes --clearsign --output dists/stable/InRelease "$work/Release"
	chmod -R a+rX "$work/repo"
)

# apt_with ARG...: apt with the repository, and without the Debian archive
apt_with() {
	root_run -r "$repo:/srv/canpipe" "$ROOT" apt -q -o Dpkg::Progress-Fancy=0 "$@"
}

# Everything that apt knows is in the repository.
only_ours() {
	rm -f "$ROOT/etc/apt/sources.list"
	printf '%s\n' 'Types: deb' 'URIs: file:/srv/canpipe' 'Suites: stable' 'Components: main' \
		'Signed-By: /etc/apt/keyrings/canpipe.gpg' >"$ROOT/etc/apt/sources.list.d/canpipe.sources"
}

# the versions that DKMS knows of, and in what state for which kernel
dkms_all() {
	inside dkms status 2>/dev/null | sed -E 's|^canpipe/([^,]*), ([^,]*), .*: ([a-z]*).*|\1 \2 \3|' | sort
}

# check_kernel KERNEL VERSION: all modules of that version, and of that kernel
check_kernel() {
	local module
	for module in $MODULES; do
		is "$(where "$1" "$module")" "updates/dkms/$module.ko" "$1: modprobe takes our $module"
		is "$(inside modinfo -k "$1" -F version "$module")" "$2" "$1: $module is $2"
		like "$(inside modinfo -k "$1" -F vermagic "$module")" "^${1//+/.} " "$1: $module is built for it"
	done
}

# what DKMS and dpkg keep below a name with that version
named_after() {
	find "$ROOT/usr/src" "$ROOT/var/lib/dkms" -name "*$1*" -path '*canpipe*' -prune
}

version_of() {
	# shellcheck disable=SC2016 # dpkg-query expands this
	inside dpkg-query -W -f '${db:Status-Status} ${Version}' "$1" 2>/dev/null || echo absent
}

run "the root's own kernels go" purge_now 'linux-image-*' 'linux-headers-*' 'linux-kbuild-*'
run "the repository has a key" make_key
only_ours
run "the version before is built" build_as "$previous" "$repo/pool"
rm -f "$repo"/pool/*.{log,dsc,changes,buildinfo,tar.*}
# Kernels recommend it, and "apt upgrade" keeps back what recommends a package that is nowhere.
cp "$(kept_debs apparmor bookworm apparmor)"/*.deb "$repo/pool"
run "the repository gets the older kernel" add_kernel bookworm "$OLDER"
run "the repository is published" publish

run "apt update" apt_with update
run "apt install canpipe-dkms and a kernel" apt_with install -y canpipe-dkms linux-image-amd64 \
	linux-headers-amd64
is "$(version_of canpipe-dkms)" "installed $previous" "canpipe-dkms is $previous"
is "$(version_of canpipe-utils)" "installed $previous" "canpipe-utils came with it"
is "$(dkms_all)" "$previous $OLDER installed" "DKMS has built it for $OLDER"
check_kernel "$OLDER" "$previous"
like "$(named_after "$previous")" "/usr/src/canpipe-$previous\$" "the source of $previous is there"

cp build/deb/canpipe-*_"$VERSION"_{all,amd64}.deb "$repo/pool"
run "the repository gets the newer kernel and this canpipe" add_kernel bookworm-backports "$NEWER"
run "the repository is published again" publish
run "apt update" apt_with update
run "apt upgrade" apt_with upgrade -y
is "$(inside dpkg --audit)" "" "dpkg finds nothing half done"
is "$(version_of canpipe-dkms)" "installed $VERSION" "canpipe-dkms is $VERSION"
is "$(version_of canpipe-utils)" "installed $VERSION" "canpipe-utils is $VERSION"
for package in "linux-image-$NEWER" "linux-headers-$NEWER" "linux-image-$OLDER"; do
	is "$(package_state "$package")" installed "$package is installed"
done
is "$(dkms_all)" "$(printf '%s\n' "$VERSION $OLDER installed" "$VERSION $NEWER installed")" \
	"DKMS has built it for both kernels, and knows no other version"
for kernel in "$OLDER" "$NEWER"; do
	check_kernel "$kernel" "$VERSION"
done
is "$(named_after "$previous")" "" "no file of $previous is left"
is "$(find "$ROOT/lib/modules" -path '*/updates/*' -type f -printf '%f\n' | sort)" \
	"$(for module in $MODULES; do printf '%s.ko\n' "$module" "$module"; done)" \
	"no other module lies in updates/"
like "$(inside canpipe --version)" " ${VERSION//./\\.}\$" "canpipe, the helper, is $VERSION"

run "apt purges the packages" apt_with purge -y canpipe-dkms canpipe-utils
is "$(left_behind)" "" "nothing is left behind"

done_testing
