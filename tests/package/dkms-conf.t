#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# dkms.conf as DKMS reads it, without DKMS: what it lists when nothing is known, for
# each kernel configuration (compared with what Kbuild would build there), and after
# a build.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
. tests/package/tap.sh

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# conf [VARIABLE=VALUE...]: the modules that dkms.conf lists, as DIRECTORY/NAME
conf() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	env -i PATH="$PATH" "$@" bash -c '
		. ./dkms.conf
		for ((i = 0; i < ${#BUILT_MODULE_NAME[@]}; i++)); do
			echo "${BUILT_MODULE_LOCATION[i]}/${BUILT_MODULE_NAME[i]}"
		done
	' | sort
}

# kbuild OPTION=VALUE...: the modules that the Kbuild files build with these options
cat >"$tmp/list.mk" <<'EOM'
src := $(dir)
obj := $(dir)
srctree := /nonexistent
include $(dir)/Kbuild
all:
	@echo $(addprefix $(dir)/,$(sort $(obj-m)))
EOM
kbuild() {
	local item queue=(.) directory

	while [ "${#queue[@]}" -gt 0 ]; do
		directory=${queue[0]}
		queue=("${queue[@]:1}")
		for item in $(make -s -f "$tmp/list.mk" dir="$directory" "$@"); do
			case $item in
			*/) queue+=("$(realpath --relative-to=. "$item")") ;;
			*) echo "${item%.o}" ;;
			esac
		done
	done | sort
}

all='src/c_can/c_can
src/c_can/c_can_pci
src/c_can/c_can_platform
src/mcp251x/mcp251x
src/spi-bcm2835dma/spi-bcm2835dma'

# DKMS sources the file with every variable empty for "dkms add".
is "$(conf)" "$all" "lists every module when no kernel is known"
is "$(env -i PATH="$PATH" bash -eu -c '. ./dkms.conf' 2>&1; echo "exit $?")" "exit 0" \
	"can be sourced by a strict shell"

# Each combination of the options that any module names.
kernel=$tmp/kernel
mkdir -p "$kernel/include/config"
different=
combinations=0
compare() { # OPTION=VALUE...
	local listed built
	printf '%s\n' "$@" >"$kernel/include/config/auto.conf"
	listed=$(conf kernelver=1.2.3 arch=x86_64 dkms_tree="$tmp/none" kernel_source_dir="$kernel")
	built=$(kbuild "$@")
	[ "$listed" = "$built" ] ||
		different+="$*: listed $(xargs <<<"$listed"), built $(xargs <<<"$built")"$'\n'
	combinations=$((combinations + 1))
}
for can in '' CONFIG_CAN_DEV=m CONFIG_CAN_DEV=y; do
	for pci in '' CONFIG_PCI=y; do
		for of in '' CONFIG_OF=y; do
			for iomem in '' CONFIG_HAS_IOMEM=y; do
				for spi in '' CONFIG_SPI_MASTER=y CONFIG_DMA_ENGINE=y \
					'CONFIG_SPI_MASTER=y CONFIG_DMA_ENGINE=y'; do
					# shellcheck disable=SC2206 # empty ones shall vanish
					options=($can $pci $of $iomem $spi)
					compare "${options[@]}"
				done
			done
		done
	done
done
is "$different" "" "lists what Kbuild builds, in $combinations kernel configurations"

with() {
	printf '%s\n' "$@" >"$kernel/include/config/auto.conf"
	conf kernelver=1.2.3 arch=x86_64 dkms_tree="$tmp/none" kernel_source_dir="$kernel"
}
is "$(with CONFIG_CAN_DEV=m CONFIG_PCI=y CONFIG_OF=y CONFIG_HAS_IOMEM=y CONFIG_SPI_MASTER=y \
	CONFIG_DMA_ENGINE=y)" "$all" "all modules where the kernel has everything"
is "$(with CONFIG_CAN_DEV=y CONFIG_PCI=y CONFIG_HAS_IOMEM=y)" \
	"src/c_can/c_can"$'\n'"src/c_can/c_can_pci" "no c_can_platform without device tree"
