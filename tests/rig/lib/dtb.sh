# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# board_dtb BOARD SMP [NAME=VALUE...]: print the file name of the device tree for QEMU's virt
# machine with that board in it. The values are those of --boardopt, as far as a device tree
# shows them (clock, variant, alias, window, osc, speed, slave), and dt=WORD: a variant that the tree itself offers
# (RIG_DT_WORD in it). To be sourced after tests/lib/debian.sh.

# what the chips have when --boardopt clock does not say otherwise
declare -A DTB_CLOCK=([am335x]=24000000 [cyclone5]=100000000 [rpi]=250000000)

_dtb_base() { # SMP OUT: the tree that QEMU makes itself, as source
	"$TOP/tests/rig/qemu" aarch64 \
		-M "virt,gic-version=2,dtb-randomness=off,dumpdtb=$2.dtb" \
		-cpu cortex-a53 -smp "$1" -m 512 -nodefaults -display none >/dev/null
	# its warnings are about QEMU's tree, not ours
	dtc -q -I dtb -O dts -o "$2" "$2.dtb"
	rm "$2.dtb"
}

board_dtb() {
	local board=$1 smp=$2 clock variant option source text key dtb base word
	local alias=0xc0000000 window=0x20000000 osc=16000000 speed=10000000 chip=mcp2515
	local -a defines=()
	shift 2
	source=$TOP/tests/rig/dts/$board.dtsi
	clock=${DTB_CLOCK[$board]} variant=
	for option; do
		case $option in
		clock=*) clock=${option#*=} ;;
		variant=*) variant=${option#*=} ;;
		alias=*) alias=${option#*=} ;;
		window=*) window=${option#*=} ;;
		osc=*) osc=${option#*=} ;;
		speed=*) speed=${option#*=} ;;
		slave*=mcp*) chip=${option#*=} ;;
		dt=*)
			word=RIG_DT_${option#*=}
			word=${word//-/_}
			grep -q -w "$word" "$source" ||
				die "--dt ${option#*=}: $source knows nothing of it"
			defines+=("-D$word")
			;;
		esac
	done
	mkdir -p "$TOP/build/rig/dtb"
	base=$TOP/build/rig/dtb/virt-smp$smp.dts
	if [ ! -e "$base" ]; then
		_dtb_base "$smp" "$base.$$"
		mv "$base.$$" "$base"
	fi
	text=$(cpp -P -nostdinc -undef -x assembler-with-cpp "-DRIG_CLOCK_HZ=$clock" \
		"-DRIG_RAM_ALIAS=$alias" "-DRIG_RAM_SIZE=$window" "-DRIG_OSC_HZ=$osc" \
		"-DRIG_SPEED_HZ=$speed" "-DRIG_CAN_CHIP=\"microchip,$chip\"" "${defines[@]}" \
		${variant:+"-DRIG_VARIANT_$variant"} "$source")
	key=$({ cat "$base"; printf '%s' "$text"; } | sha256sum | cut -c1-16)
	dtb=$TOP/build/rig/dtb/$board-$key.dtb
	if [ ! -e "$dtb" ]; then
		{ cat "$base"; printf '%s\n' "$text"; } | dtc -q -I dts -O dtb -o "$dtb.$$"
		mv "$dtb.$$" "$dtb"
	fi
	printf '%s\n' "$dtb"
}
