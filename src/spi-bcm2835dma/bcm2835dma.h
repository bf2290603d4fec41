/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * BCM2835 SPI by chained DMA: what the files of the driver share
 */
#ifndef BCM2835DMA_H
#define BCM2835DMA_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/interrupt.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

#include "../compat/spi.h"
#include "chain.h"
#include "regs.h"
#include "spi-bcm2835dma.h"

struct clk;
struct dentry;
struct dma_chan;
struct dma_pool;

/* CE0 and CE1 */
#define BCM2835DMA_NATIVE_CS	2
/* Messages that are taken from the SPI core's queue before their turn */
#define BCM2835DMA_AHEAD_MAX	8
/* Prepared messages that may go before a waiting ordinary one */
#define BCM2835DMA_PASS_MAX	8
/* What is linked to a chain comes after its first message's completion, which has to wait */
#define BCM2835DMA_BATCH_NS	200000
/* Memory of a short message: 3 transfers with their own chip selects, or 12 and more without */
#define BCM2835DMA_POOL_SIZE	2048
/* The core clock may fall to 2/5 of what it was; some for the CPU and the memory */
#define BCM2835DMA_TIMEOUT_FACTOR	4
#define BCM2835DMA_TIMEOUT_MS	20

enum bcm2835dma_class {
	BCM2835DMA_ORDINARY,	/* from the SPI core */
	BCM2835DMA_PREPARED,	/* goes first */
	BCM2835DMA_EXCLUSIVE,	/* the CPU wants the SPI block for itself */
};

enum bcm2835dma_state {
	BCM2835DMA_IDLE,
	BCM2835DMA_QUEUED,
	BCM2835DMA_LINKED,	/* part of the chain, or over and about to be reported */
};

/**
 * struct bcm2835dma_job - one entry of the queue
 * @node: in one of the queue's lists; under the queue's lock, as all that has no other rule
 * @class: what it is; constant
 * @chain: its control blocks; the hardware's while LINKED. Not used if EXCLUSIVE
 * @spi: the device; NULL: none. Constant while not IDLE, like @chain
 * @idle_cs: SPI CS for the time after it
 * @epoch: the queue's epoch in which the chain was compiled
 * @seq: order of submission
 * @state: see enum bcm2835dma_state. Becomes IDLE without the lock, by whoever reports it
 * @status: result
 * @poll: whoever has submitted it will look for its end, or call bcm2835dma_finish(). Constant
 *	while not IDLE, but for that
 * @silent: it is LINKED, and so is no job before it that is not silent; if nothing follows it
 *	the chain ends without an interrupt
 * @calling: calls of @over that have not returned
 * @over: the job is over: called without locks, in hard irq or in the timer, when it is
 *	IDLE again, with interrupts off. EXCLUSIVE: it is granted; called under the lock
 */
struct bcm2835dma_job {
	struct list_head node;
	enum bcm2835dma_class class;
	struct bcm2835dma_chain chain;
	struct spi_device *spi;
	u32 idle_cs;
	unsigned int epoch;
	unsigned int seq;
	enum bcm2835dma_state state;
	int status;
	bool poll;
	bool silent;
	atomic_t calling;
	void (*over)(struct bcm2835dma_job *job);
};

/**
 * struct bcm2835dma_turn - what the CPU waits with until it has the SPI block
 * @job: exclusive job
 * @granted: it is its turn
 */
struct bcm2835dma_turn {
	struct bcm2835dma_job job;
	struct completion granted;
};

/**
 * struct bcm2835dma_stats - statistics
 * @messages: messages run by chains
 * @prepared: prepared ones among them
 * @blocks: control blocks of their chains
 * @bytes: bytes on the wire, by chains
 * @starts: chains started
 * @appends: messages linked to a running chain
 * @late_appends: those of them that the hardware did not see in time
 * @polled: messages whose end was found by looking: no interrupt
 * @ahead: messages taken from the SPI core's queue while another one was running
 * @interrupts: interrupts taken
 * @foreign_interrupts: interrupts of others on a shared line
 * @pio_messages: messages transferred by the CPU
 * @pio_bytes: their bytes
 * @timeouts: chains that did not end
 * @dma_errors: chains stopped by an error of the DMA engine
 * @lost_interrupts: chains that had ended without an interrupt
 * @aborts: chains that were broken off
 * @cancelled: prepared messages taken back
 * @refused: submissions refused
 * @depth_max: most jobs that were waiting or running
 * @compiled: messages compiled
 */
