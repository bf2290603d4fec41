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
done_testing
