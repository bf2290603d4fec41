// SPDX-License-Identifier: GPL-2.0-only
/*
 * The chip outside of traffic: reset, modes of operation, bit timing
 *
 * Everything here is one register access after the other and sleeps in between.
 * Numbers in parentheses are sections of the data sheet DS20001801J.
 */

#include "mcp251x.h"

#include <linux/bitfield.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/math64.h>

/* CANSTAT: interrupt code; the other bits read as zeros (register 10-2) */
#define MCP251X_CANSTAT_ICOD		0x0e
/* CANCTRL after a reset (register 10-1) */
#define MCP251X_CANCTRL_RESET		0x87

/* A crystal needs milliseconds to start (8.1 counts from its first cycles) */
#define MCP251X_POWER_UP_US	5000
/* Oscillator start-up timer: no SPI operation before its end (8.1, 9.0) */
#define MCP251X_OST_CYCLES	128
/*
 * A change of mode waits for the frame on the wire, which lasts 16 ms at 10 kbit/s.
 */
#define MCP251X_MODE_TIMEOUT_US	250000
/* No change of mode takes that long after the frame on the wire */
#define MCP251X_ASK_AGAIN_US	40000
/* After a reset or a wake-up there is nothing to wait for but the crystal. */
#define MCP251X_RESET_TIMEOUT_US	100000

/* From the oscillator's first cycle to the end of its start-up timer */
static void mcp251x_chip_wait_ost(const struct mcp251x_priv *priv)
{
	unsigned long us = DIV_ROUND_UP(MCP251X_OST_CYCLES * USEC_PER_SEC / 1000,
					priv->osc_hz / 1000);

	usleep_range(us + 5, 2 * us + 20);
}

static const char *mcp251x_chip_mode_name(u8 reqop)
{
	switch (reqop) {
	case MCP251X_CANCTRL_REQOP_NORMAL:
		return "normal";
	case MCP251X_CANCTRL_REQOP_SLEEP:
		return "sleep";
	case MCP251X_CANCTRL_REQOP_LOOPBACK:
		return "loopback";
	case MCP251X_CANCTRL_REQOP_LISTEN:
		return "listen-only";
	case MCP251X_CANCTRL_REQOP_CONFIG:
		return "configuration";
	default:
		return "no";
	}
}

/*
 * The chip does not do as it is told: report it, with what CANSTAT and CANCTRL tell. Not again
 * and again while it is being tried to get it back.
 */
static void mcp251x_chip_explain(const struct mcp251x_priv *priv, const char *what, int err,
				 const u8 *seen)
{
	struct device *dev = &priv->spi->dev;
	u8 canstat = seen[0], canctrl = seen[1];

	if (priv->recovering)
		return;
	if (err != -ETIMEDOUT)
		dev_err(dev, "%s: SPI controller: %pe\n", what, ERR_PTR(err));
	else if (canstat == 0xff && canctrl == 0xff)
		dev_err(dev,
			"%s: no chip answers, MISO reads all ones: check power, the wires of MISO, MOSI, SCK and chip select, and that this is the chip select it is at\n",
			what);
	else if (!canstat && !canctrl)
		dev_err(dev,
			"%s: no chip answers, MISO reads all zeros: check power, the wires of MISO, MOSI, SCK and chip select, and the RESET pin\n",
			what);
	else if (canstat & ~(MCP251X_CANCTRL_REQOP_MASK | MCP251X_CANSTAT_ICOD))
		dev_err(dev,
			"%s: CANSTAT=%02x is no value that the chip has: check wiring and ground, try a lower SPI clock (%u Hz now)\n",
			what, canstat, priv->spi->max_speed_hz);
	else
		dev_err(dev,
			"%s: it stays in %s mode (CANSTAT=%02x CANCTRL=%02x): check that the oscillator runs, the wiring, and try a lower SPI clock (%u Hz now)\n",
			what, mcp251x_chip_mode_name(canstat & MCP251X_CANCTRL_REQOP_MASK),
			canstat, canctrl, priv->spi->max_speed_hz);
}

