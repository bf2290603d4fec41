// SPDX-License-Identifier: GPL-2.0-only
/*
 * Statistics: /sys/kernel/debug/spi-bcm2835dma-DEVICE/statistics
 */

#include "bcm2835dma.h"

#include <linux/debugfs.h>
#include <linux/seq_file.h>

#define BCM2835DMA_STAT(name)	{ #name, offsetof(struct bcm2835dma_stats, name) }

static const struct {
	const char *name;
	size_t offset;
} bcm2835dma_stat_names[] = {
	BCM2835DMA_STAT(messages),
	BCM2835DMA_STAT(prepared),
	BCM2835DMA_STAT(blocks),
	BCM2835DMA_STAT(bytes),
	BCM2835DMA_STAT(starts),
	BCM2835DMA_STAT(appends),
	BCM2835DMA_STAT(late_appends),
	BCM2835DMA_STAT(polled),
	BCM2835DMA_STAT(ahead),
	BCM2835DMA_STAT(interrupts),
	BCM2835DMA_STAT(foreign_interrupts),
	BCM2835DMA_STAT(pio_messages),
	BCM2835DMA_STAT(pio_bytes),
	BCM2835DMA_STAT(timeouts),
	BCM2835DMA_STAT(dma_errors),
	BCM2835DMA_STAT(lost_interrupts),
	BCM2835DMA_STAT(aborts),
	BCM2835DMA_STAT(cancelled),
	BCM2835DMA_STAT(refused),
	BCM2835DMA_STAT(depth_max),
	BCM2835DMA_STAT(compiled),
};

static int bcm2835dma_statistics_show(struct seq_file *s, void *unused)
{
	struct bcm2835dma *b = s->private;
	struct bcm2835dma_stats stats;
	unsigned int depth, i;
	unsigned long flags;

	raw_spin_lock_irqsave(&b->queue.lock, flags);
	stats = b->stats;
	depth = b->queue.depth;
	raw_spin_unlock_irqrestore(&b->queue.lock, flags);

	seq_printf(s, "dma %u\n", b->rx ? 1 : 0);
	seq_printf(s, "core_hz %u\n", b->limits.core_hz);
	seq_printf(s, "depth %u\n", depth);
	for (i = 0; i < ARRAY_SIZE(bcm2835dma_stat_names); i++)
		seq_printf(s, "%s %llu\n", bcm2835dma_stat_names[i].name,
			   *(u64 *)((char *)&stats + bcm2835dma_stat_names[i].offset));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(bcm2835dma_statistics);

/**
 * bcm2835dma_debugfs_init() - make the files
 * @b: controller
 *
 * Context: probe
 */
void bcm2835dma_debugfs_init(struct bcm2835dma *b)
{
	char name[64];

	snprintf(name, sizeof(name), "spi-bcm2835dma-%s", dev_name(b->dev));
	b->debugfs = debugfs_create_dir(name, NULL);
	debugfs_create_file("statistics", 0444, b->debugfs, b, &bcm2835dma_statistics_fops);
}

/**
 * bcm2835dma_debugfs_exit() - take them away
 * @b: controller
 *
 * Context: process
 */
void bcm2835dma_debugfs_exit(struct bcm2835dma *b)
{
	debugfs_remove_recursive(b->debugfs);
}
