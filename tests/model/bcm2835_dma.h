/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The legacy DMA engine of the BCM2835 to BCM2711 (BCM2835 ARM Peripherals,
 * chapter 4), channels 0 to 14 (BCM2711: 0 to 10) at bus address 0x7E007000.
 * Channel 15 and the BCM2711's 40-bit channels are not here.
 */
#ifndef BCM2835_DMA_H
#define BCM2835_DMA_H

#include "sim.h"

#define BCM2835_DMA_CHANNELS	15

/* Offsets in a channel's 0x100 bytes */
enum {
	BCM2835_DMA_CS		= 0x00,
	BCM2835_DMA_CONBLK_AD	= 0x04,
	BCM2835_DMA_TI		= 0x08,
	BCM2835_DMA_SOURCE_AD	= 0x0c,
	BCM2835_DMA_DEST_AD	= 0x10,
	BCM2835_DMA_TXFR_LEN	= 0x14,
	BCM2835_DMA_STRIDE	= 0x18,
	BCM2835_DMA_NEXTCONBK	= 0x1c,
	BCM2835_DMA_DEBUG	= 0x20,
};

/* Offsets in the block */
#define BCM2835_DMA_CHANNEL(n)	((n) * 0x100u)
#define BCM2835_DMA_INT_STATUS	0xfe0
#define BCM2835_DMA_ENABLE	0xff0
#define BCM2835_DMA_SIZE	0x1000

#define BCM2835_DMA_REGS	9	/* at offset 4 * n; one more row for others */
extern const char *const bcm2835_dma_reg_name[BCM2835_DMA_REGS + 1];

/* Trouble of the silicon; off unless asked for. */

/*
 * The interrupt of a control block that has a next one is lost (Sperl's report of
 * 2013; the manual, and the kernel's cyclic transfers, say otherwise).
 */
#define BCM2835_DMA_ERRATUM_INT_LOST	0x01
/*
 * Writes without WAIT_RESP to different peripherals may be overtaken by later ones
 * (manual, TI.WAIT_RESP and 1.3): they take effect late_ns * (1 to 3) later, by block.
 */
#define BCM2835_DMA_LATE_WRITES		0x02

/* What shall go wrong, once; see bcm2835_dma_fault(). */
enum bcm2835_dma_fault {
	BCM2835_DMA_FAULT_NONE,
	BCM2835_DMA_FAULT_READ,		/* read error in the control block */
	BCM2835_DMA_FAULT_FIFO,		/* FIFO error */
	BCM2835_DMA_FAULT_HANG,		/* never finishes; only RESET helps */
	BCM2835_DMA_FAULT_HANG_WRITES,	/* ... and its outstanding writes never end */
};

/**
 * struct bcm2835_dma_costs - how long things take; 0: the value in brackets. With
 *	these, one control block that writes one register with WAIT_RESP takes 200 ns
 *	(Sperl measured 190 to 250 on a Pi 1)
 * @cb_ns: load a control block (100)
 * @mem_ns: read or write up to 4 bytes of RAM (20)
 * @reg_read_ns: read a register (60)
 * @reg_write_ns: write a register (40)
 * @resp_ns: wait for the response of a write, TI.WAIT_RESP (40)
 * @delay_fs: per byte of a block with SRC_IGNORE, DEST_IGNORE and WAITS 31 (1125000:
 *	Sperl's 889 bytes per microsecond); other WAITS take (WAITS + 1) / 32 of it
 * @wait_ns: per WAITS, after each read and each write of any other block (4: a core clock
 *	of 250 MHz)
 * @late_ns: BCM2835_DMA_LATE_WRITES (250)
 *
 * The lite channels take twice as long for each word.
 */
struct bcm2835_dma_costs {
	uint32_t cb_ns;
	uint32_t mem_ns;
	uint32_t reg_read_ns;
	uint32_t reg_write_ns;
	uint32_t resp_ns;
	uint32_t delay_fs;
	uint32_t wait_ns;
	uint32_t late_ns;
};

/**
 * struct bcm2835_dma_config
 * @channels: 15 (BCM2835 to BCM2837) or 11 (BCM2711)
 * @errata: BCM2835_DMA_...
 * @costs: see there
 */
struct bcm2835_dma_config {
	unsigned int channels;
	unsigned int errata;
	struct bcm2835_dma_costs costs;
};

/* A bus address whose accesses are register accesses: aligned words. */
#define BCM2835_IS_REG(bus_addr)	((uint32_t)(bus_addr) >> 24 == 0x7e)

/**
 * struct bcm2835_dma_ops - what the engine is connected to
 * @mem_read, @mem_write: RAM by bus address; false: nobody answers. A read that fails is
 *	a read error, a write that fails is silently lost
 * @reg_read, @reg_write: a peripheral's register by bus address. May lead to any other
 *	function of this header
 * @irq: the interrupt line of a channel has changed; may be NULL
 * @frame_end: a block that was paced by DREQ @permap has ended; may be NULL
 */
struct bcm2835_dma_ops {
	bool (*mem_read)(void *arg, uint32_t addr, void *buf, size_t len);
	bool (*mem_write)(void *arg, uint32_t addr, const void *buf, size_t len);
	bool (*reg_read)(void *arg, uint32_t addr, uint32_t *value);
	bool (*reg_write)(void *arg, uint32_t addr, uint32_t value);
	void (*irq)(void *arg, unsigned int channel, bool level);
	void (*frame_end)(void *arg, unsigned int permap);
};

struct bcm2835_dma_stats {
	uint64_t reads[BCM2835_DMA_REGS + 1];
	uint64_t writes[BCM2835_DMA_REGS + 1];
	uint64_t interrupts;		/* rising edges */
	uint64_t starts;		/* ACTIVE written on a channel that stood still */
	uint64_t cbs;			/* control blocks loaded */
	uint64_t words;			/* moved */
	uint64_t bytes;
	uint64_t errors;
	uint64_t lost_writes;		/* to addresses where nobody is */
	uint64_t refused;		/* CONBLK_AD or NEXTCONBK written while ACTIVE */
	uint64_t busy_ns;		/* time with work, waiting for DREQ included */
};

struct bcm2835_dma;

struct bcm2835_dma *bcm2835_dma_new(struct sim *sim, const struct bcm2835_dma_config *config,
				    const struct bcm2835_dma_ops *ops, void *arg);
void bcm2835_dma_free(struct bcm2835_dma *dma);
void bcm2835_dma_reset(struct bcm2835_dma *dma);
/*
 * 32-bit accesses, by the CPU or by a channel (its own registers, too). Nothing is
 * moved inside a write: a channel that is started begins with an event.
 */
uint32_t bcm2835_dma_read(struct bcm2835_dma *dma, unsigned int offset);
void bcm2835_dma_write(struct bcm2835_dma *dma, unsigned int offset, uint32_t value);
/* A peripheral's request line. Line 0 is always up, all others are down at first. */
void bcm2835_dma_dreq(struct bcm2835_dma *dma, unsigned int permap, bool level);

/* The @skip-th control block (0: the next one) that channel @n loads from now on fails. */
void bcm2835_dma_fault(struct bcm2835_dma *dma, unsigned int n, enum bcm2835_dma_fault fault,
		       unsigned int skip);
void bcm2835_dma_set_errata(struct bcm2835_dma *dma, unsigned int errata);

/* Of one channel. */
const struct bcm2835_dma_stats *bcm2835_dma_stats(const struct bcm2835_dma *dma, unsigned int n);
void bcm2835_dma_stats_reset(struct bcm2835_dma *dma);

#endif
