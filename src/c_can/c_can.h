/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bosch C_CAN and D_CAN: what the files of the driver share
 */
#ifndef C_CAN_H
#define C_CAN_H

#include <linux/bitops.h>
#include <linux/can/dev.h>
#include <linux/io.h>
#include <linux/netdevice.h>
#include <linux/workqueue.h>

#include "../compat/compat.h"
#include "c_can_order.h"
#include "c_can_regs.h"

struct clk;

#define C_CAN_MAX_OBJECTS	C_CAN_ORDER_MAX
#define C_CAN_MAX_TX_OBJECTS	16
/* Unless ethtool -G says otherwise */
#define C_CAN_TX_OBJECTS	8
/* Frames of the next lap that are written ahead, so that the bus has no gap */
#define C_CAN_TX_STAGED		2
/* Frames between the interrupt handler and the stack: 24 ms of the shortest */
#define C_CAN_RX_RING		512
/* Objects that are freed together, at the most */
#define C_CAN_RX_HOLD		8
/* Status changes between the interrupt handler and the poll function */
#define C_CAN_STS_RING		16
#define C_CAN_STS_RESERVED	4

/* NewDat must be cleared by a transfer of its own (EG20T, commit d61d09de0233) */
#define C_CAN_QUIRK_SPLIT_CLEAR	BIT(0)
/* TI's additions: software reset, message RAM parity */
#define C_CAN_QUIRK_TI		BIT(1)
/* Bosch D_CAN: object count in HWS, message RAM initialised through CFR */
#define C_CAN_QUIRK_HWS		BIT(2)

enum c_can_family {
	C_CAN_FAMILY_C_CAN,	/* 16-bit registers */
	C_CAN_FAMILY_D_CAN,	/* 32-bit registers */
};

/**
 * struct c_can_chip - one kind of controller
 * @name: for ethtool -i and messages
 * @family: register map
 * @objects: message objects (with C_CAN_QUIRK_HWS: the hardware is asked)
 * @quirks: C_CAN_QUIRK_...
 */
struct c_can_chip {
	const char *name;
	enum c_can_family family;
	u8 objects;
	u32 quirks;
};

/* Registers that both families have; the offsets are in c_can_hw.c. */
enum c_can_reg {
	C_CAN_REG_CTRL,
	C_CAN_REG_STS,
	C_CAN_REG_ERRCNT,
	C_CAN_REG_BTR,
	C_CAN_REG_INT,
	C_CAN_REG_TEST,
	C_CAN_REG_IF1,
	C_CAN_REG_IF2,
	C_CAN_REG_TXRQST,
	C_CAN_REG_NEWDAT,
	C_CAN_REG_INTPND,
	C_CAN_REG_COUNT
};

/**
 * struct c_can_frame - a message object's frame, in the registers' terms
 * @arb: arbitration word
 * @mctrl: message control
 * @data: data bytes, little-endian words; bytes above the length are not valid
 */
struct c_can_frame {
	u32 arb;
	u32 mctrl;
	u32 data[2];
};

/**
 * struct c_can_if - one message interface register set
 * @reg: C_CAN_REG_IF1 or C_CAN_REG_IF2
 * @cmd: what COMMASK holds (C_CAN keeps it between transfers)
 * @busy: a transfer was started and not yet seen to end
 * @clearing: object whose IntPnd that transfer clears, or 0: when INT points
 *	elsewhere, the transfer has ended
 *
 * Each set has one user at a time and needs no lock: IF1 belongs to the
 * interrupt handler, IF2 to the transmit function. While neither runs (open,
 * restart, close) both belong to the caller of c_can_hw.c.
 */
struct c_can_if {
	enum c_can_reg reg;
	u8 cmd;
	bool busy;
	u8 clearing;
};

