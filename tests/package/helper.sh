# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# For tests of the helper on this machine: builds it, $canpipe, and makes a directory, $out, that goes
# at the end. To be sourced after "cd" to the top of the tree and tap.sh.
# shellcheck disable=SC2034 # variables are for the tests that source this

make -s -C utils
canpipe=$PWD/build/utils/canpipe
out=$(mktemp -d)
trap 'rm -r "$out"' EXIT

# exits CODE NAME ARG...: what canpipe, called with the $words before these,
# exits with; its stdout and stderr go to $out
words=()
exits() {
	local want=$1 name=$2 rc=0
	shift 2
	"$canpipe" "${words[@]}" "$@" >"$out/out" 2>"$out/err" || rc=$?
	is "$rc" "$want" "$name"
}

# said REGEX NAME: the last one has
said() {
	like "$(cat "$out/out" "$out/err")" "$1" "$2"
}