/*
 * Ask until OPMODE is the mode wanted. What is written while the oscillator starts is lost, what
 * is written to a chip that sleeps does not count, so it is written again if it may have
 * been lost; but not each time, which could begin a change anew that takes its time.
 */
static int mcp251x_chip_ask(struct mcp251x_priv *priv, u8 canctrl, unsigned int timeout_us,
			    u8 *seen)
{
	const u8 wanted = canctrl & MCP251X_CANCTRL_REQOP_MASK;
	ktime_t end = ktime_add_us(ktime_get(), timeout_us), written = 0;
	unsigned int pause = 10;
	bool late, lost = true;
	u8 before;
	int err;

	seen[0] = 0xff;
	seen[1] = 0xff;
	for (;;) {
		late = ktime_after(ktime_get(), end);
		if (lost || ktime_us_delta(ktime_get(), written) > MCP251X_ASK_AGAIN_US) {
			err = mcp251x_reg_write(priv, MCP251X_CANCTRL, &canctrl, 1);
			if (err)
				return err;
			written = ktime_get();
		}
		before = seen[0];
		/* CANSTAT and CANCTRL are neighbours */
		err = mcp251x_reg_read(priv, MCP251X_CANSTAT, seen, 2);
		if (err)
			return err;
		/* all of CANCTRL: a bus that reads as zeros is not normal mode */
		if ((seen[0] & MCP251X_CANCTRL_REQOP_MASK) == wanted && seen[1] == canctrl)
			return 0;
		if (late)
			return -ETIMEDOUT;
		lost = seen[1] != canctrl || seen[0] != before;
		usleep_range(pause, 2 * pause);
		pause = min(2 * pause, 1000u);
	}
}

static bool mcp251x_chip_is_config(u8 canctrl)
{
	return (canctrl & MCP251X_CANCTRL_REQOP_MASK) == MCP251X_CANCTRL_REQOP_CONFIG;
}

/**
 * mcp251x_chip_set_mode() - change the mode of operation and wait for it
 * @priv: interface
 * @canctrl: value for CANCTRL
 *
 * Pending frames delay it, unless MCP251X_CANCTRL_ABAT is set. With the wrong bit rate on a busy
 * bus the chip finds no moment to do it: it is reset then, if configuration mode is wanted.
 *
 * Context: process, may sleep, core_lock held
 * Return: 0 or a negative error, which has been reported
 */
int mcp251x_chip_set_mode(struct mcp251x_priv *priv, u8 canctrl)
{
	char what[40];
	u8 seen[2];
	int err;

	err = mcp251x_chip_ask(priv, canctrl, MCP251X_MODE_TIMEOUT_US, seen);
	if (!err)
		return 0;
	if (err == -ETIMEDOUT && mcp251x_chip_is_config(canctrl) && !priv->running)
		return mcp251x_chip_reset(priv, false);

	snprintf(what, sizeof(what), "no change to %s mode", mcp251x_chip_mode_name(canctrl &
		 MCP251X_CANCTRL_REQOP_MASK));
	mcp251x_chip_explain(priv, what, err, seen);
	return err;
}

/**
 * mcp251x_chip_reset() - reset the chip, which may just have been powered up
 * @priv: interface
 * @powered_up: it has: wait for its crystal
 *
 * Leaves it in configuration mode, with the pins as they shall be.
 *
 * Context: process, may sleep, core_lock held
 * Return: 0 or a negative error, which has been reported
 */
int mcp251x_chip_reset(struct mcp251x_priv *priv, bool powered_up)
{
	u8 seen[2] = { 0xff, 0xff };
	ktime_t end;
	int err;

	if (powered_up)
		usleep_range(MCP251X_POWER_UP_US, 2 * MCP251X_POWER_UP_US);

	end = ktime_add_us(ktime_get(), MCP251X_RESET_TIMEOUT_US);
	for (;;) {
		bool late = ktime_after(ktime_get(), end);

		err = mcp251x_spi_reset(priv);
		mcp251x_chip_wait_ost(priv);
		if (!err)
			err = mcp251x_reg_read(priv, MCP251X_CANSTAT, seen, 2);
		if (err)
			break;
		/* the values of a reset, all of them (registers 10-1 and 10-2) */
		if (seen[0] == MCP251X_CANCTRL_REQOP_CONFIG && seen[1] == MCP251X_CANCTRL_RESET)
			return mcp251x_gpio_restore(priv);
		if (late) {
			err = -ETIMEDOUT;
			break;
		}
		usleep_range(1000, 2000);
	}

	mcp251x_chip_explain(priv, "reset", err, seen);
	return err == -ETIMEDOUT ? -ENODEV : err;
}

