/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Microchip MCP2510, MCP2515, MCP25625: what the files of the driver share
 */
#ifndef MCP251X_H
#define MCP251X_H

#include <linux/bitops.h>
#include <linux/can/dev.h>
#include <linux/completion.h>
#include <linux/gpio/driver.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/spi/spi.h>

#include "../compat/compat.h"
#include "../compat/spi.h"
#include "mcp251x_plan.h"
#include "mcp251x_regs.h"

struct clk;
struct regulator;
struct mcp251x_spi;

#define MCP251X_SPI_MAX_HZ	10000000
/* Events between the SPI messages and the stack: 24 ms of the shortest frames */
#define MCP251X_RING		512
/* Entries that only errors and echoes may use */
#define MCP251X_RING_RESERVED	16
/* Silence after which the interrupt is not trusted */
#define MCP251X_WATCH_MS	10

/* RTS and READ STATUS etc. are missing (MCP2510) */
#define MCP251X_QUIRK_MCP2510	BIT(0)

/**
 * struct mcp251x_chip - one kind of controller
 * @name: for ethtool -i and messages
 * @quirks: MCP251X_QUIRK_...
 */
struct mcp251x_chip {
	const char *name;
	u32 quirks;
};

enum mcp251x_event_kind {
	MCP251X_EVENT_RX,	/* data: the buffer from SIDH on */
	MCP251X_EVENT_ECHO,	/* arg: slot of a frame that was sent */
	MCP251X_EVENT_TX_FAILED,	/* arg: slot of a frame that one-shot mode gave up */
	MCP251X_EVENT_ERROR,	/* arg: CANINTF; data: EFLG, TEC, REC */
};

/**
 * struct mcp251x_event - what happened, on its way to the stack
 * @kind: enum mcp251x_event_kind
 * @arg: see there
 * @data: see there
 */
struct mcp251x_event {
	u8 kind;
	u8 arg;
	u8 data[14];
};

/**
 * struct mcp251x_error - an error event (mcp251x_error.c)
 * @canintf: flags that were seen and cleared; MCP251X_INT_ERR, _MERR and _WAK count
 * @eflg: EFLG when they were seen; overflows have been dealt with
 * @tec: transmit error counter, a little later
 * @rec: receive error counter
 */
struct mcp251x_error {
	u8 canintf;
	u8 eflg;
	u8 tec;
	u8 rec;
};

/**
 * struct mcp251x_ring - events
 * @head: written by whoever owns the SPI message (struct mcp251x_machine)
 * @tail: written by the poll function only
 * @event: ring
 */
struct mcp251x_ring {
	unsigned int head ____cacheline_aligned_in_smp;
	unsigned int tail ____cacheline_aligned_in_smp;
	struct mcp251x_event event[MCP251X_RING] ____cacheline_aligned_in_smp;
};

/**
 * struct mcp251x_tx - transmit side
 * @head: next frame to be queued; written by the transmit function only
 * @tail: oldest frame not completed; written by the poll function only
 * @one_shot: one frame at a time, no retransmission
 * @len: what BQL was told of each frame; an entry changes hands with @head and @tail
 * @bytes: payload of each frame, for the statistics
 * @frame: TXBnSIDH...
 * @size: bytes of @frame that count
 *
 * The plan (mcp251x_plan.h) has what is in the controller's buffers.
 */
#define MCP251X_TX_SLOTS	8	/* power of two */
struct mcp251x_tx {
	unsigned int head ____cacheline_aligned_in_smp;
	bool one_shot;
	unsigned int len[MCP251X_TX_SLOTS];
	u8 bytes[MCP251X_TX_SLOTS];
	u8 size[MCP251X_TX_SLOTS];
	u8 frame[MCP251X_TX_SLOTS][MCP251X_BUF_SIZE];
	unsigned int tail ____cacheline_aligned_in_smp;
};

/**
 * struct mcp251x_request - registers wanted while the machine runs
 * @insn: MCP251X_INSN_READ, _WRITE or _BIT_MODIFY
 * @reg: first register
 * @len: how many; _BIT_MODIFY: 2, mask and value
 * @data: read or to be written
 * @status: 0 or a negative error
 * @done: it is over
 */
#define MCP251X_REQUEST_MAX	16
struct mcp251x_request {
	u8 insn;
	u8 reg;
	u8 len;
	u8 data[MCP251X_REQUEST_MAX];
	int status;
	struct completion done;
};

/**
 * struct mcp251x_machine - who may talk to the controller (mcp251x_irq.c)
 * @lock: protects all of this but @plan
 * @running: between mcp251x_irq_start() and mcp251x_irq_stop()
 * @busy: a message is under way, and its owner is its completion; @plan belongs to who set it
 * @kick: look at the controller (again), at the interrupt's or someone else's wish
 * @irq_kick: the kick is the interrupt's, and nothing was under way
 * @irq_off: the interrupt is a level and was disabled by its handler
 * @tx_kick: a frame was queued
 * @request: registers that someone waits for, or NULL
 * @idle: woken when @busy is cleared while not @running
 * @plan: knowledge and decisions
 * @watch: looks for lost edges
 * @seen: messages when @watch was last there
 */
