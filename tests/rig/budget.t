#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Register accesses and interrupts per frame: no more than today, fewer than the in-tree driver.
# Prints a table with the in-tree driver and the aims beside ours.

set -eu -o pipefail

# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$(readlink -f "$0")")/lib/tap.sh"

# Accesses per frame (mean of all frames of a window) that may not be exceeded, with strict order
# on and off. Lower them when the driver has become better, and say why where one must grow. Then
# what the project aims at, and what the hardware demands at least with every check kept; "-": none
# is known. Windows are those of tests/guest/budget.sh. What a queue costs depends a little on when
# user space comes: its limits have a margin of 0.1.
#
# What a frame of 8 bytes costs that is sent, access by access (r: read, w: write):
#
#	           pch                        am335x
#	alone      w ARB2, MCTRL, 4 x DATA,   w ARB, MCTRL, 2 x DATA, CMD     the frame
#	           COMREQ
#	           r INT                      r INT                           which object it was
#	           w COMREQ                   w CMD                           clear its IntPnd
#	           r INT                                                      is there more?
#	           = 10                       = 7
#
# The last look at INT is the one above the aim of 9. The EG20T sends its MSI when the line rises, and
# the line does not rise for what has come between the first look and the end of the transfer that
# clears IntPnd: left out, the interface would be deaf from then on. A level interrupts again.
#
#	queue      r COMREQ: 1 of 100 frames  r CMD                           is IF2 free?
#	per lap    w COMREQ x 2, COMMASK x 4, w CMD x 2,                      request what was written
#	of 8       r COMREQ x 2               r CMD x 2..3                    ahead, one after the other
#	           = 11                       = 8.6
#
# A frame sent from a queue is written while the one before may still be on its way out of IF2, which
# may not be touched then. With a second look at INT that is known without asking. Two frames of the
# next lap are written ahead and must be requested when the lap has ended, or the bus would be idle.
budgets() {
	cat <<'END'
pch	rx_alone_8	14.00	14.00	14	13
pch	rx_alone_0	10.00	10.00	10	9
pch	rx_backlog_8	11.00	11.00	12	-
pch	rx_backlog_0	7.00	7.00	8	-
pch	tx_alone_8	10.01	10.01	9	10
pch	tx_alone_0	6.00	6.00	5	6
pch	tx_queue_8	11.10	11.10	9	-
pch	tx_queue_0	7.10	7.10	5	-
am335x	rx_alone_8	8.00	8.00	8	8
am335x	rx_alone_0	6.00	6.00	6	6
am335x	rx_backlog_8	7.13	6.25	6	6
am335x	rx_backlog_0	5.13	4.25	4	4
am335x	tx_alone_8	7.00	7.00	7	7
am335x	tx_alone_0	5.00	5.00	5	5
am335x	tx_queue_8	8.70	8.70	7	-
am335x	tx_queue_0	6.70	6.70	5	-
END
}

run() { # BOARD WHAT OPTION...
	rig "budget-$1-$2" --board "$1" --scenario "$RIG/../guest/budget.sh" --timeout 120 "${@:3}"
}

# per_frame RUN WINDOW FILTER: rounded up to hundredths
per_frame() {
	value "$1" "(.guest[\"${2}_frames\"]) as \$n | .windows[\"$2\"] | ($3) / \$n * 100 | ceil / 100"
}

accesses() {
	per_frame "$1" "$2" '.counters | .reg_reads + .reg_writes'
}

# at_most GOT LIMIT NAME
at_most() {
	local rc=0
	awk -v g="$1" -v l="$2" 'BEGIN { exit !(g != "" && g != "null" && g <= l + 1e-9) }' || rc=1
	point "$rc" "$3"
	[ "$rc" -eq 0 ] || printf '# got %s, want at most %s\n' "$1" "$2"
}

for board in pch am335x; do
	run "$board" on --module-opts 'options c_can strict_frame_ordering=Y'
	run "$board" off --module-opts 'options c_can strict_frame_ordering=N'
	# what its transmitter does when it is full is no matter here
	run "$board" in-tree --driver in-tree --allow 'is occupied'
done

table=$(mktemp)
trap 'rm -f "$table"' EXIT
printf 'board\twindow\tstrict on\toff\tin-tree\taim\tfloor\tirqs\tin-tree\n' >"$table"
while read -r board window limit_on limit_off aim floor; do
	on=$(accesses "budget-$board-on" "$window")
	off=$(accesses "budget-$board-off" "$window")
	in_tree=$(accesses "budget-$board-in-tree" "$window")
	irqs=$(per_frame "budget-$board-on" "$window" .interrupts)
	irqs_in_tree=$(per_frame "budget-$board-in-tree" "$window" .interrupts)
	at_most "$on" "$limit_on" "$board $window: $on accesses per frame"
	at_most "$off" "$limit_off" "$board $window: $off with strict order off"
	for mine in "$on" "$off"; do
		at_most "$mine" "$(awk -v t="$in_tree" 'BEGIN { print t - 0.01 }')" \
			"$board $window: fewer than the in-tree driver's $in_tree"
	done
	case $window in
	*backlog*) at_most "$irqs" 0.13 "$board $window: one interrupt for all" ;;
	*) at_most "$irqs" 1 "$board $window: $irqs interrupts per frame" ;;
	esac
	printf '%s\t' "$board" "$window" "$on" "$off" "$in_tree" "$aim" "$floor" "$irqs" >>"$table"
	printf '%s\n' "$irqs_in_tree" >>"$table"
done < <(budgets)
column -t -s $'\t' "$table" | sed 's/^/# /'
done_testing
