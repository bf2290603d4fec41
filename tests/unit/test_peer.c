// SPDX-License-Identifier: GPL-2.0-only
/* Peers at work: what their scripts send, wait for, check and destroy. */
#include "peer.h"

#include "bus_probe.h"

static struct sim sim;
static struct canbus *bus;
static struct peer *peer, *other;
static struct probe guest;	/* hears and acknowledges everything */

static void fresh(const char *script)
{
	char err[200] = "";

	peer_free(peer);
	peer_free(other);
	other = NULL;
	canbus_free(bus);
	sim_free(&sim);
	sim_init(&sim, NULL, NULL);
	bus = canbus_new(&sim);
	probe_init(&guest, &sim, bus, "guest");
	canbus_node_start(&guest.node);
	sim_advance(&sim, 100000);
	peer = peer_new(&sim, bus, "peer", script, err, sizeof(err));
	if (!peer)
		ok(false, "script is accepted: %s", err);
}

static void run_ms(unsigned int ms)
{
	sim_advance(&sim, sim.now + ms * 1000000ull);
}

static struct canbus_frame rx(unsigned int nth)
{
	return probe_get(&guest, RX_FRAME, nth).frame;
}

static uint64_t rx_at(unsigned int nth)
{
	return probe_get(&guest, RX_FRAME, nth).at;
}

static unsigned int rx_count(void)
{
	return probe_count(&guest, RX_FRAME);
}

static uint32_t le32(const uint8_t *b)
{
	return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
}

static void test_send(void)
{
	fresh("send id=0x123 data=11223344aAbB\n");
	ok(!peer_done(peer), "a peer with something to send is not done");
	is(peer_line(peer), 1, "but in line 1");
	run_ms(10);
	ok(peer_done(peer), "when it is sent the peer is done");
	is(peer_line(peer), 0, "and in no line");
	is(rx_count(), 1, "one frame by default");
	is(rx(0).id, 0x123, "with its id");
	is(rx(0).dlc, 6, "the dlc is that of the data");
	is(rx(0).data[5], 0xbb, "and the data");
	/* the peer integrates for 11 bits; SOF then, valid at the last but one bit */
	is(rx_at(0), 100000 + (11 + canbus_frame_bits(&peer_node(peer)->tx) - 1) * BIT,
	   "as soon as the peer is on the bus");
	is(peer_stats(peer)->sent, 1, "counted as sent");

	fresh("send id=0x1abcdef0 ext rtr dlc=5\nsend id=7 dlc=15 data=0102\nsend id=8 dlc=3\n");
	run_ms(10);
	ok(rx(0).ext && rx(0).rtr && rx(0).id == 0x1abcdef0 && rx(0).dlc == 5, "ext rtr dlc=5");
	ok(rx(1).dlc == 15 && rx(1).data[1] == 2 && !rx(1).data[2], "short data is filled with 0");
	ok(rx(2).dlc == 3 && !rx(2).data[0], "no data: zeros");
	is(rx_count(), 3, "line by line");
}

static void test_counter(void)
{
	unsigned int bad = 0;

	fresh("send count=300 id=1 data=counter\n"
	      "send count=300 id=1 dlc=1 data=counter\n"
	      "send count=2 id=1 dlc=2 data=counter first=0xfffe\n"
	      "send id=1 dlc=3 data=counter\n");
	run_ms(200);
	for (unsigned int i = 0; i < 300; i++)
		bad += le32(rx(i).data) != i || rx(i).dlc != 8 || le32(rx(i).data + 4);
	for (unsigned int i = 300; i < 600; i++)
		bad += rx(i).data[0] != (i & 0xff) || rx(i).data[1] || rx(i).dlc != 1;
	is(bad, 0, "the counter runs on through the script, in as many bytes as fit");
	is(le32(rx(601).data), 0xffff, "first= sets it");
	is(le32(rx(602).data), 0x10000, "and it goes on from there");
}

