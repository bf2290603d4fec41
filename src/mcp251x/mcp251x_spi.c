// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPI messages, the only file that knows them
 *
 * For each step of the plan one message is made when the interface is opened, of one transfer for
 * each instruction, with chip select high in between, and reused until it is closed. It is
 * run by spi-bcm2835dma as a prepared message, or on all other controllers by
 * spi_async(), after spi_optimize_message() where the kernel has it. Those may run messages in a
 * thread, for which real-time priority is asked in probe.
 */

#include "mcp251x.h"

#include <linux/slab.h>

#include "../spi-bcm2835dma/spi-bcm2835dma.h"

/* What an instruction and its data take at most, rounded up to words */
#define MCP251X_INSN_MAX	20
#define MCP251X_INSN_WORDS	(MCP251X_INSN_MAX / sizeof(u32))
/* Chip select must be high for 50 ns (DS20001801J, table 13-6) */
#define MCP251X_CS_HIGH_NS	50

/**
 * struct mcp251x_insn - an SPI instruction
 * @len: bytes in all
 * @head: of these, sent; the rest is received. 0: all are sent
 * @tx: the bytes to begin with
 */
struct mcp251x_insn {
	u8 len;
	u8 head;
	u8 tx[4];
};

/**
 * struct mcp251x_bytes - of an instruction, where a DMA engine may get at them
 * @tx: sent
 * @rx: received
 */
struct mcp251x_bytes {
	u32 tx[MCP251X_INSN_WORDS];
	u32 rx[MCP251X_INSN_WORDS];
} ____cacheline_aligned;

/**
 * struct mcp251x_msg - the message of a step
 * @priv: interface
 * @step: what it is
 * @num: instructions
 * @prepared: of spi-bcm2835dma, or NULL
 * @message: of the SPI core
 * @optimized: by the SPI core
 * @xfer: of @message
 * @bytes: of each instruction
 */
struct mcp251x_msg {
	struct mcp251x_priv *priv;
	enum mcp251x_step step;
	unsigned int num;
	struct bcm2835dma_message *prepared;
	struct spi_message message;
	bool optimized;
	struct spi_transfer xfer[2 * MCP251X_SPI_INSNS];
	struct mcp251x_bytes bytes[MCP251X_SPI_INSNS];
};

/**
 * struct mcp251x_spi - SPI side of an interface
 * @ops: spi-bcm2835dma's functions, NULL: they are not used
 * @got_ops: they were got
 * @msg: of each step, while the interface is up
 */
struct mcp251x_spi {
	const struct spi_bcm2835dma_ops *ops;
	bool got_ops;
	struct mcp251x_msg *msg[MCP251X_STEP_COUNT];
};

#define MCP251X_LOOK_INSN	{ 4, 2, { MCP251X_INSN_READ, MCP251X_CANINTF } }
#define MCP251X_READ_INSN(n)	{ 1 + MCP251X_BUF_SIZE, 1, { MCP251X_INSN_READ_RX(n) } }
/* without any effect */
#define MCP251X_PLAIN_INSN(n)	{ 2 + MCP251X_BUF_SIZE, 2,	\
				  { MCP251X_INSN_READ, MCP251X_RXBSIDH(n) } }
/* all flags that are not in the mask stay as they are (12.10) */
#define MCP251X_MODIFY_INSN(r)	{ 4, 0, { MCP251X_INSN_BIT_MODIFY, (r) } }
#define MCP251X_FREE_INSN(n)	{ 4, 0, { MCP251X_INSN_BIT_MODIFY, MCP251X_CANINTF, \
					  MCP251X_INT_RX(n) } }
#define MCP251X_STATUS_INSN	{ 2, 1, { MCP251X_INSN_READ_STATUS } }

/*
 * A frame is in the first instruction, after READ STATUS in the second, another one follows;
 * the look is the last.
 */
