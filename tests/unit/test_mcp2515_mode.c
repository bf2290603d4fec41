// SPDX-License-Identifier: GPL-2.0-only
/* The MCP2515 model: reset values, modes, bit timing, sleep, clock output. */
#include "test_mcp2515.h"

static void test_reset_values(void)
{
	struct bench *b = bench_config(&(struct mcp2515_config){ 0 });
	static const uint8_t zero[] = {
		R_BFPCTRL, R_CNF3, R_CNF2, R_CNF1, R_CANINTE, R_CANINTF, R_EFLG, R_TEC, R_REC,
		R_TXB0, R_TXB1, R_TXB2, R_RXB0, R_RXB1,
	};
	unsigned int i, set = 0;

	for (i = 0; i < sizeof(zero); i++)
		set |= rd(b, zero[i]);
	is(set, 0, "power-up: control and flags are 0");
	is(rd(b, R_CANCTRL), 0x87, "CANCTRL is 87h");
	is(rd(b, R_CANSTAT), CONFIG, "Configuration mode");
	for (i = 1; i < 14; i++)
		set |= rd(b, R_RXB0 + i) | rd(b, R_TXB1 + i);
	ok(set, "buffers hold garbage");
	is(rd(b, R_RXB0 + 2) & 0x04, 0, "though not in bits that do not exist");
	ok(rd(b, R_RXM0) | rd(b, R_RXM1) | rd(b, 0), "masks and filters, too");
	SPI(b, I_LOAD(0), 0x12, 0x20);
	wr(b, R_BFPCTRL, 0x3f);
	SPI(b, I_RESET);
	run(b, 10 * US);
	is(rd(b, R_BFPCTRL), 0, "RESET clears the control registers");
	is(rd(b, R_TXB0 + 1), 0x12, "but not the buffers");
	bench_free(b);
	b = bench_config(&(struct mcp2515_config){ .switches = MCP2515_OPEN_RESET_SPOILS });
	SPI(b, I_LOAD(0), 0x12, 0x20);
	SPI(b, I_RESET);
	run(b, 10 * US);
	ok(rd(b, R_TXB0 + 1) != 0x12, "switched: it spoils them");
	bench_free(b);
}

static void test_protection(void)
{
	struct bench *b = bench_up(0);
	uint8_t mode;

	for (mode = NORMAL; mode <= LISTEN; mode += 0x20) {
		if (mode == SLEEP)
			continue;
		wr(b, R_CANCTRL, mode);
		run(b, 50 * US);
		SPI(b, I_WRITE, R_CNF3, 7, 7, 7);
		bits(b, R_CNF1, 0xff, 7);
		is(rd(b, R_CNF3) << 16 | rd(b, R_CNF2) << 8 | rd(b, R_CNF1), 0x019100,
		   "CNFn cannot be written in mode %02xh, but be read", mode);
	}
	wr(b, R_CANCTRL, CONFIG);
	run(b, 50 * US);
	bits(b, R_CNF3, 0x07, 0x03);
	is(rd(b, R_CNF3), 0x03, "in Configuration mode they can");
	wr(b, R_CANSTAT, 0x40);
	wr(b, R_TEC, 0x40);
	is(rd(b, R_CANSTAT) << 8 | rd(b, R_TEC), CONFIG << 8, "CANSTAT and TEC never");
	SPI(b, I_LOAD(1), 0xff, 0xff, 0xff, 0xff, 0xff);
	is(rd(b, R_TXB1 + 2) << 8 | rd(b, R_TXB1 + 5), 0xeb4f, "bits that do not exist read 0");
	bench_free(b);
}

static uint32_t bit_ns(uint32_t hz, uint8_t cnf1, uint8_t cnf2, uint8_t cnf3)
{
	struct bench *b = bench_config(&(struct mcp2515_config){ .osc_hz = hz });
	uint32_t ns;

	SPI(b, I_WRITE, R_CNF3, cnf3, cnf2, cnf1);
	wr(b, R_CANCTRL, NORMAL);
	ns = mcp2515_node(b->m)->bit_ns;
	bench_free(b);
	return ns;
}

