// SPDX-License-Identifier: GPL-2.0-only
/*
 * Errors: who sees them when, what they do to the counters (ISO 11898-1,
 * 12.1.4), and how a node goes bus-off and comes back.
 *
 * Most frames here are id 0 without data, whose bits can be counted by hand:
 * 40 bits up to the CRC with its stuff bits, CRC delimiter 40, ACK slot 41, ACK
 * delimiter 42, EOF 43..49. An error seen at bit n (reported at n + 1) of active
 * nodes costs flag 6, delimiter 8, intermission 3 from there.
 */
#include "bus_probe.h"

#define T0 100000
#define RETRY (6 + 8 + 3)

static struct sim sim;
static struct canbus *bus;
static struct probe a, b, c;
static const struct canbus_frame id0;

static void fresh(unsigned int nodes)
{
	struct probe *p[] = { &a, &b, &c };

	canbus_free(bus);
	sim_free(&sim);
	sim_init(&sim, NULL, NULL);
	bus = canbus_new(&sim);
	for (unsigned int i = 0; i < 3; i++) {
		probe_init(p[i], &sim, bus, i ? i == 1 ? "b" : "c" : "a");
		if (i < nodes)
			canbus_node_start(&p[i]->node);
	}
	sim_advance(&sim, T0);
}

static uint64_t bits(unsigned int n)
{
	return T0 + (uint64_t)n * BIT;
}

static void restart(struct probe *p, enum canbus_mode mode, uint32_t bit_ns)
{
	canbus_node_stop(&p->node);
	p->node.mode = mode;
	p->node.bit_ns = bit_ns;
	canbus_node_start(&p->node);
}

/* When did the nth attempt begin? From the error of an ACK that is missing. */
static uint64_t attempt(const struct probe *p, unsigned int nth)
{
	return probe_get(p, ERROR, nth).at - 42 * BIT;
}

static void test_no_ack(void)
{
	struct note n;

	fresh(1);
	probe_send(&a, id0);
	sim_advance(&sim, bits(42 + RETRY));
	n = probe_get(&a, ERROR, 0);
	is(n.at, bits(42), "alone: the ACK is missing after the ACK slot");
	is(n.error, CANBUS_ACK_ERROR, "an ACK error");
	ok(n.transmitting, "of the transmitter");
	is(n.tec, 8, "TEC is 8 when it is reported");
	sim_advance(&sim, bits(50000));
	is(attempt(&a, 1), bits(42 + RETRY), "it tries again after flag, delimiter, intermission");
	is(probe_get(&a, ERROR, 15).tec, 128, "16 attempts make it error-passive");
	is(probe_get(&a, ERROR, 16).tec, 128, "no further");
	is(a.node.tec, 128, "ever: an ACK error alone drives nobody bus-off");
	is(attempt(&a, 16) - attempt(&a, 15), (42 + RETRY + 8) * BIT,
	   "from then on with 8 bits of suspend transmission");
	is(probe_count(&a, TX_DONE), 0, "nothing is sent");
	is(canbus_stats(bus)->errors, probe_count(&a, ERROR), "statistics count each error frame");

	probe_forget(&a);
	canbus_node_start(&b.node);
	sim_advance(&sim, bits(51000));
	is(probe_count(&a, TX_DONE), 1, "another node appears: the frame goes through");
	is(a.node.tec, 127, "and TEC comes down");
	is(probe_count(&b, RX_FRAME), 1, "received once");
}

