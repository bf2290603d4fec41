#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The core clock changes as Linux wants it (--dt soft-clock): messages that were prepared before,
# and ordinary ones, follow, and none is ever faster than 10 MHz.

. /rig/lib.sh
. /rig/spi-lib.sh

SOFT=/sys/module/rig_soft_clock/parameters
RATE=$SOFT/rate

# The board's clock is never above what Linux has told the driver. A change takes 10 ms: to a
# higher rate it happens in the midst of that.
set_rate() { # HZ
	if [ "$1" -gt "$(cat $RATE)" ]; then
		echo 10 >$SOFT/delay_ms
		echo "$1" >$RATE &
		sleep 0.003
		rigctl board 1 "$1" >/dev/null
		wait $!
		echo 0 >$SOFT/delay_ms
	else
		rigctl board 1 "$1" >/dev/null
		echo "$1" >$RATE
	fi
}

# between WHAT MIN MAX VALUE
between() {
	if [ "$4" -ge "$2" ] 2>/dev/null && [ "$4" -le "$3" ]; then
		pass "$1"
	else
		fail "$1: $4 is not from $2 to $3"
	fi
}

# 4000 bytes take 3.2 ms at 10 MHz; a prepared message or some may be before them
ordinary() { # WHAT
	check "$1: ordinary messages" spitest -l 1-20,200,4000 -n 2
	between "$1: 4000 bytes by spidev take 3.2 ms and a little" 3200000 3900000 \
		"$(spitest -l 4000 -n 3 | sed -n 's/.*min \([0-9]*\).*/\1/p')"
}

need_spi
need_prepared
# not what happens at boot: the pins become outputs before anybody has set their levels
rigctl measure start
ordinary "250 MHz"
prepared n=4000000000 k=4 us=500 len=200 bg=1 || bail "prepared messages do not start"
for mhz in 500 100 400 250; do
	set_rate ${mhz}000000
	is "$(stat core_hz)" ${mhz}000000 "$mhz MHz: the driver knows"
	ordinary "$mhz MHz"
done
is "$(stat timeouts) $(stat lost_interrupts)" "0 0" "no timeout"
echo spi0.1 >"$PREPARED/driver/unbind"
is "$(dmesg | grep -c 'removed: over=[1-9].* wrong=0 disorder=0 error=0')" 1 \
	"prepared messages with changing lengths were right all the time"

# each takes 800 us at 10 MHz
need_prepared
prepared n=4000000000 k=1 us=2000 len=1000 fixed=1 bg=1
for mhz in 500 100 250 500; do
	set_rate ${mhz}000000
	sleep 0.05
done
check "prepared messages with a length set once were right" prepared stop=1
read -r _said <"$PREPARED/result"
diag "$_said"
between "1000 bytes, prepared at 250 MHz, never take less than 800 us" 800000 840000 \
	"$(printf '%s\n' "$_said" | sed -n 's/.*min=\([0-9]*\).*/\1/p')"
# but for those that see the board's clock fall before Linux says so
between "and not much more, on the average" 800000 950000 \
	"$(printf '%s\n' "$_said" | sed -n 's/.*mean=\([0-9]*\).*/\1/p')"
no_spi_faults "changing clock"
tap_done
