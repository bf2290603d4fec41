#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# canpipe doctor and canpipe status with our drivers on a Raspberry Pi with an MCP2515: it says
# nothing of a healthy system, and names each trouble that it is given.

. /rig/lib.sh
. /rig/doctor-lib.sh
modules=/lib/modules/$(uname -r)

INT_WIRED=0 INT_HIGH=1 INT_LOW=2

int() {
	rigctl board 9 "$1" >/dev/null
}

fresh() { # IP-OPTION...: can0 up as it should be
	ip link set can0 down
	ip link set can0 txqueuelen 1000
	ip link set can0 up type can bitrate "$RIG_BITRATE" restart-ms 100 "$@"
	sleep 0.01
}

# send N FRAMES, a millisecond apart
send() {
	cangen can0 -g 1 -I 100 -L 8 -n "$1"
	sleep 0.05
}

module=$modules/updates/mcp251x.ko

need_can0
healthy_system

# --- interrupts. First, as the count has to be 0 -------------------------------------------------
examine
says "as it is after boot" interface-down:certain txqueue-short:likely
mends txqueue-short
mends interface-down
examine
silent "up by what it said"

int $INT_HIGH
fresh
send 5
examine --watch 0.1
says "INT is not wired" irq-dead:certain
int $INT_WIRED
ip link set can0 down
modprobe -r mcp251x
modprobe mcp251x
wait_for 5 test -e /sys/class/net/can0
fresh
send 5
examine
silent "wired again"
int $INT_HIGH
(sleep 0.2; send 5) &
examine --watch 1
wait
says "INT is lost at times" irq-lost:likely
int $INT_LOW
sleep 0.1
examine --watch 0.1
says "INT is low for ever" irq-storm:likely
int $INT_WIRED

# --- status --------------------------------------------------------------------------------------
modprobe -r mcp251x
modprobe mcp251x
wait_for 5 test -e /sys/class/net/can0
fresh
send 3
canpipe status can0 >/tmp/status
for line in "^can0: up, error-active$" "microchip,mcp2515 at spi0.0 on the spi bus, driver mcp251x of canpipe" \
	"SPI  *10204000.spi, driver spi-bcm2835dma by DMA, chip select 0$" \
	"clock 9615384 Hz, asked for 10000000 Hz, the chip stands 10000000 Hz; core clock 250000000 Hz" \
	"interrupt  *[0-9]* of pinctrl-bcm2835, level, [1-9][0-9]* so far, the pin is high" \
	"bit rate  *500000 bit/s, sample point 87.5 %, clock 8000000 Hz (crystal 16000000 Hz)" \
	"restart-ms 100" "queue  *pfifo_fast, length 1000, 0 wait" \
	"counters  *tx frames 3, tx bytes 24" "lost  *nothing" "headers installed" \
	"mcp251x  *canpipe's, loaded, version " "  $module$" "strict_frame_ordering=Y"; do
	check "status: $line" grep -q -e "$line" /tmp/status
done
canpipe --json status can0 >/tmp/json
check "status --json: a number" grep -q '"effective_hz": 9615384' /tmp/json
canpipe status can7 >/dev/null 2>/tmp/said
is $? 2 "status: an interface that is not there"
canpipe doctor can7 >/dev/null 2>/tmp/said
is $? 2 "doctor: an interface that is not there"
canpipe --json doctor --watch 0 can0 >/tmp/json
is "$? $(tr -d ' \n' </tmp/json)" '0 {"findings":[]}' "doctor --json: nothing found"

# --- queues --------------------------------------------------------------------------------------
ip link set can0 txqueuelen 10
examine --watch 0
says "a short queue" txqueue-short:likely
mended "a short queue" txqueue-short --watch 0
ip link set can0 txqueuelen 65536
examine --watch 0
says "a long queue" txqueue-long:possible
mended "a long queue" txqueue-long --watch 0
tc qdisc replace dev can0 root fq_codel
examine --watch 0
says "fq_codel" qdisc:likely
mended "fq_codel" qdisc --watch 0
sysctl -q -w net.core.rmem_default=212992
examine --watch 0
says "small socket buffers" rmem-small:possible
mended "small socket buffers" rmem-small --watch 0

