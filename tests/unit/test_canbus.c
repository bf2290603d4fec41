// SPDX-License-Identifier: GPL-2.0-only
/* Traffic without errors: who sends when, who hears what when. */
#include "bus_probe.h"

#define T0 100000		/* all nodes are integrated and the bus is idle */
#define ID0_BITS 50		/* id 0 without data, SOF to EOF (see test_canbus_frame.c) */
#define ID0_HEADER 22

static struct sim sim;
static struct canbus *bus;
static struct probe a, b, c;

static void fresh(void)
{
	canbus_free(bus);
	sim_free(&sim);
	sim_init(&sim, NULL, NULL);
	bus = canbus_new(&sim);
	probe_init(&a, &sim, bus, "a");
	probe_init(&b, &sim, bus, "b");
	probe_init(&c, &sim, bus, "c");
	canbus_node_start(&a.node);
	canbus_node_start(&b.node);
	canbus_node_start(&c.node);
	sim_advance(&sim, T0);
}

static uint64_t bits(unsigned int n)
{
	return T0 + (uint64_t)n * BIT;
}

static const struct canbus_frame id0;

static bool is_frame(struct canbus_frame x, struct canbus_frame y)
{
	return x.id == y.id && x.ext == y.ext && x.rtr == y.rtr && x.dlc == y.dlc &&
	       !memcmp(x.data, y.data, sizeof(x.data));
}

static void test_one_frame(void)
{
	struct canbus_frame f = { .id = 0x1234567, .ext = true, .dlc = 3, .data = { 1, 2, 3 } };

	fresh();
	ok(canbus_idle(bus), "nothing to send: the bus is idle");
	probe_send(&a, id0);
	ok(!canbus_idle(bus), "something to send: it is not");
	sim_advance(&sim, bits(200));
	is(probe_get(&b, RX_HEADER, 0).at, bits(ID0_HEADER), "the header is in after its last bit");
	is(probe_get(&b, RX_FRAME, 0).at, bits(ID0_BITS - 1),
	   "receivers have the frame after the last but one bit of EOF");
	is(probe_get(&a, TX_DONE, 0).at, bits(ID0_BITS), "the sender after the last one");
	is(probe_count(&c, RX_FRAME), 1, "everybody receives it");
	is(probe_count(&a, RX_FRAME) + probe_count(&a, RX_HEADER), 0, "but not its sender");
	is(a.notes + b.notes + c.notes, 5, "nothing else is reported");

	fresh();
	probe_send(&a, f);
	sim_advance(&sim, bits(200));
	ok(is_frame(probe_get(&b, RX_FRAME, 0).frame, f) &&
	   is_frame(probe_get(&b, RX_HEADER, 0).frame, f),
	   "id, format, dlc and data arrive as sent");
	is(probe_get(&b, RX_HEADER, 0).at, bits(canbus_header_bits(&f)), "extended header time");
	is(probe_get(&a, TX_DONE, 0).at, bits(canbus_frame_bits(&f)), "extended frame time");
}

static void test_saturation(void)
{
	const struct canbus_stats *s;

	fresh();
	for (int i = 0; i < 10; i++)
		probe_send(&a, id0);
	sim_advance(&sim, bits(10000));
	is(probe_count(&b, RX_FRAME), 10, "ten frames arrive");
	for (int i = 1; i < 10; i += 4)
		is(probe_get(&a, TX_DONE, i).at - probe_get(&a, TX_DONE, i - 1).at,
		   (ID0_BITS + 3) * BIT, "one each 53 bits: the gap is 3 bits");
	s = canbus_stats(bus);
	is(s->frames, 10, "statistics: frames");
	is(s->errors, 0, "statistics: errors");
	is(s->gaps, 0, "statistics: the bus was never idle between them");
	is(s->busy_ns, 10 * 53 * BIT, "statistics: busy time");
	is(s->first_sof, T0, "statistics: first SOF");
	is(s->last_eof, bits(9 * 53 + 50), "statistics: last EOF");
}

static void test_gap(void)
{
	fresh();
	probe_send(&a, id0);
	sim_advance(&sim, bits(60));
	probe_send(&a, id0);
	sim_advance(&sim, bits(160));
	probe_send(&b, id0);
	sim_advance(&sim, bits(300));
	is(canbus_stats(bus)->gaps, 2, "the bus was idle twice");
	/* the first 53 bits with the gap, idle to 60; 60 + 53 = 113, idle to 160 */
	is(canbus_stats(bus)->max_gap_ns, (160 - 113) * BIT, "for 47 bits at most");
	canbus_stats_reset(bus);
	probe_send(&b, id0);
	sim_advance(&sim, bits(600));
	is(canbus_stats(bus)->gaps, 0, "no gap before the first frame after a reset");
	is(canbus_stats(bus)->first_sof, bits(300), "which is the new first one");
}

