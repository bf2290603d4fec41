# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# emulate_arm64: this machine runs programs of arm64, also those of a chroot, until the script (or
# subshell) ends. To be sourced after tests/lib/debian.sh.
#
# The kernel opens the emulator when it is registered (flag F), so no root needs to hold it; it has
# to be a static program, since its libraries would be looked for in the root.

# shellcheck disable=SC2317 # called through build_once
make_static_emulator() {
	local dir=$1 debs
	debs=$(mktemp -d)
	on_exit rm -rf "$debs"
	timed "qemu-user-static" fetch_deb bookworm "$debs" qemu-user-static
	mkdir -p "$dir"
	dpkg-deb --fsys-tarfile "$debs"/*.deb |
		tar -C "$dir" -x --strip-components=3 ./usr/bin/qemu-aarch64-static
}

emulate_arm64() {
	local dir name=canpipe-arm64-$BASHPID
	# the first 20 bytes of an ELF file: 64 bits, little endian, any ABI of it, ET_EXEC or ET_DYN,
	# EM_AARCH64
	local magic='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
	local mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'

	need_root "to run programs of arm64"
	build_once emulator make_static_emulator
	# A mount of its own, and a name of its own, so that two runs do not end each other's.
	dir=$(mktemp -d)
	on_exit rmdir "$dir"
	mount -t binfmt_misc binfmt_misc "$dir" ||
		die "the kernel cannot run programs of arm64: load binfmt_misc (modprobe binfmt_misc)"
	on_exit umount "$dir"
	printf '%s' ":$name:M::$magic:$mask:$CACHE/emulator/qemu-aarch64-static:F" >"$dir/register"
	on_exit eval "echo -1 >$dir/$name"
}
