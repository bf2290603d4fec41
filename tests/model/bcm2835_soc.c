// SPDX-License-Identifier: GPL-2.0-only
/* The parts of the SoC, wired together. */
#include <stdlib.h>

#include "bcm2835_soc_internal.h"

static void line(struct bcm2835_soc *soc, unsigned int n, bool level)
{
	bcm2835_intc_line(soc->intc, n, level);
	if (soc->ops.line)
		soc->ops.line(soc->arg, n, level);
}

static void intc_out(void *arg, bool level)
{
	struct bcm2835_soc *soc = arg;

	if (soc->ops.irq)
		soc->ops.irq(soc->arg, level);
}

static void timer_irq(void *arg, unsigned int n, bool level)
{
	line(arg, BCM2835_IRQ_TIMER0 + n, level);
}

static void gpio_irq(void *arg, unsigned int n, bool level)
{
	line(arg, BCM2835_IRQ_GPIO0 + n, level);
}

static void spi_irq(void *arg, bool level)
{
	line(arg, BCM2835_IRQ_SPI, level);
}

/*
 * BCM2835: channels 11 to 14 share a line, one more is for any. BCM2711: 7 and 8, and
 * 9 and 10, share one.
 */
static unsigned int dma_line(const struct bcm2835_soc *soc, unsigned int channel)
{
	if (soc->config.bcm2711)
		return channel < 7 ? channel : channel < 9 ? 7 : 8;
	return channel < 11 ? channel : 11;
}

static void dma_irq(void *arg, unsigned int channel, bool level)
{
	struct bcm2835_soc *soc = arg;
	unsigned int n, shared = dma_line(soc, channel);
	uint32_t sharers = 0;

	soc->dma_int = (soc->dma_int & ~(1u << channel)) | (uint32_t)level << channel;
	for (n = 0; n < BCM2835_DMA_CHANNELS; n++)
		if (dma_line(soc, n) == shared)
			sharers |= 1u << n;
	line(soc, BCM2835_IRQ_DMA0 + shared, soc->dma_int & sharers);
	if (!soc->config.bcm2711)
		line(soc, BCM2835_IRQ_DMA0 + 12, soc->dma_int);
}

static void spi_dreq(void *arg, bool tx, bool rx)
{
	struct bcm2835_soc *soc = arg;

	bcm2835_dma_dreq(soc->dma, BCM2835_DREQ_SPI_TX, tx);
	bcm2835_dma_dreq(soc->dma, BCM2835_DREQ_SPI_RX, rx);
}

static void spi_cs(void *arg, unsigned int n, bool level)
{
	struct bcm2835_soc *soc = arg;

	if (n < 2)
		bcm2835_gpio_alt0(soc->gpio, n ? BCM2835_PIN_CE1 : BCM2835_PIN_CE0, level);
}

static void gpio_level(void *arg, unsigned int n, bool level)
{
	struct bcm2835_soc *soc = arg;
	unsigned int i;

	for (i = 0; i < soc->slaves; i++)
		if (soc->slave[i].pin == n)
			spi_bus_cs(soc->bus, soc->slave[i].slave, level);
	if (soc->ops.gpio)
		soc->ops.gpio(soc->arg, n, level);
}

static void dma_frame_end(void *arg, unsigned int permap)
{
	struct bcm2835_soc *soc = arg;

	if (permap == BCM2835_DREQ_SPI_RX)
		bcm2835_spi_frame_end(soc->spi);
}

/* Guest address of @len bytes of RAM, or false. */
static bool translate(const struct bcm2835_soc *soc, uint32_t addr, size_t len, uint64_t *guest)
{
	unsigned int i;

	for (i = 0; i < BCM2835_SOC_ALIASES; i++) {
		const struct bcm2835_alias *a = &soc->config.alias[i];

		if (addr >= a->bus && (uint64_t)addr - a->bus + len <= a->size) {
			*guest = a->guest + (addr - a->bus);
			return true;
		}
	}
	return false;
}

static bool dma_mem_read(void *arg, uint32_t addr, void *buf, size_t len)
{
	struct bcm2835_soc *soc = arg;
	uint64_t guest;

	return translate(soc, addr, len, &guest) && sim_mem_read(soc->sim, guest, buf, len);
}

static bool dma_mem_write(void *arg, uint32_t addr, const void *buf, size_t len)
{
	struct bcm2835_soc *soc = arg;
	uint64_t guest;

	return translate(soc, addr, len, &guest) && sim_mem_write(soc->sim, guest, buf, len);
}

