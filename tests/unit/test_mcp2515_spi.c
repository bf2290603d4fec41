// SPDX-License-Identifier: GPL-2.0-only
/* The MCP2515 model: instructions, byte by byte, and what they do at which moment. */
#include "test_mcp2515.h"

static void test_read_write(void)
{
	struct bench *b = bench_up(0);
	uint8_t buf[8] = { I_READ, 0x7e };

	wr(b, R_CANCTRL, CONFIG | 0x05);
	wr(b, 0x00, 0x5a);

	SPI(b, I_WRITE, 0x33, 0x11, 0x22);
	is(rd(b, 0x33), 0x11, "WRITE writes");
	is(rd(b, 0x34), 0x22, "and goes on to the next address");
	wr(b, R_CANINTE, 0x21);
	bench_spi(b, buf, 5);
	is(buf[2] << 8 | buf[3], mcp2515_peek(b->m, R_CANSTAT) << 8 | mcp2515_peek(b->m, R_CANCTRL),
	   "the last row has CANSTAT and CANCTRL, too");
	is(buf[3], CONFIG | 0x05, "as they are");
	is(buf[4], 0x5a, "after the last address comes the first one");
	SPI(b, I_WRITE, 0x7f, NORMAL | 0x04, 0xff, 0xff);
	is(rd(b, 0x1f), 0x04, "writing there reaches CANCTRL, too");
	SPI(b, I_WRITE, 0xb3, 0x99);
	is(rd(b, 0x33), 0x99, "an address has seven bits");
	is(mcp2515_stats(b->m)->instructions[MCP2515_WRITE], 4 + 6,
	   "instructions are counted");
	is(mcp2515_stats(b->m)->spi_selects, mcp2515_stats(b->m)->instructions[MCP2515_WRITE] +
	   mcp2515_stats(b->m)->instructions[MCP2515_READ], "and chip selects");
	bench_free(b);
}

static void test_when_written(void)
{
	struct bench *b = bench_up(0);

	bench_select(b);
	bench_byte(b, I_WRITE);
	bench_byte(b, R_TXB0 + 6);
	b->spi->ops->byte_start(b->spi->arg, &b->clock);
	run(b, BYTE_NS - 1);
	mcp2515_stats_reset(b->m);
	ok(mcp2515_peek(b->m, R_TXB0 + 6) != 0x77, "a byte has no effect before its end");
	run(b, 1);
	b->spi->ops->byte_end(b->spi->arg, 0x77, 8);
	is(mcp2515_peek(b->m, R_TXB0 + 6), 0x77, "it has, before chip select rises");
	b->spi->ops->byte_start(b->spi->arg, &b->clock);
	run(b, 700);
	b->spi->ops->byte_end(b->spi->arg, 0x55, 7);
	bench_deselect(b);
	ok(mcp2515_peek(b->m, R_TXB0 + 7) != 0x55, "chip select rises in a byte: it is dropped");
	is(mcp2515_peek(b->m, R_TXB0 + 6), 0x77, "the bytes before it stay");
	is(mcp2515_stats(b->m)->aborted, 1, "and that is counted");
	bench_free(b);
}

static void test_bit_modify(void)
{
	struct bench *b = bench_up(0);

	wr(b, R_CANINTE, 0x0f);
	bits(b, R_CANINTE, 0x3c, 0x30);
	is(rd(b, R_CANINTE), 0x33, "BIT MODIFY changes the bits of the mask");
	wr(b, R_TXB0 + 6, 0x0f);
	bits(b, R_TXB0 + 6, 0x3c, 0x30);
	is(rd(b, R_TXB0 + 6), 0x30, "on other registers the mask is FFh");
	SPI(b, I_BITS, R_CANINTE, 0xff);
	is(rd(b, R_CANINTE), 0x33, "without the last byte it does nothing");
	SPI(b, I_BITS, R_CANINTE, 0xff, 0x01, 0x02, 0x03);
	is(rd(b, R_CANINTE), 0x01, "and more bytes have no effect");
	is(rd(b, R_CANINTF), 0x00, "not even on the next register");
	bits(b, 0x5f, 0x07, 0x05);
	is(rd(b, R_CANCTRL), 0x05, "CANCTRL can be modified in every row");
	bench_free(b);
}