/**
 * struct c_can_rx - receive side
 * @count: objects 1..count receive
 * @strict: deliver in the order of arrival, whatever the delay of the readout
 * @order: objects that hold frames still to be read, oldest first. Like @deep
 *	and @head the interrupt handler's.
 * @frame_ns: from the end of a frame to the end of the next one, at least
 * @freed_at: strict: when the last object was freed
 * @hold: how many objects to read before they are freed together while the
 *	driver lags; 0: each is freed when it is read. Not 0 where the order
 *	depends on it, see c_can_order.c
 * @lagging: frames have waited, so it is not known whether another one is on
 *	its way to an object that was free before
 * @sampled_at: when NEWDAT was looked at last, where @hold is not 0
 * @held: objects that were read and not yet freed
 * @holding: how many there are
 * @deep: interrupts during which the upper words of NEWDAT are looked at, too
 * @head: where the interrupt handler puts the next frame
 * @tail: the oldest frame not delivered; written by the poll function only
 * @ring: frames on their way to the stack
 */
struct c_can_rx {
	unsigned int count;
	bool strict;
	struct c_can_order order;
	unsigned int frame_ns;
	u64 freed_at;
	unsigned int hold;
	bool lagging;
	u64 sampled_at;
	unsigned int holding;
	u8 held[C_CAN_RX_HOLD];
	unsigned int deep;
	unsigned int head ____cacheline_aligned_in_smp;
	unsigned int tail ____cacheline_aligned_in_smp;
	struct c_can_frame ring[C_CAN_RX_RING] ____cacheline_aligned_in_smp;
};

/**
 * struct c_can_sts - status changes
 * @head: written by the interrupt handler only
 * @tail: written by the poll function only
 * @state: the newest one in the ring; the interrupt handler's
 * @ring: what was read from STS
 */
struct c_can_sts {
	unsigned int head;
	unsigned int tail;
	enum can_state state;
	u16 ring[C_CAN_STS_RING];
};

/**
 * struct c_can_tx - transmit side
 * @first: number of the first transmit object
 * @count: transmit objects, a power of two
 * @one_shot: one frame at a time, no retransmission
 * @lock: handing over a lap. Not taken while the lap of the next frame is open.
 * @open: first frame of the lap whose frames may be requested; under @lock
 * @staged: frames of the next lap that wait for its begin; under @lock
 * @head: next frame to be sent; written by the transmit function only
 * @alone: a frame that was written when nothing else was under way
 * @written: IF2 has got its commands for the frames before this one; written by
 *	the transmit function only
 * @done: frames before this one are sent; written by the interrupt handler only
 * @cleared: @written when IF1 got its last command to clear an IntPnd; the
 *	interrupt handler's
 * @settled: IF2's transfers of the frames before this one are over; written by
 *	the interrupt handler only
 * @tail: oldest frame not completed; written by the NAPI poll function only
 * @len: what BQL was told of each frame; an entry changes hands with @head and
 *	@tail, like those of @bytes and @echo
 * @bytes: payload of each frame, for the statistics
 * @echo: there is an echo of the frame
 * @valid: objects that are valid (bit n: object first + n); like @dir the
 *	transmit function's, cleared while it does not run
 * @dir: of these, the ones whose direction is transmit (data frames)
 * @started_seen: one shot: the frame at tail was seen to have left its object
 * @one_shot_work: one shot: look again when that frame must be over
 *
 * Frame n lives in object first + n % count. Objects are used in ascending
 * order, lap by lap, and no frame of a lap is requested before all of the last
 * lap are sent: the controller sends the lowest number first, so nothing else
 * keeps the order. The first frames of the next lap are written without a
 * request (staged); the interrupt handler requests them when the lap ends.
 *
 * @head is published before the transmission request is written, and a frame
 * is done only by evidence from the hardware (IntPnd of its own object), so
 * that nobody touches an object while the transmit function is at it.
 */
struct c_can_tx {
	unsigned int first;
	unsigned int count;
	bool one_shot;
	raw_spinlock_t lock;
	unsigned int open;
	unsigned int staged;
	unsigned int head ____cacheline_aligned_in_smp;
	unsigned int alone;
	unsigned int written;
	unsigned int len[C_CAN_MAX_TX_OBJECTS];
	u8 bytes[C_CAN_MAX_TX_OBJECTS];
	bool echo[C_CAN_MAX_TX_OBJECTS];
	u32 valid;
	u32 dir;
	unsigned int done ____cacheline_aligned_in_smp;
	unsigned int cleared;
	unsigned int settled;
	unsigned int tail ____cacheline_aligned_in_smp;
	bool started_seen;
	struct delayed_work one_shot_work;
};

