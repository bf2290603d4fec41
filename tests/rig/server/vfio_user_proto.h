/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The vfio-user protocol on the wire, as QEMU's docs/interop/vfio-user.rst
 * specifies it. Everything is in the byte order of the host: both ends are on
 * the same machine.
 */
#ifndef VFIO_USER_PROTO_H
#define VFIO_USER_PROTO_H

#include <stdint.h>

enum vfio_user_command {
	VFIO_USER_VERSION = 1,
	VFIO_USER_DMA_MAP = 2,
	VFIO_USER_DMA_UNMAP = 3,
	VFIO_USER_DEVICE_GET_INFO = 4,
	VFIO_USER_GET_REGION_INFO = 5,
	VFIO_USER_GET_IRQ_INFO = 7,
	VFIO_USER_SET_IRQS = 8,
	VFIO_USER_REGION_READ = 9,
	VFIO_USER_REGION_WRITE = 10,
	VFIO_USER_DEVICE_RESET = 13,
};

#define VFIO_USER_TYPE_MASK	0x0fu
#define VFIO_USER_TYPE_COMMAND	0u
#define VFIO_USER_TYPE_REPLY	1u
#define VFIO_USER_NO_REPLY	0x10u
#define VFIO_USER_ERROR		0x20u

struct vfio_user_header {
	uint16_t id;
	uint16_t command;
	uint32_t size;		/* of the whole message */
	uint32_t flags;
	uint32_t error;		/* an errno value, in replies */
};

struct vfio_user_version {
	uint16_t major;
	uint16_t minor;
	/* JSON text with a terminating NUL follows */
};

#define VFIO_USER_MAJOR	0
#define VFIO_USER_MINOR	0

#define VFIO_USER_DMA_READABLE	1u
#define VFIO_USER_DMA_WRITABLE	2u

struct vfio_user_dma_map {
	uint32_t argsz;
	uint32_t flags;
	uint64_t offset;
	uint64_t address;
	uint64_t size;
};

#define VFIO_USER_UNMAP_DIRTY	1u
#define VFIO_USER_UNMAP_ALL	2u

struct vfio_user_dma_unmap {
	uint32_t argsz;
	uint32_t flags;
	uint64_t address;
	uint64_t size;
};

#define VFIO_USER_DEVICE_RESETS	1u
#define VFIO_USER_DEVICE_PCI	2u

struct vfio_user_device_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t regions;
	uint32_t irqs;
};

/* Regions 0 to 5 are the BARs. */
#define VFIO_USER_REGION_ROM	6u
#define VFIO_USER_REGION_CONFIG	7u
#define VFIO_USER_REGIONS	9u

#define VFIO_USER_REGION_READABLE	1u
#define VFIO_USER_REGION_WRITABLE	2u

struct vfio_user_region_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t index;
	uint32_t cap_offset;
	uint64_t size;
	uint64_t offset;
};

#define VFIO_USER_IRQ_INTX	0u
#define VFIO_USER_IRQ_MSI	1u
#define VFIO_USER_IRQS		5u

#define VFIO_USER_IRQ_EVENTFD	1u
#define VFIO_USER_IRQ_MASKABLE	2u
#define VFIO_USER_IRQ_AUTOMASKED 4u

struct vfio_user_irq_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t index;
	uint32_t count;
};

#define VFIO_USER_SET_DATA_NONE		0x01u
#define VFIO_USER_SET_DATA_BOOL		0x02u
#define VFIO_USER_SET_DATA_EVENTFD	0x04u
#define VFIO_USER_SET_DATA_MASK		0x07u
#define VFIO_USER_SET_MASK		0x08u
#define VFIO_USER_SET_UNMASK		0x10u
#define VFIO_USER_SET_TRIGGER		0x20u
#define VFIO_USER_SET_ACTION_MASK	0x38u

struct vfio_user_set_irqs {
	uint32_t argsz;
	uint32_t flags;
	uint32_t index;
	uint32_t start;
	uint32_t count;
	/* count bytes follow with VFIO_USER_SET_DATA_BOOL */
};

struct vfio_user_region_access {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
	/* the data follows */
};

#endif