static void test_bit_timing(void)
{
	/* time quanta 1 + prop + ps1 + ps2; CNF2 = 80h | ps1-1 << 3 | prop-1 */
	is(bit_ns(16000000, 0, 0x91, 0x01), 1000, "16 MHz, 8 quanta: 1 Mbit/s");
	is(bit_ns(8000000, 0, 0x91, 0x01), 2000, "8 MHz: 500 kbit/s");
	is(bit_ns(20000000, 0, 0x9a, 0x01), 1000, "20 MHz, 10 quanta: 1 Mbit/s");
	is(bit_ns(12000000, 0, 0x88, 0x01), 1000, "12 MHz, 6 quanta: 1 Mbit/s");
	is(bit_ns(16000000, 0x43, 0xbf, 0x07), 12500, "BRP 4, 25 quanta: 80 kbit/s");
	is(bit_ns(16000000, 0x3f, 0xbf, 0x07), 200000, "the slowest: 5 kbit/s");
	is(bit_ns(16000000, 0, 0x11, 0x07), 1125, "BTLMODE 0: PS2 is PS1");
	is(bit_ns(16000000, 0, 0x01, 0x07), 750, "or the information processing time");
}

static void test_opmode_delay(void)
{
	struct bench *b = bench_up(0);

	load(b, 0, 0x123, 8);
	SPI(b, I_RTS(1));
	run(b, 50 * US);
	wr(b, R_CANCTRL, CONFIG);
	is(rd(b, R_CANCTRL), CONFIG, "a mode is asked for during a transmission");
	is(rd(b, R_CANSTAT), NORMAL, "it is not entered yet");
	run(b, 50 * US);
	is(rd(b, R_CANSTAT), NORMAL, "nor in the frame");
	run(b, 30 * US);
	is(rd(b, R_CANSTAT), CONFIG, "but after it");
	is(probe_count(&b->peer, RX_FRAME), 1, "which was sent");
	is(rd(b, R_TXB0), 0, "completely");
	bench_free(b);

	b = bench_up(0);
	canbus_node_stop(&b->peer.node);
	SPI(b, I_RTS(1));
	wr(b, R_CANCTRL, CONFIG);
	run(b, 50 * MS);
	is(rd(b, R_CANSTAT), NORMAL, "no acknowledge: a pending request keeps the mode for ever");
	wr(b, R_TXB0, 0);
	run(b, MS);
	is(rd(b, R_CANSTAT), CONFIG, "until it is withdrawn");
	is(rd(b, R_TEC), 0, "then the counters are 0");
	bench_free(b);

	b = bench_up(0);
	peer_sends(b, 0x100);
	run(b, 20 * US);
	wr(b, R_CANCTRL, SLEEP);
	is(rd(b, R_CANSTAT), NORMAL, "nor is it entered while a frame comes in");
	run(b, 60 * US);
	is(rd(b, R_CANSTAT), SLEEP, "but after it");
	is(rd(b, R_CANINTF), F_RX0, "which was received");
	bench_free(b);

	b = bench_config(&(struct mcp2515_config){ .mode_delay_ns = 20 * MS });
	bench_mode(b, NORMAL);
	run(b, 19 * MS);
	is(rd(b, R_CANSTAT), CONFIG, "a delay of 20 ms was asked of the model");
	run(b, 1 * MS);
	is(rd(b, R_CANSTAT), NORMAL, "it has it");
	bench_free(b);

	b = bench_up(0);
	wr(b, R_CANCTRL, 0xa0);
	run(b, MS);
	is(rd(b, R_CANSTAT), NORMAL, "a mode that does not exist changes nothing");
	bench_free(b);
}

