/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interrupt controller of the BCM2835 to BCM2837 (BCM2835 ARM Peripherals, chapter
 * 7), at bus address 0x7E00B200, and the system timer (chapter 12), at 0x7E003000.
 *
 * BASIC_PENDING bits 8 and 9 say that PENDING1 or PENDING2 has a bit that BASIC_PENDING
 * does not show itself: interrupts 7, 9, 10, 18, 19, 53 to 57 and 62 are seen in its bits
 * 10 to 20 only (so do SPI0, 54: bit 16, and DMA channels 2 and 3, 18 and 19: bits 13
 * and 14). A handler has to look at those, too.
 */
#ifndef BCM2835_INTC_H
#define BCM2835_INTC_H

#include "sim.h"

enum {
	BCM2835_INTC_BASIC_PENDING	= 0x00,
	BCM2835_INTC_PENDING1		= 0x04,
	BCM2835_INTC_PENDING2		= 0x08,
	BCM2835_INTC_FIQ		= 0x0c,
	BCM2835_INTC_ENABLE1		= 0x10,
	BCM2835_INTC_ENABLE2		= 0x14,
	BCM2835_INTC_ENABLE_BASIC	= 0x18,
	BCM2835_INTC_DISABLE1		= 0x1c,
	BCM2835_INTC_DISABLE2		= 0x20,
	BCM2835_INTC_DISABLE_BASIC	= 0x24,
	BCM2835_INTC_SIZE		= 0x28,
};

#define BCM2835_INTC_REGS	10	/* at offset 4 * n */
extern const char *const bcm2835_intc_reg_name[BCM2835_INTC_REGS];

/* GPU interrupts */
enum {
	BCM2835_IRQ_TIMER0	= 0,	/* system timer, compare 0 to 3 */
	BCM2835_IRQ_DMA0	= 16,
	BCM2835_IRQ_GPIO0	= 49,	/* lines 0 to 27; 50, 51: the others; 52: any */
	BCM2835_IRQ_SPI		= 54,
	BCM2835_IRQS		= 64,
};

struct bcm2835_intc_stats {
	uint64_t reads[BCM2835_INTC_REGS];
	uint64_t writes[BCM2835_INTC_REGS];
	uint64_t raises;		/* rising edges of the output */
};

struct bcm2835_intc;

/**
 * bcm2835_intc_new() - make one
 * @sim: the clock
 * @edge: the output goes to something that takes edges (MSI): it rises when an enabled
 *	interrupt is there and falls only when BASIC_PENDING has been read as 0, so that a
 *	handler that loops until then loses nothing and is not called in vain. Otherwise
 *	the output is the level that the ARM sees
 * @out: the output has changed
 * @arg: passed to @out
 */
struct bcm2835_intc *bcm2835_intc_new(struct sim *sim, bool edge,
				      void (*out)(void *arg, bool level), void *arg);
void bcm2835_intc_free(struct bcm2835_intc *ic);
void bcm2835_intc_reset(struct bcm2835_intc *ic);
void bcm2835_intc_line(struct bcm2835_intc *ic, unsigned int irq, bool level);
uint32_t bcm2835_intc_read(struct bcm2835_intc *ic, unsigned int offset);
void bcm2835_intc_write(struct bcm2835_intc *ic, unsigned int offset, uint32_t value);
const struct bcm2835_intc_stats *bcm2835_intc_stats(const struct bcm2835_intc *ic);
void bcm2835_intc_stats_reset(struct bcm2835_intc *ic);

/* The system timer: counts microseconds, four compares. */
enum {
	BCM2835_TIMER_CS	= 0x00,
	BCM2835_TIMER_CLO	= 0x04,
	BCM2835_TIMER_CHI	= 0x08,
	BCM2835_TIMER_C0	= 0x0c,
	BCM2835_TIMER_SIZE	= 0x1c,
};

#define BCM2835_TIMER_REGS	7
extern const char *const bcm2835_timer_reg_name[BCM2835_TIMER_REGS];

struct bcm2835_timer_stats {
	uint64_t reads[BCM2835_TIMER_REGS];
	uint64_t writes[BCM2835_TIMER_REGS];
};

struct bcm2835_timer;

/* @irq: compare @n's match bit, and line, has changed; may be NULL. */
struct bcm2835_timer *bcm2835_timer_new(struct sim *sim,
					void (*irq)(void *arg, unsigned int n, bool level),
					void *arg);
void bcm2835_timer_free(struct bcm2835_timer *timer);
/* The counter begins at 0 again. */
void bcm2835_timer_reset(struct bcm2835_timer *timer);
uint32_t bcm2835_timer_read(struct bcm2835_timer *timer, unsigned int offset);
void bcm2835_timer_write(struct bcm2835_timer *timer, unsigned int offset, uint32_t value);
const struct bcm2835_timer_stats *bcm2835_timer_stats(const struct bcm2835_timer *timer);
void bcm2835_timer_stats_reset(struct bcm2835_timer *timer);

#endif
