# shellcheck shell=bash disable=SC2154
# SPDX-License-Identifier: GPL-2.0-only
#
# The guest of one run: its root, what is laid over it, how it is booted. Part of tests/rig/run,
# whose variables it uses.

# Sets root; layers: directories to lay over it; prepared: whether the driver is in it.
guest_root() {
	layers=() prepared=
	if [ -n "$root" ]; then
		root=$(readlink -e "$root") || die "--root: no such directory"
		prepared=1
		return
	fi
	root=$("$RIG/guest-root" "bookworm-$arch${rt:+-rt}")
	if [ -z "$modules" ] && [ "$driver" = canpipe ] && [ "$arch" = amd64 ] &&
		[ "$board" != testdev ]; then
		layers+=("$("$RIG/deb-layer")")
	fi
}

# The modules of the run that do not come with the root or a layer.
_guest_modules() {
	local source
	if [ -n "$modules" ]; then
		find "$(readlink -e "$modules")" -name '*.ko'
	elif [ "$board" = testdev ]; then
		:
	elif [ "$driver" = canpipe ] && [ -n "$prepared" ]; then
		:
	elif [ "$driver" = canpipe ] && [ "$arch" = arm64 ]; then
		source=$WORK/source
		copy_sources "$source"
		build_modules "$arch" "$release" "$source" canpipe
	elif [ "$driver" = in-tree ] && [ "$arch" = amd64 ]; then
		# Debian's amd64 kernels are built without it
		find "$("$RIG/build-intree" "$release")" -name 'c_can*.ko'
	fi
	case $board in
	am335x | cyclone5 | rpi) build_modules "$arch" "$release" "$RIG/glue" glue ;;
	esac
	if [ "$board" = rpi ] && [ "$driver" = canpipe ] && [ -z "$modules$prepared" ]; then
		# a client of the driver's interface: built as one that is not in its tree
		mkdir -p "$WORK/spiclient"
		cp "$RIG/spiclient/"* "$TOP/src/spi-bcm2835dma/spi-bcm2835dma.h" "$WORK/spiclient"
		build_modules "$arch" "$release" "$WORK/spiclient" spiclient
	fi
}

_guest_tool() { # SOURCE: compile a program for the guest, print its file name
	local source=$1 out compiler=gcc
	[ "$arch" = amd64 ] || compiler=aarch64-linux-gnu-gcc
	out=$TOP/build/rig/guest-$arch/$(basename "$source" .c)
	if [ ! "$out" -nt "$source" ] || [ ! "$out" -nt "$tools/rigdev.h" ]; then
		mkdir -p "$(dirname "$out")"
		"$compiler" -std=gnu11 -O2 -Wall -Wextra -static -o "$out.$$" "$source"
		mv "$out.$$" "$out"
	fi
	printf '%s\n' "$out"
}

