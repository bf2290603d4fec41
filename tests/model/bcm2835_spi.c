// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPI0: registers, FIFOs, chip selects, outputs. Bit names and rules are those of the
 * register descriptions in BCM2835 ARM Peripherals, 10.5.
 */
#include <stdlib.h>
#include <string.h>

#include "bcm2835_spi_internal.h"

const char *const bcm2835_spi_reg_name[BCM2835_SPI_REGS + 1] = {
	"CS", "FIFO", "CLK", "DLEN", "LTOH", "DC", "OTHER",
};

bool bcm2835_spi_finished(const struct bcm2835_spi *spi)
{
	if (!(spi->cs & CS_TA) || spi->shifter == SHIFTER_BUSY ||
	    (spi->config.errata & BCM2835_SPI_BROKEN_NO_CLOCK))
		return false;
	return spi->cs & CS_DMAEN ? !spi->dlen : !spi->tx.count;
}

static bool done(const struct bcm2835_spi *spi)
{
	return bcm2835_spi_finished(spi) || ((spi->cs & CS_TA) && spi->done_left);
}

static bool rx_needs_reading(const struct bcm2835_spi *spi)
{
	return (spi->cs & CS_TA) && spi->rx.count >= RX_THREE_QUARTERS;
}

static uint32_t status(const struct bcm2835_spi *spi)
{
	uint32_t cs = spi->cs;

	if (done(spi))
		cs |= CS_DONE;
	if (spi->rx.count)
		cs |= CS_RXD;
	if (spi->tx.count < FIFO_SIZE)
		cs |= CS_TXD;
	if (rx_needs_reading(spi))
		cs |= CS_RXR;
	if (spi->rx.count == FIFO_SIZE)
		cs |= CS_RXF;
	return cs;
}

/* Native chip select @n is asserted now. */
static bool selected(const struct bcm2835_spi *spi, unsigned int n)
{
	if (!(spi->cs & CS_TA) || (spi->cs & CS_CS) != n)
		return false;
	/* CLEAR_TX takes it away for a moment (Sperl) */
	if (spi->sim->now < spi->tx_clear_until)
		return false;
	/* ADCS: for as long as the frame of the DMA lasts */
	if ((spi->cs & (CS_ADCS | CS_DMAEN)) == (CS_ADCS | CS_DMAEN))
		return !bcm2835_spi_finished(spi) || spi->sim->now < spi->hold_cs_until;
	return true;
}

static bool ce_level(const struct bcm2835_spi *spi, unsigned int n)
{
	bool high = spi->cs & (CS_CSPOL | CS_CSPOL0 << n);

	return selected(spi, n) == high;
}

/* @assert: only those that become active; otherwise only those that do not. */
static void update_ce(struct bcm2835_spi *spi, bool assert)
{
	unsigned int n;

	for (n = 0; n < 3; n++) {
		bool level = ce_level(spi, n);

		if (level == spi->ce[n] || selected(spi, n) != assert)
			continue;
		spi->ce[n] = level;
		if (spi->ops.cs)
			spi->ops.cs(spi->arg, n, level);
	}
}

static void update_irq(struct bcm2835_spi *spi)
{
	bool irq = ((spi->cs & CS_INTD) && done(spi)) ||
		   ((spi->cs & CS_INTR) && rx_needs_reading(spi));

	if (irq == spi->irq)
		return;
	spi->irq = irq;
	spi->stats.interrupts += irq;
	if (spi->ops.irq)
		spi->ops.irq(spi->arg, irq);
}

/* With TA = 0 the FIFO wants the header. The levels in DC are bytes. */
static bool wants_tx(const struct bcm2835_spi *spi)
{
	if (!(spi->cs & CS_DMAEN) || spi->tx.count > (spi->dc & 0xff) ||
	    spi->tx.count > FIFO_SIZE - 4 || spi->sim->now < spi->tx_clear_until)
		return false;
	return (spi->config.errata & BCM2835_SPI_ERRATUM_DREQ_AFTER_END) ||
	       !(spi->cs & CS_TA) || spi->tx.count < spi->dlen;
}

static bool wants_rx(const struct bcm2835_spi *spi)
{
	if (!(spi->cs & CS_DMAEN))
		return false;
	/* a FIFO that is not empty when the transfer has finished makes a request, too (DC) */
	return spi->rx.count > (spi->dc >> 16 & 0xff) || (done(spi) && spi->rx.count);
}

