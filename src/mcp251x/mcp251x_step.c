// SPDX-License-Identifier: GPL-2.0-only
/*
 * What goes out with the message of a step, and what has come back
 *
 * All of this belongs to the owner of the controller (struct mcp251x_machine), so nothing is
 * locked here.
 */

#include "mcp251x.h"

/* Four bytes for mcp251x_spi_put() */
static u32 mcp251x_word(u8 b0, u8 b1, u8 b2, u8 b3)
{
	union {
		u8 byte[4];
		u32 word;
	} w = { .byte = { b0, b1, b2, b3 } };

	return w.word;
}

static u8 mcp251x_byte(u32 word, unsigned int n)
{
	union {
		u32 word;
		u8 byte[4];
	} w = { .word = word };

	return w.byte[n];
}

static void mcp251x_put_modify(struct mcp251x_priv *priv, enum mcp251x_step step,
			       unsigned int insn, u8 reg, u8 mask, u8 value)
{
	u32 word = mcp251x_word(MCP251X_INSN_BIT_MODIFY, reg, mask, value);

	mcp251x_spi_put(priv, step, insn, &word, 4);
}

/* TXnIF are cleared, before anything that may set them again */
static void mcp251x_fill_clear(struct mcp251x_priv *priv, enum mcp251x_step step)
{
	struct mcp251x_plan *plan = &priv->machine.plan;

	mcp251x_put_modify(priv, step, 0, MCP251X_CANINTF,
			   plan->echoed << MCP251X_INT_TX_SHIFT, 0);
	plan->echoed = 0;
}

static void mcp251x_fill_send(struct mcp251x_priv *priv)
{
	struct mcp251x_tx *tx = &priv->tx;
	unsigned int slot = tx->next % MCP251X_TX_SLOTS;
	union {
		u8 byte[3 + sizeof(tx->frame[0]) + 1];
		u32 word[5];
	} write = { .byte = { MCP251X_INSN_WRITE } };
	u8 buffer, txp;
	u32 rts;

	mcp251x_fill_clear(priv, MCP251X_STEP_SEND);

	buffer = mcp251x_prio_take(&priv->machine.plan.prio, slot, &txp);
	/* what was seen of the last one counts no more */
	priv->machine.plan.gone &= ~BIT(buffer);
	write.byte[1] = MCP251X_TXBCTRL(buffer);
	write.byte[2] = txp;
	memcpy(&write.byte[3], tx->frame[slot], sizeof(tx->frame[slot]));
	mcp251x_spi_put(priv, MCP251X_STEP_SEND, 1, write.word, 3 + MCP251X_BUF_SIZE);

	/* RTS and not TXREQ: chip select may stay low for long (DS80179G, 5) */
	rts = mcp251x_word(MCP251X_INSN_RTS(BIT(buffer)), 0, 0, 0);
	mcp251x_spi_put(priv, MCP251X_STEP_SEND, 2, &rts, 1);
	tx->next++;
}

static void mcp251x_fill_control(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;
	struct mcp251x_plan *plan = &m->plan;
	const enum mcp251x_step step = MCP251X_STEP_CONTROL;
	u8 mask = 0;
	u32 word;

	m->eflg = plan->eflg;
	plan->told = plan->eflg;
	m->cleared = plan->canintf & (MCP251X_INT_ERR | MCP251X_INT_MERR | MCP251X_INT_WAK);
	/* no recovery from bus-off that nobody has asked for */
	m->halting = plan->halt && !plan->halted;
	if (m->halting) {
		mask = MCP251X_CANCTRL_REQOP_MASK | MCP251X_CANCTRL_ABAT;
		/* it may have recovered since, and is reported nevertheless */
		m->eflg |= MCP251X_EFLG_TXBO;
	}
	plan->inte = mcp251x_plan_inte(plan);

	mcp251x_put_modify(priv, step, 1, MCP251X_CANINTF, m->cleared, 0);
	mcp251x_put_modify(priv, step, 2, MCP251X_EFLG, m->eflg & MCP251X_EFLG_OVR_MASK, 0);
	mcp251x_put_modify(priv, step, 3, MCP251X_CANCTRL, mask,
			   MCP251X_CANCTRL_REQOP_CONFIG | MCP251X_CANCTRL_ABAT);
	word = mcp251x_word(MCP251X_INSN_WRITE, MCP251X_CANINTE, plan->inte, 0);
	mcp251x_spi_put(priv, step, 4, &word, 3);
}

static void mcp251x_fill_request(struct mcp251x_priv *priv)
{
	const struct mcp251x_request *request = priv->machine.request;
	union {
		u8 byte[2 + MCP251X_REQUEST_MAX + 2];
		u32 word[5];
	} b = { .byte = { request->insn, request->reg } };

	if (request->insn != MCP251X_INSN_READ)
		memcpy(&b.byte[2], request->data, request->len);
	mcp251x_spi_put(priv, MCP251X_STEP_REQUEST, 0, b.word, 2 + request->len);
}

