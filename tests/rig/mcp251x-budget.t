#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What a frame costs with an MCP2515 on a Raspberry Pi, bus full of frames without data: interrupts,
# SPI messages and bytes, instructions beside the kernel's own driver; gaps while sending; and a storm
# of frames that nobody acknowledges, which must leave the CPU to others. None may be lost or swapped.
# CANPIPE_LONG=1: with more frames.
# shellcheck disable=SC2016 # the variables are jq's
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

n=2000
[ -z "${CANPIPE_LONG:-}" ] || n=20000

# Per received frame at most: one interrupt of the CPU, of whatever, one SPI message and 20 bytes. It takes
# the driver 10 ms to notice that frames come fast: until then a frame is 2 messages with 22 bytes, and
# each of them ends with an interrupt, as it does later once in 80 ms; and then CANINTE is written.
points() {
	cat <<'END'
pi3	500000
pi3	1000000
pi1	500000
END
}

run() { # NAME PROFILE BITRATE KINDS OPTION...
	rig_later "mcp251x-budget-$1" --board rpi --profile "$2" --bitrate "$3" --kernel 6.12 \
		--dt mcp2515 --boardopt slave0=mcp2515 --scenario "$RIG/../guest/bench-mcp251x.sh" \
		--set "N=$n" --set "ROUNDS=200" --set "KINDS=$4" --timeout $((300 + n / 20)) "${@:5}"
}

ours=(--driver canpipe --dt spi-dma)
run pi3-500000 pi3 500000 'rx_0 bare_0 bare_8 tx_0 storm' "${ours[@]}"
run pi3-1000000 pi3 1000000 'rx_0 tx_0' "${ours[@]}"
run pi1-500000 pi1 500000 rx_0 "${ours[@]}"
run two pi3 500000 rx_0 "${ours[@]}" --module-opts 'options mcp251x coalesce=2'
run in-tree pi3 500000 'bare_0 bare_8' --driver in-tree
settle

# at_most GOT LIMIT NAME
at_most() {
	local rc=0
	awk -v g="$1" -v l="$2" 'BEGIN { exit !(g ~ /^-?[0-9.]+$/ && g <= l + 1e-9) }' || rc=1
	point "$rc" "$3"
	[ "$rc" -eq 0 ] || printf '# got %s, want at most %s\n' "$1" "$2"
}

# of WINDOW FILTER: in the run of $name; $n: the frames
of() {
	value "mcp251x-budget-$name" "include \"rpi\"; (.guest.frames) as \$n | .guest as \$g | .windows[\"$1\"] |
		.counters as \$c | ($2)"
}

hundredths() { # FILTER
	printf '(%s) * 100 | ceil / 100' "$1"
}

while read -r profile bitrate; do
	name=$profile-$bitrate
	what="$profile, $((bitrate / 1000)) kbit/s"
	same "$(of rx_0 '[$g.rx_0_received, $g.rx_0_swapped, $g.rx_0_duplicated, $g.rx_0_over] |
		join(" ")')" "$n 0 0 0" "$what: $n frames, all received once and in order"
	early=$((bitrate / 100 / 47 + 1))	# shortest frames in 10 ms
	interrupts=$(of rx_0 '$c | interrupts')
	messages=$(of rx_0 '$c | messages')
	bytes=$(of rx_0 '$c.cs0_spi_bytes')
	at_most "$interrupts" $((n + 2 * early + n / 200 + 10)) "$what: $interrupts interrupts for $n frames"
	at_most "$messages" $((n + early + 10)) "$what: $messages SPI messages"
	at_most "$bytes" $((20 * n + 2 * early + 200)) "$what: $bytes SPI bytes"
	[ "$profile" = pi3 ] || continue
	gaps=$(of tx_0 .bus.gaps)
	same "$(of tx_0 .counters.cs0_tx_sent)" "$n" "$what: $n frames sent"
	# and some at the beginning, until the sender is ahead of the bus
	at_most "$gaps" $((n / 12 + 5)) "$what: sent without a gap but for one frame in 12: $gaps of $n"
done < <(points)

# two at a time, if the user wants it
name=two
same "$(of rx_0 '[$g.rx_0_received, $g.rx_0_swapped, $g.rx_0_duplicated] | join(" ")')" "$n 0 0" \
	"coalesce=2: $n frames, all received once and in order"
early=$((500000 / 100 / 47 + 1))
interrupts=$(of rx_0 '$c | interrupts')
at_most "$interrupts" $((n / 2 + 3 * early + n / 50)) "coalesce=2: $interrupts interrupts for $n frames"

# nobody listens: the driver and the network stack alone
instructions() { # RUN KIND
	value "mcp251x-budget-$1" \
		"(.windows.$2.instructions - .windows.$2_silent.instructions) / .guest.$2_received | round"
}

for kind in bare_0 bare_8; do
	mine=$(instructions pi3-500000 "$kind") theirs=$(instructions in-tree "$kind")
	at_most "$(awk -v m="$mine" -v t="$theirs" 'BEGIN { printf "%.3f", m / t }')" 0.33 \
		"$kind: $mine instructions per frame, the in-tree driver $theirs"
	for name in pi3-500000 in-tree; do
		printf '# %s, %s: %s interrupts of the chip, %s SPI messages, %s SPI bytes per frame\n' \
			"$kind" "$name" "$(of "$kind" "$(hundredths '$c.gpio_interrupts / $n')")" \
			"$(of "$kind" "$(hundredths '($c | messages) / $n')")" \
			"$(of "$kind" "$(hundredths '$c.cs0_spi_bytes / $n')")"
	done
done

name=pi3-500000
share=$(of storm '100 * .busy_ns / .virtual_ns | ceil')
calm=$(of storm_calm '100 * .busy_ns / .virtual_ns | ceil')
at_most $((share - calm)) 20 "storm: $share % of the CPU, $calm % of it another task's"
at_most "$(of storm '$g.storm_work_ns')" "$(of storm '$g.calm_work_ns * 1.25 | floor')" \
	"storm: another task's work takes a quarter longer at the most"
at_most "$(of storm '$g.storm_late_max_ns')" "$(of storm '$g.calm_late_max_ns + 100000')" \
	"storm: it is late by 100 us more at the most"
at_most 100 "$(of storm '$c.cs0_rx_valid')" "storm: it was one"
done_testing
