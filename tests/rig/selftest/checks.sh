# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What holds for guests of both architectures; to be sourced after lib.sh.
#
#   check_guest ARCH       the virtual clock, the register paths, MSI, INTx
#   check_repeats ARCH     two runs are the same, whatever else the machine does

# shellcheck disable=SC2154 # boot sets console and result

# What the driver sees of the registers and of time: TEXT says of which run.
check_registers() {
	is "$(value id)" 44545354 "$1: the board is found"
	is "$(value widths_bad)" 0 "$1: accesses of 1, 2, 4 and 8 bytes, by every accessor"
	is "$(value read_charge)" $((rounds * 1000)) "$1: a read costs exactly what it is to cost"
	is "$(value write_charge)" $((rounds * 500)) "$1: so does a write"
	is "$(got counters.reads)" "$(got reg_reads)" "$1: board and rig count the same reads"
	is "$(got counters.writes)" "$(got reg_writes)" "$1: and the same writes"
}

# check_interrupts TEXT JITTER: the handler's time after the event, all in ns
check_interrupts() {
	local mode
	for mode in asleep busy; do
		is "$(value ${mode}_handled)" "$rounds" "$1: $mode: every interrupt is handled"
		is "$(value ${mode}_events)" "$rounds" "$1: $mode: and there is none too many"
		is "$(value ${mode}_misordered)" 0 "$1: $mode: DMA is there before its interrupt"
	done
	between $(($(value busy_max) - $(value busy_min))) 0 "$2" \
		"$1: busy: the handler is entered $(value busy_min) to $(value busy_max) ns late"
	between "$(value asleep_mean)" 100 3000 "$1: asleep: $(value asleep_mean) ns late"
	is "$(value stuck_handled)" 1 "$1: a level that stays up sends one message only"
	is "$(value unstuck_handled)" 2 "$1: and the next one when it has been down"
	is "$(got interrupts)" $((2 * rounds + 2)) "$1: every message is counted"
}

check_clock() {
	is "$(value clock_outside)" 0 "$1: the board's clock and the CPU's are the same"
	between "$(value clock_widest)" 1 200 "$1: to $(value clock_widest) ns"
	between "$(value slept)" 3000000000 3400000000 "$1: three seconds of sleep take three"
	between "$(value sleep_difference)" -1000 1000 "$1: by the kernel's clock as by the board's"
	is "$(got virtual_ns)" $(($(got busy_ns) + $(got idle_ns))) "$1: time is work and sleep"
	between "$(got idle_ns)" 3000000000 3400000000 "$1: the sleep is idle time"
	# 1000 ns for each of the reads, 500 for each of the writes and for the two that end it
	is "$(got instructions)" \
		$((($(got busy_ns) - rounds * 1000 - (rounds + 2) * 500) / 2)) \
		"$1: work is instructions and charges"
}

check_guest() {
	local arch=$1 fast_reads fast_writes seen
	rounds=500
	boot "$arch" fast profile=bare guest=rounds=$rounds
	check_registers "fast"
	check_clock "fast"
	check_interrupts "fast" 100
	is "$(value read_extra) $(value write_extra)" "0 0" \
		"fast: without a charge an access takes as long as one to memory"
	fast_reads=$(got reg_reads) fast_writes=$(got reg_writes)
	is "$(got fast_reads)" "$fast_reads" "fast: no read goes through the socket"
	between "$(got fast_writes)" $((fast_writes - 5)) "$fast_writes" \
		"fast: hardly a write does ($((fast_writes - $(got fast_writes))))"
	seen=$(driver_sees)

	boot "$arch" slow profile=bare fast=0 guest=rounds=$rounds
	check_registers "slow"
	check_interrupts "slow" 5000
	is "$(got fast_reads)" 0 "slow: every read goes through the socket"
	is "$(got fast_writes)" 0 "slow: every write does"
	is "$(driver_sees)" "$seen" "slow: the driver sees the same as on the fast path"
	is "$(got reg_reads)" "$fast_reads" "slow: and makes as many reads"
	is "$(got reg_writes)" "$fast_writes" "slow: and writes"

	boot "$arch" intx profile=bare guest=rounds=$rounds guest=intx=1
	is "$(value intx_handled)" $((3 * rounds)) "INTx: comes again until every cause is handled"
	is "$(value intx_events)" "$rounds" "INTx: in time for the next event"
	is "$(value intx_empty)" 0 "INTx: never without a cause"
	between "$(got fast_reads)" 1 $(($(got reg_reads) - 3 * rounds)) \
		"INTx: accesses that lower the line go through the socket, others do not"

	boot "$arch" nomsi profile=pi1 intx=1 guest=rounds=100
	is "$(value id)" "" "intx=1: the board has no MSI"
	is "$(got profile)" pi1 "the profile is named in the result"
	is "$(got insn_ns)" 4 "and its cost of an instruction"
}

# Everything that the test module reports, but times.
driver_sees() {
	sed -n 's/.*rigtest: \([^\r]*\).*/\1/p' "$console" |
		grep -E '^(id|widths_bad|.*_charge|.*_handled|.*_events|.*_misordered)=' | sort
}

hogs=()

hog() {
	local _
	for _ in 1 2 3; do
		(while :; do :; done) &
		hogs+=($!)
	done
}

check_repeats() {
	local arch=$1 first_console first_result mode
	rounds=200
	for mode in 1 0; do
		boot "$arch" "first-$mode" profile=pch "fast=$mode" guest=rounds=$rounds
		first_console=$console first_result=$result
		hog
		boot "$arch" "again-$mode" profile=pch "fast=$mode" guest=rounds=$rounds
		kill "${hogs[@]}"
		hogs=()
		ok "fast=$mode: the console is the same, beside 3 busy loops" \
			cmp "$first_console" "$console"
		ok "fast=$mode: so is every number of the result ($(got virtual_ns) ns)" \
			cmp "$first_result" "$result"
	done
}
