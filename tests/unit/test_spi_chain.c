// SPDX-License-Identifier: GPL-2.0-only
/*
 * The message compiler of spi-bcm2835dma: which blocks a message becomes, and
 * what is refused. That the blocks do what they say is test_spi_chain_run.c.
 */

#include "chain_probe.h"

#define BLOCKS 512

static struct bcm2835dma_cb blocks[BLOCKS];
static struct bcm2835dma_patch patches[16];
static struct bcm2835dma_chain chain;

#define TX(n)	(PROBE_RAM + 0x100000 + (n))
#define RX(n)	(PROBE_RAM + 0x200000 + (n))

/* Full duplex at 10 MHz, unless it is said otherwise behind the length. */
#pragma GCC diagnostic ignored "-Woverride-init"
#define XFER(n, ...) { .tx = TX(0), .rx = RX(0), .len = (n), .speed_hz = 10000000, __VA_ARGS__ }

static int build(const struct bcm2835dma_limits *limits, const struct bcm2835dma_chip *chip,
		 const struct bcm2835dma_xfer *xfers, unsigned int num, const char **why)
{
	chain.cb = blocks;
	chain.dma = PROBE_CHAINS;
	chain.room = BLOCKS;
	return bcm2835dma_chain_build(&chain, limits, chip, xfers, num, patches, why);
}

/* The message is compiled to these blocks. */
static void becomes(const struct bcm2835dma_limits *limits, const struct bcm2835dma_chip *chip,
		    const struct bcm2835dma_xfer *xfers, unsigned int num, const char *want,
		    const char *name)
{
	static struct probe_text text;
	const char *why = NULL;
	int ret = build(limits, chip, xfers, num, &why);

	if (!ok(!ret && !why, "%s: compiles", name)) {
		printf("#   %d: %s\n", ret, why ?: "");
		return;
	}
	probe_chain(&text, &chain, limits);
	if (!ok(!text.wrong, "%s: a proper chain", name))
		printf("#   %s\n", text.wrong);
	if (!ok(!strcmp(text.text, want), "%s: %s", name, want))
		printf("#   got %s\n", text.text);
	is(bcm2835dma_chain_count(limits, chip, xfers, num, NULL), chain.count,
	   "%s: counted before", name);
}

#define BECOMES(limits, chip, want, name, ...) do {				\
	const struct bcm2835dma_xfer xfers_[] = { __VA_ARGS__ };		\
	becomes((limits), (chip), xfers_, sizeof(xfers_) / sizeof(*xfers_),	\
		(want), (name));						\
} while (0)

/* The message is refused, and the text says why. */
static void refused(const struct bcm2835dma_limits *limits, const struct bcm2835dma_chip *chip,
		    const struct bcm2835dma_xfer *xfers, unsigned int num, int want,
		    const char *text, const char *name)
{
	const char *why = NULL;

	is(build(limits, chip, xfers, num, &why), want, "%s: refused", name);
	if (!ok(why && strstr(why, text), "%s: says \"%s\"", name, text))
		printf("#   got %s\n", why ?: "nothing");
	is(bcm2835dma_chain_count(limits, chip, xfers, num, NULL), want,
	   "%s: refused when counted", name);
}

#define REFUSED(limits, chip, want, text, name, ...) do {			\
	const struct bcm2835dma_xfer xfers_[] = { __VA_ARGS__ };		\
	refused((limits), (chip), xfers_, sizeof(xfers_) / sizeof(*xfers_),	\
		(want), (text), (name));					\
} while (0)

static void one_transfer(void)
{
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk26/14 [ tx16 ] on rx14 high8 done irq",
		"14 bytes", XFER(14));
	is(chain.rx_count, 10, "... by 10 blocks of the RX channel, the tail among them");
	is(chain.count, 11, "... and one of the TX channel");
	is(chain.bytes, 14, "... bytes");
	ok(!chain.keeps_cs, "... chip select ends");

	BECOMES(&probe_limits, &probe_native,
		"idle clk26/14 on:cs1 [ tx16 ] rx14 idle done irq",
		"14 bytes, native chip select", XFER(14));
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk26/16 [ zeros16 ] on rx16 high8 done irq",
		"receive only", XFER(16, .tx = 0));
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk26/3 [ tx4 ] on drop3 high8 done irq",
		"send only", XFER(3, .rx = 0));
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk26/65532 [ tx65532 ] on rx65532 high8 done irq",
		"the greatest segment", XFER(65532));
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk26/65532 [ tx65532 ] on rx65532 idle clk26/2 [ tx4 ] on rx2"
		" high8 done irq", "two segments", XFER(65534));
	BECOMES(&probe_limits, &probe_gpio, "idle low8 high8 done irq", "no bytes", XFER(0));
}

