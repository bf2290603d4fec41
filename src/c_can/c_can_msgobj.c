// SPDX-License-Identifier: GPL-2.0-only
/*
 * Message objects, reached through the interface registers IF1 and IF2
 *
 * A transfer is started by writing the object's number and takes a few clocks
 * (3 to 6 on a C_CAN, up to 14 on TI's D_CAN), during which the registers of
 * that interface may not be touched (Bosch C_CAN r1.2, 3.3). Transfers that
 * write are not waited for: the next user of the same interface does that.
 */

#include "c_can.h"

#include <linux/bitfield.h>
#include <linux/delay.h>

/* Offsets inside a C_CAN interface (16-bit registers 2 bytes apart) */
#define C_CAN_IF_COMREQ		0x00
#define C_CAN_IF_COMMASK	0x02
#define C_CAN_IF_MASK1		0x04
#define C_CAN_IF_MASK2		0x06
#define C_CAN_IF_ARB1		0x08
#define C_CAN_IF_ARB2		0x0a
#define C_CAN_IF_MCTRL		0x0c
#define C_CAN_IF_DATA		0x0e

/* Offsets inside a D_CAN interface */
#define D_CAN_IF_CMD		0x00
#define D_CAN_IF_MASK		0x04
#define D_CAN_IF_ARB		0x08
#define D_CAN_IF_MCTRL		0x0c
#define D_CAN_IF_DATA		0x10

/* Reads of the busy flag, the later ones 1 us apart, until we give up */
#define C_CAN_BUSY_READS	40
#define C_CAN_BUSY_FAST_READS	10

/* What a receive object is read with. Freeing it is part of the transfer ... */
#define C_CAN_CMD_FREE		(C_CAN_CMD_CLRINTPND | C_CAN_CMD_NEWDAT)
#define C_CAN_CMD_READ_FREE	(C_CAN_CMD_READ_KEEP | C_CAN_CMD_FREE)
/* ... or not. */
#define C_CAN_CMD_READ_KEEP	(C_CAN_CMD_ARB | C_CAN_CMD_CONTROL | C_CAN_CMD_DATA)
#define C_CAN_CMD_SEND		(C_CAN_CMD_WRITE | C_CAN_CMD_ARB | C_CAN_CMD_CONTROL | \
				 C_CAN_CMD_DATA)
#define C_CAN_CMD_REQUEST	(C_CAN_CMD_WRITE | C_CAN_CMD_TXRQST)
#define C_CAN_CMD_SETUP		(C_CAN_CMD_WRITE | C_CAN_CMD_MASK | C_CAN_CMD_ARB | \
				 C_CAN_CMD_CONTROL)

#define C_CAN_RX_MCTRL		(C_CAN_MCTRL_UMASK | C_CAN_MCTRL_RXIE)

static void __iomem *c_can_if_addr(const struct c_can_priv *priv, const struct c_can_if *iface,
				   unsigned int offset)
{
	offset += priv->regs[iface->reg];
	return priv->base + (c_can_is_d_can(priv) ? offset : offset << priv->reg_shift);
}

/* One register of the map: 32 bits on a D_CAN, 16 bits on a C_CAN */
static u32 c_can_if_read(const struct c_can_priv *priv, const struct c_can_if *iface,
			 unsigned int offset)
{
	void __iomem *addr = c_can_if_addr(priv, iface, offset);

	if (c_can_is_d_can(priv))
		return readl(addr);
	return priv->io_32bit ? readl(addr) & 0xffff : readw(addr);
}

static void c_can_if_write(const struct c_can_priv *priv, const struct c_can_if *iface,
			   unsigned int offset, u32 value)
{
	void __iomem *addr = c_can_if_addr(priv, iface, offset);

	if (c_can_is_d_can(priv) || priv->io_32bit)
		writel(value, addr);
	else
		writew(value, addr);
}

