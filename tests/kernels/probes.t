#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# What differs between kernels is asked of their headers, in one place: the drivers hold no test for
# a version, only src/compat reads what src/compat/probe.sh finds, and no question is left over.
# That each is answered by some kernels with yes and by some with no is for check-kernels to see.

set -eu -o pipefail

HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source-path=SCRIPTDIR source=../lib/debian.sh
. "$HERE/../lib/debian.sh"
# shellcheck source-path=SCRIPTDIR source=../package/tap.sh
. "$HERE/../package/tap.sh"

cd "${CANPIPE_SOURCES:-$TOP}"
work=$(mktemp -d)
on_exit rm -rf "$work"

is "$(grep -rnE 'LINUX_VERSION|KERNEL_VERSION|UTS_RELEASE|linux/version\.h|RHEL_' src Kbuild || :)" "" \
	"no test for a kernel's version"
is "$(grep -rl CANPIPE_HAVE_ src Kbuild | grep -v '^src/compat/' || :)" "" \
	"only src/compat asks what a kernel has"
probed=$(sed -n 's/^has \([A-Z0-9_]*\).*/\1/p' src/compat/probe.sh | sort)
is "$(grep -hoE 'CANPIPE_HAVE_[A-Z0-9_]+' src/compat/*.h | sed 's/CANPIPE_HAVE_//' | sort -u)" "$probed" \
	"what is asked is probed, and nothing else"
is "$(uniq -d <<<"$probed")" "" "nothing is probed twice"

# Of headers that are not there nothing is claimed.
is "$(sh src/compat/probe.sh "$work")" "" "a kernel without headers has none of it"

# Blanks and line ends do not matter, and a comment or a longer name is no declaration.
mkdir -p "$work/linux/spi"
printf 'struct spi_controller *\ndevm_spi_alloc_host(\n\tstruct device *dev);\n' >"$work/linux/spi/spi.h"
is "$(sh src/compat/probe.sh "$work")" " -DCANPIPE_HAVE_DEVM_SPI_ALLOC_HOST" "a declaration on two lines is one"
echo 'void my_devm_spi_alloc_host(void);' >"$work/linux/spi/spi.h"
is "$(sh src/compat/probe.sh "$work")" "" "another function is not"

done_testing
