# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# TAP for the scripts that call tests/rig/run: each run is a subtest.
#
#   subtest NAME COMMAND...     one test point: the command's exit code; its output indented
#   rig NAME ARG...             a subtest: tests/rig/run --name NAME ARG...
#   rig_later NAME ARG...       the same, run by the next settle, two at a time
#   settle                      run what rig_later has been given (done_testing does it too)
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
_show_subtest() { # NAME RC FILE
	printf '# Subtest: %s\n' "$1"
	# a guest that gives up must not stop the runner
	sed 's/^Bail out!/# &/; s/^/    /' "$3"
	[ "$2" -eq 0 ] || grep -a -A3 -E '^(not ok|Bail out|[a-z-]+: )' "$3" | sed 's/^/# /' || :
	point "$2" "$1"
}

subtest() {
	local name=$1 rc=0 out
	shift
	out=$(mktemp)
	"$@" >"$out" 2>&1 || rc=$?
	_show_subtest "$name" "$rc" "$out"
	rm "$out"
}

# rig NAME ARG...: a subtest that is a run of that name
rig() {
	subtest "$1" "$RIG/run" --name "$1" "${@:2}"
}

_later=()

rig_later() {
	_later+=("${*@Q}")
}

settle() {
	local dir command i name rc
	[ "${#_later[@]}" -gt 0 ] || return 0
	dir=$(mktemp -d)
	for i in "${!_later[@]}"; do
		while [ "$(jobs -rp | wc -l)" -ge "${JOBS:-2}" ]; do
			wait -n || :
		done
		eval "command=(${_later[i]})"
		(
			rc=0
			"$RIG/run" --name "${command[@]}" >"$dir/$i" 2>&1 || rc=$?
			printf '%s\n' "$rc" >"$dir/$i.rc"
		) &
	done
	wait
	for i in "${!_later[@]}"; do
		eval "command=(${_later[i]})"
		name=${command[0]}
		read -r rc <"$dir/$i.rc"
		_show_subtest "$name" "$rc" "$dir/$i"
	done
	rm -r "$dir"
	_later=()
}

value() {
	jq -L "$RIG/../lib" -r "$2" "$RESULTS/$1.json"
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
	settle
	printf '1..%d\n' "$_points"
	[ "$_failed" -eq 0 ]
}
