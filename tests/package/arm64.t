#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# An arm64 kernel, which has device tree and drivers of its own with our names: DKMS, on this
# machine, builds all modules for it, modprobe takes ours, and the kernel's own again after
# removal.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=flow.sh
. tests/package/flow.sh

long_only
flow_start tests/rig/guest-root bookworm-amd64
MODULES='c_can c_can_pci c_can_platform mcp251x spi-bcm2835dma'
drivers=kernel/drivers/net/can
spi=kernel/drivers/spi

# The headers and the modules of the kernel as their packages hold them, without installing those:
# they are of another architecture.
add_kernel() {
	local headers arm64
	headers=$(tests/kernels/headers bookworm arm64)
	arm64=$(tests/rig/guest-root bookworm-arm64)
	KERNEL=${headers##*/linux-headers-}
	cp -a "$headers" "${headers%-arm64}-common" "$ROOT/usr/src"
	mkdir -p "$ROOT/lib/modules/$KERNEL/${drivers%/*}"
	ln -s "/usr/src/linux-headers-$KERNEL" "$ROOT/lib/modules/$KERNEL/build"
	cp -a "$arm64/lib/modules/$KERNEL"/modules.{order,builtin,builtin.modinfo} "$ROOT/lib/modules/$KERNEL"
	cp -a "$arm64/lib/modules/$KERNEL/$drivers" "$ROOT/lib/modules/$KERNEL/$drivers"
	cp -a "$arm64/lib/modules/$KERNEL/$spi" "$ROOT/lib/modules/$KERNEL/$spi"
	cp -a "$arm64/boot/config-$KERNEL" "$ROOT/boot"
	inside depmod "$KERNEL"
}
# First the package, or it would build for this kernel at once, and natively.
run "only this kernel shall cost time" inside apt-get purge -y "linux-headers-$OLDER" "linux-headers-$NEWER"
run "the cross compiler is installed" apt_install gcc-aarch64-linux-gnu
run "apt installs the package" apt_install /root/canpipe-dkms.deb
add_kernel
own=
for module in $MODULES; do
	[ -z "$(where "$KERNEL" "$module")" ] || own+="$module "
done
is "$own" "c_can c_can_platform mcp251x " "$KERNEL has three of the drivers of its own"
before=$(cd "$ROOT/lib/modules/$KERNEL/kernel" && find . -type f -exec sha256sum {} + | sort)

run "DKMS builds and installs for $KERNEL" inside env CROSS_COMPILE=aarch64-linux-gnu- \
	dkms install "canpipe/$VERSION" -k "$KERNEL" -a aarch64
for module in $MODULES; do
	is "$(where "$KERNEL" "$module")" "updates/dkms/$module.ko" "modprobe takes our $module"
	like "$(inside modinfo -k "$KERNEL" -F vermagic "$module")" "^$KERNEL .*aarch64" \
		"$module is built for it"
done
like "$(inside modinfo -k "$KERNEL" -F alias c_can_platform)" '^of:N\*T\*Cti,am3352-d_can' \
	"c_can_platform answers to the AM335x"

# At boot the kernel's own spi-bcm2835 comes from there and must go on doing so; ours, for another
# device, comes later from the disk, and is never one of an older version.
initramfs=$(initramfs_modules "$KERNEL")
like "$initramfs" '^spi-bcm2835$' "the initramfs has the kernel's own SPI driver"
is "$(grep -x -e spi-bcm2835dma -e mcp251x -e 'c_can.*' <<<"$initramfs")" "" "... and none of ours"

run "apt purges the package" inside apt-get purge -y canpipe-dkms
for module in $own; do
	like "$(where "$KERNEL" "$module")" "^$drivers/" "modprobe takes the kernel's own $module again"
done
is "$(where "$KERNEL" c_can_pci)" "" "c_can_pci, which it has not, is gone"
is "$(cd "$ROOT/lib/modules/$KERNEL/kernel" && find . -type f -exec sha256sum {} + | sort)" "$before" \
	"the kernel's own modules are as they were"
is "$(find "$ROOT/lib/modules/$KERNEL/" -path '*/updates/*')" "" "nothing is left behind"

done_testing
