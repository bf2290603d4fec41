/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers of the BCM2835 family's SPI, legacy DMA and GPIO blocks, as far as
 * this driver touches them.
 *
 * BCM2835 ARM Peripherals (2012), chapters 4, 6 and 10; BCM2711 ARM Peripherals,
 * chapters 4, 5 and 9: the same three blocks.
 */
#ifndef SPI_BCM2835DMA_REGS_H
#define SPI_BCM2835DMA_REGS_H

#include <linux/bits.h>

/* SPI block */
#define BCM2835_SPI_CS			0x00
#define BCM2835_SPI_FIFO		0x04
#define BCM2835_SPI_CLK			0x08
#define BCM2835_SPI_DLEN		0x0c
#define BCM2835_SPI_LTOH		0x10
#define BCM2835_SPI_DC			0x14

#define BCM2835_SPI_CS_CS		GENMASK(1, 0)	/* native chip select */
#define BCM2835_SPI_CS_CS_NONE		3		/* reserved value: none is driven */
#define BCM2835_SPI_CS_CPHA		BIT(2)
#define BCM2835_SPI_CS_CPOL		BIT(3)
#define BCM2835_SPI_CS_CLEAR_TX		BIT(4)
#define BCM2835_SPI_CS_CLEAR_RX		BIT(5)
#define BCM2835_SPI_CS_CSPOL		BIT(6)
#define BCM2835_SPI_CS_TA		BIT(7)
#define BCM2835_SPI_CS_DMAEN		BIT(8)
#define BCM2835_SPI_CS_INTD		BIT(9)
#define BCM2835_SPI_CS_INTR		BIT(10)
#define BCM2835_SPI_CS_ADCS		BIT(11)
#define BCM2835_SPI_CS_REN		BIT(12)
#define BCM2835_SPI_CS_LEN		BIT(13)
#define BCM2835_SPI_CS_DONE		BIT(16)
#define BCM2835_SPI_CS_RXD		BIT(17)
#define BCM2835_SPI_CS_TXD		BIT(18)
#define BCM2835_SPI_CS_RXR		BIT(19)
#define BCM2835_SPI_CS_RXF		BIT(20)
#define BCM2835_SPI_CS_CSPOL_N(n)	BIT(21 + (n))	/* line n is active high */

/*
 * Levels of the FIFOs, in bytes, at which DMA is requested or becomes urgent. Received words are
 * fetched as they come: with the reset value of 32 the last 36 bytes of a message are
 * fetched after its last clock, which costs 0.1 us a word.
 */
#define BCM2835_SPI_DC_TDREQ(n)		((n) << 0)	/* at this level or below */
#define BCM2835_SPI_DC_TPANIC(n)	((n) << 8)	/* at this level or below */
#define BCM2835_SPI_DC_RDREQ(n)		((n) << 16)	/* above this level */
#define BCM2835_SPI_DC_RPANIC(n)	((n) << 24)	/* above this level */
#define BCM2835_SPI_DC_DRIVER		(BCM2835_SPI_DC_TDREQ(32) | BCM2835_SPI_DC_TPANIC(16) | \
					 BCM2835_SPI_DC_RDREQ(4) | BCM2835_SPI_DC_RPANIC(48))

#define BCM2835_SPI_CLK_MAX		65536	/* written as 0 */
#define BCM2835_SPI_FIFO_SIZE		64
#define BCM2835_SPI_DLEN_MAX		65532	/* of 16 bits, the last multiple of 4 */

#define BCM2835_SPI_DREQ_TX		6	/* SPI0 on every SoC */
#define BCM2835_SPI_DREQ_RX		7

