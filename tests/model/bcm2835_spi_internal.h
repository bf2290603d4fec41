/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the two files of the SPI0 model share. Nothing of this is for others.
 *
 *	bcm2835_spi.c		registers, FIFOs, chip selects, outputs
 *	bcm2835_spi_shift.c	the shift register and its clock
 */
#ifndef BCM2835_SPI_INTERNAL_H
#define BCM2835_SPI_INTERNAL_H

#include "bcm2835_spi.h"

#define CS_CS		0x00000003u
#define CS_CPHA		0x00000004u
#define CS_CPOL		0x00000008u
#define CS_CLEAR_TX	0x00000010u
#define CS_CLEAR_RX	0x00000020u
#define CS_CSPOL	0x00000040u
#define CS_TA		0x00000080u
#define CS_DMAEN	0x00000100u
#define CS_INTD		0x00000200u
#define CS_INTR		0x00000400u
#define CS_ADCS		0x00000800u
#define CS_REN		0x00001000u
#define CS_DONE		0x00010000u
#define CS_RXD		0x00020000u
#define CS_TXD		0x00040000u
#define CS_RXR		0x00080000u
#define CS_RXF		0x00100000u
#define CS_CSPOL0	0x00200000u
/* what reads back as it was written */
#define CS_STORED	0x03e0ffcfu
#define CS_HEADER	0x000000ffu

#define FIFO_SIZE	64
#define RX_THREE_QUARTERS 48

struct spi_fifo {
	uint8_t byte[FIFO_SIZE];
	unsigned int head, count;
};

static inline void spi_fifo_put(struct spi_fifo *f, uint8_t byte)
{
	f->byte[(f->head + f->count++) % FIFO_SIZE] = byte;
}

static inline uint8_t spi_fifo_get(struct spi_fifo *f)
{
	uint8_t byte = f->byte[f->head];

	f->head = (f->head + 1) % FIFO_SIZE;
	f->count--;
	return byte;
}

enum spi_shifter {
	SHIFTER_IDLE,
	SHIFTER_WAIT,		/* will start at shift_event */
	SHIFTER_BUSY,		/* a byte ends at shift_event */
};

/*
 * Time is whole nanoseconds; SCLK is not. Durations are counted in units of which the
 * core clock's period has 10^9 and a nanosecond has core_hz. What is left over at the end
 * of a byte is carried into the next one, so that a long transfer takes exactly the
 * time it should.
 */
#define CLOCK_UNITS	1000000000ull

struct bcm2835_spi {
	struct sim *sim;
	struct spi_bus *bus;
	struct bcm2835_spi_config config;
	struct bcm2835_spi_ops ops;
	void *arg;

	uint32_t cs;			/* CS_STORED only */
	uint32_t cdiv;
	uint32_t dlen;			/* bytes that have not begun */
	uint32_t ltoh;
	uint32_t dc;
	struct spi_fifo tx, rx;
	uint64_t tx_clear_until;
	uint64_t rx_clear_until;
	uint64_t hold_cs_until;		/* ADCS: the chip select is released then */
	bool moved;			/* bytes since TA was set */
	bool done_left;			/* DONE was not written as 1 (erratum) */
	bool irq;
	bool dreq_tx, dreq_rx;
	bool ce[3];			/* levels */
	struct sim_event window_event;	/* a clear, or hold_cs_until, is over */

	enum spi_shifter shifter;
	struct sim_event shift_event;
	bool stalled;			/* waits for room in the RX FIFO; counted */
	uint8_t mosi, miso;
	uint64_t period;		/* of SCLK for the byte under way, in units */
	uint64_t at;			/* nanoseconds: @work is what is left from here */
	uint64_t work;			/* units */
	uint64_t ready_at;		/* the next byte may start then ... */
	uint64_t ready_late;		/* ... plus these units */

	struct bcm2835_spi_stats stats;
};

/* bcm2835_spi_shift.c */
void bcm2835_spi_shift_init(struct bcm2835_spi *spi);
void bcm2835_spi_shift_reset(struct bcm2835_spi *spi);
/* Start the next byte if there is one and nothing holds it. */
void bcm2835_spi_shift_start(struct bcm2835_spi *spi);
/* TA has gone: what is under way is lost. */
void bcm2835_spi_shift_stop(struct bcm2835_spi *spi);
void bcm2835_spi_shift_new_clock(struct bcm2835_spi *spi, uint32_t hz);
/* Core clocks as nanoseconds, never less than the truth. */
uint64_t bcm2835_spi_clocks_ns(const struct bcm2835_spi *spi, uint64_t clocks);

/* bcm2835_spi.c */
/* Transfer is over: nothing left to send, by the rule of the mode. */
bool bcm2835_spi_finished(const struct bcm2835_spi *spi);
/* Bring interrupt, DMA requests and chip selects up to date. */
void bcm2835_spi_update(struct bcm2835_spi *spi);

#endif