/**
 * mcp251x_chip_sleep() - stop the oscillator until mcp251x_chip_wake()
 * @priv: interface; the chip is in configuration mode
 *
 * Context: process, may sleep, core_lock held
 */
void mcp251x_chip_sleep(struct mcp251x_priv *priv)
{
	static const u8 off[] = { 0, 0 };
	const u8 canctrl = MCP251X_CANCTRL_REQOP_SLEEP;

	/* nothing that could wake it (10.2) */
	mcp251x_reg_write(priv, MCP251X_CANINTE, off, sizeof(off));
	mcp251x_reg_write(priv, MCP251X_CANCTRL, &canctrl, 1);
}

/**
 * mcp251x_chip_wake() - wake the chip up into configuration mode
 * @priv: interface
 *
 * A chip that does not sleep (it was powered up meanwhile) is fine, too.
 *
 * Context: process, may sleep, core_lock held
 * Return: 0 or a negative error, which has been reported
 */
int mcp251x_chip_wake(struct mcp251x_priv *priv)
{
	static const u8 wake = MCP251X_INT_WAK;
	static const u8 off[] = { 0, 0 };
	const u8 canctrl = MCP251X_CANCTRL_REQOP_CONFIG | MCP251X_CANCTRL_ABAT;
	u8 seen[2] = { 0xff, 0xff };
	int err;

	/*
	 * The wake-up interrupt does it, also when set by hand (7.5). Its flag first: once it is
	 * enabled a frame on the bus wakes the chip, too, in the midst of what is being written.
	 */
	err = mcp251x_reg_write(priv, MCP251X_CANINTF, &wake, 1);
	if (!err)
		err = mcp251x_reg_write(priv, MCP251X_CANINTE, &wake, 1);
	if (!err) {
		mcp251x_chip_wait_ost(priv);
		err = mcp251x_chip_ask(priv, canctrl, MCP251X_RESET_TIMEOUT_US, seen);
	}
	if (!err)
		err = mcp251x_reg_write(priv, MCP251X_CANINTE, off, sizeof(off));
	if (!err)
		return 0;
	if (err == -ETIMEDOUT)
		return mcp251x_chip_reset(priv, false);

	mcp251x_chip_explain(priv, "wake-up", err, seen);
	return err;
}

/* CNF3, CNF2, CNF1: neighbours in this order (registers 5-1 to 5-3) */
#define MCP251X_CNF_COUNT	3

static void mcp251x_chip_timing(u8 *cnf, const struct can_bittiming *bt, bool triple)
{
	cnf[0] = FIELD_PREP(MCP251X_CNF3_PHSEG2_MASK, bt->phase_seg2 - 1);
	cnf[1] = MCP251X_CNF2_BTLMODE | (triple ? MCP251X_CNF2_SAM : 0) |
		 FIELD_PREP(MCP251X_CNF2_PHSEG1_MASK, bt->phase_seg1 - 1) |
		 FIELD_PREP(MCP251X_CNF2_PRSEG_MASK, bt->prop_seg - 1);
	cnf[2] = FIELD_PREP(MCP251X_CNF1_SJW_MASK, bt->sjw - 1) |
		 FIELD_PREP(MCP251X_CNF1_BRP_MASK, bt->brp - 1);
}