static void test_read_rx_clears(void)
{
	struct bench *b = bench_up(0);
	unsigned int i;

	receive(b, 0x123);
	bench_select(b);
	is(bench_byte(b, I_READ_RX(0)), 0x00, "nothing is driven during the instruction");
	is(bench_byte(b, 0), 0x123 >> 3, "READ RX BUFFER begins at SIDH");
	is(bench_byte(b, 0), (0x123 & 7) << 5, "and goes on");
	is(mcp2515_peek(b->m, R_CANINTF), F_RX0, "the flag stays");
	b->spi->ops->cs(b->spi->arg, false);
	is(mcp2515_peek(b->m, R_CANINTF), 0, "until chip select rises");
	run(b, 100);

	receive(b, 0x200);
	receive(b, 0x301);
	is(quick(b, I_READ_RXD(1)), 0x01, "96h reads the data of RXB1");
	is(mcp2515_peek(b->m, R_CANINTF), F_RX0, "and clears the flag of that buffer only");
	is(quick(b, I_READ_RXD(0)), 0x00, "92h the data of RXB0");
	is(mcp2515_stats(b->m)->unsafe_reads, 0, "all these buffers were full");
	quick(b, I_READ_RX(0));
	is(mcp2515_stats(b->m)->unsafe_reads, 1, "this one is not");

	receive(b, 0x200);
	SPI(b, I_READ_RX(0));
	is(mcp2515_peek(b->m, R_CANINTF), 0, "the bare instruction clears, too");
	for (i = 0; i < 8; i++) {
		receive(b, 0x200);
		bench_select(b);
		b->spi->ops->byte_start(b->spi->arg, &b->clock);
		run(b, 100 * i);
		b->spi->ops->byte_end(b->spi->arg, I_READ_RX(0), i);
		bench_deselect(b);
		if (mcp2515_peek(b->m, R_CANINTF) != F_RX0)
			break;
		SPI(b, I_READ_RX(0));
	}
	is(i, 8, "unless it was cut short");
	bench_free(b);

	b = bench_up(MCP2515_OPEN_BARE_READ_KEEPS);
	receive(b, 0x200);
	SPI(b, I_READ_RX(0));
	is(mcp2515_peek(b->m, R_CANINTF), F_RX0, "switched: the bare instruction does not clear");
	quick(b, I_READ_RX(0));
	is(mcp2515_peek(b->m, R_CANINTF), 0, "one byte of data does");
	bench_free(b);
}

static void test_read_rx_beyond(void)
{
	struct bench *b = bench_up(0);
	uint8_t buf[16] = { I_READ_RX(0) };

	wr(b, R_CANINTE, F_RX0);
	receive(b, 0x123);
	bench_spi(b, buf, 16);
	is(buf[14], NORMAL | 6 << 1, "after D7 comes CANSTAT: RXB0 is still full then");
	bench_free(b);
	b = bench_up(MCP2515_OPEN_READ_RX_ENDS);
	memset(buf, 0, sizeof(buf));
	buf[0] = I_READ_RX(0);
	receive(b, 0x123);
	bench_spi(b, buf, 16);
	is(buf[14], 0xff, "switched: something else");
	bench_free(b);
}

/* A frame lands while its buffer is being read: the bytes before are old, those after new. */
static void test_torn_read(void)
{
	struct bench *b = bench_up(0);
	struct canbus_frame f = { .id = 0x0aa, .dlc = 8 };
	uint8_t buf[14] = { I_READ_RX(0) };
	unsigned int i, old = 0, new = 0;

	memset(f.data, 0x11, 8);
	probe_send(&b->peer, f);
	run(b, 200 * US);
	SPI(b, I_READ_RX(0));
	f.id = 0x155;
	memset(f.data, 0x22, 8);
	probe_send(&b->peer, f);
	run(b, (uint64_t)(canbus_frame_bits(&f) - 1) * BIT - 8 * BYTE_NS);
	bench_spi(b, buf, 14);
	for (i = 6; i < 14; i++) {
		old += buf[i] == 0x11;
		new += buf[i] == 0x22;
	}
	is(buf[1], 0x0aa >> 3, "the identifier is the old one");
	ok(old && new && old + new == 8 && buf[6] == 0x11 && buf[13] == 0x22,
	   "data: the beginning old, the end new (%u, %u)", old, new);
	is(rd(b, R_CANINTF), 0, "and the flag of the new frame is gone");
	is(rd(b, R_EFLG), 0, "nothing tells of the loss");
	bench_free(b);
}

