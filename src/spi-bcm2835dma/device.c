// SPDX-License-Identifier: GPL-2.0-only
/*
 * SPI devices and their chip selects
 *
 * A chip select is a GPIO that the SPI core has requested and set up, or one of the
 * SPI block's own. The core toggles it in spi_setup() only; else it is toggled by chains, or
 * by the CPU if the GPIO belongs to some other chip.
 */

#include "bcm2835dma.h"

#include <linux/gpio/consumer.h>
#include <linux/of.h>
#include <linux/of_address.h>
#include <linux/slab.h>

/* What the compiler is told of a device's mode */
#define BCM2835DMA_MODES	(SPI_CPHA | SPI_CPOL | SPI_CS_HIGH | SPI_LSB_FIRST | \
				 SPI_3WIRE | SPI_NO_CS)

static const struct of_device_id bcm2835dma_gpio_ids[] = {
	{ .compatible = "brcm,bcm2835-gpio" },
	{ .compatible = "brcm,bcm2711-gpio" },
	{ .compatible = "brcm,bcm7211-gpio" },
	{ }
};

/* The line of the SoC that a chip select is, and its block's bus address. */
static int bcm2835dma_gpio_line(const struct bcm2835dma *b, unsigned int cs, u32 *gpio)
{
	struct of_phandle_args spec;
	const __be32 *reg = NULL;
	int line = -ENODEV;

	if (of_parse_phandle_with_args(b->dev->of_node, "cs-gpios", "#gpio-cells", cs, &spec))
		return -ENODEV;

	if (of_match_node(bcm2835dma_gpio_ids, spec.np) && spec.args_count &&
	    spec.args[0] < BCM2835_GPIO_LINES)
		reg = of_get_address(spec.np, 0, NULL, NULL);
	if (reg) {
		*gpio = of_read_number(reg, of_n_addr_cells(spec.np));
		line = spec.args[0];
	}
	of_node_put(spec.np);
	return line;
}

/**
 * bcm2835dma_find_gpio() - where the SoC's GPIO block is, for chip selects
 * @b: controller
 *
 * Context: probe
 */
void bcm2835dma_find_gpio(struct bcm2835dma *b)
{
	int num = of_count_phandle_with_args(b->dev->of_node, "cs-gpios", "#gpio-cells");
	int i;

	for (i = 0; i < num; i++)
		if (bcm2835dma_gpio_line(b, i, &b->limits.gpio) >= 0)
			return;
}

static int bcm2835dma_setup_gpio(struct bcm2835dma *b, struct spi_device *spi,
				 struct bcm2835dma_device *device)
{
	struct gpio_desc *gpio = canpipe_spi_csgpiod(spi);
	u32 block;
	int line;

	device->chip.cs_kind = BCM2835DMA_CS_GPIO;
	/* the GPIO library knows all that the tree and the SPI core say about it */
	device->chip.cs_high = !gpiod_is_active_low(gpio);

	line = bcm2835dma_gpio_line(b, canpipe_spi_chipselect(spi), &block);
	device->by_dma = line >= 0;
	device->chip.cs_line = max(line, 0);
	if (line < 0 && b->rx)
		dev_info(&spi->dev,
			 "chip select is not a GPIO of the SoC: transfers are done by the CPU\n");
	return 0;
}

static int bcm2835dma_setup_native(struct bcm2835dma *b, struct spi_device *spi,
				   struct bcm2835dma_device *device)
{
	u8 cs = canpipe_spi_chipselect(spi);
	u32 polarity, spi_cs;

	if (cs >= BCM2835DMA_NATIVE_CS) {
		dev_err(&spi->dev, "no native chip select %u: use cs-gpios\n", cs);
		return -EINVAL;
	}
	device->chip.cs_kind = BCM2835DMA_CS_NATIVE;
	device->chip.cs_line = cs;
	device->chip.cs_high = spi->mode & SPI_CS_HIGH;
	device->by_dma = true;