static int mcp251x_chip_write_timing(struct mcp251x_priv *priv, const struct can_bittiming *bt,
				     bool triple)
{
	u8 cnf[MCP251X_CNF_COUNT], back[MCP251X_CNF_COUNT];
	int err;

	mcp251x_chip_timing(cnf, bt, triple);
	err = mcp251x_reg_write(priv, MCP251X_CNF3, cnf, sizeof(cnf));
	if (!err)
		err = mcp251x_reg_read(priv, MCP251X_CNF3, back, sizeof(back));
	if (err)
		return err;
	if (memcmp(cnf, back, sizeof(cnf))) {
		dev_err(&priv->spi->dev,
			"bit timing %*ph was written and %*ph read back: check wiring and ground, try a lower SPI clock (%u Hz now)\n",
			(int)sizeof(cnf), cnf, (int)sizeof(back), back, priv->spi->max_speed_hz);
		return -EIO;
	}
	return 0;
}

/**
 * mcp251x_chip_configure() - prepare the chip for traffic
 * @priv: interface; the chip is in configuration mode
 *
 * Interrupts stay off until mcp251x_irq_start().
 *
 * Context: process, may sleep, core_lock held
 * Return: 0 or a negative error, which has been reported
 */
int mcp251x_chip_configure(struct mcp251x_priv *priv)
{
	/* CANINTE, CANINTF, EFLG: neighbours */
	static const u8 flags[] = { 0, 0, 0 };
	const u8 zero = 0;
	unsigned int n;
	int err;

	err = mcp251x_chip_write_timing(priv, &priv->can.bittiming,
					priv->can.ctrlmode & CAN_CTRLMODE_3_SAMPLES);
	/* nothing to be sent, all buffers at the lowest priority */
	for (n = 0; !err && n < MCP251X_TXB_COUNT; n++)
		err = mcp251x_reg_write(priv, MCP251X_TXBCTRL(n), &zero, 1);
	if (!err)
		err = mcp251x_filter_apply(priv);
	if (!err)
		err = mcp251x_gpio_restore(priv);
	if (!err)
		err = mcp251x_reg_write(priv, MCP251X_CANINTE, flags, sizeof(flags));
	if (err)
		netdev_err(priv->dev, "cannot configure the chip: %pe\n", ERR_PTR(err));
	return err;
}

/**
 * mcp251x_chip_healthy() - is the chip as it was configured?
 * @priv: interface, running
 *
 * A chip that was reset, by a dip of its supply or by noise, says of itself that nothing has
 * happened. So does one whose SO is stuck low.
 *
 * Context: process, may sleep, core_lock held
 * Return: false if it is not
 */
bool mcp251x_chip_healthy(struct mcp251x_priv *priv)
{
	u8 cnf[MCP251X_CNF_COUNT], back[MCP251X_CNF_COUNT], canctrl;

	mcp251x_chip_timing(cnf, &priv->can.bittiming,
			    priv->can.ctrlmode & CAN_CTRLMODE_3_SAMPLES);
	/* errors of SPI messages are the machine's business */
	if (mcp251x_reg_read(priv, MCP251X_CNF3, back, sizeof(back)) ||
	    mcp251x_reg_read(priv, MCP251X_CANCTRL, &canctrl, 1))
		return true;
	/* the machine stops a chip that is bus-off */
	return !memcmp(cnf, back, sizeof(cnf)) &&
	       (canctrl == priv->canctrl || READ_ONCE(priv->machine.plan.halt));
}

/* A frame that the chip sends to itself takes so long: 2 ms with a crystal of 16 MHz */
#define MCP251X_MEASURE_BRP	16
#define MCP251X_MEASURE_TQ	25
/* A remote frame of identifier 555 and length 0, up to the end of frame, with stuff bits */
#define MCP251X_MEASURE_BITS	45
/* Crystals are exact; this is for the chip's start of a frame and for our looking at it */
#define MCP251X_MEASURE_PERCENT	8

/*
 * Send a frame to itself and see when it is through: it took between *shortest and *longest us.
 */