static int c_can_if_wait(struct c_can_priv *priv, struct c_can_if *iface)
{
	unsigned int n;

	if (!iface->busy)
		return 0;

	for (n = 0; n < C_CAN_BUSY_READS; n++) {
		/* COMREQ and CMD have the same place and the same flag */
		if (!(c_can_if_read(priv, iface, C_CAN_IF_COMREQ) & C_CAN_COMREQ_BUSY)) {
			iface->busy = false;
			return 0;
		}
		if (n >= C_CAN_BUSY_FAST_READS)
			udelay(1);
	}

	priv->counters.if_timeouts++;
	return -ETIMEDOUT;
}

static void c_can_if_start(struct c_can_priv *priv, struct c_can_if *iface, u8 cmd,
			   unsigned int obj)
{
	if (c_can_is_d_can(priv)) {
		c_can_if_write(priv, iface, D_CAN_IF_CMD, (u32)cmd << D_CAN_CMD_SHIFT | obj);
	} else {
		/* COMMASK keeps its value from transfer to transfer */
		if (iface->cmd != cmd) {
			c_can_if_write(priv, iface, C_CAN_IF_COMMASK, cmd);
			iface->cmd = cmd;
		}
		c_can_if_write(priv, iface, C_CAN_IF_COMREQ, obj);
	}
	iface->busy = true;
	iface->clearing = 0;
}

static int c_can_if_command(struct c_can_priv *priv, struct c_can_if *iface, u8 cmd,
			    unsigned int obj)
{
	int err = c_can_if_wait(priv, iface);

	if (!err)
		c_can_if_start(priv, iface, cmd, obj);
	return err;
}

/**
 * c_can_msgobj_read_begin() - start reading an object through IF1
 * @priv: interface
 * @obj: object number
 * @clear: what the transfer clears: C_CAN_CMD_NEWDAT to free the object,
 *	C_CAN_CMD_CLRINTPND, both, or 0
 *
 * Context: owner of IF1
 * Return: 0, or -ETIMEDOUT if IF1 is still busy with the transfer before
 */
int c_can_msgobj_read_begin(struct c_can_priv *priv, unsigned int obj, u8 clear)
{
	return c_can_if_command(priv, &priv->if1, C_CAN_CMD_READ_KEEP | clear, obj);
}

/**
 * c_can_msgobj_read_control() - the first half of c_can_msgobj_read_end()
 * @priv: interface
 * @frame: its message control is set
 *
 * Context: owner of IF1
 * Return: 0, or -ETIMEDOUT if the transfer does not end
 */
int c_can_msgobj_read_control(struct c_can_priv *priv, struct c_can_frame *frame)
{
	int err = c_can_if_wait(priv, &priv->if1);

	BUILD_BUG_ON(C_CAN_IF_MCTRL != D_CAN_IF_MCTRL);
	if (!err)
		frame->mctrl = c_can_if_read(priv, &priv->if1, C_CAN_IF_MCTRL);
	return err;
}

static void c_can_if_read_data(struct c_can_priv *priv, const struct c_can_if *iface,
			       struct c_can_frame *frame)
{
	unsigned int dlc = FIELD_GET(C_CAN_MCTRL_DLC_MASK, frame->mctrl), word, end;

	if (c_can_is_d_can(priv)) {
		end = min(DIV_ROUND_UP(dlc, 4), 2U);
		for (word = 0; word < end; word++)
			frame->data[word] = c_can_if_read(priv, iface, D_CAN_IF_DATA + 4 * word);
		return;
	}

	end = min(DIV_ROUND_UP(dlc, 2), 4U);
	for (word = 0; word < end; word++) {
		u32 half = c_can_if_read(priv, iface, C_CAN_IF_DATA + 2 * word);

		if (word % 2)
			frame->data[word / 2] |= half << 16;
		else
			frame->data[word / 2] = half;
	}
}

/**
 * c_can_msgobj_read_content() - the second half of c_can_msgobj_read_end()
 * @priv: interface
 * @frame: with message control; the rest is set. ARB1 (the lower half of arb) is
 *	read for extended frames only, and only the data words that the length
 *	asks for
 *
 * A command that selects nothing but flags may be given between the two halves:
 * it leaves the copy alone (Bosch C_CAN r1.2, 3.3).
 *
 * Context: owner of IF1
 * Return: 0, or -ETIMEDOUT if the command in between does not end
 */