static void test_who_acknowledges(void)
{
	fresh(2);
	restart(&b, CANBUS_SILENT, BIT);
	sim_advance(&sim, bits(0) + 20 * BIT);
	probe_send(&a, id0);
	sim_advance(&sim, bits(100));
	is(probe_get(&a, ERROR, 0).error, CANBUS_ACK_ERROR, "a silent node gives no ACK");
	is(probe_count(&b, RX_FRAME), 0, "and does not take the frame for valid");
	is(probe_get(&b, ERROR, 0).error, CANBUS_FORM_ERROR, "it believes in its own ACK, and");
	is(probe_get(&b, ERROR, 0).at, bits(20 + 43), "sees the flag in the ACK delimiter");

	fresh(2);
	restart(&b, CANBUS_LOOPBACK, BIT);
	sim_advance(&sim, bits(20));
	probe_send(&a, id0);
	sim_advance(&sim, bits(100));
	is(probe_get(&a, ERROR, 0).error, CANBUS_ACK_ERROR, "nor does one in loopback mode");

	fresh(1);
	canbus_node_start(&b.node);
	sim_advance(&sim, bits(5));
	probe_send(&a, id0);
	sim_advance(&sim, bits(60));
	is(probe_get(&a, ERROR, 0).error, CANBUS_ACK_ERROR, "nor one that just started");
	sim_advance(&sim, bits(200));
	is(probe_count(&a, TX_DONE), 1, "which does for the next attempt");

	fresh(2);
	b.node.rec = 128;
	probe_send(&a, id0);
	sim_advance(&sim, bits(100));
	is(probe_count(&a, TX_DONE), 1, "an error-passive node acknowledges");

	fresh(2);
	probe_send(&a, id0);
	sim_advance(&sim, bits(41));
	canbus_node_stop(&b.node);
	sim_advance(&sim, bits(60));
	is(probe_count(&a, ERROR), 1, "one that stops just before the ACK slot does not");

	fresh(2);
	probe_send(&a, id0);
	sim_advance(&sim, bits(42));
	canbus_node_stop(&b.node);
	sim_advance(&sim, bits(60));
	is(probe_count(&a, TX_DONE), 1, "one that stops after it has");
	probe_send(&a, id0);
	sim_advance(&sim, bits(120));
	is(probe_get(&a, ERROR, 0).error, CANBUS_ACK_ERROR, "but not for the next frame");

	fresh(2);
	probe_send(&a, id0);
	probe_send(&b, (struct canbus_frame){ .id = 1 });
	sim_advance(&sim, bits(60));
	is(probe_count(&a, TX_DONE), 1, "the loser of an arbitration acknowledges the winner");

	fresh(2);
	probe_send(&a, id0);
	probe_send(&b, id0);
	sim_advance(&sim, bits(50));
	is(probe_count(&a, ERROR) + probe_count(&b, ERROR), 2,
	   "two senders of one frame do not acknowledge each other");
}

static void test_destroyed(void)
{
	struct note n;

	/* bits 5, 11, 17.. are recessive stuff bits, the others dominant; 30 is dominant */
	fresh(3);
	canbus_destroy(bus, NULL, 0, 1, 30);
	probe_send(&a, id0);
	sim_advance(&sim, bits(300));
	n = probe_get(&a, ERROR, 0);
	is(n.at, bits(31), "a dominant bit is destroyed: the sender sees it at once");
	is(n.error, CANBUS_BIT0_ERROR, "as a bit0 error");
	is(n.tec, 8, "TEC + 8");
	n = probe_get(&b, ERROR, 0);
	is(n.at, bits(37), "receivers see a stuff error at the sixth dominant bit of its flag");
	is(n.error, CANBUS_STUFF_ERROR, "a stuff error");
	ok(!n.transmitting, "as receivers");
	is(n.rec, 1, "REC + 1");
	/* flag 31..36, echo 37..42, delimiter 43..50, intermission 51..53 */
	is(probe_get(&a, TX_DONE, 0).at, bits(54 + 50), "the frame is repeated after the echo");
	is(a.node.tec, 7, "TEC - 1 then");
	is(b.node.rec, 0, "REC - 1 too");
	is(probe_count(&c, RX_FRAME), 1, "received once");
	is(canbus_stats(bus)->errors, 1, "statistics: one error frame");
	is(canbus_stats(bus)->busy_ns, (54 + 53) * BIT, "statistics: busy with it");

	/* 0 10000000000: the first id bit is recessive */
	fresh(2);
	canbus_destroy(bus, NULL, 0, 1, 1);
	probe_send(&a, (struct canbus_frame){ .id = 0x400 });
	sim_advance(&sim, bits(200));
	is(probe_get(&a, ERROR, 0).at, bits(3),
	   "in the arbitration field the next dominant bit is hit");

	/* bit 35 is the sixth recessive stuff bit, in the CRC */
	fresh(2);
	canbus_destroy(bus, NULL, 0, 1, 35);
	probe_send(&a, id0);
	sim_advance(&sim, bits(200));
	is(probe_get(&a, ERROR, 0).error, CANBUS_BIT1_ERROR, "a recessive bit: bit1 error");
	is(probe_get(&b, ERROR, 0).at, bits(36), "here with a stuff error at the same bit");
	is(probe_get(&a, TX_DONE, 0).at, bits(36 + RETRY + 50), "and so without an echo");

	fresh(2);
	canbus_destroy(bus, NULL, 0, 1, 40);
	probe_send(&a, id0);
	sim_advance(&sim, bits(200));
	is(probe_get(&b, ERROR, 0).error, CANBUS_FORM_ERROR, "the CRC delimiter: form error");
	is(probe_get(&b, ERROR, 0).at, bits(41), "at that bit");

	fresh(2);
	canbus_destroy(bus, NULL, 0, 1, 41);
	probe_send(&a, id0);
	sim_advance(&sim, bits(200));
	is(probe_get(&a, ERROR, 0).error, CANBUS_ACK_ERROR, "the ACK slot: ACK error");
	is(probe_get(&b, ERROR, 0).error, CANBUS_BIT0_ERROR, "and a bit0 error of who gave it");

	fresh(2);
	canbus_destroy(bus, NULL, 0, 1, -1);
	probe_send(&a, id0);
	sim_advance(&sim, bits(200));
	is(probe_get(&a, ERROR, 0).at, bits((22 + 40) / 2 + 1), "by default the middle is hit");
}

