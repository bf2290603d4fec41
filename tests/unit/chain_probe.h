/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The message compiler of spi-bcm2835dma, as it is, and a reader of its chains.
 *
 * The models have registers of the same names; theirs come first, so that they stay
 * enumerators where they are declared.
 */
#ifndef CHAIN_PROBE_H
#define CHAIN_PROBE_H

#include "bcm2835_soc.h"

#include "../../src/spi-bcm2835dma/chain.c"
#include "../../src/spi-bcm2835dma/chain_segment.c"
#include "../../src/spi-bcm2835dma/chain_use.c"

#include <inttypes.h>

#include "tap.h"

#define PROBE_TX_CHANNEL	4
#define PROBE_RX_CHANNEL	5

/* Bus addresses: RAM as BCM2836 and later see it. */
#define PROBE_RAM		0xc0000000u
#define PROBE_SCRATCH		(PROBE_RAM + 0xf00)
#define PROBE_ZERO		(PROBE_RAM + 0xf04)
#define PROBE_CHAINS		(PROBE_RAM + 0x1000)

static const struct bcm2835dma_limits probe_limits = {
	.spi = 0x7e204000,
	.gpio = 0x7e200000,
	.tx_chan = 0x7e007000 + 0x100 * PROBE_TX_CHANNEL,
	.scratch = PROBE_SCRATCH,
	.zero = PROBE_ZERO,
	.core_hz = 250000000,
	.tx_dreq = BCM2835_SPI_DREQ_TX,
	.rx_dreq = BCM2835_SPI_DREQ_RX,
};

static const struct bcm2835dma_chip probe_gpio = {
	.cs_kind = BCM2835DMA_CS_GPIO,
	.cs_line = 8,
};

static const struct bcm2835dma_chip probe_native = {
	.cs_kind = BCM2835DMA_CS_NATIVE,
	.cs_line = 1,
};

/* What a chain does, in words; and what is wrong with it, whatever it does. */
struct probe_text {
	char text[8192];
	size_t used;
	const char *wrong;	/* NULL: nothing */
	unsigned int blocks;
};

__attribute__((format(printf, 2, 3)))
static void probe_say(struct probe_text *t, const char *fmt, ...)
{
	va_list ap;

	if (t->used && t->used < sizeof(t->text) - 1)
		t->text[t->used++] = ' ';
	va_start(ap, fmt);
	t->used += vsnprintf(t->text + t->used, sizeof(t->text) - t->used, fmt, ap);
	va_end(ap);
	if (t->used >= sizeof(t->text))
		t->used = sizeof(t->text) - 1;
}

static void probe_wrong(struct probe_text *t, bool wrong, const char *what)
{
	if (wrong && !t->wrong)
		t->wrong = what;
}

static const struct bcm2835dma_cb *probe_at(const struct bcm2835dma_chain *chain, u32 addr)
{
	u32 offset = addr - chain->dma;

	if (offset % 32 || offset / 32 >= chain->count)
		return NULL;
	return &chain->cb[offset / 32];
}

/* The word that a block writes to a register comes with it. */
static bool probe_is_poke(const struct bcm2835dma_chain *chain, const struct bcm2835dma_cb *cb)
{
	u32 addr = chain->dma + (cb - chain->cb) * 32;

	return cb->src == addr + 24 && cb->len == 4 && cb->ti == BCM2835_DMA_TI_WAIT_RESP;
}

/* The TX channel's blocks, lengths with how they are filled. Returns bytes. */
static u32 probe_tx(struct probe_text *t, const struct bcm2835dma_chain *chain,
		    const struct bcm2835dma_limits *l, u32 addr)
{
	const struct bcm2835dma_cb *cb;
	u32 sum = 0, ti;

	while (addr) {
		cb = probe_at(chain, addr);
		probe_wrong(t, !cb, "TX chain leads elsewhere");
		if (!cb || t->wrong)
			return 0;
		t->blocks++;
		ti = BCM2835_DMA_TI_DEST_DREQ | BCM2835_DMA_TI_PERMAP((u32)l->tx_dreq) |
		     BCM2835_DMA_TI_WAIT_RESP;
		if (cb->ti == (ti | BCM2835_DMA_TI_SRC_INC)) {
			probe_say(t, "tx%u", cb->len);
		} else if (cb->ti == (ti | BCM2835_DMA_TI_SRC_IGNORE)) {
			probe_say(t, "zeros%u", cb->len);
			probe_wrong(t, l->tx_lite, "lite channel with SRC_IGNORE");
		} else if (cb->ti == ti) {
			probe_say(t, "zero-word%u", cb->len);
			probe_wrong(t, cb->src != l->zero, "no zero word");
		} else {
			probe_wrong(t, true, "TX block of unknown kind");
		}
		probe_wrong(t, cb->dst != l->spi + BCM2835_SPI_FIFO, "TX not to the FIFO");
		probe_wrong(t, cb->len % 4 || !cb->len, "TX length is no multiple of 4");
		sum += cb->len;
		addr = cb->next;
	}
	return sum;
}