static const struct mcp251x_insn mcp251x_insns[MCP251X_STEP_COUNT][MCP251X_SPI_INSNS] = {
	[MCP251X_STEP_LOOK] = { MCP251X_LOOK_INSN },
	[MCP251X_STEP_READ0] = { MCP251X_READ_INSN(0), MCP251X_LOOK_INSN },
	[MCP251X_STEP_READ1] = { MCP251X_READ_INSN(1), MCP251X_LOOK_INSN },
	[MCP251X_STEP_SURE] = { MCP251X_STATUS_INSN, MCP251X_READ_INSN(0), MCP251X_LOOK_INSN },
	[MCP251X_STEP_PAIR] = {
		MCP251X_STATUS_INSN, MCP251X_READ_INSN(0), MCP251X_READ_INSN(1), MCP251X_LOOK_INSN,
	},
	[MCP251X_STEP_BOTH] = { MCP251X_READ_INSN(0), MCP251X_READ_INSN(1), MCP251X_LOOK_INSN },
	[MCP251X_STEP_AGAIN0] = { MCP251X_PLAIN_INSN(0), MCP251X_LOOK_INSN },
	[MCP251X_STEP_AGAIN1] = { MCP251X_PLAIN_INSN(1), MCP251X_LOOK_INSN },
	[MCP251X_STEP_CLEAR] = { MCP251X_MODIFY_INSN(MCP251X_CANINTF), MCP251X_LOOK_INSN },
	[MCP251X_STEP_SEND] = {
		MCP251X_MODIFY_INSN(MCP251X_CANINTF),
		{ 3 + MCP251X_BUF_SIZE, 0, { MCP251X_INSN_WRITE } },
		{ 1, 0, { MCP251X_INSN_RTS(0) } },
		MCP251X_LOOK_INSN,
	},
	[MCP251X_STEP_STATUS] = { MCP251X_STATUS_INSN, MCP251X_LOOK_INSN },
	[MCP251X_STEP_CONTROL] = {
		{ 4, 2, { MCP251X_INSN_READ, MCP251X_TEC } },
		MCP251X_MODIFY_INSN(MCP251X_CANINTF),
		MCP251X_MODIFY_INSN(MCP251X_EFLG),
		MCP251X_MODIFY_INSN(MCP251X_CANCTRL),
		{ 3, 0, { MCP251X_INSN_WRITE, MCP251X_CANINTE } },
		MCP251X_LOOK_INSN,
	},
	[MCP251X_STEP_REQUEST] = {
		{ 2 + MCP251X_REQUEST_MAX, 2, { MCP251X_INSN_READ } },
		MCP251X_LOOK_INSN,
	},
};

/* The MCP2510 has no READ RX BUFFER (DS21291F, table 11-1) */
static const struct mcp251x_insn mcp2510_insns[MCP251X_STEP_COUNT][MCP251X_SPI_INSNS] = {
	[MCP251X_STEP_READ0] = { MCP251X_PLAIN_INSN(0), MCP251X_FREE_INSN(0), MCP251X_LOOK_INSN },
	[MCP251X_STEP_READ1] = { MCP251X_PLAIN_INSN(1), MCP251X_FREE_INSN(1), MCP251X_LOOK_INSN },
	[MCP251X_STEP_SURE] = {
		MCP251X_STATUS_INSN, MCP251X_PLAIN_INSN(0), MCP251X_FREE_INSN(0), MCP251X_LOOK_INSN
	},
	[MCP251X_STEP_PAIR] = {
		MCP251X_STATUS_INSN, MCP251X_PLAIN_INSN(0), MCP251X_FREE_INSN(0),
		MCP251X_PLAIN_INSN(1), MCP251X_FREE_INSN(1), MCP251X_LOOK_INSN
	},
	[MCP251X_STEP_BOTH] = {
		MCP251X_PLAIN_INSN(0), MCP251X_FREE_INSN(0),
		MCP251X_PLAIN_INSN(1), MCP251X_FREE_INSN(1), MCP251X_LOOK_INSN
	},
};

static const struct mcp251x_insn *mcp251x_insns_of(const struct mcp251x_priv *priv,
						   enum mcp251x_step step)
{
	if (priv->chip->quirks & MCP251X_QUIRK_MCP2510 && mcp2510_insns[step][0].len)
		return mcp2510_insns[step];
	return mcp251x_insns[step];
}