static int mcp251x_chip_time_frame(struct mcp251x_priv *priv, u32 timeout_us, u32 *shortest,
				   u32 *longest)
{
	ktime_t before, after, end, not_yet, now;
	u8 canintf;
	int err;

	err = mcp251x_reg_modify(priv, MCP251X_CANINTF, 0xff, 0);
	before = ktime_get();
	if (!err)
		err = mcp251x_reg_modify(priv, MCP251X_TXBCTRL(0), MCP251X_TXBCTRL_TXREQ,
					 MCP251X_TXBCTRL_TXREQ);
	after = ktime_get();
	not_yet = after;
	end = ktime_add_us(after, timeout_us);

	while (!err) {
		now = ktime_get();
		err = mcp251x_reg_read(priv, MCP251X_CANINTF, &canintf, 1);
		if (!err && canintf & MCP251X_INT_TX(0))
			break;
		not_yet = now;
		if (ktime_after(now, end))
			err = -ETIMEDOUT;
		usleep_range(10, 20);
	}
	*shortest = max_t(s64, ktime_us_delta(not_yet, after), 0);
	*longest = ktime_us_delta(ktime_get(), before);
	return err;
}

static int mcp251x_chip_prepare_measure(struct mcp251x_priv *priv)
{
	static const struct can_bittiming bt = {
		.brp = MCP251X_MEASURE_BRP,
		.prop_seg = 8,
		.phase_seg1 = 8,
		.phase_seg2 = 8,
		.sjw = 1,
	};
	/* TXB0CTRL, SIDH, SIDL, EID8, EID0, DLC */
	static const u8 frame[] = { 0, 0xaa, 0xa0, 0, 0, MCP251X_DLC_RTR };
	const u8 canctrl = MCP251X_CANCTRL_REQOP_LOOPBACK;
	u8 seen[2];
	int err;

	err = mcp251x_chip_write_timing(priv, &bt, false);
	if (!err)
		err = mcp251x_reg_write(priv, MCP251X_TXBCTRL(0), frame, sizeof(frame));
	if (!err)
		err = mcp251x_chip_ask(priv, canctrl, MCP251X_MODE_TIMEOUT_US, seen);
	return err;
}

/**
 * mcp251x_chip_measure() - does the crystal run as fast as the device tree says?
 * @priv: interface; the chip is in configuration mode
 *
 * With a wrong frequency every bit rate is wrong, and all that a user sees is bus-off. In
 * loopback mode the chip sends a frame to itself, nothing leaves its pins (10.4), and the
 * time this takes tells. Nothing but a message depends on the result.
 *
 * Context: process, may sleep, core_lock held
 */
void mcp251x_chip_measure(struct mcp251x_priv *priv)
{
	const u32 cycles = 2 * MCP251X_MEASURE_BRP * MCP251X_MEASURE_TQ * MCP251X_MEASURE_BITS;
	u32 expected, slack, shortest, longest, khz;
	unsigned int tries = 4;
	u8 seen[2];
	int err;

	expected = (u32)div_u64((u64)cycles * USEC_PER_SEC, priv->osc_hz);
	slack = expected * MCP251X_MEASURE_PERCENT / 100;

	/* the first frame waits for the bus to be idle and is not looked at */
	err = mcp251x_chip_prepare_measure(priv);
	if (!err)
		err = mcp251x_chip_time_frame(priv, 32 * expected, &shortest, &longest);
	do {
		/* more than the three bits that are between frames */
		usleep_range(expected / 8, expected / 4);
		if (!err)
			err = mcp251x_chip_time_frame(priv, 32 * expected, &shortest, &longest);
		/* again if the CPU was elsewhere meanwhile */
	} while (!err && longest - shortest > slack && --tries);

	mcp251x_chip_ask(priv, MCP251X_CANCTRL_REQOP_CONFIG | MCP251X_CANCTRL_ABAT,
			 MCP251X_MODE_TIMEOUT_US, seen);
	if (err || !tries) {
		dev_dbg(&priv->spi->dev, "crystal not measured: %pe\n", ERR_PTR(err));
		return;
	}
	khz = cycles * 1000 / ((shortest + longest) / 2);
	dev_dbg(&priv->spi->dev, "a frame took %u to %u us, expected %u: crystal at %u kHz\n",
		shortest, longest, expected, khz);
	if (shortest > expected + slack || longest + slack < expected)
		dev_warn(&priv->spi->dev,
			 "the crystal seems to run at about %u.%u MHz, the device tree says %u Hz: all bit rates will be wrong; correct the overlay's oscillator= or the clock of the node\n",
			 (khz + 50) / 1000, (khz + 50) / 100 % 10, priv->osc_hz);
}
