# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Build module trees for distribution kernels; to be sourced after tests/lib/debian.sh.
#
#   kernel_open SUITE|RELEASE FLAVOUR  headers and compiler: sets kdir, release
#   kernel_make TREE ARG...          make in TREE for the kernel that was opened
#   copy_sources TREE                a copy of what the package hands to DKMS; of the tree
#                                    $CANPIPE_SOURCES instead of this one if that is set

KERNELS=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

# gcc-12 of Debian 12 builds for kernels up to its own backports; what is newer needs gcc-14.
_needs_gcc14() { # KDIR
	! grep -q '^CC = .*gcc-1[0-2]$' "$1/.kernelvariables"
}

kernel_open() {
	local prefix='' tool
	kdir=$("$KERNELS/headers" "$1" "$2")
	# shellcheck disable=SC2034 # for the caller
	release=$(sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' "$kdir/include/generated/utsrelease.h")
	# BTF would need vmlinux, which only some headers have; it changes no code.
	_kernel_args=(CONFIG_DEBUG_INFO_BTF_MODULES=)
	case $(flavour_arch "$2") in
	amd64)
		prefix=x86_64-linux-gnu-
		_kernel_args+=(ARCH=x86)
		;;
	arm64)
		prefix=aarch64-linux-gnu-
		_kernel_args+=(ARCH=arm64)
		;;
	armhf | armel)
		# the kernel says itself what the processor and its floating point are
		prefix=arm-linux-gnueabihf-
		_kernel_args+=(ARCH=arm)
		;;
	esac
	_kernel_args+=("CROSS_COMPILE=$prefix")
	if [ "$(flavour_arch "$2")" = armel ]; then
		# its headers insist on a tool chain of its own, and on nothing that this one cannot do
		for tool in LD AR NM STRIP OBJCOPY OBJDUMP READELF; do
			_kernel_args+=("$tool=$prefix${tool,,}")
		done
	fi
	if _needs_gcc14 "$kdir"; then
		_kernel_root=$("$KERNELS/build-root")
		_kernel_args+=("CC=${prefix}gcc-14" HOSTCC=gcc-14)
	else
		_kernel_root=
		_kernel_args+=("CC=${prefix}gcc-12")
	fi
}

kernel_make() {
	local tree=$1
	shift
	set -- make -C "$kdir" M="$tree" "${_kernel_args[@]}" "$@"
	if [ -z "$_kernel_root" ]; then
		"$@"
	else
		# under the names they have here, because Kbuild prints and stores absolute ones
		local -a binds=(-r "$CACHE/kernels" -b "$tree")
		[ ! -d "$CACHE/qemu-user" ] || binds+=(-r "$CACHE/qemu-user")
		root_run "${binds[@]}" "$_kernel_root" "$@"
	fi
}

copy_sources() {
	local from=${CANPIPE_SOURCES:-$TOP}
	rm -rf "$1"
	mkdir -p "$1"
	cp -a "$from/Kbuild" "$from/dkms.conf" "$from/src" "$1/"
	# what a build in the checkout may have left
	find "$1" \( -name '*.o' -o -name '*.ko' -o -name '*.mod' -o -name '*.mod.c' \
		-o -name '.*.cmd' \) -delete
}