/**
 * mcp251x_step_fill() - set what the message of a step sends
 * @priv: interface
 * @step: which
 *
 * Context: any; the owner of the controller
 */
void mcp251x_step_fill(struct mcp251x_priv *priv, enum mcp251x_step step)
{
	switch (step) {
	case MCP251X_STEP_CLEAR:
		mcp251x_fill_clear(priv, step);
		break;
	case MCP251X_STEP_SEND:
		mcp251x_fill_send(priv);
		break;
	case MCP251X_STEP_CONTROL:
		mcp251x_fill_control(priv);
		break;
	case MCP251X_STEP_REQUEST:
		mcp251x_fill_request(priv);
		break;
	default:
		break;
	}
}

/* What a frame takes on the bus at least: up to its intermission, without stuff bits */
static unsigned int mcp251x_frame_bits(const u8 *buf)
{
	unsigned int len = buf[MCP251X_BUF_DLC] & MCP251X_DLC_MASK, bits = 47;
	bool remote = buf[MCP251X_BUF_SIDL] & MCP251X_SIDL_SRR;

	if (buf[MCP251X_BUF_SIDL] & MCP251X_SIDL_IDE) {
		bits += 20;
		remote = buf[MCP251X_BUF_DLC] & MCP251X_DLC_RTR;
	}
	return remote ? bits : bits + 8 * min_t(unsigned int, len, CAN_MAX_DLEN);
}

/* When a frame was there that another one has followed: not later than this. */
static u64 mcp251x_time_before(const struct mcp251x_priv *priv, const u8 *next)
{
	if (!priv->machine.now)
		return 0;
	return priv->machine.now - mcp251x_frame_bits(next) * priv->machine.bit_ns;
}

static const u8 *mcp251x_event_buffer(const struct mcp251x_event *event)
{
	return event->kind == MCP251X_EVENT_RX_PLAIN ? event->data : &event->arg;
}

/* Fetch a frame that was read; buffer: from RXB0 or RXB1 */
static struct mcp251x_event *mcp251x_fetch_frame(struct mcp251x_priv *priv, enum mcp251x_step step,
						 unsigned int buffer)
{
	enum mcp251x_event_kind kind;
	bool second = buffer && (step == MCP251X_STEP_PAIR || step == MCP251X_STEP_BOTH);
	const u32 *words = mcp251x_spi_frame(priv, step, second, &kind);
	struct mcp251x_machine *m = &priv->machine;
	struct mcp251x_event *last = &m->rxb[buffer];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(last->words); i++)
		last->words[i] = READ_ONCE(words[i]);
	last->kind = kind;
	WRITE_ONCE(m->frames, m->frames + 1);
	return last;
}

static void mcp251x_parse_frame(struct mcp251x_priv *priv, enum mcp251x_step step,
				unsigned int buffer)
{
	mcp251x_rx_event(priv, mcp251x_fetch_frame(priv, step, buffer), priv->machine.now);
}

static void mcp251x_parse_pair(struct mcp251x_priv *priv, enum mcp251x_step step)
{
	struct mcp251x_event *first = mcp251x_fetch_frame(priv, step, 0);
	struct mcp251x_event *second = mcp251x_fetch_frame(priv, step, 1);

	mcp251x_rx_event(priv, first, mcp251x_time_before(priv, mcp251x_event_buffer(second)));
	mcp251x_rx_event(priv, second, priv->machine.now);
}

/* Some buffers were read on the word of an interrupt: were they full indeed? */
static void mcp251x_parse_trusted(struct mcp251x_priv *priv, enum mcp251x_step step, u8 buffers)
{
	u8 full = mcp251x_byte(READ_ONCE(*mcp251x_spi_got(priv, step)), 1) & buffers;

	if (full == MCP251X_INT_RX_MASK)
		mcp251x_parse_pair(priv, step);
	else if (full & MCP251X_STATUS_RX0IF)
		mcp251x_parse_frame(priv, step, 0);
	else if (full)
		mcp251x_parse_frame(priv, step, 1);
	if (likely(full == buffers))
		return;
	priv->counters.rx_stale_irqs++;
	priv->machine.plan.again = buffers & ~full;
}

/*
 * A buffer was read for nothing: has a frame come to it while this was done? Its RXnIF is cleared,
 * but nothing else has been put there since, or RXnIF would be set again.
 */
static void mcp251x_parse_again(struct mcp251x_priv *priv, enum mcp251x_step step, u8 canintf)
{
	unsigned int buffer = step == MCP251X_STEP_AGAIN1, i;
	struct mcp251x_event now, *last = &priv->machine.rxb[buffer];
	enum mcp251x_event_kind kind;
	const u32 *words = mcp251x_spi_frame(priv, step, false, &kind);

	if (canintf & MCP251X_INT_RX(buffer))
		return;
	for (i = 0; i < ARRAY_SIZE(now.words); i++)
		now.words[i] = READ_ONCE(words[i]);
	now.kind = kind;
	if (memcmp(mcp251x_event_buffer(&now), mcp251x_event_buffer(last), MCP251X_BUF_SIZE)) {
		*last = now;
		mcp251x_rx_event(priv, last, priv->machine.now);
	}
}

