// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hardware: two channels of the legacy DMA engine and the SPI block
 *
 * dmaengine reserves the channels and has their interrupts; the chains are not
 * its business, so their registers are written here. No block of ours raises a
 * channel's interrupt.
 */

#include "bcm2835dma.h"

#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/dmaengine.h>
#include <linux/io.h>
#include <linux/of.h>
#include <linux/of_address.h>

/* Legacy channels that a SoC can have; 15 is elsewhere and the VPU's */
#define BCM2835DMA_CHANNELS	15
/* Bytes of the transfer that tells which channel is ours */
#define BCM2835DMA_PROBE_LEN	32
/* Reads of CS until the writes under way are taken for stuck; about 100 us */
#define BCM2835DMA_ABORT_READS	1000
/* Reads of CONBLK_AD until a block that writes one word is taken for stuck; about 10 us */
#define BCM2835DMA_PASS_READS	100
/* Both channels: above the CPU's traffic when the FIFO is near its end, else below */
#define BCM2835DMA_CHAN_CS	(BCM2835_DMA_CS_PRIORITY(8) | BCM2835_DMA_CS_PANIC(15))

/* Where the firmware's and the DMA engine's bus sees a device: the address as it is in the tree */
static int bcm2835dma_bus_address(const struct device_node *np, u32 *addr)
{
	const __be32 *reg = of_get_address((struct device_node *)np, 0, NULL, NULL);

	if (!reg)
		return -EINVAL;
	*addr = of_read_number(reg, of_n_addr_cells((struct device_node *)np));
	return 0;
}

/*
 * Channels are handed out by dmaengine without their numbers. Give the channel
 * a transfer that cannot begin, as its DREQ is not asserted, and look in which
 * channel's registers our buffer turns up.
 *
 * The direction is from the peripheral to memory, so that nothing is damaged should the
 * DREQ be asserted after all. The peripheral's address is taken for a bus address by the
 * mainline driver and for a CPU address by the one of Raspberry Pi's kernels: that of a page
 * of RAM can be read in both cases.
 */
static int bcm2835dma_identify(struct bcm2835dma *b, struct dma_chan *chan, void __iomem *regs,
			       u32 mask, struct page *page)
{
	struct dma_slave_config cfg = {
		.direction = DMA_DEV_TO_MEM,
		.src_addr = page_to_phys(page),
		.src_addr_width = DMA_SLAVE_BUSWIDTH_4_BYTES,
		.dst_addr_width = DMA_SLAVE_BUSWIDTH_4_BYTES,
	};
	struct dma_async_tx_descriptor *desc;
	int found = -ENODEV;
	unsigned int n;
	dma_addr_t buf;
	void *mem;
	u32 dest;

	mem = dma_alloc_coherent(chan->device->dev, BCM2835DMA_PROBE_LEN, &buf, GFP_KERNEL);
	if (!mem)
		return -ENOMEM;

	if (dmaengine_slave_config(chan, &cfg))
		goto out;
	desc = dmaengine_prep_slave_single(chan, buf, BCM2835DMA_PROBE_LEN, DMA_DEV_TO_MEM, 0);
	if (!desc || dma_submit_error(dmaengine_submit(desc)))
		goto terminate;
	dma_async_issue_pending(chan);
	/* loading a control block takes less than 1 us */
	usleep_range(10, 20);

	for (n = 0; n < BCM2835DMA_CHANNELS; n++) {
		if (!(mask & BIT(n)))
			continue;
		dest = readl(regs + n * BCM2835_DMA_CHAN_SIZE + BCM2835_DMA_DEST_AD);
		if (dest < buf || dest > buf + BCM2835DMA_PROBE_LEN)
			continue;
		/* two at one address: the registers are not what we think they are */
		found = found < 0 ? (int)n : -EIO;
		if (found < 0)
			break;
	}

terminate:
	dmaengine_terminate_sync(chan);
out:
	dma_free_coherent(chan->device->dev, BCM2835DMA_PROBE_LEN, mem, buf);
	return found;
}

static bool bcm2835dma_chan_lite(const void __iomem *chan)
{
	return readl(chan + BCM2835_DMA_DEBUG) & BCM2835_DMA_DEBUG_LITE;
}