static void test_end_of_frame(void)
{
	fresh(2);
	canbus_destroy(bus, NULL, 0, 1, 48);
	probe_send(&a, id0);
	sim_advance(&sim, bits(200));
	is(probe_count(&b, RX_FRAME), 1, "last but one bit of EOF destroyed: repeated, one frame");
	is(probe_get(&b, ERROR, 0).error, CANBUS_FORM_ERROR, "receivers see a form error");

	fresh(2);
	canbus_destroy(bus, NULL, 0, 1, 49);
	probe_send(&a, id0);
	sim_advance(&sim, bits(200));
	is(probe_count(&a, TX_DONE), 1, "last bit of EOF destroyed: the sender repeats");
	is(probe_count(&b, RX_FRAME), 2, "receivers have the frame twice");
	is(probe_count(&b, ERROR), 0, "and send an overload flag, no error flag");
	is(probe_get(&a, TX_DONE, 0).at, bits(50 + RETRY + 50), "as long as one");

	fresh(2);
	a.node.tec = 128;
	canbus_destroy(bus, NULL, 0, 1, 49);
	probe_send(&a, id0);
	sim_advance(&sim, bits(45));
	canbus_node_start(&c.node);
	sim_advance(&sim, bits(66));
	ok(!c.node.integrated, "the overload flag is dominant, bits 50 to 55");
	sim_advance(&sim, bits(67));
	ok(c.node.integrated, "11 recessive bits follow it");

	fresh(2);
	canbus_destroy(bus, NULL, 0, 1, 49);
	probe_send(&a, id0);
	sim_advance(&sim, bits(200));
	canbus_destroy(bus, NULL, 0, 1, 199);
	probe_send(&a, id0);
	sim_advance(&sim, bits(500));
	is(probe_count(&b, RX_FRAME), 4, "a bit beyond the frame means its last one");
}

