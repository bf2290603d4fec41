# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# For tests of what writes files: power cuts, read-only roots.

# power_cuts OLD FILE NEW COMMAND...: let COMMAND end before each of its system calls that change
# files, each time from OLD (-: FILE is not there); print which states FILE was found in afterwards:
# old, new, other.
power_cuts() {
	local old=$1 file=$2 new=$3 call n rc
	shift 3
	for call in openat write fsync rename unlink mkdir fchmod fchown; do
		for ((n = 1; n < 100; n++)); do
			rm -f "$file"
			[ "$old" = - ] || cp "$old" "$file"
			rc=0
			# in a shell of its own, which keeps "Killed" to itself
			bash -c '"$@"; exit $?' cut strace -qq -o /dev/null \
				-e "inject=$call:signal=KILL:when=$n" "$@" >/dev/null 2>&1 || rc=$?
			if [ "$rc" -eq 0 ]; then
				break
			elif { [ "$old" = - ] && [ ! -e "$file" ]; } || cmp -s "$file" "$old"; then
				echo old
			elif cmp -s "$file" "$new"; then
				echo new
			else
				echo other
			fi
		done
	done | sort | uniq | tr '\n' ' '
}

# written_in_order COMMAND...: each file is on the disk before it gets its name, the name afterwards
written_in_order() {
	strace -qq -o /dev/stdout -e trace=openat,write,fsync,rename "$@" 2>/dev/null | awk '
		/^openat.*O_WRONLY/ { dirty = 1 }
		/^fsync/ { dirty = 0; unnamed = 0 }
		/^rename/ { if (dirty) bad = 1; unnamed = 1; renames++ }
		END { exit bad || unnamed || !renames }'
}

# chroot_ro ROOT FILE COMMAND...: run it in ROOT with a copy of FILE in /run/canpipe; ROOT stays
chroot_ro() {
	local root=$1 file=$2
	shift 2
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount bash -eu -c '
		mount -t tmpfs tmpfs "$1/run"
		mkdir "$1/run/canpipe"
		cp "$2" "$1/run/canpipe/"
		mount -t proc proc "$1/proc"
		root=$1
		shift 2
		exec chroot "$root" "$@"' chroot_ro "$root" "$file" "$@"
}