/**
 * struct c_can_counters - what ethtool -S shows beside the standard counters
 * @rx_overruns: times that the last receive object was overwritten
 * @rx_stale: NEWDAT bits whose object held no new frame
 * @rx_nomem: frames lost because no memory was left for them
 * @rx_throttled: times that the stack was too slow and the frames were left in
 *	the controller
 * @sts_missed: status changes that the poll function came too late for
 * @tx_one_shot_failed: frames that one-shot mode gave up
 * @tx_flushed: frames dropped by bus-off, suspend or a restart
 * @if_timeouts: transfers that did not end in time
 * @parity_errors: parity errors of the message RAM (D_CAN)
 */
struct c_can_counters {
	unsigned long rx_overruns;
	unsigned long rx_stale;
	unsigned long rx_nomem;
	unsigned long rx_throttled;
	unsigned long sts_missed;
	unsigned long tx_one_shot_failed;
	unsigned long tx_flushed;
	unsigned long if_timeouts;
	unsigned long parity_errors;
};

/**
 * struct c_can_priv - one interface
 * @can: the CAN core's part, must be first
 * @dev: net device
 * @device: the bus device
 * @chip: what kind of controller it is
 * @napi: poll function: delivery, completion and error handling
 * @clk: clock of the module, may be NULL
 * @base: registers
 * @reg_shift: C_CAN: registers are (2 << reg_shift) bytes apart
 * @io_32bit: C_CAN: accesses must be 32 bits wide
 * @regs: offset of each register
 * @irq: interrupt number
 * @irq_level: it is a level, so a cause that comes late interrupts again
 * @objects: message objects in use
 * @ctrl: what CTRL holds while the interface runs, apart from IE. The interrupt
 *	handler's while irq_enabled is set, else the poll function's.
 * @irq_enabled: IE is set. Cleared by the interrupt handler, which then leaves
 *	the controller to the poll function; set by the latter before IE is.
 * @if1: IF1
 * @if2: IF2
 * @sts: status changes on their way to the poll function
 * @rx: receive side
 * @tx: transmit side
 * @counters: own statistics
 * @dead: the controller stopped answering; said once
 * @restart: the poll function shall bring the controller back from bus-off
 * @reset: reset the controller by means outside it, may be NULL
 * @raminit: initialise the message RAM by means outside the controller, may be
 *	NULL; process context, 0 or a negative error
 * @bus_data: for the bus glue
 */
struct c_can_priv {
	struct can_priv can;
	struct net_device *dev;
	struct device *device;
	const struct c_can_chip *chip;
	struct napi_struct napi;
	struct clk *clk;

	void __iomem *base;
	unsigned int reg_shift;
	bool io_32bit;
	const u16 *regs;
	int irq;
	bool irq_level;
	unsigned int objects;

	u32 ctrl;
	bool irq_enabled;
	struct c_can_if if1;
	struct c_can_sts sts;
	struct c_can_rx rx;
	struct c_can_counters counters;
	bool dead;
	bool restart;

	struct c_can_if if2 ____cacheline_aligned_in_smp;
	struct c_can_tx tx;

	void (*reset)(struct c_can_priv *priv);
	int (*raminit)(struct c_can_priv *priv);
	void *bus_data;
};

static inline bool c_can_is_d_can(const struct c_can_priv *priv)
{
	return priv->chip->family == C_CAN_FAMILY_D_CAN;
}

/* Objects whose bits one read of TXRQST, NEWDAT or INTPND shows */
static inline unsigned int c_can_set_width(const struct c_can_priv *priv)
{
	return c_can_is_d_can(priv) ? 32 : 16;
}

