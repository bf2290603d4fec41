# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What every script of the tests needs to handle Debian archives and roots; to be sourced.
#
#   say, die, timed, on_exit, need_root, take_lock, build_once   small tools
#   debian_mirror, apt_root, apt_in, fetch_deb,                  archives, without touching
#   apt_field, kernel_field, kernel_release,                       the machine's own apt
#   flavour_arch
#   make_root, fix_extracted_root                                mmdebstrap
#   root_run, overlay_mount                                      chroots
#
# Everything that is downloaded or built goes below $CACHE and can be thrown away at any time.

LIB=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
TOP=$(readlink -f "$LIB/../..")
CACHE=${CANPIPE_CACHE:-$TOP/.cache}
mkdir -p "$CACHE"
CACHE=$(readlink -f "$CACHE")
KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# This machine's architecture is what QEMU and the compilers of the roots are fetched for.
HOST_ARCH=amd64

say() {
	printf '%s\n' "$*" >&2
}

die() {
	say "${0##*/}: $*"
	exit 1
}

need_root() {
	[ "$(id -u)" -eq 0 ] || die "run this as root $*"
}

# timed WHAT COMMAND...: say what is done, and how long it took; also kept in the cache. COMMAND
# runs in a subshell, which ends at its first error.
timed() {
	local what=$1 start=$EPOCHREALTIME end rc errexit=$-
	shift
	say "${what} ..."
	set +e # "|| rc=$?" would switch it off inside COMMAND, too
	(
		set -e
		"$@"
	)
	rc=$?
	[[ $errexit != *e* ]] || set -e
	end=$EPOCHREALTIME
	local ms=$(((${end/[.,]/} - ${start/[.,]/}) / 1000))
	printf -v ms '%d.%d' $((ms / 1000)) $((ms % 1000 / 100))
	if [ "$rc" -eq 0 ]; then
		say "$what: ${ms} s"
		printf '%s\t%s\n' "$ms" "$what" >>"$CACHE/times.tsv"
	else
		say "$what: failed after ${ms} s"
	fi
	return "$rc"
}

_on_exit=()
_on_exit_of=

