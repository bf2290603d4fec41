// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is known of the controller, and which SPI message comes next
 *
 * Every message ends with a look at CANINTF and EFLG, which decides on the next one.
 *
 * Two rules (DS20001801J, 4.2, 12.4) stand behind all of this:
 *
 * READ RX BUFFER clears RXnIF when chip select rises, whatever came since it fell. So it is used
 * for a buffer that is known to be full only: by a look, or by the interrupt while it
 * can have no other reason than RXB0 (MCP251X_STEP_SURE) or RXB1 (MCP251X_STEP_PAIR). For the
 * latter READ STATUS right before bears witness. An edge that was delivered late is the
 * exception that it finds: the buffer was read for nothing then, and a frame that came meanwhile
 * is still in it, without RXnIF. MCP251X_STEP_AGAIN0 and _AGAIN1 fetch it.
 *
 * RXB1 is filled only while RXB0 is full (as long as no filter of its own feeds it). So, if both
 * are found full, RXB0 holds the older frame, unless RXB0 was freed while RXB1 was full. Whether
 * it was, is seen by a look after RXB0 was freed, before it can have been filled
 * again: in the same message. If both are read in one message, RXB0 first, then whatever
 * comes meanwhile finds RXB0 free, and no doubt is left.
 *
 * There is no checksum on SPI. What cannot be taken back, above all to be bus-off, is not done
 * on the word of a single look: what EFLG tells has to be seen twice, or come with ERRIF.
 *
 * Plain C on purpose: the host tests link this file.
 */

#include "mcp251x_plan.h"
#include "mcp251x_regs.h"

#define MCP251X_PLAN_ERRORS	(MCP251X_INT_ERR | MCP251X_INT_MERR | MCP251X_INT_WAK)
/* these follow the error counters, up with an interrupt, down without one */
#define MCP251X_PLAN_STATE	0x3f	/* all but MCP251X_EFLG_OVR_MASK */

/**
 * mcp251x_plan_reset() - nothing is known, all interrupts are off
 * @plan: plan
 * @direct: RXB1 has filters of its own
 *
 * Context: any; the caller owns @plan, as in all functions here
 */
void mcp251x_plan_reset(struct mcp251x_plan *plan, bool direct)
{
	*plan = (struct mcp251x_plan){ .direct = direct };
	mcp251x_prio_reset(&plan->prio);
}

/**
 * mcp251x_plan_inte() - what to write to CANINTE now
 * @plan: plan
 *
 * Context: any
 * Return: the value
 */
u8 mcp251x_plan_inte(const struct mcp251x_plan *plan)
{
	return plan->inte_want & ~plan->stuck;
}

/* Buffers to be read now */
static u8 mcp251x_plan_full(const struct mcp251x_plan *plan)
{
	u8 full = plan->canintf & MCP251X_INT_RX_MASK;

	if (full == MCP251X_RXB0 && plan->pair && !plan->flush)
		return 0;
	return full;
}

static enum mcp251x_step mcp251x_plan_read(const struct mcp251x_plan *plan, u8 full)
{
	if (full == MCP251X_INT_RX_MASK && !plan->older)
		return MCP251X_STEP_BOTH;
	return full == MCP251X_RXB0 ? MCP251X_STEP_READ0 : MCP251X_STEP_READ1;
}

/* What to read on the interrupt's word */
static enum mcp251x_step mcp251x_plan_trust(const struct mcp251x_plan *plan)
{
	if (plan->direct)
		return MCP251X_STEP_LOOK;
	if (plan->inte == MCP251X_INT_RX(0))
		return MCP251X_STEP_SURE;
	return plan->inte == MCP251X_INT_RX(1) ? MCP251X_STEP_PAIR : MCP251X_STEP_LOOK;
}

static bool mcp251x_plan_control(struct mcp251x_plan *plan)
{
	if (plan->halt && !plan->halted)
		return true;
	if (plan->inte != mcp251x_plan_inte(plan))
		return true;
	if (!(plan->canintf & MCP251X_PLAN_ERRORS & ~plan->stuck) &&
	    !(plan->eflg & MCP251X_EFLG_OVR_MASK) &&
	    (plan->halted || !((plan->eflg ^ plan->told) & MCP251X_PLAN_STATE)))
		return false;
	if (plan->controls < MCP251X_PLAN_CONTROLS) {
		plan->controls++;
		return true;
	}
	/* a storm: not again before the next tick, and no interrupt either */
	plan->stuck |= MCP251X_PLAN_ERRORS;
	return plan->inte != mcp251x_plan_inte(plan);
}

/* Is EFLG to be looked at once more before anything is done about it? */
static bool mcp251x_plan_doubt(struct mcp251x_plan *plan)
{
	if (plan->seen == plan->eflg || plan->halted ||
	    plan->controls >= MCP251X_PLAN_CONTROLS)
		return false;
	plan->controls++;
	return true;
}

/**
 * mcp251x_plan_next() - the next message
 * @plan: plan
 * @want: what others want
 *
 * Frames go first, because there is room for two only; but not for ever.
 *
 * Context: any
 * Return: what to do. MCP251X_STEP_NONE: nothing is left to be done.
 */
enum mcp251x_step mcp251x_plan_next(struct mcp251x_plan *plan, const struct mcp251x_want *want)
{
	u8 full = mcp251x_plan_full(plan);