static void test_ids(void)
{
	unsigned int bad = 0;

	fresh("send count=10 id=0x100..0x103\nsend count=3 id=0x200..0x20a step=5 first=1\n");
	run_ms(10);
	for (unsigned int i = 0; i < 10; i++)
		bad += rx(i).id != 0x100 + i % 4;
	is(bad, 0, "id=A..B counts in the id, and begins again");
	ok(rx(10).id == 0x205 && rx(11).id == 0x20a && rx(12).id == 0x200, "in steps, from first");
}

static void test_random(void)
{
	struct canbus_frame keep[20];
	unsigned int same = 0, different = 0;

	fresh("send count=20 id=1 data=random(7)\n");
	run_ms(10);
	for (int i = 0; i < 20; i++)
		keep[i] = rx(i);
	fresh("send count=20 id=1 data=random(7)\n");
	run_ms(10);
	for (int i = 0; i < 20; i++)
		same += !memcmp(keep[i].data, rx(i).data, 8);
	is(same, 20, "random data repeats with its seed");
	fresh("destroy count=3\nsend count=20 id=1 data=random(8)\n");
	run_ms(10);
	for (int i = 0; i < 20; i++)
		different += memcmp(keep[i].data, rx(i).data, 8) != 0;
	is(different, 20, "and differs with another");
	is(rx_count(), 20, "also over repetitions");
}

static void test_pace(void)
{
	unsigned int bad = 0, late = 0;
	uint64_t len;

	fresh("send count=50 id=1 dlc=4 data=counter saturate\nsend count=50 id=1 dlc=4 data=counter");
	run_ms(50);
	for (unsigned int i = 1; i < 100; i++) {
		struct canbus_frame f = rx(i);

		bad += rx_at(i) - rx_at(i - 1) != (canbus_frame_bits(&f) + 3) * BIT;
	}
	is(bad, 0, "saturate, also the default: gaps of 3 bits, even from line to line");
	is(canbus_stats(bus)->gaps, 0, "the bus is never idle");

	fresh("wait 1ms\nsend count=20 id=0 every=200us");
	run_ms(50);
	for (unsigned int i = 0; i < 20; i++)
		bad += rx_at(i) != 100000 + 1000000 + i * 200000 + 49 * BIT;
	is(bad, 0, "every=200us: on the microsecond");

	fresh("wait 1ms\nsend count=20 id=0 every=20us");
	run_ms(50);
	len = rx_at(19) - rx_at(0);
	is(rx_count(), 20, "every= faster than the bus: none is skipped");
	is(len, 19 * 53 * BIT, "they follow as fast as they can");

	fresh("send count=200 id=0 delay=100us..300us");
	run_ms(200);
	for (unsigned int i = 1; i < 200; i++) {
		uint64_t gap = rx_at(i) - rx_at(i - 1) - 50 * BIT;

		bad += gap < 100000 || gap > 300000;
		late += gap > 200000;
	}
	is(bad, 0, "delay=A..B: pauses between A and B");
	ok(late > 60 && late < 140, "spread evenly (%u above the middle)", late);
	is(rx_count(), 200, "all are sent");
	fresh("send count=3 id=0 delay=40us");
	run_ms(10);
	is(rx_at(2) - rx_at(1), 90 * BIT, "delay=A: always the same");
}

static void test_sequence(void)
{
	fresh("sequence count=300\nsequence id=5");
	run_ms(100);
	is(rx_count(), 301, "sequence sends");
	ok(rx(0).id == 2 && rx(0).dlc == 1 && rx(0).data[0] == 0, "id 2, one byte");
	is(rx(299).data[0], 299 & 0xff, "an 8-bit counter");
	is(rx(300).id, 5, "or another id");
}