	/* the polarity of all lines is in the register that each message writes */
	polarity = BCM2835_SPI_CS_CSPOL_N(cs);
	spi_cs = b->limits.spi_cs & ~polarity;
	if (device->chip.cs_high)
		spi_cs |= polarity;
	if (spi_cs != b->limits.spi_cs)
		bcm2835dma_set_limits(b, b->limits.core_hz, spi_cs);
	return 0;
}

/**
 * bcm2835dma_setup() - settings of a SPI device
 * @spi: device
 *
 * Context: process, may sleep; nothing is submitted for the device
 * Return: 0 or a negative error
 */
int bcm2835dma_setup(struct spi_device *spi)
{
	struct bcm2835dma *b = spi_controller_get_devdata(spi->controller);
	struct bcm2835dma_device *device = bcm2835dma_device(spi);
	int setup, hold, inactive;

	if (!canpipe_spi_one_chipselect(spi)) {
		dev_err(&spi->dev, "one chip select at a time is all that this controller can\n");
		return -EINVAL;
	}
	if (!device) {
		device = kzalloc(sizeof(*device), GFP_KERNEL);
		if (!device)
			return -ENOMEM;
		INIT_LIST_HEAD(&device->cache);
		spi_set_ctldata(spi, device);
	}

	setup = canpipe_spi_cs_setup_ns(spi);
	hold = canpipe_spi_cs_hold_ns(spi);
	inactive = canpipe_spi_cs_inactive_ns(spi);
	if (setup < 0 || hold < 0 || inactive < 0) {
		dev_err(&spi->dev, "timing of the chip select: not in microseconds or nanoseconds\n");
		return -EINVAL;
	}
	device->chip.cs_setup_ns = setup;
	device->chip.cs_hold_ns = hold;
	device->chip.cs_inactive_ns = inactive;
	device->chip.mode = spi->mode & BCM2835DMA_MODES;

	if (canpipe_spi_csgpiod(spi))
		return bcm2835dma_setup_gpio(b, spi, device);
	return bcm2835dma_setup_native(b, spi, device);
}

/**
 * bcm2835dma_cleanup() - a SPI device goes away
 * @spi: device
 *
 * Context: process
 */
void bcm2835dma_cleanup(struct spi_device *spi)
{
	struct bcm2835dma *b = spi_controller_get_devdata(spi->controller);
	struct bcm2835dma_device *device = bcm2835dma_device(spi);
	unsigned long flags;

	if (!device)
		return;
	/* spidev goes away while a message of its own is under way */
	mutex_lock(&spi->controller->io_mutex);
	bcm2835dma_ahead_drop(b, spi);
	raw_spin_lock_irqsave(&b->queue.lock, flags);
	if (b->queue.held == spi)
		bcm2835dma_release_held(&b->queue, NULL);
	raw_spin_unlock_irqrestore(&b->queue.lock, flags);
	spi_set_ctldata(spi, NULL);
	mutex_unlock(&spi->controller->io_mutex);

	bcm2835dma_cache_clear(b, device);
	kfree(device);
}

/**
 * bcm2835dma_idle_cs() - the SPI block's CS when no message is under way
 * @b: controller
 * @spi: device of the last message: a clock that idles high stays there, should the
 *	chip select stay active
 *
 * Context: any
 * Return: value of CS: nothing is enabled, no chip select of the SPI block is active
 */
u32 bcm2835dma_idle_cs(const struct bcm2835dma *b, const struct spi_device *spi)
{
	u32 cs = b->limits.spi_cs | BCM2835_SPI_CS_CS_NONE;

	if (spi->mode & SPI_CPHA)
		cs |= BCM2835_SPI_CS_CPHA;
	if (spi->mode & SPI_CPOL)
		cs |= BCM2835_SPI_CS_CPOL;
	return cs;
}

/**
 * bcm2835dma_deselect() - make a device's chip select inactive
 * @spi: device. Native ones are inactive whenever the SPI block is not enabled.
 *
 * Context: any; the SPI block is idle
 */
void bcm2835dma_deselect(struct spi_device *spi)
{
	struct gpio_desc *gpio = canpipe_spi_csgpiod(spi);

	if (gpio && !(spi->mode & SPI_NO_CS))
		gpiod_set_value(gpio, 0);
}
