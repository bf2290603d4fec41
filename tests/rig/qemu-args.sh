# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# To be sourced: the arguments that make a QEMU guest repeatable and give its
# clock to the plugin. What each is for is told in README.md.
#
#   qemu_args_amd64 KERNEL INITRD CONSOLE_LOG [KERNEL_ARGUMENT...]
#   qemu_args_arm64 KERNEL INITRD CONSOLE_LOG [KERNEL_ARGUMENT...]
#	set the array QEMU_ARGS for tests/rig/qemu x86_64 or aarch64. Guest memory in MiB
#	is ${QEMU_MEMORY:-512}; ${QEMU_DTB:-} is a device tree (arm64).
#   qemu_args_amd64_wall CPUS KERNEL INITRD CONSOLE_LOG [KERNEL_ARGUMENT...]
#   qemu_args_arm64_wall CPUS KERNEL INITRD CONSOLE_LOG [KERNEL_ARGUMENT...]
#	the same for canpipe-rig-wall: real time, several CPUs
#   qemu_args_plugin PLUGIN OPTION...
#	append the plugin, e.g. build/rig/canpipe-rig.so board=pch sock=...
#   qemu_args_device SOCKET SLOT
#	append a vfio-user device; the board is in slot 4, the control device in slot 5

QEMU_ARGS_DIR=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")

# x-no-posted-writes: a register write has happened when the CPU goes on.
# x-msg-timeout: ms of real time; a loaded host may be slow.
qemu_args_device() {
	QEMU_ARGS+=(-device "{\"driver\":\"vfio-user-pci\",\"addr\":\"$2\",\"rombar\":0,\
\"socket\":{\"path\":\"$1\",\"type\":\"unix\"},\"x-no-posted-writes\":true,\
\"x-msg-timeout\":60000}")
}

qemu_args_plugin() {
	local plugin=$1 option
	shift
	for option; do
		# a comma inside a value is doubled
		plugin+=,${option//,/,,}
	done
	QEMU_ARGS+=(-plugin "$plugin")
}

qemu_args_common() {
	QEMU_ARGS=(
		-m "${QEMU_MEMORY:-512}" -seed 1
		-object "memory-backend-memfd,id=mem,size=${QEMU_MEMORY:-512}M,share=on"
		-nodefaults -net none -display none -no-reboot
		-kernel "$1" -initrd "$2" -serial "file:$3"
		-rtc "base=2026-01-01,clock=vm"
	)
}

qemu_args_amd64() {
	local kernel initrd=$2 log=$3
	kernel=$("$QEMU_ARGS_DIR/unpack-kernel" "$1")
	shift 3
	qemu_args_common "$kernel" "$initrd" "$log"
	# shellcheck disable=SC2054 # QEMU's commas
	QEMU_ARGS+=(
		-M q35,hpet=off -machine memory-backend=mem
		-cpu qemu64,+tsc-deadline,+invtsc,x-force-features=on
		-icount "shift=1,sleep=off"
		-append "console=ttyS0 quiet panic=-1 nokaslr tsc=reliable tsc_early_khz=1000000 idle=halt no_timer_check pmtmr=0 mitigations=off random.trust_cpu=off norandmaps $*"
	)
}

qemu_args_amd64_wall() {
	local cpus=$1 kernel initrd=$3 log=$4
	kernel=$("$QEMU_ARGS_DIR/unpack-kernel" "$2")
	shift 4
	qemu_args_common "$kernel" "$initrd" "$log"
	QEMU_ARGS+=(
		-M q35 -machine memory-backend=mem -cpu max -accel "tcg,thread=multi" -smp "$cpus"
		-append "console=ttyS0 quiet panic=-1 no_timer_check mitigations=off $*"
	)
}

qemu_args_arm64() {
	local kernel=$1 initrd=$2 log=$3
	shift 3
	qemu_args_common "$kernel" "$initrd" "$log"
	QEMU_ARGS+=(
		-M "virt,gic-version=2,dtb-randomness=off,memory-backend=mem" -cpu cortex-a53
		-icount "shift=1,sleep=off"
		-append "console=ttyAMA0 quiet panic=-1 nokaslr mitigations=off norandmaps initcall_blacklist=pl031_driver_init $*"
	)
	[ -z "${QEMU_DTB:-}" ] || QEMU_ARGS+=(-dtb "$QEMU_DTB")
}

qemu_args_arm64_wall() {
	local cpus=$1 kernel=$2 initrd=$3 log=$4
	shift 4
	qemu_args_common "$kernel" "$initrd" "$log"
	QEMU_ARGS+=(
		-M "virt,gic-version=2,dtb-randomness=off,memory-backend=mem" -cpu cortex-a53
		-accel "tcg,thread=multi" -smp "$cpus"
		-append "console=ttyAMA0 quiet panic=-1 mitigations=off $*"
	)
	[ -z "${QEMU_DTB:-}" ] || QEMU_ARGS+=(-dtb "$QEMU_DTB")
}