static void test_status(void)
{
	struct bench *b = bench_up(0);
	unsigned int changes = 0, i;
	uint8_t last = 0, v;

	b->peer.node.rec = 0;
	is(quick(b, I_STATUS), 0, "READ STATUS: nothing");
	peer_sends(b, 0x123);
	run(b, 30 * US);
	bench_select(b);
	bench_byte(b, I_STATUS);
	for (i = 0; i < 60; i++) {
		v = bench_byte(b, 0);
		changes += v != last;
		last = v;
	}
	is(last, 0x01, "it repeats, and tells of a frame that came meanwhile");
	is(changes, 1, "at one byte");
	b->spi->ops->cs(b->spi->arg, false);
	run(b, 100);
	is(rd(b, R_CANINTF), F_RX0, "without any effect");

	/* sampled at the beginning of the byte, not later */
	SPI(b, I_READ_RX(0));
	bench_select(b);
	bench_byte(b, I_STATUS);
	v = b->spi->ops->byte_start(b->spi->arg, &b->clock);
	receive(b, 0x124);
	b->spi->ops->byte_end(b->spi->arg, 0, 8);
	is(v, 0, "a byte shows what was when it began");
	is(bench_byte(b, 0), 1, "the next one what came during it");
	bench_deselect(b);

	canbus_node_stop(&b->peer.node);
	SPI(b, I_RTS(7));
	is(quick(b, I_STATUS), 0x01 | 0x54, "the three requests");
	wr(b, R_CANINTF, F_TX0 | F_TX1 | F_TX2 | F_RX1);
	is(quick(b, I_STATUS), 0xfe, "and flags of transmission, and RX1IF");
	bench_free(b);
}

static void test_load(void)
{
	struct bench *b = bench_up(0);
	unsigned int n;

	for (n = 0; n < 3; n++) {
		SPI(b, I_LOAD(n), 0xa0 + n, 0x20, 3, 4, 0x45, 0x10 + n);
		is(rd(b, R_TXB0 + 16 * n + 1), 0xa0 + n, "4%uh begins at TXB%uSIDH", 2 * n, n);
		is(rd(b, R_TXB0 + 16 * n + 6), 0x10 + n, "the sixth byte is D0");
		SPI(b, I_LOADD(n), 0x30 + n, 0x50 + n);
		is(rd(b, R_TXB0 + 16 * n + 7), 0x50 + n, "4%uh begins at TXB%uD0", 2 * n + 1, n);
	}
	is(mcp2515_stats(b->m)->tx_busy_writes, 0, "no buffer was pending");
	canbus_node_stop(&b->peer.node);
	SPI(b, I_RTS(2));
	SPI(b, I_LOADD(1), 0);
	SPI(b, I_LOADD(0), 0);
	is(mcp2515_stats(b->m)->tx_busy_writes, 1, "now one is");
	mcp2515_stats_reset(b->m);
	SPI(b, 0x46, 1, 2, 3);
	SPI(b, 0x91, 1, 2, 3);
	SPI(b, 0x00, 1, 2, 3);
	is(mcp2515_stats(b->m)->instructions[MCP2515_UNKNOWN], 3, "other codes are not known");
	bench_free(b);
}

