// SPDX-License-Identifier: GPL-2.0-only
/* The MCP2515 model: transmit buffers, their order, aborts, one-shot, and errata of sending. */
#include "test_mcp2515.h"

static struct canbus_frame heard(struct bench *b, unsigned int nth)
{
	return probe_get(&b->peer, RX_FRAME, nth).frame;
}

static unsigned int count(struct bench *b)
{
	return probe_count(&b->peer, RX_FRAME);
}

static void test_one_frame(void)
{
	struct bench *b = bench_up(0);
	struct canbus_frame f;

	SPI(b, I_LOAD(0), 0xd5, 0xe8, 0xde, 0xf5, 0x08, 1, 2, 3, 4, 5, 6, 7, 8);
	run(b, MS);
	is(count(b), 0, "nothing is sent before it is asked for");
	SPI(b, I_RTS(1));
	run(b, 20 * US);
	is(rd(b, R_TXB0), TXREQ, "TXREQ is set until it has been sent");
	is(rd(b, R_CANINTF), 0, "TX0IF is not yet");
	run(b, 200 * US);
	f = heard(b, 0);
	ok(f.ext && f.id == 0x1abcdef5 && f.dlc == 8 && !f.rtr, "an extended frame");
	ok(!memcmp(f.data, "\1\2\3\4\5\6\7\10", 8), "with its data");
	is(rd(b, R_TXB0), 0, "then TXREQ is clear");
	is(rd(b, R_CANINTF), F_TX0, "and TX0IF is set");
	SPI(b, I_LOAD(1), 0xa0, 0x20, 0, 0, 0x45);
	SPI(b, I_RTS(2));
	run(b, 100 * US);
	f = heard(b, 1);
	ok(!f.ext && f.id == 0x501 && f.rtr && f.dlc == 5, "a standard remote frame");
	load(b, 2, 0x7ff, 15);
	SPI(b, I_RTS(4));
	run(b, 200 * US);
	f = heard(b, 2);
	ok(f.id == 0x7ff && f.dlc == 15 && f.data[7] == 8, "DLC 15 as written, eight bytes");
	is(rd(b, R_CANINTF), F_TX0 | F_TX1 | F_TX2, "each buffer has its flag");
	SPI(b, I_RTS(0));
	run(b, 200 * US);
	is(count(b), 3, "RTS without a buffer does nothing");
	is(mcp2515_stats(b->m)->tx_sent, 3, "frames are counted");
	ok(!(mcp2515_peek(b->m, R_CANINTF) & (F_RX0 | F_RX1)), "own frames are not received");
	bench_free(b);
}

/* The order of the ids that are heard when all three are requested at once. */
static void order(const char *what, const uint8_t txp[3], uint32_t want)
{
	struct bench *b = bench_up(0);
	unsigned int n, got = 0;

	for (n = 0; n < 3; n++) {
		load(b, n, n, 0);	/* the lowest id in TXB0 */
		wr(b, R_TXB0 + 16 * n, txp[n]);
	}
	SPI(b, I_RTS(7));
	run(b, 300 * US);
	for (n = 0; n < 3; n++)
		got = got << 4 | heard(b, n).id;
	is(got, want, "%s", what);
	is(probe_get(&b->peer, RX_FRAME, 1).at - probe_get(&b->peer, RX_FRAME, 0).at,
	   (canbus_frame_bits(&(struct canbus_frame){ .id = heard(b, 1).id }) + 3) * BIT,
	   "back to back, three bits apart");
	bench_free(b);
}

static void test_order(void)
{
	struct bench *b;
	unsigned int n;

	order("equal priorities: the highest number goes first", (uint8_t[]){ 0, 0, 0 }, 0x210);
	order("the higher TXP goes first", (uint8_t[]){ 3, 2, 1 }, 0x012);
	order("a mixture", (uint8_t[]){ 1, 3, 1 }, 0x120);

	b = bench_up(0);
	load(b, 0, 0x10, 8);
	SPI(b, I_RTS(1));
	load(b, 1, 0x11, 8);
	load(b, 2, 0x12, 8);
	wr(b, R_TXB1, 1);
	SPI(b, I_RTS(2));
	SPI(b, I_RTS(4));
	bits(b, R_TXB2, 3, 2);
	run(b, 600 * US);
	n = heard(b, 0).id << 16 | heard(b, 1).id << 8 | heard(b, 2).id;
	is(n, 0x101211, "chosen anew for each frame, by the TXP of then");
	bench_free(b);
}