static void lite_channels(void)
{
	struct bcm2835dma_limits l = probe_limits;

	l.rx_lite = true;
	BECOMES(&l, &probe_gpio, "idle low8 clk26/3 [ tx4 ] on scratch3 high8 done irq",
		"send only, lite RX channel", XFER(3, .rx = 0));
	BECOMES(&l, &probe_gpio, "idle low8 clk26/4 [ zeros4 ] on rx4 copy500 high8 done irq",
		"delay on a lite channel", XFER(4, .tx = 0, .delay_ns = 10000));
	BECOMES(&l, &probe_gpio,
		"idle low8 clk26/4 [ zeros4 ] on rx4 copy65532 copy34468 high8 done irq",
		"long delay on a lite channel", XFER(4, .tx = 0, .delay_ns = 2000000));
	l.rx_lite = false;
	l.tx_lite = true;
	BECOMES(&l, &probe_gpio, "idle low8 clk26/7 [ zero-word8 ] on rx7 high8 done irq",
		"receive only, lite TX channel", XFER(7, .tx = 0));
}

static void chip_selects(void)
{
	struct bcm2835dma_chip chip = probe_gpio;
	struct bcm2835dma_limits l = probe_limits;

	chip.cs_high = true;
	BECOMES(&probe_limits, &chip, "idle high8 clk26/4 [ tx4 ] on rx4 low8 done irq",
		"active high", XFER(4));
	chip.cs_line = 53;
	BECOMES(&probe_limits, &chip, "idle high53 clk26/4 [ tx4 ] on rx4 low53 done irq",
		"the last GPIO line", XFER(4));
	chip.cs_high = false;
	chip.cs_line = 32;
	BECOMES(&probe_limits, &chip, "idle low32 clk26/4 [ tx4 ] on rx4 high32 done irq",
		"the second GPIO bank", XFER(4));
	chip.mode = BCM2835DMA_NO_CS;
	BECOMES(&probe_limits, &chip, "idle clk26/4 [ tx4 ] on rx4 done irq", "no chip select",
		XFER(4));

	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk26/1 [ tx4 ] on rx1 high8 idle low8 clk26/1 [ tx4 ] on rx1"
		" high8 done irq", "cs_change", XFER(1, .cs_change = true), XFER(1));
	BECOMES(&probe_limits, &probe_gpio, "idle low8 clk26/1 [ tx4 ] on rx1 done irq",
		"cs_change at the end", XFER(1, .cs_change = true));
	ok(chain.keeps_cs, "... chip select stays");
	BECOMES(&probe_limits, &probe_native,
		"idle clk26/1 on:cs1 [ tx4 ] rx1 idle clk26/1 on:cs1 [ tx4 ] rx1 idle done irq",
		"cs_change, native", XFER(1, .cs_change = true), XFER(1));
	BECOMES(&probe_limits, &probe_gpio,
		"idle high8 clk26/4 [ tx4 ] on rx4 idle low8 clk26/4 [ tx4 ] on rx4 high8"
		" idle clk26/4 [ tx4 ] on rx4 done irq", "cs_off", XFER(4, .cs_off = true), XFER(4), XFER(4, .cs_off = true));
	BECOMES(&probe_limits, &probe_native, "idle ta:cs1 wait1000 idle done irq",
		"no bytes, native", XFER(0, .delay_ns = 1000));

	l.spi_cs = BCM2835_SPI_CS_CSPOL_N(1) | BCM2835_SPI_CS_CSPOL_N(0);
	BECOMES(&l, &probe_native, "idle clk26/4 on:cs1 [ tx4 ] rx4 idle done irq",
		"native polarities of the bus", XFER(4));
}

static void modes(void)
{
	struct bcm2835dma_chip chip = probe_gpio;
	static struct probe_text text;
	const struct bcm2835dma_xfer xfer = XFER(4);

	for (chip.mode = 0; chip.mode < 4; chip.mode++) {
		u32 want = (chip.mode & 1 ? BCM2835_SPI_CS_CPHA : 0) |
			   (chip.mode & 2 ? BCM2835_SPI_CS_CPOL : 0);

		build(&probe_limits, &chip, &xfer, 1, NULL);
		probe_chain(&text, &chain, &probe_limits);
		ok(!text.wrong, "mode %u: the same in the whole chain", chip.mode);
		is(blocks[0].pad[0] & (BCM2835_SPI_CS_CPHA | BCM2835_SPI_CS_CPOL), want,
		   "mode %u: from the first block on", chip.mode);
	}
}