static void test_which_frames(void)
{
	fresh(3);
	canbus_destroy(bus, NULL, 2, 3, 30);
	a.endless = true;
	probe_send(&a, id0);
	sim_advance(&sim, bits(1000));
	is(probe_count(&a, ERROR), 3, "skip 2, destroy 3: three errors");
	is(probe_get(&a, ERROR, 0).at, bits(2 * 53 + 31), "the third frame is the first one hit");
	is(probe_get(&a, ERROR, 2).at, bits(2 * 53 + 2 * 54 + 31), "then its repetitions");

	fresh(3);
	canbus_destroy(bus, &b.node, 0, 1, 30);
	canbus_destroy_others(bus, &b.node, 1, 1, 30);
	a.endless = true;
	probe_send(&a, id0);
	sim_advance(&sim, bits(400));
	is(probe_count(&a, ERROR), 1, "only frames of the others: skips one, hits one");
	is(probe_get(&a, ERROR, 0).at, bits(53 + 31), "the right one");
	a.endless = false;
	sim_advance(&sim, bits(500));
	probe_forget(&b);
	probe_send(&b, id0);
	sim_advance(&sim, bits(1000));
	is(probe_get(&b, ERROR, 0).error, CANBUS_BIT0_ERROR, "only frames of one sender: hit later");
	is(probe_get(&b, ERROR, 0).transmitting, true, "when it sends");

	fresh(2);
	canbus_destroy(bus, NULL, 0, 1, 20);
	canbus_destroy(bus, NULL, 0, 2, 30);
	probe_send(&a, id0);
	sim_advance(&sim, bits(300));
	is(probe_get(&a, ERROR, 0).at, bits(21), "two for one frame: the first one holds");
	is(probe_count(&a, ERROR), 2, "but both count it");

	fresh(2);
	canbus_destroy(bus, NULL, 0, 0, 30);
	probe_send(&a, id0);
	sim_advance(&sim, bits(100));
	is(probe_count(&a, ERROR), 0, "count 0 destroys nothing");
}

/* In the delimiter of an error frame: a form error, the error frame starts anew. */
static void test_error_in_error_frame(void)
{
	fresh(1);
	/* ACK error at 41, flag 42..47, delimiter 48..55 */
	canbus_destroy(bus, NULL, 0, 1, 49);
	probe_send(&a, id0);
	sim_advance(&sim, bits(60));
	is(probe_get(&a, ERROR, 1).at, bits(50), "a dominant bit in the error delimiter");
	is(probe_get(&a, ERROR, 1).error, CANBUS_FORM_ERROR, "is a form error");
	is(a.node.tec, 16, "that counts as well");
	sim_advance(&sim, bits(50 + RETRY + 42));
	is(attempt(&a, 2), bits(50 + RETRY), "and begins another error frame");
}

static void test_levels(void)
{
	fresh(2);
	canbus_destroy(bus, &a.node, 0, 1000, 30);
	probe_send(&a, id0);
	sim_advance(&sim, bits(5000));
	is(probe_get(&a, STATE, 0).tec, 96, "warning at 96");
	is(probe_get(&a, STATE, 1).tec, 128, "error-passive at 128");
	is(probe_get(&a, STATE, 2).tec, 256, "bus-off at 256");
	ok(probe_get(&a, STATE, 2).bus_off, "and then it says so");
	is(probe_count(&a, STATE), 3, "nothing else changes its state");
	is(probe_count(&a, ERROR), 32, "exactly 32 errors in a row lead to bus-off");
	ok(probe_get(&a, ERROR, 31).bus_off, "the last error is reported with the state up to date");
	is(b.node.rec, 32, "the receiver counts one for each");
	is(probe_count(&a, TX_DONE), 0, "nothing was sent");
	ok(!a.node.running, "a bus-off node is stopped");
	ok(canbus_idle(bus), "and the bus is free");

	fresh(1);
	a.node.tec = 255;
	canbus_destroy(bus, NULL, 0, 1, 30);
	probe_send(&a, id0);
	sim_advance(&sim, bits(100));
	is(canbus_stats(bus)->busy_ns, (31 + 3) * BIT, "a node that goes bus-off sends no flag");

	fresh(2);
	a.node.tec = 96;
	probe_send(&a, id0);
	sim_advance(&sim, bits(60));
	is(probe_get(&a, STATE, 0).tec, 95, "below 96 again: no warning any more");
	a.node.tec = 128;
	b.node.rec = 128;
	probe_forget(&a);
	probe_forget(&b);
	probe_send(&a, id0);
	sim_advance(&sim, bits(200));
	is(probe_get(&a, STATE, 0).tec, 127, "TEC 128 - 1: error-active");
	is(probe_get(&b, STATE, 0).rec, 127, "a passive receiver's REC falls to 127");
	probe_send(&a, id0);
	sim_advance(&sim, bits(300));
	is(b.node.rec, 126, "then one by one");
	is(a.node.tec, 126, "as TEC does");
	is(probe_count(&b, STATE), 1, "without further changes of state");

	fresh(2);
	b.node.rec = 127;
	canbus_destroy(bus, NULL, 0, 5, 30);
	probe_send(&a, id0);
	sim_advance(&sim, bits(56));
	is(b.node.rec, 128, "REC 127 + 1: passive");
	sim_advance(&sim, bits(250));
	is(b.node.rec, 128, "REC does not count above 128");
}

