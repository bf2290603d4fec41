// SPDX-License-Identifier: GPL-2.0-only
/* The MCP2515 model: flags, INT, interrupt code, error states, bus-off, buffer-full pins. */
#include "test_mcp2515.h"

static void test_int_level(void)
{
	struct bench *b = bench_up(0);

	receive(b, 1);
	ok(b->level[MCP2515_PIN_INT], "no source is enabled: INT is high");
	wr(b, R_CANINTE, F_RX0 | F_RX1);
	ok(!b->level[MCP2515_PIN_INT], "it is enabled: low at once");
	receive(b, 2);
	SPI(b, I_READ_RX(0));
	ok(!b->level[MCP2515_PIN_INT], "one flag less, one left: it stays low");
	is(b->fell[MCP2515_PIN_INT], 1, "without an edge");
	receive(b, 3);
	is(b->fell[MCP2515_PIN_INT], 1, "a new flag makes no edge, either");
	SPI(b, I_READ_RX(0));
	SPI(b, I_READ_RX(1));
	ok(b->level[MCP2515_PIN_INT], "the last flag is cleared: high");
	receive(b, 4);
	is(b->fell[MCP2515_PIN_INT], 2, "the next one is an edge");
	wr(b, R_CANINTE, F_TX0);
	ok(b->level[MCP2515_PIN_INT], "disabled: high");
	wr(b, R_CANINTF, F_RX0 | F_TX0);
	ok(!b->level[MCP2515_PIN_INT], "the host may set a flag");
	is(mcp2515_stats(b->m)->int_edges, 3, "edges are counted");
	bench_free(b);
}

static void test_icod(void)
{
	static const uint8_t flag[] = { F_ERR, F_WAK, F_TX0, F_TX1, F_TX2, F_RX0, F_RX1 };
	struct bench *b = bench_up(0);
	uint8_t flags = 0xff;
	unsigned int i;

	wr(b, R_CANINTF, 0xff);
	is(rd(b, R_CANSTAT), 0, "nothing is enabled: no code");
	wr(b, R_CANINTE, 0xff);
	for (i = 0; i < 7; i++) {
		is(rd(b, R_CANSTAT), (i + 1) << 1, "code %u", i + 1);
		flags &= ~flag[i];
		wr(b, R_CANINTF, flags);
	}
	is(rd(b, R_CANSTAT), 0, "a message error has none");
	wr(b, R_CANINTE, (uint8_t)~F_ERR);
	wr(b, R_CANINTF, F_ERR | F_RX1);
	is(rd(b, R_CANSTAT), 7 << 1, "only enabled sources count");
	bench_free(b);
}

/* Nobody acknowledges: +8 at each attempt, but not when passive. */
static void test_no_ack(void)
{
	struct bench *b = bench_up(0);

	canbus_node_stop(&b->peer.node);
	load(b, 0, 0x100, 0);
	SPI(b, I_RTS(1));
	while (mcp2515_node(b->m)->tec < 88)
		run(b, US);
	is(rd(b, R_EFLG) | rd(b, R_CANINTF), F_MERR, "TEC 88: no limit, only message errors");
	while (mcp2515_node(b->m)->tec < 96)
		run(b, US);
	is(rd(b, R_EFLG), E_TXWAR | E_WARN, "TEC 96: warning");
	is(rd(b, R_CANINTF), F_MERR | F_ERR, "ERRIF");
	bits(b, R_CANINTF, F_ERR, 0);
	run(b, 200 * US);
	is(rd(b, R_CANINTF), F_MERR, "cleared, it stays clear as long as nothing new happens");
	while (mcp2515_node(b->m)->tec < 128)
		run(b, US);
	is(rd(b, R_EFLG), E_TXEP | E_TXWAR | E_WARN, "TEC 128: passive");
	is(rd(b, R_CANINTF), F_MERR | F_ERR, "ERRIF again");
	run(b, 100 * MS);
	is(rd(b, R_TEC), 128, "there it stays, never bus-off");
	is(rd(b, R_TXB0), TXREQ | TXERR, "and goes on trying");
	canbus_node_start(&b->peer.node);
	run(b, 2 * MS);
	is(rd(b, R_TXB0), TXERR, "until somebody is there");
	is(probe_count(&b->peer, RX_FRAME), 1, "who gets it once");
	is(rd(b, R_EFLG), E_TXWAR | E_WARN, "the states go down again");
	bits(b, R_CANINTF, 0xff, 0);
	while (mcp2515_node(b->m)->tec > 95) {
		SPI(b, I_RTS(1));
		run(b, 100 * US);
	}
	is(rd(b, R_EFLG), 0, "to none");
	is(rd(b, R_CANINTF), F_TX0, "which is no interrupt");
	bench_free(b);
}