static void test_write_txreq(void)
{
	struct bench *b = bench_up(0);

	load(b, 0, 5, 0);
	wr(b, R_TXB0, 0xff);
	run(b, 10 * US);
	is(rd(b, R_TXB0), TXREQ | 3, "writing TXREQ requests, only existing bits are stored");
	run(b, 100 * US);
	is(count(b), 1, "and sends");
	is(rd(b, R_TXB0), 3, "TXP stays");
	bits(b, R_TXB0, TXREQ, TXREQ);
	run(b, 100 * US);
	is(count(b), 2, "BIT MODIFY does, too");
	bench_free(b);
}

static void test_arbitration(void)
{
	struct bench *b = bench_up(0);

	load(b, 0, 0x200, 0);
	peer_sends(b, 0x300);
	run(b, 20 * US);
	peer_sends(b, 0x100);
	SPI(b, I_RTS(1));
	run(b, 75 * US);
	is(rd(b, R_TXB0), TXREQ | MLOA, "arbitration lost: MLOA, and it stays requested");
	is(mcp2515_stats(b->m)->tx_lost, 1, "counted");
	run(b, 100 * US);
	is(count(b), 1, "it is sent after the winner");
	is(rd(b, R_TXB0), MLOA, "the flag stays");
	is(rx_id(b, 1), 0x100, "the winner was received");
	SPI(b, I_RTS(1));
	is(rd(b, R_TXB0), TXREQ, "a new request clears it");
	bench_free(b);
}

static void test_error(void)
{
	struct bench *b = bench_up(0);

	load(b, 0, 0x200, 0);
	canbus_destroy(b->bus, mcp2515_node(b->m), 0, 1, 25);
	SPI(b, I_RTS(1));
	run(b, 40 * US);
	is(rd(b, R_TXB0), TXREQ | TXERR, "an error: TXERR, and it stays requested");
	is(rd(b, R_CANINTF), F_MERR, "and MERRF");
	is(rd(b, R_TEC), 8, "TEC");
	run(b, 100 * US);
	is(count(b), 1, "it is tried again");
	is(rd(b, R_TEC), 7, "TEC");
	is(rd(b, R_CANINTF), F_MERR | F_TX0, "TX0IF");
	is(mcp2515_stats(b->m)->tx_errors, 1, "counted");
	bench_free(b);
}

