/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two files of the SoC share: bcm2835_soc.c and bcm2835_soc_counters.c. */
#ifndef BCM2835_SOC_INTERNAL_H
#define BCM2835_SOC_INTERNAL_H

#include "bcm2835_soc.h"

enum soc_block {
	BLOCK_NONE, BLOCK_TIMER, BLOCK_DMA, BLOCK_INTC, BLOCK_GPIO, BLOCK_SPI, BLOCK_COUNT
};

struct soc_slave {
	unsigned int pin;
	struct spi_slave *slave;
};

struct bcm2835_soc {
	struct sim *sim;
	struct bcm2835_soc_config config;
	struct bcm2835_soc_ops ops;
	void *arg;

	struct spi_bus *bus;
	struct bcm2835_spi *spi;
	struct bcm2835_dma *dma;
	struct bcm2835_gpio *gpio;
	struct bcm2835_intc *intc;
	struct bcm2835_timer *timer;
	struct soc_slave slave[SPI_MAX_SLAVES];
	unsigned int slaves;
	uint32_t dma_int;		/* a bit per channel */

	/* accesses by the CPU; the blocks themselves also count those of the DMA */
	uint64_t cpu_reads[BLOCK_COUNT];
	uint64_t cpu_writes[BLOCK_COUNT];
};

#endif
