#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What the plugin and the wall-clock server cannot do they refuse, in a sentence.

set -eu -o pipefail

# shellcheck source-path=SCRIPTDIR source=selftest/lib.sh
. "$(dirname "$(readlink -f "$0")")/selftest/lib.sh"

# refuses TEXT PATTERN QEMU_TARGET QEMU_OPTION... -- PLUGIN_OPTION...
refuses() {
	local name=$1 pattern=$2 target=$3 rc=0
	local -a args=()
	shift 3
	while [ "$1" != -- ]; do
		args+=("$1")
		shift
	done
	shift
	QEMU_ARGS=(-nodefaults -display none "${args[@]}")
	qemu_args_plugin "$OUT/canpipe-rig.so" "$@"
	timeout 20 "$RIG/qemu" "$target" "${QEMU_ARGS[@]}" >"$WORK/out" 2>&1 || rc=$?
	ok "$name: QEMU ends with an error" test "$rc" -eq 1
	ok "$name: and says why" grep -q "^canpipe rig: .*$pattern" "$WORK/out"
}

good=("board=testdev" "sock=$WORK/sock")
refuses "two CPUs" "one CPU" x86_64 -M q35 -smp 2 -- "${good[@]}"
refuses "room for two CPUs" "one CPU" aarch64 -M virt -smp 1,maxcpus=2 -- "${good[@]}"
refuses "no board" "board=NAME is missing" x86_64 -M q35 -- "sock=$WORK/sock"
refuses "no socket" "sock=PATH is missing" x86_64 -M q35 -- board=testdev
refuses "an unknown board" "no such board" x86_64 -M q35 -- board=abacus "sock=$WORK/sock"
refuses "an unknown profile" "no such profile" x86_64 -M q35 -- "${good[@]}" profile=cray
refuses "an unknown option" "no such option" x86_64 -M q35 -- "${good[@]}" colour=red
refuses "a negative cost" "must be a number" x86_64 -M q35 -- "${good[@]}" read_ns=-1
refuses "instructions for free" "must be a number" x86_64 -M q35 -- "${good[@]}" insn_ns=0
refuses "a board's unknown option" "it has no option" x86_64 -M q35 -- "${good[@]}" \
	boardopt=colour=red
refuses "a board's wrong value" "slave=fish: wanted loopback" aarch64 -M virt -- board=rpi \
	"sock=$WORK/sock" boardopt=slave=fish
refuses "a socket in no directory" "No such file" x86_64 -M q35 -- board=testdev \
	"sock=$WORK/none/sock"
refuses "a socket with a long name" "at most" x86_64 -M q35 -- board=testdev \
	"sock=$WORK/$(printf 'x%.0s' {1..120})"
refuses "a peer without a script" "No such file" x86_64 -M q35 -- "${good[@]}" \
	"peer=$WORK/none"
printf 'dance\n' >"$WORK/peer"
refuses "a peer with a wrong script" "peer=$WORK/peer" x86_64 -M q35 -- "${good[@]}" \
	"peer=$WORK/peer"
refuses "a log that cannot be written" "log=" x86_64 -M q35 -- "${good[@]}" \
	"log=$WORK/none/log"

rc=0
"$OUT/canpipe-rig-wall" board=abacus "sock=$WORK/sock" 2>"$WORK/out" || rc=$?
is "$rc" 2 "the wall-clock server ends with an error too"
ok "and says why" grep -q 'no such board' "$WORK/out"
ok "it lists its boards and profiles" \
	sh -c "'$OUT/canpipe-rig-wall' --help | grep -q testdev"
finished
