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
#include <linux/workqueue.h>

#include "../compat/compat.h"
#include "../compat/spi.h"
#include "mcp251x_plan.h"
#include "mcp251x_regs.h"

struct attribute_group;
struct clk;
struct regulator;
struct mcp251x_spi;

/* Events between the SPI messages and the stack: 24 ms of the shortest frames */
#define MCP251X_RING		512
/* Entries that only errors and echoes may use */
#define MCP251X_RING_RESERVED	32
/*
 * A lost interrupt is noticed after so long: a period without a message is looked into, so that an
 * edge, which may be lost right after one, takes half of it.
 */
#define MCP251X_WATCH_MS	10
#define MCP251X_WATCH_EDGE_MS	5
/* Frames that wait for the poll function while they come fast, but not for long */
#define MCP251X_RX_BATCH	8
/* Instructions in a message */
#define MCP251X_SPI_INSNS	6

/* READ RX BUFFER, LOAD TX BUFFER, RX STATUS and one-shot mode are missing */
#define MCP251X_QUIRK_MCP2510	BIT(0)

/**
 * struct mcp251x_chip - one kind of controller
 * @name: for ethtool -i and messages
 * @max_hz: SPI clock
 * @quirks: MCP251X_QUIRK_...
 */
struct mcp251x_chip {
	const char *name;
	u32 max_hz;
	u32 quirks;
};

enum mcp251x_event_kind {
	MCP251X_EVENT_RX,	/* from arg on: the buffer from SIDH on */
	MCP251X_EVENT_RX_PLAIN,	/* data: dito */
	MCP251X_EVENT_ECHO,	/* arg: slot of a frame that was sent */
	MCP251X_EVENT_TX_FAILED,	/* arg: slot of a frame that one-shot mode gave up */
	MCP251X_EVENT_NONE,
	MCP251X_EVENT_ERROR,	/* arg: CANINTF; data: EFLG, TEC, REC */
};

/**
 * struct mcp251x_event - what happened, on its way to the stack
 * @words: as SPI delivers a frame: what the instruction's first byte brings is replaced by the kind
 * @kind: enum mcp251x_event_kind
 * @arg: see there
 * @data: see there
 */