static void test_when_it_starts(void)
{
	fresh();
	sim_advance(&sim, T0 + 4711);
	probe_send(&a, id0);
	sim_advance(&sim, bits(100));
	is(probe_get(&a, TX_DONE, 0).at, T0 + 4711 + 50 * BIT,
	   "on an idle bus a frame starts the nanosecond it is asked for");

	fresh();
	probe_send(&a, id0);
	sim_advance(&sim, bits(20));
	probe_send(&b, id0);
	sim_advance(&sim, bits(52) + 500);
	probe_send(&c, (struct canbus_frame){ .id = 1 });
	sim_advance(&sim, bits(300));
	is(probe_get(&b, TX_DONE, 0).at, bits(53 + 50), "asked during a frame: 3 bits after it");
	is(probe_get(&c, TX_LOST, 0).at > bits(53), 1,
	   "asked in the third bit of the gap: joins, and loses here");
	is(probe_count(&c, TX_DONE), 1, "but is sent next");

	fresh();
	probe_send(&a, id0);
	sim_advance(&sim, bits(53));
	sim_advance(&sim, bits(60));
	is(sim_next(&sim), SIM_NEVER, "an idle bus asks for no events");
}

static void test_arbitration(void)
{
	struct canbus_frame lo = { .id = 0x100, .dlc = 1, .data = { 0xaa } };
	struct canbus_frame hi = { .id = 0x101, .dlc = 2 };
	unsigned int len = canbus_frame_bits(&lo);

	fresh();
	probe_send(&b, hi);
	probe_send(&a, lo);
	sim_advance(&sim, bits(400));
	/* SOF 0 0 0 1 0 0 0 0 0 [1] 0 0 0: the last id bit is the 13th with a stuff bit */
	is(probe_get(&b, TX_LOST, 0).at, bits(13), "the loser gives up at the bit that differs");
	is(probe_get(&b, RX_HEADER, 0).at, bits(canbus_header_bits(&lo)), "and hears the winner");
	is(probe_get(&b, RX_FRAME, 0).frame.data[0], 0xaa, "gets the winner's frame");
	is(probe_get(&a, TX_DONE, 0).at, bits(len), "the winner is not disturbed");
	is(probe_get(&b, TX_DONE, 0).at, bits(len + 3 + canbus_frame_bits(&hi)),
	   "the loser sends 3 bits after it");
	is(canbus_stats(bus)->arbitration_lost, 1, "statistics: one lost arbitration");
	is(a.node.tec + b.node.tec + a.node.rec + b.node.rec, 0, "and no error");

	fresh();
	probe_send(&a, (struct canbus_frame){ .id = 0x100 << 18, .ext = true });
	probe_send(&b, (struct canbus_frame){ .id = 0x100, .rtr = true });
	probe_send(&c, (struct canbus_frame){ .id = 0x100 });
	sim_advance(&sim, bits(1000));
	ok(probe_get(&c, TX_DONE, 0).at < probe_get(&b, TX_DONE, 0).at &&
	   probe_get(&b, TX_DONE, 0).at < probe_get(&a, TX_DONE, 0).at,
	   "three at once: data, then remote, then extended");
	is(probe_count(&a, TX_LOST), 2, "the last one lost twice");
	/* RTR is the 13th bit of the frame, 14th on the wire; SRR stands at its place */
	is(probe_get(&a, TX_LOST, 0).at, bits(14), "extended loses to data at SRR");
	is(probe_get(&b, TX_LOST, 0).at, bits(14), "remote loses to data at RTR");
	is(probe_get(&a, TX_LOST, 1).at - probe_get(&c, TX_DONE, 0).at, (3 + 15) * BIT,
	   "extended loses to remote one bit later, at IDE");
	is(probe_count(&a, ERROR) + probe_count(&b, ERROR) + probe_count(&c, ERROR), 0,
	   "nobody sees an error");
}

static struct canbus_frame late_choice;

static void choose_late(struct probe *p, const struct note *n)
{
	if (n->kind == TX_LOST)
		p->frame[p->sent] = late_choice;
}

static void test_choice(void)
{
	fresh();
	late_choice = (struct canbus_frame){ .id = 0x050 };
	b.on_note = choose_late;
	probe_send(&a, id0);
	probe_send(&b, (struct canbus_frame){ .id = 0x700 });
	sim_advance(&sim, bits(200));
	is(probe_get(&b, TX_DONE, 0).frame.id, 0x050, "each attempt may send another frame");
}

static void test_same_frame(void)
{
	fresh();
	probe_send(&a, id0);
	probe_send(&b, id0);
	sim_advance(&sim, bits(200));
	is(probe_get(&a, TX_DONE, 0).at, bits(50), "two identical frames at once are one");
	is(probe_get(&b, TX_DONE, 0).at, bits(50), "for both");
	is(probe_count(&c, RX_FRAME), 1, "received once");
	is(canbus_stats(bus)->frames, 1, "and counted once");
}

