#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# With openssl there, DKMS signs the modules with the key that it makes for this machine: the
# signature is of exactly what is in the file, and of the key that "mokutil --import" would enrol.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=flow.sh
. tests/package/flow.sh

long_only
flow_start tests/rig/guest-root bookworm-amd64
run "only one kernel shall cost time" purge_now "linux-headers-$NEWER"
run "openssl is installed" apt_install openssl
run "apt installs the package" apt_install /root/canpipe-dkms.deb

mok=$ROOT/var/lib/dkms/mok.pub
ok "$([ -s "$mok" ] && echo 0 || echo 1)" "there is a certificate to enrol"

# split FILE: $FILE.signature and $FILE.content. A signed module ends with the signature, 12 bytes of
# which the last 4 are its length, and a mark.
split() {
	local size length
	[ "$(tail -c 28 "$1" | tr -d '\0')" = "~Module signature appended~" ] || return 1
	size=$(stat -c %s "$1")
	length=$((16#$(tail -c 32 "$1" | head -c 4 | od -An -v -t x1 | tr -d ' \n')))
	tail -c $((length + 40)) "$1" | head -c "$length" >"$1.signature"
	head -c $((size - length - 40)) "$1" >"$1.content"
}

verify() { # FILE, inside
	split "$ROOT$1"
	inside openssl x509 -inform DER -in /var/lib/dkms/mok.pub -out /root/mok.pem
	inside openssl cms -verify -inform DER -in "$1.signature" -content "$1.content" -binary \
		-certfile /root/mok.pem -nointern -noverify -out /dev/null
}

for module in $MODULES; do
	cp "$ROOT/lib/modules/$OLDER/updates/dkms/$module.ko" "$ROOT/root/$module.ko"
	run "$module is signed with that key" verify "/root/$module.ko" || :
done

# The same question finds what is wrong.
cp "$ROOT/lib/modules/$OLDER/updates/dkms/c_can.ko" "$ROOT/root/wrong.ko"
printf 'x' | dd of="$ROOT/root/wrong.ko" bs=1 seek=4096 conv=notrunc status=none
ok "$(verify /root/wrong.ko >/dev/null 2>&1 && echo 1 || echo 0)" "a changed module is not"

# An upgrade must not make another key, or the user would have to enrol that one, too.
before=$(sha256sum <"$mok")
run "it is built anew" inside sh -c "dkms remove canpipe/$VERSION --all && dkms install canpipe/$VERSION -k $OLDER"
is "$(sha256sum <"$mok")" "$before" "the key stays"
cp "$ROOT/lib/modules/$OLDER/updates/dkms/c_can.ko" "$ROOT/root/again.ko"
run "... and signs" verify /root/again.ko || :

done_testing
