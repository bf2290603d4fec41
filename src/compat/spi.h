/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * canpipe: one face for the SPI core of the kernels from 5.10 on
 *
 * As compat.h, for SPI drivers, which must not depend on the network.
 */
#ifndef CANPIPE_COMPAT_SPI_H
#define CANPIPE_COMPAT_SPI_H

#include <linux/spi/spi.h>
#include <linux/timer.h>

/* Controllers are hosts since 6.6. */
#ifdef CANPIPE_HAVE_DEVM_SPI_ALLOC_HOST
#define canpipe_devm_spi_alloc_host	devm_spi_alloc_host
#else
#define canpipe_devm_spi_alloc_host	devm_spi_alloc_master
#endif

/* A device may have several chip selects since 6.8; accessors came with 6.3. */
#ifdef CANPIPE_HAVE_SPI_GET_CHIPSELECT
static inline u8 canpipe_spi_chipselect(const struct spi_device *spi)
{
	return spi_get_chipselect(spi, 0);
}

static inline struct gpio_desc *canpipe_spi_csgpiod(const struct spi_device *spi)
{
	return spi_get_csgpiod((struct spi_device *)spi, 0);
}
#else
static inline u8 canpipe_spi_chipselect(const struct spi_device *spi)
{
	return spi->chip_select;
}

static inline struct gpio_desc *canpipe_spi_csgpiod(const struct spi_device *spi)
{
	return spi->cs_gpiod;
}
#endif

static inline bool canpipe_spi_one_chipselect(const struct spi_device *spi)
{
#ifdef CANPIPE_HAVE_SPI_CS_INDEX_MASK
	return spi->cs_index_mask == BIT(0);
#else
	return true;
#endif
}

/* Delay after a transfer: of two kinds until 5.11 */
static inline struct spi_delay canpipe_spi_xfer_delay(const struct spi_transfer *xfer)
{
#ifdef CANPIPE_HAVE_SPI_DELAY_USECS
	if (xfer->delay_usecs)
		return (struct spi_delay){ xfer->delay_usecs, SPI_DELAY_UNIT_USECS };
#endif
	return xfer->delay;
}

/* Chip select timing of a device (6.1) */
static inline int canpipe_spi_cs_setup_ns(struct spi_device *spi)
{
#ifdef CANPIPE_HAVE_SPI_DEVICE_CS_TIMING
	return spi_delay_to_ns(&spi->cs_setup, NULL);
#else
	return 0;
#endif
}

static inline int canpipe_spi_cs_hold_ns(struct spi_device *spi)
{
#ifdef CANPIPE_HAVE_SPI_DEVICE_CS_TIMING
	return spi_delay_to_ns(&spi->cs_hold, NULL);
#else
	return 0;
#endif
}

static inline int canpipe_spi_cs_inactive_ns(struct spi_device *spi)
{
#ifdef CANPIPE_HAVE_SPI_DEVICE_CS_TIMING
	return spi_delay_to_ns(&spi->cs_inactive, NULL);
#else
	return 0;
#endif
}

/* Transfers without chip select (6.1) */
static inline bool canpipe_spi_xfer_cs_off(const struct spi_transfer *xfer)
{
#ifdef CANPIPE_HAVE_SPI_XFER_CS_OFF
	return xfer->cs_off;
#else
	return false;
#endif
}

/* A controller's state of a message that is reused (6.9) */
static inline void *canpipe_spi_opt_state(const struct spi_message *msg)
{
#ifdef CANPIPE_HAVE_SPI_OPTIMIZE_MESSAGE
	return msg->opt_state;
#else
	return NULL;
#endif
}

static inline void canpipe_spi_optimize_hooks(struct spi_controller *ctlr,
					      int (*optimize)(struct spi_message *msg),
					      int (*unoptimize)(struct spi_message *msg))
{
#ifdef CANPIPE_HAVE_SPI_OPTIMIZE_MESSAGE
	ctlr->optimize_message = optimize;
	ctlr->unoptimize_message = unoptimize;
#endif
}

static inline void canpipe_spi_set_opt_state(struct spi_message *msg, void *state)
{
#ifdef CANPIPE_HAVE_SPI_OPTIMIZE_MESSAGE
	msg->opt_state = state;
#endif
}

/* A driver's remove function cannot fail; it had to say so until 5.18 */
#ifdef CANPIPE_HAVE_SPI_REMOVE_INT
#define CANPIPE_SPI_REMOVE(f)						\
static int canpipe_##f(struct spi_device *spi)				\
{									\
	f(spi);								\
	return 0;							\
}
#else
#define CANPIPE_SPI_REMOVE(f)						\
static void canpipe_##f(struct spi_device *spi)				\
{									\
	f(spi);								\
}
#endif

/* The same, as a client sees it */
#ifdef CANPIPE_HAVE_SPI_OPTIMIZE_MESSAGE
#define CANPIPE_SPI_OPTIMIZES	1

static inline int canpipe_spi_optimize_message(struct spi_device *spi, struct spi_message *msg)
{
	return spi_optimize_message(spi, msg);
}

static inline void canpipe_spi_unoptimize_message(struct spi_message *msg)
{
	spi_unoptimize_message(msg);
}
#else
#define CANPIPE_SPI_OPTIMIZES	0

static inline int canpipe_spi_optimize_message(struct spi_device *spi, struct spi_message *msg)
{
	return 0;
}

static inline void canpipe_spi_unoptimize_message(struct spi_message *msg)
{
}
#endif

/* Timers: renamed in 6.16 */
#ifndef timer_container_of
#define timer_container_of(var, timer, field)	from_timer(var, timer, field)
#endif

#endif
