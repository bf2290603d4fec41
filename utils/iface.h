/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A CAN interface: what the kernel says of it (link.h), and the device behind it
 */
#ifndef CANPIPE_IFACE_H
#define CANPIPE_IFACE_H

#include "canpipe.h"
#include "link.h"
#include "system.h"

enum bus { BUS_NONE, BUS_SPI, BUS_PCI, BUS_PLATFORM, BUS_OTHER };

enum trigger { TRIGGER_UNKNOWN, TRIGGER_LEVEL, TRIGGER_EDGE };

struct iface_spi {
	char *controller;	/* device of the SPI controller: 3f204000.spi */
	char *driver;		/* of the controller */
	int chip_select;
	uint32_t asked_hz;	/* spi-max-frequency of the device tree */
	uint32_t limit_hz;	/* what the chip stands */
	uint32_t core_hz;	/* the clock that the controller's driver divides; 0: unknown */
	uint32_t core_now_hz;	/* what the firmware says that it is now; 0: it does not tell */
	uint32_t real_hz;	/* what comes of these; 0: unknown */
	bool by_dma;		/* spi-bcm2835dma, with DMA channels */
};

struct iface_irq {
	int number;		/* -1: none, as while the interface is down */
	char *chip;
	long long count;	/* interrupts so far */
	int pin;		/* level of its pin: 0, 1, -1 unknown */
};

struct iface {
	const struct link *link;
	enum bus bus;
	char *device;		/* name on its bus: spi0.0, 0000:02:0c.3; NULL: no device */
	char *driver;		/* as bound in sysfs; "" if none */
	char *module;		/* "" if built in */
	char *compatible;	/* device tree, NULL: not by device tree */
	uint32_t crystal_hz;	/* device tree; 0: unknown */
	unsigned int crystal_khz;	/* what the driver has measured, if it is something else */
	enum trigger trigger;	/* now: canpipe's mcp251x makes it an edge while frames come fast */
	enum trigger wanted_trigger;	/* device tree */
	bool ours;		/* the driver is one of this package */
	struct iface_spi spi;
	struct iface_irq irq;
};

/* link and system must stay as long as the result is used */
void iface_read(const struct canpipe *cp, const struct system *s, const struct link *link,
		struct iface *iface);
void iface_clear(struct iface *iface);

/* what changes by itself: the interrupt's count and its pin */
void iface_read_irq(const struct canpipe *cp, struct iface *iface);

/* the highest SPI clock of a chip that mcp251x drives, 0 for others */
uint32_t iface_spi_limit(const char *compatible);

/* the SPI clock that the BCM2835's divider makes of a core clock: even, rounded up */
uint32_t iface_bcm2835_clock(uint32_t core_hz, uint32_t asked_hz);

#endif