static void test_passive_sender(void)
{
	fresh(2);
	a.node.tec = 128;
	canbus_destroy(bus, NULL, 0, 1, 30);
	probe_send(&a, id0);
	sim_advance(&sim, bits(300));
	is(a.node.tec, 135, "a passive sender pays 8 for a bit error too");
	/*
	 * The stuff bit 29, the flipped bit 30 and the passive flag are recessive:
	 * the sixth in a row is bit 34. Flag of the receiver 35..40, delimiter
	 * 41..48, intermission 49..51, suspend 52..59.
	 */
	is(probe_get(&b, ERROR, 0).at, bits(35), "the receiver sees six recessive bits");
	is(b.node.rec, 0, "it flags alone, so no + 8");
	is(probe_get(&a, TX_DONE, 0).at, bits(60 + 50), "the sender waits 8 bits more");

	fresh(2);
	a.node.tec = 128;
	canbus_destroy(bus, NULL, 0, 1, 41);
	probe_send(&a, id0);
	sim_advance(&sim, bits(60));
	is(a.node.tec, 136, "ACK error with a dominant bit in the passive flag: + 8");

	fresh(3);
	a.node.tec = 130;
	probe_send(&a, id0);
	probe_send(&a, id0);
	sim_advance(&sim, bits(200));
	is(probe_get(&a, TX_DONE, 1).at, bits(53 + 8 + 50),
	   "two frames of a passive sender: 8 bits of suspend transmission between them");

	fresh(3);
	a.node.tec = 130;
	probe_send(&a, id0);
	probe_send(&a, id0);
	sim_advance(&sim, bits(10));
	probe_send(&b, (struct canbus_frame){ .id = 0x7ff, .rtr = true });
	sim_advance(&sim, bits(400));
	ok(probe_get(&b, TX_DONE, 0).at < probe_get(&a, TX_DONE, 1).at,
	   "in which others come first, whatever their id");
	is(probe_get(&a, TX_DONE, 1).at - probe_get(&b, TX_DONE, 0).at, 53 * BIT,
	   "after their frame it need not wait again");

	fresh(3);
	a.node.rec = 128;
	a.node.tec = 0;
	probe_send(&a, id0);
	sim_advance(&sim, bits(56));
	probe_send(&a, id0);
	sim_advance(&sim, bits(200));
	is(probe_get(&a, TX_DONE, 1).at, bits(53 + 8 + 50),
	   "passive by REC is passive as well, also when asked during the 8 bits");
}

static void test_recovery(void)
{
	uint64_t start;

	fresh(2);
	canbus_destroy(bus, &a.node, 0, 32, 30);
	probe_send(&a, id0);
	sim_advance(&sim, bits(10000));
	ok(a.node.bus_off, "bus-off");
	sim_advance(&sim, bits(50000));
	is(probe_count(&a, TX_DONE) + probe_count(&a, RECOVERY), 0, "for ever, if nobody starts it");
	probe_forget(&a);
	canbus_node_start(&a.node);
	start = sim.now;
	sim_advance(&sim, start + 128 * 11 * BIT);
	ok(a.node.bus_off, "128 sequences are not enough");
	is(probe_count(&a, RECOVERY), 128, "each is reported");
	is(probe_get(&a, RECOVERY, 0).at, start + 11 * BIT, "the first one after 11 bits");
	is(probe_get(&a, RECOVERY, 0).left, 128, "with 128 more to go");
	is(a.node.tec, 256, "the counters stay");
	sim_advance(&sim, start + 129 * 11 * BIT);
	ok(!a.node.bus_off, "129 are");
	is(probe_get(&a, RECOVERY, 128).left, 0, "the last one leaves none");
	is(probe_get(&a, RECOVERY, 128).tec, 0, "and both counters are 0");
	is(probe_get(&a, STATE, 0).bus_off, false, "the state changes back");
	sim_advance(&sim, start + (129 * 11 + 50) * BIT);
	is(probe_count(&a, TX_DONE), 1, "and the frame is sent at once");

	fresh(2);
	a.node.recovery_sequences = 128;
	canbus_destroy(bus, &a.node, 0, 32, 30);
	probe_send(&a, id0);
	sim_advance(&sim, bits(10000));
	canbus_node_start(&a.node);
	start = sim.now;
	sim_advance(&sim, start + 128 * 11 * BIT - 1);
	ok(a.node.bus_off, "a controller may have another number of sequences: not yet");
	sim_advance(&sim, start + 128 * 11 * BIT);
	ok(!a.node.bus_off, "128 are enough for it");
}