static void test_wait(void)
{
	fresh("wait 5ms\nsend id=0\n");
	run_ms(4);
	is(rx_count(), 0, "wait 5ms: nothing before");
	run_ms(2);
	is(rx_at(0), 5100000 + 49 * BIT, "then at once");

	fresh("wait 1us\nwait 1s\nwait 10ns\nsend id=0");
	run_ms(1002);
	is(rx_at(0), 100000 + 1000 + 1000000000 + 10 + 49 * BIT, "ns, us and s");

	fresh("wait signal 3\nsend id=0\nwait signal 1\nsend id=1");
	peer_signal(peer, 2);
	run_ms(5);
	is(rx_count(), 0, "wait signal 3: not for signal 2");
	peer_signal(peer, 1);
	peer_signal(peer, 3);
	run_ms(5);
	is(rx_count(), 2, "signals are kept until they are waited for");
	peer_signal(peer, 99);
	ok(peer_done(peer), "done");

	fresh("repeat 2\nwait signal 0\nsend id=0\nend\n");
	run_ms(1);
	peer_signal(peer, 0);
	run_ms(5);
	is(rx_count(), 1, "a signal is used up by one wait");

	fresh("wait 1ms\nrepeat 2\nwait signal 0\nsend id=0\nend\n");
	peer_signal(peer, 0);
	run_ms(5);
	is(rx_count(), 1, "also one that came before");

	fresh("wait frame id=0x100..0x1ff\nsend id=0\nwait frame id=1 ext\nsend id=0\n"
	      "wait frame rtr\nsend id=0\nwait frame\nsend id=0");
	run_ms(1);
	probe_send(&guest, (struct canbus_frame){ .id = 0x200 });
	probe_send(&guest, (struct canbus_frame){ .id = 0x150, .ext = true });
	run_ms(5);
	is(rx_count(), 0, "wait frame: not for another id or format");
	probe_send(&guest, (struct canbus_frame){ .id = 0x150 });
	run_ms(5);
	is(rx_count(), 1, "but for one in the range");
	probe_send(&guest, (struct canbus_frame){ .id = 1 });
	run_ms(5);
	is(rx_count(), 1, "id=1 ext: not the standard one");
	probe_send(&guest, (struct canbus_frame){ .id = 1, .ext = true });
	run_ms(5);
	is(rx_count(), 2, "but the extended one");
	probe_send(&guest, (struct canbus_frame){ .id = 5 });
	run_ms(5);
	is(rx_count(), 2, "rtr: not a data frame");
	probe_send(&guest, (struct canbus_frame){ .id = 5, .rtr = true });
	run_ms(5);
	is(rx_count(), 3, "but a remote one");
	probe_send(&guest, (struct canbus_frame){ .id = 5, .ext = true });
	run_ms(5);
	is(rx_count(), 4, "without id: any frame");

	fresh("wait 1ms\nwait idle\nsend id=0");
	for (int i = 0; i < 60; i++)
		probe_send(&guest, (struct canbus_frame){ .id = 0x10 });
	run_ms(10);
	ok(probe_get(&guest, TX_DONE, 59).at < rx_at(0), "wait idle: until the bus is quiet");
	is(rx_count(), 1, "then it goes on");

	fresh("expect id=0x10 count=3\nwait expected\nsend id=0");
	run_ms(1);
	probe_send(&guest, (struct canbus_frame){ .id = 0x10 });
	probe_send(&guest, (struct canbus_frame){ .id = 0x10 });
	run_ms(5);
	is(rx_count(), 0, "wait expected: until all have come");
	is(peer_stats(peer)->missing, 1, "one is missing");
	probe_send(&guest, (struct canbus_frame){ .id = 0x10 });
	run_ms(5);
	is(rx_count(), 1, "now they have");
	is(peer_stats(peer)->missing, 0, "none is missing");
}

static void test_repeat(void)
{
	fresh("repeat 3   # bursts\n"
	      "  send id=1\n"
	      "  repeat 2\n"
	      "    send id=2\n"
	      "  end\n"
	      "  wait 1ms\n"
	      "end\n"
	      "send id=3\n");
	run_ms(50);
	is(rx_count(), 3 + 6 + 1, "repeats and repeats in repeats");
	ok(rx(0).id == 1 && rx(1).id == 2 && rx(2).id == 2 && rx(3).id == 1 && rx(9).id == 3,
	   "in order");
	fresh("repeat forever\nsend id=1\nwait 1ms\nend\n");
	run_ms(100);
	ok(rx_count() > 90 && !peer_done(peer), "repeat forever");
}