/*
 * Transfers of an instruction of len bytes, of which head are sent: one, or two if the controller
 * cannot send and receive at the same time.
 */
static unsigned int mcp251x_msg_xfers(struct mcp251x_msg *msg, struct spi_transfer *xfer,
				      struct mcp251x_bytes *bytes, unsigned int len,
				      unsigned int head)
{
	bool split = msg->priv->spi->controller->flags & SPI_CONTROLLER_HALF_DUPLEX;
	unsigned int n = 1;

	xfer[0].tx_buf = bytes->tx;
	xfer[0].len = len;
	if (head && split) {
		xfer[0].len = head;
		xfer[1].rx_buf = (u8 *)bytes->rx + head;
		xfer[1].len = len - head;
		n = 2;
	} else if (head) {
		xfer[0].rx_buf = bytes->rx;
	}
	xfer[n - 1].cs_change = 1;
	xfer[n - 1].cs_change_delay.value = MCP251X_CS_HIGH_NS;
	xfer[n - 1].cs_change_delay.unit = SPI_DELAY_UNIT_NSECS;
	return n;
}

static void mcp251x_prepared_over(void *context, int status)
{
	struct mcp251x_msg *msg = context;

	mcp251x_irq_over(msg->priv, msg->step, status);
}

static void mcp251x_message_over(void *context)
{
	struct mcp251x_msg *msg = context;

	mcp251x_irq_over(msg->priv, msg->step, msg->message.status);
}

/* The message for the SPI core, anew; request: MCP251X_STEP_REQUEST's, may be NULL */
static void mcp251x_msg_fill(struct mcp251x_msg *msg, const struct mcp251x_insn *insns,
			     const struct mcp251x_request *request)
{
	unsigned int i, n = 0, len, head;

	memset(msg->xfer, 0, sizeof(msg->xfer));
	for (i = 0; i < msg->num; i++) {
		len = insns[i].len;
		head = insns[i].head;
		if (request && !i) {
			len = request->len + 2;
			head = request->insn == MCP251X_INSN_READ ? 2 : 0;
		}
		n += mcp251x_msg_xfers(msg, &msg->xfer[n], &msg->bytes[i], len, head);
	}
	/* at the end it would mean the contrary */
	msg->xfer[n - 1].cs_change = 0;
	spi_message_init_with_transfers(&msg->message, msg->xfer, n);
	msg->message.complete = mcp251x_message_over;
	msg->message.context = msg;
}

static struct mcp251x_msg *mcp251x_msg_new(struct mcp251x_priv *priv, enum mcp251x_step step)
{
	const struct mcp251x_insn *insns = mcp251x_insns_of(priv, step);
	const struct spi_bcm2835dma_ops *ops = priv->hw->ops;
	struct mcp251x_msg *msg;
	unsigned int i;
	int err;

	msg = kzalloc(sizeof(*msg), GFP_KERNEL);
	if (!msg)
		return ERR_PTR(-ENOMEM);
	msg->priv = priv;
	msg->step = step;
	for (i = 0; i < MCP251X_SPI_INSNS && insns[i].len; i++)
		memcpy(msg->bytes[i].tx, insns[i].tx, sizeof(insns[i].tx));
	msg->num = i;
	mcp251x_msg_fill(msg, insns, NULL);

	if (ops) {
		msg->prepared = ops->prepare(priv->spi, msg->xfer, msg->num, mcp251x_prepared_over,
					     msg);
		err = PTR_ERR_OR_ZERO(msg->prepared);
	} else {
		/* the request's has another length each time */
		if (step == MCP251X_STEP_REQUEST)
			return msg;
		err = canpipe_spi_optimize_message(priv->spi, &msg->message);
		msg->optimized = !err;
	}
	if (err) {
		kfree(msg);
		return ERR_PTR(err);
	}
	return msg;
}

static void mcp251x_msg_free(struct mcp251x_msg *msg)
{
	struct mcp251x_spi *hw = msg->priv->hw;

	if (hw->ops)
		hw->ops->unprepare(msg->prepared);
	else if (msg->optimized)
		canpipe_spi_unoptimize_message(&msg->message);
	kfree(msg);
}