static void update_dreq(struct bcm2835_spi *spi)
{
	bool tx = wants_tx(spi), rx = wants_rx(spi);

	if (tx == spi->dreq_tx && rx == spi->dreq_rx)
		return;
	spi->dreq_tx = tx;
	spi->dreq_rx = rx;
	if (spi->ops.dreq)
		spi->ops.dreq(spi->arg, tx, rx);
}

static void update_window(struct bcm2835_spi *spi)
{
	uint64_t at[] = { spi->tx_clear_until, spi->rx_clear_until, spi->hold_cs_until };
	uint64_t next = SIM_NEVER;
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (at[i] > spi->sim->now && at[i] < next)
			next = at[i];
	if (next != SIM_NEVER || sim_armed(&spi->window_event))
		sim_at(spi->sim, &spi->window_event, next);
}

void bcm2835_spi_update(struct bcm2835_spi *spi)
{
	update_ce(spi, false);
	update_ce(spi, true);
	update_window(spi);
	update_irq(spi);
	update_dreq(spi);
}

static void window_fn(void *arg)
{
	bcm2835_spi_update(arg);
}

static void clear_fifos(struct bcm2835_spi *spi, uint32_t value)
{
	uint64_t until = spi->sim->now + bcm2835_spi_clocks_ns(spi, spi->config.clear_clocks);

	if (value & CS_CLEAR_TX) {
		spi->tx.count = 0;
		spi->tx_clear_until = until;
	}
	if (value & CS_CLEAR_RX) {
		spi->rx.count = 0;
		spi->rx_clear_until = until;
	}
}

static void write_cs(struct bcm2835_spi *spi, uint32_t value)
{
	uint32_t old = spi->cs;

	if ((old & CS_TA) && !(value & CS_TA)) {
		if ((spi->config.errata & BCM2835_SPI_ERRATUM_DONE_STAYS) &&
		    bcm2835_spi_finished(spi) && spi->moved)
			spi->done_left = true;
		bcm2835_spi_shift_stop(spi);
	}
	if (value & CS_DONE)
		spi->done_left = false;
	spi->cs = value & CS_STORED;
	clear_fifos(spi, value);
	if (!(old & CS_TA) && (value & CS_TA)) {
		spi->hold_cs_until = 0;
		spi->moved = false;
		/* chip select is active for three core clocks before the first bit (ADCS) */
		if (value & CS_DMAEN) {
			spi->ready_at = spi->sim->now + bcm2835_spi_clocks_ns(spi, 3);
			spi->ready_late = 0;
		}
	}
	/* SCLK takes its new level while native chip selects are off, if it can */
	update_ce(spi, false);
	if ((old ^ spi->cs) & CS_CPOL)
		spi_bus_idle_level(spi->bus, spi->cs & CS_CPOL);
	update_ce(spi, true);
}

/*
 * With TA = 0 a write to the FIFO is a write to DLEN and to the lower byte of CS, so that
 * a DMA can set the mode with its first word (TA, and 10.6.3.1). Nothing there asks for
 * DMAEN, and users have seen the same without it.
 */
static void write_header(struct bcm2835_spi *spi, uint32_t value)
{
	spi->stats.headers++;
	spi->dlen = value >> 16;
	write_cs(spi, (spi->cs & ~CS_HEADER) | (value & CS_HEADER));
}

static void write_fifo(struct bcm2835_spi *spi, uint32_t value)
{
	unsigned int i, bytes = spi->cs & CS_DMAEN ? 4 : 1;

	if (!(spi->cs & CS_TA)) {
		write_header(spi, value);
		return;
	}
	for (i = 0; i < bytes; i++) {
		if (spi->sim->now < spi->tx_clear_until)
			spi->stats.tx_cleared++;
		else if (spi->tx.count == FIFO_SIZE)
			spi->stats.tx_overflow++;
		else
			spi_fifo_put(&spi->tx, value >> 8 * i);
	}
}

static uint32_t read_fifo(struct bcm2835_spi *spi)
{
	unsigned int i, bytes = spi->cs & CS_DMAEN ? 4 : 1;
	uint32_t value = 0;

	if (!spi->rx.count)
		spi->stats.rx_underflow++;
	for (i = 0; i < bytes && spi->rx.count; i++)
		value |= (uint32_t)spi_fifo_get(&spi->rx) << 8 * i;
	return value;
}

static unsigned int row(unsigned int offset)
{
	return offset / 4 < BCM2835_SPI_REGS ? offset / 4 : BCM2835_SPI_REGS;
}