static void test_integration(void)
{
	fresh();
	canbus_node_stop(&b.node);
	probe_send(&b, id0);
	sim_advance(&sim, bits(20));
	is(b.notes, 0, "a stopped node does not send");
	canbus_node_start(&b.node);
	sim_advance(&sim, bits(100));
	is(probe_get(&b, TX_DONE, 0).at, bits(20 + 11 + 50),
	   "a started node waits for 11 recessive bits");

	fresh();
	canbus_node_stop(&b.node);
	for (int i = 0; i < 3; i++)
		probe_send(&a, id0);
	sim_advance(&sim, bits(10));
	canbus_node_start(&b.node);
	sim_advance(&sim, bits(400));
	is(probe_count(&b, RX_FRAME), 2, "started during a frame: hears the next one");
	is(probe_get(&b, RX_FRAME, 0).at, bits(53 + 49), "which follows without a gap");

	fresh();
	canbus_node_stop(&b.node);
	for (int i = 0; i < 3; i++)
		probe_send(&a, id0);
	sim_advance(&sim, bits(45));
	canbus_node_start(&b.node);
	sim_advance(&sim, bits(400));
	is(probe_count(&b, RX_FRAME), 1,
	   "started in EOF: 11 bits are not left before the next frame, hears the third");

	fresh();
	canbus_node_stop(&b.node);
	canbus_node_start(&b.node);
	probe_send(&b, id0);
	sim_advance(&sim, bits(5));
	probe_send(&a, (struct canbus_frame){ .id = 1 });
	sim_advance(&sim, bits(300));
	ok(probe_get(&a, TX_DONE, 0).at < probe_get(&b, TX_DONE, 0).at,
	   "a frame of another interrupts the 11 bits");
	is(probe_get(&b, TX_DONE, 0).at - probe_get(&a, TX_DONE, 0).at, (3 + 50) * BIT,
	   "ACK delimiter, EOF and intermission are 11 bits");
}

static void test_stop(void)
{
	fresh();
	probe_send(&a, id0);
	sim_advance(&sim, bits(44));
	canbus_node_stop(&a.node);
	sim_advance(&sim, bits(100));
	is(probe_count(&b, RX_FRAME), 1, "stopped after the ACK: the others have the frame");
	is(probe_count(&a, TX_DONE), 0, "the sender does not know");
	is(b.node.rec, 0, "and nobody sees an error");

	fresh();
	canbus_node_stop(&c.node);
	probe_send(&a, id0);
	sim_advance(&sim, bits(10));
	canbus_node_start(&c.node);
	sim_advance(&sim, bits(44));
	canbus_node_stop(&a.node);
	sim_advance(&sim, bits(52));
	ok(!c.node.integrated, "its last dominant bit is the ACK slot");
	sim_advance(&sim, bits(53));
	ok(c.node.integrated, "from where the 11 bits of others count");

	fresh();
	probe_send(&a, id0);
	sim_advance(&sim, bits(30));
	canbus_node_stop(&b.node);
	sim_advance(&sim, bits(100));
	is(b.notes, 1, "a receiver that stops hears no more");
	is(probe_count(&c, RX_FRAME), 1, "the others do");
}

static void stop_on_rx(struct probe *p, const struct note *n)
{
	if (n->kind == RX_FRAME)
		canbus_node_stop(&p->node);
}

static void send_on_rx(struct probe *p, const struct note *n)
{
	if (n->kind == RX_FRAME)
		probe_send(p, (struct canbus_frame){ .id = 0x10 });
}

static bool stop_instead(void *arg, struct canbus_frame *f)
{
	struct probe *p = arg;

	*f = p->frame[0];
	canbus_node_stop(&p->node);
	return true;
}

/* Refuses, but lets the node that was asked before it have something. */
static bool refer_to_a(void *arg, struct canbus_frame *f)
{
	(void)arg;
	(void)f;
	if (!a.frames)
		probe_send(&a, id0);
	return false;
}

static void test_from_callbacks(void)
{
	struct canbus_node_ops odd_ops;

	fresh();
	b.on_note = stop_on_rx;
	c.on_note = send_on_rx;
	probe_send(&a, id0);
	probe_send(&a, id0);
	sim_advance(&sim, bits(53 * 2));
	is(probe_count(&b, RX_FRAME), 1, "a node may stop itself when it receives");
	sim_advance(&sim, bits(400));
	is(probe_count(&c, TX_DONE), 2, "and send when it receives");
	is(probe_count(&a, RX_FRAME), 2, "which the others hear");

	fresh();
	odd_ops = probe_ops;
	odd_ops.want_tx = stop_instead;
	a.node.ops = &odd_ops;
	probe_send(&a, id0);
	sim_advance(&sim, bits(200));
	is(b.notes, 0, "a node that stops when it is asked sends nothing");

	fresh();
	odd_ops.want_tx = refer_to_a;
	c.node.ops = &odd_ops;
	canbus_node_kick(&c.node);
	sim_advance(&sim, bits(200));
	is(probe_get(&a, TX_DONE, 0).at, bits(50), "one that asked too late in a round is asked again");
}

