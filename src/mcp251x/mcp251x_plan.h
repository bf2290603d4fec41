/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of the controller, and which SPI message comes next: see mcp251x_plan.c
 */
#ifndef MCP251X_PLAN_H
#define MCP251X_PLAN_H

#include <linux/types.h>

#include "mcp251x_prio.h"

/* RXB0 and RXB1 in CANINTF and in masks of buffers */
#define MCP251X_RXB0	0x01
#define MCP251X_RXB1	0x02

/* Frames that are read before something else gets its turn */
#define MCP251X_PLAN_STREAK	8
/* Errors that are dealt with from one tick to the next */
#define MCP251X_PLAN_CONTROLS	32

/**
 * enum mcp251x_step - an SPI message; each ends with a look at CANINTF and EFLG
 * @MCP251X_STEP_NONE: none, wait for the interrupt
 * @MCP251X_STEP_LOOK: nothing else
 * @MCP251X_STEP_READ0: READ RX BUFFER of RXB0, which is known to be full
 * @MCP251X_STEP_READ1: dito RXB1
 * @MCP251X_STEP_SURE: READ STATUS, then READ RX BUFFER of RXB0: the interrupt says it is full
 * @MCP251X_STEP_PAIR: READ STATUS, then READ RX BUFFER of RXB0 and RXB1: the interrupt says they
 *	are full
 * @MCP251X_STEP_BOTH: READ RX BUFFER of RXB0 and RXB1, which are known to be full
 * @MCP251X_STEP_AGAIN0: plain read of RXB0 after an interrupt that was wrong
 * @MCP251X_STEP_AGAIN1: dito RXB1
 * @MCP251X_STEP_CLEAR: clear TXnIF
 * @MCP251X_STEP_SEND: clear TXnIF, write a transmit buffer, request it
 * @MCP251X_STEP_STATUS: READ STATUS: was an only attempt of one-shot mode the last one?
 * @MCP251X_STEP_CONTROL: clear errors, set CANINTE, halt after bus-off, read the counters
 * @MCP251X_STEP_REQUEST: registers that someone waits for
 * @MCP251X_STEP_COUNT: number of them
 */
enum mcp251x_step {
	MCP251X_STEP_NONE,
	MCP251X_STEP_LOOK,
	MCP251X_STEP_READ0,
	MCP251X_STEP_READ1,
	MCP251X_STEP_SURE,
	MCP251X_STEP_PAIR,
	MCP251X_STEP_BOTH,
	MCP251X_STEP_AGAIN0,
	MCP251X_STEP_AGAIN1,
	MCP251X_STEP_CLEAR,
	MCP251X_STEP_SEND,
	MCP251X_STEP_STATUS,
	MCP251X_STEP_CONTROL,
	MCP251X_STEP_REQUEST,
	MCP251X_STEP_COUNT
};

/**
 * struct mcp251x_want - what others want
 * @look: the interrupt, or someone who does not trust it
 * @irq: of these, the interrupt, while no message was under way
 * @frame: there is a frame to send
 * @status: look whether one-shot mode has given up
 * @request: someone waits for registers
 */
struct mcp251x_want {
	bool look;
	bool irq;
	bool frame;
	bool status;
	bool request;
};

/**
 * struct mcp251x_plan - what is known, and how it goes on
 * @canintf: of the last look; RXnIF: the buffer is full and was not read
 * @seen: EFLG of the last look
 * @eflg: EFLG as far as it is believed: a bit of SO may be wrong
 * @older: if both receive buffers are full, RXB0 (0) or RXB1 (1) holds the older frame
 * @direct: RXB1 may be filled while RXB0 is free
 * @streak: frames read since something else had its turn
 * @pair: leave a frame in RXB0 until RXB1 is full, too
 * @flush: but not for longer
 * @again: buffers that were read for nothing, because the interrupt was wrong: look what is there
 * @told: state of EFLG that the stack knows
 * @controls: MCP251X_STEP_CONTROL and looks at a doubtful EFLG since the last tick
 * @stuck: error flags that are not looked at until the next tick
 * @inte: what CANINTE is
 * @inte_want: what it shall be, apart from @stuck
 * @halted: stopped after bus-off
 * @halt: shall be stopped
 * @echoed: TXnIF that have been acted on but not cleared
 * @gone: buffers that by the last READ STATUS will not be sent any more (bit n: TXBn)
 * @status: READ STATUS once more
 * @prio: transmit buffers
 */
struct mcp251x_plan {
	u8 canintf;
	u8 seen;
	u8 eflg;
	u8 older;
	bool direct;
	u8 streak;
	bool pair;
	bool flush;
	u8 again;
	u8 told;
	u8 controls;
	u8 stuck;
	u8 inte;
	u8 inte_want;
	bool halted;
	bool halt;
	u8 echoed;
	u8 gone;
	bool status;
	struct mcp251x_prio prio;
};

void mcp251x_plan_reset(struct mcp251x_plan *plan, bool direct);
enum mcp251x_step mcp251x_plan_next(struct mcp251x_plan *plan, const struct mcp251x_want *want);
bool mcp251x_plan_look(struct mcp251x_plan *plan, enum mcp251x_step step, u8 canintf, u8 eflg);
u8 mcp251x_plan_inte(const struct mcp251x_plan *plan);
u8 mcp251x_plan_sent(struct mcp251x_plan *plan);
u8 mcp251x_plan_gone(struct mcp251x_plan *plan, u8 status);
void mcp251x_plan_tick(struct mcp251x_plan *plan);

#endif