static void joined_transfers(void)
{
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk26/13 [ tx4 zeros8 tx4 ] on rx4 rx8 drop1 high8 done irq",
		"lengths that are multiples of 4 are one segment",
		XFER(4), XFER(8, .tx = 0), XFER(1, .rx = 0));
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk26/1 [ tx4 ] on rx1 idle clk26/4 [ tx4 ] on rx4 high8 done irq",
		"others are not", XFER(1), XFER(4));
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk26/4 [ tx4 ] on rx4 idle clk250/4 [ tx4 ] on rx4 wait500 high8 done"
		" irq", "nor other speeds", XFER(4), XFER(4, .speed_hz = 1000000));
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk26/65532 [ tx4 tx65528 ] on rx4 rx65528 idle clk26/4 [ tx4 ]"
		" on rx4 high8 done irq",
		"DLEN is filled up", XFER(4), XFER(65532));
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk26/14 [ tx16 ] on rx14 high8 done irq", "adjoining buffers are one",
		XFER(1), XFER(13, .tx = TX(1), .rx = RX(1)));
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk26/4 [ tx4 ] on drop4 high8 done irq", "... also with no receiver",
		XFER(1, .rx = 0), XFER(3, .tx = TX(1), .rx = 0));
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk26/1 [ tx4 ] on rx1 wait1000 idle clk26/3 [ tx4 ] on rx3"
		" high8 done irq", "... but not across a delay",
		XFER(1, .delay_ns = 1000), XFER(3, .tx = TX(1), .rx = RX(1)));
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk26/8 [ tx4 tx4 ] on rx4 rx4 high8 done irq",
		"a transfer of no bytes is skipped", XFER(4), XFER(0), XFER(4));
}

static void delays(void)
{
	struct bcm2835dma_chip chip = probe_gpio;

	chip.cs_setup_ns = 1000;
	chip.cs_hold_ns = 2000;
	chip.cs_inactive_ns = 3000;
	BECOMES(&probe_limits, &chip,
		"idle low8 wait1000 clk26/4 [ tx4 ] on rx4 wait4000 wait2000 high8 wait3000"
		" done irq", "chip select delays", XFER(4, .delay_ns = 4000));
	BECOMES(&probe_limits, &chip,
		"idle low8 wait1000 clk26/4 [ tx4 ] on rx4 wait2000 high8 wait3000 wait5000"
		" idle low8 wait1000 clk26/4 [ tx4 ] on rx4 wait2000 high8 wait3000 done irq",
		"delay of cs_change", XFER(4, .cs_change = true, .cs_change_ns = 5000), XFER(4));
	chip.cs_kind = BCM2835DMA_CS_NATIVE;
	chip.cs_line = 0;
	BECOMES(&probe_limits, &chip,
		"idle clk26/4 on:cs0 wait1000 [ tx4 ] rx4 wait2000 idle wait3000 done irq",
		"chip select delays, native", XFER(4));
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk2500/4 [ tx4 ] on rx4 wait5000 high8 done irq",
		"half a slow clock before the chip select goes", XFER(4, .speed_hz = 100000));
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk2500/4 [ tx4 ] on rx4 wait4000 wait1000 high8 done irq",
		"... less the delay that is there", XFER(4, .speed_hz = 100000, .delay_ns = 4000));
	BECOMES(&probe_limits, &probe_gpio,
		"idle low8 clk2500/4 [ tx4 ] on rx4 wait9000 high8 done irq",
		"... if it is not enough", XFER(4, .speed_hz = 100000, .delay_ns = 9000));
}