/* Which of the two does what: the DREQ is in the control block, so both can do both. */
static void bcm2835dma_assign(struct bcm2835dma *b, void __iomem *regs, u32 bus, int n0, int n1)
{
	int rx = n1, tx = n0;

	/* the RX channel is the one that profits from what lite channels lack */
	if (bcm2835dma_chan_lite(regs + n1 * BCM2835_DMA_CHAN_SIZE) &&
	    !bcm2835dma_chan_lite(regs + n0 * BCM2835_DMA_CHAN_SIZE)) {
		rx = n0;
		tx = n1;
	}

	b->rx = regs + rx * BCM2835_DMA_CHAN_SIZE;
	b->tx = regs + tx * BCM2835_DMA_CHAN_SIZE;
	b->rx_cs = BCM2835_DMA_CS_ACTIVE | BCM2835DMA_CHAN_CS;
	b->limits.rx_lite = bcm2835dma_chan_lite(b->rx);
	b->limits.tx_lite = bcm2835dma_chan_lite(b->tx);
	b->limits.tx_chan = bus + tx * BCM2835_DMA_CHAN_SIZE;
	b->limits.tx_chan_cs = BCM2835DMA_CHAN_CS;
	b->limits.tx_dreq = BCM2835_SPI_DREQ_TX;
	b->limits.rx_dreq = BCM2835_SPI_DREQ_RX;
	dev_info(b->dev, "DMA channels %d%s (rx) and %d%s (tx)\n", rx,
		 b->limits.rx_lite ? " lite" : "", tx, b->limits.tx_lite ? " lite" : "");
}

/* The engine's registers, mapped beside its own driver, which has claimed them. */
static void __iomem *bcm2835dma_map_engine(struct bcm2835dma *b, u32 *bus, u32 *mask)
{
	struct of_phandle_args spec;
	struct resource res;
	int err;

	err = of_parse_phandle_with_args(b->dev->of_node, "dmas", "#dma-cells", 0, &spec);
	if (err)
		return IOMEM_ERR_PTR(err);

	err = of_address_to_resource(spec.np, 0, &res);
	if (!err)
		err = bcm2835dma_bus_address(spec.np, bus);
	if (!err && of_property_read_u32(spec.np, "brcm,dma-channel-mask", mask))
		*mask = GENMASK(BCM2835DMA_CHANNELS - 1, 0);
	of_node_put(spec.np);
	if (err)
		return IOMEM_ERR_PTR(err);

	return devm_ioremap(b->dev, res.start, resource_size(&res)) ?: IOMEM_ERR_PTR(-ENOMEM);
}

static int bcm2835dma_identify_both(struct bcm2835dma *b)
{
	void __iomem *regs;
	struct page *page;
	u32 bus, mask;
	int n0, n1;

	regs = bcm2835dma_map_engine(b, &bus, &mask);
	if (IS_ERR(regs))
		return PTR_ERR(regs);

	/* GFP_DMA: the first GiB, which is all that the engine sees */
	page = alloc_page(GFP_KERNEL | GFP_DMA);
	if (!page)
		return -ENOMEM;
	n0 = bcm2835dma_identify(b, b->chan[0], regs, mask, page);
	n1 = n0 < 0 ? n0 : bcm2835dma_identify(b, b->chan[1], regs, mask, page);
	__free_page(page);
	if (n1 < 0)
		return n1;
	if (n0 == n1)
		return -EIO;

	bcm2835dma_assign(b, regs, bus, n0, n1);
	return 0;
}

/**
 * bcm2835dma_engine_claim() - get two DMA channels and learn which ones they are
 * @b: controller
 *
 * Context: probe
 * Return: 0, -EPROBE_DEFER if the DMA engine's driver is still to come, or another
 * negative error: there is no DMA to be had
 */
int bcm2835dma_engine_claim(struct bcm2835dma *b)
{
	static const char * const names[] = { "tx", "rx" };
	unsigned int i;
	int err;

	err = bcm2835dma_bus_address(b->dev->of_node, &b->limits.spi);
	if (err)
		return err;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct dma_chan *chan = dma_request_chan(b->dev, names[i]);

		if (IS_ERR(chan)) {
			err = PTR_ERR(chan);
			goto err_release;
		}
		b->chan[i] = chan;
	}

	b->words = dmam_alloc_coherent(b->dev, 2 * sizeof(*b->words), &b->words_dma, GFP_KERNEL);
	if (!b->words) {
		err = -ENOMEM;
		goto err_release;
	}
	b->words[1] = 0;
	b->limits.scratch = b->words_dma;
	b->limits.zero = b->words_dma + sizeof(*b->words);

	err = bcm2835dma_identify_both(b);
	if (err)
		goto err_release;
	return 0;

err_release:
	bcm2835dma_engine_release(b);
	return err;
}

/**
 * bcm2835dma_engine_release() - give the channels back
 * @b: controller, nothing is running
 *
 * Context: process, may sleep
 */
