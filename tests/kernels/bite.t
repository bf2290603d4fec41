#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check-kernels notices what it is there to notice: seeded faults, each in a copy of the sources.

set -eu -o pipefail

HERE=$(dirname "$(readlink -f "$0")")
# shellcheck source-path=SCRIPTDIR source=../lib/debian.sh
. "$HERE/../lib/debian.sh"
# shellcheck source-path=SCRIPTDIR source=kbuild.sh
. "$HERE/kbuild.sh"
# shellcheck source-path=SCRIPTDIR source=../package/tap.sh
. "$HERE/../package/tap.sh"

[ "${CANPIPE_LONG:-0}" = 1 ] || skip_all "only with CANPIPE_LONG=1"

work=$(mktemp -d)
on_exit rm -rf "$work"

check() { # what check-kernels says about the seeded copy
	CANPIPE_SOURCES=$work/src-$1 CANPIPE_BUILD=$work "$HERE/check-kernels" bookworm/amd64 2>&1 || :
}

seed() {
	copy_sources "$work/src-$1"
	cat >>"$work/src-$1/src/c_can/c_can_core.c"
}

seed quiet <<'END'

static __le32 bite_le;
static u32 bite_set(const char *val, const struct kernel_param *kp)
{
	return bite_le;
}

static uint bite = 1;
module_param(bite, uint, 0444);
void *bite_use(void);
void *bite_use(void)
{
	return &bite_set;
}
END
sed -i '/^_module c_can_pci /d' "$work/src-quiet/dkms.conf"
said=$(check quiet)
like "$said" '^ok .* builds with W=1$' "faults that gcc does not see"
like "$said" '^# \+.*c_can_core\.c:[0-9:]+ warning: incorrect type in return expression' \
	"sparse sees a mixed-up byte order"
like "$said" '^# \+c_can: parameter without text, default or type: bite:' "a parameter without description"
like "$said" '^# \+src/c_can/c_can_pci\.ko$' "a module that dkms.conf does not know"

seed loud <<'END'

static int bite_unused;
END
like "$(check loud)" '^not ok .* builds with W=1$' "a warning of gcc fails the build"

seed link <<'END'

void bite_missing(void);
void bite_call(void);
void bite_call(void)
{
	bite_missing();
}
END
like "$(check link)" 'bite_missing.* undefined!' "a symbol that no kernel has"

seed version </dev/null
sed -i 's/MODULE_VERSION(CANPIPE_VERSION)/MODULE_VERSION("0")/' "$work"/src-version/src/c_can/*.c
sed -i 's/0x8818/0x8819/' "$work"/src-version/src/c_can/c_can_pci.c
said=$(check version)
like "$said" '^# \+c_can: version 0 is not ' "a module of another version"
like "$said" '^# \+c_can_pci: alias lacks pci:v00008086d00008818' "a device that got lost"

done_testing