/* Has the peer fail 15 times before it succeeds: REC goes up by 14 or more. */
static void receive_errors(struct bench *b)
{
	b->peer.node.tec = 0;
	b->peer.frames = b->peer.sent = 0;
	canbus_destroy(b->bus, &b->peer.node, 0, 15, 20);
	peer_sends(b, 0x100);
	while (!b->peer.sent && b->sim.now < 100 * MS)
		run(b, 10 * US);
	bits(b, R_CANINTF, F_RX0 | F_RX1, 0);
}

static void test_receive_errors(void)
{
	struct bench *b = bench_up(0);

	while (mcp2515_node(b->m)->rec < 96 && b->sim.now < 100 * MS)
		receive_errors(b);
	is(rd(b, R_REC), mcp2515_node(b->m)->rec, "REC can be read");
	is(rd(b, R_EFLG), E_RXWAR | E_WARN, "REC 96: warning");
	is(rd(b, R_CANINTF), F_MERR | F_ERR, "ERRIF");
	while (mcp2515_node(b->m)->rec < 127 && b->sim.now < 100 * MS)
		receive_errors(b);
	canbus_destroy(b->bus, &b->peer.node, 0, 8, 20);
	b->peer.node.tec = 0;
	peer_sends(b, 0x100);
	while (mcp2515_node(b->m)->rec < 128 && b->sim.now < 100 * MS)
		run(b, US);
	is(rd(b, R_EFLG), E_RXEP | E_RXWAR | E_WARN, "REC 128: passive");
	wr(b, R_CANCTRL, CONFIG);
	run(b, MS);
	is(rd(b, R_REC) | rd(b, R_EFLG), 0, "Configuration mode clears it");
	canbus_node_stop(&b->peer.node);
	wr(b, R_CANCTRL, NORMAL);
	run(b, MS);
	is(rd(b, R_REC) | rd(b, R_EFLG), 0, "for good");
	bench_free(b);
}

static struct bench *bus_off(unsigned int switches)
{
	struct bench *b = bench_up(switches);

	wr(b, R_CANINTE, F_ERR);
	load(b, 0, 0x100, 0);
	canbus_destroy(b->bus, mcp2515_node(b->m), 0, 32, 25);
	SPI(b, I_RTS(1));
	while (!mcp2515_node(b->m)->bus_off && b->sim.now < 100 * MS)
		run(b, 100);
	return b;
}