static void test_listen_only(void)
{
	struct bench *b = bench_up(0);

	canbus_destroy(b->bus, &b->peer.node, 0, 3, 20);
	peer_sends(b, 0x100);
	run(b, 500 * US);
	ok(rd(b, R_REC) > 0, "REC counts in Normal mode");
	wr(b, R_CANCTRL, LISTEN);
	run(b, 100 * US);
	is(rd(b, R_REC), 0, "Listen-Only resets it");
	wr(b, R_CANCTRL, NORMAL);
	is(rd(b, R_REC), 0, "for good");
	wr(b, R_CANCTRL, LISTEN);
	run(b, 100 * US);
	wr(b, R_CANINTF, 0);
	probe_forget(&b->peer);
	receive(b, 0x101);
	is(rd(b, R_CANINTF) & F_RX0, 0, "a frame that nobody else acknowledges does not arrive");
	ok(probe_count(&b->peer, ERROR) > 0, "because this node does not");
	is(probe_get(&b->peer, ERROR, 0).error, CANBUS_ACK_ERROR, "its sender misses the ACK");
	ok(rd(b, R_CANINTF) & F_MERR, "message errors are told");
	is(rd(b, R_REC), 0, "but not counted");
	is(rd(b, R_EFLG), 0, "no error state");
	SPI(b, I_RTS(1));
	run(b, 2 * MS);
	is(probe_count(&b->peer, RX_FRAME), 0, "nothing is sent");
	is(rd(b, R_TXB0), TXREQ, "the request waits");
	wr(b, R_CANCTRL, NORMAL);
	run(b, MS);
	is(probe_count(&b->peer, RX_FRAME), 1, "for Normal mode");
	bench_free(b);
}

static void test_listen_third(void)
{
	struct bench *b = bench_up(0);
	struct probe third;

	probe_init(&third, &b->sim, b->bus, "third");
	canbus_node_start(&third.node);
	wr(b, R_CANCTRL, LISTEN);
	run(b, 100 * US);
	receive(b, 0x101);
	is(rx_id(b, 0), 0x101, "Listen-Only receives what others acknowledge");
	is(probe_count(&b->peer, ERROR), 0, "and disturbs nobody");
	for (unsigned int i = 0; i < 10; i++) {
		canbus_destroy(b->bus, &b->peer.node, 0, 15, 20);
		b->peer.node.tec = 0;
		b->peer.sent = b->peer.frames = 0;
		peer_sends(b, 0x102);
		run(b, MS);
	}
	is(rd(b, R_REC) | (rd(b, R_EFLG) & 0x3f), 0, "errors without number leave its counters at 0");
	is(rd(b, R_CANINTF) & F_MERR, F_MERR, "though they are told");
	canbus_detach(&third.node);
	bench_free(b);
}

static void test_loopback(void)
{
	struct bench *b = bench_up(0);

	wr(b, R_CANCTRL, LOOPBACK);
	run(b, 100 * US);
	load(b, 0, 0x345, 2);
	SPI(b, I_RTS(1));
	run(b, 100 * US);
	is(rd(b, R_CANINTF), F_TX0 | F_RX0, "Loopback: sent and received");
	is(rx_id(b, 0), 0x345, "by itself");
	is(b->peer.notes, 0, "nobody else sees it");
	receive(b, 0x101);
	ok(!(rd(b, R_CANINTF) & F_RX1), "it sees nobody else");
	bench_free(b);
}

static void test_sleep(void)
{
	struct bench *b = bench_up(0);

	wr(b, R_CANCTRL, SLEEP | 0x04);
	run(b, 100 * US);
	is(rd(b, R_CANSTAT), SLEEP, "Sleep; registers can be read");
	receive(b, 0x101);
	is(rd(b, R_CANSTAT) | rd(b, R_CANINTF), SLEEP, "without WAKIE the bus does not wake it");
	wr(b, R_CANINTF, F_WAK);
	is(rd(b, R_CANSTAT), SLEEP, "nor does WAKIF");
	wr(b, R_CANINTF, 0);
	wr(b, R_CANCTRL, CONFIG);
	run(b, MS);
	is(rd(b, R_CANSTAT), SLEEP, "nor does asking for another mode");
	run(b, 40 * MS);
	wr(b, R_CANINTE, F_WAK);
	canbus_node_stop(&b->peer.node);
	b->peer.sent = b->peer.frames;
	canbus_node_start(&b->peer.node);
	run(b, MS);
	peer_sends(b, 0x102);
	ok(b->level[MCP2515_PIN_INT], "asleep");
	run(b, 1 * US);
	ok(!b->level[MCP2515_PIN_INT], "the first dominant bit wakes it");
	is(rd(b, R_CANINTF), 0, "no SPI while the oscillator starts");
	run(b, 8 * US);
	is(rd(b, R_CANSTAT), LISTEN | 2 << 1, "it wakes up into Listen-Only, ICOD tells");
	is(rd(b, R_CANINTF), F_WAK, "WAKIF");
	is(mcp2515_stats(b->m)->wakeups, 1, "counted");
	is(mcp2515_stats(b->m)->rx_valid, 0, "the frame that woke it is lost");
	bench_free(b);

	b = bench_up(0);
	wr(b, R_CANCTRL, SLEEP);
	run(b, 100 * US);
	SPI(b, I_WRITE, R_CANINTE, F_WAK, F_WAK);
	run(b, 5 * MS);
	is(rd(b, R_CANSTAT) & 0xe0, LISTEN, "WAKIF by SPI with WAKIE wakes it");
	wr(b, R_CANCTRL, CONFIG);
	is(rd(b, R_CANSTAT) & 0xe0, CONFIG, "then it goes where it is told");
	SPI(b, I_WRITE, R_CANINTE, 0, 0);
	wr(b, R_CANCTRL, SLEEP);
	SPI(b, I_WRITE, R_CANINTE, F_WAK, F_WAK, E_RX0OVR);
	run(b, 5 * MS);
	is(rd(b, R_EFLG), 0, "deaf from the byte on that woke it");
	bench_free(b);
}