static void probe_cs(struct probe_text *t, const struct bcm2835dma_limits *l, u32 value, u32 *mode)
{
	u32 clear = BCM2835_SPI_CS_CLEAR_TX | BCM2835_SPI_CS_CLEAR_RX;
	u32 polarity = BCM2835_SPI_CS_CPHA | BCM2835_SPI_CS_CPOL;
	u32 ta = BCM2835_SPI_CS_TA, field = value & BCM2835_SPI_CS_CS;
	char cs[8] = "";

	probe_wrong(t, (value & l->spi_cs) != l->spi_cs, "polarity bits are lost");
	probe_wrong(t, *mode != ~0u && *mode != (value & polarity), "mode changes");
	*mode = value & polarity;
	value &= ~(l->spi_cs | polarity | BCM2835_SPI_CS_CS);
	if (field != BCM2835_SPI_CS_CS_NONE)
		snprintf(cs, sizeof(cs), ":cs%u", field);
	if (value == (clear | BCM2835_SPI_CS_DONE))
		probe_say(t, "idle%s", cs);
	else if (value == (ta | BCM2835_SPI_CS_DMAEN))
		probe_say(t, "on%s", cs);
	else if (value == ta)
		probe_say(t, "ta%s", cs);
	else if (value == (ta | BCM2835_SPI_CS_DMAEN | BCM2835_SPI_CS_INTD) ||
		 value == (ta | BCM2835_SPI_CS_INTD))
		probe_say(t, "irq%s", cs);
	else
		probe_wrong(t, true, "CS written with an unknown value");
}

static void probe_gpio_write(struct probe_text *t, u32 offset, u32 value)
{
	u32 bank = offset == 0x20 || offset == 0x2c ? 32 : 0;
	bool set = offset == 0x1c || offset == 0x20;

	probe_wrong(t, __builtin_popcount(value) != 1, "not one GPIO line");
	probe_wrong(t, !set && offset != 0x28 && offset != 0x2c, "no GPSET or GPCLR");
	probe_say(t, "%s%u", set ? "high" : "low", bank + __builtin_ctz(value | 1u << 31));
}

static void probe_rx(struct probe_text *t, const struct bcm2835dma_cb *cb,
		     const struct bcm2835dma_limits *l)
{
	u32 ti = BCM2835_DMA_TI_SRC_DREQ | BCM2835_DMA_TI_PERMAP((u32)l->rx_dreq) |
		 BCM2835_DMA_TI_WAIT_RESP;

	if (cb->ti == (ti | BCM2835_DMA_TI_DEST_INC)) {
		probe_say(t, "rx%u", cb->len);
	} else if (cb->ti == (ti | BCM2835_DMA_TI_DEST_IGNORE)) {
		probe_say(t, "drop%u", cb->len);
		probe_wrong(t, l->rx_lite, "lite channel with DEST_IGNORE");
	} else if (cb->ti == ti) {
		probe_say(t, "scratch%u", cb->len);
		probe_wrong(t, cb->dst != l->scratch, "not the scratch word");
	} else {
		probe_wrong(t, true, "RX block of unknown kind");
	}
}

