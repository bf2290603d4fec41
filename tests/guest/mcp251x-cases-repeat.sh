#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# T18: DS80179G, erratum 5, with a chip select that stays low after the end of a short frame. Each
# frame has to be on the bus once.

. /rig/lib.sh
. /rig/mcp251x-lib.sh

need_can0
can_up || bail "can0 does not come up"
window_start
for length in 0 1; do
	cangen can0 -g 1 -p 10 -I 5A6 -L $length -n 20
done
sleep 0.05
window_stop T18
_heard=$(rigctl get received)
[ "$_heard $(stat_of tx_packets)" = "40 40" ]
judge T18 "each frame once, $MODE" $? "frames 40, on the bus $_heard, counted as sent $(stat_of tx_packets)"
cases_done
