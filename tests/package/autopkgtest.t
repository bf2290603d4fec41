#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What Debian's own tests of DKMS packages do ("Testsuite: autopkgtest-pkg-dkms"), by their script,
# with the package in an archive of its own: installed, built and removed for each kernel that has
# headers.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=flow.sh
. tests/package/flow.sh

long_only

make_archive() {
	mkdir "$ROOT/root/archive"
	cp "$DEB" "$ROOT/root/archive"
	(cd "$ROOT/root/archive" && dpkg-scanpackages . >Packages 2>/dev/null)
	echo 'deb [trusted=yes] file:/root/archive ./' >"$ROOT/etc/apt/sources.list.d/archive.list"
	inside apt-get update -o Dir::Etc::sourcelist=sources.list.d/archive.list \
		-o Dir::Etc::sourceparts=- -o APT::Get::List-Cleanup=0
}

like "$(grep '^Testsuite:' debian/control)" '^Testsuite: autopkgtest-pkg-dkms$' "the package asks for it"
for release in bookworm trixie; do
	flow_start tests/rig/guest-root "$release-amd64"
	run "$release: the package is in an archive" make_archive
	run "$release: openssl, which the script wants" apt_install openssl
	said=$(inside /usr/lib/dkms/dkms-autopkgtest canpipe-dkms 2>&1) && rc=0 || rc=$?
	is "$rc" 0 "$release: dkms-autopkgtest is content"
	[ "$rc" -eq 0 ] || diag "$(tail -n 40 <<<"$said")"
	is "$(grep -c '^I: PASS' <<<"$said")" "$(printf '%s\n' "$OLDER" "$NEWER" | uniq | wc -l)" \
		"$release: it has built for each kernel"
	is "$(grep -E '^(E:|I: (SKIP|FAIL))' <<<"$said")" "" "$release: and skipped none"
done

done_testing
