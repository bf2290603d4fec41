#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Module parameters, ethtool flags and rings: taken, read back, or refused with a message.
set -eu -o pipefail
# shellcheck source-path=SCRIPTDIR source=lib/tap.sh
. "$(dirname "$0")/lib/tap.sh"

rig settings-am335x --board am335x --scenario tests/guest/settings.sh \
	--peer tests/guest/flood.peer --peer tests/guest/flood.ack.peer \
	--allow 'neither Y nor N|invalid for parameter|take the interface down|cannot use .* objects'
layer=$TOP/build/rig/settings-spi
mkdir -p "$layer/etc/modprobe.d"
cat >"$layer/etc/modprobe.d/canpipe.conf" <<'END'
options mcp251x coalesce=2 strict_frame_ordering=N
options spi-bcm2835dma batch=4 pio_bytes=16 spin_us=5
END
rig settings-spi --board rpi --driver canpipe --dt spi-dma --dt mcp2515 --boardopt slave0=mcp2515 \
	--scenario "$RIG/../guest/settings-spi.sh" --layer "$layer" \
	--allow 'is not 0, 1 or 2|neither Y nor N|is not a number from|invalid for parameter'
done_testing