uint32_t bcm2835_spi_read(struct bcm2835_spi *spi, unsigned int offset)
{
	uint32_t value;

	spi->stats.reads[row(offset)]++;
	switch (offset) {
	case BCM2835_SPI_CS:
		return status(spi);
	case BCM2835_SPI_FIFO:
		value = read_fifo(spi);
		bcm2835_spi_shift_start(spi);
		bcm2835_spi_update(spi);
		return value;
	case BCM2835_SPI_CLK:
		return spi->cdiv;
	case BCM2835_SPI_DLEN:
		return spi->dlen;
	case BCM2835_SPI_LTOH:
		return spi->ltoh;
	case BCM2835_SPI_DC:
		return spi->dc;
	default:
		return 0;
	}
}

void bcm2835_spi_write(struct bcm2835_spi *spi, unsigned int offset, uint32_t value)
{
	spi->stats.writes[row(offset)]++;
	switch (offset) {
	case BCM2835_SPI_CS:
		write_cs(spi, value);
		break;
	case BCM2835_SPI_FIFO:
		write_fifo(spi, value);
		break;
	case BCM2835_SPI_CLK:
		spi->cdiv = value & 0xffff;	/* from the next byte on */
		break;
	case BCM2835_SPI_DLEN:
		spi->dlen = value & 0xffff;
		break;
	case BCM2835_SPI_LTOH:
		spi->ltoh = value & 0xf;
		break;
	case BCM2835_SPI_DC:
		spi->dc = value;
		break;
	default:
		break;
	}
	bcm2835_spi_shift_start(spi);
	bcm2835_spi_update(spi);
}

void bcm2835_spi_frame_end(struct bcm2835_spi *spi)
{
	if (!(spi->config.errata & BCM2835_SPI_FRAME_END_CLEARS_TA) ||
	    !(spi->cs & CS_DMAEN) || !bcm2835_spi_finished(spi))
		return;
	write_cs(spi, (spi->cs & ~CS_TA) | CS_DONE);
	bcm2835_spi_update(spi);
}

void bcm2835_spi_set_core_hz(struct bcm2835_spi *spi, uint32_t hz)
{
	bcm2835_spi_shift_new_clock(spi, hz ? hz : 1);
}

void bcm2835_spi_set_errata(struct bcm2835_spi *spi, unsigned int errata)
{
	spi->config.errata = errata;
	if (!(errata & BCM2835_SPI_ERRATUM_DONE_STAYS))
		spi->done_left = false;
	bcm2835_spi_shift_start(spi);
	bcm2835_spi_update(spi);
}

struct bcm2835_spi *bcm2835_spi_new(struct sim *sim, struct spi_bus *bus,
				    const struct bcm2835_spi_config *config,
				    const struct bcm2835_spi_ops *ops, void *arg)
{
	struct bcm2835_spi *spi = calloc(1, sizeof(*spi));
	unsigned int n;

	if (!spi)
		abort();
	spi->sim = sim;
	spi->bus = bus;
	spi->config = *config;
	if (!spi->config.core_hz)
		spi->config.core_hz = 250000000;
	if (!spi->config.clear_clocks)
		spi->config.clear_clocks = 4;
	if (ops)
		spi->ops = *ops;
	spi->arg = arg;
	sim_event_init(&spi->window_event, window_fn, spi);
	bcm2835_spi_shift_init(spi);
	for (n = 0; n < 3; n++)
		spi->ce[n] = true;
	bcm2835_spi_reset(spi);
	return spi;
}

void bcm2835_spi_free(struct bcm2835_spi *spi)
{
	if (!spi)
		return;
	sim_cancel(spi->sim, &spi->shift_event);
	sim_cancel(spi->sim, &spi->window_event);
	spi_bus_set_progress(spi->bus, NULL, NULL);
	free(spi);
}

/* Reset values of 10.5. */
void bcm2835_spi_reset(struct bcm2835_spi *spi)
{
	bcm2835_spi_shift_reset(spi);
	sim_cancel(spi->sim, &spi->window_event);
	spi->cs = CS_REN;
	spi->cdiv = 0;
	spi->dlen = 0;
	spi->ltoh = 1;
	spi->dc = 0x30201020;
	spi->tx.count = 0;
	spi->rx.count = 0;
	spi->tx_clear_until = 0;
	spi->rx_clear_until = 0;
	spi->hold_cs_until = 0;
	spi->done_left = false;
	spi->moved = false;
	bcm2835_spi_update(spi);
}

const struct bcm2835_spi_stats *bcm2835_spi_stats(const struct bcm2835_spi *spi)
{
	return &spi->stats;
}

void bcm2835_spi_stats_reset(struct bcm2835_spi *spi)
{
	memset(&spi->stats, 0, sizeof(spi->stats));
}