int c_can_msgobj_read_content(struct c_can_priv *priv, struct c_can_frame *frame)
{
	struct c_can_if *iface = &priv->if1;
	int err = c_can_if_wait(priv, iface);

	if (err)
		return err;

	if (c_can_is_d_can(priv)) {
		frame->arb = c_can_if_read(priv, iface, D_CAN_IF_ARB);
	} else {
		frame->arb = c_can_if_read(priv, iface, C_CAN_IF_ARB2) << 16;
		if (frame->arb & C_CAN_ARB_XTD)
			frame->arb |= c_can_if_read(priv, iface, C_CAN_IF_ARB1);
	}

	/* a remote frame has a length, but no data (Dir tells) */
	if (!(frame->arb & C_CAN_ARB_DIR))
		c_can_if_read_data(priv, iface, frame);
	return 0;
}

/**
 * c_can_msgobj_read_end() - fetch what c_can_msgobj_read_begin() has started
 * @priv: interface
 * @frame: where to
 *
 * Context: owner of IF1
 * Return: 0, or -ETIMEDOUT if the transfer does not end
 */
int c_can_msgobj_read_end(struct c_can_priv *priv, struct c_can_frame *frame)
{
	int err = c_can_msgobj_read_control(priv, frame);

	return err ? err : c_can_msgobj_read_content(priv, frame);
}

/**
 * c_can_msgobj_free() - clear NewDat and IntPnd of a receive object that was
 *	read, by IF1
 * @priv: interface
 * @obj: object number
 * @pending: its IntPnd was not cleared when it was read
 *
 * A D_CAN may lose a frame if objects are freed in a row otherwise than by
 * reading them (commit 2b9aecdce227), a part with C_CAN_QUIRK_SPLIT_CLEAR if they
 * are freed by reading them.
 *
 * Context: owner of IF1
 * Return: 0, or -ETIMEDOUT if IF1 is still busy with the transfer before
 */
int c_can_msgobj_free(struct c_can_priv *priv, unsigned int obj, bool pending)
{
	bool split = priv->chip->quirks & C_CAN_QUIRK_SPLIT_CLEAR;
	int err;

	err = c_can_if_command(priv, &priv->if1, split ? C_CAN_CMD_FREE : C_CAN_CMD_READ_FREE, obj);
	if (!err && pending)
		priv->if1.clearing = obj;
	return err;
}

/**
 * c_can_msgobj_clear_msglst() - clear MsgLst of the last receive object, by IF1
 * @priv: interface
 * @obj: object number; its NewDat must be set
 * @mctrl: what its message control was when it was read
 *
 * A control write sets all of it. NewDat is written as 1, which it is: so the
 * object takes no frame from another one. A frame that replaces the one that
 * was read, before or after the write, is lost; the length may not be its own.
 *
 * Context: owner of IF1
 * Return: 0, or -ETIMEDOUT if IF1 is still busy with the transfer before
 */
int c_can_msgobj_clear_msglst(struct c_can_priv *priv, unsigned int obj, u32 mctrl)
{
	struct c_can_if *iface = &priv->if1;
	int err;

	err = c_can_if_wait(priv, iface);
	if (err)
		return err;

	BUILD_BUG_ON(C_CAN_IF_MCTRL != D_CAN_IF_MCTRL);
	c_can_if_write(priv, iface, C_CAN_IF_MCTRL, mctrl & ~(u32)C_CAN_MCTRL_MSGLST);
	c_can_if_start(priv, iface, C_CAN_CMD_WRITE | C_CAN_CMD_CONTROL, obj);
	return 0;
}

/**
 * c_can_msgobj_clear_intpnd() - clear IntPnd of a completed transmit object, by IF1
 * @priv: interface
 * @obj: object number
 *
 * On a C_CAN without quirks this is the command that frames are read with: it
 * saves two writes of COMMASK, and NewDat is 0 after a transmission.
 *
 * Context: owner of IF1
 * Return: 0, or -ETIMEDOUT if IF1 is still busy with the transfer before
 */
