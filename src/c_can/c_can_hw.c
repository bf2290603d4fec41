// SPDX-License-Identifier: GPL-2.0-only
/*
 * The controller outside its message objects: registers, reset, start, stop
 */

#include "c_can.h"

#include <linux/bitfield.h>
#include <linux/delay.h>
#include <linux/iopoll.h>

/* Bosch C_CAN r1.2, table 2; 16-bit registers, counted as if 2 bytes apart */
static const u16 c_can_regs[C_CAN_REG_COUNT] = {
	[C_CAN_REG_CTRL]	= 0x00,
	[C_CAN_REG_STS]		= 0x02,
	[C_CAN_REG_ERRCNT]	= 0x04,
	[C_CAN_REG_BTR]		= 0x06,
	[C_CAN_REG_INT]		= 0x08,
	[C_CAN_REG_TEST]	= 0x0a,
	[C_CAN_REG_IF1]		= 0x10,
	[C_CAN_REG_IF2]		= 0x40,
	[C_CAN_REG_TXRQST]	= 0x80,
	[C_CAN_REG_NEWDAT]	= 0x90,
	[C_CAN_REG_INTPND]	= 0xa0,
};

#define C_CAN_BRPEXT		0x0c

/* Bosch D_CAN r1.11, table 2; 32-bit registers */
static const u16 d_can_regs[C_CAN_REG_COUNT] = {
	[C_CAN_REG_CTRL]	= 0x00,
	[C_CAN_REG_STS]		= 0x04,
	[C_CAN_REG_ERRCNT]	= 0x08,
	[C_CAN_REG_BTR]		= 0x0c,
	[C_CAN_REG_INT]		= 0x10,
	[C_CAN_REG_TEST]	= 0x14,
	[C_CAN_REG_IF1]		= 0x100,
	[C_CAN_REG_IF2]		= 0x120,
	[C_CAN_REG_TXRQST]	= 0x88,
	[C_CAN_REG_NEWDAT]	= 0x9c,
	[C_CAN_REG_INTPND]	= 0xb0,
};

#define D_CAN_CFR		0x18
#define D_CAN_HWS		0x24

/* Longest wait for the controller to follow Init, RAM initialisation, reset */
#define C_CAN_WAIT_US		1000

static u32 c_can_read_at(const struct c_can_priv *priv, unsigned int offset)
{
	void __iomem *addr;

	if (c_can_is_d_can(priv))
		return readl(priv->base + offset);

	addr = priv->base + (offset << priv->reg_shift);
	return priv->io_32bit ? readl(addr) & 0xffff : readw(addr);
}

static void c_can_write_at(const struct c_can_priv *priv, unsigned int offset, u32 value)
{
	void __iomem *addr;

	if (c_can_is_d_can(priv)) {
		writel(value, priv->base + offset);
		return;
	}

	addr = priv->base + (offset << priv->reg_shift);
	if (priv->io_32bit)
		writel(value & 0xffff, addr);
	else
		writew(value, addr);
}

/**
 * c_can_read() - read a register
 * @priv: interface
 * @reg: register
 *
 * Context: any; the module's clock must run.
 * Return: 16 (C_CAN) or 32 (D_CAN) bits
 */
u32 c_can_read(const struct c_can_priv *priv, enum c_can_reg reg)
{
	return c_can_read_at(priv, priv->regs[reg]);
}

/**
 * c_can_write() - write a register
 * @priv: interface
 * @reg: register
 * @value: 16 (C_CAN) or 32 (D_CAN) bits
 *
 * Context: any; the module's clock must run.
 */
void c_can_write(const struct c_can_priv *priv, enum c_can_reg reg, u32 value)
{
	c_can_write_at(priv, priv->regs[reg], value);
}

/**
 * c_can_read_set() - read one word of TXRQST, NEWDAT or INTPND
 * @priv: interface
 * @reg: C_CAN_REG_TXRQST, C_CAN_REG_NEWDAT or C_CAN_REG_INTPND
 * @word: which word, of c_can_set_width() objects each
 *
 * Context: any; the module's clock must run.
 * Return: bit n stands for object word * c_can_set_width() + n + 1
 */
u32 c_can_read_set(const struct c_can_priv *priv, enum c_can_reg reg, unsigned int word)
{
	return c_can_read_at(priv, priv->regs[reg] + word * c_can_set_width(priv) / 8);
}

/**
 * c_can_hw_setup() - choose the register map
 * @priv: interface, with chip set
 *
 * Context: probe
 */
void c_can_hw_setup(struct c_can_priv *priv)
{
	priv->regs = c_can_is_d_can(priv) ? d_can_regs : c_can_regs;
	priv->if1.reg = C_CAN_REG_IF1;
	priv->if2.reg = C_CAN_REG_IF2;
}

/*
 * CTRL is never read back on the hot path. What the driver has written is
 * known, and only bus-off (Init) changes it behind its back.
 */