static void test_recovery_busy(void)
{
	fresh(3);
	a.node.tec = 255;
	canbus_destroy(bus, &a.node, 0, 1, 30);
	probe_send(&a, id0);
	sim_advance(&sim, bits(1000));
	ok(a.node.bus_off, "bus-off by one more error");
	b.endless = true;
	probe_send(&b, id0);
	sim_advance(&sim, bits(1010));
	canbus_node_start(&a.node);
	sim_advance(&sim, bits(1000 + 53 * 128));
	ok(a.node.bus_off, "on a full bus only the end of each frame counts");
	is(probe_count(&a, RECOVERY), 128, "once a frame");
	is(probe_get(&a, RECOVERY, 5).at, bits(1000 + 53 * 6), "at the end of its intermission");
	probe_forget(&a);
	sim_advance(&sim, bits(1000 + 53 * 129));
	ok(!a.node.bus_off, "back after 129 frames");
	sim_advance(&sim, bits(1000 + 53 * 130));
	is(probe_count(&a, TX_DONE) + probe_count(&a, TX_LOST), 1, "in time to send with the next");

	fresh(3);
	a.node.tec = 255;
	canbus_destroy(bus, &a.node, 0, 1, 30);
	probe_send(&a, id0);
	sim_advance(&sim, bits(1000));
	canbus_node_start(&a.node);
	sim_advance(&sim, bits(1000 + 100 * 11 + 4));
	canbus_node_stop(&a.node);
	canbus_node_start(&a.node);
	sim_advance(&sim, bits(1000 + 100 * 11 + 4 + 129 * 11 - 1));
	ok(a.node.bus_off, "stopped and started again: the recovery is not shortened");
	sim_advance(&sim, bits(1000 + 100 * 11 + 4 + 129 * 11));
	ok(!a.node.bus_off, "but begins anew");

	fresh(1);
	a.node.tec = 255;
	canbus_destroy(bus, NULL, 0, 1, 30);
	probe_send(&a, id0);
	sim_advance(&sim, bits(1000));
	canbus_node_stop(&a.node);
	a.node.mode = CANBUS_LOOPBACK;
	canbus_node_start(&a.node);
	sim_advance(&sim, bits(1000 + 129 * 11 + 50));
	is(probe_count(&a, TX_DONE), 1, "a loopback node recovers on its own wire");
}