struct mcp251x_event {
	union {
		u32 words[4];
		struct {
			u8 kind;
			u8 arg;
			u8 data[14];
		};
	};
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
 * @head: written by whoever owns the SPI message (struct mcp251x_machine), like @lost
 * @lost: frames for which there was no room
 * @tail: written by the poll function only, like @lost_seen
 * @lost_seen: of these, reported
 * @event: ring
 * @time: when a frame was there at the latest, by the real-time clock; 0: the stack shall see
 */
struct mcp251x_ring {
	unsigned int head ____cacheline_aligned_in_smp;
	unsigned int lost;
	unsigned int tail ____cacheline_aligned_in_smp;
	unsigned int lost_seen;
	struct mcp251x_event event[MCP251X_RING] ____cacheline_aligned_in_smp;
	u64 time[MCP251X_RING];
};

/* Frames between the transmit function and their echo, a power of two */
#define MCP251X_TX_SLOTS	8

/**
 * struct mcp251x_tx - transmit side
 * @one_shot: one frame at a time, no retransmission
 * @head: next frame to be queued; written by the transmit function only
 * @len: what BQL was told of each frame; an entry changes hands with @head and @tail, like those
 *	of @bytes, @echo and @frame
 * @bytes: payload of each frame, for the statistics
 * @echo: there is an echo of the frame
 * @frame: TXBnSIDH..., padded
 * @next: next frame to be put into the controller; of whoever owns the SPI message
 * @tail: oldest frame not completed; written by the poll function only
 */
struct mcp251x_tx {
	bool one_shot;
	unsigned int head ____cacheline_aligned_in_smp;
	unsigned int len[MCP251X_TX_SLOTS];
	u8 bytes[MCP251X_TX_SLOTS];
	bool echo[MCP251X_TX_SLOTS];
	u8 frame[MCP251X_TX_SLOTS][16];
	unsigned int next ____cacheline_aligned_in_smp;
	unsigned int tail ____cacheline_aligned_in_smp;
};

#define MCP251X_REQUEST_MAX	16

/**
 * struct mcp251x_request - registers wanted while the machine runs
 * @insn: MCP251X_INSN_READ, _WRITE or _BIT_MODIFY
 * @reg: first register
 * @len: how many; _BIT_MODIFY: 2, mask and value
 * @data: read or to be written
 * @status: 0 or a negative error
 * @done: it is over
 */
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
 * @lock: protects what is not said to belong to somebody
 * @running: between mcp251x_irq_start() and mcp251x_irq_stop()
 * @busy: somebody owns the controller: a message is under way, or its end is being dealt with
 * @look: look at the controller (again)
 * @irq_look: it is the interrupt's wish, and nobody owned the controller
 * @watch_look: it is the wish of @watch, which has not seen anything going on
 * @ticked: @watch was there
 * @status: find out whether pending frames are still going to be sent
 * @retry: after a failure, go on when @watch is there
 * @quick: only RXB0 interrupts, so that the interrupt tells its reason
 * @pair: if @quick: only RXB1 interrupts, so that there are two frames to be read
 * @pair_wait: times that the rate of frames is looked at until @pair may be set again
 * @ticks: until the rate of frames is looked at
 * @sent: there were frames to send since then
 * @overflows: of the counters, when it was looked at last
 * @irq_off: the interrupt was disabled by its handler
 * @polling: it stays so, because it comes for nothing
 * @deaf: it has not come for what was there: @watch looks often until it does come
 * @polls: ticks left of that
 * @irq_came: it is the reason for the message under way
 * @request: registers that someone waits for, or NULL
 * @idle: completed when @busy is cleared while not @running
 * @ask_lock: one request at a time
 * @trigger: what INT is by the device tree, 0: it does not say
 * @level: the interrupt is to be treated as a level
 * @edge: it has been made an edge, or is about to be
 * @edge_refused: which is not possible
 * @slow: times in a row that the rate of frames was low
 * @trigger_work: does it
 * @step: message under way; the owner's
 * @silent: its end does not interrupt: whoever wants something has to look for it
 * @plan: knowledge and decisions; the owner's, or under @lock if there is none
 * @cleared: CONTROL: error flags that are cleared; the owner's like the following
 * @eflg: CONTROL: EFLG before
 * @halting: CONTROL: the controller is stopped
 * @failures: messages that failed, in a row
 * @empty: interrupts without a reason, in a row
 * @frames: that were read
 * @frames_seen: of these, when their rate was looked at; under @lock
 * @now: when what the message has read was there, at the latest, by the real-time clock; 0:
 *	delivery follows at once
 * @last: when a message was begun on the word of the interrupt, by the real-time clock
 * @gap: time between two of these, ns, as short as it is now and then
 * @calm: the last message was one of these and has left nothing to be read
 * @bit_ns: time of a bit on the bus
 * @rxb: what was in RXB0 and RXB1 when they were read last
 * @watch: looks for lost interrupts
 * @seen: messages when @watch was last there
 */
struct mcp251x_machine {
	raw_spinlock_t lock;
	bool running;
	bool busy;
	bool look;
	bool irq_look;
	bool watch_look;
	bool ticked;
	bool status;
	bool retry;
	bool quick;
	bool pair;
	unsigned int pair_wait;
	unsigned int ticks;
	bool sent;
	unsigned long overflows;
	bool irq_off;
	bool polling;
	bool deaf;
	unsigned int polls;
	bool irq_came;
	struct mcp251x_request *request;
	struct completion idle;
	struct mutex ask_lock;	/* held while @request is set, with the machine running */
	u32 trigger;
	bool level;
	bool edge;
	bool edge_refused;
	unsigned int slow;
	struct work_struct trigger_work;

