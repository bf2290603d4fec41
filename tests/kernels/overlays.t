#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The device-tree overlays on the device trees that Debian's kernels have for the Raspberry Pi:
# they apply, in any order, and what they refer to is what is meant. CANPIPE_LONG=1: on
# every board and more kernels.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=../package/tap.sh
. tests/package/tap.sh
# shellcheck source-path=SCRIPTDIR source=../lib/dtparam.sh
. tests/lib/dtparam.sh

tmp=$(mktemp -d)
tree=$tmp/merged.dtb
trap 'rm -rf "$tmp"' EXIT
spi=/soc/spi@7e204000

if ! run "they compile" make -C config/overlays OUT="$tmp"; then
	done_testing
fi
is "$(make -C config/overlays OUT="$tmp/again" 2>&1 | grep -i warning)" "" "without a warning"

# merge BASE OVERLAY[,PARAMETER]...: "OVERLAY,PARAMETER,..." as in dtoverlay=; gives $tree
merge() {
	local base=$1 line name n=0
	local -a parameters overlays=()
	shift
	tree=$tmp/merged.dtb
	for line; do
		IFS=, read -r -a parameters <<<"$line"
		name=$tmp/$((++n)).dtbo
		cp "$tmp/${parameters[0]}.dtbo" "$name"
		dtparam "$name" "${parameters[@]:1}" || return
		overlays+=("$name")
	done
	fdtoverlay -i "$base" -o "$tree" "${overlays[@]}" || return
	dt_phandles "$tree" >"$tmp/phandles"
}

get() { # NODE PROPERTY [TYPE]: "none" if it is not there
	fdtget -t "${3:-u}" -d none "$tree" "$1" "$2"
}

node() { # PHANDLE
	sed -n "s/^$1 //p" "$tmp/phandles"
}