# guest_extra DIR: everything of this run that the root does not have
guest_extra() {
	local extra=$1 file built tools=$TOP/tests/guest
	local updates=$extra/usr/lib/modules/$release/updates
	mkdir -p "$extra/rig" "$extra/usr/bin"
	install -m 755 "$tools/init" "$extra/init"
	install -m 644 "$tools/lib.sh" "$tools/spi-lib.sh" "$tools/mcp251x-lib.sh" \
		"$tools/doctor-lib.sh" "$extra/rig/"
	install -m 644 "$scenario" "$extra/rig/scenario.sh"
	for file in "$tools"/*.c; do
		install -m 755 "$(_guest_tool "$file")" "$extra/usr/bin/"
	done
	# an error there is one here
	built=$(_guest_modules)
	while read -r file; do
		mkdir -p "$updates"
		cp "$file" "$updates/"
	done < <(grep . <<<"$built")
	{
		printf 'RIG_%s=%q\n' BOARD "$board" DRIVER "$driver" ARCH "$arch" \
			BITRATE "$bitrate" CLOCK "$clock" SMP "$smp" DT "${dt[*]}"
		printf 'RIG_MODULE_OPTS=%q\n' "$module_opts"
		for file in "${sets[@]}"; do
			printf 'export %s=%q\n' "${file%%=*}" "${file#*=}"
		done
	} >"$extra/rig/env"
}

# Sets QEMU_ARGS: the machine without the board.
_guest_machine() {
	local image dtb=''
	local -a machine=()
	image=$("$RIG/kernel-of" --image "$root" "$release")
	case $board in
	am335x | cyclone5 | rpi)
		dtb=$(board_dtb "$board" "$smp" "${boardopts[@]}" "${dt[@]/#/dt=}")
		;;
	esac
	machine=("$image" "$WORK/initrd" "$WORK/console" log_buf_len=4M "$append")
	if [ "$clock" = wall ]; then
		QEMU_DTB=$dtb "qemu_args_${arch}_wall" "$smp" "${machine[@]}"
	else
		QEMU_DTB=$dtb "qemu_args_$arch" "${machine[@]}"
	fi
}

# what an exit handler calls: the process may have ended long ago
_end_process() {
	kill "$1" 2>/dev/null || :
}

# Boot it; the console goes to $WORK/console. Fails if the guest has to be killed.
guest_boot() {
	local file pid deadline target=x86_64 server='' sock=$WORK/sock ctl=$WORK/ctl
	local -a options=()
	# A socket's name must be short.
	if [ "${#ctl}" -gt 100 ]; then
		file=$(mktemp -d)
		on_exit rm -rf "$file"
		ctl=$file/ctl sock=$file/sock
	fi
	options=("board=$board" "sock=$sock" "ctl=$ctl" "profile=$profile" "bitrate=$bitrate"
		"result=$WORK/rig.json")
	for file in "${peers[@]}"; do options+=("peer=$file"); done
	for file in "${boardopts[@]}"; do options+=("boardopt=$file"); done
	[ -z "$intx" ] || options+=("intx=1")
	[ -z "$log" ] || options+=("log=$WORK/access.log")

	[ "$arch" = amd64 ] || target=aarch64
	_guest_machine
	if [ "$clock" = wall ]; then
		"$TOP/build/rig/canpipe-rig-wall" "${options[@]}" >"$WORK/server.log" 2>&1 &
		server=$!
		on_exit _end_process "$server"
		while [ ! -S "$ctl" ]; do
			kill -0 "$server" 2>/dev/null || die "$(cat "$WORK/server.log")"
			sleep 0.05
		done
	else
		qemu_args_plugin "$TOP/build/rig/canpipe-rig.so" "${options[@]}" "fast=$fast"
	fi
	qemu_args_device "$sock" 4
	qemu_args_device "$ctl" 5
	printf '%q ' tests/rig/qemu "$target" "${QEMU_ARGS[@]}" >"$WORK/command"

	"$RIG/qemu" "$target" "${QEMU_ARGS[@]}" >"$WORK/qemu.log" 2>&1 </dev/null &
	pid=$!
	on_exit _end_process "$pid"
	deadline=$((SECONDS + timeout))
	while kill -0 "$pid" 2>/dev/null; do
		if [ "$SECONDS" -ge "$deadline" ]; then
			say "$name: the guest has not ended within $timeout s (--timeout)"
			kill "$pid" || :
			wait "$pid" || :
			return 1
		fi
		[ -z "$verbose" ] || _guest_progress
		sleep 0.1
	done
	wait "$pid" || {
		sed 's/^/qemu: /' "$WORK/qemu.log" >&2
		return 1
	}
	if [ -n "$server" ]; then
		_end_process "$server"
		wait "$server" || :
	fi
}

_guest_progress() {
	local line
	line=$(grep -a -v -E ': \[|^RESULT|^#? *$' "$WORK/console" 2>/dev/null | tail -n 1 | tr -d '\r') || :
	if [ -n "$line" ] && [ "$line" != "${_last_line:-}" ]; then
		say "$name: $line"
		_last_line=$line
	fi
}
