// SPDX-License-Identifier: GPL-2.0-only
/* The SoC's counters, for result files. */
#include <inttypes.h>
#include <string.h>

#include "bcm2835_soc_internal.h"

static void count(FILE *out, const char *prefix, const char *name, uint64_t value)
{
	fprintf(out, "\"%s%s\": %" PRIu64 ", ", prefix, name, value);
}

/* Registers that were used, by name. */
static void registers(FILE *out, const char *prefix, const char *const *name, unsigned int rows,
		      const uint64_t *counts)
{
	unsigned int i;

	for (i = 0; i < rows; i++)
		if (counts[i])
			count(out, prefix, name[i], counts[i]);
}

static void spi_registers(const struct bcm2835_soc *soc, FILE *out)
{
	const struct bcm2835_spi_stats *s = bcm2835_spi_stats(soc->spi);

	registers(out, "spi_reads_", bcm2835_spi_reg_name, BCM2835_SPI_REGS + 1, s->reads);
	registers(out, "spi_writes_", bcm2835_spi_reg_name, BCM2835_SPI_REGS + 1, s->writes);
	count(out, "", "spi_interrupts", s->interrupts);
	count(out, "", "spi_headers", s->headers);
	count(out, "", "spi_tx_overflow", s->tx_overflow);
	count(out, "", "spi_tx_cleared", s->tx_cleared);
	count(out, "", "spi_rx_underflow", s->rx_underflow);
	count(out, "", "spi_rx_stalls", s->rx_stalls);
	count(out, "", "spi_lost_bytes", s->cut);
}

static void dma_channels(const struct bcm2835_soc *soc, FILE *out)
{
	struct bcm2835_dma_stats sum = { 0 };
	unsigned int n, i;

	for (n = 0; n < BCM2835_DMA_CHANNELS; n++) {
		const struct bcm2835_dma_stats *s = bcm2835_dma_stats(soc->dma, n);
		char prefix[16];

		for (i = 0; i <= BCM2835_DMA_REGS; i++) {
			sum.reads[i] += s->reads[i];
			sum.writes[i] += s->writes[i];
		}
		sum.interrupts += s->interrupts;
		sum.starts += s->starts;
		sum.cbs += s->cbs;
		sum.words += s->words;
		sum.errors += s->errors;
		sum.lost_writes += s->lost_writes;
		sum.refused += s->refused;
		if (!s->cbs)
			continue;
		snprintf(prefix, sizeof(prefix), "dma%u_", n);
		count(out, prefix, "cbs", s->cbs);
		count(out, prefix, "words", s->words);
		count(out, prefix, "starts", s->starts);
		count(out, prefix, "interrupts", s->interrupts);
		count(out, prefix, "busy_ns", s->busy_ns);
	}
	registers(out, "dma_reads_", bcm2835_dma_reg_name, BCM2835_DMA_REGS + 1, sum.reads);
	registers(out, "dma_writes_", bcm2835_dma_reg_name, BCM2835_DMA_REGS + 1, sum.writes);
	count(out, "", "dma_interrupts", sum.interrupts);
	count(out, "", "dma_starts", sum.starts);
	count(out, "", "dma_cbs", sum.cbs);
	count(out, "", "dma_words", sum.words);
	count(out, "", "dma_errors", sum.errors);
	count(out, "", "dma_lost_writes", sum.lost_writes);
	count(out, "", "dma_refused_writes", sum.refused);
}

static void gpio_registers(const struct bcm2835_soc *soc, FILE *out)
{
	const struct bcm2835_gpio_stats *s = bcm2835_gpio_stats(soc->gpio);
	char name[8];
	unsigned int i;

	for (i = 0; i < BCM2835_GPIO_REGS; i++) {
		snprintf(name, sizeof(name), "%02x", 4 * i);
		if (s->reads[i])
			count(out, "gpio_reads_", name, s->reads[i]);
		if (s->writes[i])
			count(out, "gpio_writes_", name, s->writes[i]);
	}
	count(out, "", "gpio_interrupts", s->interrupts);
}

static void cpu_accesses(const struct bcm2835_soc *soc, FILE *out)
{
	static const char *const name[BLOCK_COUNT] = {
		[BLOCK_NONE] = "unknown", [BLOCK_TIMER] = "timer", [BLOCK_DMA] = "dma",
		[BLOCK_INTC] = "intc", [BLOCK_GPIO] = "gpio", [BLOCK_SPI] = "spi",
	};
	uint64_t reads = 0, writes = 0;
	unsigned int i;

	for (i = 0; i < BLOCK_COUNT; i++) {
		count(out, "reg_reads_", name[i], soc->cpu_reads[i]);
		count(out, "reg_writes_", name[i], soc->cpu_writes[i]);
		reads += soc->cpu_reads[i];
		writes += soc->cpu_writes[i];
	}
	count(out, "", "reg_reads", reads);
	count(out, "", "reg_writes", writes);
}

void bcm2835_soc_counters(const struct bcm2835_soc *soc, FILE *out)
{
	const struct bcm2835_intc_stats *ic = bcm2835_intc_stats(soc->intc);
	const struct bcm2835_timer_stats *t = bcm2835_timer_stats(soc->timer);

	cpu_accesses(soc, out);
	count(out, "", "interrupts", ic->raises);
	spi_bus_counters(soc->bus, out);
	spi_registers(soc, out);
	dma_channels(soc, out);
	gpio_registers(soc, out);
	registers(out, "intc_reads_", bcm2835_intc_reg_name, BCM2835_INTC_REGS, ic->reads);
	registers(out, "intc_writes_", bcm2835_intc_reg_name, BCM2835_INTC_REGS, ic->writes);
	registers(out, "timer_reads_", bcm2835_timer_reg_name, BCM2835_TIMER_REGS, t->reads);
	registers(out, "timer_writes_", bcm2835_timer_reg_name, BCM2835_TIMER_REGS, t->writes);
}

void bcm2835_soc_counters_reset(struct bcm2835_soc *soc)
{
	memset(soc->cpu_reads, 0, sizeof(soc->cpu_reads));
	memset(soc->cpu_writes, 0, sizeof(soc->cpu_writes));
	spi_bus_stats_reset(soc->bus);
	bcm2835_spi_stats_reset(soc->spi);
	bcm2835_dma_stats_reset(soc->dma);
	bcm2835_gpio_stats_reset(soc->gpio);
	bcm2835_intc_stats_reset(soc->intc);
	bcm2835_timer_stats_reset(soc->timer);
}