is "$(with CONFIG_CAN_DEV=m CONFIG_OF=y CONFIG_HAS_IOMEM=y)" \
	"src/c_can/c_can"$'\n'"src/c_can/c_can_platform" "no c_can_pci without PCI"
is "$(with CONFIG_OF=y CONFIG_HAS_IOMEM=y CONFIG_SPI_MASTER=y CONFIG_DMA_ENGINE=y)" \
	"src/spi-bcm2835dma/spi-bcm2835dma" "the SPI driver does not need CAN"
is "$(with CONFIG_CAN_DEV=m CONFIG_SPI_MASTER=y)" \
	"src/c_can/c_can"$'\n'"src/mcp251x/mcp251x" "mcp251x needs CAN and SPI, no device tree"
is "$(with CONFIG_PCI=y CONFIG_OF=y CONFIG_HAS_IOMEM=y CONFIG_CAN_DEVELOP=y)" \
	"src/none/canpipe_none" "the placeholder without CAN"

# A kernel tree that was configured but not prepared has only .config.
mv "$kernel/include/config/auto.conf" "$kernel/.config"
is "$(conf kernelver=1.2.3 arch=x86_64 dkms_tree="$tmp/none" kernel_source_dir="$kernel")" \
	"src/none/canpipe_none" "reads .config where there is no auto.conf"

# After the build: exactly what was built, or removal leaves files behind.
version=$(sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' dkms.conf)
module=$tmp/dkms/canpipe/$version/1.2.3/x86_64/module
mkdir -p "$module"
printf '%s\n' CONFIG_CAN_DEV=m CONFIG_PCI=y CONFIG_OF=y CONFIG_HAS_IOMEM=y >"$kernel/.config"
built() {
	conf kernelver=1.2.3 arch=x86_64 dkms_tree="$tmp/dkms" kernel_source_dir="$1"
}
touch "$module/c_can.ko.xz" "$module/c_can_pci.ko.xz"
is "$(built "$kernel")" "src/c_can/c_can"$'\n'"src/c_can/c_can_pci" \
	"after a build: what was built, not what could be"
is "$(built "$tmp/removed")" "src/c_can/c_can"$'\n'"src/c_can/c_can_pci" \
	"after a build: the same with the headers gone"
rm "$module"/*
touch "$module/canpipe_none.ko"
is "$(built "$kernel")" "src/none/canpipe_none" "after a build: the placeholder stays listed"

# Rules that the versions of DKMS from 2.8.4 on have in common.
# shellcheck disable=SC2016
is "$(bash -c '. ./dkms.conf
	compgen -v | grep -E "^(BUILD_EXCLUSIVE|MAKE|CLEAN|REMAKE_INITRD|MODULES_CONF|PATCH|POST_|PRE_)" |
		grep -vE "^MAKE(FLAGS|LEVEL|OVERRIDES|_TERM)|^MAKE_"' || true)" "" \
	"no directive that DKMS versions treat differently"
# shellcheck disable=SC2016
is "$(bash -c '. ./dkms.conf; printf "%s\n" "${DEST_MODULE_LOCATION[@]}"' | sort -u)" \
	"/updates/dkms" "every module goes to /updates/dkms"
# dh_dkms takes the last match of these, wherever it stands in the file.
is "$(grep -cE 'PACKAGE_NAME=' dkms.conf)/$(grep -cE 'PACKAGE_VERSION=' dkms.conf)" "1/1" \
	"name and version are written once"

# One version.
is "$(dpkg-parsechangelog -l debian/changelog -S Version)" "$version" \
	"the changelog has the version of dkms.conf"
# shellcheck disable=SC2016 # make expands it
echo 'all: ; @echo '\''$(subdir-ccflags-y)'\' >"$tmp/flags.mk"
like "$(make -s -f Kbuild -f "$tmp/flags.mk" src=. all)" "-DCANPIPE_VERSION=.\"$version.\"" \
	"Kbuild hands the version to the sources"
missing=
while IFS= read -r file; do
	grep -q '^MODULE_VERSION(CANPIPE_VERSION);$' "$file" || missing+="$file "
done < <(grep -rl --include='*.c' '^MODULE_LICENSE(' src)
is "$missing" "" "every module says MODULE_VERSION(CANPIPE_VERSION)"

done_testing