	enum mcp251x_step step;
	bool silent;
	struct mcp251x_plan plan;
	u8 cleared;
	u8 eflg;
	bool halting;
	unsigned int failures;
	unsigned int empty;
	unsigned int frames;
	unsigned int frames_seen;
	u64 now;
	u64 last;
	u32 gap;
	bool calm;
	u32 bit_ns;
	struct mcp251x_event rxb[MCP251X_RXB_COUNT];

	struct hrtimer watch;
	unsigned long seen;
};

/**
 * struct mcp251x_counters - what ethtool -S shows beside the standard counters
 * @rx_overflows: times that RXnOVR was seen
 * @rx_ring_full: frames lost because the stack was too slow
 * @rx_nomem: frames lost because no memory was left for them
 * @rx_filtered: frames that the chip's filters let through and the list did not
 * @rx_order_unsure: times that a pause within a message left the order of two frames open
 * @rx_stale_irqs: interrupts whose frame had been read before
 * @tx_one_shot_failed: frames that one-shot mode gave up
 * @tx_flushed: frames dropped by bus-off, suspend or a restart
 * @irq_lost: interrupts that the watchdog made up for
 * @irq_storms: times that interrupts were replaced by polling
 * @spi_messages: SPI messages
 * @spi_errors: of these, failed
 * @spi_bogus: answers that no controller gives (all ones)
 * @recoveries: times that the chip was reset because it did not answer any more
 */
struct mcp251x_counters {
	unsigned long rx_overflows;
	unsigned long rx_ring_full;
	unsigned long rx_nomem;
	unsigned long rx_filtered;
	unsigned long rx_order_unsure;
	unsigned long rx_stale_irqs;
	unsigned long tx_one_shot_failed;
	unsigned long tx_flushed;
	unsigned long irq_lost;
	unsigned long irq_storms;
	unsigned long spi_messages;
	unsigned long spi_errors;
	unsigned long spi_bogus;
	unsigned long recoveries;
};

#define MCP251X_FILTER_MAX	16

/**
 * struct mcp251x_filter - which frames are wanted (mcp251x_filter.c)
 * @count: entries of @list; none: all frames
 * @list: the masks have CAN_EFF_FLAG, so that standard and extended frames differ
 * @check: the chip lets more through: ask mcp251x_filter_match()
 * @direct: RXB1 has filters of its own
 * @chip_mask: RXM0, RXM1, with bits as in an extended identifier
 * @chip_id: RXF0 to RXF5: identifier and CAN_EFF_FLAG
 */
struct mcp251x_filter {
	unsigned int count;
	struct can_filter list[MCP251X_FILTER_MAX];
	bool check;
	bool direct;
	u32 chip_mask[MCP251X_RXB_COUNT];
	canid_t chip_id[MCP251X_RXF_COUNT];
};

/**
 * struct mcp251x_priv - one interface
 * @can: the CAN core's part, must be first
 * @dev: net device
 * @spi: SPI device
 * @chip: what kind of controller it is
 * @napi: poll function: delivery, completion and error handling
 * @rx_direct: frames may go to RXB1 while RXB0 is free: filters of RXB1 take what those of
 *	RXB0 do not (mcp251x_filter.c, set while the interface is down)
 * @inte: flags that shall interrupt apart from those of reception and transmission: ERR,
 *	and MERR with berr-reporting; set before mcp251x_irq_start()
 * @hw: SPI messages (mcp251x_spi.c)
 * @machine: owner of the controller while the interface is up
 * @ring: events on their way to the stack
 * @tx: transmit side
 * @counters: own statistics
 * @power: of the controller, may be an error pointer or NULL
 * @transceiver: of the transceiver, dito
 * @clk: oscillator, may be NULL
 * @gpio: the controller's spare pins
 * @gpio_registered: they are
 * @bfpctrl: what BFPCTRL must hold, for these pins
 * @osc_hz: crystal
 * @canctrl: mode of operation while the interface is up
 * @strict: deliver frames in the order of their arrival in any case
 * @filter: acceptance filters
 * @core_lock: open, stop, restart, suspend, pins: whoever needs the chip to stay as it is.
 *	Protects what follows and @bfpctrl; not taken in mcp251x_spi.c and mcp251x_irq.c
 * @up: the interface is up and not suspended
 * @running: the machine runs
 * @irq_requested: mcp251x_irq_request() was called
 * @recovering: the chip did not come back at once; said once
 * @recover_work: reset the chip and begin anew
 * @recover_why: what has called for it
 * @health_work: looks now and then whether the chip is as it was configured
 * @sick: it was not, when it was looked at last
 */
struct mcp251x_priv {
	struct can_priv can;
	struct net_device *dev;
	struct spi_device *spi;
	const struct mcp251x_chip *chip;
	struct napi_struct napi;
	bool rx_direct;
	u8 inte;