static int mcp251x_spi_make(struct mcp251x_priv *priv)
{
	enum mcp251x_step step;

	for (step = MCP251X_STEP_LOOK; step < MCP251X_STEP_COUNT; step++) {
		struct mcp251x_msg *msg = mcp251x_msg_new(priv, step);

		if (IS_ERR(msg))
			return PTR_ERR(msg);
		priv->hw->msg[step] = msg;
	}
	return 0;
}

static void mcp251x_spi_drop(struct mcp251x_priv *priv)
{
	struct mcp251x_spi *hw = priv->hw;
	enum mcp251x_step step;

	for (step = 0; step < MCP251X_STEP_COUNT; step++) {
		if (hw->msg[step])
			mcp251x_msg_free(hw->msg[step]);
		hw->msg[step] = NULL;
	}
	hw->ops = NULL;
	if (hw->got_ops)
		spi_bcm2835dma_put();
	hw->got_ops = false;
}

/**
 * mcp251x_spi_open() - make the messages
 * @priv: interface
 *
 * Context: process
 * Return: 0, -ENOMEM, or what the SPI core says
 */
int mcp251x_spi_open(struct mcp251x_priv *priv)
{
	struct mcp251x_spi *hw = priv->hw;
	const struct spi_bcm2835dma_ops *ops = spi_bcm2835dma_get();
	int err;

	hw->got_ops = ops;
	if (ops && ops->usable(priv->spi))
		hw->ops = ops;
	err = mcp251x_spi_make(priv);
	if (err)
		mcp251x_spi_drop(priv);
	return err;
}

/**
 * mcp251x_spi_close() - release the messages
 * @priv: interface; none of them is under way
 *
 * Context: process
 */
void mcp251x_spi_close(struct mcp251x_priv *priv)
{
	mcp251x_spi_drop(priv);
}

/**
 * mcp251x_spi_in_irq() - may messages be started in a hard interrupt, also with PREEMPT_RT?
 * @priv: interface, up
 *
 * Context: any
 * Return: true if so
 */
bool mcp251x_spi_in_irq(const struct mcp251x_priv *priv)
{
	return priv->hw->ops;
}

/**
 * mcp251x_spi_submit() - start the message of a step
 * @priv: interface, up
 * @step: which; it is not under way
 * @silent: mcp251x_spi_finish() will be called; only if mcp251x_spi_in_irq()
 * @request: MCP251X_STEP_REQUEST: what is wanted
 *
 * Context: any, see mcp251x_spi_in_irq()
 * Return: 0, mcp251x_irq_over() will be called; or a negative error
 */
int mcp251x_spi_submit(struct mcp251x_priv *priv, enum mcp251x_step step, bool silent,
		       const struct mcp251x_request *request)
{
	struct mcp251x_spi *hw = priv->hw;
	struct mcp251x_msg *msg = hw->msg[step];
	int err;

	priv->counters.spi_messages++;
	if (!hw->ops) {
		if (request)
			mcp251x_msg_fill(msg, mcp251x_insns_of(priv, step), request);
		return spi_async(priv->spi, &msg->message);
	}
	if (request) {
		err = hw->ops->set_len(msg->prepared, 0, request->len + 2);
		if (err)
			return err;
	}
	return silent ? hw->ops->submit_silent(msg->prepared) : hw->ops->submit(msg->prepared);
}

/**
 * mcp251x_spi_finish() - look for the end of a silent message
 * @priv: interface, up
 * @step: which; if it is not under way, nothing happens
 *
 * If it is over, mcp251x_irq_over() is called at once, else by an interrupt.
 *
 * Context: any
 */
void mcp251x_spi_finish(struct mcp251x_priv *priv, enum mcp251x_step step)
{
	const struct mcp251x_spi *hw = priv->hw;

	hw->ops->look(hw->msg[step]->prepared);
}

/**
 * mcp251x_spi_put() - set what an instruction sends
 * @priv: interface, up
 * @step: message; it is not under way
 * @insn: instruction
 * @words: bytes, padded to words: the memory behind may know nothing smaller
 * @len: how many of the bytes count
 *
 * Context: any
 */