static void test_loopback(void)
{
	fresh();
	canbus_node_stop(&b.node);
	b.node.mode = CANBUS_LOOPBACK;
	canbus_node_start(&b.node);
	sim_advance(&sim, bits(20));
	probe_send(&b, id0);
	probe_send(&b, (struct canbus_frame){ .id = 0x333, .dlc = 1, .data = { 7 } });
	sim_advance(&sim, bits(300));
	is(probe_get(&b, RX_HEADER, 0).at, bits(20 + ID0_HEADER), "loopback: header of its own frame");
	is(probe_get(&b, TX_DONE, 0).at, bits(20 + 50), "done after as many bits as on a bus");
	is(probe_get(&b, RX_FRAME, 0).at, bits(20 + 50), "and received");
	ok(b.note[1].kind == TX_DONE && b.note[2].kind == RX_FRAME, "in this order");
	is(probe_get(&b, RX_HEADER, 1).at, bits(20 + 53 + canbus_header_bits(&b.frame[1])),
	   "the next one 3 bits later");
	is(probe_get(&b, RX_FRAME, 1).frame.data[0], 7, "with its data");
	is(a.notes + c.notes, 0, "nobody else hears it");
	is(canbus_stats(bus)->frames, 0, "nor does it count as bus traffic");
	probe_forget(&b);
	probe_send(&a, id0);
	sim_advance(&sim, bits(400));
	is(b.notes, 0, "and it hears nobody");

	fresh();
	canbus_node_stop(&a.node);
	a.node.mode = CANBUS_LOOPBACK;
	probe_send(&a, id0);
	canbus_node_start(&a.node);
	sim_advance(&sim, bits(30));
	canbus_node_stop(&a.node);
	sim_advance(&sim, bits(100));
	is(probe_count(&a, TX_DONE), 0, "a loopback node can be stopped in its frame");
	canbus_node_start(&a.node);
	sim_advance(&sim, bits(100 + 11 + 50));
	is(probe_count(&a, TX_DONE), 1, "and started again, after 11 bits");
}

static void test_silent(void)
{
	fresh();
	canbus_node_stop(&b.node);
	b.node.mode = CANBUS_SILENT;
	canbus_node_start(&b.node);
	probe_send(&b, id0);
	sim_advance(&sim, bits(100));
	is(b.notes, 0, "a silent node does not send");
	probe_send(&a, id0);
	sim_advance(&sim, bits(200));
	is(probe_count(&b, RX_FRAME), 1, "but receives");
}

static uint64_t sof_at;
static unsigned int sofs;

static void note_sof(void *arg)
{
	(void)arg;
	sof_at = sim.now;
	sofs++;
}

static void test_sof(void)
{
	struct canbus_node_ops ops = probe_ops;

	fresh();
	ops.sof = note_sof;
	c.node.ops = &ops;
	probe_send(&a, id0);
	sim_advance(&sim, bits(60));
	is(sof_at, bits(0), "a frame's beginning is told at its first bit");
	canbus_node_stop(&c.node);
	probe_send(&a, id0);
	sim_advance(&sim, bits(200));
	is(sofs, 2, "also to a node that is stopped");
	c.node.mode = CANBUS_LOOPBACK;
	probe_send(&a, id0);
	sim_advance(&sim, bits(300));
	is(sofs, 2, "not to one that hears only itself");
	canbus_detach(&c.node);		/* ops is gone soon */
}

static void test_slow_bus(void)
{
	fresh();
	for (struct probe *p = &a; p; p = p == &a ? &b : p == &b ? &c : NULL) {
		canbus_node_stop(&p->node);
		p->node.bit_ns = 8000;
		canbus_node_start(&p->node);
	}
	sim_advance(&sim, 1000000);
	probe_send(&a, id0);
	sim_advance(&sim, 2000000);
	is(probe_get(&a, TX_DONE, 0).at, 1000000 + 50 * 8000, "125 kbit/s: eight times as long");
}

int main(void)
{
	test_one_frame();
	test_saturation();
	test_gap();
	test_when_it_starts();
	test_arbitration();
	test_choice();
	test_same_frame();
	test_integration();
	test_stop();
	test_from_callbacks();
	test_loopback();
	test_silent();
	test_sof();
	test_slow_bus();
	canbus_free(bus);
	sim_free(&sim);
	return tap_done();
}
