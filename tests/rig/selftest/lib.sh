# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# For the rig's own tests; to be sourced.
#
#   ok NAME COMMAND...         one test point
#   boot ARCH NAME [OPTION...] boot the test guest; options of the plugin, "guest=..." for the
#                              test module, "wall=CPUS" for the wall-clock server. Sets $console
#                              and $result.
#   value NAME, got NAME       of the console's rigtest lines, of the result

SELFTEST=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source-path=SCRIPTDIR source=../../lib/debian.sh
. "$SELFTEST/../../lib/debian.sh"
# shellcheck source-path=SCRIPTDIR source=../../kernels/kbuild.sh
. "$SELFTEST/../../kernels/kbuild.sh"
# shellcheck source-path=SCRIPTDIR source=../lib/modules.sh
. "$SELFTEST/../lib/modules.sh"
# shellcheck source-path=SCRIPTDIR source=../qemu-args.sh
. "$SELFTEST/../qemu-args.sh"

RIG=$TOP/tests/rig
OUT=$TOP/build/rig
WORK=$(mktemp -d)
on_exit rm -rf --one-file-system "$WORK"

tests=0 failed=0

ok() {
	local name=$1
	shift
	tests=$((tests + 1))
	if "$@"; then
		echo "ok $tests - $name"
	else
		echo "not ok $tests - $name"
		echo "#   false: $*"
		failed=$((failed + 1))
	fi
}

# is GOT WANT NAME
is() {
	ok "$3" test "$1" = "$2"
}

# between GOT MIN MAX NAME
between() {
	if [ -n "$1" ] && [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; then
		ok "$4" true
	else
		ok "$4" test "$1" -ge "$2" -a "$1" -le "$3"
	fi
}

finished() {
	echo "1..$tests"
	[ "$failed" -eq 0 ] || exit 1
}

compiler() {
	case $1 in
	amd64) echo gcc ;;
	arm64) echo aarch64-linux-gnu-gcc ;;
	esac
}

# test_initrd ARCH RELEASE: print its name
test_initrd() {
	local arch=$1 release=$2 dir=$WORK/initrd-$1-$2 module
	mkdir -p "$dir"/{dev,sys}
	"$(compiler "$arch")" -O2 -Wall -static -o "$dir/init" "$SELFTEST/init.c"
	"$(compiler "$arch")" -O2 -Wall -static -o "$dir/rigctl" "$TOP/tests/guest/rigctl.c"
	module=$(build_modules "$arch" "$release" "$SELFTEST/module" rigtest) ||
		die "there is no test module"
	cp "$module" "$dir/rigtest.ko"
	(cd "$dir" && find . -exec touch -h -d '2023-06-10 00:00:00 UTC' {} + &&
		find . -mindepth 1 | LC_ALL=C sort |
		cpio --quiet -o -H newc --reproducible -R 0:0) >"$dir.cpio"
	echo "$dir.cpio"
}

boot() {
	local arch=$1 dir=$WORK/$2 option target server='' wall='' guest=()
	local -a options=()
	shift 2
	mkdir -p "$dir"
	console=$dir/console result=$dir/result.json
	for option; do
		case $option in
		guest=*) guest+=("${option#guest=}") ;;
		wall=*) wall=${option#wall=} ;;
		*) options+=("$option") ;;
		esac
	done
	[ -n "${root:-}" ] || root=$("$RIG/guest-root" "bookworm-$arch")
	release=$("$RIG/kernel-of" "$root" "${KERNEL:-6.1}")
	[ -n "${initrd:-}" ] || initrd=$(test_initrd "$arch" "$release") || exit 1
	options=("board=testdev" "sock=$dir/sock" "ctl=$dir/ctl" "result=$result" "${options[@]}")
	image=$("$RIG/kernel-of" --image "$root" "$release")
	case $arch in
	amd64) target=x86_64 ;;
	arm64) target=aarch64 ;;
	esac
	if [ -n "$wall" ]; then
		"qemu_args_${arch}_wall" "$wall" "$image" "$initrd" "$console" -- "${guest[@]}"
		"$OUT/canpipe-rig-wall" "${options[@]}" &
		server=$!
		while [ ! -S "$dir/ctl" ]; do
			kill -0 "$server"
			sleep 0.05
		done
	else
		"qemu_args_$arch" "$image" "$initrd" "$console" -- "${guest[@]}"
		qemu_args_plugin "$OUT/canpipe-rig.so" "${options[@]}"
	fi
	qemu_args_device "$dir/sock" 4
	qemu_args_device "$dir/ctl" 5
	if ! timeout 120 "$RIG/qemu" "$target" "${QEMU_ARGS[@]}" 2>"$dir/log"; then
		sed 's/^/# /' "$dir/log"
	fi
	[ -z "$server" ] || wait "$server"
	if ! grep -q 'init: end' "$console"; then
		sed 's/^/# /' "$console"
		echo "Bail out! the guest has not come to its end"
		exit 1
	fi
}

value() {
	sed -n "s/.*rigtest: $1=\([^\r]*\).*/\1/p" "$console" | tail -n 1
}

got() {
	jq -r ".$1" "$result"
}
