# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check_install COMMAND...: the whole life of the package in the root that the command prints.
# Modules for each kernel, before a module of the kernel's own of the same name; all of it gone
# after removal, also where the headers went first, and the kernel's own in force again.

# shellcheck source-path=SCRIPTDIR source=flow.sh
. tests/package/flow.sh

# Debian's amd64 kernels have no c_can, so one stands in for the kernel's own.
intree=kernel/drivers/net/can/c_can/c_can.ko
stand_in() {
	mkdir -p "$ROOT/root/intree" "$ROOT/lib/modules/$OLDER/${intree%/*}"
	echo 'obj-m := c_can.o' >"$ROOT/root/intree/Kbuild"
	printf '%s\n' '#include <linux/module.h>' 'MODULE_LICENSE("GPL");' \
		'MODULE_DESCRIPTION("stands in for the kernel driver");' >"$ROOT/root/intree/c_can.c"
	inside make -C "/lib/modules/$OLDER/build" M=/root/intree modules
	cp "$ROOT/root/intree/c_can.ko" "$ROOT/lib/modules/$OLDER/$intree"
	inside depmod "$OLDER"
}

check_install() {
	local before kernel module initramfs

	flow_start "$@"
	# shellcheck disable=SC2016 # dpkg-query expands it
	diag "DKMS $(inside dpkg-query -W -f '${Version}' dkms), kernels $OLDER and $NEWER"

	run "a module of the kernel's own is there before" stand_in
	is "$(where "$OLDER" c_can)" "$intree" "modprobe takes the kernel's own before installation"
	before=$(sha256sum <"$ROOT/lib/modules/$OLDER/$intree")

	run "apt installs the package" apt_install /root/canpipe-dkms.deb
	is "$(package_state canpipe-dkms)" installed "dpkg has it configured"
	for kernel in $(printf '%s\n' "$OLDER" "$NEWER" | uniq); do
		is "$(status "$kernel")" installed "$kernel: DKMS has installed it"
		for module in $MODULES; do
			is "$(where "$kernel" "$module")" "updates/dkms/$module.ko" \
				"$kernel: modprobe takes our $module"
			is "$(inside modinfo -k "$kernel" -F version "$module")" "$VERSION" \
				"$kernel: $module has the version of the package"
			like "$(inside modinfo -k "$kernel" -F vermagic "$module")" "^${kernel//+/.} " \
				"$kernel: $module is built for it"
		done
		is "$(where "$kernel" c_can_platform)" "" \
			"$kernel: no c_can_platform without device tree"
		is "$(where "$kernel" canpipe_none)" "" "$kernel: no placeholder where CAN is"
	done
	like "$(inside modinfo -k "$NEWER" -F alias c_can_pci)" '^pci:v00008086d00008818' \
		"c_can_pci answers to the PCI id of the EG20T"
	like "$(inside modinfo -k "$NEWER" -F alias mcp251x)" '^spi:mcp2515$' \
		"mcp251x answers to the MCP2515"
	like "$(inside modprobe -S "$OLDER" --show-depends c_can_pci)" 'updates/dkms/c_can\.ko' \
		"c_can_pci pulls in our c_can"

	if [ "${CANPIPE_LONG:-0}" = 1 ]; then
		# or an old version could stay in it
		initramfs=$(initramfs_modules "$NEWER")
		like "$initramfs" '^ext4$' "an initramfs is made"
		is "$(grep -x -e mcp251x -e 'c_can.*' <<<"$initramfs")" "" "... and has none of ours"
	fi

	# What is installed must stay known when nothing tells the kernel's options any more, or
	# removal would forget it.
	run "the headers of $NEWER go" inside apt-get purge -y "linux-headers-$NEWER"
	rm "$ROOT/boot/config-$NEWER"
	is "$(status "$NEWER")" installed "$NEWER: still installed without headers"

	run "apt purges the package" inside apt-get purge -y canpipe-dkms
	is "$(package_state canpipe-dkms)" absent "dpkg has forgotten it"
	is "$(where "$OLDER" c_can)" "$intree" "modprobe takes the kernel's own again"
	like "$(where "$OLDER" mcp251x)" '^kernel/drivers/net/can/spi/mcp251x\.ko' \
		"and its mcp251x"
	is "$(sha256sum <"$ROOT/lib/modules/$OLDER/$intree")" "$before" "and it is the same file"
	rm -f "$ROOT/lib/modules/$OLDER/$intree"
	inside depmod "$OLDER"
	is "$(left_behind)" "" "nothing is left behind"
}
