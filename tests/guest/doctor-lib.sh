# shellcheck shell=dash
# SPDX-License-Identifier: GPL-2.0-only
#
# For doctor*.sh: a trouble is made, canpipe doctor has to name it and nothing else, and what it
# says mends it is tried out. To be sourced after lib.sh.

release=$(uname -r)

# A system as an administrator who has read everything would have it: headers, the package, long
# socket buffers. Guests have none of these.
healthy_system() {
	mkdir -p "/lib/modules/$release/build/include/generated" /usr/src/canpipe-0.1.0 /var/lib/dpkg
	: >"/lib/modules/$release/build/Makefile"
	echo "#define UTS_RELEASE \"$release\"" \
		>"/lib/modules/$release/build/include/generated/utsrelease.h"
	: >/usr/src/canpipe-0.1.0/dkms.conf
	user_land "$RIG_ARCH"
	sysctl -q -w net.core.rmem_default=2097152
	# what fixes begin with
	printf '#!/bin/sh\nexec "$@"\n' >/usr/bin/sudo
	printf '#!/bin/sh\necho reboot >>/tmp/reboots\n' >/usr/bin/reboot
	chmod 755 /usr/bin/sudo /usr/bin/reboot
}

# user_land ARCH: what dpkg was built for
user_land() {
	printf 'Package: adduser\nStatus: install ok installed\nArchitecture: all\n\n' \
		>/var/lib/dpkg/status
	printf 'Package: dpkg\nStatus: install ok installed\nArchitecture: %s\n' "$1" \
		>>/var/lib/dpkg/status
}

# examine OPTION...: /tmp/found has the findings
examine() {
	examine_in / "$@"
}

# examine_in ROOT OPTION...: found has "ID:CERTAINTY ..." of all findings, as they are shown: those
# of the system first, then the most certain ones, then by their names
examine_in() {
	_root=$1
	shift
	canpipe --root "$_root" doctor "$@" >/tmp/found 2>/tmp/said
	examined=$?
	found=$(awk '/^[a-z0-9]+: [a-z0-9-]+$/ { id = $2 }
		$1 == "sure:" { printf "%s%s:%s", between, id, $2; between = " " }' /tmp/found)
}

# says NAME FINDING:CERTAINTY...: exactly these
says() {
	_name=$1
	shift
	is "$found" "$*" "$_name: named, and nothing else"
	is "$examined" 1 "$_name: the exit code says so"
	[ "$found" = "$*" ] || sed 's/^/# /' /tmp/found
}

# silent NAME
silent() {
	is "$found" "" "$1: silent"
	is "$examined" 0 "$1: exit code 0"
	[ "$examined" -eq 0 ] || sed 's/^/# /' /tmp/found /tmp/said
}

# the command that mends the finding of that ID
mend_of() {
	sed -n "/: $1\$/,/^  mend:/s/^  mend: *//p" /tmp/found
}

# mends ID: what it says mends it is done
mends() {
	_command=$(mend_of "$1")
	if _out=$(sh -c "$_command" 2>&1); then
		pass "$1: $_command"
	else
		fail "$1: $_command"
		printf '%s\n' "$_out" | sed 's/^/# /'
	fi
}

# mended NAME ID [OPTION...]: done, it is silent
mended() {
	_what=$1
	mends "$2"
	shift 2
	examine "$@"
	silent "$_what, mended"
}
