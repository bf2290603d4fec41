#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# canpipe, the helper, on real kernels: "doctor" names each trouble that it is given and nothing
# else, what it says mends it does, and it says nothing of a healthy system; "status" says what is.
# CANPIPE_LONG=1: on a PC, too, with the drivers as apt has installed them.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

chip() { # NAME PHASE OPTION...
	rig_later "doctor-$1" --bitrate 500000 --set PHASES="$2" \
		--scenario "$RIG/../guest/doctor-chip.sh" --peer "$RIG/../guest/doctor.peer" \
		--peer "$RIG/../guest/doctor.ack.peer" "${@:3}"
}

arm64=$("$RIG/utils-layer" arm64)
rig_later doctor --board rpi --driver canpipe --dt spi-dma --dt mcp2515 --bitrate 500000 \
	--boardopt slave0=mcp2515 --layer "$arm64" --scenario "$RIG/../guest/doctor.sh" \
	--allow 'resetting the chip'
chip mistaken mistaken --layer "$arm64" --board rpi --driver canpipe --dt spi-dma --dt mcp2515 --dt edge \
	--boardopt slave0=mcp2515 --boardopt osc=20000000 --boardopt crystal=8000000 \
	--boardopt speed=25000000
chip in-tree in_tree --layer "$arm64" --board rpi --driver in-tree --dt mcp2515 --dt edge \
	--dt mcp2515-1 --dt shared-int --boardopt slave=mcp2515 --boardopt osc=8000000 --boardopt speed=1000000
chip am335x c_can --layer "$arm64" --board am335x --driver canpipe
if [ -n "${CANPIPE_LONG:-}" ]; then
	amd64=$("$RIG/utils-layer" amd64)
	chip pch c_can --layer "$amd64" --board pch --driver canpipe
	chip rejected rejected --layer "$amd64" --board pch --driver canpipe \
		--append module.sig_enforce=1
fi
done_testing
