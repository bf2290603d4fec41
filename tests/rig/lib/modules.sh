# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Kernel modules for the guests of the rig; to be sourced after tests/lib/debian.sh and
# tests/kernels/kbuild.sh.
#
#   build_modules ARCH RELEASE SOURCE NAME   build a module tree for that kernel in
#                                            build/rig/modules, print the .ko files

build_modules() (
	arch=$1 source=$3 out=$TOP/build/rig/modules/$2/$4
	mkdir -p "$out"
	exec {lock}>"$out.lock"
	flock "$lock"
	# Built in a copy, so that the tree stays clean; what has not changed keeps its objects.
	rsync -rlp --checksum --delete --exclude='*.o' --exclude='*.ko' --exclude='*.mod' \
		--exclude='*.mod.c' --exclude='.*.cmd' --exclude='Module.symvers' \
		--exclude='modules.order' "$source/" "$out/"
	kernel_open "$2" "$arch"
	if ! kernel_make "$out" modules >"$out.log" 2>&1; then
		cat "$out.log" >&2
		die "$4 does not build for $2"
	fi
	find "$out" -name '*.ko'
)
