#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What SPI messages cost, one measurement each: a message of 14 bytes on an idle bus, three of them
# at once, long transfers, a mixture. The client is in the kernel (tests/rig/glue/spi-client.c, at
# chip select 1: --dt client), so system calls cost nothing here. With spi-bcm2835dma the first two
# also as prepared messages (tests/rig/spiclient), submitted in a hard interrupt, and with an
# interrupt where the CPU would wait. For tests/bench/spi, which compares drivers.

. /rig/lib.sh

N=${N:-500}
HZ=${HZ:-10000000}
CLIENT=/sys/bus/spi/devices/spi0.1
WINDOWS=''

# once NAME RUN...: nothing but this is measured
once() {
	name=$1
	shift
	WINDOWS="$WINDOWS${WINDOWS:+ }$name"
	rigctl measure start
	printf '%s\n' "$*" >$CLIENT/run || fail "$name: $*"
	rigctl measure stop
	# nothing is compared here
	# shellcheck disable=SC2034
	read -r messages bytes unused disorder min mean max <$CLIENT/result
	diag "$name: $messages messages, $bytes bytes; a round takes $min, $mean, $max ns"
	for key in messages bytes min mean max; do
		eval "result ${name}_$key \$$key"
	done
	is "$disorder" 0 "$name: no message out of order"
}

# bench NAME WHAT N LEN US QUEUE: with every byte compared; then twice without, measured: with
# messages, and with the pauses only
bench() {
	name=$1 what=$2 n=$3 len=$4 us=$5 queue=$6
	echo 1 >/sys/module/rig_spi_client/parameters/check
	check "$name: data is right" sh -c "echo $what $n $len $HZ $us $queue >$CLIENT/run"
	read -r messages bytes wrong disorder rest <$CLIENT/result
	is "$wrong $disorder" "0 0" "$name: $messages messages, all bytes compared"
	echo 0 >/sys/module/rig_spi_client/parameters/check
	once "$name" "$what" "$n" "$len" "$HZ" "$us" "$queue"
	once "${name}_pause" pause "$n" "$len" "$HZ" "$us"
}

# once_prepared NAME N US K: a timer submits K messages of 14 bytes each US, N in all
once_prepared() {
	name=$1 n=$2 us=$3 k=$4
	WINDOWS="$WINDOWS $name"
	rigctl measure start
	check "$name" prepared n="$n" us="$us" fixed=1 len=14 hz="$HZ" k="$k"
	rigctl measure stop
	words=" $(cat "$PREPARED/result")"
	diag "$name:$words"
	result "${name}_messages" "$n"
	result "${name}_bytes" $((n * 14))
	for key in min mean max; do
		value=${words##* "$key"=}
		result "${name}_$key" "${value%% *}"
	done
}

# bench_prepared NAME N US K: also what it costs with the fewest messages
bench_prepared() {
	once_prepared "$@"
	once_prepared "${1}_pause" "$4" "$3" "$4"
}

need_spi
wait_for 10 test -e $CLIENT/run || bail "no client at chip select 1: run with --dt client"
bench idle14 sync "$N" 14 150 1
bench burst3 burst "$N" 14 150 3
bench long4000 sync $((N / 10)) 4000 100 1
bench mix mix $((N / 2)) 200 100 4
if [ "$(spi_driver)" = spi-bcm2835dma ]; then
	. /rig/spi-lib.sh
	echo 0 >/sys/module/spi_bcm2835dma/parameters/spin_us
	bench irq14 sync "$N" 14 150 1
	bench irq3 burst "$N" 14 150 3
	echo 30 >/sys/module/spi_bcm2835dma/parameters/spin_us
	need_prepared
	prepared n=2
	# what udev has to do for the new driver is not to be measured
	udevadm settle
	sleep 0.1
	bench_prepared prep14 "$N" 150 1
	bench_prepared prep3 $((3 * N)) 150 3
fi
is "$(rigctl board 7 0) $(rigctl board 7 1)" "0 0" "chip selects and clocks as data sheets want them"
result frames "$N"
result windows "$WINDOWS"
tap_done
