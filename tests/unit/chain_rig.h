/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compiled chains on the models of the BCM2835: the SoC with RAM, an SPI slave that
 * writes down all that it hears, a checker in front of it, and the few lines of an
 * interrupt handler that a driver has.
 */
#ifndef CHAIN_RIG_H
#define CHAIN_RIG_H

#include "chain_probe.h"

#include "spi_slaves.h"

#define RIG_RAM_SIZE	(4u << 20)
#define RIG_DATA	0x10000u	/* RAM offset of the buffers */
#define RIG_IRQ_SPI	54
#define RIG_LOG		(256 << 10)

/* One thing that the slave saw: a byte, or its chip select. */
struct rig_event {
	uint64_t at;		/* end of the byte */
	uint64_t from;		/* begin of the byte */
	uint32_t half_ps;
	uint8_t mode;
	int16_t mosi;		/* -1: chip select went active, -2: inactive */
};

struct rig {
	struct sim sim;
	struct bcm2835_soc *soc;
	struct spi_slave slave;
	struct spi_checker *checker;
	uint8_t *ram;
	struct rig_event *log;
	unsigned int logged;
	struct spi_clock clock;
	uint64_t byte_from;
	uint32_t miso;		/* bytes sent so far: what comes next follows from it */
	bool cs_high;
	bool line;
	unsigned int irqs;
	uint64_t irq_at;
	uint32_t idle_cs;	/* of the device: what rests in its mode */
	struct bcm2835dma_limits limits;
};

struct rig_options {
	struct bcm2835_soc_config soc;
	struct spi_checker_limits wants;
	unsigned int cs_pin;
	bool native, cs_high;
	bool rx_lite, tx_lite;
};

/* Silicon as it is, a chip select that is a GPIO, a slave with the usual limits at 10 MHz */
static inline struct rig_options rig_options(void)
{
	return (struct rig_options){
		.soc.spi_errata = BCM2835_SPI_SILICON,
		.soc.dma_errata = BCM2835_DMA_LATE_WRITES,
		.wants = { .setup_ns = 50, .hold_ns = 50, .disable_ns = 50,
			   .min_period_ps = 100000, .modes = SPI_MODES(0, 0) },
		.cs_pin = 8,
	};
}

/* What the slave says as its n-th byte. */
static uint8_t rig_miso(uint32_t n)
{
	return (n * 2654435761u) >> 24;
}

static struct rig_event *rig_log(struct rig *r)
{
	if (r->logged == RIG_LOG)
		abort();
	r->log[r->logged] = (struct rig_event){ .at = r->sim.now };
	return &r->log[r->logged++];
}

static void rig_cs(void *arg, bool active)
{
	rig_log(arg)->mosi = active ? -1 : -2;
}

static uint8_t rig_byte_start(void *arg, const struct spi_clock *clock)
{
	struct rig *r = arg;

	r->clock = *clock;
	r->byte_from = r->sim.now;
	return rig_miso(r->miso);
}

static void rig_byte_end(void *arg, uint8_t mosi, unsigned int clocks)
{
	struct rig *r = arg;
	struct rig_event *e = rig_log(r);

	e->mosi = clocks == 8 ? mosi : 0x100 + clocks;
	e->from = r->byte_from;
	e->half_ps = r->clock.half_ps;
	e->mode = r->clock.mode;
	r->miso++;
}

static const struct spi_slave_ops rig_slave_ops = {
	.cs = rig_cs,
	.byte_start = rig_byte_start,
	.byte_end = rig_byte_end,
};

static bool rig_mem_read(struct sim *sim, uint64_t addr, void *buf, size_t len)
{
	struct rig *r = sim->host_data;

	if (addr + len > RIG_RAM_SIZE)
		return false;
	memcpy(buf, r->ram + addr, len);
	return true;
}