static void test_bus_settings(void)
{
	fresh("bitrate 125000\nwait 1ms\nsend id=0");
	canbus_node_stop(&guest.node);
	guest.node.bit_ns = 8000;
	canbus_node_start(&guest.node);
	run_ms(5);
	is(rx_at(0), 1100000 + 49 * 8000, "bitrate");
	fresh("bitrate 800000\n");
	run_ms(1);
	is(peer_node(peer)->bit_ns, 1250, "bitrate 800000 is 1250 ns a bit");
	ok(peer_node(peer)->integrated, "a peer without anything to do is on the bus");

	fresh("mode silent\nexpect id=0x10 count=1\n");
	probe_send(&guest, (struct canbus_frame){ .id = 0x10 });
	run_ms(1);
	is(probe_get(&guest, ERROR, 0).error, CANBUS_ACK_ERROR, "mode silent: no ACK");
	fresh("mode silent\nwait 1ms\nmode normal\nsend id=0");
	run_ms(5);
	is(rx_count(), 1, "mode normal: takes part again");

	fresh("stop\nwait 5ms\nstart\n");
	probe_send(&guest, (struct canbus_frame){ .id = 0x10 });
	run_ms(4);
	is(probe_count(&guest, TX_DONE), 0, "stop: as if unplugged");
	run_ms(4);
	is(probe_count(&guest, TX_DONE), 1, "start: plugged in again");
}

static void test_destroy(void)
{
	fresh("destroy skip=1 count=2 who=me bit=30\nsend count=4 id=0");
	run_ms(10);
	is(peer_stats(peer)->errors, 2, "destroy who=me: two errors");
	is(rx_count(), 4, "all frames arrive nevertheless");
	is(rx_at(1) - rx_at(0), (53 + 2 * 54) * BIT, "the second took three attempts");

	fresh("destroy who=other\nsend id=0\nwait frame\nsend id=0");
	run_ms(1);
	is(probe_count(&guest, ERROR), 0, "destroy who=other: not the peer's own");
	probe_send(&guest, (struct canbus_frame){ .id = 0x10 });
	run_ms(1);
	is(probe_count(&guest, ERROR), 1, "but the guest's");
	is(rx_count(), 2, "which is repeated, and the script goes on");

	fresh("destroy who=me\nwait frame\nsend id=0");
	run_ms(1);
	probe_send(&guest, (struct canbus_frame){ .id = 0x10 });
	run_ms(1);
	is(probe_get(&guest, ERROR, 0).transmitting, false, "destroy who=me: not the guest's");
	is(probe_count(&guest, ERROR), 1, "but the peer's");

	fresh("destroy who=any\nsend id=0");
	run_ms(1);
	is(probe_count(&guest, ERROR), 1, "destroy who=any: the next one");
}

static void test_bus_off(void)
{
	fresh("destroy count=32 who=me\nsend id=0\n");
	run_ms(100);
	ok(peer_node(peer)->bus_off && !peer_done(peer), "bus-off: stays off without 'restart'");
	is(peer_stats(peer)->bus_offs, 1, "counted");

	fresh("restart 20ms\ndestroy count=32 who=me\nsend id=0\n");
	run_ms(20);
	ok(peer_node(peer)->bus_off, "restart 20ms: off at first");
	run_ms(20);
	ok(peer_done(peer) && rx_count() == 1, "back later, and the frame is sent");
}

static struct canbus_frame u32(uint32_t id, uint32_t n)
{
	return (struct canbus_frame){ .id = id, .dlc = 8,
				      .data = { n, n >> 8, n >> 16, n >> 24 } };
}