static void update_wires(struct bcm2835_soc *soc)
{
	struct bcm2835_gpio *g = soc->gpio;

	spi_bus_wires(soc->bus,
		      bcm2835_gpio_function(g, BCM2835_PIN_SCLK) == BCM2835_GPIO_ALT0,
		      bcm2835_gpio_function(g, BCM2835_PIN_MOSI) == BCM2835_GPIO_ALT0,
		      bcm2835_gpio_function(g, BCM2835_PIN_MISO) == BCM2835_GPIO_ALT0);
}

/* The block at *@offset, which becomes relative to it. */
static enum soc_block find_block(uint32_t *offset)
{
	static const struct {
		enum soc_block block;
		uint32_t at, size;
	} map[] = {
		{ BLOCK_TIMER, BCM2835_SOC_TIMER, BCM2835_TIMER_SIZE },
		{ BLOCK_DMA, BCM2835_SOC_DMA, BCM2835_DMA_SIZE },
		{ BLOCK_INTC, BCM2835_SOC_INTC, BCM2835_INTC_SIZE },
		{ BLOCK_GPIO, BCM2835_SOC_GPIO, BCM2835_GPIO_SIZE },
		{ BLOCK_SPI, BCM2835_SOC_SPI, 0x18 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		if (*offset >= map[i].at && *offset - map[i].at < map[i].size) {
			*offset -= map[i].at;
			return map[i].block;
		}
	}
	return BLOCK_NONE;
}

static uint32_t read_word(struct bcm2835_soc *soc, uint32_t offset)
{
	switch (find_block(&offset)) {
	case BLOCK_TIMER:
		return bcm2835_timer_read(soc->timer, offset);
	case BLOCK_DMA:
		return bcm2835_dma_read(soc->dma, offset);
	case BLOCK_INTC:
		return bcm2835_intc_read(soc->intc, offset);
	case BLOCK_GPIO:
		return bcm2835_gpio_read(soc->gpio, offset);
	case BLOCK_SPI:
		return bcm2835_spi_read(soc->spi, offset);
	default:
		return 0;
	}
}

static void write_word(struct bcm2835_soc *soc, uint32_t offset, uint32_t value)
{
	switch (find_block(&offset)) {
	case BLOCK_TIMER:
		bcm2835_timer_write(soc->timer, offset, value);
		break;
	case BLOCK_DMA:
		bcm2835_dma_write(soc->dma, offset, value);
		break;
	case BLOCK_INTC:
		bcm2835_intc_write(soc->intc, offset, value);
		break;
	case BLOCK_GPIO:
		bcm2835_gpio_write(soc->gpio, offset, value);
		update_wires(soc);
		break;
	case BLOCK_SPI:
		bcm2835_spi_write(soc->spi, offset, value);
		break;
	default:
		break;
	}
}

static bool dma_reg_read(void *arg, uint32_t addr, uint32_t *value)
{
	*value = read_word(arg, addr - BCM2835_SOC_BUS);
	return true;
}

static bool dma_reg_write(void *arg, uint32_t addr, uint32_t value)
{
	write_word(arg, addr - BCM2835_SOC_BUS, value);
	return true;
}

uint64_t bcm2835_soc_read(struct bcm2835_soc *soc, uint32_t offset, unsigned int size)
{
	uint32_t value, at = offset;

	if (size == 8)
		return bcm2835_soc_read(soc, offset, 4) |
		       bcm2835_soc_read(soc, offset + 4, 4) << 32;
	soc->cpu_reads[find_block(&at)]++;
	value = read_word(soc, offset & ~3u) >> 8 * (offset & 3);
	return size >= 4 ? value : value & ((1u << 8 * size) - 1);
}

void bcm2835_soc_write(struct bcm2835_soc *soc, uint32_t offset, unsigned int size,
		       uint64_t value)
{
	uint32_t at = offset;

	if (size == 8) {
		bcm2835_soc_write(soc, offset, 4, value & UINT32_MAX);
		bcm2835_soc_write(soc, offset + 4, 4, value >> 32);
		return;
	}
	soc->cpu_writes[find_block(&at)]++;
	if (size < 4)
		value &= (1u << 8 * size) - 1;
	write_word(soc, offset & ~3u, (uint32_t)(value << 8 * (offset & 3)));
}

void bcm2835_soc_attach(struct bcm2835_soc *soc, unsigned int pin, struct spi_slave *slave)
{
	spi_bus_attach(soc->bus, slave);
	soc->slave[soc->slaves++] = (struct soc_slave){ pin, slave };
	spi_bus_cs(soc->bus, slave, bcm2835_gpio_level(soc->gpio, pin));
}

static void set_function(struct bcm2835_soc *soc, unsigned int pin, uint32_t function)
{
	uint32_t at = BCM2835_SOC_GPIO + pin / 10 * 4;
	unsigned int shift = pin % 10 * 3;
	uint32_t value = read_word(soc, at);

	write_word(soc, at, (value & ~(7u << shift)) | function << shift);
}

void bcm2835_soc_spi_pins(struct bcm2835_soc *soc, bool native)
{
	uint32_t cs = native ? BCM2835_GPIO_ALT0 : BCM2835_GPIO_OUT;

	write_word(soc, BCM2835_SOC_GPIO + 0x1c, 1u << BCM2835_PIN_CE0 | 1u << BCM2835_PIN_CE1);
	set_function(soc, BCM2835_PIN_CE0, cs);
	set_function(soc, BCM2835_PIN_CE1, cs);
	set_function(soc, BCM2835_PIN_MISO, BCM2835_GPIO_ALT0);
	set_function(soc, BCM2835_PIN_MOSI, BCM2835_GPIO_ALT0);
	set_function(soc, BCM2835_PIN_SCLK, BCM2835_GPIO_ALT0);
}

void bcm2835_soc_gpio_input(struct bcm2835_soc *soc, unsigned int n, bool level)
{
	bcm2835_gpio_input(soc->gpio, n, level);
}

bool bcm2835_soc_gpio_level(const struct bcm2835_soc *soc, unsigned int n)
{
	return bcm2835_gpio_level(soc->gpio, n);
}

void bcm2835_soc_set_core_hz(struct bcm2835_soc *soc, uint32_t hz)
{
	bcm2835_spi_set_core_hz(soc->spi, hz);
}

struct bcm2835_spi *bcm2835_soc_spi(struct bcm2835_soc *soc)
{
	return soc->spi;
}

struct bcm2835_dma *bcm2835_soc_dma(struct bcm2835_soc *soc)
{
	return soc->dma;
}

struct bcm2835_gpio *bcm2835_soc_gpio(struct bcm2835_soc *soc)
{
	return soc->gpio;
}

struct bcm2835_intc *bcm2835_soc_intc(struct bcm2835_soc *soc)
{
	return soc->intc;
}

struct spi_bus *bcm2835_soc_bus(struct bcm2835_soc *soc)
{
	return soc->bus;
}

struct bcm2835_soc *bcm2835_soc_new(struct sim *sim, const struct bcm2835_soc_config *config,
				    const struct bcm2835_soc_ops *ops, void *arg)
{
	static const struct bcm2835_gpio_ops gpio_ops = { .irq = gpio_irq, .level = gpio_level };
	static const struct bcm2835_spi_ops spi_ops = {
		.irq = spi_irq, .dreq = spi_dreq, .cs = spi_cs,
	};
	static const struct bcm2835_dma_ops dma_ops = {
		.mem_read = dma_mem_read, .mem_write = dma_mem_write,
		.reg_read = dma_reg_read, .reg_write = dma_reg_write,
		.irq = dma_irq, .frame_end = dma_frame_end,
	};
	const struct bcm2835_spi_config spi_config = {
		.core_hz = config->core_hz,
		.errata = config->spi_errata,
		.clear_clocks = config->clear_clocks,
	};
	const struct bcm2835_dma_config dma_config = {
		.channels = config->bcm2711 ? 11 : 15,
		.errata = config->dma_errata,
		.costs = config->costs,
	};
	struct bcm2835_soc *soc = calloc(1, sizeof(*soc));

	if (!soc)
		abort();
	soc->sim = sim;
	soc->config = *config;
	if (ops)
		soc->ops = *ops;
	soc->arg = arg;
	soc->intc = bcm2835_intc_new(sim, config->intc_edge, intc_out, soc);
	soc->timer = bcm2835_timer_new(sim, timer_irq, soc);
	soc->gpio = bcm2835_gpio_new(sim, config->bcm2711, &gpio_ops, soc);
	soc->bus = spi_bus_new(sim, config->idle_miso);
	soc->dma = bcm2835_dma_new(sim, &dma_config, &dma_ops, soc);
	soc->spi = bcm2835_spi_new(sim, soc->bus, &spi_config, &spi_ops, soc);
	spi_cs(soc, 0, true);
	spi_cs(soc, 1, true);
	update_wires(soc);
	return soc;
}

void bcm2835_soc_free(struct bcm2835_soc *soc)
{
	if (!soc)
		return;
	bcm2835_spi_free(soc->spi);
	bcm2835_dma_free(soc->dma);
	spi_bus_free(soc->bus);
	bcm2835_gpio_free(soc->gpio);
	bcm2835_timer_free(soc->timer);
	bcm2835_intc_free(soc->intc);
	free(soc);
}

void bcm2835_soc_reset(struct bcm2835_soc *soc)
{
	bcm2835_dma_reset(soc->dma);
	bcm2835_spi_reset(soc->spi);
	bcm2835_gpio_reset(soc->gpio);
	update_wires(soc);
	bcm2835_timer_reset(soc->timer);
	bcm2835_intc_reset(soc->intc);
}