struct bcm2835dma_stats {
	u64 messages;
	u64 prepared;
	u64 blocks;
	u64 bytes;
	u64 starts;
	u64 appends;
	u64 late_appends;
	u64 polled;
	u64 ahead;
	u64 interrupts;
	u64 foreign_interrupts;
	u64 pio_messages;
	u64 pio_bytes;
	u64 timeouts;
	u64 dma_errors;
	u64 lost_interrupts;
	u64 aborts;
	u64 cancelled;
	u64 refused;
	u64 depth_max;
	u64 compiled;
};

/**
 * struct bcm2835dma_queue - who has the SPI block, and who is next
 * @lock: protects all of this, the statistics and the registers while a chain runs. Raw:
 *	taken in hard irq. Nothing under it loops, but for the abort of a chain
 * @prepared: prepared jobs waiting
 * @ordinary: ordinary and exclusive jobs waiting
 * @linked: jobs of the running chain, in its order
 * @over: jobs that are over, to be reported
 * @reporting: somebody is at it
 * @running: the hardware is at a chain
 * @stopped: nothing is accepted any more
 * @owner: exclusive job that has the SPI block; nothing is started
 * @held: device whose chip select the last message left active
 * @seq: number of the next job
 * @epoch: changes with struct bcm2835dma.limits
 * @passed: prepared jobs that went before the first of @ordinary
 * @batch: messages in the chain
 * @batch_ns: its time on the wire
 * @depth: jobs waiting or linked
 * @deadline: when to give up the chain, as ktime_get_ns()
 * @timer: looks at @deadline; may be armed though nothing runs
 */
struct bcm2835dma_queue {
	raw_spinlock_t lock;
	struct list_head prepared;
	struct list_head ordinary;
	struct list_head linked;
	struct list_head over;
	bool reporting;
	bool running;
	bool stopped;
	struct bcm2835dma_job *owner;
	struct spi_device *held;
	unsigned int seq;
	unsigned int epoch;
	unsigned int passed;
	unsigned int batch;
	u64 batch_ns;
	unsigned int depth;
	u64 deadline;
	struct timer_list timer;
};

/**
 * struct bcm2835dma - one controller
 * @dev: platform device
 * @ctlr: SPI controller
 * @clk: core clock
 * @clk_nb: told of its changes
 * @irq: the SPI block's interrupt
 * @spi: registers of the SPI block
 * @rx: registers of the RX channel, NULL if there is no DMA. Constant, like @tx
 * @tx: registers of the TX channel
 * @chan: the channels as dmaengine knows them
 * @rx_cs: what starts the RX channel
 * @limits: what chains are compiled for. Changed by the owner of the queue with
 *	@messages_lock held: stable for both
 * @words: coherent memory for @limits' scratch and zero
 * @words_dma: its bus address
 * @pool: coherent memory for short messages
 * @messages_lock: protects @messages, and @limits against changes
 * @messages: prepared messages
 * @cache_lock: protects all devices' compiled messages
 * @ahead: messages that carry what is still in the SPI core's queue, in its order. As the SPI
 *	core's transfer_one_message(): one user at a time, with its io_mutex held
 * @num_ahead: how many
 * @queue: see there
 * @stats: under the queue's lock
 * @debugfs: directory
 */
struct bcm2835dma {
	struct device *dev;
	struct spi_controller *ctlr;
	struct clk *clk;
	struct notifier_block clk_nb;
	int irq;
	void __iomem *spi;
	void __iomem *rx;
	void __iomem *tx;
	struct dma_chan *chan[2];
	u32 rx_cs;
	struct bcm2835dma_limits limits;
	__le32 *words;
	dma_addr_t words_dma;
	struct dma_pool *pool;
	struct mutex messages_lock;	/* protects messages */
	struct list_head messages;
	spinlock_t cache_lock;		/* protects the devices' caches */
	struct list_head ahead;
	unsigned int num_ahead;
	struct bcm2835dma_queue queue;
	struct bcm2835dma_stats stats;
	struct dentry *debugfs;
};

/**
 * struct bcm2835dma_device - what is known of a SPI device
 * @chip: for the compiler
 * @by_dma: the chip select can be driven by DMA
 * @cache: messages that were compiled for it, the one used last first; under the
 *	controller's cache_lock
 */
struct bcm2835dma_device {
	struct bcm2835dma_chip chip;
	bool by_dma;
	struct list_head cache;
};

/**
 * struct bcm2835dma_shape - a transfer as the SPI core has it, without its memory
 * @len: bytes
 * @speed_hz: clock
 * @delay: value and unit, as the next ones
 * @cs_change_delay: likewise
 * @word_delay: likewise
 * @flags: cs_change, cs_off
 *
 * No padding: shapes are compared as bytes.
 */
struct bcm2835dma_shape {
	u32 len;
	u32 speed_hz;
	u32 delay;
	u32 cs_change_delay;
	u32 word_delay;
	u32 flags;
};

