/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of the controller, and which SPI message comes next
 *
 * Plain C without side effects: see mcp251x_plan.c.
 */
#ifndef MCP251X_PLAN_H
#define MCP251X_PLAN_H

#include <linux/types.h>

struct mcp251x_plan {
	u8 full;
};

#endif