_run_on_exit() {
	local i
	for ((i = ${#_on_exit[@]} - 1; i >= 0; i--)); do
		eval "${_on_exit[i]}" || :
	done
}

# on_exit COMMAND...: run it when the script (or subshell) ends, last one first.
on_exit() {
	if [ "$_on_exit_of" != "$BASHPID" ]; then
		_on_exit=()
		_on_exit_of=$BASHPID
		trap _run_on_exit EXIT
		trap 'exit 129' HUP
		trap 'exit 130' INT
		trap 'exit 143' TERM
	fi
	_on_exit+=("${*@Q}")
}

# take_lock NAME: hold it until the script (or subshell) ends. Children must not inherit it for
# longer than that, so nothing here leaves a daemon behind.
take_lock() {
	local fd
	mkdir -p "$CACHE/locks"
	exec {fd}>"$CACHE/locks/$1"
	if ! flock -n "$fd"; then
		say "waiting for another run that prepares '$1'"
		flock "$fd"
	fi
}

# build_once TARGET FUNCTION [ARG...]: unless TARGET (below $CACHE) exists, call FUNCTION with a
# temporary name as last argument and rename what it made to TARGET. Two runs at once: the second
# waits for the first and uses its result. TARGET is made again when FUNCTION, its arguments or
# $RECIPE differ from what made it.
build_once() {
	local target=$CACHE/$1 recipe tmp
	shift
	recipe=$({ declare -f "$1" && printf '%s\n' "$@" "${RECIPE:-}"; } | sha256sum)
	! _is_built || return 0
	(
		take_lock "$(printf '%s' "${target#"$CACHE"/}" | tr / -)"
		! _is_built || exit 0
		tmp=$target.new
		rm -rf --one-file-system "$tmp" "$target.old"
		mkdir -p "$(dirname "$target")"
		RECIPE='' # is not for what FUNCTION may need to build in turn
		"$@" "$tmp"
		[ -e "$tmp" ] || die "$1 did not make $tmp"
		if [ -e "$target" ]; then
			mv -T "$target" "$target.old"
		fi
		mv -T "$tmp" "$target"
		printf '%s\n' "$recipe" >"$target.recipe"
		rm -rf --one-file-system "$target.old"
	)
}

_is_built() {
	# shellcheck disable=SC2154 # both are build_once's
	[ -e "$target" ] && [ "$(cat "$target.recipe" 2>/dev/null)" = "$recipe" ]
}

# The mirror this machine uses for Debian itself. CANPIPE_MIRROR overrides it.
debian_mirror() {
	local codename uri
	if [ -n "${CANPIPE_MIRROR:-}" ]; then
		printf '%s\n' "${CANPIPE_MIRROR%/}"
		return
	fi
	codename=$(. /etc/os-release && printf '%s' "${VERSION_CODENAME:-}")
	# shellcheck disable=SC2016 # apt substitutes these
	uri=$(apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages' |
		awk -v c="$codename" '$2 == c && $3 == "main" { print $1; exit }')
	[ -n "$uri" ] ||
		die "no Debian mirror for '$codename' in /etc/apt: set CANPIPE_MIRROR=URL"
	printf '%s\n' "${uri%/}"
}

# What the machine's apt has been told about proxies and retries holds for the other roots too.
apt_transport_options() {
	apt-config dump | grep -E '^Acquire::(http|https|Retries)\b.* "[^"]+";$' |
		grep -v -E '::(User-Agent|SendAccept|Pipeline-Depth|AllowRedirect)' || :
}

# apt_conf ROOT ARCH...: an apt that knows nothing but ROOT.
_apt_conf() {
	local r=$1 arch
	shift
	mkdir -p "$r"/etc/apt/{apt.conf.d,preferences.d} "$r/var/lib/apt/lists/partial" \
		"$r/var/lib/dpkg" "$r/var/cache/apt/archives/partial"
	: >"$r/var/lib/dpkg/status"
	{
		printf 'Dir "%s";\n' "$r"
		printf 'Dir::State::status "%s/var/lib/dpkg/status";\n' "$r"
		printf 'APT::Architecture "%s";\n' "$HOST_ARCH"
		printf 'APT::Architectures { '
		for arch; do printf '"%s"; ' "$arch"; done
		printf '};\n'
		printf 'Acquire::Languages "none";\n'
		printf 'Acquire::Check-Valid-Until "false";\n'
		printf 'Acquire::Retries "3";\n'
		printf 'APT::Sandbox::User "root";\n'
		# the caches cost 200 MB a suite and save a second
		printf 'Dir::Cache::pkgcache "";\nDir::Cache::srcpkgcache "";\n'
		apt_transport_options
	} >"$r/apt.conf"
}

_apt_update() { # ROOT SUITE ARCH...
	local r=$1 suite=$2 arches
	shift 2
	_apt_conf "$r" "$@"
	arches=$(IFS=,; printf '%s' "$*")
	printf 'deb [arch=%s signed-by=%s] %s %s main\n' "$arches" "$KEYRING" \
		"$(debian_mirror)" "$suite" >"$r/etc/apt/sources.list"
	APT_CONFIG=$r/apt.conf apt-get -qq update >&2
}

_apt_root_make() { # SUITE[_ARCH] DIR
	local suite=$1 r=$2
	if [[ $suite == *_* ]]; then
		_apt_update "$r" "${suite%_*}" "${suite#*_}"
		return
	fi
	# Secondary architectures of a mirror may be out of step; armhf is the one to do without.
	if ! _apt_update "$r" "$suite" amd64 arm64 armhf 2>/dev/null; then
		say "apt: the lists of $suite are out of step: once more without armhf"
		rm -rf "$r"
		_apt_update "$r" "$suite" amd64 arm64
	fi
}

_apt_root_move() { # the configuration holds absolute paths
	local suite=$1 r=$2
	timed "apt: lists of $suite" _apt_root_make "$suite" "$r"
	# apt-cache would read all lists anew for each question about a kernel
	awk -v RS= -v ORS='\n\n' '/^Package: linux-(headers|image|kbuild|source)-/' \
		"$r"/var/lib/apt/lists/*_Packages >"$r/kernel-packages"
	sed -i "s|\"$r|\"$CACHE/apt/$suite|g" "$r/apt.conf"
}

# apt_root SUITE[_ARCH]: make sure that this suite's lists are there, and not older than a day: those
# of amd64, arm64 and armhf, or of ARCH alone. All functions below take both kinds of name.
apt_root() {
	local r=$CACHE/apt/$1
	if [ -n "$(find "$r" -maxdepth 0 -mmin +1440 2>/dev/null)" ]; then
		rm -rf "$r"
	fi
	RECIPE='' build_once "apt/$1" _apt_root_move "$1"
}

# apt_in SUITE TOOL ARG...: apt-get, apt-cache... on that suite's lists.
apt_in() {
	local suite=$1
	shift
	apt_root "$suite"
	APT_CONFIG=$CACHE/apt/$suite/apt.conf "$@"
}

# apt_field SUITE PACKAGE[:ARCH] FIELD: of the newest version there; empty if there is none.
apt_field() {
	apt_in "$1" apt-cache --no-all-versions show "$2" 2>/dev/null |
		sed -n "s/^$3: //p" | head -n 1
}

# kernel_field SUITE PACKAGE ARCH FIELD: of the newest version there; empty if there is none. Only
# for packages that the kernel's source makes.
kernel_field() {
	apt_root "$1"
	awk -v RS= -v FS='\n' -v package="$2" -v arch="$3" -v field="$4" '
		{
			delete f
			for (i = 1; i <= NF; i++)
				if ((n = index($i, ": ")) > 1)
					f[substr($i, 1, n - 1)] = substr($i, n + 2)
			if (f["Package"] == package && f["Architecture"] ~ "^(" arch "|all)$")
				print f["Version"] "\t" f[field]
		}
	' "$CACHE/apt/$1/kernel-packages" | sort -V | tail -n 1 | cut -f 2
}

# flavour_arch FLAVOUR: the architecture whose kernel that is; also takes an architecture.
flavour_arch() {
	case $1 in
	amd64 | *-amd64) echo amd64 ;;
	arm64 | *-arm64 | arm64-16k) echo arm64 ;;
	armhf | armmp | *-armmp) echo armhf ;;
	armel | rpi) echo armel ;;
	*) die "no kernel flavour is called $1" ;;
	esac
}

# kernel_release SUITE FLAVOUR ARCH: e.g. bookworm amd64 amd64 -> 6.1.0-50-amd64, of the kernel
# that the suite's linux-headers-FLAVOUR metapackage (or else its newest headers) stands for.
kernel_release() {
	local suite=$1 flavour=$2 arch=$3 release
	release=$(kernel_field "$suite" "linux-headers-$flavour" "$arch" Depends |
		tr ',' '\n' | sed -n 's/^ *linux-headers-\([0-9][^ ]*\).*/\1/p' | head -n 1)
	if [ -z "$release" ]; then
		release=$(sed -n "s/^Package: linux-headers-\([0-9].*-$flavour\)\$/\1/p" \
			"$CACHE/apt/$suite/kernel-packages" |
			grep -v -E -e '-(rt|cloud)-' | sort -V | tail -n 1)
	fi
	[ -n "$release" ] || die "$suite has no linux-headers for $flavour ($arch)"
	printf '%s\n' "$release"
}

# fetch_deb SUITE DIR PACKAGE[:ARCH][=VERSION]...: download into DIR.
fetch_deb() {
	local suite=$1 dir=$2
	shift 2
	mkdir -p "$dir"
	apt_root "$suite"
	if ! (cd "$dir" && APT_CONFIG=$CACHE/apt/$suite/apt.conf apt-get -qq download "$@" >&2); then
		# the mirror has moved on since the lists were fetched
		say "apt: $suite: refreshing the lists"
		rm -rf "$CACHE/apt/$suite"
		apt_root "$suite"
		(cd "$dir" && APT_CONFIG=$CACHE/apt/$suite/apt.conf apt-get -qq download "$@" >&2) ||
			die "cannot download $* from $suite"
	fi
}

# make_root DIR SUITE[+SUITE...] MMDEBSTRAP_OPTION...: the suites' main components.
make_root() {
	local dir=$1 suites=$2 mirror suite option
	local -a sources=() options=()
	shift 2
	need_root "to make $dir"
	[ -x /usr/bin/mmdebstrap ] || die "mmdebstrap is missing: run tests/lib/setup"
	mirror=$(debian_mirror)
	for suite in ${suites//+/ }; do
		sources+=("deb $mirror $suite main")
	done
	while read -r option; do
		options+=("--aptopt=$option")
	done < <(apt_transport_options)
	# Only the first suite decides the set of packages; the others are asked for by name.
	env -u APT_CONFIG LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive INITRD=No TMPDIR=/tmp \
		mmdebstrap --mode=root --format=directory \
		--keyring="$KEYRING" \
		--aptopt='Acquire::Languages "none"' \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		--dpkgopt=force-unsafe-io \
		"${options[@]}" "$@" "${suites%%+*}" "$dir" "${sources[@]}" >"$dir.log" 2>&1 || {
		tail -n 60 "$dir.log" >&2
		die "cannot make $dir"
	}
	rm "$dir.log"
}

# fix_extracted_root DIR: do by hand what the maintainer scripts of a root that was only unpacked
# would have done and a script environment needs: merged /usr, sh, awk, users.
fix_extracted_root() {
	local r=$1 d
	for d in bin sbin lib lib64; do
		if [ -d "$r/$d" ] && [ ! -L "$r/$d" ]; then
			mkdir -p "$r/usr/$d"
			cp -a "$r/$d/." "$r/usr/$d/"
			rm -rf --one-file-system "${r:?}/$d"
		fi
		if [ -d "$r/usr/$d" ]; then
			ln -sfnT "usr/$d" "$r/$d"
		fi
	done
	[ -e "$r/usr/bin/sh" ] || ln -s dash "$r/usr/bin/sh"
	[ -e "$r/usr/bin/awk" ] || [ ! -e "$r/usr/bin/mawk" ] || ln -s mawk "$r/usr/bin/awk"
	for d in passwd group; do
		[ -e "$r/etc/$d" ] || [ ! -e "$r/usr/share/base-passwd/$d.master" ] ||
			cp "$r/usr/share/base-passwd/$d.master" "$r/etc/$d"
	done
	mkdir -p "$r"/{dev,proc,sys,run,tmp,root,etc,var/log}
	chmod 1777 "$r/tmp"
	[ -e "$r/var/run" ] || ln -s ../run "$r/var/run"
	[ -e "$r/etc/mtab" ] || ln -s ../proc/self/mounts "$r/etc/mtab"
	: >>"$r/etc/fstab"
	printf 'root:x:0:0:root:/root:/bin/bash\n' >>"$r/etc/.passwd"
	[ -e "$r/etc/passwd" ] || cp "$r/etc/.passwd" "$r/etc/passwd"
	rm -f "$r/etc/.passwd"
}

# overlay_mount ROOT DIR: mount a throwaway copy of ROOT on DIR/root (changes in DIR/upper) until
# the script ends.
overlay_mount() {
	local root=$1 dir=$2
	need_root "to mount an overlay"
	mkdir -p "$dir/upper" "$dir/work" "$dir/root"
	mount -t overlay overlay -o "lowerdir=$root,upperdir=$dir/upper,workdir=$dir/work" "$dir/root"
	on_exit umount --lazy "$dir/root"
}

# root_run [-b HOSTDIR[:INSIDE]]... [-r]... ROOT COMMAND...: run in ROOT with /proc, /sys, /dev and
# a policy that starts no services. All mounts live in a namespace of the command and go with it,
# whatever ends it. -b shows a directory of this machine inside, under the same name by default;
# -r does so read-only. Needs the mount points to exist, or ROOT to be writable.
root_run() {
	local -a binds=()
	local root
	while :; do
		case $1 in
		-b | -r)
			binds+=("$1" "$2")
			shift 2
			;;
		*)
			break
			;;
		esac
	done
	root=$1
	shift
	need_root "to chroot into $root"
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount --propagation private bash -eu -c '
		root=$1 n=$2
		shift 2
		mkdir -p "$root/proc" "$root/sys" "$root/dev" "$root/usr/sbin"
		mount -t proc proc "$root/proc"
		mount -t sysfs -o ro sys "$root/sys"
		mount --rbind /dev "$root/dev"
		if [ ! -e "$root/usr/sbin/policy-rc.d" ]; then
			printf "#!/bin/sh\nexit 101\n" >"$root/usr/sbin/policy-rc.d"
			chmod 755 "$root/usr/sbin/policy-rc.d"
		fi
		if [ -e /etc/resolv.conf ]; then
			rm -f "$root/etc/resolv.conf"
			cat /etc/resolv.conf >"$root/etc/resolv.conf"
		fi
		while [ "$n" -gt 0 ]; do
			from=${2%%:*} to=$root${2#*:}
			if [ -d "$from" ]; then mkdir -p "$to"; else mkdir -p "${to%/*}"; : >>"$to"; fi
			mount --bind "$from" "$to"
			[ "$1" != -r ] || mount -o remount,bind,ro "$to"
			shift 2
			n=$((n - 2))
		done
		exec chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
			TERM=dumb LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive INITRD=No "$@"
	' root_run "$root" "${#binds[@]}" "${binds[@]}" "$@"
}