int c_can_msgobj_clear_intpnd(struct c_can_priv *priv, unsigned int obj)
{
	u8 cmd = C_CAN_CMD_CLRINTPND;
	int err;

	if (!c_can_is_d_can(priv) && priv->if1.cmd)
		cmd = priv->if1.cmd;
	if (cmd & C_CAN_CMD_WRITE)
		cmd = C_CAN_CMD_CLRINTPND;
	err = c_can_if_command(priv, &priv->if1, cmd, obj);
	if (!err)
		priv->if1.clearing = obj;
	return err;
}

/**
 * c_can_msgobj_cleared() - c_can_msgobj_clear_intpnd() is known to be over
 * @priv: interface
 *
 * If that was the last command of IF1, it need not be waited for.
 *
 * Context: owner of IF1
 */
void c_can_msgobj_cleared(struct c_can_priv *priv)
{
	if (priv->if1.clearing) {
		priv->if1.clearing = 0;
		priv->if1.busy = false;
	}
}

/**
 * c_can_msgobj_pending() - draw the conclusion from what INT says
 * @priv: interface
 * @cause: INT, read after the last command of IF1
 *
 * If INT does not point at the object whose IntPnd was to be cleared, it has
 * been cleared: IF1 is free, and its busy flag need not be read.
 *
 * Context: owner of IF1
 */
void c_can_msgobj_pending(struct c_can_priv *priv, u32 cause)
{
	struct c_can_if *iface = &priv->if1;

	/* a status cause or a lower object hides it */
	if (!cause || (cause != C_CAN_INT_STATUS && cause > iface->clearing))
		c_can_msgobj_cleared(priv);
}

static void c_can_if_write_frame(struct c_can_priv *priv, struct c_can_if *iface,
				 const struct c_can_frame *frame)
{
	unsigned int dlc = FIELD_GET(C_CAN_MCTRL_DLC_MASK, frame->mctrl), word, end;

	if (!(frame->arb & C_CAN_ARB_DIR))
		dlc = 0;

	if (c_can_is_d_can(priv)) {
		c_can_if_write(priv, iface, D_CAN_IF_ARB, frame->arb);
		c_can_if_write(priv, iface, D_CAN_IF_MCTRL, frame->mctrl);
		end = min(DIV_ROUND_UP(dlc, 4), 2U);
		for (word = 0; word < end; word++)
			c_can_if_write(priv, iface, D_CAN_IF_DATA + 4 * word, frame->data[word]);
		return;
	}

	/* the lower half of a standard identifier is not looked at */
	if (frame->arb & C_CAN_ARB_XTD)
		c_can_if_write(priv, iface, C_CAN_IF_ARB1, frame->arb & 0xffff);
	c_can_if_write(priv, iface, C_CAN_IF_ARB2, frame->arb >> 16);
	c_can_if_write(priv, iface, C_CAN_IF_MCTRL, frame->mctrl);
	end = min(DIV_ROUND_UP(dlc, 2), 4U);
	for (word = 0; word < end; word++)
		c_can_if_write(priv, iface, C_CAN_IF_DATA + 2 * word,
			       frame->data[word / 2] >> (16 * (word % 2)) & 0xffff);
}

/**
 * c_can_msgobj_send() - write a frame into a transmit object, by IF2
 * @priv: interface
 * @obj: object number; it must not be pending
 * @frame: the frame; the flags are added
 * @request: request its transmission, too; else c_can_msgobj_request() does
 * @invalidate: its direction changes, so it must not be valid meanwhile (Bosch
 *	C_CAN r1.2, 3.3.3)
 *
 * Context: owner of IF2
 * Return: 0, or -ETIMEDOUT if IF2 is still busy with the transfer before. The
 *	object is as it was then.
 */