static bool rig_mem_write(struct sim *sim, uint64_t addr, const void *buf, size_t len)
{
	struct rig *r = sim->host_data;

	if (addr + len > RIG_RAM_SIZE)
		return false;
	memcpy(r->ram + addr, buf, len);
	return true;
}

static const struct sim_host rig_host = {
	.mem_read = rig_mem_read,
	.mem_write = rig_mem_write,
};

static void rig_line(void *arg, unsigned int n, bool level)
{
	struct rig *r = arg;

	if (n != RIG_IRQ_SPI)
		return;
	if (level && !r->line) {
		r->irqs++;
		r->irq_at = r->sim.now;
	}
	r->line = level;
}

static const struct bcm2835_soc_ops rig_soc_ops = { .line = rig_line };

static uint32_t rig_rx_channel(const struct rig *r)
{
	return BCM2835_SOC_DMA + 0x100 * (r->limits.rx_lite ? 9 : PROBE_RX_CHANNEL);
}

static void rig_write(struct rig *r, uint32_t offset, uint32_t value)
{
	bcm2835_soc_write(r->soc, offset, 4, value);
}

static struct rig *rig_new(const struct rig_options *options)
{
	struct bcm2835_soc_config config = options->soc;
	struct rig *r = calloc(1, sizeof(*r));

	if (!r)
		abort();
	r->ram = aligned_alloc(32, RIG_RAM_SIZE);
	r->log = calloc(RIG_LOG, sizeof(*r->log));
	if (!r->ram || !r->log)
		abort();
	memset(r->ram, 0xa5, RIG_RAM_SIZE);
	memset(r->ram + (PROBE_ZERO - PROBE_RAM), 0, 4);

	config.alias[0] = (struct bcm2835_alias){ PROBE_RAM, 0, RIG_RAM_SIZE };
	sim_init(&r->sim, &rig_host, r);
	r->soc = bcm2835_soc_new(&r->sim, &config, &rig_soc_ops, r);
	r->slave = (struct spi_slave){
		.name = "recorder", .ops = &rig_slave_ops, .arg = r,
		.cs_high = options->cs_high,
	};
	r->checker = spi_checker_new(&r->sim, &options->wants, &r->slave);
	spi_checker_alone(r->checker, true);

	/* what a pin driver would have done */
	bcm2835_soc_spi_pins(r->soc, options->native);
	if (!options->native) {
		uint32_t pin = options->cs_pin;
		uint32_t fsel = BCM2835_SOC_GPIO + 4 * (pin / 10);

		rig_write(r, BCM2835_SOC_GPIO + (options->cs_high ? BCM2835_GPIO_CLR(pin) :
			  BCM2835_GPIO_SET(pin)), 1u << pin % 32);
		rig_write(r, fsel, (bcm2835_soc_read(r->soc, fsel, 4) & ~(7u << pin % 10 * 3)) |
			  1u << pin % 10 * 3);
	}

	r->limits = probe_limits;
	r->limits.core_hz = config.core_hz ?: 250000000;
	r->limits.rx_lite = options->rx_lite;
	r->limits.tx_lite = options->tx_lite;
	if (options->tx_lite)
		r->limits.tx_chan = 0x7e007000 + 0x100 * 8;
	if (options->native && options->cs_high)
		r->limits.spi_cs = BCM2835_SPI_CS_CSPOL_N(options->cs_pin == 7 ? 1 : 0);
	/* what the driver does once: FIFO levels, idle, with the polarities that the bus has */
	rig_write(r, BCM2835_SOC_SPI + BCM2835_SPI_DC, BCM2835_SPI_DC_DRIVER);
	r->idle_cs = r->limits.spi_cs | BCM2835_SPI_CS_CS_NONE;
	rig_write(r, BCM2835_SOC_SPI + BCM2835_SPI_CS, r->idle_cs);
	bcm2835_soc_attach(r->soc, options->cs_pin, spi_checker_slave(r->checker));
	r->logged = 0;
	return r;
}

