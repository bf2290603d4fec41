#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# A Raspberry Pi from apt to traffic: in an arm64 Debian whose programs are emulated, apt installs
# the package with the headers, and DKMS builds the modules with that Debian's own compiler. Then
# this very root boots with an MCP2515 at the modelled SPI0 of a Raspberry Pi: udev loads the modules
# of updates/dkms by what the device tree says, and no frame is lost at full bus load, either way.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=flow.sh
. tests/package/flow.sh
# shellcheck source-path=SCRIPTDIR source=../lib/emulate.sh
. tests/lib/emulate.sh

long_only
flow_start tests/rig/guest-root emulated-arm64
emulate_arm64
MODULES='c_can c_can_pci c_can_platform mcp251x spi-bcm2835dma'
N=${N:-10000}

is "$(inside uname -m) $(inside dpkg --print-architecture)" "aarch64 arm64" "the root is one of arm64"
before=$(where "$OLDER" mcp251x)
like "$before" '^kernel/drivers/net/can/spi/mcp251x\.ko' "$OLDER has an mcp251x of its own"
run "apt installs the package and the headers" \
	apt_install /root/canpipe-dkms.deb "linux-headers-$OLDER"
is "$(inside dpkg --audit)" "" "dpkg finds nothing half done"
is "$(status "$OLDER")" installed "$OLDER: DKMS has installed it"
for module in $MODULES; do
	is "$(where "$OLDER" "$module")" "updates/dkms/$module.ko" "modprobe takes our $module"
	is "$(inside modinfo -k "$OLDER" -F version "$module")" "$VERSION" "$module is $VERSION"
	like "$(inside modinfo -k "$OLDER" -F vermagic "$module")" "^$OLDER .*aarch64" \
		"$module is built for it"
done

run "the root boots, and $N frames go each way at full bus load" tests/rig/run --name arm64-boot \
	--root "$ROOT" --board rpi --dt spi-dma --dt mcp2515 --boardopt slave0=mcp2515 \
	--scenario tests/guest/rxtx.sh --set N="$N" --set PHASES='candump send sequence' \
	--set WINDOWS=1 --set LOADED='updates/dkms mcp251x spi-bcm2835dma' --timeout 900

# at_least PERCENT PHASE: the bus was busy for so much of the time. Sending has a gap after each 12
# frames, 3 buffers of 4 priorities: the buffers have to be empty before the first one is used again.
at_least() {
	local load rc=0
	load=$(jq ".windows.$2.bus | 100 * .busy_ns / (.last_eof - .first_sof) | floor" \
		build/results/arm64-boot.json)
	[ "$load" -ge "$1" ] || rc=1
	ok "$rc" "$2: $load % of the bus, at least $1"
}
at_least 99 candump
at_least 90 send
at_least 90 sequence

run "apt purges the package" inside apt-get purge -y canpipe-dkms
is "$(where "$OLDER" mcp251x)" "$before" "modprobe takes the kernel's own mcp251x again"
is "$(find "$ROOT/lib/modules/" -path '*/updates/*')" "" "nothing is left behind"

done_testing
