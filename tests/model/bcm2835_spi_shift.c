// SPDX-License-Identifier: GPL-2.0-only
/* SPI0: the shift register. One event per byte, and exact times. */
#include "bcm2835_spi_internal.h"

uint64_t bcm2835_spi_clocks_ns(const struct bcm2835_spi *spi, uint64_t clocks)
{
	return (clocks * CLOCK_UNITS + spi->config.core_hz - 1) / spi->config.core_hz;
}

/* 0 stands for 65536, and odd values are rounded down (CLK). */
static uint64_t period_units(const struct bcm2835_spi *spi)
{
	uint32_t cdiv = spi->cdiv & ~1u;

	return (cdiv ? cdiv : 65536) * CLOCK_UNITS;
}

/*
 * Bits that have been sampled: in the middle of each period, whatever the phase. A bit
 * that is sampled at this very nanosecond counts.
 */
static unsigned int progress(void *arg)
{
	struct bcm2835_spi *spi = arg;
	uint64_t passed = (spi->sim->now - spi->at) * spi->config.core_hz;
	uint64_t left = spi->work > passed ? spi->work - passed : 0;
	uint64_t whole = 8 * spi->period;
	uint64_t done = left < whole ? whole - left : 0;
	uint64_t clocks = (2 * done / spi->period + 1) / 2;

	return clocks < 8 ? clocks : 8;
}

static void arm(struct bcm2835_spi *spi)
{
	sim_at(spi->sim, &spi->shift_event, spi->at + spi->work / spi->config.core_hz);
}

static bool nothing_to_do(struct bcm2835_spi *spi)
{
	if (!(spi->cs & CS_TA) || !spi->tx.count ||
	    (spi->config.errata & BCM2835_SPI_BROKEN_NO_CLOCK))
		return true;
	if ((spi->cs & CS_DMAEN) && !spi->dlen)
		return true;
	if (spi->rx.count == FIFO_SIZE) {
		/* the clock stops until someone reads (RXF) */
		if (!spi->stalled)
			spi->stats.rx_stalls++;
		spi->stalled = true;
		return true;
	}
	return false;
}

void bcm2835_spi_shift_start(struct bcm2835_spi *spi)
{
	struct spi_clock clock = {
		.mode = (spi->cs & CS_CPHA ? SPI_CPHA : 0) | (spi->cs & CS_CPOL ? SPI_CPOL : 0),
	};
	uint64_t now = spi->sim->now;

	if (spi->shifter != SHIFTER_IDLE || nothing_to_do(spi))
		return;
	spi->stalled = false;
	if (now < spi->ready_at) {
		spi->shifter = SHIFTER_WAIT;
		sim_at(spi->sim, &spi->shift_event, spi->ready_at);
		return;
	}

	spi->shifter = SHIFTER_BUSY;
	if (spi->cs & CS_DMAEN)
		spi->dlen--;
	spi->mosi = spi_fifo_get(&spi->tx);
	spi->period = period_units(spi);
	spi->at = now;
	spi->work = (now == spi->ready_at ? spi->ready_late : 0) + 8 * spi->period;
	clock.half_ps = spi->period * 500 / spi->config.core_hz;
	spi->miso = spi_bus_byte_start(spi->bus, &clock, spi->mosi);
	arm(spi);
}

/*
 * The clock rests for one period between two bytes, except in DMA mode and when DLEN is
 * at least 2 (both measured by users, not in the manual).
 */
static bool has_idle_clock(const struct bcm2835_spi *spi)
{
	return !(spi->cs & CS_DMAEN) && spi->dlen < 2;
}

static void byte_over(struct bcm2835_spi *spi)
{
	uint64_t hz = spi->config.core_hz, late = spi->work % hz;

	spi->ready_at = spi->sim->now;
	if (has_idle_clock(spi)) {
		late += spi->period;
		spi->ready_at += late / hz;
		late %= hz;
	}
	spi->ready_late = late;
	spi->shifter = SHIFTER_IDLE;
	spi->stats.bytes++;
	spi->moved = true;
	/* what comes in during a clear is cleared, too */
	if (spi->sim->now >= spi->rx_clear_until)
		spi_fifo_put(&spi->rx, spi->miso);
	spi_bus_byte_end(spi->bus, 8);

	/* ADCS: at least one core clock after the last edge */
	if ((spi->cs & CS_ADCS) && bcm2835_spi_finished(spi))
		spi->hold_cs_until = spi->sim->now + bcm2835_spi_clocks_ns(spi, 1);
}

static void shift_fn(void *arg)
{
	struct bcm2835_spi *spi = arg;

	if (spi->shifter == SHIFTER_BUSY)
		byte_over(spi);
	else
		spi->shifter = SHIFTER_IDLE;
	bcm2835_spi_shift_start(spi);
	bcm2835_spi_update(spi);
}

void bcm2835_spi_shift_stop(struct bcm2835_spi *spi)
{
	unsigned int clocks;

	/* over at this very nanosecond, and the event is still to come */
	if (spi->shifter == SHIFTER_BUSY && spi->shift_event.at <= spi->sim->now)
		byte_over(spi);
	if (spi->shifter == SHIFTER_BUSY) {
		clocks = progress(spi);
		spi->stats.cut++;
		spi->ready_at = spi->sim->now;
		spi->ready_late = 0;
		spi_bus_byte_end(spi->bus, clocks);
	}
	spi->shifter = SHIFTER_IDLE;
	spi->stalled = false;
	sim_cancel(spi->sim, &spi->shift_event);
}

void bcm2835_spi_shift_new_clock(struct bcm2835_spi *spi, uint32_t hz)
{
	uint64_t now = spi->sim->now, passed;

	if (spi->shifter == SHIFTER_BUSY) {
		passed = (now - spi->at) * spi->config.core_hz;
		spi->work -= passed < spi->work ? passed : spi->work;
		spi->at = now;
	}
	spi->config.core_hz = hz;
	/* the rest of an idle clock is not worth a correction; a fraction of 1 ns is */
	spi->ready_late = 0;
	if (spi->shifter == SHIFTER_BUSY)
		arm(spi);
}

void bcm2835_spi_shift_init(struct bcm2835_spi *spi)
{
	sim_event_init(&spi->shift_event, shift_fn, spi);
	spi_bus_set_progress(spi->bus, progress, spi);
}

void bcm2835_spi_shift_reset(struct bcm2835_spi *spi)
{
	bcm2835_spi_shift_stop(spi);
	spi->ready_at = 0;
	spi->ready_late = 0;
}
