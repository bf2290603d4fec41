# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# TAP for the tests of this directory: ok, is, run, skip, and the plan at the end.

tap_count=0
tap_failed=0

diag() {
	echo "# ${*//$'\n'/$'\n# '}"
}

# ok STATUS NAME: a test that passed if STATUS is 0
ok() {
	tap_count=$((tap_count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $tap_count - $2"
	else
		echo "not ok $tap_count - $2"
		tap_failed=$((tap_failed + 1))
	fi
}

# is GOT WANTED NAME: the two texts are equal
is() {
	if [ "$1" = "$2" ]; then
		ok 0 "$3"
	else
		ok 1 "$3"
		diag "$(diff -u --label wanted --label got <(echo "$2") <(echo "$1"))"
	fi
}

# like GOT REGEX NAME: the text has a line that matches the extended regular expression
like() {
	if grep -qE -- "$2" <<<"$1"; then
		ok 0 "$3"
	else
		ok 1 "$3"
		diag "no line matches '$2' in:"
		diag "$1"
	fi
}

# run NAME COMMAND...: the command succeeds; if not, its output shows
run() {
	local name=$1 output
	shift
	if output=$("$@" 2>&1); then
		ok 0 "$name"
	else
		ok 1 "$name"
		diag "$*:"
		diag "$(tail -n 40 <<<"$output")"
		return 1
	fi
}

skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

# The plan comes last, and only from a script that ran to its end.
done_testing() {
	echo "1..$tap_count"
	[ "$tap_failed" -eq 0 ]
}
