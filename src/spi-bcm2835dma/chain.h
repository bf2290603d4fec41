/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The message compiler: a SPI message becomes a chain of DMA control blocks.
 *
 * Two channels work on it. The RX channel is the master: it runs the chain from
 * the first block to the tail, sets up the SPI block, starts the TX channel for
 * each segment and fetches what is received. The CPU starts the RX channel
 * and hears of it again when the tail has made the SPI block raise its interrupt.
 *
 * Everything here is plain C without I/O and without allocation: it is called
 * under a spinlock, from hard irq, and by the host tests.
 *
 * Use
 *	n = bcm2835dma_chain_count(&limits, &chip, xfers, num, &why);
 *	chain.cb = coherent memory for n blocks, 32-byte aligned;
 *	chain.dma = its bus address; chain.room = n;
 *	bcm2835dma_chain_build(&chain, &limits, &chip, xfers, num, patches, &why);
 * and then as often as wanted
 *	bcm2835dma_chain_arm(&chain);
 *	dma_wmb(); CONBLK_AD = bcm2835dma_chain_first(&chain); CS = ACTIVE;
 *	... the SPI interrupt comes, bcm2835dma_chain_done(&chain) is true
 * or, while another chain is under way or about to be,
 *	bcm2835dma_chain_arm(&chain);
 *	dma_wmb(); bcm2835dma_chain_link(&last, &chain);
 *
 * Linking too late is no error: the DMA engine loads a block whole when it
 * begins it, so it has then seen the old pointer, runs into the tail of @last and
 * stops. The interrupt comes, @last is done and @chain is not: start it.
 *
 * The SPI block's DC has to be BCM2835_SPI_DC_DRIVER, its CS idle (TA off, the native polarities)
 * before the first chain; a chain finds it as the one before has left it. The interrupt
 * handler writes CS once, to be idle again.
 *
 * Each chain has a tail of its own, because the tail repeats the SPI mode of its
 * message: only the interrupt enable changes when it runs.
 */
#ifndef SPI_BCM2835DMA_CHAIN_H
#define SPI_BCM2835DMA_CHAIN_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct bcm2835dma_cb - DMA control block as the hardware reads it
 * @ti: transfer information
 * @src: bus address to read from
 * @dst: bus address to write to
 * @len: bytes
 * @stride: 2D mode only, always 0 here
 * @next: bus address of the next block, 0: stop
 * @pad: not used by the hardware: the words that a block of ours writes to registers
 */
struct bcm2835dma_cb {
	__le32 ti;
	__le32 src;
	__le32 dst;
	__le32 len;
	__le32 stride;
	__le32 next;
	__le32 pad[2];
} __aligned(32);

/* Modes, with the numbers of SPI_CPHA and so on. Any other bit is refused. */
#define BCM2835DMA_CPHA		0x01
#define BCM2835DMA_CPOL		0x02
#define BCM2835DMA_CS_HIGH	0x04	/* no effect here, see struct bcm2835dma_chip.cs_high */
#define BCM2835DMA_LSB_FIRST	0x08	/* refused */
#define BCM2835DMA_3WIRE	0x10	/* refused */
#define BCM2835DMA_NO_CS	0x40	/* whatever cs_kind says */

/**
 * struct bcm2835dma_limits - the hardware a chain is to run on
 * @spi: bus address of the SPI block (0x7e204000)
 * @gpio: bus address of the GPIO block (0x7e200000), 0: chip selects by GPIO are refused
 * @tx_chan: bus address of the TX channel's registers (0x7e007000 + 0x100 * n)
 * @tx_chan_cs: bits for the TX channel's CS beside ACTIVE: priorities
 * @scratch: bus address of a word that may be written any time
 * @zero: bus address of a word that is 0
 * @spi_cs: bits for each write of the SPI block's CS: CSPOL_N of all native chip selects
 *	that are active high
 * @core_hz: clock of the SPI block, the highest that may occur; 1 MHz at least
 * @delay_per_us: bytes that a delay block must count so as to last at least 1 us on the RX
 *	channel (at the highest clock), 0: bcm2835dma_delay_per_us() of @core_hz
 * @tx_dreq: DREQ number, BCM2835_SPI_DREQ_TX for SPI0
 * @rx_dreq: DREQ number, BCM2835_SPI_DREQ_RX for SPI0
 * @tx_lite: the TX channel is a lite one
 * @rx_lite: the RX channel is a lite one
 *
 * Constant as long as a chain built with it is in use.
 */
struct bcm2835dma_limits {
	u32 spi;
	u32 gpio;
	u32 tx_chan;
	u32 tx_chan_cs;
	u32 scratch;
	u32 zero;
	u32 spi_cs;
	u32 core_hz;
	u32 delay_per_us;
	u8 tx_dreq;
	u8 rx_dreq;
	bool tx_lite;
	bool rx_lite;
};

enum bcm2835dma_cs_kind {
	BCM2835DMA_CS_NONE,
	BCM2835DMA_CS_GPIO,
	BCM2835DMA_CS_NATIVE,
};

/**
 * struct bcm2835dma_chip - the SPI device
 * @mode: BCM2835DMA_CPHA and so on, as spi_device.mode
 * @cs_kind: who drives the chip select
 * @cs_line: GPIO line of this SoC (0..53), or native chip select (0..2)
 * @cs_high: active high, all inversions taken into account. A native one needs its CSPOL_N
 *	in struct bcm2835dma_limits.spi_cs, too
 * @cs_setup_ns: from the chip select to the first clock
 * @cs_hold_ns: from the last clock to the end of the chip select
 * @cs_inactive_ns: from the end of the chip select to whatever follows
 */