static u32 c_can_ctrl_base(const struct c_can_priv *priv)
{
	if (priv->chip->quirks & C_CAN_QUIRK_TI)
		return FIELD_PREP(C_CAN_CTRL_TI_PMD_MASK, C_CAN_CTRL_TI_PMD_OFF);
	return 0;
}

/* The D_CAN's Init crosses a clock domain and reads back late (r1.11, 3.1). */
static int c_can_wait_init(const struct c_can_priv *priv, u32 init)
{
	u32 ctrl;

	return read_poll_timeout_atomic(c_can_read, ctrl, (ctrl & C_CAN_CTRL_INIT) == init, 1,
					C_CAN_WAIT_US, false, priv, C_CAN_REG_CTRL);
}

static int c_can_enter_init(const struct c_can_priv *priv, u32 more)
{
	c_can_write(priv, C_CAN_REG_CTRL, c_can_ctrl_base(priv) | C_CAN_CTRL_INIT | more);
	return c_can_wait_init(priv, C_CAN_CTRL_INIT);
}

static int c_can_hw_raminit(struct c_can_priv *priv)
{
	u32 value;

	if (priv->raminit)
		return priv->raminit(priv);

	if (!(priv->chip->quirks & C_CAN_QUIRK_HWS))
		return 0;

	/* Bosch D_CAN r1.11, 3.2: takes (objects + 4) host clocks, needs Init */
	c_can_write_at(priv, D_CAN_CFR, D_CAN_CFR_RAMINIT);
	return read_poll_timeout(c_can_read_at, value, !(value & D_CAN_CFR_RAMINIT), 10,
				 C_CAN_WAIT_US, false, priv, D_CAN_CFR);
}

/* From whatever state to: Init set, RAM defined, all else as after reset. */
static int c_can_hw_reset(struct c_can_priv *priv)
{
	u32 ctrl;
	int err;

	if (priv->reset)
		priv->reset(priv);

	err = c_can_enter_init(priv, 0);
	if (err) {
		dev_err(priv->device,
			"controller does not enter Init mode (CTRL 0x%x): check its clock and its address\n",
			c_can_read(priv, C_CAN_REG_CTRL));
		return err;
	}

	if (priv->chip->quirks & C_CAN_QUIRK_TI) {
		/* SPNU563A, 27.17.1: SWR needs Init and clears itself */
		c_can_write(priv, C_CAN_REG_CTRL, C_CAN_CTRL_TI_SWR | C_CAN_CTRL_INIT);
		err = read_poll_timeout(c_can_read, ctrl, !(ctrl & C_CAN_CTRL_TI_SWR), 10,
					C_CAN_WAIT_US, false, priv, C_CAN_REG_CTRL);
		if (!err)
			err = c_can_enter_init(priv, 0);
		if (err) {
			dev_err(priv->device, "software reset does not end (CTRL 0x%x)\n",
				c_can_read(priv, C_CAN_REG_CTRL));
			return err;
		}
	}

	err = c_can_hw_raminit(priv);
	if (err)
		dev_err(priv->device, "message RAM is not initialised in time (%pe)\n",
			ERR_PTR(err));
	return err;
}

/* Every object: receive objects armed, the rest not valid. */
static int c_can_setup_objects(struct c_can_priv *priv)
{
	unsigned int obj;
	int err = 0;

	for (obj = 1; obj <= priv->objects && !err; obj++) {
		if (obj <= priv->rx.count)
			err = c_can_msgobj_setup_rx(priv, obj, obj == priv->rx.count);
		else
			err = c_can_msgobj_invalidate(priv, obj);
	}
	if (err)
		dev_err(priv->device,
			"message interface stays busy: the controller is broken or its clock is off\n");
	return err;
}

static void c_can_set_bittiming(struct c_can_priv *priv)
{
	const struct can_bittiming *bt = &priv->can.bittiming;
	u32 brp = bt->brp - 1, btr;

	btr = FIELD_PREP(C_CAN_BTR_BRP_MASK, brp & 0x3f) |
	      FIELD_PREP(C_CAN_BTR_SJW_MASK, bt->sjw - 1) |
	      FIELD_PREP(C_CAN_BTR_TSEG1_MASK, bt->prop_seg + bt->phase_seg1 - 1) |
	      FIELD_PREP(C_CAN_BTR_TSEG2_MASK, bt->phase_seg2 - 1);

	if (c_can_is_d_can(priv)) {
		btr |= FIELD_PREP(D_CAN_BTR_BRPE_MASK, brp >> 6);
		c_can_write(priv, C_CAN_REG_BTR, btr);
	} else {
		c_can_write(priv, C_CAN_REG_BTR, btr);
		c_can_write_at(priv, C_CAN_BRPEXT, brp >> 6);
	}
}

/**
 * c_can_hw_probe() - is there a controller, does it work, how large is it?
 * @priv: interface; objects is set on success
 *
 * Context: process, may sleep. The module's clock must run.
 * Return: 0; -ENODEV if nothing answers; -ETIMEDOUT if it does not finish what
 *	it is told. Each failure has been reported.
 */