/**
 * struct bcm2835dma_buf - memory of one transfer
 * @copy_tx: bytes to be sent are copied to @tx
 * @copy_rx: bytes received are put to @rx
 * @dirty: @tx is not all zeros
 * @tx: where in the message's memory
 * @rx: where in the message's memory
 * @tx_map: bus address of a mapped buffer, 0: none
 * @rx_map: likewise
 * @len: its length now; struct bcm2835dma_xfer has the greatest one
 * @effective_hz: its clock
 */
struct bcm2835dma_buf {
	bool copy_tx;
	bool copy_rx;
	bool dirty;
	void *tx;
	void *rx;
	dma_addr_t tx_map;
	dma_addr_t rx_map;
	u32 len;
	u32 effective_hz;
};

/**
 * struct bcm2835dma_message - a compiled message
 * @job: its entry in the queue, must be first
 * @b: controller
 * @node: in struct bcm2835dma.messages, if prepared, or in its device's cache
 * @refs: who uses it, if it is in a cache; under cache_lock
 * @orphan: its device is gone; the last user frees it
 * @ahead: in struct bcm2835dma.ahead
 * @msg: message of the SPI core whose bytes it carries, NULL: none
 * @complete: whom to tell, if prepared
 * @context: argument
 * @done: whom to tell, if ordinary
 * @mem: coherent memory: control blocks, received bytes, bytes to be sent
 * @dma: its bus address
 * @size: its size
 * @pooled: it is from the pool
 * @broken: it could not be compiled anew for another clock
 * @mode: SPI mode that it was compiled for
 * @num: transfers
 * @xfers: for the compiler
 * @bufs: their memory
 * @patches: where their lengths are, if prepared
 * @shapes: what they were compiled from, if in a cache
 */
struct bcm2835dma_message {
	struct bcm2835dma_job job;
	struct bcm2835dma *b;
	struct list_head node;
	unsigned int refs;
	bool orphan;
	struct list_head ahead;
	struct spi_message *msg;
	bcm2835dma_complete_t complete;
	void *context;
	struct completion done;
	void *mem;
	dma_addr_t dma;
	size_t size;
	bool pooled;
	bool broken;
	u32 mode;
	unsigned int num;
	struct bcm2835dma_xfer *xfers;
	struct bcm2835dma_buf *bufs;
	struct bcm2835dma_patch *patches;
	struct bcm2835dma_shape *shapes;
};

/* core.c */
extern unsigned int bcm2835dma_batch;
extern unsigned int bcm2835dma_pio_bytes;
extern unsigned int bcm2835dma_spin_us;
bool bcm2835dma_is_ours(const struct spi_controller *ctlr);

/* engine.c: the hardware */
int bcm2835dma_engine_claim(struct bcm2835dma *b);
void bcm2835dma_engine_release(struct bcm2835dma *b);
void bcm2835dma_engine_reset(struct bcm2835dma *b);
void bcm2835dma_engine_start(struct bcm2835dma *b, u32 first);
bool bcm2835dma_engine_ended(const struct bcm2835dma *b);
bool bcm2835dma_engine_passed(const struct bcm2835dma *b, u32 block);
void bcm2835dma_engine_idle(struct bcm2835dma *b, u32 cs);
int bcm2835dma_engine_abort(struct bcm2835dma *b);

/* queue.c: who is next */
void bcm2835dma_queue_init(struct bcm2835dma *b);
void bcm2835dma_job_init(struct bcm2835dma_job *job, enum bcm2835dma_class class,
			 struct spi_device *spi, void (*over)(struct bcm2835dma_job *job));
int bcm2835dma_submit(struct bcm2835dma *b, struct bcm2835dma_job *job, bool poll);
void bcm2835dma_settle(const struct bcm2835dma_job *job);
bool bcm2835dma_cancel(struct bcm2835dma *b, struct bcm2835dma_job *job);
void bcm2835dma_acquire(struct bcm2835dma *b, struct bcm2835dma_turn *turn,
			struct spi_device *spi);
void bcm2835dma_release(struct bcm2835dma *b, struct bcm2835dma_turn *turn);
void bcm2835dma_release_held(struct bcm2835dma_queue *q, const struct spi_device *next);
void bcm2835dma_stats_add(struct bcm2835dma *b, u64 *counter, u64 n);
void bcm2835dma_flush(struct bcm2835dma *b, int status, bool prepared);
void bcm2835dma_stop(struct bcm2835dma *b);
void bcm2835dma_go(struct bcm2835dma *b);
void bcm2835dma_kick(struct bcm2835dma *b);

