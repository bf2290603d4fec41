// SPDX-License-Identifier: GPL-2.0-only
/*
 * Transfers by the CPU: without DMA channels, and for what chains cannot do
 *
 * The FIFOs are kept going by polling; while they are full at a slow clock the CPU
 * is left to others.
 */

#include "bcm2835dma.h"

#include <linux/delay.h>
#include <linux/gpio/consumer.h>
#include <linux/io.h>
#include <linux/ktime.h>
#include <linux/math64.h>

/* The FIFO holds so much that it is worth while to sleep */
#define BCM2835DMA_PIO_SLEEP_NS		100000
/* A byte takes 9 clocks (forum t=181154) */
#define BCM2835DMA_PIO_CLOCKS		9

/**
 * struct bcm2835dma_pio - a message under way
 * @b: controller
 * @spi: device
 * @cs: CS without TA
 * @selected: chip select is active
 */
struct bcm2835dma_pio {
	struct bcm2835dma *b;
	struct spi_device *spi;
	u32 cs;
	bool selected;
};

static void bcm2835dma_pio_wait(u32 ns)
{
	if (ns >= 10000)
		usleep_range(ns / 1000 + 1, ns / 1000 + ns / 4000 + 2);
	else if (ns >= 1000)
		udelay(DIV_ROUND_UP(ns, 1000));
	else if (ns)
		ndelay(ns);
}

static void bcm2835dma_pio_select(struct bcm2835dma_pio *pio, bool select)
{
	const struct bcm2835dma_chip *chip = &bcm2835dma_device(pio->spi)->chip;
	struct gpio_desc *gpio = canpipe_spi_csgpiod(pio->spi);

	if (select == pio->selected)
		return;
	pio->selected = select;

	if (!select)
		bcm2835dma_pio_wait(chip->cs_hold_ns);
	/* a native chip select follows TA, and the clock has to be at rest before any */
	if (!gpio || !select)
		writel(select ? pio->cs | BCM2835_SPI_CS_TA : pio->cs,
		       pio->b->spi + BCM2835_SPI_CS);
	if (gpio && !(pio->spi->mode & SPI_NO_CS))
		gpiod_set_value_cansleep(gpio, select);
	bcm2835dma_pio_wait(select ? chip->cs_setup_ns : chip->cs_inactive_ns);
}

/* How many of the bytes that were sent have come back */
static unsigned int bcm2835dma_pio_level(u32 cs, unsigned int sent)
{
	if (cs & BCM2835_SPI_CS_RXF)
		return sent;
	if (cs & BCM2835_SPI_CS_RXR)
		return min_t(unsigned int, sent, BCM2835_SPI_FIFO_SIZE * 3 / 4);
	return cs & BCM2835_SPI_CS_RXD ? 1 : 0;
}

static int bcm2835dma_pio_data(struct bcm2835dma_pio *pio, const struct spi_transfer *t,
			       const struct bcm2835dma_xfer *x)
{
	void __iomem *regs = pio->b->spi;
	/* a pause after each byte cannot be made with more than one on its way */
	const unsigned int ahead = x->word_delay_ns ? 1 : BCM2835_SPI_FIFO_SIZE;
	const u64 byte_ns = div_u64((u64)BCM2835DMA_PIO_CLOCKS * NSEC_PER_SEC,
				    t->effective_speed_hz);
	const u64 limit = byte_ns * t->len * BCM2835DMA_TIMEOUT_FACTOR +
			  (u64)x->word_delay_ns * t->len + BCM2835DMA_TIMEOUT_MS * NSEC_PER_MSEC;
	const u8 *tx = t->tx_buf;
	u8 *rx = t->rx_buf;
	unsigned int sent = 0, got = 0, n;
	ktime_t end = ktime_add_ns(ktime_get(), limit);

	while (got < t->len) {
		while (sent < t->len && sent - got < ahead) {
			writel(tx ? tx[sent] : 0, regs + BCM2835_SPI_FIFO);
			sent++;
		}

		n = bcm2835dma_pio_level(readl(regs + BCM2835_SPI_CS), sent - got);
		if (!n && ktime_after(ktime_get(), end))
			return -ETIMEDOUT;
		if (!n && byte_ns * (sent - got) > BCM2835DMA_PIO_SLEEP_NS)
			bcm2835dma_pio_wait(min_t(u64, byte_ns * (sent - got) / 2, NSEC_PER_MSEC));
		if (n && x->word_delay_ns)
			bcm2835dma_pio_wait(x->word_delay_ns);
		while (n--) {
			u8 byte = readl(regs + BCM2835_SPI_FIFO);

			if (rx)
				rx[got] = byte;
			got++;
		}
	}
	return 0;
}

