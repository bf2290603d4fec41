# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-only
#
# What came out of a run: TAP on stdout, one JSON object in a file. Part of tests/rig/run.

# What no kernel may say, whatever is done to its drivers.
FAULTS='WARNING: |BUG: |BUG! |\bOops\b|Call [Tt]race|nobody cared|Kernel panic|soft lockup|'
FAULTS+='blocked for more than|rcu.*(stall|self-detected)|possible (recursive|circular)|'
FAULTS+='suspicious RCU|inconsistent lock|scheduling while atomic|sleeping function|refcount_t|'
FAULTS+='waiting for .* to become free|UBSAN|KASAN|general protection|Unable to handle|'
FAULTS+='is occupied|Trying to free|hung task|NETDEV WATCHDOG|page allocation failure'

_console_part() { # WORK FIRST LAST: the lines between two markers
	tr -d '\r' <"$1/console" | sed -n "/^RIG $2\$/,/^RIG $3\$/{/^RIG /d;p}"
}

# result_write WORK OUT: fails when a test has failed.
result_write() {
	local work=$1 out=$2 count failed=0 code faults guest
	_console_part "$work" begin end >"$work/scenario"
	_console_part "$work" 'dmesg begin' 'dmesg end' >"$work/dmesg"

	grep -a -v -E '^(1\.\.[0-9]+$|RESULT )' "$work/scenario" || :
	count=$(grep -a -c -E '^(not )?ok ' "$work/scenario" || :)
	! grep -a -q -E '^not ok |^Bail out!' "$work/scenario" || failed=1

	code=$(tr -d '\r' <"$work/console" | sed -n 's/^RIG exit //p' | tail -n 1)
	count=$((count + 1))
	if [ "$code" = 0 ] && [ "$count" -gt 1 ]; then
		printf 'ok %d - the scenario ended\n' "$count"
	else
		failed=1
		printf 'not ok %d - the scenario ended\n' "$count"
		printf '# exit code %s; the end of the console (%s):\n' "${code:-none}" \
			"$work/console"
		tail -n 25 "$work/console" | tr -d '\r' | sed 's/^/#   /'
	fi

	count=$((count + 1))
	faults=$(tr -d '\r' <"$work/console" | grep -a -E "$FAULTS" | grep -a -v '^# ' || :)
	[ -z "$allow" ] || faults=$(printf '%s' "$faults" | grep -v -E "$allow" || :)
	if [ -n "$faults" ]; then
		failed=1
		printf "not ok %d - the kernel's log holds no complaint\n" "$count"
		printf '%s\n' "$faults" | head -n 20 | sed 's/^/#   /'
	elif [ -s "$work/dmesg" ]; then
		printf "ok %d - the kernel's log holds no complaint\n" "$count"
	else
		failed=1
		printf "not ok %d - the kernel's log was shown\n" "$count"
	fi
	printf '1..%d\n' "$count"

	guest=$(sed -n 's/^RESULT //p' "$work/scenario" | jq -Rn '
		[inputs | capture("^(?<key>[^=]+)=(?<value>.*)$")
		 | {key, value: (.value as $v | try ($v | tonumber) catch $v)}] | from_entries')
	mkdir -p "$(dirname "$out")"
	[ -s "$work/rig.json" ] || printf '{}\n' >"$work/rig.json"
	jq -n --argjson guest "$guest" --slurpfile rig "$work/rig.json" \
		--arg scenario "$(basename "$scenario" .sh)" --arg driver "$driver" \
		--arg board "$board" --arg profile "$profile" --arg kernel "$release" \
		--arg arch "$arch" --arg clock "$clock" --argjson bitrate "$bitrate" \
		--argjson passed "$([ "$failed" -eq 0 ] && echo true || echo false)" '
		$rig[-1] as $r | ($r.counters // {}) as $c
		| {scenario: $scenario, driver: $driver, board: $board, profile: $profile,
		   kernel: $kernel, arch: $arch, clock: $clock, bitrate: $bitrate,
		   passed: $passed,
		   sent: $guest.sent, received: $guest.received, lost: $guest.lost,
		   swapped: $guest.swapped, duplicated: $guest.duplicated,
		   counted_losses: $guest.counted_losses,
		   reg_reads: ($c.reg_reads // $r.reg_reads),
		   reg_writes: ($c.reg_writes // $r.reg_writes),
		   interrupts: ($r.interrupts // $c.interrupts),
		   spi_bytes: $c.spi_bytes, spi_messages: $c.spi_messages,
		   instructions: $r.instructions, busy_ns: $r.busy_ns,
		   virtual_ns: $r.virtual_ns,
		   guest: $guest, rig: $r}
		+ if $guest.windows then
			{windows: ([$guest.windows | split(" "), $rig] | transpose
			 | map({key: .[0], value: .[1]}) | from_entries)}
		  else {} end' >"$out.$$"
	mv "$out.$$" "$out"
	[ "$failed" -eq 0 ]
}
