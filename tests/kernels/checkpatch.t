#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The drivers' source keeps the kernel's own style and documentation rules.

set -eu -o pipefail

HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source-path=SCRIPTDIR source=../lib/debian.sh
. "$HERE/../lib/debian.sh"
# shellcheck source-path=SCRIPTDIR source=../package/tap.sh
. "$HERE/../package/tap.sh"

scripts=$("$HERE/../lib/linux-source" 6.1)/scripts
cd "$TOP"
mapfile -t sources < <(find src -name '*.[ch]' ! -name '*.mod.c' | sort)

for file in "${sources[@]}"; do
	run "checkpatch --strict $file" perl "$scripts/checkpatch.pl" --no-tree --strict --terse \
		--show-types --max-line-length=100 -f "$file" || :
done

# checkpatch is only silent about a file that it has read
bad=$(mktemp -d)
on_exit rm -rf "$bad"
printf '// SPDX-License-Identifier: GPL-2.0-only\nint  a ;\nvoid f(){\n  a=1;\n}\n' >"$bad/bad.c"
if perl "$scripts/checkpatch.pl" --no-tree --strict --terse -f "$bad/bad.c" >/dev/null 2>&1; then
	ok 1 "checkpatch still bites"
else
	ok 0 "checkpatch still bites"
fi

run "kernel-doc comments are complete" \
	perl "$scripts/kernel-doc" -none -Werror "${sources[@]}" || :

# Functions that other files can call, without a kernel-doc comment of their name.
undocumented() {
	awk '
		FNR == 1 { name = ""; split("", documented); comment = 0 }
		/^\/\*\*$/ { comment = 1; next }
		comment && /^ \* [a-z0-9_]+\(\) - / { split($2, part, "("); documented[part[1]] = 1 }
		/\*\// { comment = 0; next }
		# a definition begins in the first column, ends with a line "{", and is not static
		/^[a-z]/ && !/^(static|struct [a-z0-9_]+ =|enum|union|typedef|extern|const)/ &&
			match($0, /[a-z0-9_]+\(/) && !/;$/ {
			name = substr($0, RSTART, RLENGTH - 1)
		}
		/^{$/ && name != "" {
			if (!(name in documented))
				print FILENAME ": " name
			name = ""
		}
		/;$/ { name = "" }
	' "$@"
}

is "$(undocumented "${sources[@]}")" "" "every function with external linkage has kernel-doc"

is "$(grep -n -E 'LINUX_VERSION_CODE|KERNEL_VERSION' -r src || :)" "" \
	"no test of the kernel's version: src/compat asks for features"
is "$(grep -L 'SPDX-License-Identifier: GPL-2.0' -r src || :)" "" "each file names its licence"

done_testing
