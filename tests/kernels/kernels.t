#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The modules on the kernels that users have; all of them with CANPIPE_LONG=1.

set -eu -o pipefail

fast=(--fast)
[ "${CANPIPE_LONG:-0}" != 1 ] || fast=()
exec "$(dirname "$(readlink -f "$0")")/check-kernels" "${fast[@]}"