	struct mcp251x_spi *hw;
	struct mcp251x_machine machine;
	struct mcp251x_ring ring;
	struct mcp251x_tx tx;
	struct mcp251x_counters counters;
	struct regulator *power;
	struct regulator *transceiver;
	struct clk *clk;
	struct gpio_chip gpio;
	bool gpio_registered;
	u8 bfpctrl;
	u32 osc_hz;
	u8 canctrl;
	bool strict;
	struct mcp251x_filter filter;
	struct mutex core_lock;	/* see above */
	bool up;
	bool running;
	bool irq_requested;
	bool recovering;
	struct delayed_work recover_work;
	const char *recover_why;
	struct delayed_work health_work;
	bool sick;
};

/* mcp251x_spi.c: SPI messages */
int mcp251x_spi_setup(struct mcp251x_priv *priv);
void mcp251x_spi_cleanup(struct mcp251x_priv *priv);
int mcp251x_spi_open(struct mcp251x_priv *priv);
void mcp251x_spi_close(struct mcp251x_priv *priv);
bool mcp251x_spi_in_irq(const struct mcp251x_priv *priv);
int mcp251x_spi_submit(struct mcp251x_priv *priv, enum mcp251x_step step, bool silent,
		       const struct mcp251x_request *request);
void mcp251x_spi_finish(struct mcp251x_priv *priv, enum mcp251x_step step);
void mcp251x_spi_put(struct mcp251x_priv *priv, enum mcp251x_step step, unsigned int insn,
		     const u32 *words, unsigned int len);
const u32 *mcp251x_spi_got(const struct mcp251x_priv *priv, enum mcp251x_step step);
const u32 *mcp251x_spi_look(const struct mcp251x_priv *priv, enum mcp251x_step step);
const u32 *mcp251x_spi_frame(const struct mcp251x_priv *priv, enum mcp251x_step step,
			     bool second, enum mcp251x_event_kind *kind);
/* process context, may sleep, whether the machine runs or not */
int mcp251x_reg_read(struct mcp251x_priv *priv, u8 reg, void *data, unsigned int len);
int mcp251x_reg_write(struct mcp251x_priv *priv, u8 reg, const void *data, unsigned int len);
int mcp251x_reg_modify(struct mcp251x_priv *priv, u8 reg, u8 mask, u8 value);
/* process context, may sleep, only while the machine does not run */
int mcp251x_spi_reset(struct mcp251x_priv *priv);
const char *mcp251x_spi_transport(const struct mcp251x_priv *priv);

/* mcp251x_irq.c: the machine */
void mcp251x_irq_setup(struct mcp251x_priv *priv);
int mcp251x_irq_request(struct mcp251x_priv *priv);
void mcp251x_irq_free(struct mcp251x_priv *priv);
int mcp251x_irq_start(struct mcp251x_priv *priv);
void mcp251x_irq_stop(struct mcp251x_priv *priv);
void mcp251x_irq_look(struct mcp251x_priv *priv);
void mcp251x_irq_frame(struct mcp251x_priv *priv);
int mcp251x_irq_ask(struct mcp251x_priv *priv, struct mcp251x_request *request);
void mcp251x_irq_over(struct mcp251x_priv *priv, enum mcp251x_step step, int status);

/* mcp251x_rate.c: frames that come fast */
void mcp251x_rate_reset(struct mcp251x_priv *priv);
bool mcp251x_rate_begin(struct mcp251x_priv *priv, enum mcp251x_step step);
void mcp251x_rate_over(struct mcp251x_priv *priv, enum mcp251x_step step);
void mcp251x_rate_parsed(struct mcp251x_priv *priv, enum mcp251x_step step);
void mcp251x_rate_tick(struct mcp251x_priv *priv);

/* mcp251x_trigger.c: INT, a level or an edge */
void mcp251x_trigger_setup(struct mcp251x_priv *priv);
void mcp251x_trigger_reset(struct mcp251x_priv *priv);
void mcp251x_trigger_tick(struct mcp251x_priv *priv);

/* mcp251x_step.c: what goes out with a message, and what has come back */
void mcp251x_step_fill(struct mcp251x_priv *priv, enum mcp251x_step step);
bool mcp251x_step_parse(struct mcp251x_priv *priv, enum mcp251x_step step);

/* mcp251x_rx.c */
int mcp251x_poll(struct napi_struct *napi, int budget);
void mcp251x_rx_reset(struct mcp251x_priv *priv);
void mcp251x_rx_event(struct mcp251x_priv *priv, const struct mcp251x_event *event, u64 time);
void mcp251x_rx_note(struct mcp251x_priv *priv, enum mcp251x_event_kind kind, u8 arg,
		     u8 eflg, u8 tec, u8 rec);
void mcp251x_rx_schedule(struct mcp251x_priv *priv);
void mcp251x_rx_forget_tx(struct mcp251x_priv *priv);

/* mcp251x_tx.c */
netdev_tx_t mcp251x_start_xmit(struct sk_buff *skb, struct net_device *dev);
void mcp251x_tx_complete(struct mcp251x_priv *priv, unsigned int slot, bool sent);
void mcp251x_tx_setup(struct mcp251x_priv *priv);
void mcp251x_tx_flush(struct mcp251x_priv *priv);

/* mcp251x_error.c: context: the poll function */
void mcp251x_error_event(struct mcp251x_priv *priv, const struct mcp251x_error *error);
void mcp251x_error_overflow(struct mcp251x_priv *priv);	/* frames were lost in the chip */
/* process context, may sleep */
int mcp251x_get_berr_counter(const struct net_device *dev, struct can_berr_counter *bec);
int mcp251x_set_mode(struct net_device *dev, enum can_mode mode);

/* mcp251x_core.c: any context */
void mcp251x_recover(struct mcp251x_priv *priv, const char *why);

/* mcp251x_core.c: process context, may sleep, core_lock held */
int mcp251x_run(struct mcp251x_priv *priv);
void mcp251x_halt(struct mcp251x_priv *priv);

/* mcp251x_chip.c: process context, may sleep, core_lock held */
int mcp251x_chip_reset(struct mcp251x_priv *priv, bool powered_up);
int mcp251x_chip_set_mode(struct mcp251x_priv *priv, u8 canctrl);
int mcp251x_chip_configure(struct mcp251x_priv *priv);
int mcp251x_chip_wake(struct mcp251x_priv *priv);
void mcp251x_chip_sleep(struct mcp251x_priv *priv);
bool mcp251x_chip_healthy(struct mcp251x_priv *priv);
void mcp251x_chip_measure(struct mcp251x_priv *priv);

/* mcp251x_filter.c */
extern const struct attribute_group mcp251x_filter_group;
void mcp251x_filter_plan(struct mcp251x_priv *priv);
int mcp251x_filter_apply(struct mcp251x_priv *priv);
bool mcp251x_filter_match(const struct mcp251x_filter *filter, canid_t id);

/* mcp251x_gpio.c */
int mcp251x_gpio_setup(struct mcp251x_priv *priv);
void mcp251x_gpio_cleanup(struct mcp251x_priv *priv);
int mcp251x_gpio_restore(struct mcp251x_priv *priv);

/* mcp251x_ethtool.c */
extern const struct ethtool_ops mcp251x_ethtool_ops;

#endif