static void test_collision(void)
{
	struct canbus_frame x = { .id = 0, .dlc = 1, .data = { 0x00 } };
	struct canbus_frame y = { .id = 0, .dlc = 1, .data = { 0x80 } };

	fresh(3);
	probe_send(&a, y);
	probe_send(&b, x);
	sim_advance(&sim, bits(40));
	/*
	 * SOF, id, RTR, IDE, r0, DLC 0001: 22 bits; the 1 is sent at bit 21.
	 * Data starts at 22: a sees dominant there.
	 */
	is(probe_get(&a, ERROR, 0).at, bits(23), "same id, other data: the recessive sender sees it");
	is(probe_get(&a, ERROR, 0).error, CANBUS_BIT1_ERROR, "as a bit1 error");
	ok(probe_get(&b, ERROR, 0).transmitting, "the other one's frame is destroyed");
	is(probe_get(&b, ERROR, 0).error, CANBUS_BIT1_ERROR, "at its next recessive bit");
	is(probe_get(&b, ERROR, 0).at, bits(28), "a stuff bit");
	is(a.node.tec, 8, "TEC + 8");
	is(b.node.tec, 8, "for both");
	is(probe_count(&c, ERROR), 1, "and the third sees an error");
	sim_advance(&sim, bits(10000));
	is(probe_count(&a, TX_DONE) + probe_count(&b, TX_DONE), 2,
	   "it repeats until they are passive; then one comes through and the other follows");
	is(probe_count(&c, RX_FRAME), 2, "each received once");
	is(probe_get(&c, RX_FRAME, 0).frame.data[0], 0x00, "the dominant one first");
	is(probe_get(&a, ERROR, 15).tec, 128, "after 16 collisions");
	is(probe_count(&b, ERROR), 16, "the dominant one has no error then");

	fresh(3);
	a.node.tec = 128;
	probe_send(&a, (struct canbus_frame){ .id = 0, .dlc = 4 });
	probe_send(&b, x);
	probe_send(&b, x);
	sim_advance(&sim, bits(400));
	is(probe_get(&c, RX_FRAME, 0).frame.dlc, 1, "frames may differ in length");
	is(probe_get(&b, TX_DONE, 0).at, bits(canbus_frame_bits(&x)), "the survivor is on time");
	is(probe_get(&b, TX_DONE, 1).at, bits(2 * canbus_frame_bits(&x) + 3),
	   "so is its next frame: nobody waits for a passive flag");

	/* IDE is bit 14; destroyed, the extended frame still follows the flag's first bits */
	fresh(3);
	canbus_destroy(bus, NULL, 0, 1, 14);
	probe_send(&a, (struct canbus_frame){ .id = 0x100, .rtr = true });
	probe_send(&b, (struct canbus_frame){ .id = 0x100 << 18 | 0x3ffff, .ext = true });
	sim_advance(&sim, bits(50));
	is(probe_get(&a, ERROR, 0).at, bits(15), "an error in the middle of an arbitration");
	is(probe_get(&b, TX_LOST, 0).at, bits(16), "the flag looks like lost arbitration");
	is(b.node.tec, 0, "which costs its sender nothing");
	is(b.node.rec, 1, "but a receiver's error");
}

static void test_truncated(void)
{
	fresh(3);
	probe_send(&a, id0);
	sim_advance(&sim, bits(20) + 300);
	canbus_node_stop(&a.node);
	sim_advance(&sim, bits(100));
	/* 18..20 are dominant, from 21 on recessive: the sixth is 26 */
	is(probe_get(&b, ERROR, 0).at, bits(27), "the sender stops: six recessive bits follow");
	is(probe_get(&b, ERROR, 0).error, CANBUS_STUFF_ERROR, "a stuff error");
	is(b.node.rec, 1, "REC + 1");
	is(probe_count(&b, RX_HEADER) + probe_count(&b, RX_FRAME), 0, "and no frame");
	is(a.notes, 0, "the stopped one hears of nothing");
	ok(canbus_idle(bus), "afterwards the bus is free");
	probe_send(&c, id0);
	sim_advance(&sim, bits(200));
	is(probe_count(&b, RX_FRAME), 1, "for the next frame");

	/* after bit 36 the CRC's last dominant bits are missing: only the CRC tells */
	fresh(2);
	probe_send(&a, id0);
	sim_advance(&sim, bits(37));
	canbus_node_stop(&a.node);
	sim_advance(&sim, bits(100));
	is(probe_get(&b, ERROR, 0).error, CANBUS_CRC_ERROR, "stopped at the end of the CRC");
	is(probe_get(&b, ERROR, 0).at, bits(43), "the CRC error shows after the ACK delimiter");

	fresh(2);
	probe_send(&a, id0);
	probe_send(&b, (struct canbus_frame){ .id = 0x001 });
	sim_advance(&sim, bits(4));
	canbus_node_stop(&a.node);
	sim_advance(&sim, bits(400));
	is(probe_count(&b, TX_DONE), 0, "with nobody left to acknowledge");
	is(probe_count(&b, TX_LOST), 1, "the other sender waits its turn");
	is(probe_get(&b, ERROR, 0).error, CANBUS_STUFF_ERROR, "and sees the stump");
}