	if (plan->again & MCP251X_RXB0) {
		plan->again &= ~MCP251X_RXB0;
		return MCP251X_STEP_AGAIN0;
	}
	if (plan->again) {
		plan->again = 0;
		return MCP251X_STEP_AGAIN1;
	}
	if (full && plan->streak < MCP251X_PLAN_STREAK) {
		plan->streak++;
		return mcp251x_plan_read(plan, full);
	}
	plan->streak = 0;
	if (mcp251x_plan_doubt(plan))
		return MCP251X_STEP_LOOK;
	if (mcp251x_plan_control(plan))
		return MCP251X_STEP_CONTROL;
	if (want->frame && !plan->halt && mcp251x_prio_ready(&plan->prio))
		return MCP251X_STEP_SEND;
	if (plan->echoed)
		return MCP251X_STEP_CLEAR;
	if ((want->status || plan->status) && plan->prio.pending)
		return MCP251X_STEP_STATUS;
	if (want->request)
		return MCP251X_STEP_REQUEST;
	if (full)
		return mcp251x_plan_read(plan, full);
	if (!want->look)
		return MCP251X_STEP_NONE;
	return want->irq ? mcp251x_plan_trust(plan) : MCP251X_STEP_LOOK;
}

static void mcp251x_plan_believe(struct mcp251x_plan *plan, u8 eflg)
{
	u8 twice = ~(eflg ^ plan->seen);

	/* it interrupts for whatever gets worse; but bus-off has to be seen twice in any case */
	if (plan->canintf & MCP251X_INT_ERR)
		twice |= ~MCP251X_EFLG_TXBO;
	plan->eflg = (eflg & twice) | (plan->eflg & ~twice);
	plan->seen = eflg;
	if (plan->eflg & MCP251X_EFLG_TXBO && !plan->halted)
		plan->halt = true;
}

/**
 * mcp251x_plan_look() - a message has ended
 * @plan: plan
 * @step: what it was
 * @canintf: what it saw at its end
 * @eflg: dito
 *
 * Context: any
 * Return: false if the order of the frames in RXB0 and RXB1 is only known if less than the time of
 *	a frame has passed between the end of READ RX BUFFER and the look
 */
bool mcp251x_plan_look(struct mcp251x_plan *plan, enum mcp251x_step step, u8 canintf, u8 eflg)
{
	u8 now = canintf & MCP251X_INT_RX_MASK, before = plan->canintf & MCP251X_INT_RX_MASK;
	bool freed = step == MCP251X_STEP_READ0 || step == MCP251X_STEP_SURE;
	bool both = step == MCP251X_STEP_PAIR || step == MCP251X_STEP_BOTH;
	bool sure = true;

	if (freed)
		before &= ~MCP251X_RXB0;
	else if (step == MCP251X_STEP_READ1)
		before &= ~MCP251X_RXB1;
	else if (both)
		before = 0;
	if (freed || both)
		plan->flush = false;

	if (before == MCP251X_RXB1) {
		plan->older = 1;
	} else if (!before && freed) {
		plan->older = 1;
		sure = now != MCP251X_INT_RX_MASK;
	} else if (!(before & MCP251X_RXB1)) {
		plan->older = 0;
	}

	/* what could not be cleared, or is there again at once */
	if (step == MCP251X_STEP_CONTROL && eflg == plan->seen)
		plan->stuck |= canintf & MCP251X_PLAN_ERRORS;
	else if (eflg != plan->seen && plan->controls < MCP251X_PLAN_CONTROLS)
		plan->stuck &= ~MCP251X_INT_ERR;

	plan->canintf = canintf;
	mcp251x_plan_believe(plan, eflg);
	return sure;
}

/**
 * mcp251x_plan_sent() - frames that were sent, by the last look
 * @plan: plan
 *
 * Context: any
 * Return: buffers (bit n: TXBn), each once
 */
u8 mcp251x_plan_sent(struct mcp251x_plan *plan)
{
	u8 sent = (plan->canintf & MCP251X_INT_TX_MASK) >> MCP251X_INT_TX_SHIFT & ~plan->echoed;

	plan->echoed |= sent;
	return sent;
}

/**
 * mcp251x_plan_gone() - frames that will not be sent any more, by READ STATUS and the last look
 * @plan: plan
 * @status: what READ STATUS has brought
 *
 * Reporting one of them cannot be taken back, so it has to be seen twice.
 *
 * Context: any
 * Return: buffers (bit n: TXBn)
 */
u8 mcp251x_plan_gone(struct mcp251x_plan *plan, u8 status)
{
	u8 gone = 0, twice;
	unsigned int n;

	for (n = 0; n < MCP251X_TXB_COUNT; n++)
		if (!(status & (MCP251X_STATUS_TXREQ(n) | MCP251X_STATUS_TXIF(n))) &&
		    !(plan->canintf & MCP251X_INT_TX(n)))
			gone |= 1 << n;
	gone &= plan->prio.pending;
	twice = gone & plan->gone;
	plan->gone = gone & ~twice;
	plan->status = plan->gone;
	return twice;
}

/**
 * mcp251x_plan_tick() - some time has passed: errors may be looked at again
 * @plan: plan
 *
 * Context: any
 */
void mcp251x_plan_tick(struct mcp251x_plan *plan)
{
	plan->controls = 0;
	plan->stuck = 0;
}