static void test_abort(void)
{
	struct bench *b = bench_up(0);

	load(b, 0, 0x200, 8);
	load(b, 1, 0x201, 8);
	SPI(b, I_RTS(1));
	run(b, 30 * US);
	SPI(b, I_RTS(2));
	wr(b, R_TXB1, 0);
	is(rd(b, R_TXB1), 0, "TXREQ cleared: aborted, no ABTF");
	wr(b, R_TXB0, 0);
	is(rd(b, R_TXB0), 0, "the frame on the wire loses its request");
	run(b, 300 * US);
	is(count(b), 1, "but goes on to its end; the other one is not sent");
	is(rd(b, R_CANINTF), F_TX0, "and its flag is set");
	wr(b, R_CANINTF, 0);

	canbus_destroy(b->bus, mcp2515_node(b->m), 0, 1, 40);
	SPI(b, I_RTS(1));
	run(b, 30 * US);
	wr(b, R_TXB0, 0);
	run(b, 400 * US);
	is(count(b), 1, "if it fails, it is not tried again");
	is(rd(b, R_TXB0), TXERR, "no ABTF");

	wr(b, R_CANINTF, 0);
	SPI(b, I_RTS(3));
	run(b, 30 * US);
	bits(b, R_CANCTRL, 0x10, 0x10);
	is(rd(b, R_TXB0), ABTF, "ABAT: what waits is aborted, ABTF");
	is(rd(b, R_TXB1), TXREQ, "what is on the wire goes on");
	run(b, 200 * US);
	is(rd(b, R_TXB1) | rd(b, R_CANINTF) << 8, F_TX1 << 8, "to its end: no ABTF, but its flag");
	is(count(b), 2, "only this one");
	SPI(b, I_RTS(4));
	is(rd(b, R_TXB2), ABTF, "as long as ABAT is set, nothing is sent");
	run(b, 300 * US);
	is(count(b), 2, "nothing");
	bits(b, R_CANCTRL, 0x10, 0);
	run(b, 300 * US);
	is(count(b), 2, "what was aborted does not come back");
	SPI(b, I_RTS(1));
	run(b, 300 * US);
	is(count(b), 3, "a new request does");
	is(rd(b, R_TXB0), 0, "and clears ABTF");

	canbus_destroy(b->bus, mcp2515_node(b->m), 0, 1, 60);
	SPI(b, I_RTS(1));
	run(b, 30 * US);
	bits(b, R_CANCTRL, 0x10, 0x10);
	run(b, 300 * US);
	is(rd(b, R_TXB0), ABTF | TXERR, "ABAT and an error: aborted");
	is(count(b), 3, "not sent");
	bench_free(b);
}

static void test_one_shot(void)
{
	struct bench *b = bench_up(0);

	bits(b, R_CANCTRL, 0x08, 0x08);
	load(b, 0, 0x200, 0);
	canbus_destroy(b->bus, mcp2515_node(b->m), 0, 1, 25);
	SPI(b, I_RTS(1));
	run(b, 200 * US);
	is(rd(b, R_TXB0), TXERR | ABTF, "one-shot: an error ends it");
	is(rd(b, R_CANINTF), F_MERR, "without TX0IF");
	is(count(b), 0, "it is not tried again");
	peer_sends(b, 0x300);
	run(b, 20 * US);
	peer_sends(b, 0x100);
	SPI(b, I_RTS(1));
	run(b, 200 * US);
	is(rd(b, R_TXB0), MLOA | ABTF, "lost arbitration, too");
	is(count(b), 0, "it is not tried again");
	SPI(b, I_RTS(1));
	run(b, 100 * US);
	is(count(b), 1, "a success is a success");
	is(rd(b, R_TXB0), 0, "without flags");
	bench_free(b);
}

static void test_rts_pins(void)
{
	struct bench *b = bench_config(&(struct mcp2515_config){ 0 });

	is(rd(b, R_TXRTSCTRL), 0x38, "TXnRTS as inputs: their levels");
	mcp2515_rts_pin(b->m, 1, false);
	is(rd(b, R_TXRTSCTRL), 0x28, "one is low");
	mcp2515_rts_pin(b->m, 1, true);
	bench_mode(b, CONFIG);
	wr(b, R_TXRTSCTRL, 0x3a);
	is(rd(b, R_TXRTSCTRL), 0x2a, "TX1RTS as request: its level reads 0");
	wr(b, R_CANCTRL, NORMAL);
	run(b, 20 * US);
	wr(b, R_TXRTSCTRL, 0);
	is(rd(b, R_TXRTSCTRL), 0x2a, "not to be written in Normal mode");
	load(b, 1, 0x155, 0);
	mcp2515_rts_pin(b->m, 0, false);
	run(b, 100 * US);
	is(count(b), 0, "an input requests nothing");
	mcp2515_rts_pin(b->m, 1, false);
	run(b, 100 * US);
	is(heard(b, 0).id, 0x155, "a falling edge does");
	mcp2515_rts_pin(b->m, 1, false);
	run(b, 100 * US);
	mcp2515_rts_pin(b->m, 1, true);
	run(b, 100 * US);
	is(count(b), 1, "neither the level nor the rising edge");
	bench_free(b);
}