# the first cell is a phandle: the node's name, and the others
refers() { # NODE PROPERTY [CELLS-OF-EACH]
	local -a cells
	local each=${3:-99} i out=
	read -r -a cells < <(get "$1" "$2")
	for ((i = 0; i < ${#cells[@]}; i += each)); do
		out+="$(node "${cells[i]}") ${cells[*]:i + 1:each - 1} "
	done
	printf '%s\n' "${out% }"
}

gpio=/soc/gpio@7e200000

check_dma() { # NAME
	local dma
	dma=$(fdtget -t s "$tree" /__symbols__ dma)
	is "$(get $spi compatible s) $(get $spi status s)" "canpipe,bcm2835-spi-dma okay" \
		"$1: SPI0 is for our driver"
	is "$(refers $spi dmas 2), $(get $spi dma-names s)" "$dma 6 $dma 7, tx rx" \
		"$1: DMA requests"
	is "$(refers $spi cs-gpios 3)" "$gpio 8 1 $gpio 7 1" "$1: chip selects"
	is "$(refers $spi pinctrl-0 1)" \
		"$gpio/canpipe-spi0-pins  $gpio/canpipe-spi0-cs-pins " "$1: pins"
}

check_can() { # NAME NODE CE INT HZ SPEED
	is "$(get "$2" compatible s) $(get "$2" reg) $(get "$2" status s)" \
		"microchip,mcp2515 $3 none" "$1: MCP2515 on CE$3"
	is "$(refers "$2" interrupt-parent) $(get "$2" interrupts)" "$gpio  $4 8" \
		"$1: level interrupt on GPIO $4"
	is "$(get "$(refers "$2" clocks | tr -d ' ')" clock-frequency)" "$5" "$1: crystal"
	is "$(get "$2" spi-max-frequency)" "$6" "$1: speed"
	is "$(get "$(refers "$2" pinctrl-0 | tr -d ' ')" brcm,pins)" "$4" "$1: interrupt pin"
	is "$(get "$spi/spidev@$3" status s)" disabled "$1: no spidev there"
}

# one board in all combinations
check_board() { # DTB
	local name
	name=$(basename "$1" .dtb)
	is "$(tree=$1 get $spi status s)" disabled "$name: SPI0 is there, and off"

	run "$name: SPI0" merge "$1" canpipe-spi0-dma || return 0
	check_dma "$name"

	merge "$1" canpipe-mcp2515
	is "$(get $spi compatible s) $(get $spi status s)" "brcm,bcm2835-spi okay" \
		"$name: with the kernel's driver"
	check_can "$name" $spi/mcp2515@0 0 25 16000000 10000000

	merge "$1" canpipe-mcp2515,oscillator=8000000,interrupt=22,speed=4000000 \
		canpipe-spi0-dma canpipe-mcp2515,ce1,interrupt=24,spimaxfrequency=5000000
	check_dma "$name, two MCP2515"
	check_can "$name, first of two" $spi/mcp2515@0 0 22 8000000 4000000
	check_can "$name, second of two" $spi/mcp2515@1 1 24 16000000 5000000
}

# the parameters of SPI0, on any board
check_pins() { # DTB
	merge "$1" canpipe-spi0-dma,cs0_pin=22,cs1_pin=27
	is "$(refers $spi cs-gpios 3)" "$gpio 22 1 $gpio 27 1" "other chip selects"
	is "$(get $gpio/canpipe-spi0-cs-pins brcm,pins)" "22 27" "... and their pins"
	merge "$1" canpipe-spi0-dma,cs0_pin=22
	is "$(refers $spi cs-gpios 3), $(get $gpio/canpipe-spi0-cs-pins brcm,pins)" \
		"$gpio 22 1 $gpio 7 1, 22 7" "only one of them"
	merge "$1" canpipe-spi0-dma,keep_pins
	is "$(get $spi cs-gpios) $(get $spi pinctrl-0) $(get $spi compatible s)" \
		"none none canpipe,bcm2835-spi-dma" "pins as they were"
	merge "$1" canpipe-mcp2515,ce1
	check_can "CE1 alone" $spi/mcp2515@1 1 25 16000000 10000000
	is "$(get $spi/mcp2515@0 compatible s)" none "... and nothing on CE0"
	is "$(merge "$1" canpipe-mcp2515,crystal=8000000 2>&1)" \
		"dtparam: no parameter crystal" "a parameter that does not exist is an error"
}

# Raspberry Pi OS has chip selects, pins and spidevs in its trees.
check_spidev() { # DTB
	local base=$tmp/spidev.dtb
	cat >"$tmp/spidev.dts" <<-'END'
		/dts-v1/;
		/plugin/;
		&spi {
			status = "okay";
			cs-gpios = <&gpio 8 1>, <&gpio 7 1>;
			spidev@0 {
				compatible = "spidev";
				reg = <0>;
			};
			spidev@1 {
				compatible = "spidev";
				reg = <1>;
			};
		};
	END
	dtc -q -I dts -O dtb -o "$tmp/spidev.dtbo" "$tmp/spidev.dts"
	fdtoverlay -i "$1" -o "$base" "$tmp/spidev.dtbo"
	merge "$base" canpipe-spi0-dma canpipe-mcp2515,interrupt=24
	check_dma "with spidevs"
	check_can "with spidevs" $spi/mcp2515@0 0 24 16000000 10000000
	is "$(get $spi/spidev@1 compatible s) $(get $spi/spidev@1 status s)" "spidev none" \
		"the other one stays"
}

trees() { # SUITE/ARCH BOARD...
	local dir board
	dir=$(tests/kernels/device-trees "${1%/*}" "${1#*/}")
	shift
	for board; do
		check_board "$dir/$board.dtb"
	done
}

if [ -n "${CANPIPE_LONG:-}" ]; then
	# No overlay of anybody fits those of bullseye and of bookworm's arm64 kernel 6.1: they
	# have no symbols.
	for kernel in bookworm/armhf bookworm-backports/arm64 trixie/{arm64,armhf} \
			trixie-backports/arm64 forky/{arm64,armhf}; do
		dir=$(tests/kernels/device-trees "${kernel%/*}" "${kernel#*/}")
		diag "$kernel"
		for dtb in "$dir"/bcm283*.dtb "$dir"/bcm2711*.dtb; do
			check_board "$dtb"
		done
	done
else
	trees bookworm/armhf bcm2835-rpi-zero-w bcm2836-rpi-2-b
	trees bookworm-backports/arm64 bcm2837-rpi-3-b bcm2711-rpi-4-b
fi
check_pins "$(tests/kernels/device-trees bookworm armhf)/bcm2837-rpi-3-b.dtb"
check_spidev "$(tests/kernels/device-trees bookworm armhf)/bcm2836-rpi-2-b.dtb"

# A Pi 5's SPI is another block: the overlay must not find a place there.
pi5=$(tests/kernels/device-trees bookworm-backports arm64)/bcm2712-rpi-5-b.dtb
if [ -e "$pi5" ]; then
	like "$(merge "$pi5" canpipe-spi0-dma 2>&1 || :)" "Failed to apply" "not on a Pi 5"
fi

done_testing
