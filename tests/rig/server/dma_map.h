/* SPDX-License-Identifier: GPL-2.0-only */
/* Which parts of guest memory a function may read and write, and where they are. */
#ifndef DMA_MAP_H
#define DMA_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DMA_WINDOWS 512

/**
 * struct dma_window - one piece of guest physical memory
 * @address, @size: where the guest sees it
 * @fd, @offset: the file it is a part of; -1: none, the window is known but
 *	cannot be reached
 * @data: the same in our address space, or NULL: then @fd is read and written.
 *	Only a file that can never shrink is mapped: touching a page beyond the
 *	end of a file would kill us.
 */
struct dma_window {
	uint64_t address;
	uint64_t size;
	uint64_t offset;
	uint8_t *data;
	int fd;
	bool readable;
	bool writable;
};

struct dma_map {
	size_t count;
	struct dma_window window[DMA_WINDOWS];
};

/*
 * Both return 0 or an errno value. dma_map_add() duplicates nothing: on success
 * the descriptor belongs to the map, otherwise to the caller.
 */
int dma_map_add(struct dma_map *map, const struct dma_window *window);
int dma_map_remove(struct dma_map *map, uint64_t address, uint64_t size);
void dma_map_clear(struct dma_map *map);

/* May cross from one window into the next; false if a byte is not there. */
bool dma_map_read(const struct dma_map *map, uint64_t address, void *buf,
		  size_t len);
bool dma_map_write(const struct dma_map *map, uint64_t address, const void *buf,
		   size_t len);

#endif
