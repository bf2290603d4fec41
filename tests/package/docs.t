#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Every module parameter has its place in the man page and in the example for modprobe.d, with
# the default and the range that the driver says; every statistic is explained; every overlay
# parameter is named.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=tap.sh
. tests/package/tap.sh

# plain FILE: a man page without its markup
plain() {
	sed -e 's/\\-/-/g' -e 's/\\f[BIPR]//g' "$1"
}

# parameters DIRECTORY: name and description, which Kbuild would put into the module
parameters() {
	cat "$1"/*.c | tr '\n\t' '  ' | grep -o 'MODULE_PARM_DESC([^"]*"[^"]*")' |
		sed -E 's/MODULE_PARM_DESC\(([a-z_]+), *"(.*)"\)/\1 \2/'
}

check_parameters() { # DIRECTORY MAN CONF MODULE
	local name text default count=0
	while read -r name text; do
		count=$((count + 1))
		like "$(plain "$2")" "^\.BI $name= " "$4: $name is in $2"
		like "$(cat "$3")" "^#options $4 $name=" "$4: $name is in $3"
		default=$(sed -n 's/.*(default \([^)]*\)).*/\1/p' <<<"$text")
		like "$(plain "$2" | sed -n "/^\.BI $name= /,/^\.TP/p")" "Default: $default\." \
			"$4: $name: the default is $default"
		like "$(grep -B 5 "^#options $4 $name=" "$3")" "default: $default( |\$)" \
			"... also in $3"
	done < <(parameters "$1")
	ok $((count == 0)) "$4 has parameters"
	is "$(grep -c '^#options' "$3")" "$count" "... and no other is in $3"
}

check_parameters src/c_can man/c_can.4 config/modprobe.d/c_can.conf c_can
check_parameters src/mcp251x man/mcp251x.4 config/modprobe.d/mcp251x.conf mcp251x
check_parameters src/spi-bcm2835dma man/spi-bcm2835dma.4 \
	config/modprobe.d/spi-bcm2835dma.conf spi-bcm2835dma

# by words: several share a line there
words() {
	plain man/spi-bcm2835dma.4 | sed -n '/^\.SH STATISTICS/,/^\.SH DIAG/p' |
		sed -n 's/^\.BR\? //p' | tr -d ' "' | tr ',' '\n' | sort
}
is "$(words)" \
	"$({ sed -n 's/.*BCM2835DMA_STAT(\([a-z_]*\)),.*/\1/p' src/spi-bcm2835dma/debugfs.c
		sed -n 's/.*seq_printf(s, "\([a-z_]*\) .*/\1/p' src/spi-bcm2835dma/debugfs.c; } | sort)" \
	"spi-bcm2835dma: all statistics are explained, and no others"

is "$(plain man/mcp251x.4 | sed -n '/^\.SH ETHTOOL/,/^\.SH DIAG/p' | sed -n 's/^\.B \([a-z_]*\)$/\1/p' | sort)" \
	"$(sed -n 's/^\tMCP251X_STAT(\([a-z_]*\)),/\1/p' src/mcp251x/mcp251x_ethtool.c | sort)" \
	"mcp251x: all statistics are explained, and no others"

for overlay in config/overlays/*.dts; do
	name=$(basename "$overlay" .dts)
	section=$(plain man/spi-bcm2835dma.4 | sed -n "/^\.B $name/,/^\.\(TP\|SS\)/p")
	while read -r parameter; do
		like "$(cat "$overlay" man/spi-bcm2835dma.4)" "^ \*.*\b$parameter\b" \
			"$name: $parameter is explained in the overlay"
		[ "$parameter" = spimaxfrequency ] ||
			like "$section" "^\.B $parameter$" "... and in the man page"
	done < <(sed -n '/__overrides__/,$ s/^\t\t\([a-z0-9_]*\) = .*/\1/p' "$overlay")
done

done_testing
