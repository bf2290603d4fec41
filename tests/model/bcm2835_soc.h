/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of a BCM2835 (2836, 2837, 2711) that a pipelined SPI driver needs, put
 * together behind a window of 16 MiB at bus address 0x7E000000:
 *
 *	0x003000 system timer	0x007000 DMA	0x00B200 interrupt controller
 *	0x200000 GPIO		0x204000 SPI0
 *
 * Everything else reads 0, and writes to it are lost; both are counted.
 */
#ifndef BCM2835_SOC_H
#define BCM2835_SOC_H

#include "bcm2835_dma.h"
#include "bcm2835_gpio.h"
#include "bcm2835_intc.h"
#include "bcm2835_spi.h"
#include "spi_slave.h"

#define BCM2835_SOC_BUS		0x7e000000u
#define BCM2835_SOC_SIZE	0x01000000u
#define BCM2835_SOC_TIMER	0x003000
#define BCM2835_SOC_DMA		0x007000
#define BCM2835_SOC_INTC	0x00b200
#define BCM2835_SOC_GPIO	0x200000
#define BCM2835_SOC_SPI		0x204000

/* DREQ lines */
#define BCM2835_DREQ_SPI_TX	6
#define BCM2835_DREQ_SPI_RX	7

/* GPIO lines of SPI0, when their function is ALT0 */
enum {
	BCM2835_PIN_CE1 = 7, BCM2835_PIN_CE0 = 8, BCM2835_PIN_MISO = 9,
	BCM2835_PIN_MOSI = 10, BCM2835_PIN_SCLK = 11,
};

#define BCM2835_SOC_ALIASES	2

/**
 * struct bcm2835_alias - a piece of RAM as the DMA sees it
 * @bus: first bus address (0xC0000000, or 0x40000000 on the BCM2835)
 * @guest: first guest address, passed to sim_mem_read() and sim_mem_write()
 * @size: bytes; 0 ends the list
 */
struct bcm2835_alias {
	uint32_t bus;
	uint64_t guest;
	uint32_t size;
};

/**
 * struct bcm2835_soc_config
 * @bcm2711: 11 legacy channels, channels 7/8 and 9/10 share an interrupt line, GPIO pulls
 *	read back
 * @core_hz: the VPU core clock; 0: 250 MHz
 * @alias: RAM
 * @spi_errata: BCM2835_SPI_..., usually BCM2835_SPI_SILICON
 * @dma_errata: BCM2835_DMA_...
 * @costs: of the DMA
 * @clear_clocks: see struct bcm2835_spi_config
 * @idle_miso: what is read when no slave drives MISO (its pull: 0x00)
 * @intc_edge: see bcm2835_intc_new()
 */
struct bcm2835_soc_config {
	bool bcm2711;
	uint32_t core_hz;
	struct bcm2835_alias alias[BCM2835_SOC_ALIASES];
	unsigned int spi_errata;
	unsigned int dma_errata;
	struct bcm2835_dma_costs costs;
	unsigned int clear_clocks;
	uint8_t idle_miso;
	bool intc_edge;
};

/**
 * struct bcm2835_soc_ops - each may be NULL
 * @irq: the output of the interrupt controller has changed (level, or MSI-like)
 * @line: one of the 64 GPU interrupts (BCM2835_IRQ_...) has changed its level, for a host
 *	that wires them to a controller of its own (BCM2711: GIC SPI 64 + n)
 * @gpio: the level of a GPIO line has changed
 */
struct bcm2835_soc_ops {
	void (*irq)(void *arg, bool level);
	void (*line)(void *arg, unsigned int n, bool level);
	void (*gpio)(void *arg, unsigned int n, bool level);
};

struct bcm2835_soc;

struct bcm2835_soc *bcm2835_soc_new(struct sim *sim, const struct bcm2835_soc_config *config,
				    const struct bcm2835_soc_ops *ops, void *arg);
/* Slaves are their owner's: free them after this. */
void bcm2835_soc_free(struct bcm2835_soc *soc);
/* Hardware reset; slaves, external levels, errata, faults and counters stay. */
void bcm2835_soc_reset(struct bcm2835_soc *soc);

/*
 * A register access; offset is relative to 0x7E000000, size 1, 2, 4 or 8. Registers know
 * only words: a narrow write writes the whole register (the other bits as 0), as on the
 * APB. Call with sim->now at the time of the access.
 */
uint64_t bcm2835_soc_read(struct bcm2835_soc *soc, uint32_t offset, unsigned int size);
void bcm2835_soc_write(struct bcm2835_soc *soc, uint32_t offset, unsigned int size,
		       uint64_t value);

/*
 * Attach a slave whose chip-select input is wired to GPIO line @pin: BCM2835_PIN_CE0 or
 * _CE1 are native chip selects while the pin's function is ALT0, any line is one that
 * software, or the DMA, sets and clears while it is an output. Lines that are inputs have
 * the level of their pull (lines 0 to 8: up, most others: down) or of
 * bcm2835_soc_gpio_input().
 *
 * Slaves see clocks only while GPIO 11 has the function ALT0, MOSI (else 0) while 10 has,
 * and are heard (else idle_miso) while 9 has: see bcm2835_soc_spi_pins().
 */
void bcm2835_soc_attach(struct bcm2835_soc *soc, unsigned int pin, struct spi_slave *slave);
/*
 * What a driver of the pins would do: 9 to 11 to ALT0; 7 and 8 to ALT0 (@native), or to
 * outputs that are high.
 */
void bcm2835_soc_spi_pins(struct bcm2835_soc *soc, bool native);
/* The world drives GPIO line @n: the interrupt output of a slave, for instance. */
void bcm2835_soc_gpio_input(struct bcm2835_soc *soc, unsigned int n, bool level);
bool bcm2835_soc_gpio_level(const struct bcm2835_soc *soc, unsigned int n);

/* The firmware changes the core clock; nobody is told. */
void bcm2835_soc_set_core_hz(struct bcm2835_soc *soc, uint32_t hz);

/* The parts, for their faults, errata and statistics. */
struct bcm2835_spi *bcm2835_soc_spi(struct bcm2835_soc *soc);
struct bcm2835_dma *bcm2835_soc_dma(struct bcm2835_soc *soc);
struct bcm2835_gpio *bcm2835_soc_gpio(struct bcm2835_soc *soc);
struct bcm2835_intc *bcm2835_soc_intc(struct bcm2835_soc *soc);
struct spi_bus *bcm2835_soc_bus(struct bcm2835_soc *soc);

/*
 * Counters as JSON members, each followed by a comma: "reg_reads", "reg_writes" by the
 * CPU, also by block ("reg_reads_spi"); "interrupts" (of the controller's output),
 * "spi_bytes", "spi_messages", "dma_cbs", "dma_words", "spi_byte_gap_ns": {...}, and each
 * register that was used, by the CPU or the DMA ("spi_writes_CS").
 */
void bcm2835_soc_counters(const struct bcm2835_soc *soc, FILE *out);
void bcm2835_soc_counters_reset(struct bcm2835_soc *soc);

#endif