void mcp251x_spi_put(struct mcp251x_priv *priv, enum mcp251x_step step, unsigned int insn,
		     const u32 *words, unsigned int len)
{
	struct mcp251x_spi *hw = priv->hw;
	struct mcp251x_msg *msg = hw->msg[step];
	u32 *to = hw->ops ? hw->ops->tx(msg->prepared, insn) : msg->bytes[insn].tx;
	unsigned int i;

	for (i = 0; i < DIV_ROUND_UP(len, sizeof(u32)); i++)
		WRITE_ONCE(to[i], words[i]);
}

static const u32 *mcp251x_msg_rx(const struct mcp251x_spi *hw, const struct mcp251x_msg *msg,
				 unsigned int insn)
{
	return hw->ops ? hw->ops->rx(msg->prepared, insn) : msg->bytes[insn].rx;
}

/**
 * mcp251x_spi_got() - what the first instruction has received
 * @priv: interface, up
 * @step: message; it has ended
 *
 * Context: any
 * Return: the bytes, those that were received while the instruction itself was sent among them; to
 *	be read by whole words
 */
const u32 *mcp251x_spi_got(const struct mcp251x_priv *priv, enum mcp251x_step step)
{
	return mcp251x_msg_rx(priv->hw, priv->hw->msg[step], 0);
}

/**
 * mcp251x_spi_look() - what the look at the end has received
 * @priv: interface, up
 * @step: message; it has ended
 *
 * Context: any
 * Return: as mcp251x_spi_got(): CANINTF and EFLG are the bytes 2 and 3
 */
const u32 *mcp251x_spi_look(const struct mcp251x_priv *priv, enum mcp251x_step step)
{
	const struct mcp251x_msg *msg = priv->hw->msg[step];

	return mcp251x_msg_rx(priv->hw, msg, msg->num - 1);
}

/**
 * mcp251x_spi_frame() - a frame that was read
 * @priv: interface, up
 * @step: message that reads one; it has ended
 * @second: the second one that it reads
 * @kind: where to put what kind of event it is
 *
 * Context: any
 * Return: 4 words for struct mcp251x_event
 */
const u32 *mcp251x_spi_frame(const struct mcp251x_priv *priv, enum mcp251x_step step,
			     bool second, enum mcp251x_event_kind *kind)
{
	unsigned int insn = step == MCP251X_STEP_SURE || step == MCP251X_STEP_PAIR;
	bool mcp2510 = priv->chip->quirks & MCP251X_QUIRK_MCP2510;
	bool plain = step == MCP251X_STEP_AGAIN0 || step == MCP251X_STEP_AGAIN1 || mcp2510;

	if (second)
		insn += mcp2510 ? 2 : 1;
	*kind = plain ? MCP251X_EVENT_RX_PLAIN : MCP251X_EVENT_RX;
	return mcp251x_msg_rx(priv->hw, priv->hw->msg[step], insn);
}

/**
 * mcp251x_spi_transport() - how messages are run
 * @priv: interface
 *
 * Context: process
 * Return: its name
 */
const char *mcp251x_spi_transport(const struct mcp251x_priv *priv)
{
	const struct mcp251x_spi *hw = priv->hw;

	if (!hw->msg[MCP251X_STEP_LOOK])
		return "none";
	if (hw->ops)
		return "prepared";
	return CANPIPE_SPI_OPTIMIZES ? "optimized" : "async";
}

/**
 * mcp251x_spi_setup() - prepare the SPI side once
 * @priv: interface
 *
 * Context: probe
 * Return: 0 or -ENOMEM
 */
int mcp251x_spi_setup(struct mcp251x_priv *priv)
{
	priv->hw = kzalloc(sizeof(*priv->hw), GFP_KERNEL);
	return priv->hw ? 0 : -ENOMEM;
}

/**
 * mcp251x_spi_cleanup() - undo mcp251x_spi_setup()
 * @priv: interface, down
 *
 * Context: remove
 */
void mcp251x_spi_cleanup(struct mcp251x_priv *priv)
{
	kfree(priv->hw);
	priv->hw = NULL;
}