static int bcm2835dma_pio_xfer(struct bcm2835dma_pio *pio, struct spi_transfer *t,
			       const struct bcm2835dma_xfer *x)
{
	struct bcm2835dma *b = pio->b;

	if (!t->len)
		return 0;
	/* 65536 is written as 0 */
	writel(bcm2835dma_cdiv(b->limits.core_hz, x->speed_hz) % BCM2835_SPI_CLK_MAX,
	       b->spi + BCM2835_SPI_CLK);
	writel(pio->cs | BCM2835_SPI_CS_TA, b->spi + BCM2835_SPI_CS);
	return bcm2835dma_pio_data(pio, t, x);
}

static int bcm2835dma_pio_message(struct bcm2835dma_pio *pio, struct spi_message *msg)
{
	struct bcm2835dma *b = pio->b;
	struct bcm2835dma_xfer x;
	struct spi_transfer *t;
	bool last;
	int err;

	list_for_each_entry(t, &msg->transfers, transfer_list) {
		last = list_is_last(&t->transfer_list, &msg->transfers);

		err = bcm2835dma_message_convert(b, pio->spi, t, &x);
		if (err)
			return err;
		bcm2835dma_pio_select(pio, !x.cs_off);
		err = bcm2835dma_pio_xfer(pio, t, &x);
		if (err)
			return err;
		msg->actual_length += t->len;
		bcm2835dma_pio_wait(x.delay_ns);

		if (t->cs_change && !last) {
			bcm2835dma_pio_select(pio, false);
			bcm2835dma_pio_wait(x.cs_change_ns);
		} else if (!t->cs_change && last) {
			bcm2835dma_pio_select(pio, false);
		}
	}
	return 0;
}

static void bcm2835dma_pio_begin(struct bcm2835dma_pio *pio)
{
	const struct bcm2835dma_chip *chip = &bcm2835dma_device(pio->spi)->chip;

	pio->cs = bcm2835dma_idle_cs(pio->b, pio->spi);
	if (chip->cs_kind == BCM2835DMA_CS_NATIVE && !(chip->mode & SPI_NO_CS))
		pio->cs = (pio->cs & ~BCM2835_SPI_CS_CS) | chip->cs_line;
	writel(pio->cs | BCM2835_SPI_CS_CLEAR_TX | BCM2835_SPI_CS_CLEAR_RX | BCM2835_SPI_CS_DONE,
	       pio->b->spi + BCM2835_SPI_CS);
	/* as the datasheet's software mode does not know of it (10.6.1) */
	writel(0, pio->b->spi + BCM2835_SPI_DLEN);
}

/* A chip select that stays active must be one that can be made inactive in any context. */
static void bcm2835dma_pio_end(struct bcm2835dma_pio *pio, int err)
{
	struct gpio_desc *gpio = canpipe_spi_csgpiod(pio->spi);
	bool hold = pio->selected && !err && gpio && !gpiod_cansleep(gpio);

	if (!hold)
		bcm2835dma_pio_select(pio, false);
	else
		pio->b->queue.held = pio->spi;
	if (err)
		bcm2835dma_engine_reset(pio->b);
	else
		bcm2835dma_engine_idle(pio->b, bcm2835dma_idle_cs(pio->b, pio->spi));
}

/**
 * bcm2835dma_pio_transfer() - transfer a message by the CPU
 * @b: controller
 * @msg: message
 *
 * Context: process, may sleep; one at a time
 * Return: 0 or a negative error
 */
int bcm2835dma_pio_transfer(struct bcm2835dma *b, struct spi_message *msg)
{
	struct bcm2835dma_pio pio = { .b = b, .spi = msg->spi };
	struct bcm2835dma_turn turn;
	int err;

	msg->actual_length = 0;
	bcm2835dma_acquire(b, &turn, msg->spi);
	bcm2835dma_pio_begin(&pio);
	err = bcm2835dma_pio_message(&pio, msg);
	bcm2835dma_pio_end(&pio, err);
	bcm2835dma_release(b, &turn);

	bcm2835dma_stats_add(b, &b->stats.pio_messages, 1);
	bcm2835dma_stats_add(b, &b->stats.pio_bytes, msg->actual_length);
	if (err)
		dev_err_ratelimited(&msg->spi->dev, "transfer by the CPU did not end (%pe)\n",
				    ERR_PTR(err));
	return err;
}
