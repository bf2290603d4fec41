# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Cases that drivers of the MCP2515 go through (tests/guest/mcp251x-lib.sh), several drivers beside
# each other. To be sourced after tap.sh.
#
#   ours NAME ARG...        rig_later for ours over spi-bcm2835dma (NAME-ours)
#   both NAME ARG...        that, and the kernel's own drivers (NAME-in-tree)
#   compared NAME ARG...    ours; with CANPIPE_LONG=1 both
#                           All three add the names to the array runs.
#                           known=(CASE/WHAT...): where ours fails for the time being; the table says FAIL,
#                           the test does not fail for it
#   ours_stock NAME ARG...  rig_later for ours over the kernel's SPI driver (NAME-stock)
#   account NAME            test points: in each window with figures of the peer and the listener,
#                           sent = delivered + lost by the chip + dropped by the driver
#   unprovoked CASE WHAT WHY   a line for the table: this rig cannot do it
#   cases_table NAME...     print the table of these runs, write build/results/NAME-table.json of the
#                           first one
# shellcheck disable=SC2016 # $c and the like are jq's

# windows in both figures: what the peer has sent is what the application got and what the chip
# says that it has lost, and no read of a buffer that was not full
_ACCOUNT='
	.guest as $g | .windows // {} | to_entries[]
	| select($g[.key + "_sent"] != null)
	| .key as $k | .value.counters as $c
	| ($g[$k + "_sent"]) as $sent | ($g[$k + "_received"]) as $received
	| (if $g.filtered then $c.cs0_rx_filtered else 0 end) as $filtered
	| select($c.cs0_rx_valid != $sent
		or $sent != $c.cs0_rx_stored + $c.cs0_rx_overflow + $filtered
		or $received != $c.cs0_rx_stored
		or (($c.cs0_rx_overflow > 0) != ($g[$k + "_over"] > 0))
		or $c.cs0_unsafe_reads != 0 or $c.cs0_spi_ignored != 0
		or $c.cs0_fault_disable != 0 or $c.cs0_spi_fast_bytes != 0)
	| "\($k): sent \($sent), heard \($c.cs0_rx_valid), stored \($c.cs0_rx_stored), lost by the chip \($c.cs0_rx_overflow), of which the driver counts \($g[$k + "_over"]), received \($received), unsafe reads \($c.cs0_unsafe_reads)"'

_table=$(mktemp)
on_table_exit() {
	rm -f "$_table"
}
trap on_table_exit EXIT

known=()

_known() { # names with ; between
	local IFS=';'
	printf '%s' "${known[*]}"
}

runs=()

ours() {
	local name=$1
	shift
	runs+=("$name-ours")
	rig_later "$name-ours" --board rpi --driver canpipe --dt spi-dma --dt mcp2515 "$@" \
		--set "KNOWN=$(_known)" ${CASES_MODULES:+--modules "$CASES_MODULES"}
}

both() {
	ours "$@"
	runs+=("$1-in-tree")
	rig_later "$1-in-tree" --board rpi --driver in-tree --dt mcp2515 "${@:2}"
}

compared() {
	if [ -n "${CANPIPE_LONG:-}" ]; then
		both "$@"
	else
		ours "$@"
	fi
}

ours_stock() {
	local name=$1
	shift
	runs+=("$name-stock")
	rig_later "$name-stock" --board rpi --driver canpipe --dt mcp2515 "$@" \
		--set "KNOWN=$(_known)" ${CASES_MODULES:+--modules "$CASES_MODULES"}
}

account() {
	local bad rc=0 windows
	windows=$(value "$1" '[.guest as $g | .windows // {} | keys[] | select($g[. + "_sent"] != null)] | length')
	bad=$(value "$1" "$_ACCOUNT") || rc=1
	[ -z "$bad" ] && [ "${windows:-0}" -gt 0 ] || rc=1
	if [[ $1 = *-in-tree ]] && [ "${windows:-0}" -gt 0 ]; then
		# what it loses without a word is its own affair
		[ -z "$bad" ] || printf '# %s\n' "$bad"
		rc=0
	fi
	point $rc "$1: sent = delivered + counted losses, in $windows measurements"
	[ -z "$bad" ] || printf '# %s\n' "$bad"
	if [ -z "$bad" ]; then
		verdict "$1" accounts pass "sent = delivered + losses the driver counts, $windows measurements"
	else
		verdict "$1" accounts FAIL "$(printf '%s' "$bad" | wc -l) of $windows measurements: ${bad%%$'\n'*}"
	fi
}

# verdict RUN CASE/WHAT pass|FAIL FIGURES
verdict() {
	jq -n --arg run "$1" --arg what "$2" --arg verdict "$3" --arg figures "$4" \
		'{run: $run, what: $what, verdict: $verdict, figures: $figures}' >>"$_table"
}

unprovoked() {
	verdict - "$1/$2" 'not provoked' "$3"
}

cases_table() {
	local run
	for run; do
		[ -e "$RESULTS/$run.json" ] || continue
		jq --arg run "$run" '.guest | to_entries[] | select(.key | test("^T[0-9]+/"))
			| (.value | tostring | capture("^(?<v>pass|FAIL|not provoked):? ?(?<f>.*)$")) as $v
			| {run: $run, what: .key, verdict: $v.v, figures: $v.f}' \
			"$RESULTS/$run.json" >>"$_table"
	done
	jq -s 'map(. + {driver: (.run | if test("-in-tree$") then "in-tree"
				elif test("-stock$") then "ours, stock SPI driver"
				elif test("-ours$") then "ours" else "-" end)})' \
		"$_table" >"$RESULTS/$1-table.json"
	jq -r '
		def pad($n): . + " " * ($n - length);
		sort_by((.what | capture("^T(?<n>[0-9]+)/") // {n: "99"} | .n | tonumber))
		| group_by((.what | capture("^T(?<n>[0-9]+)/") // {n: "99"} | .n | tonumber))[] | group_by(.what)[]
		| "# \(.[0].what)",
		  (.[] | "#     \(.driver | pad(22)) \(.verdict | pad(5)) \(.figures)")' \
		"$RESULTS/$1-table.json"
}