static void test_bus_off(void)
{
	struct bench *b = bus_off(0);
	uint64_t off = b->sim.now, back;

	is(rd(b, R_EFLG), E_BO | E_TXEP | E_TXWAR | E_WARN, "32 errors: bus-off");
	ok(!b->level[MCP2515_PIN_INT], "ERRIF: INT is low");
	is(mcp2515_stats(b->m)->bus_off, 1, "counted");
	bits(b, R_CANINTF, 0xff, 0);
	while (mcp2515_node(b->m)->bus_off && b->sim.now < off + 10 * MS)
		run(b, 100);
	back = b->sim.now - off;
	/* from the end of the error flags on: six bits, and six of those who saw them */
	ok(back >= 128 * 11 * BIT && back <= (128 * 11 + 12) * BIT,
	   "it recovers by itself after 128 x 11 bits (%llu ns)", (unsigned long long)back);
	is(rd(b, R_EFLG) | rd(b, R_TEC), 0, "the counters are 0");
	ok(b->level[MCP2515_PIN_INT], "without an interrupt");
	run(b, 200 * US);
	is(probe_count(&b->peer, RX_FRAME), 1, "and sends what was pending");
	bench_free(b);

	b = bus_off(MCP2515_OPEN_BUS_OFF_DROPS);
	run(b, 10 * MS);
	is(rd(b, R_TXB0) & TXREQ, 0, "switched: the request is dropped");
	is(probe_count(&b->peer, RX_FRAME), 0, "nothing is sent");
	bench_free(b);

	b = bus_off(0);
	wr(b, R_CANCTRL, SLEEP);
	run(b, 100 * US);
	is(rd(b, R_CANSTAT) & 0xe0, SLEEP, "a pending request does not keep it in bus-off");
	run(b, 10 * MS);
	is(rd(b, R_EFLG) & E_BO, E_BO, "asleep it does not recover");
	SPI(b, I_WRITE, R_CANINTE, F_WAK, F_WAK);
	run(b, 100 * US);
	wr(b, R_CANCTRL, CONFIG);
	run(b, 10 * US);
	is(rd(b, R_EFLG) | rd(b, R_TEC), 0, "Configuration mode ends bus-off");
	bench_free(b);
}

static void test_sticky(void)
{
	struct bench *b = bus_off(MCP2515_OPEN_ERRIF_STICKY);

	bits(b, R_CANINTF, 0xff, 0);
	is(rd(b, R_CANINTF), F_ERR, "switched: ERRIF cannot be cleared in bus-off");
	run(b, 10 * MS);
	bits(b, R_CANINTF, 0xff, 0);
	is(rd(b, R_CANINTF), 0, "but after it");
	bench_free(b);
}

static void test_merrf(void)
{
	struct bench *b = bench_up(0);

	wr(b, R_CANINTE, F_MERR);
	canbus_destroy(b->bus, &b->peer.node, 0, 3, 20);
	peer_sends(b, 0x100);
	run(b, 25 * US);
	ok(!b->level[MCP2515_PIN_INT], "an error in a frame that comes in: MERRF");
	bits(b, R_CANINTF, F_MERR, 0);
	run(b, 500 * US);
	is(b->fell[MCP2515_PIN_INT], 2, "and again");
	bench_free(b);
}

static void test_wrong_bit_rate(void)
{
	struct bench *b = bench_config(&(struct mcp2515_config){ .osc_hz = 8000000 });

	bench_mode(b, LISTEN);	/* 500 kbit/s, that is */
	run(b, 100 * US);
	receive(b, 0x100);
	is(rd(b, R_CANINTF), F_MERR, "half the crystal: errors instead of frames");
	bench_free(b);
}

static void test_rxbf(void)
{
	struct bench *b = bench_up(0);

	receive(b, 1);
	ok(b->level[MCP2515_PIN_RX0BF], "RXnBF is off after reset");
	wr(b, R_BFPCTRL, 0x0f);
	ok(!b->level[MCP2515_PIN_RX0BF] && b->level[MCP2515_PIN_RX1BF], "RXB0 is full: its pin is low");
	receive(b, 2);
	ok(!b->level[MCP2515_PIN_RX1BF], "RXB1, too");
	SPI(b, I_READ_RX(0));
	ok(b->level[MCP2515_PIN_RX0BF] && !b->level[MCP2515_PIN_RX1BF], "read: high");
	bits(b, R_BFPCTRL, 0x33, 0x10);
	ok(b->level[MCP2515_PIN_RX0BF] && !b->level[MCP2515_PIN_RX1BF], "outputs: B0BFS 1, B1BFS 0");
	bits(b, R_BFPCTRL, 0x30, 0x20);
	ok(!b->level[MCP2515_PIN_RX0BF] && b->level[MCP2515_PIN_RX1BF], "the other way round");
	is(rd(b, R_BFPCTRL), 0x2c, "as read");
	bench_free(b);
}

int main(void)
{
	test_int_level();
	test_icod();
	test_no_ack();
	test_receive_errors();
	test_bus_off();
	test_sticky();
	test_merrf();
	test_wrong_bit_rate();
	test_rxbf();
	return tap_done();
}