/* RTS or a byte write, then chip select stays low for 120 us: two frames more at 1 Mbit/s. */
static unsigned int held_low(unsigned int switches, unsigned int mode, bool rts, bool hold)
{
	struct bench *b = bench_up(switches);
	unsigned int n;

	load(b, 0, 0x123, 0);
	b->clock.mode = mode;
	bench_select(b);
	if (rts) {
		bench_byte(b, I_RTS(1));
	} else {
		bench_byte(b, I_WRITE);
		bench_byte(b, R_TXB0);
		bench_byte(b, TXREQ);
	}
	run(b, hold ? 60 * US : 40 * US);
	bench_deselect(b);
	run(b, 500 * US);
	n = count(b);
	is(mcp2515_stats(b->m)->tx_repeated, n - 1, "repetitions are counted");
	bench_free(b);
	return n;
}

static void test_erratum_repeat(void)
{
	const unsigned int on = MCP2515_ERRATUM_REPEAT;

	is(held_low(0, 3, true, true), 1, "chip select low after RTS: one frame");
	is(held_low(0, 0, false, true), 1, "after writing TXREQ: one frame");
	is(held_low(on, 0, true, true), 1, "erratum 5, RTS in mode 0,0: one frame");
	is(held_low(on, 3, true, true), 2, "RTS in mode 1,1: the frame is repeated");
	is(held_low(on, 0, false, true), 2, "writing TXREQ in mode 0,0: repeated");
	is(held_low(on, 3, false, true), 2, "in mode 1,1: repeated");
	is(held_low(on, 3, true, false), 1, "not if chip select rises before the frame's end");
}

static void test_erratum_id(void)
{
	struct bench *b = bench_up(MCP2515_ERRATUM_ID_DOMINANT);

	load(b, 0, 0x7ff, 0);
	SPI(b, I_RTS(1));
	run(b, 100 * US);
	is(heard(b, 0).id, 0x7ff, "erratum 3: no harm on an idle bus");
	peer_sends(b, 0x300);
	while (!b->peer.sent)
		run(b, 100);
	SPI(b, I_RTS(1));
	run(b, 100 * US);
	is(heard(b, 1).id, 0x03f, "a request during the intermission: five bits are dominant");
	peer_sends(b, 0x300);
	run(b, 20 * US);
	SPI(b, I_RTS(1));
	run(b, 200 * US);
	is(heard(b, 2).id, 0x7ff, "not one during the frame");
	bench_free(b);
}

/* RTS for a buffer at @phase ns into a bit of a frame that is being received; D0 as sent. */
static uint8_t sent_after_rts(unsigned int switches, unsigned int n, unsigned int phase)
{
	struct bench *b = bench_up(switches);
	uint64_t sof;
	uint8_t d0;

	load(b, n, 0x7f0, 1);
	peer_sends(b, 0x300);
	sof = b->sim.now;
	run(b, 10 * US);
	bench_select(b);
	b->spi->ops->byte_start(b->spi->arg, &b->clock);
	sim_advance(&b->sim, sof + 20 * BIT + phase);
	b->spi->ops->byte_end(b->spi->arg, I_RTS(1 << n), 8);
	bench_deselect(b);
	run(b, 300 * US);
	d0 = heard(b, 0).data[0];
	bench_free(b);
	return d0;
}

static void test_erratum_corrupt(void)
{
	const unsigned int on = MCP2515_ERRATUM_TXB_CORRUPT;

	is(sent_after_rts(0, 1, 10), 1, "RTS while a frame comes in: no harm");
	is(sent_after_rts(on, 1, 10), 0xfe, "erratum 2: in a bit's first clock TXB1 is corrupted");
	is(sent_after_rts(on, 2, 10), 0xfe, "TXB2, too");
	is(sent_after_rts(on, 0, 10), 1, "not TXB0");
	is(sent_after_rts(on, 1, 100), 1, "nor later in the bit");
}

int main(void)
{
	test_one_frame();
	test_order();
	test_write_txreq();
	test_arbitration();
	test_error();
	test_abort();
	test_one_shot();
	test_rts_pins();
	test_erratum_repeat();
	test_erratum_id();
	test_erratum_corrupt();
	return tap_done();
}
