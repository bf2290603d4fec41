// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE		/* F_GET_SEALS */
#include "dma_map.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool overlaps(const struct dma_window *a, const struct dma_window *b)
{
	return a->address - b->address < b->size ||
	       b->address - a->address < a->size;
}

/* Does the file hold the window's bytes, and will it always? */
static int check_file(const struct dma_window *w, bool *permanent)
{
	struct stat st;
	int seals;

	if (fstat(w->fd, &st) < 0)
		return EBADF;
	if (!S_ISREG(st.st_mode))
		return EINVAL;
	if (w->offset > (uint64_t)st.st_size ||
	    w->size > (uint64_t)st.st_size - w->offset)
		return EINVAL;
	seals = fcntl(w->fd, F_GET_SEALS);
	*permanent = seals >= 0 && (seals & F_SEAL_SHRINK);
	return 0;
}

int dma_map_add(struct dma_map *map, const struct dma_window *window)
{
	struct dma_window *new = &map->window[map->count];
	int prot = (window->readable ? PROT_READ : 0) |
		   (window->writable ? PROT_WRITE : 0);
	bool permanent = false;
	long page = sysconf(_SC_PAGESIZE);
	int rc;

	if (map->count == DMA_WINDOWS)
		return ENOSPC;
	if (!window->size || !prot ||
	    window->address + window->size - 1 < window->address ||
	    window->offset + window->size < window->offset)
		return EINVAL;
	if ((window->address | window->size | window->offset) & (uint64_t)(page - 1))
		return EINVAL;
	for (size_t i = 0; i < map->count; i++) {
		if (overlaps(&map->window[i], window))
			return EEXIST;
	}
	rc = window->fd < 0 ? 0 : check_file(window, &permanent);
	if (rc)
		return rc;
	*new = *window;
	new->data = NULL;
	if (window->fd >= 0 && permanent) {
		void *data = mmap(NULL, window->size, prot, MAP_SHARED, window->fd,
				  (off_t)window->offset);

		if (data == MAP_FAILED)
			return errno;
		new->data = data;
	}
	map->count++;
	return 0;
}

static void drop(struct dma_map *map, size_t i)
{
	struct dma_window *w = &map->window[i];

	if (w->data)
		munmap(w->data, w->size);
	if (w->fd >= 0)
		close(w->fd);
	*w = map->window[--map->count];
}

int dma_map_remove(struct dma_map *map, uint64_t address, uint64_t size)
{
	for (size_t i = 0; i < map->count; i++) {
		if (map->window[i].address == address && map->window[i].size == size) {
			drop(map, i);
			return 0;
		}
	}
	return ENOENT;
}

void dma_map_clear(struct dma_map *map)
{
	while (map->count)
		drop(map, map->count - 1);
}

static const struct dma_window *find(const struct dma_map *map, uint64_t address)
{
	for (size_t i = 0; i < map->count; i++) {
		if (address - map->window[i].address < map->window[i].size)
			return &map->window[i];
	}
	return NULL;
}

static bool copy_out(const struct dma_window *w, uint64_t at, void *buf, size_t len)
{
	if (!w->readable)
		return false;
	if (w->data) {
		memcpy(buf, w->data + at, len);
		return true;
	}
	return pread(w->fd, buf, len, (off_t)(w->offset + at)) == (ssize_t)len;
}

static bool copy_in(const struct dma_window *w, uint64_t at, const void *buf, size_t len)
{
	if (!w->writable)
		return false;
	if (w->data) {
		memcpy(w->data + at, buf, len);
		return true;
	}
	return pwrite(w->fd, buf, len, (off_t)(w->offset + at)) == (ssize_t)len;
}

/* The part of an access that lies in the window where it begins. */
static const struct dma_window *part(const struct dma_map *map, uint64_t address,
				     size_t len, uint64_t *at, size_t *n)
{
	const struct dma_window *w = find(map, address);

	if (!w)
		return NULL;
	*at = address - w->address;
	*n = len < w->size - *at ? len : (size_t)(w->size - *at);
	return w;
}

bool dma_map_read(const struct dma_map *map, uint64_t address, void *buf, size_t len)
{
	const struct dma_window *w;
	uint8_t *p = buf;
	uint64_t at;
	size_t n;

	for (; len; len -= n, p += n, address += n) {
		w = part(map, address, len, &at, &n);
		if (!w || !copy_out(w, at, p, n))
			return false;
	}
	return true;
}

bool dma_map_write(const struct dma_map *map, uint64_t address, const void *buf,
		   size_t len)
{
	const struct dma_window *w;
	const uint8_t *p = buf;
	uint64_t at;
	size_t n;

	for (; len; len -= n, p += n, address += n) {
		w = part(map, address, len, &at, &n);
		if (!w || !copy_in(w, at, p, n))
			return false;
	}
	return true;
}