# --- the bus -------------------------------------------------------------------------------------
rigctl signal 1
cansend can0 100#11
sleep 0.1
examine --watch 0.1
says "nobody acknowledges" no-ack:likely
ip link set can0 txqueuelen 33
cangen can0 -g 0 -I 100 -n 100 2>/dev/null
examine --watch 0.1
says "nobody acknowledges, and the queue is full" tx-dropped:certain no-ack:likely
rigctl signal 2
sleep 0.3
# the queue's counters go with it
tc qdisc replace dev can0 root pfifo
tc qdisc replace dev can0 root pfifo_fast
fresh
examine --watch 0.1
silent "somebody acknowledges"

ip link set can0 down
ip link set can0 up type can bitrate "$RIG_BITRATE" restart-ms 0
rigctl signal 3
send 1
examine --watch 0.1
says "bus-off for good" bus-off-stays:certain
mended "bus-off for good" bus-off-stays --watch 0.1
cangen can0 -g 1 -I 100 -L 8 -n 1000 >/dev/null 2>&1 &
generator=$!
rigctl signal 4
examine --watch 0.5
says "bus-off again and again" bus-off-repeats:likely
kill $generator
wait $generator 2>/dev/null
fresh loopback on
examine --watch 0
says "loopback" mode-loopback:likely
mended "loopback" mode-loopback --watch 0
fresh listen-only on
examine --watch 0
says "listen-only" mode-listen-only:possible
mended "listen-only" mode-listen-only --watch 0

examine --watch 0 --bitrate 250000
says "another bit rate than the bus" rate-differs:certain
ip link set can0 down
ip link set can0 up type can bitrate 250000
rigctl signal 5
sleep 0.05
examine --watch 0.1
says "others have another bit rate" rate-wrong:likely
mends rate-wrong
ip link set can0 down
ip link set can0 type can listen-only off
fresh
sleep 0.5
examine --watch 0.1
silent "the bit rate of the bus"

# --- losses, wires -------------------------------------------------------------------------------
rigctl signal 6
sleep 0.002
rigctl stall 5000
sleep 0.1
examine --watch 0
says "the CPU was away" rx-lost:certain
# the stack's share of the work waits behind something more important
modprobe -r mcp251x
modprobe mcp251x
wait_for 5 test -e /sys/class/net/can0
fresh
echo 1 >/sys/class/net/can0/threaded
rigctl signal 7
chrt -f 60 timeout 0.2 chrt -f 50 sh -c "while :; do :; done"
sleep 0.2
examine --watch 0
says "the network stack had no CPU" rx-stack-slow:certain
modprobe -r mcp251x
modprobe mcp251x
wait_for 5 test -e /sys/class/net/can0
fresh
rigctl board 12 2 >/dev/null
send 1
sleep 0.5
rigctl board 12 0 >/dev/null
sleep 1
examine --watch 0
says "MISO was off" spi-errors:certain

# --- the core clock: what the firmware says of it, Linux of the rig cannot ask ------------------
modprobe -r mcp251x
modprobe mcp251x
wait_for 5 test -e /sys/class/net/can0
fresh
mkdir -p /tmp/root
mount --rbind / /tmp/root
mount -t tmpfs tmp /tmp/root/sys/kernel/debug/clk
mkdir /tmp/root/sys/kernel/debug/clk/fw-clk-core
rigctl board 1 200000000 >/dev/null
echo 200000000 >/tmp/root/sys/kernel/debug/clk/fw-clk-core/clk_rate
examine_in /tmp/root --watch 0
silent "a core clock that is fast enough"
rigctl board 1 50000000 >/dev/null
echo 50000000 >/tmp/root/sys/kernel/debug/clk/fw-clk-core/clk_rate
examine_in /tmp/root --watch 0
says "a slow core clock" spi-core-clock:certain
rigctl board 1 250000000 >/dev/null
umount -l /tmp/root