static void speeds(void)
{
	static const struct {
		u32 core, speed;
		int cdiv;
	} table[] = {
		{ 250000000, 10000000, 26 }, { 400000000, 10000000, 40 },
		{ 500000000, 10000000, 50 }, { 250000000, 125000000, 2 },
		{ 250000000, 250000000, 2 }, { 250000000, 4000000000u, 2 },
		{ 250000000, 83333333, 4 }, { 250000000, 83333334, 4 },
		{ 250000000, 62500000, 4 }, { 250000000, 62499999, 6 },
		{ 250000000, 3815, 65532 }, { 250000000, 3814, -EINVAL },
		{ 65536000, 1000, 65536 }, { 65536000, 999, -EINVAL },
		{ 250000000, 1, -EINVAL },
	};
	struct bcm2835dma_limits l = probe_limits;
	bool never_faster = true, never_slower = true;
	unsigned int i;
	u32 speed;

	for (i = 0; i < sizeof(table) / sizeof(*table); i++)
		is(bcm2835dma_cdiv(table[i].core, table[i].speed), table[i].cdiv,
		   "%u Hz of %u Hz", table[i].speed, table[i].core);
	for (speed = 3815; speed < 125000000; speed += speed / 1000 + 1) {
		int cdiv = bcm2835dma_cdiv(250000000, speed);

		if (cdiv % 2 || 250000000.0 / cdiv > speed)
			never_faster = false;
		if (cdiv > 2 && 250000000.0 / (cdiv - 2) <= speed)
			never_slower = false;
	}
	ok(never_faster, "never faster than asked for");
	ok(never_slower, "as fast as possible");

	l.core_hz = 65536000;
	BECOMES(&l, &probe_gpio, "idle low8 clk0/4 [ tx4 ] on rx4 wait131500 high8 done irq",
		"the greatest divider is written as 0", XFER(4, .speed_hz = 1000));
}

static void what_is_refused(void)
{
	struct bcm2835dma_chip chip = probe_gpio;
	struct bcm2835dma_limits l = probe_limits;

	chip.mode = BCM2835DMA_LSB_FIRST;
	REFUSED(&probe_limits, &chip, -EINVAL, "SPI_LSB_FIRST", "LSB first", XFER(4));
	chip.mode = BCM2835DMA_3WIRE;
	REFUSED(&probe_limits, &chip, -EINVAL, "SPI_3WIRE", "3-wire", XFER(4));
	chip.mode = 0x100;
	REFUSED(&probe_limits, &chip, -EINVAL, "only modes 0 to 3", "dual transfers", XFER(4));
	chip.mode = 0;
	chip.cs_line = 54;
	REFUSED(&probe_limits, &chip, -EINVAL, "no such GPIO", "GPIO line 54", XFER(4));
	chip.cs_kind = BCM2835DMA_CS_NATIVE;
	chip.cs_line = 3;
	REFUSED(&probe_limits, &chip, -EINVAL, "no such native", "native line 3", XFER(4));
	l.core_hz = 0;
	REFUSED(&l, &probe_gpio, -EINVAL, "core clock", "no clock", XFER(4));
	l = probe_limits;
	l.gpio = 0;
	REFUSED(&l, &probe_gpio, -EOPNOTSUPP, "cannot reach", "GPIO out of reach", XFER(4));

	REFUSED(&probe_limits, &probe_native, -EOPNOTSUPP, "use cs-gpios",
		"native chip select and two segments", XFER(1), XFER(1));
	REFUSED(&probe_limits, &probe_native, -EOPNOTSUPP, "use cs-gpios",
		"native chip select and a long transfer", XFER(65533));
	REFUSED(&probe_limits, &probe_native, -EOPNOTSUPP, "use cs-gpios",
		"native chip select that stays", XFER(1, .cs_change = true));
	REFUSED(&probe_limits, &probe_native, -EOPNOTSUPP, "use cs-gpios",
		"native chip select that is active before", XFER(0, .delay_ns = 1), XFER(1));

	REFUSED(&probe_limits, &probe_gpio, -EINVAL, "without a speed", "no speed",
		XFER(4, .speed_hz = 0));
	REFUSED(&probe_limits, &probe_gpio, -EINVAL, "slower than", "too slow",
		XFER(4, .speed_hz = 3000));
	REFUSED(&probe_limits, &probe_gpio, -EOPNOTSUPP, "between words", "word delay",
		XFER(4, .word_delay_ns = 1));
	REFUSED(&probe_limits, &probe_gpio, -EOPNOTSUPP, "delay too long", "delay of a second",
		XFER(4, .delay_ns = 1000000000));
	REFUSED(&probe_limits, &probe_gpio, -EINVAL, "at most 65532", "length to change",
		XFER(65536, .patch = true));
	REFUSED(&probe_limits, &probe_gpio, -EINVAL, "at most 65532", "no length to change",
		XFER(0, .patch = true));
}