/* one channel of the DMA block */
#define BCM2835_DMA_CHAN_SIZE		0x100
#define BCM2835_DMA_CS			0x00
#define BCM2835_DMA_CONBLK_AD		0x04
#define BCM2835_DMA_TI			0x08
#define BCM2835_DMA_SOURCE_AD		0x0c
#define BCM2835_DMA_DEST_AD		0x10
#define BCM2835_DMA_TXFR_LEN		0x14
#define BCM2835_DMA_STRIDE		0x18
#define BCM2835_DMA_NEXTCONBK		0x1c
#define BCM2835_DMA_DEBUG		0x20
/* of the whole block */
#define BCM2835_DMA_INT_STATUS		0xfe0
#define BCM2835_DMA_ENABLE		0xff0

#define BCM2835_DMA_CS_ACTIVE		BIT(0)
#define BCM2835_DMA_CS_END		BIT(1)		/* write 1 to clear */
#define BCM2835_DMA_CS_INT		BIT(2)		/* write 1 to clear */
#define BCM2835_DMA_CS_DREQ		BIT(3)
#define BCM2835_DMA_CS_PAUSED		BIT(4)
#define BCM2835_DMA_CS_DREQ_STOPS_DMA	BIT(5)
#define BCM2835_DMA_CS_WAITING		BIT(6)		/* for outstanding writes */
#define BCM2835_DMA_CS_ERROR		BIT(8)
#define BCM2835_DMA_CS_PRIORITY(p)	((p) << 16)	/* 0..15 */
#define BCM2835_DMA_CS_PANIC(p)		((p) << 20)	/* 0..15 */
#define BCM2835_DMA_CS_WAIT_FOR_WRITES	BIT(28)
#define BCM2835_DMA_CS_DISDEBUG		BIT(29)
#define BCM2835_DMA_CS_ABORT		BIT(30)
#define BCM2835_DMA_CS_RESET		BIT(31)

#define BCM2835_DMA_TI_INTEN		BIT(0)
#define BCM2835_DMA_TI_TDMODE		BIT(1)
#define BCM2835_DMA_TI_WAIT_RESP	BIT(3)
#define BCM2835_DMA_TI_DEST_INC		BIT(4)
#define BCM2835_DMA_TI_DEST_WIDTH	BIT(5)
#define BCM2835_DMA_TI_DEST_DREQ	BIT(6)
#define BCM2835_DMA_TI_DEST_IGNORE	BIT(7)		/* not on a lite channel */
#define BCM2835_DMA_TI_SRC_INC		BIT(8)
#define BCM2835_DMA_TI_SRC_WIDTH	BIT(9)
#define BCM2835_DMA_TI_SRC_DREQ		BIT(10)
#define BCM2835_DMA_TI_SRC_IGNORE	BIT(11)		/* not on a lite channel */
#define BCM2835_DMA_TI_BURST(n)		((n) << 12)	/* 0..15 */
#define BCM2835_DMA_TI_PERMAP(n)	((n) << 16)	/* DREQ number, 0..31 */
#define BCM2835_DMA_TI_WAITS(n)		((n) << 21)	/* 0..31 */
#define BCM2835_DMA_TI_NO_WIDE_BURSTS	BIT(26)

#define BCM2835_DMA_LEN_MAX		GENMASK(29, 0)
#define BCM2835_DMA_LITE_LEN_MAX	GENMASK(15, 0)

#define BCM2835_DMA_DEBUG_LAST_NOT_SET	BIT(0)		/* write 1 to clear */
#define BCM2835_DMA_DEBUG_FIFO_ERROR	BIT(1)		/* write 1 to clear */
#define BCM2835_DMA_DEBUG_READ_ERROR	BIT(2)		/* write 1 to clear */
#define BCM2835_DMA_DEBUG_LITE		BIT(28)

/* GPIO block: line n is bit n % 32 of register n / 32 */
#define BCM2835_GPIO_LINES		54
#define BCM2835_GPIO_SET(n)		(0x1c + 4 * ((n) / 32))
#define BCM2835_GPIO_CLR(n)		(0x28 + 4 * ((n) / 32))
#define BCM2835_GPIO_LEV(n)		(0x34 + 4 * ((n) / 32))

#endif