# --- kernel, headers, modules --------------------------------------------------------------------
mv "$modules/build" /tmp/build
examine --watch 0
says "no headers" headers-missing:certain
mkdir -p /lib/modules/6.99/build
: >/lib/modules/6.99/build/Makefile
examine --watch 0
says "headers of another kernel" headers-other:certain
is "$(mend_of headers-other)" "sudo apt install linux-headers-$(uname -r)" "it says which to install"
rm -r /lib/modules/6.99
mv /tmp/build "$modules/build"
sed -i s/6/7/ "$modules/build/include/generated/utsrelease.h"
examine --watch 0
says "headers in the wrong place" headers-wrong:certain
sed -i s/7/6/ "$modules/build/include/generated/utsrelease.h"
mv "$modules/modules.dep" /tmp
examine --watch 0
says "the kernel was removed" kernel-gone:certain
mv /tmp/modules.dep "$modules/"
user_land armhf
examine --watch 0
says "a user land of 32 bits" userland-32bit:certain
user_land "$RIG_ARCH"

modprobe -r mcp251x
examine
says "no driver is loaded" driver-missing:certain
mends driver-missing
wait_for 5 test -e /sys/class/net/can0
fresh

# another build on the disk: the checksum of the source differs
cp "$module" /tmp
sed -i 's/srcversion=[0-9A-F]\{4\}/srcversion=0000/' "$module"
examine --watch 0
says "another driver on the disk" module-stale:certain
mends module-stale
wait_for 5 test -e /sys/class/net/can0
fresh
examine --watch 0
silent "the driver that is on the disk"
cp /tmp/mcp251x.ko "$module"
modprobe -r mcp251x
modprobe can-dev
insmod "$(find "$modules/kernel" -name 'mcp251x.ko*')"
wait_for 5 test -e /sys/class/net/can0
fresh
examine --watch 0
says "the kernel's own driver is loaded" module-in-tree:certain
mends module-in-tree
wait_for 5 test -e /sys/class/net/can0
fresh
examine --watch 0
silent "ours is loaded again"
# DKMS has not run: no module of the package for this kernel
mkdir /tmp/updates
mv "$modules/updates/"*.ko /tmp/updates
depmod
modprobe -r mcp251x
modprobe mcp251x
wait_for 5 test -e /sys/class/net/can0
fresh
examine --watch 0
says "nothing was built" module-not-built:certain
cp /tmp/updates/c_can.ko "$modules/updates/canpipe_none.ko"
depmod
examine --watch 0
says "nothing can be built" kernel-without-can:certain
rm "$modules/updates/canpipe_none.ko"
mv /tmp/updates/*.ko "$modules/updates/"
depmod
modprobe -r mcp251x
modprobe mcp251x
wait_for 5 test -e /sys/class/net/can0
fresh

# --- config.txt ----------------------------------------------------------------------------------
mkdir -p /boot/firmware/overlays
config=/boot/firmware/config.txt
printf '%s\n' 'dtparam=spi=on' 'dtoverlay=mcp2515-can0,oscillator=16000000,interrupt=25' '[pi4]' \
	'arm_boost=1' '[all]' >$config
examine --watch 0
silent "a good config.txt"
canpipe status >/tmp/status
is "$(grep -A 2 "^$config" /tmp/status | tail -n 1)" \
	"  dtoverlay=mcp2515-can0,oscillator=16000000,interrupt=25" "status shows what matters of it"
printf '%s\n' 'dtoverlay=spi-bcm2835-overlay' 'core_freq=250' 'dtoverlay=spi0-hw-cs' >>$config
examine --watch 0
says "old recipes" config-old-recipe:certain config-old-recipe:certain config-old-recipe:certain
mend_of config-old-recipe | sh
examine --watch 0
silent "old recipes, mended"
check "the rest of the file is as it was" grep -q '^dtoverlay=mcp2515-can0,oscillator=16000000' $config
ip link set can0 down
echo 10204000.spi >/sys/bus/platform/drivers/spi-bcm2835dma/unbind
examine
says "no interface" no-interface:certain
sed -i /mcp2515/d $config
examine
says "nothing is enabled" overlay-missing:likely
mends overlay-missing
check "the overlay is enabled" grep -q '^dtoverlay=canpipe-mcp2515,oscillator=16000000,interrupt=25$' \
	$config
examine
says "the rest is for the next start" no-interface:certain
tap_done
