# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# TAP for the scripts that call tests/rig/run: each run is a subtest.
#
#   subtest NAME COMMAND...     one test point: the command's exit code; its output indented
#   point RC NAME               one test point: RC is 0
#   value FILE FILTER           jq of a result
#   done_testing

RIG=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/..
RIG=$(readlink -f "$RIG")
TOP=$(readlink -f "$RIG/../..")
RESULTS=$TOP/build/results
_points=0 _failed=0

point() {
	_points=$((_points + 1))
	if [ "$1" -eq 0 ]; then
		printf 'ok %d - %s\n' "$_points" "$2"
	else
		_failed=$((_failed + 1))
		printf 'not ok %d - %s\n' "$_points" "$2"
	fi
}

# A failed subtest shows as comments too, for runners that hide what is indented.
subtest() {
	local name=$1 rc=0 out
	shift
	out=$(mktemp)
	"$@" >"$out" 2>&1 || rc=$?
	printf '# Subtest: %s\n' "$name"
	sed 's/^/    /' "$out"
	[ "$rc" -eq 0 ] || grep -a -A3 -E '^(not ok|Bail out|[a-z-]+: )' "$out" | sed 's/^/# /' || :
	rm "$out"
	point "$rc" "$name"
}

# rig NAME ARG...: a subtest that is a run of that name
rig() {
	subtest "$1" "$RIG/run" --name "$1" "${@:2}"
}

value() {
	jq -r "$2" "$RESULTS/$1.json"
}

# same GOT WANT NAME
same() {
	local rc=0
	[ "$1" = "$2" ] || rc=1
	point "$rc" "$3"
	[ "$rc" -eq 0 ] || printf "# got '%s', want '%s'\n" "$1" "$2"
}

# near GOT WANT TOLERANCE NAME: numbers
near() {
	local rc=0
	awk -v g="$1" -v w="$2" -v t="$3" 'BEGIN { d = g - w; exit !(d <= t && -d <= t) }' || rc=1
	point "$rc" "$4"
	[ "$rc" -eq 0 ] || printf '# got %s, want %s within %s\n' "$1" "$2" "$3"
}

done_testing() {
	printf '1..%d\n' "$_points"
	[ "$_failed" -eq 0 ]
}
