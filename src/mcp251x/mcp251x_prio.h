/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which transmit buffer, at which priority: see mcp251x_prio.c
 */
#ifndef MCP251X_PRIO_H
#define MCP251X_PRIO_H

#include <linux/types.h>

#define MCP251X_PRIO_BUFFERS	3
#define MCP251X_PRIO_LEVELS	4
#define MCP251X_PRIO_STEPS	(MCP251X_PRIO_BUFFERS * MCP251X_PRIO_LEVELS)

/**
 * struct mcp251x_prio - transmit buffers in use
 * @step: places of the descending sequence that are used up
 * @pending: buffers (bit n: TXBn) whose frame was not seen to be sent
 * @slot: whose frame is in each
 * @seq: number of the request of each, to tell their order
 * @next_seq: number of the next request
 */
struct mcp251x_prio {
	u8 step;
	u8 pending;
	u8 slot[MCP251X_PRIO_BUFFERS];
	u8 seq[MCP251X_PRIO_BUFFERS];
	u8 next_seq;
};

void mcp251x_prio_reset(struct mcp251x_prio *prio);
bool mcp251x_prio_ready(const struct mcp251x_prio *prio);
u8 mcp251x_prio_take(struct mcp251x_prio *prio, u8 slot, u8 *txp);
int mcp251x_prio_oldest(const struct mcp251x_prio *prio, u8 buffers);
void mcp251x_prio_done(struct mcp251x_prio *prio, u8 buffer);

#endif
