#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canpipe, the helper: its arguments and exit codes on this machine, whatever interfaces it has; its
# manual pages, which name each finding; its completion.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=tap.sh
. tests/package/tap.sh
# shellcheck source-path=SCRIPTDIR source=helper.sh
. tests/package/helper.sh

exits 0 "--help" --help
for command in status doctor overlay setup; do
	like "$(cat "$out/out")" "^  $command " "--help names $command"
done
exits 0 "--version" --version
is "$(cat "$out/out")" "canpipe $(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' dkms.conf)" \
	"the version is that of the package"
exits 2 "no command"
like "$(cat "$out/err")" "^usage: " "... says how"
exits 2 "a command that is not there" docotr
like "$(cat "$out/err")" "^canpipe: docotr: no such command" "... says so"
exits 2 "an option that is not there" --foo status
exits 2 "--root without a value" --root
exits 2 "--root of nothing" --root /nowhere status
exits 0 "doctor --help" doctor --help
exits 0 "status --help" status --help
for arguments in '--watch' '--watch x' '--watch -1' '--watch 3601' '--watch=' '--bitrate 500k' \
	'--bitrate 999' '--bitrate 1000001' '--foo' 'can0 can1'; do
	# shellcheck disable=SC2086 # they are words
	exits 2 "doctor $arguments" doctor $arguments
	like "$(cat "$out/err")" "^canpipe: " "... says why"
done
exits 2 "doctor of an interface that is not there" doctor no-such-can
exits 2 "status of an interface that is not there" status no-such-can
exits 2 "status with two names" status can0 can1

# an empty tree is a machine of which nothing is known
mkdir "$out/root"
exits 0 "status of an empty tree" --root "$out/root" --json status
is "$(jq -r '.system.headers' "$out/out")" missing "... as JSON"
exits 0 "options after the command" --root="$out/root" status --json
is "$(jq -r '.system.modules | length' "$out/out")" 0 "... as JSON, too"
rc=0
"$canpipe" status --help >/dev/full 2>"$out/err" || rc=$?
is "$rc" 2 "a full disk"
like "$(cat "$out/err")" "cannot write" "... says so"

# manual pages
plain() {
	sed -e 's/\\-/-/g' -e 's/\\f[BIPR]//g' "$1"
}
for page in man/canpipe.7 man/canpipe.8; do
	is "$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)" "" \
		"$page: no warning of man"
	is "$(mandoc -T lint -W warning "$page" 2>&1)" "" "$page: no warning of mandoc"
done
ids() {
	grep -h -o 'f_add(f, "[a-z0-9-]*"' utils/doctor_*.c | cut -d '"' -f 2 | sort -u
}
is "$(plain man/canpipe.8 | sed -n '/^\.SH FINDINGS/,/^\.SH EXIT/p' |
	sed -n '/^\.TP$/{n;s/^\.BR\? \(.*\)$/\1/p}' | sed 's/ ", " /\n/' | sort -u)" "$(ids)" \
	"canpipe.8 names all findings, and no others"
for id in $(ids); do
	ok "$(grep -q -E "says .*\b$id:|^		.*\b$id:" tests/guest/doctor*.sh && echo 0 || echo 1)" \
		"$id is provoked on the rig"
done
# losses_tree() of status_tree.c
losses=$(sed -n '/^static json_t \*losses_tree/,/^}/p' utils/status_tree.c |
	sed -n 's/^\t*.*"\([rt]x_[a-z_]*\)", [c(].*/\1/p')
is "$(wc -w <<<"$losses")" 6 "status has six causes of losses"
for loss in $losses; do
	like "$(cat man/canpipe.8)" "^\.B ${loss//_/ }$" "canpipe.8 explains $loss"
done

# completion
# shellcheck source=/dev/null
. utils/completion
complete_with() { # WORD...: what is offered for the last one
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_canpipe
	printf '%s\n' "${COMPREPLY[*]}"
}
is "$(complete_with canpipe st)" status "completion: a command"
is "$(complete_with canpipe --json doc)" doctor "completion: a command behind an option"
is "$(complete_with canpipe --root / doctor --w)" --watch "completion: an option of a command"
is "$(complete_with canpipe doctor --bitrate 12)" 125000 "completion: a bit rate"
is "$(complete_with canpipe --root /us)" /usr "completion: a directory"
is "$(complete_with canpipe foo '')" "" "completion: nothing for a wrong command"
# what the commands say of themselves is offered, and in the manual page
for command in overlay setup; do
	exits 0 "$command --help" "$command" --help
	for option in $(grep -o -E '(^|[ |])--[a-z-]+' "$out/out" | tr -d ' |' | sort -u); do
		like "$(complete_with canpipe "$command" -- | tr ' ' '\n')" "^$option$" \
			"completion: $command $option"
		like "$(plain man/canpipe.8)" "^\.BI? $option( |$)" "canpipe.8: $option"
	done
done
is "$(complete_with canpipe overlay in)" install "completion: overlay install"
is "$(complete_with canpipe setup --with u)" unit "completion: setup --with"
for option in --watch --bitrate; do
	like "$(complete_with canpipe doctor '')" "$option" "completion: doctor $option"
	exits 0 "doctor --help" doctor --help
	like "$(cat "$out/out")" "$option" "doctor --help: $option"
	like "$(plain man/canpipe.8)" "^\.BI $option " "canpipe.8: $option"
done
done_testing