/* poll.c: silent messages, whose end the CPU looks for */
void bcm2835dma_then(struct bcm2835dma *b, struct bcm2835dma_job *last, u32 next);
void bcm2835dma_speak(struct bcm2835dma *b);
bool bcm2835dma_short(const struct bcm2835dma_job *job);
void bcm2835dma_poll(struct bcm2835dma *b, struct bcm2835dma_job *job);

/* finish.c: completion, timeout */
void bcm2835dma_over(struct bcm2835dma *b, struct bcm2835dma_job *job, int status);
void bcm2835dma_report(struct bcm2835dma *b);
void bcm2835dma_look(struct bcm2835dma *b);
void bcm2835dma_finish(struct bcm2835dma *b, struct bcm2835dma_job *job);
irqreturn_t bcm2835dma_irq(int irq, void *data);
void bcm2835dma_watch(struct timer_list *t);

/* message.c: from transfers to chains */
struct bcm2835dma_message *bcm2835dma_message_alloc(struct bcm2835dma *b, struct spi_device *spi,
						    enum bcm2835dma_class class, unsigned int num,
						    gfp_t gfp);
int bcm2835dma_message_convert(struct bcm2835dma *b, struct spi_device *spi,
			       struct spi_transfer *t, struct bcm2835dma_xfer *xfer);
int bcm2835dma_message_compile(struct bcm2835dma_message *m, gfp_t gfp);
int bcm2835dma_message_rebuild(struct bcm2835dma_message *m);
void bcm2835dma_message_free(struct bcm2835dma_message *m);

/* cache.c: compiled messages of a device's clients */
struct bcm2835dma_shape bcm2835dma_shape_of(const struct spi_transfer *t);
bool bcm2835dma_fresh(const struct bcm2835dma_message *m);
struct bcm2835dma_message *bcm2835dma_cache_get(struct bcm2835dma *b,
						const struct spi_message *msg, bool unused);
void bcm2835dma_cache_hold(struct bcm2835dma_message *m);
void bcm2835dma_cache_add(struct bcm2835dma_message *m);
void bcm2835dma_cache_put(struct bcm2835dma_message *m);
void bcm2835dma_cache_clear(struct bcm2835dma *b, struct bcm2835dma_device *device);

/* ahead.c: messages that wait in the SPI core's queue */
void bcm2835dma_look_ahead(struct bcm2835dma *b);
struct bcm2835dma_message *bcm2835dma_ahead_get(struct bcm2835dma *b,
						const struct spi_message *msg);
void bcm2835dma_ahead_drop(struct bcm2835dma *b, const struct spi_device *spi);

/* transfer.c: messages of the SPI core */
bool bcm2835dma_by_dma(const struct bcm2835dma *b, const struct spi_message *msg);
struct bcm2835dma_message *bcm2835dma_transfer_claim(struct bcm2835dma *b,
						     struct spi_message *msg, bool map,
						     gfp_t gfp);
int bcm2835dma_transfer_submit(struct bcm2835dma_message *m);
void bcm2835dma_transfer_put(struct bcm2835dma_message *m);
int bcm2835dma_transfer_one_message(struct spi_controller *ctlr, struct spi_message *msg);
int bcm2835dma_optimize(struct spi_message *msg);
int bcm2835dma_unoptimize(struct spi_message *msg);

/* prepared.c */
void bcm2835dma_messages_rebuild(struct bcm2835dma *b);

/* pio.c */
int bcm2835dma_pio_transfer(struct bcm2835dma *b, struct spi_message *msg);

/* device.c: SPI devices and their chip selects */
int bcm2835dma_setup(struct spi_device *spi);
void bcm2835dma_cleanup(struct spi_device *spi);
void bcm2835dma_find_gpio(struct bcm2835dma *b);
u32 bcm2835dma_idle_cs(const struct bcm2835dma *b, const struct spi_device *spi);
void bcm2835dma_deselect(struct spi_device *spi);

/* clock.c */
int bcm2835dma_clock_init(struct bcm2835dma *b);
void bcm2835dma_clock_check(struct bcm2835dma *b);
void bcm2835dma_set_limits(struct bcm2835dma *b, u32 core_hz, u32 spi_cs);

/* debugfs.c */
void bcm2835dma_debugfs_init(struct bcm2835dma *b);
void bcm2835dma_debugfs_exit(struct bcm2835dma *b);

static inline struct bcm2835dma_job *bcm2835dma_first(struct list_head *jobs)
{
	return list_first_entry_or_null(jobs, struct bcm2835dma_job, node);
}

static inline struct bcm2835dma_device *bcm2835dma_device(struct spi_device *spi)
{
	return spi_get_ctldata(spi);
}

#endif
