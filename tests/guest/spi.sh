#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What an SPI driver of the Raspberry Pi has to do for its clients, through spidev: a loopback at
# chip select 0, a memory at chip select 1 (--boardopt slave1=memory). PHASES: lengths, oneway,
# messages, modes, speeds, core (the core clock changes, nobody is told), reload, gpio (pins that SPI
# does not use), bounce (buffers that the DMA does not reach: window= smaller than the memory).
# LENGTHS: of the first.

. /rig/lib.sh

PHASES=${PHASES:-lengths oneway messages modes speeds reload}
LENGTHS=${LENGTHS:-1-4096}

no_faults() { # WHAT
	is "$(rigctl board 7 0) $(rigctl board 7 1)" "0 0" "$1: chip selects and clocks as data sheets want them"
}

lengths() {
	check "lengths $LENGTHS" spitest -l "$LENGTHS"
	# shellcheck disable=SC2154 # of check
	printf '%s\n' "$_out"
	check "lengths 1 to 200, ten times each" spitest -l 1-200 -n 10
	no_faults lengths
}

# Data that goes one way only: written to the memory, read back.
oneway() {
	check "memory, full duplex" spitest -D /dev/spidev0.1 -S memory -l 1-200,4093
	check "memory, one way at a time" \
		spitest -D /dev/spidev0.1 -S memory -d tx -l 1-200,333,1000-1010,3800
	check "read only, of a loopback" spitest -d rx -l 1-300,4095,4096
	check "and full duplex again" spitest -l 1-200
	no_faults oneway
}

messages() {
	check "four transfers a message" spitest -x 4 -l 1-120,500,900
	check "with cs_change" spitest -x 4 -c -l 1-120,500,900
	check "both ways, one way, the other in turn" spitest -x 6 -d mix -l 1-120,600
	check "delays after transfers" spitest -x 3 -u 5 -l 1-40/3,200
	no_faults messages
}

modes() {
	for mode in 0 1 2 3; do
		check "mode $mode" spitest -m $mode -l 1-40,95,96,97,1000
	done
	no_faults modes
}

speeds() {
	for hz in 5000 100000 1000000 7777777 20000000 62500000; do
		check "$hz Hz" spitest -s $hz -l "$([ $hz -lt 100000 ] && echo 1-5 || echo 1-12,33,94-98,400)"
	done
	no_faults speeds
}

core() {
	for hz in 200000000 500000000 250000000; do
		rigctl board 1 $hz >/dev/null
		check "core clock $hz" spitest -l 1-40,90-100,1000
	done
	for i in 1 2 3 4 5 6 7 8 9 10; do
		rigctl board 1 200000000
		rigctl board 1 500000000
	done >/dev/null &
	changes=$!
	check "core clock changing meanwhile" spitest -l 1-150 -n 2
	wait $changes
	rigctl board 1 250000000 >/dev/null
	no_faults core
}

reload() {
	module=$(basename "$(readlink -f /sys/class/spi_master/spi0/device/driver/module)")
	for i in 1 2 3; do
		check "rmmod $module ($i)" rmmod "$module"
		check "modprobe $module ($i)" modprobe "$module"
		check "its devices are back ($i)" wait_for 10 test -e /dev/spidev0.0
		check "and work ($i)" spitest -l 1-40,80-130,1000,4096
	done
	no_faults reload
}

gpio() {
	check "edges of pin 25" gpiotest edges 25 50
	check "edges of pin 40" gpiotest edges 40 10
	check "pin 17 as output" gpiotest output 17 20
}

bounce() {
	tracing=/sys/kernel/debug/tracing
	echo 1 >$tracing/events/swiotlb/swiotlb_bounced/enable
	check "4000 bytes through bounce buffers" spitest -l 4000
	at_least "$(grep -c swiotlb_bounced: $tracing/trace)" 1 "they have been used"
	echo 0 >$tracing/events/swiotlb/swiotlb_bounced/enable
}

need_spi
# not what happens at boot: the pins become outputs before anybody has set their levels
rigctl measure start
for phase in $PHASES; do
	case $phase in
	lengths | oneway | messages | modes | speeds | core | reload | gpio | bounce) "$phase" ;;
	*) bail "no phase '$phase'" ;;
	esac
done
tap_done
