// SPDX-License-Identifier: GPL-2.0-only
/*
 * Placeholder for kernels without CAN support: DKMS takes a build that gives no
 * module for a failure, and would then leave the kernel package unconfigured.
 * Nothing loads it.
 */
#include <linux/module.h>

MODULE_DESCRIPTION("canpipe placeholder: this kernel has no CAN support");
MODULE_AUTHOR("canpipe maintainers");
MODULE_LICENSE("GPL");
MODULE_VERSION(CANPIPE_VERSION);