/* c_can_core.c: life cycle, interrupt, NAPI; used by the bus glue */
struct net_device *c_can_alloc(struct device *device, const struct c_can_chip *chip);
void c_can_free(struct net_device *dev);
int c_can_register(struct net_device *dev);
void c_can_unregister(struct net_device *dev);
void c_can_split_objects(struct c_can_priv *priv, unsigned int rx, unsigned int tx);
int c_can_suspend(struct net_device *dev);
int c_can_resume(struct net_device *dev);

/* c_can_hw.c: the controller outside the message objects */
u32 c_can_read(const struct c_can_priv *priv, enum c_can_reg reg);
void c_can_write(const struct c_can_priv *priv, enum c_can_reg reg, u32 value);
u32 c_can_read_set(const struct c_can_priv *priv, enum c_can_reg reg, unsigned int word);
void c_can_hw_setup(struct c_can_priv *priv);
int c_can_hw_probe(struct c_can_priv *priv);
int c_can_hw_start(struct c_can_priv *priv);
int c_can_hw_restart(struct c_can_priv *priv);
void c_can_hw_stop(struct c_can_priv *priv);

/* c_can_msgobj.c: message objects, the only file that knows the IFx registers */
int c_can_msgobj_read_begin(struct c_can_priv *priv, unsigned int obj, u8 clear);
int c_can_msgobj_read_control(struct c_can_priv *priv, struct c_can_frame *frame);
int c_can_msgobj_read_content(struct c_can_priv *priv, struct c_can_frame *frame);
int c_can_msgobj_read_end(struct c_can_priv *priv, struct c_can_frame *frame);
int c_can_msgobj_free(struct c_can_priv *priv, unsigned int obj, bool pending);
int c_can_msgobj_clear_msglst(struct c_can_priv *priv, unsigned int obj, u32 mctrl);
int c_can_msgobj_clear_intpnd(struct c_can_priv *priv, unsigned int obj);
void c_can_msgobj_cleared(struct c_can_priv *priv);
void c_can_msgobj_pending(struct c_can_priv *priv, u32 cause);
int c_can_msgobj_send(struct c_can_priv *priv, unsigned int obj, const struct c_can_frame *frame,
		      bool request, bool invalidate);
void c_can_msgobj_prepare_request(struct c_can_priv *priv);
int c_can_msgobj_request(struct c_can_priv *priv, unsigned int obj);
int c_can_msgobj_setup_rx(struct c_can_priv *priv, unsigned int obj, bool last);
int c_can_msgobj_invalidate(struct c_can_priv *priv, unsigned int obj);

/* c_can_rx.c */
void c_can_rx_reset(struct c_can_priv *priv);
bool c_can_rx_fetch(struct c_can_priv *priv, unsigned int pending, bool first);
unsigned int c_can_rx_deliver(struct c_can_priv *priv, unsigned int budget);
void c_can_rx_settle(struct c_can_priv *priv);
void c_can_rx_idle(struct c_can_priv *priv);
void c_can_rx_pause(struct c_can_priv *priv);
bool c_can_rx_full(const struct c_can_priv *priv);

/* c_can_tx.c */
netdev_tx_t c_can_start_xmit(struct sk_buff *skb, struct net_device *dev);
void c_can_tx_setup(struct c_can_priv *priv);
void c_can_tx_done(struct c_can_priv *priv, unsigned int obj);
void c_can_tx_idle(struct c_can_priv *priv);
void c_can_tx_complete(struct c_can_priv *priv);
void c_can_tx_one_shot_check(struct c_can_priv *priv);
void c_can_tx_flush(struct c_can_priv *priv);

/* c_can_error.c */
bool c_can_status_read(struct c_can_priv *priv);
void c_can_status_poll(struct c_can_priv *priv);
void c_can_bus_off(struct c_can_priv *priv);
void c_can_state_sync(struct c_can_priv *priv);
int c_can_get_berr_counter(const struct net_device *dev, struct can_berr_counter *bec);
void c_can_dead(struct c_can_priv *priv, const char *what);

/* c_can_ethtool.c */
extern const struct ethtool_ops c_can_ethtool_ops;

#endif
