/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SPI0 of the BCM2835 to BCM2711 (BCM2835 ARM Peripherals, chapter 10; BCM2711 ARM
 * Peripherals, SPI chapter), at bus address 0x7E204000. Without LoSSI.
 */
#ifndef BCM2835_SPI_H
#define BCM2835_SPI_H

#include "spi_slave.h"

enum {
	BCM2835_SPI_CS		= 0x00,
	BCM2835_SPI_FIFO	= 0x04,
	BCM2835_SPI_CLK		= 0x08,
	BCM2835_SPI_DLEN	= 0x0c,
	BCM2835_SPI_LTOH	= 0x10,
	BCM2835_SPI_DC		= 0x14,
};

#define BCM2835_SPI_REGS	6	/* at offset 4 * n; one more row for others */
extern const char *const bcm2835_spi_reg_name[BCM2835_SPI_REGS + 1];

/* Trouble of the silicon and parts that are broken; off unless asked for. */

/*
 * When a transfer ends (TA is cleared) and DONE is not written as 1, then or later, the
 * next transfer has DONE from its beginning on (a comment in the kernel's driver tells
 * of transmissions that break without that write).
 */
#define BCM2835_SPI_ERRATUM_DONE_STAYS		0x01
/* The TX DREQ stays up after DLEN has run out (comment in the kernel's driver). */
#define BCM2835_SPI_ERRATUM_DREQ_AFTER_END	0x02
/*
 * The DMA's end-of-frame pulse clears TA (manual, TA). Seen by nobody in practice:
 * software clears it.
 */
#define BCM2835_SPI_FRAME_END_CLEARS_TA		0x04
/* SCLK never runs (broken part, or no clock): nothing is ever done. */
#define BCM2835_SPI_BROKEN_NO_CLOCK		0x08
/* What a real one is known to do. */
#define BCM2835_SPI_SILICON	(BCM2835_SPI_ERRATUM_DONE_STAYS | \
				 BCM2835_SPI_ERRATUM_DREQ_AFTER_END)

/**
 * struct bcm2835_spi_config
 * @core_hz: the VPU core clock, from which everything runs
 * @errata: BCM2835_SPI_...
 * @clear_clocks: core clocks that CLEAR_TX and CLEAR_RX take; 0: 4 clocks. What is
 *	written to the FIFO meanwhile is cleared as well, native chip selects are off
 */
struct bcm2835_spi_config {
	uint32_t core_hz;
	unsigned int errata;
	unsigned int clear_clocks;
};

/**
 * struct bcm2835_spi_ops - where the block's outputs go; each may be NULL
 * @irq: the interrupt line's level has changed
 * @dreq: the DMA requests' levels have changed
 * @cs: the pin of native chip select @n (0 to 2) has changed its level
 */
struct bcm2835_spi_ops {
	void (*irq)(void *arg, bool level);
	void (*dreq)(void *arg, bool tx, bool rx);
	void (*cs)(void *arg, unsigned int n, bool level);
};

struct bcm2835_spi_stats {
	uint64_t reads[BCM2835_SPI_REGS + 1];
	uint64_t writes[BCM2835_SPI_REGS + 1];
	uint64_t interrupts;		/* rising edges of the line */
	uint64_t bytes;			/* shifted */
	uint64_t headers;		/* words taken as header (TA = 0) */
	uint64_t tx_overflow;		/* bytes written to a full FIFO */
	uint64_t tx_cleared;		/* bytes lost because a clear was under way */
	uint64_t rx_underflow;		/* reads of an empty FIFO */
	uint64_t rx_stalls;		/* SCLK waited for room in the RX FIFO */
	uint64_t cut;			/* bytes lost because TA went away in mid-byte */
};

struct bcm2835_spi;

struct bcm2835_spi *bcm2835_spi_new(struct sim *sim, struct spi_bus *bus,
				    const struct bcm2835_spi_config *config,
				    const struct bcm2835_spi_ops *ops, void *arg);
void bcm2835_spi_free(struct bcm2835_spi *spi);
void bcm2835_spi_reset(struct bcm2835_spi *spi);
/* 32-bit accesses, by the CPU or by the DMA: the block knows no difference. */
uint32_t bcm2835_spi_read(struct bcm2835_spi *spi, unsigned int offset);
void bcm2835_spi_write(struct bcm2835_spi *spi, unsigned int offset, uint32_t value);
/* May be called at any time; a bit under way goes on at the new speed. */
void bcm2835_spi_set_core_hz(struct bcm2835_spi *spi, uint32_t hz);
void bcm2835_spi_set_errata(struct bcm2835_spi *spi, unsigned int errata);
/* The DMA has ended a control block that DREQ 7 (RX) paced. */
void bcm2835_spi_frame_end(struct bcm2835_spi *spi);

const struct bcm2835_spi_stats *bcm2835_spi_stats(const struct bcm2835_spi *spi);
void bcm2835_spi_stats_reset(struct bcm2835_spi *spi);

#endif