static void expect_u32(const char *what, const char *numbers, unsigned int lost,
		       unsigned int swapped, unsigned int duplicated)
{
	const struct peer_stats *s;

	fresh("expect id=0x10 counter=u32");
	for (const char *c = numbers; *c; c++)
		probe_send(&guest, u32(0x10, *c - '0'));
	run_ms(20);
	s = peer_stats(peer);
	is(s->received, strlen(numbers), "%s: received", what);
	is(s->lost, lost, "%s: lost", what);
	is(s->swapped, swapped, "%s: swapped", what);
	is(s->duplicated, duplicated, "%s: duplicated", what);
	is(s->unexpected, 0, "%s: unexpected", what);
}

static void test_order(void)
{
	expect_u32("in order", "0123456789", 0, 0, 0);
	expect_u32("one lost", "012456", 1, 0, 0);
	expect_u32("the first two lost", "23456", 2, 0, 0);
	expect_u32("two swapped", "0132456", 0, 1, 0);
	expect_u32("one very late", "023456781", 0, 1, 0);
	expect_u32("one twice", "01223", 0, 0, 1);
	expect_u32("a late one twice", "02113", 0, 1, 1);
	expect_u32("from the beginning again", "012012", 0, 0, 3);
	expect_u32("lost, swapped and twice", "035425", 1, 2, 1);
}

static void test_expect(void)
{
	const struct peer_stats *s;

	fresh("expect sequence count=300");
	for (int i = 0; i < 60; i++)
		probe_send(&guest, (struct canbus_frame){ .id = 2, .dlc = 1, .data = { i } });
	run_ms(20);
	s = peer_stats(peer);
	is(s->lost + s->swapped + s->duplicated + s->unexpected, 0, "expect sequence: in order");
	is(s->missing, 240, "240 are missing");

	fresh("expect id=2 dlc=1 counter=u8 first=250");
	for (int i = 250; i < 260; i++)
		probe_send(&guest, (struct canbus_frame){ .id = 2, .dlc = 1, .data = { i } });
	run_ms(20);
	s = peer_stats(peer);
	is(s->lost + s->swapped + s->duplicated + s->unexpected, 0, "u8: 255 is followed by 0");
	probe_send(&guest, (struct canbus_frame){ .id = 2, .dlc = 2, .data = { 4 } });
	run_ms(20);
	is(s->unexpected, 1, "another dlc is unexpected");
	is(s->lost, 0, "and not counted");

	fresh("expect id=2 counter=u8 first=any");
	probe_send(&guest, (struct canbus_frame){ .id = 2, .dlc = 1, .data = { 77 } });
	probe_send(&guest, (struct canbus_frame){ .id = 2, .dlc = 1, .data = { 79 } });
	probe_send(&guest, (struct canbus_frame){ .id = 2 });
	run_ms(20);
	s = peer_stats(peer);
	is(s->lost, 1, "first=any: begins with what comes first");
	is(s->unexpected, 1, "a frame without room for the counter is unexpected");

	fresh("expect id=2 counter=u8 first=5");
	probe_send(&guest, (struct canbus_frame){ .id = 2, .dlc = 1, .data = { 5 } });
	probe_send(&guest, (struct canbus_frame){ .id = 2, .dlc = 1, .data = { 3 } });
	run_ms(20);
	s = peer_stats(peer);
	is(s->duplicated, 1, "what lies before the first is old");
	is(s->swapped, 0, "not late");

	fresh("expect id=0x100..0x13f counter=id");
	for (int i = 0; i < 50; i++)
		probe_send(&guest, (struct canbus_frame){ .id = 0x100 + (i + (i > 40)) % 64 });
	probe_send(&guest, (struct canbus_frame){ .id = 0x140 });
	run_ms(20);
	s = peer_stats(peer);
	is(s->lost, 1, "counter=id: a gap in the ids");
	is(s->unexpected, 1, "an id outside is unexpected");

	fresh("expect id=1 counter=u32\nexpect id=2 ext counter=u32 count=2\nexpect id=3 rtr");
	for (uint32_t i = 0; i < 3; i++) {
		struct canbus_frame f = u32(2, i);

		probe_send(&guest, u32(1, i));
		f.ext = true;
		probe_send(&guest, f);
	}
	probe_send(&guest, (struct canbus_frame){ .id = 3, .rtr = true });
	run_ms(20);
	s = peer_stats(peer);
	is(s->lost + s->swapped + s->duplicated, 0, "several lines: each has its own order");
	is(s->unexpected, 1, "one more than count is unexpected");
	probe_send(&guest, (struct canbus_frame){ .id = 3 });
	probe_send(&guest, (struct canbus_frame){ .id = 2 });
	run_ms(20);
	is(s->unexpected, 3, "so are another kind and another format");
	fresh("expect id=2 ext");
	probe_send(&guest, (struct canbus_frame){ .id = 2 });
	run_ms(20);
	s = peer_stats(peer);
	is(s->unexpected, 1, "id=2 ext is not the standard id 2");
	peer_stats_reset(peer);
	is(s->received + s->unexpected, 0, "statistics can be reset");

	fresh("wait 1ms");
	probe_send(&guest, (struct canbus_frame){ .id = 0x123 });
	run_ms(5);
	is(peer_stats(peer)->unexpected, 0, "who expects nothing is surprised by nothing");
	is(peer_stats(peer)->received, 1, "but counts");
}

