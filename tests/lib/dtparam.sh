# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# dtparam OVERLAY NAME[=VALUE]...: set parameters of a compiled overlay in place, as the
# Raspberry Pi's firmware does before it merges one; to be sourced.
#
# Of the firmware's language: <&label>,"property:offset" (32-bit cells), and <0>,"+1-2" to
# turn fragments on and off. Whatever does not fit is an error.

_dtparam_fail() {
	echo "dtparam: $*" >&2
	return 1
}

# dt_phandles TREE: "number path" of each node that has a phandle
dt_phandles() {
	dtc -q -I dtb -O dts "$1" | awk '
		/{$/ { path[++depth] = depth > 1 ? path[depth - 1] "/" $(NF - 1) : "" }
		$1 == "phandle" { gsub(/[<>;]/, "", $3); print $3, path[depth] }
		/^\t*};$/ { depth-- }
	' | while read -r phandle path; do
		printf '%d %s\n' "$phandle" "$path"
	done
}

_dtparam_cell() { # OVERLAY PHANDLE PROPERTY OFFSET VALUE
	local node
	local -a cells
	node=$(dt_phandles "$1" | sed -n "s/^$2 //p")
	[ -n "$node" ] || _dtparam_fail "no node has phandle $2" || return
	read -r -a cells < <(fdtget -t u "$1" "$node" "$3" 2>/dev/null) ||
		_dtparam_fail "$node has no $3" || return
	[ $(($4 % 4)) -eq 0 ] && [ $(($4 / 4)) -lt ${#cells[@]} ] ||
		_dtparam_fail "$node: $3 has no offset $4" || return
	cells[$4 / 4]=$5
	fdtput -t u "$1" "$node" "$3" "${cells[@]}"
}

# The name of the fragment's content is what the firmware goes by, also in the fixups.
_dtparam_fragment() { # OVERLAY +|- NUMBER
	local from=__dormant__ to=__overlay__
	[ "$2" = + ] || from=__overlay__ to=__dormant__
	fdtget -l "$1" "/fragment@$3" >/dev/null || _dtparam_fail "no fragment $3" || return
	dtc -q -I dtb -O dts "$1" | awk -v fragment="fragment@$3" -v from="$from" -v to="$to" '
		$1 == fragment && $2 == "{" { inside = 1; depth = 0 }
		inside {
			depth += gsub(/{/, "{") - gsub(/}/, "}")
			sub(from " {", to " {")
			if (!depth)
				inside = 0
		}
		{ gsub("/" fragment "/" from, "/" fragment "/" to); print }
	' >"$1.dts"
	dtc -q -I dts -O dtb -o "$1" "$1.dts"
	rm "$1.dts"
}

_dtparam_one() { # OVERLAY NAME VALUE
	local bytes i=0 n phandle text
	read -r -a bytes < <(fdtget -t bx "$1" /__overrides__ "$2" 2>/dev/null) ||
		_dtparam_fail "no parameter $2" || return
	while [ "$i" -lt "${#bytes[@]}" ]; do
		phandle=0
		for n in 0 1 2 3; do
			phandle=$((phandle * 256 + 16#${bytes[i + n]}))
		done
		text=
		for ((i += 4; 16#${bytes[i]}; i++)); do
			printf -v text '%s%b' "$text" "\\x${bytes[i]}"
		done
		i=$((i + 1))
		if [ "$phandle" -ne 0 ]; then
			_dtparam_cell "$1" "$phandle" "${text%:*}" "${text#*:}" "$3" || return
			continue
		fi
		[[ $text =~ ^([-+][0-9]+)+$ ]] || _dtparam_fail "$2: what is '$text'?" || return
		while [ -n "$text" ]; do
			[[ $text =~ ^([-+])([0-9]+)(.*) ]]
			text=${BASH_REMATCH[3]}
			_dtparam_fragment "$1" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" || return
		done
	done
}

dtparam() {
	local overlay=$1 parameter
	shift
	for parameter; do
		_dtparam_one "$overlay" "${parameter%%=*}" "${parameter#*=}" || return
	done
}