/* One-shot mode, or an SPI message that failed: which frames will not be sent? */
static void mcp251x_parse_status(struct mcp251x_priv *priv)
{
	u32 word = READ_ONCE(*mcp251x_spi_got(priv, MCP251X_STEP_STATUS));
	struct mcp251x_plan *plan = &priv->machine.plan;
	u8 gone = mcp251x_plan_gone(plan, mcp251x_byte(word, 1));
	int n;

	while ((n = mcp251x_prio_oldest(&plan->prio, gone)) >= 0) {
		mcp251x_rx_note(priv, MCP251X_EVENT_TX_FAILED, plan->prio.slot[n], 0, 0, 0);
		mcp251x_prio_done(&plan->prio, n);
	}
}

static void mcp251x_parse_control(struct mcp251x_priv *priv)
{
	struct mcp251x_machine *m = &priv->machine;
	u32 word = READ_ONCE(*mcp251x_spi_got(priv, MCP251X_STEP_CONTROL));

	if (m->eflg & MCP251X_EFLG_OVR_MASK)
		priv->counters.rx_overflows++;
	/* the controller has forgotten the reason, the stack shall not */
	if (m->plan.halted)
		return;
	/* bus-off that this message has only seen at its end is the next one's business */
	m->plan.halted = m->halting;
	mcp251x_rx_note(priv, MCP251X_EVENT_ERROR, m->cleared, m->eflg,
			mcp251x_byte(word, 2), mcp251x_byte(word, 3));
}

static void mcp251x_parse_request(struct mcp251x_priv *priv)
{
	struct mcp251x_request *request = priv->machine.request;
	const u32 *words = mcp251x_spi_got(priv, MCP251X_STEP_REQUEST);
	unsigned int i;

	if (request->insn != MCP251X_INSN_READ)
		return;
	for (i = 0; i < request->len; i++)
		request->data[i] = mcp251x_byte(READ_ONCE(words[(i + 2) / 4]), (i + 2) % 4);
}

static void mcp251x_parse_sent(struct mcp251x_priv *priv)
{
	struct mcp251x_plan *plan = &priv->machine.plan;
	u8 sent = mcp251x_plan_sent(plan);
	int n;

	while ((n = mcp251x_prio_oldest(&plan->prio, sent)) >= 0) {
		mcp251x_rx_note(priv, MCP251X_EVENT_ECHO, plan->prio.slot[n], 0, 0, 0);
		mcp251x_prio_done(&plan->prio, n);
	}
}

/**
 * mcp251x_step_parse() - a message has come back
 * @priv: interface
 * @step: which
 *
 * Context: any; the owner of the controller
 * Return: false if that cannot have come from the controller
 */
bool mcp251x_step_parse(struct mcp251x_priv *priv, enum mcp251x_step step)
{
	u32 word = READ_ONCE(*mcp251x_spi_look(priv, step));
	u8 canintf = mcp251x_byte(word, 2), eflg = mcp251x_byte(word, 3);
	struct mcp251x_machine *m = &priv->machine;

	/* nobody drives SO: EFLG never has all bits set, since RX0OVR stays 0 (BUKT) */
	if (canintf == 0xff && eflg == 0xff) {
		priv->counters.spi_bogus++;
		return false;
	}

	switch (step) {
	case MCP251X_STEP_READ0:
	case MCP251X_STEP_READ1:
		mcp251x_parse_frame(priv, step, step == MCP251X_STEP_READ1);
		break;
	case MCP251X_STEP_SURE:
		mcp251x_parse_trusted(priv, step, MCP251X_RXB0);
		break;
	case MCP251X_STEP_BOTH:
		mcp251x_parse_pair(priv, step);
		break;
	case MCP251X_STEP_PAIR:
		mcp251x_parse_trusted(priv, step, MCP251X_RXB0 | MCP251X_RXB1);
		break;
	case MCP251X_STEP_AGAIN0:
	case MCP251X_STEP_AGAIN1:
		mcp251x_parse_again(priv, step, canintf);
		break;
	default:
		break;
	}

	if (!mcp251x_plan_look(&m->plan, step, canintf, eflg) && !mcp251x_spi_in_irq(priv))
		priv->counters.rx_order_unsure++;

	if (step == MCP251X_STEP_STATUS)
		mcp251x_parse_status(priv);
	else if (step == MCP251X_STEP_CONTROL)
		mcp251x_parse_control(priv);
	else if (step == MCP251X_STEP_REQUEST)
		mcp251x_parse_request(priv);
	if (canintf & MCP251X_INT_TX_MASK)
		mcp251x_parse_sent(priv);
	return true;
}