static void room(void)
{
	const struct bcm2835dma_xfer gigabyte = XFER(1000000000);
	const struct bcm2835dma_xfer xfers[] = { XFER(5), XFER(70000), XFER(3) };
	int need = bcm2835dma_chain_count(&probe_limits, &probe_gpio, xfers, 3, NULL);
	bool kept = true, enospc = true;
	const char *why = NULL;
	int n;

	is(bcm2835dma_chain_count(&probe_limits, &probe_gpio, &gigabyte, 1, &why), -EOPNOTSUPP,
	   "a gigabyte is refused");
	ok(why && strstr(why, "too long for one"), "... and it is said why");

	for (n = 0; n < need; n++) {
		memset(blocks, 0x55, sizeof(blocks));
		chain.cb = blocks;
		chain.dma = PROBE_CHAINS;
		chain.room = n;
		if (bcm2835dma_chain_build(&chain, &probe_limits, &probe_gpio, xfers, 3, NULL,
					   &why) != -ENOSPC)
			enospc = false;
		if (blocks[n].ti != 0x55555555)
			kept = false;
	}
	ok(enospc, "too little room is noticed");
	ok(kept, "... and no block behind it is touched");
	chain.room = need;
	is(bcm2835dma_chain_build(&chain, &probe_limits, &probe_gpio, xfers, 3, NULL, &why), 0,
	   "just enough is enough");
	chain.dma += 16;
	is(bcm2835dma_chain_build(&chain, &probe_limits, &probe_gpio, xfers, 3, NULL, &why),
	   -EINVAL, "blocks that are not aligned are refused");
	is(build(&probe_limits, &probe_gpio, xfers, 0, &why), 0, "a message of no transfers");
}

static void lengths_that_change(void)
{
	const struct bcm2835dma_xfer xfers[] = {
		XFER(4), XFER(14, .tx = TX(4), .rx = RX(4), .patch = true), XFER(4),
	};
	static struct probe_text text;

	is(build(&probe_limits, &probe_gpio, xfers, 3, NULL), 0, "compiles");
	is(bcm2835dma_chain_set_len(&chain, &patches[0], 4), -EINVAL, "fixed length stays");
	is(bcm2835dma_chain_set_len(&chain, &patches[1], 15), -EINVAL, "no more than built");
	is(bcm2835dma_chain_set_len(&chain, &patches[1], 0), -EINVAL, "no less than 1");
	is(bcm2835dma_chain_set_len(&chain, &patches[1], 5), 0, "5 of 14");
	probe_chain(&text, &chain, &probe_limits);
	ok(!text.wrong, "a proper chain");
	ok(!strcmp(text.text, "idle low8 clk26/4 [ tx4 ] on rx4 idle clk26/5 [ tx8 ] on rx5"
		   " idle clk26/4 [ tx4 ] on rx4 high8 done irq"), "its own segment, 5 long");
	is(bcm2835dma_chain_set_len(&chain, &patches[1], 14), 0, "14 again");
	probe_chain(&text, &chain, &probe_limits);
	ok(!text.wrong && strstr(text.text, "clk26/14 [ tx16 ] on rx14 idle"), "14 long");
}

static void linked_chains(void)
{
	static struct bcm2835dma_cb other[16];
	struct bcm2835dma_chain next = { .cb = other, .dma = PROBE_RAM + 0x8000, .room = 16 };
	const struct bcm2835dma_xfer xfer = XFER(14);

	build(&probe_limits, &probe_gpio, &xfer, 1, NULL);
	is(bcm2835dma_chain_build(&next, &probe_limits, &probe_gpio, &xfer, 1, NULL, NULL), 0,
	   "compiles");
	bcm2835dma_chain_link(&chain, &next);
	is(blocks[chain.done].next, next.dma, "the end leads to the next one");
	is(blocks[chain.tail].next, 0, "the tail ends");
	ok(!bcm2835dma_chain_done(&chain), "not done");
	blocks[chain.done].pad[1] = blocks[chain.done].pad[0];
	ok(bcm2835dma_chain_done(&chain), "done");
	bcm2835dma_chain_arm(&chain);
	ok(!bcm2835dma_chain_done(&chain), "armed again: not done");
	is(blocks[chain.done].next, chain.dma + 32 * chain.tail, "... and linked to its tail");
}

int main(void)
{
	one_transfer();
	lite_channels();
	chip_selects();
	modes();
	joined_transfers();
	delays();
	speeds();
	what_is_refused();
	room();
	lengths_that_change();
	linked_chains();
	return tap_done();
}