static void test_wrong_bit_time(void)
{
	fresh(3);
	restart(&b, CANBUS_NORMAL, 1015);
	sim_advance(&sim, bits(20));
	canbus_node_stop(&c.node);
	probe_send(&a, id0);
	sim_advance(&sim, bits(100));
	is(probe_count(&b, RX_FRAME), 1, "15 per mille off still works");

	fresh(3);
	restart(&b, CANBUS_NORMAL, 1016);
	sim_advance(&sim, bits(20));
	probe_send(&a, id0);
	sim_advance(&sim, bits(5000));
	is(probe_get(&b, ERROR, 0).error, CANBUS_STUFF_ERROR, "16 per mille off: errors");
	ok(probe_get(&a, ERROR, 0).transmitting, "which destroy the frame for all");
	is(probe_count(&b, RX_FRAME), 0, "it never receives");
	is(probe_get(&b, ERROR, 1).rec, 9 + 1, "the first to flag pays 1 and 8 more");
	is(probe_count(&a, ERROR), 15, "15 times, until it is error-passive");
	is(a.node.tec, 15 * 8 - 1, "each costs the sender 8");
	is(probe_count(&c, RX_FRAME), 1, "then the frame gets through to the others");
	is(canbus_stats(bus)->errors, 15, "statistics: 15 error frames");
	is(probe_count(&b, ERROR), 16, "the passive node still sees an error of its own");

	fresh(3);
	restart(&b, CANBUS_SILENT, 2000);
	sim_advance(&sim, bits(40));
	probe_send(&a, id0);
	sim_advance(&sim, bits(300));
	is(probe_count(&a, ERROR), 0, "a silent node with a wrong rate disturbs nobody");
	is(probe_count(&b, ERROR), 1, "but sees errors");
	is(b.node.rec, 1, "and counts them");

	fresh(3);
	restart(&b, CANBUS_NORMAL, 2000);
	sim_advance(&sim, bits(40));
	probe_send(&a, id0);
	probe_send(&b, (struct canbus_frame){ .id = 0x7f });
	sim_advance(&sim, bits(80));
	is(a.node.tec, 8, "two rates at once are an error for both");
	is(b.node.tec, 8, "senders");

	fresh(3);
	restart(&b, CANBUS_NORMAL, 2000);
	b.node.tec = 128;
	sim_advance(&sim, bits(40));
	probe_send(&a, id0);
	probe_send(&b, (struct canbus_frame){ .id = 0x7f });
	sim_advance(&sim, bits(80));
	is(a.node.tec, 8, "even if one of them is passive");

	fresh(1);
	restart(&b, CANBUS_NORMAL, 2000);
	b.node.rec = 128;
	sim_advance(&sim, bits(40));
	probe_send(&a, id0);
	sim_advance(&sim, bits(90));
	is(probe_get(&a, ERROR, 0).error, CANBUS_ACK_ERROR, "a wrong rate gives no ACK");
}

static void restart_at_once(struct probe *p, const struct note *n)
{
	if (n->kind == STATE && n->bus_off)
		canbus_node_start(&p->node);
}

static void test_from_callbacks(void)
{
	uint64_t off;

	fresh(2);
	a.node.tec = 255;
	a.on_note = restart_at_once;
	canbus_destroy(bus, NULL, 0, 1, 30);
	probe_send(&a, id0);
	sim_advance(&sim, bits(3000));
	off = probe_get(&a, STATE, 0).at;
	is(off, bits(31), "a node may be restarted from its bus-off report");
	/* it sends nothing from bit 31 on; the receiver flags 35..40; 11 bits from there */
	is(probe_get(&a, RECOVERY, 0).at, bits(41 + 11), "and counts from the end of the error flags");
	is(probe_count(&a, TX_DONE), 1, "to come back and send");
}

int main(void)
{
	test_no_ack();
	test_who_acknowledges();
	test_destroyed();
	test_end_of_frame();
	test_which_frames();
	test_error_in_error_frame();
	test_levels();
	test_passive_sender();
	test_recovery();
	test_recovery_busy();
	test_collision();
	test_truncated();
	test_wrong_bit_time();
	test_from_callbacks();
	canbus_free(bus);
	sim_free(&sim);
	return tap_done();
}
