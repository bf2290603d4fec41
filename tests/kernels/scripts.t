#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# All scripts pass shellcheck, all texts codespell, all sources name their licence: of everything
# that is in the repository or not ignored by it.

set -eu -o pipefail

HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source-path=SCRIPTDIR source=../lib/debian.sh
. "$HERE/../lib/debian.sh"
# shellcheck source-path=SCRIPTDIR source=../package/tap.sh
. "$HERE/../package/tap.sh"

cd "$TOP"
if git rev-parse --git-dir >/dev/null 2>&1; then
	mapfile -t files < <(git ls-files --cached --others --exclude-standard | sort)
else
	mapfile -t files < <(find . -path ./.cache -prune -o -path ./build -prune -o -type f -printf '%P\n')
fi

scripts=()
texts=()
unlicensed=()
for file in "${files[@]}"; do
	[[ -f $file && ! -L $file ]] || continue
	grep -qI . "$file" || continue # binary or empty
	texts+=("$file")
	first=
	IFS= read -r first <"$file" || :
	case $first in
	'#!/bin/sh'* | '#!/bin/bash'* | '#!/usr/bin/env bash' | '# shellcheck shell='*)
		scripts+=("$file")
		;;
	esac
	case $file in
	src/*.[ch] | utils/*.[ch] | tests/*.[chS] | tests/*.t | *.sh | *Kbuild | *Makefile | *.dtsi | *.dts | \
		dkms.conf | udev/*.rules)
		head -n 5 "$file" | grep -q 'SPDX-License-Identifier: ' || unlicensed+=("$file")
		;;
	esac
done

check_scripts() {
	# SC1091: what a guest sources is not on this machine
	printf '%s\0' "${scripts[@]}" | xargs -0 -P 2 -n 8 shellcheck -x -e SC1091 -f gcc
}
run "shellcheck of ${#scripts[@]} scripts" check_scripts || :

# names of the field that look like misspelt words
run "codespell" codespell --ignore-words-list=sie,parm,dout,inout,ths,te,ba,fo,hsi,mis,datas,ser,ans,ot \
	"${texts[@]}" || :

is "${unlicensed[*]}" "" "each source file names its licence"
done_testing
