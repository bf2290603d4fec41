/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prepared SPI messages: compiled once, started from any context with two
 * register writes, completed in the interrupt handler.
 *
 * For drivers of SPI devices that also work where this controller driver is not:
 * nothing here is linked against, so the module can be loaded without ours.
 *
 *	const struct spi_bcm2835dma_ops *ops = spi_bcm2835dma_get();
 *
 *	if (ops && ops->usable(spi)) {
 *		msg = ops->prepare(spi, xfers, num, complete, context);
 *		...
 *		ops->unprepare(msg);
 *	} else {
 *		... spi_async(), spi_sync()
 *	}
 *	if (ops)
 *		spi_bcm2835dma_put();
 *
 * The module stays loaded until spi_bcm2835dma_put(). The controller may still be unbound by
 * the administrator: the SPI core then calls the remove function of the device's
 * driver first, and all its messages must have been unprepared when that returns.
 *
 * Order: prepared messages of one SPI device are run in the order in which they were submitted.
 * Ordinary ones count from the moment when the SPI core hands them over, one at a time. Prepared
 * ones go before ordinary ones of other devices, which get their turn after a few of them at
 * the latest.
 * The ends of messages are told one at a time, in the order in which they were run, whatever CPU
 * does it.
 * Prepared messages do not honour spi_bus_lock().
 *
 * System sleep: the controller is suspended after the devices on it. What is
 * submitted in between is refused with -ESHUTDOWN.
 */
#ifndef SPI_BCM2835DMA_H
#define SPI_BCM2835DMA_H

#include <linux/module.h>
#include <linux/types.h>

struct spi_device;
struct spi_transfer;
struct bcm2835dma_message;

/**
 * typedef bcm2835dma_complete_t - a prepared message is over
 * @context: as given to prepare()
 * @status: 0: all bytes were transferred; -ETIMEDOUT: it did not end, -EIO: the DMA engine
 *	met an error, -ESHUTDOWN: the controller was suspended or went away
 *
 * Context: hard irq, also with PREEMPT_RT, with no lock held. After an error, if the interrupt
 * got lost, if another CPU is just telling the end of an ordinary message, or within look(): any,
 * with interrupts off. All functions that may be called from hard irq may be called here, submit()
 * of the same message among them.
 */
typedef void (*bcm2835dma_complete_t)(void *context, int status);

/**
 * struct spi_bcm2835dma_ops - what the driver offers
 * @usable: Can messages be prepared for this device? No: it is on another controller, no
 *	DMA channels were to be had, or its chip select is out of their reach. To be called in
 *	process context.
 * @prepare: Compile a message of num transfers, of which tx_buf, rx_buf, len, speed_hz (0: the
 *	device's), delay, cs_change and cs_change_delay are looked at. They are not used after the
 *	call. tx_buf is copied once, NULL sends zeros; rx_buf only tells (if it is not NULL) that
 *	the bytes received are wanted. len is the greatest length that set_len() will ask for.
 *	The mode and the greatest speed are the device's at the time of the call: prepare anew
 *	after spi_setup(). May sleep. Returns the message, or an ERR_PTR(): -EOPNOTSUPP if the
 *	device is not usable() or a chain cannot do it, -EINVAL if the message makes no sense,
 *	-ENOMEM.
 * @unprepare: Release it. Waits until it is over and complete() has returned. complete() must
 *	not submit it any more. NULL and ERR_PTR() are ignored. May sleep; not from complete().
 * @submit: Run it. Two register writes if nothing is under way. Any context, also hard irq and
 *	complete(). Returns 0, -EBUSY if the message is under way, -ESHUTDOWN if the controller is
 *	suspended, -EIO if it could not be adapted to a change of the core clock: prepare it anew.
 * @submit_silent: As submit(), but no interrupt comes at its end, unless another message's end
 *	needs one. complete() is called when look() finds the end, together with that of another
 *	message, or by a timer, up to 40 ms late.
 * @look: Is it over? If so, complete() is called before this returns, or by another CPU that is
 *	just telling the ends of messages. If not, an interrupt will tell it, even if it was
 *	submitted by submit_silent(). Any context; not from complete(). Nothing happens if it is
 *	not under way.
 * @cancel: Take it back. If it is still waiting, complete() is not called. Else it waits until
 *	the message is over and complete() has returned. May sleep; not from complete(). Returns
 *	true if it was taken back, false if it was run (or not submitted at all).
 * @busy: Is it under way? From submit() to just before complete(), which another CPU may be about
 *	to call. Any context.
 * @set_len: Change the length of a transfer, 1 to what prepare() was given. The bytes sent are
 *	the first ones of the buffer. Any context, while the message is not under way. Returns 0,
 *	-EINVAL, -EBUSY.
 * @tx: The bytes that a transfer sends: write to them while the message is not under way.
 *	Uncached memory: write whole words, do not read. NULL if it sends zeros. Any context.
 * @rx: The bytes that a transfer has received: valid from complete() to the next submit().
 *	Uncached memory, 4-byte aligned and padded to a multiple of 4: copy it out by whole
 *	words. NULL if they were not wanted. Any context.
 */
struct spi_bcm2835dma_ops {
	bool (*usable)(struct spi_device *spi);
	struct bcm2835dma_message *(*prepare)(struct spi_device *spi,
					      const struct spi_transfer *xfers, unsigned int num,
					      bcm2835dma_complete_t complete, void *context);
	void (*unprepare)(struct bcm2835dma_message *msg);
	int (*submit)(struct bcm2835dma_message *msg);
	int (*submit_silent)(struct bcm2835dma_message *msg);
	void (*look)(struct bcm2835dma_message *msg);
	bool (*cancel)(struct bcm2835dma_message *msg);
	bool (*busy)(const struct bcm2835dma_message *msg);
	int (*set_len)(struct bcm2835dma_message *msg, unsigned int xfer, unsigned int len);
	void *(*tx)(struct bcm2835dma_message *msg, unsigned int xfer);
	const void *(*rx)(const struct bcm2835dma_message *msg, unsigned int xfer);
};

/* By spi_bcm2835dma_get() only: a direct use would make this module a requirement. */
extern const struct spi_bcm2835dma_ops spi_bcm2835dma;

/**
 * spi_bcm2835dma_get() - the driver's functions, if it is loaded
 *
 * Context: process.
 * Return: the functions, valid until spi_bcm2835dma_put(), or NULL.
 */
static inline const struct spi_bcm2835dma_ops *spi_bcm2835dma_get(void)
{
	return symbol_get(spi_bcm2835dma);
}

/**
 * spi_bcm2835dma_put() - the functions are not needed any more
 *
 * Once for each successful spi_bcm2835dma_get().
 *
 * Context: process.
 */
static inline void spi_bcm2835dma_put(void)
{
	symbol_put(spi_bcm2835dma);
}

#endif