static void test_clkout(void)
{
	struct bench *b = bench_up(0);
	struct bench *e = bench_up(MCP2515_ERRATUM_OSC_RUNS);
	unsigned int i;

	for (i = 0; i < 4; i++) {
		wr(b, R_CANCTRL, 0x04 | i);
		is(mcp2515_clkout_hz(b->m), 16000000 >> i, "CLKOUT: crystal / %u", 1 << i);
	}
	wr(b, R_CANCTRL, 0);
	is(mcp2515_clkout_hz(b->m), 0, "CLKEN = 0: off");
	wr(b, R_CANCTRL, SLEEP | 0x04);
	is(mcp2515_clkout_hz(b->m), 16000000, "asleep: some clocks more");
	run(b, 1 * US);
	is(mcp2515_clkout_hz(b->m), 0, "then it stands");
	wr(e, R_CANCTRL, SLEEP | 0x04);
	run(e, 1 * US);
	is(mcp2515_clkout_hz(e->m), 16000000, "erratum 1: it goes on");
	bench_free(e);

	SPI(b, I_RESET);
	run(b, 10 * US);
	SPI(b, I_WRITE, R_CNF3, 0x81, 0x91, 0x00);
	wr(b, R_CANCTRL, NORMAL | 0x04);
	run(b, 20 * US);
	is(mcp2515_clkout_hz(b->m), 0, "CNF3.SOF: no clock");
	receive(b, 0x100);
	is(b->fell[MCP2515_PIN_SOF], 1, "but a pulse");
	is(b->changed_at[MCP2515_PIN_SOF],
	   probe_get(&b->peer, TX_DONE, 0).at -
	   canbus_frame_bits(&(struct canbus_frame){ .id = 0x100, .dlc = 1, .data = { 0 } }) * BIT,
	   "at the frame's beginning");
	SPI(b, I_RTS(1));
	run(b, 300 * US);
	is(mcp2515_stats(b->m)->sof_pulses, 2, "also of own frames");
	bench_free(b);
}

static void test_standby(void)
{
	struct bench *b = bench_config(&(struct mcp2515_config){ .type = MCP25625 });

	bench_mode(b, NORMAL);
	receive(b, 0x100);
	is(rd(b, R_CANINTF), F_RX0, "MCP25625: receives");
	mcp2515_standby(b->m, true);
	receive(b, 0x100);
	is(rd(b, R_CANINTF), F_RX0, "STBY: cut off");
	SPI(b, I_RTS(1));
	run(b, MS);
	is(rd(b, R_TXB0), TXREQ, "cannot send");
	mcp2515_standby(b->m, false);
	run(b, MS);
	is(rd(b, R_TXB0), 0, "until the transceiver is on again");
	mcp2515_standby(b->m, true);
	wr(b, R_CANCTRL, CONFIG);
	wr(b, R_CANCTRL, NORMAL);
	run(b, MS);
	wr(b, R_CANINTF, 0);
	receive(b, 0x100);
	is(rd(b, R_CANINTF), 0, "whatever the mode of the controller");
	bench_free(b);
}

int main(void)
{
	test_reset_values();
	test_protection();
	test_bit_timing();
	test_opmode_delay();
	test_listen_only();
	test_listen_third();
	test_loopback();
	test_sleep();
	test_clkout();
	test_standby();
	return tap_done();
}