struct mcp251x_machine {
	raw_spinlock_t lock;
	bool running;
	bool busy;
	bool kick;
	bool irq_kick;
	bool irq_off;
	bool tx_kick;
	struct mcp251x_request *request;
	struct completion idle;
	struct mcp251x_plan plan;
	struct hrtimer watch;
	unsigned long seen;
};

/**
 * struct mcp251x_counters - what ethtool -S shows beside the standard counters
 * @rx_overflows: times that RXnOVR was seen
 * @rx_ring_full: frames lost because the stack was too slow
 * @rx_nomem: frames lost because no memory was left for them
 * @rx_order_unsure: times that a pause within a message left the order of two frames open
 * @rx_stale_irqs: interrupts whose frame had been read before
 * @tx_one_shot_failed: frames that one-shot mode gave up
 * @tx_flushed: frames dropped by bus-off, suspend or a restart
 * @irq_lost: interrupts that the watchdog made up for
 * @irq_storms: times that interrupts were replaced by polling
 * @spi_messages: SPI messages
 * @spi_errors: of these, failed
 * @spi_bogus: answers that no controller gives (all ones)
 */
struct mcp251x_counters {
	unsigned long rx_overflows;
	unsigned long rx_ring_full;
	unsigned long rx_nomem;
	unsigned long rx_order_unsure;
	unsigned long rx_stale_irqs;
	unsigned long tx_one_shot_failed;
	unsigned long tx_flushed;
	unsigned long irq_lost;
	unsigned long irq_storms;
	unsigned long spi_messages;
	unsigned long spi_errors;
	unsigned long spi_bogus;
};

/**
 * struct mcp251x_priv - one interface
 * @can: the CAN core's part, must be first
 * @dev: net device
 * @spi: SPI device
 * @chip: what kind of controller it is
 * @napi: poll function: delivery, completion and error handling
 * @irq_flags: trigger and sharing of the interrupt
 * @rx_direct: frames may go to RXB1 while RXB0 is free: filters of RXB1 take what those of
 *	RXB0 do not (mcp251x_filter.c, set while the interface is down)
 * @inte: flags that shall interrupt apart from those of reception and transmission: ERR,
 *	and MERR with berr-reporting; set before mcp251x_irq_start()
 * @hw: SPI messages (mcp251x_spi.c)
 * @machine: owner of the controller while the interface is up
 * @ring: events on their way to the stack
 * @tx: transmit side
 * @counters: own statistics
 * @dead: the controller stopped answering; said once
 * @power: of the controller, may be an error pointer or NULL
 * @transceiver: of the transceiver, dito
 * @clk: oscillator, may be NULL
 * @gpio: the controller's spare pins
 * @core_lock: mcp251x_core.c: open, stop, restart, suspend
 * @core: private to mcp251x_core.c, may be NULL
 */
struct mcp251x_priv {
	struct can_priv can;
	struct net_device *dev;
	struct spi_device *spi;
	const struct mcp251x_chip *chip;
	struct napi_struct napi;
	unsigned long irq_flags;
	bool rx_direct;
	u8 inte;

	struct mcp251x_spi *hw;
	struct mcp251x_machine machine;
	struct mcp251x_ring ring;
	struct mcp251x_tx tx;
	struct mcp251x_counters counters;
	bool dead;

	struct regulator *power;
	struct regulator *transceiver;
	struct clk *clk;
	struct gpio_chip gpio;
	struct mutex core_lock;
	void *core;
};

/* mcp251x_spi.c: SPI messages; process context, may sleep, up or down */
int mcp251x_spi_setup(struct mcp251x_priv *priv);
void mcp251x_spi_cleanup(struct mcp251x_priv *priv);
int mcp251x_reg_read(struct mcp251x_priv *priv, u8 reg, void *data, unsigned int len);
int mcp251x_reg_write(struct mcp251x_priv *priv, u8 reg, const void *data, unsigned int len);
int mcp251x_reg_modify(struct mcp251x_priv *priv, u8 reg, u8 mask, u8 value);
int mcp251x_spi_reset(struct mcp251x_priv *priv);	/* RESET; only while the machine is off */
const char *mcp251x_spi_transport(const struct mcp251x_priv *priv);	/* for ethtool, messages */

/* mcp251x_irq.c: the machine; process context, may sleep */
void mcp251x_irq_setup(struct mcp251x_priv *priv);	/* once, in probe */
int mcp251x_irq_request(struct mcp251x_priv *priv);	/* prepares messages, requests the irq */
void mcp251x_irq_free(struct mcp251x_priv *priv);
int mcp251x_irq_start(struct mcp251x_priv *priv);	/* sets CANINTE; the chip is in its mode */
void mcp251x_irq_stop(struct mcp251x_priv *priv);	/* nothing is under way after it */

/* mcp251x_rx.c */
int mcp251x_poll(struct napi_struct *napi, int budget);
void mcp251x_rx_reset(struct mcp251x_priv *priv);

/* mcp251x_tx.c */
netdev_tx_t mcp251x_start_xmit(struct sk_buff *skb, struct net_device *dev);
void mcp251x_tx_flush(struct mcp251x_priv *priv);

/* mcp251x_error.c: context: the poll function */
void mcp251x_error_event(struct mcp251x_priv *priv, const struct mcp251x_error *error);

/* mcp251x_ethtool.c */
extern const struct ethtool_ops mcp251x_ethtool_ops;

#endif
