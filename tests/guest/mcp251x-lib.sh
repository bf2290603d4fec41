# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only
#
# For mcp251x-cases*.sh: what drivers of the MCP2515 are put through, one verdict a case. Our driver
# has to pass; what another one does is written down, in the same words, for the table that
# tests/rig/lib/cases.sh makes of it. To be sourced after lib.sh.

WINDOWS=''

# is_known CASE/WHAT: the test says that our driver fails there, in KNOWN, names with ; between
is_known() {
	case ";${KNOWN:-};" in
	*";$1;"*) return 0 ;;
	esac
	return 1
}

# judge CASE WHAT RC FIGURES
judge() {
	if [ "$3" -eq 0 ]; then
		result "$1/$2" "pass $4"
		! is_known "$1/$2" || diag "$1/$2 passes: take it off the list of what is known to fail"
		pass "$1 $2: $4"
		return
	fi
	result "$1/$2" "FAIL $4"
	if [ "$RIG_DRIVER" != canpipe ]; then
		pass "$1 $2: this driver FAILS: $4"
	elif is_known "$1/$2"; then
		pass "$1 $2: FAILS, as is known: $4"
	else
		fail "$1 $2: $4"
	fi
}

# judge_if CASE WHAT FIGURES COMMAND...: passes when the command succeeds
judge_if() {
	_case=$1 _what=$2 _figures=$3
	shift 3
	_rc=0
	"$@" >/dev/null 2>&1 || _rc=1
	judge "$_case" "$_what" $_rc "$_figures"
}

# window_start; window_stop NAME: a measurement of the rig, .windows.NAME of the result
window_start() {
	rigctl measure start
}

window_stop() {
	rigctl measure stop
	WINDOWS="$WINDOWS${WINDOWS:+ }$1"
}

of_listener() { # NAME: of what cancheck or cansweep has printed
	sed -n "s/^RESULT $1=//p" /tmp/rx
}

# listen CANCHECK-OPTION...
listen() {
	rm -f /tmp/ready
	cancheck -R /tmp/ready "$@" can0 >/tmp/rx 2>&1 &
	listener=$!
	wait_for 10 test -e /tmp/ready || diag "cancheck does not start"
}

# figures: of the last listener that has ended, on one line
figures() {
	sed -n 's/^RESULT \(.*\)=/\1 /p' /tmp/rx | tr '\n' ',' | sed 's/,$//; s/,/, /g'
}

# burst CASE WHAT WINDOW SIGNAL FRAMES CANCHECK-OPTION...: the peer sends FRAMES; none may be lost
burst() {
	burst_case=$1 burst_what=$2 burst_window=$3 burst_signal=$4 burst_frames=$5
	shift 5
	over=$(stat_of rx_over_errors)
	listen -n "$burst_frames" -t 50 -s 1000 "$@"
	window_start
	rigctl signal "$burst_signal"
	wait "$listener"
	settle_down
	window_stop "$burst_window"
	over=$(($(stat_of rx_over_errors) - over))
	result "${burst_window}_sent" "$burst_frames"
	result "${burst_window}_received" "$(of_listener received)"
	result "${burst_window}_over" "$over"
	[ "$(of_listener received) $(of_listener lost) $over" = "$burst_frames 0 0" ] &&
		[ "$(of_listener swapped) $(of_listener duplicated)" = "0 0" ]
	judge "$burst_case" "$burst_what" $? "$(figures), overruns counted $over"
}

# until the peers' current command is over and the driver has served what came: the bus is quiet
settle_down() {
	while :; do
		_sent=$(rigctl get sent)
		sleep 0.01
		[ "$(rigctl get sent)" != "$_sent" ] || return 0
	done
}

# afresh: whatever state the driver is in
afresh() {
	ip link set can0 down 2>/dev/null
	modprobe -r mcp251x
	modprobe mcp251x
	wait_for 5 test -e /sys/class/net/can0
}

# alive SIGNAL ID: one frame of the peer comes, one of ours goes
alive() {
	_before=$(rigctl get received)
	listen -n 1 -f "$2" -1 -l 1 -t 500 -s 500
	rigctl signal "$1"
	wait "$listener"
	cansend can0 5F0#11 2>/dev/null
	sleep 0.05
	[ "$(of_listener received)" = 1 ] && [ "$(rigctl get received)" -gt "$_before" ]
}

# cases_done: the end of a scenario
cases_done() {
	[ -z "$WINDOWS" ] || result windows "$WINDOWS"
	tap_done
}