void bcm2835dma_engine_release(struct bcm2835dma *b)
{
	unsigned int i;

	b->rx = NULL;
	b->tx = NULL;
	for (i = 0; i < ARRAY_SIZE(b->chan); i++) {
		if (b->chan[i])
			dma_release_channel(b->chan[i]);
		b->chan[i] = NULL;
	}
}

/**
 * bcm2835dma_engine_start() - let the RX channel run a chain
 * @b: controller
 * @first: bus address of the first control block
 *
 * Context: any, with the queue's lock held. The channel is idle.
 */
void bcm2835dma_engine_start(struct bcm2835dma *b, u32 first)
{
	/* writel() makes the blocks visible before the channel can look at them */
	writel(first, b->rx + BCM2835_DMA_CONBLK_AD);
	writel(b->rx_cs, b->rx + BCM2835_DMA_CS);
}

/**
 * bcm2835dma_engine_ended() - is the RX channel at the end of its chain?
 * @b: controller
 *
 * CONBLK_AD tells it reliably, ACTIVE does not.
 *
 * Context: any, with the queue's lock held
 * Return: true if the channel can be started again
 */
bool bcm2835dma_engine_ended(const struct bcm2835dma *b)
{
	return !readl(b->rx + BCM2835_DMA_CONBLK_AD);
}

/**
 * bcm2835dma_engine_passed() - has the RX channel stopped behind a block?
 * @b: controller
 * @block: the last block but for those that have just been put behind it
 *
 * While the channel is at that very block it may have loaded it before or after the change;
 * that takes some 100 ns.
 *
 * Context: any, with the queue's lock held
 * Return: true if it has seen none behind it, and stopped
 */
bool bcm2835dma_engine_passed(const struct bcm2835dma *b, u32 block)
{
	unsigned int reads = BCM2835DMA_PASS_READS;
	u32 now;

	/* the change must be in memory before the channel is looked at */
	mb();
	do {
		now = readl(b->rx + BCM2835_DMA_CONBLK_AD);
	} while (now == block && --reads);
	return !now;
}

/**
 * bcm2835dma_engine_idle() - put the SPI block to rest, and with it its interrupt
 * @b: controller
 * @cs: what to write to CS
 *
 * Context: any, with the queue's lock held. No chain is running.
 */
void bcm2835dma_engine_idle(struct bcm2835dma *b, u32 cs)
{
	writel(cs, b->spi + BCM2835_SPI_CS);
}

/* Stop a channel wherever it is. Returns true if it had met an error. */
static bool bcm2835dma_chan_abort(void __iomem *chan)
{
	const u32 errors = BCM2835_DMA_DEBUG_LAST_NOT_SET | BCM2835_DMA_DEBUG_FIFO_ERROR |
			   BCM2835_DMA_DEBUG_READ_ERROR;
	unsigned int reads = BCM2835DMA_ABORT_READS;
	bool error;

	/* pause, and let the writes under way end: their answers must not meet the reset */
	writel(0, chan + BCM2835_DMA_CS);
	while (readl(chan + BCM2835_DMA_CS) & BCM2835_DMA_CS_WAITING && --reads)
		cpu_relax();

	error = readl(chan + BCM2835_DMA_DEBUG) & errors;
	if (error)
		writel(errors, chan + BCM2835_DMA_DEBUG);
	writel(BCM2835_DMA_CS_RESET, chan + BCM2835_DMA_CS);
	return error;
}

/**
 * bcm2835dma_engine_abort() - break off the running chain
 * @b: controller
 *
 * Context: any, with the queue's lock held. Up to some 100 us if the bus is stuck.
 * Return: -EIO if the DMA engine had met an error, else -ETIMEDOUT
 */
int bcm2835dma_engine_abort(struct bcm2835dma *b)
{
	/* the RX channel first: it starts the other one */
	bool rx = bcm2835dma_chan_abort(b->rx);
	bool tx = bcm2835dma_chan_abort(b->tx);

	bcm2835dma_engine_reset(b);
	return rx || tx ? -EIO : -ETIMEDOUT;
}

/**
 * bcm2835dma_engine_reset() - put the SPI block into a known state
 * @b: controller
 *
 * Context: any. No chain is running.
 */
void bcm2835dma_engine_reset(struct bcm2835dma *b)
{
	const u32 idle = BCM2835_SPI_CS_CS_NONE | b->limits.spi_cs;

	writel(idle | BCM2835_SPI_CS_CLEAR_TX | BCM2835_SPI_CS_CLEAR_RX | BCM2835_SPI_CS_DONE,
	       b->spi + BCM2835_SPI_CS);
	writel(0, b->spi + BCM2835_SPI_DLEN);
	writel(BCM2835_SPI_DC_DRIVER, b->spi + BCM2835_SPI_DC);
}
