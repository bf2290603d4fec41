/* SPDX-License-Identifier: GPL-2.0-only */
/* The GPIO block (BCM2835 ARM Peripherals, chapter 6), at bus address 0x7E200000. */
#ifndef BCM2835_GPIO_H
#define BCM2835_GPIO_H

#include "sim.h"

#define BCM2835_GPIO_LINES	54
#define BCM2835_GPIO_SIZE	0x100
#define BCM2835_GPIO_REGS	64	/* at offset 4 * n */

/* Values of a pin's function */
enum {
	BCM2835_GPIO_IN = 0, BCM2835_GPIO_OUT = 1,
	BCM2835_GPIO_ALT0 = 4, BCM2835_GPIO_ALT1 = 5, BCM2835_GPIO_ALT2 = 6,
	BCM2835_GPIO_ALT3 = 7, BCM2835_GPIO_ALT4 = 3, BCM2835_GPIO_ALT5 = 2,
};

/**
 * struct bcm2835_gpio_ops - outputs; each may be NULL
 * @irq: interrupt line 0 to 2 (lines 0..27, 28..45, 46..53) or 3 (any) has changed
 * @level: the level of pin @n has changed, whoever drives it
 */
struct bcm2835_gpio_ops {
	void (*irq)(void *arg, unsigned int line, bool level);
	void (*level)(void *arg, unsigned int n, bool level);
};

struct bcm2835_gpio_stats {
	uint64_t reads[BCM2835_GPIO_REGS];
	uint64_t writes[BCM2835_GPIO_REGS];
	uint64_t interrupts;		/* rising edges of lines 0 to 2 */
};

struct bcm2835_gpio;

/* @bcm2711: has pull registers that read back instead of GPPUD. */
struct bcm2835_gpio *bcm2835_gpio_new(struct sim *sim, bool bcm2711,
				      const struct bcm2835_gpio_ops *ops, void *arg);
void bcm2835_gpio_free(struct bcm2835_gpio *gpio);
/* All pins are inputs again; what drives them from outside goes on. */
void bcm2835_gpio_reset(struct bcm2835_gpio *gpio);
uint32_t bcm2835_gpio_read(struct bcm2835_gpio *gpio, unsigned int offset);
void bcm2835_gpio_write(struct bcm2835_gpio *gpio, unsigned int offset, uint32_t value);

/* The world outside drives pin @n (seen while the pin is an input); else the pull does. */
void bcm2835_gpio_input(struct bcm2835_gpio *gpio, unsigned int n, bool level);
/* A peripheral drives pin @n (seen while the pin has the function ALT0). */
void bcm2835_gpio_alt0(struct bcm2835_gpio *gpio, unsigned int n, bool level);
bool bcm2835_gpio_level(const struct bcm2835_gpio *gpio, unsigned int n);
unsigned int bcm2835_gpio_function(const struct bcm2835_gpio *gpio, unsigned int n);

const struct bcm2835_gpio_stats *bcm2835_gpio_stats(const struct bcm2835_gpio *gpio);
void bcm2835_gpio_stats_reset(struct bcm2835_gpio *gpio);

#endif