int c_can_hw_probe(struct c_can_priv *priv)
{
	u32 ones = c_can_is_d_can(priv) ? U32_MAX : U16_MAX;
	unsigned int obj;
	int err;

	priv->objects = priv->chip->objects;

	if (c_can_read(priv, C_CAN_REG_CTRL) == ones && c_can_read(priv, C_CAN_REG_BTR) == ones) {
		dev_err(priv->device, "no controller answers: all registers read as ones\n");
		return -ENODEV;
	}

	err = c_can_hw_reset(priv);
	if (err)
		return err;

	if (priv->chip->quirks & C_CAN_QUIRK_HWS)
		priv->objects = 16 << FIELD_GET(D_CAN_HWS_OBJECTS_MASK,
						c_can_read_at(priv, D_CAN_HWS));

	/* the interface registers must work before anybody relies on them */
	for (obj = 1; obj <= priv->objects; obj++) {
		err = c_can_msgobj_invalidate(priv, obj);
		if (err) {
			dev_err(priv->device,
				"message interface stays busy: the controller is broken or its clock is off\n");
			return err;
		}
	}
	return 0;
}

static int c_can_leave_init(struct c_can_priv *priv)
{
	int err;

	/* without IE, which is c_can_core.c's business */
	c_can_write(priv, C_CAN_REG_CTRL, priv->ctrl);
	err = c_can_wait_init(priv, 0);
	if (err)
		dev_err(priv->device, "controller does not leave Init mode (CTRL 0x%x)\n",
			c_can_read(priv, C_CAN_REG_CTRL));
	return err;
}

/**
 * c_can_hw_start() - reset the controller and put it on the bus
 * @priv: interface
 *
 * Init stays set until everything is configured, so that nothing is sent at a
 * wrong bit rate. Interrupts stay off.
 *
 * Context: process, may sleep. The poll function must not run.
 * Return: 0 or a negative error, which has been reported
 */
int c_can_hw_start(struct c_can_priv *priv)
{
	u32 mode = priv->can.ctrlmode, test = 0;
	int err;

	priv->dead = false;
	priv->if1.busy = false;
	priv->if2.busy = false;
	priv->if1.clearing = 0;
	priv->if1.cmd = 0;
	priv->if2.cmd = 0;

	err = c_can_hw_reset(priv);
	if (err)
		return err;
	err = c_can_setup_objects(priv);
	if (err)
		return err;

	if (mode & CAN_CTRLMODE_LOOPBACK)
		test |= C_CAN_TEST_LBACK;
	if (mode & CAN_CTRLMODE_LISTENONLY)
		test |= C_CAN_TEST_SILENT;

	priv->ctrl = c_can_ctrl_base(priv) | C_CAN_CTRL_EIE;
	if (mode & (CAN_CTRLMODE_BERR_REPORTING | CAN_CTRLMODE_ONE_SHOT))
		priv->ctrl |= C_CAN_CTRL_SIE;
	if (mode & CAN_CTRLMODE_ONE_SHOT)
		priv->ctrl |= C_CAN_CTRL_DAR;
	if (test)
		priv->ctrl |= C_CAN_CTRL_TEST;

	err = c_can_enter_init(priv, C_CAN_CTRL_CCE | (priv->ctrl & C_CAN_CTRL_TEST));
	if (err)
		return err;
	c_can_set_bittiming(priv);
	if (test)
		c_can_write(priv, C_CAN_REG_TEST, test);

	/* so that the next LEC can be told from an old one */
	if (c_can_is_d_can(priv))
		c_can_read(priv, C_CAN_REG_STS);
	else
		c_can_write(priv, C_CAN_REG_STS, C_CAN_STS_LEC_UNCHANGED);

	return c_can_leave_init(priv);
}

/**
 * c_can_hw_restart() - come back from bus-off
 * @priv: interface
 *
 * Requests for transmission are withdrawn; frames that were received and not
 * yet read stay. The controller waits for 129 x 11 recessive bits by itself.
 *
 * Context: the poll function, with the transmit queue locked
 * Return: 0 or a negative error, which has been reported
 */
int c_can_hw_restart(struct c_can_priv *priv)
{
	unsigned int i;
	int err;

	for (i = 0; i < priv->tx.count; i++) {
		err = c_can_msgobj_invalidate(priv, priv->tx.first + i);
		if (err)
			return err;
	}
	return c_can_leave_init(priv);
}

/**
 * c_can_hw_stop() - leave the bus at once, interrupts off
 * @priv: interface
 *
 * Context: process, may sleep. The poll function must not run.
 */
void c_can_hw_stop(struct c_can_priv *priv)
{
	if (c_can_enter_init(priv, 0) && !priv->dead)
		dev_warn(priv->device, "controller does not enter Init mode\n");
}