struct bcm2835dma_chip {
	u32 mode;
	enum bcm2835dma_cs_kind cs_kind;
	u8 cs_line;
	bool cs_high;
	u32 cs_setup_ns;
	u32 cs_hold_ns;
	u32 cs_inactive_ns;
};

/**
 * struct bcm2835dma_xfer - one transfer of a message
 * @tx: bus address of the bytes to send, 0: zeros are sent. Up to 3 bytes behind the end are
 *	read, and never sent
 * @rx: bus address for the bytes received, 0: not wanted. Exactly @len bytes are written
 * @len: bytes, any number. 0: no clocks; chip select, delays and @cs_change work
 * @speed_hz: clock, never exceeded, not 0
 * @delay_ns: after the last clock, with the chip select still active
 * @cs_change_ns: how long the chip select is inactive at @cs_change
 * @word_delay_ns: refused unless 0
 * @cs_change: not the last transfer: chip select goes inactive and active again after it.
 *	The last one: the chip select stays active after the message
 * @cs_off: the chip select is inactive in this transfer
 * @patch: bcm2835dma_chain_set_len() will be used; @len is the greatest length
 *
 * Any alignment will do. Transfers whose buffers adjoin (both the @tx and the @rx, or neither
 * has one) cost one transfer only if nothing else keeps them apart: lay out copied buffers so.
 */
struct bcm2835dma_xfer {
	u32 tx;
	u32 rx;
	u32 len;
	u32 speed_hz;
	u32 delay_ns;
	u32 cs_change_ns;
	u32 word_delay_ns;
	bool cs_change;
	bool cs_off;
	bool patch;
};

/**
 * struct bcm2835dma_patch - where the length of one transfer is written
 * @clk: block whose pad[1] is DLEN
 * @tx: TX data block
 * @rx: RX data block
 * @max: greatest length, 0: this transfer's length is fixed
 *
 * Indices into struct bcm2835dma_chain.cb.
 */
struct bcm2835dma_patch {
	u16 clk;
	u16 tx;
	u16 rx;
	u16 max;
};

/**
 * struct bcm2835dma_chain - a compiled message
 * @cb: the blocks, set by the caller; the RX channel's chain begins with the first one
 * @dma: bus address of @cb, a multiple of 32, set by the caller
 * @room: how many fit in, set by the caller
 * @count: how many are in use
 * @rx_count: how many of them the RX channel runs, with the tail
 * @done: index of the block that reports the end of the message
 * @tail: index of the block that raises the interrupt
 * @bytes: bytes on the wire
 * @time_ns: how long it takes at &struct bcm2835dma_limits.core_hz, an estimate that is rather too
 *	long. The firmware may lower the clock to 2/5 of that at any time: a timeout has to
 *	allow for it
 * @keeps_cs: the chip select is active when it is done: deselect the device before another
 *	one's chain runs
 */
struct bcm2835dma_chain {
	struct bcm2835dma_cb *cb;
	u32 dma;
	unsigned int room;
	unsigned int count;
	unsigned int rx_count;
	unsigned int done;
	unsigned int tail;
	u32 bytes;
	u64 time_ns;
	bool keeps_cs;
};

int bcm2835dma_cdiv(u32 core_hz, u32 speed_hz);
u32 bcm2835dma_delay_per_us(u32 core_hz, bool lite);

int bcm2835dma_chain_count(const struct bcm2835dma_limits *limits,
			   const struct bcm2835dma_chip *chip,
			   const struct bcm2835dma_xfer *xfers, unsigned int num,
			   const char **why);
int bcm2835dma_chain_build(struct bcm2835dma_chain *chain,
			   const struct bcm2835dma_limits *limits,
			   const struct bcm2835dma_chip *chip,
			   const struct bcm2835dma_xfer *xfers, unsigned int num,
			   struct bcm2835dma_patch *patches, const char **why);
void bcm2835dma_chain_arm(struct bcm2835dma_chain *chain);
void bcm2835dma_chain_link(struct bcm2835dma_chain *chain, const struct bcm2835dma_chain *next);
void bcm2835dma_chain_follow(struct bcm2835dma_chain *chain, u32 next);
int bcm2835dma_chain_set_len(struct bcm2835dma_chain *chain,
			     const struct bcm2835dma_patch *patch, u32 len);

/**
 * bcm2835dma_chain_first() - what to write to the RX channel's CONBLK_AD
 * @chain: a chain that was built
 *
 * Context: any.
 * Return: bus address of the first block.
 */
static inline u32 bcm2835dma_chain_first(const struct bcm2835dma_chain *chain)
{
	return chain->dma;
}

/**
 * bcm2835dma_chain_last() - the block that reports the end of the message
 * @chain: a chain that was built
 *
 * Context: any.
 * Return: its bus address.
 */
static inline u32 bcm2835dma_chain_last(const struct bcm2835dma_chain *chain)
{
	return chain->dma + chain->done * sizeof(*chain->cb);
}

/**
 * bcm2835dma_chain_tail() - the block that raises the interrupt
 * @chain: a chain that was built
 *
 * Context: any.
 * Return: its bus address.
 */
static inline u32 bcm2835dma_chain_tail(const struct bcm2835dma_chain *chain)
{
	return chain->dma + chain->tail * sizeof(*chain->cb);
}

/**
 * bcm2835dma_chain_done() - has the message been run?
 * @chain: a chain that was armed
 *
 * If so, all that was received is in memory; dma_rmb() before looking at it. The tail may
 * still be to come: the interrupt tells.
 *
 * Context: any.
 * Return: true if the whole message has been on the wire.
 */
static inline bool bcm2835dma_chain_done(const struct bcm2835dma_chain *chain)
{
	return READ_ONCE(chain->cb[chain->done].pad[1]) != 0;
}

#endif