static void rig_free(struct rig *r)
{
	bcm2835_soc_free(r->soc);
	spi_checker_free(r->checker);
	sim_free(&r->sim);
	free(r->ram);
	free(r->log);
	free(r);
}

/* Compile at block @index of the RAM's area for chains; a chain that is not proper is refused. */
static int rig_build(struct rig *r, struct bcm2835dma_chain *chain, unsigned int index,
		     const struct bcm2835dma_chip *chip, const struct bcm2835dma_xfer *xfers,
		     unsigned int num, struct bcm2835dma_patch *patches)
{
	int ret, count = bcm2835dma_chain_count(&r->limits, chip, xfers, num, NULL);
	static struct probe_text text;

	memset(chain, 0, sizeof(*chain));
	if (count < 0)
		return count;
	r->idle_cs = r->limits.spi_cs | BCM2835_SPI_CS_CS_NONE |
		     (chip->mode & BCM2835DMA_CPHA ? BCM2835_SPI_CS_CPHA : 0) |
		     (chip->mode & BCM2835DMA_CPOL ? BCM2835_SPI_CS_CPOL : 0);
	chain->dma = PROBE_CHAINS + 32 * index;
	chain->cb = (struct bcm2835dma_cb *)(r->ram + (chain->dma - PROBE_RAM));
	chain->room = count;
	ret = bcm2835dma_chain_build(chain, &r->limits, chip, xfers, num, patches, NULL);
	if (!ret)
		probe_chain(&text, chain, &r->limits);
	if (!ret && text.wrong) {
		printf("# %s: %s\n", text.wrong, text.text);
		ret = -EINVAL;
	}
	return ret;
}

static void rig_start(struct rig *r, const struct bcm2835dma_chain *chain)
{
	rig_write(r, rig_rx_channel(r) + BCM2835_DMA_CONBLK_AD, bcm2835dma_chain_first(chain));
	rig_write(r, rig_rx_channel(r) + BCM2835_DMA_CS, BCM2835_DMA_CS_ACTIVE);
}

/* Until the interrupt, or @at. Returns whether the interrupt is there. */
static bool rig_until(struct rig *r, uint64_t at)
{
	while (!r->line) {
		uint64_t next = sim_next(&r->sim);

		if (next > at) {
			sim_advance(&r->sim, at);
			break;
		}
		sim_advance(&r->sim, next);
	}
	return r->line;
}

/* What the handler writes. The clock stays at rest: a chip select may have been left active. */
static void rig_ack(struct rig *r)
{
	rig_write(r, BCM2835_SOC_SPI + BCM2835_SPI_CS, r->idle_cs);
}

/* What the blocks count although no driver wants it; NULL: nothing. */
static const char *rig_trouble(const struct rig *r)
{
	const struct bcm2835_spi_stats *spi = bcm2835_spi_stats(bcm2835_soc_spi(r->soc));
	unsigned int n;

	for (n = 0; n < 11; n++) {
		const struct bcm2835_dma_stats *dma;

		dma = bcm2835_dma_stats(bcm2835_soc_dma(r->soc), n);
		if (dma->errors)
			return "DMA error";
		if (dma->lost_writes)
			return "DMA write to nowhere";
		if (dma->refused)
			return "register of a busy DMA channel written";
	}
	if (spi->headers)
		return "word taken for a header";
	if (spi->tx_overflow || spi->tx_cleared || spi->cut)
		return "bytes lost";
	if (spi->rx_underflow)
		return "empty FIFO read";
	return NULL;
}

/* From the start to the interrupt; false: there was none. */
static inline bool rig_run(struct rig *r, struct bcm2835dma_chain *chain)
{
	bool came;

	rig_start(r, chain);
	came = rig_until(r, r->sim.now + 3 * chain->time_ns + 100000);
	if (came)
		rig_ack(r);
	return came && !r->line && bcm2835dma_chain_done(chain) && !rig_trouble(r);
}

#endif