static void test_against_each_other(void)
{
	const struct peer_stats *s;

	fresh("send count=5000 id=0x100 data=counter\n");
	other = peer_new(&sim, bus, "other",
			 "expect id=0x100 counter=u32 count=5000\n"
			 "destroy skip=100 count=7\n"
			 "send count=500 id=0x80..0xff every=1ms\n", NULL, 0);
	run_ms(3000);
	s = peer_stats(other);
	is(s->received, 5000, "5000 frames through cross traffic and errors");
	is(s->lost + s->swapped + s->duplicated + s->unexpected + s->missing, 0,
	   "none lost, swapped, twice or missing");
	ok(peer_done(peer) && peer_done(other), "both are done");
	is(peer_stats(peer)->received, 500, "and the other way");
}

static void test_log(void)
{
	char text[400], small[20];
	size_t n;

	fresh("log 3\nwait 900us\ndestroy bit=30\nsend id=0\nsend id=0x12 ext dlc=1 data=ab");
	probe_send(&guest, (struct canbus_frame){ .id = 0x10, .dlc = 10, .data = { 1 } });
	probe_send(&guest, (struct canbus_frame){ .id = 0x11, .dlc = 3, .rtr = true });
	run_ms(2);
	n = peer_log_text(peer, text, sizeof(text));
	is(n, strlen(text), "the log tells its length");
	/* error at bit 30 (reported at 31), the retry begins at bit 54 */
	ok(!strcmp(text,
		   "(0.001031000) tx error bit0 tec 8 rec 0\n"
		   "(0.001104000) tx 000#\n"
		   "(0.001186000) tx 00000012#AB\n"), "the last three events, with times");
	is(peer_log_text(peer, small, sizeof(small)), n, "a short buffer");
	is(strlen(small), sizeof(small) - 1, "is filled as far as it goes");

	fresh("log 10\n");
	is(peer_log_text(peer, text, sizeof(text)), 0, "nothing yet");
	is(text[0], 0, "is an empty text");
	run_ms(1);
	probe_send(&guest, (struct canbus_frame){ .id = 0x10, .dlc = 10, .data = { 1 } });
	probe_send(&guest, (struct canbus_frame){ .id = 0x11, .dlc = 3, .rtr = true });
	run_ms(1);
	peer_log_text(peer, text, sizeof(text));
	ok(strstr(text, "rx 010#0100000000000000_A\n"), "a dlc above 8");
	ok(strstr(text, "rx 011#R3\n"), "a remote frame");
}

int main(void)
{
	test_send();
	test_counter();
	test_ids();
	test_random();
	test_pace();
	test_sequence();
	test_wait();
	test_repeat();
	test_bus_settings();
	test_destroy();
	test_bus_off();
	test_order();
	test_expect();
	test_against_each_other();
	test_log();
	peer_free(peer);
	peer_free(other);
	canbus_free(bus);
	sim_free(&sim);
	return tap_done();
}
