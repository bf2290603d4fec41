#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The same on Debian 11 and 13: one .deb for all three, and DKMS 2.8.4 and 3.2.2 beside 3.0.10,
# which differ in what they do with a module of the kernel's own, and with kernels 5.10 and 7.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=install.sh
. tests/package/install.sh

long_only

make_bullseye() {
	timed "root package-bullseye" make_root "$1" bullseye --variant=apt --skip=cleanup/apt/lists \
		--include=dkms,kmod,linux-image-amd64,linux-headers-amd64
}

# The newer kernel wants the linux-base of its own suite.
make_trixie() {
	local newer
	newer=$(kernel_release trixie-backports amd64 amd64)
	timed "root package-trixie" make_root "$1" trixie+trixie-backports --variant=apt --skip=cleanup/apt/lists \
		--include=dkms,kmod,linux-image-amd64,linux-headers-amd64 \
		--include="linux-base/trixie-backports,linux-image-$newer,linux-headers-$newer"
}

# root SUITE: make it if it is not in the cache, and print its directory
root() {
	build_once "roots/package-$1" "make_$1"
	echo "$CACHE/roots/package-$1"
}

check_install root bullseye
check_install root trixie
done_testing
