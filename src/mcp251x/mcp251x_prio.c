// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which transmit buffer, at which priority?
 *
 * When the bus is free, the controller sends the pending buffer of the highest priority (TXP), of
 * equal ones that with the highest number (DS20001801J, 3.2); identifiers play no part, nor
 * does the time of the request. So frames leave in the order of their requests if each goes to
 * a place below those of all frames before it: TXB2, TXB1, TXB0 at TXP 3, then at 2, 1, 0. That
 * makes twelve places. Then the sequence begins anew, which it may at any time when no frame is
 * pending: so the twelfth of a chain of frames without a pause has to be gone before the
 * next may be requested, and no other ever waits for anything but its buffer.
 *
 * A pending frame's priority is not touched: what that does to a frame that is about to be
 * chosen is not specified.
 *
 * Plain C on purpose: the host tests link this file.
 */

#include "mcp251x_prio.h"

/**
 * mcp251x_prio_reset() - no frame is pending
 * @prio: transmit buffers
 *
 * Context: any; the caller owns @prio, as in all functions here
 */
void mcp251x_prio_reset(struct mcp251x_prio *prio)
{
	prio->step = 0;
	prio->pending = 0;
	prio->next_seq = 0;
}

static u8 mcp251x_prio_buffer(const struct mcp251x_prio *prio)
{
	return MCP251X_PRIO_BUFFERS - 1 - prio->step % MCP251X_PRIO_BUFFERS;
}

/**
 * mcp251x_prio_ready() - is there a place for the next frame?
 * @prio: transmit buffers
 *
 * Context: any
 * Return: true if mcp251x_prio_take() may be called
 */
bool mcp251x_prio_ready(const struct mcp251x_prio *prio)
{
	if (!prio->pending)
		return true;
	return prio->step < MCP251X_PRIO_STEPS &&
	       !(prio->pending & 1 << mcp251x_prio_buffer(prio));
}

/**
 * mcp251x_prio_take() - a place for the next frame
 * @prio: transmit buffers; mcp251x_prio_ready() is true
 * @slot: whose frame it is, for mcp251x_prio_oldest()
 * @txp: where to put its priority (TXBnCTRL.TXP)
 *
 * Context: any
 * Return: number of the buffer
 */
u8 mcp251x_prio_take(struct mcp251x_prio *prio, u8 slot, u8 *txp)
{
	u8 buffer;

	if (!prio->pending)
		prio->step = 0;
	buffer = mcp251x_prio_buffer(prio);
	*txp = MCP251X_PRIO_LEVELS - 1 - prio->step / MCP251X_PRIO_BUFFERS;
	prio->step++;
	prio->pending |= 1 << buffer;
	prio->slot[buffer] = slot;
	prio->seq[buffer] = prio->next_seq++;
	return buffer;
}

/**
 * mcp251x_prio_oldest() - of several frames, which was requested first?
 * @prio: transmit buffers
 * @buffers: some of them (bit n: TXBn)
 *
 * Context: any
 * Return: number of the buffer, -1 if none of them is pending
 */
int mcp251x_prio_oldest(const struct mcp251x_prio *prio, u8 buffers)
{
	int oldest = -1, n;
	u8 age, most = 0;

	buffers &= prio->pending;
	for (n = 0; n < MCP251X_PRIO_BUFFERS; n++) {
		age = prio->next_seq - prio->seq[n];
		if (buffers & 1 << n && age > most) {
			most = age;
			oldest = n;
		}
	}
	return oldest;
}

/**
 * mcp251x_prio_done() - a frame is not pending any more
 * @prio: transmit buffers
 * @buffer: number of its buffer
 *
 * Context: any
 */
void mcp251x_prio_done(struct mcp251x_prio *prio, u8 buffer)
{
	prio->pending &= ~(1 << buffer);
}
