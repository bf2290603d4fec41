# SPDX-License-Identifier: GPL-2.0-only
# The table of tests/demo, of the results of its runs. $n: frames of each phase.

def pad($w): tostring | . + (" " * ([$w - length, 0] | max));
def lpad($w): tostring | (" " * ([$w - length, 0] | max)) + .;
def round2: . * 100 | round / 100;
def row($what; $cells): ($what | pad(40)) + ($cells | map(lpad(11)) | join(""));


# of RUNS, a table; COSTS: what frames have cost on this board, rows of a measurement
def table($runs; costs):
  {candump: "can0 receives with candump; the peer leaves no gap",
   send: "can0 sends with cangen -g0 -p10 -I5A5 -L0 -x; the peer checks",
   sequence: "can0 sends with cansequence; the peer checks"} as $titles
  | row("driver"; $runs | map(.driver)),
    row("kernel"; $runs | map(.kernel | capture("^(?<v>[0-9.]+)").v)),
    ($titles | keys_unsorted[] as $p
     | def cells(f): [$runs[] | . as $run | (.windows // {})[$p]
		      | if . == null then "-" else {w: ., g: $run.guest} | f end];
       select($runs | any((.windows // {})[$p]))
       | "",
	 $titles[$p],
	 row("  frames sent"; cells(if $p == "candump" then .w.peers_sent
				    else .w.counters | .tx_sent // .cs0_tx_sent end)),
	 row("  received"; cells(.g[$p + "_received"])),
	 row("  lost"; cells(.g[$p + "_lost"])),
	 row("  swapped"; cells(.g[$p + "_swapped"])),
	 row("  duplicated"; cells(.g[$p + "_duplicated"])),
	 row("  bus load while frames flow, %";
	     cells([100 * .w.bus.busy_ns / (.w.bus.last_eof - .w.bus.first_sof), 100]
		   | min | round2)),
	 (cells([.w | costs]) as $costs
	  | ($costs | map(arrays)[0]) as $names
	  | range($names | length) as $i
	  | row("  " + $names[$i].what; $costs | map(arrays[$i].value // .))),
	 row("  interrupts per frame"; cells(.w.interrupts / $n | round2)),
	 row("  CPU time per frame, us, tools included"; cells(.w.busy_ns / 1000 / $n | round2)));

def cost($what; f): {what: $what, value: (f / $n | round2)};

[inputs] | group_by(.board)
| (map({key: .[0].board, value: .}) | from_entries) as $boards
| "CAN at 1 Mbit/s, Intel EG20T controller: modelled hardware, stock Debian kernels",
  "",
  table($boards.pch;
	cost("register reads per frame"; .counters.reg_reads),
	cost("register writes per frame"; .counters.reg_writes)),
  "",
  "The in-tree driver does not send here: at this pace its transmit ring overruns and stops for",
  "good (tests/rig/in-tree.t).",
  "",
  "CAN at 1 Mbit/s, MCP2515 on a Raspberry Pi 3: modelled hardware, stock Debian kernels; modules",
  "cross-built from the same sources",
  "",
  table($boards.rpi;
	cost("SPI bytes per frame"; .counters.cs0_spi_bytes),
	cost("chip selects per frame"; .counters.cs0_spi_selects)),
  "",
  "All numbers are of modelled hardware; nothing here has run on silicon."