static void probe_wait(struct probe_text *t, const struct bcm2835dma_cb *cb,
		       const struct bcm2835dma_limits *l)
{
	u32 ignore = BCM2835_DMA_TI_SRC_IGNORE | BCM2835_DMA_TI_DEST_IGNORE;

	if (l->rx_lite) {
		probe_wrong(t, cb->ti != (BCM2835_DMA_TI_WAITS(31) | BCM2835_DMA_TI_WAIT_RESP) ||
			    cb->src != l->zero || cb->dst != l->scratch, "no lite delay");
		probe_say(t, "copy%u", cb->len);
	} else {
		probe_wrong(t, cb->ti != (BCM2835_DMA_TI_WAITS(31) | ignore), "no delay");
		probe_say(t, "wait%u", cb->len);
	}
}

/*
 * Follow a chain from its first block to the tail. Says "idle low8 clk26/14 [ tx16 ] on
 * rx14 high8 done irq" for a message of 14 bytes.
 */
static void probe_chain(struct probe_text *t, const struct bcm2835dma_chain *chain,
			const struct bcm2835dma_limits *l)
{
	const struct bcm2835dma_cb *cb;
	u32 addr, tx = 0, reg, dlen = 0, got = 0, sent = 0, mode = ~0u;
	unsigned int rx_count = 0;
	bool begun = false;

	memset(t, 0, sizeof(*t));
	for (addr = bcm2835dma_chain_first(chain); addr && !t->wrong; addr = cb->next) {
		cb = probe_at(chain, addr);
		probe_wrong(t, !cb, "RX chain leads elsewhere");
		if (!cb)
			return;
		rx_count++;
		probe_wrong(t, cb->ti & BCM2835_DMA_TI_INTEN, "DMA interrupt");
		probe_wrong(t, cb->stride, "stride");
		probe_wrong(t, !cb->len, "length 0");
		probe_wrong(t, l->rx_lite && cb->len > 0xffff, "too long for a lite channel");

		if (cb->src == l->spi + BCM2835_SPI_FIFO) {
			probe_rx(t, cb, l);
			got += cb->len;
			continue;
		}
		if (cb->dst == l->spi + BCM2835_SPI_CLK) {
			probe_wrong(t, cb->src != addr + 24 || cb->len != 8, "CLK and DLEN");
			probe_wrong(t, !(cb->ti & BCM2835_DMA_TI_WAIT_RESP), "no WAIT_RESP");
			dlen = cb->pad[1];
			got = 0;
			begun = true;
			probe_wrong(t, !dlen || dlen > 65532, "DLEN out of range");
			probe_say(t, "clk%u/%u", cb->pad[0], dlen);
			continue;
		}
		if (chain->cb + chain->done == cb) {
			probe_wrong(t, !probe_is_poke(chain, cb) || cb->dst != addr + 28 ||
				    !cb->pad[0] || cb->pad[1], "done block");
			probe_wrong(t, cb->next != chain->dma + 32 * chain->tail, "no tail");
			probe_say(t, "done");
			continue;
		}
		if (!probe_is_poke(chain, cb)) {
			probe_wait(t, cb, l);
			continue;
		}
		reg = cb->dst;
		if (reg == l->spi + BCM2835_SPI_CS) {
			/* right after CLK and DLEN it begins, else what was begun is over */
			if (!begun) {
				probe_wrong(t, got != dlen, "DLEN is not what is received");
				probe_wrong(t, sent != (dlen + 3) / 4 * 4, "nor what is sent");
			}
			begun = false;
			probe_cs(t, l, cb->pad[0], &mode);
		} else if (reg >> 8 == l->gpio >> 8) {
			probe_gpio_write(t, reg & 0xff, cb->pad[0]);
		} else if (reg == l->tx_chan + BCM2835_DMA_CONBLK_AD) {
			tx = cb->pad[0];
		} else if (reg == l->tx_chan + BCM2835_DMA_CS) {
			probe_wrong(t, cb->pad[0] != (BCM2835_DMA_CS_ACTIVE | BCM2835_DMA_CS_END |
						      l->tx_chan_cs), "TX channel started wrongly");
			probe_say(t, "[");
			sent = probe_tx(t, chain, l, tx);
			probe_say(t, "]");
			tx = 0;
		} else {
			probe_wrong(t, true, "unknown register");
		}
	}
	t->blocks += rx_count;
	probe_wrong(t, rx_count != chain->rx_count, "rx_count");
	probe_wrong(t, t->blocks != chain->count, "count");
}

#endif