int c_can_msgobj_send(struct c_can_priv *priv, unsigned int obj, const struct c_can_frame *frame,
		      bool request, bool invalidate)
{
	struct c_can_if *iface = &priv->if2;
	struct c_can_frame out = *frame;
	int err;

	err = c_can_if_wait(priv, iface);
	if (err)
		return err;

	if (invalidate) {
		c_can_if_write(priv, iface, c_can_is_d_can(priv) ? D_CAN_IF_ARB : C_CAN_IF_ARB2, 0);
		c_can_if_start(priv, iface, C_CAN_CMD_WRITE | C_CAN_CMD_ARB, obj);
		err = c_can_if_wait(priv, iface);
		if (err)
			return err;
	}

	out.arb |= C_CAN_ARB_MSGVAL;
	out.mctrl |= C_CAN_MCTRL_NEWDAT | C_CAN_MCTRL_TXIE | C_CAN_MCTRL_EOB;
	if (request)
		out.mctrl |= C_CAN_MCTRL_TXRQST;
	c_can_if_write_frame(priv, iface, &out);
	c_can_if_start(priv, iface, C_CAN_CMD_SEND | (request ? C_CAN_CMD_TXRQST : 0), obj);
	return 0;
}

/**
 * c_can_msgobj_prepare_request() - make c_can_msgobj_request() as short as can be
 * @priv: interface
 *
 * A C_CAN keeps the command between transfers, so it can be set ahead, unless
 * one is under way.
 *
 * Context: owner of IF1
 */
void c_can_msgobj_prepare_request(struct c_can_priv *priv)
{
	struct c_can_if *iface = &priv->if1;

	if (c_can_is_d_can(priv) || iface->busy || iface->cmd == C_CAN_CMD_REQUEST)
		return;
	c_can_if_write(priv, iface, C_CAN_IF_COMMASK, C_CAN_CMD_REQUEST);
	iface->cmd = C_CAN_CMD_REQUEST;
}

/**
 * c_can_msgobj_request() - request the transmission of a written object, by IF1
 * @priv: interface
 * @obj: object number
 *
 * Context: owner of IF1. A transfer of IF2 that wrote the object may still run:
 * the controller serves the two interfaces in the order of the commands.
 * Return: 0, or -ETIMEDOUT if IF1 is still busy with the transfer before
 */
int c_can_msgobj_request(struct c_can_priv *priv, unsigned int obj)
{
	return c_can_if_command(priv, &priv->if1, C_CAN_CMD_REQUEST, obj);
}

static int c_can_msgobj_setup(struct c_can_priv *priv, unsigned int obj, u32 arb, u32 mctrl)
{
	struct c_can_if *iface = &priv->if1;
	int err;

	err = c_can_if_wait(priv, iface);
	if (err)
		return err;

	/* mask 0: every identifier, standard and extended, data and remote */
	if (c_can_is_d_can(priv)) {
		c_can_if_write(priv, iface, D_CAN_IF_MASK, 0);
		c_can_if_write(priv, iface, D_CAN_IF_ARB, arb);
		c_can_if_write(priv, iface, D_CAN_IF_MCTRL, mctrl);
	} else {
		c_can_if_write(priv, iface, C_CAN_IF_MASK1, 0);
		c_can_if_write(priv, iface, C_CAN_IF_MASK2, 0);
		c_can_if_write(priv, iface, C_CAN_IF_ARB1, arb & 0xffff);
		c_can_if_write(priv, iface, C_CAN_IF_ARB2, arb >> 16);
		c_can_if_write(priv, iface, C_CAN_IF_MCTRL, mctrl);
	}
	c_can_if_start(priv, iface, C_CAN_CMD_SETUP, obj);
	return c_can_if_wait(priv, iface);
}

/**
 * c_can_msgobj_setup_rx() - arm a receive object for all frames
 * @priv: interface
 * @obj: object number
 * @last: end of the buffer: it takes frames also when it is full
 *
 * Context: process, while neither the poll nor the transmit function runs
 * Return: 0 or -ETIMEDOUT
 */
int c_can_msgobj_setup_rx(struct c_can_priv *priv, unsigned int obj, bool last)
{
	return c_can_msgobj_setup(priv, obj, C_CAN_ARB_MSGVAL,
				  C_CAN_RX_MCTRL | (last ? C_CAN_MCTRL_EOB : 0));
}

/**
 * c_can_msgobj_invalidate() - take an object out of use
 * @priv: interface
 * @obj: object number
 *
 * Context: process, while neither the poll nor the transmit function runs
 * Return: 0 or -ETIMEDOUT
 */
int c_can_msgobj_invalidate(struct c_can_priv *priv, unsigned int obj)
{
	return c_can_msgobj_setup(priv, obj, 0, 0);
}
