#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The package on Debian 12 with two kernels, from installation to removal.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
# shellcheck source-path=SCRIPTDIR source=install.sh
. tests/package/install.sh

check_install tests/rig/guest-root bookworm-amd64
done_testing