static void test_reset_ost(void)
{
	static const struct { uint32_t hz; uint64_t ns; } ost[] = {
		{ 8000000, 16000 }, { 16000000, 8000 }, { 20000000, 6400 },
	};
	struct bench *b;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		b = bench_config(&(struct mcp2515_config){ .osc_hz = ost[i].hz, .undriven = 0xff });
		bench_mode(b, LISTEN);
		is(rd(b, R_CANSTAT), LISTEN, "%u MHz: in a mode", ost[i].hz / 1000000);
		SPI(b, I_RESET);
		run(b, ost[i].ns - 100 - 2 * BYTE_NS - 1);
		is(rd(b, R_CANSTAT), 0xff, "RESET: no answer until 128 clocks are over");
		ok(mcp2515_stats(b->m)->ignored > 0, "such bytes are counted");
		is(rd(b, R_CANSTAT), CONFIG, "then it is in Configuration mode");
		bench_free(b);
	}

	b = bench_up(0);
	SPI(b, I_RESET, I_WRITE, R_CANINTE, 0xff);
	run(b, 20 * US);
	is(rd(b, R_CANINTE), 0, "what follows in the same instruction is ignored");
	SPI(b, I_RESET);
	run(b, 6 * US);
	bench_select(b);
	bench_byte(b, I_WRITE);
	run(b, 5 * US);
	bench_byte(b, R_CANINTE);
	bench_byte(b, 0xff);
	bench_deselect(b);
	is(rd(b, R_CANINTE), 0, "what began too early is ignored to its end");
	bench_free(b);

	b = bench_up(0);
	wr(b, R_CANINTE, 0x55);
	mcp2515_reset_pin(b->m, false);
	run(b, MS);
	is(rd(b, R_CANINTE), 0, "RESET pin low: no answer");
	mcp2515_reset_pin(b->m, true);
	run(b, 7900);
	is(rd(b, R_CANCTRL), 0, "nor while the oscillator starts");
	run(b, 100);
	is(rd(b, R_CANCTRL), 0x87, "then the reset value");
	bench_free(b);
}

static void test_limits(void)
{
	struct bench *b = bench_up(0);

	mcp2515_stats_reset(b->m);
	rd(b, R_CANSTAT);
	rd(b, R_CANSTAT);
	is(mcp2515_stats(b->m)->short_deselect, 0, "100 ns between instructions: long enough");
	bench_select(b);
	bench_byte(b, I_STATUS);
	b->spi->ops->cs(b->spi->arg, false);
	run(b, 49);
	bench_select(b);
	is(mcp2515_stats(b->m)->short_deselect, 1, "49 ns are not");
	bench_deselect(b);
	is(mcp2515_stats(b->m)->fast_bytes, 0, "10 MHz: not too fast");
	b->clock.half_ps = 49999;
	rd(b, R_CANSTAT);
	is(mcp2515_stats(b->m)->fast_bytes, 3, "a bit more is");
	is(mcp2515_stats(b->m)->spi_bytes, 3 * 3 + 1, "complete bytes are counted");
	bench_free(b);
}

static void test_mcp2510(void)
{
	struct bench *b = bench_config(&(struct mcp2515_config){ .type = MCP2510 });
	struct canbus_frame f = { .id = 5, .dlc = 0 };

	wr(b, R_CNF3, 0xff);
	is(rd(b, R_CNF3), 0x47, "MCP2510: no SOF bit");
	bench_mode(b, NORMAL | 0x08);
	is(rd(b, R_CANCTRL), 0, "no one-shot mode");
	probe_send(&b->peer, f);
	run(b, 100 * US);
	is(quick(b, I_READ_RX(0)), 0, "no READ RX BUFFER");
	is(rd(b, R_CANINTF), F_RX0, "so it clears nothing");
	SPI(b, I_LOAD(0), 0x77);
	ok(rd(b, R_TXB0 + 1) != 0x77, "no LOAD TX BUFFER");
	is(quick(b, I_RX_STATUS), 0, "no RX STATUS");
	is(mcp2515_stats(b->m)->instructions[MCP2515_UNKNOWN], 3, "these are not known");
	is(quick(b, I_STATUS), 1, "READ STATUS it has");
	bits(b, R_CANINTF, F_RX0, 0);
	is(rd(b, R_CANINTF), 0, "and BIT MODIFY");
	ok(mcp2515_stats(b->m)->fast_bytes > 0, "10 MHz are too much for it");
	bench_free(b);
}

int main(void)
{
	test_read_write();
	test_when_written();
	test_bit_modify();
	test_read_rx_clears();
	test_read_rx_beyond();
	test_torn_read();
	test_status();
	test_load();
	test_reset_ost();
	test_limits();
	test_mcp2510();
	return tap_done();
}
