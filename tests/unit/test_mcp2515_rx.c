// SPDX-License-Identifier: GPL-2.0-only
/* The MCP2515 model: which frame goes into which buffer, and what tells of it. */
#include "test_mcp2515.h"

#define STD_MASK(id)	(uint8_t)((id) >> 3), (uint8_t)(((id) & 7) << 5)

static void test_rollover(void)
{
	struct bench *b = bench_up(0);

	is(rd(b, R_RXB0), RXM_ALL | BUKT | 2, "BUKT1 is a copy of BUKT");
	receive(b, 1);
	is(rd(b, R_CANINTF), F_RX0, "the first frame: RXB0");
	receive(b, 2);
	is(rd(b, R_CANINTF), F_RX0 | F_RX1, "the second one: RXB1");
	is(rx_id(b, 0) << 12 | rx_id(b, 1), 0x1002, "in this order");
	receive(b, 3);
	is(rd(b, R_EFLG), E_RX1OVR, "the third one is lost: RX1OVR, not RX0OVR");
	is(rd(b, R_CANINTF), F_RX0 | F_RX1 | F_ERR, "with ERRIF");
	is(rx_id(b, 0) << 12 | rx_id(b, 1), 0x1002, "it was the new one");
	quick(b, I_READ_RX(0));
	receive(b, 4);
	is(rx_id(b, 0), 4, "RXB0 was freed: it takes the next one, RXB1 being older");
	bits(b, R_EFLG, E_RX1OVR, 0);
	is(rd(b, R_EFLG), 0, "the host clears RX1OVR");
	bits(b, R_CANINTF, F_RX1 | F_ERR, 0);
	receive(b, 5);
	is(rx_id(b, 1), 5, "BIT MODIFY frees a buffer like READ RX BUFFER does");
	is(mcp2515_stats(b->m)->rx_stored[0], 2, "counted: into RXB0");
	is(mcp2515_stats(b->m)->rx_stored[1], 2, "into RXB1");
	is(mcp2515_stats(b->m)->rx_rollover, 2, "by rollover");
	is(mcp2515_stats(b->m)->rx_overflow[1], 1, "lost");
	is(mcp2515_stats(b->m)->rx_valid, 5, "all");
	bench_free(b);
}

/* A receiver accepts at the last but one bit of EOF. */
static void test_when(void)
{
	struct bench *b = bench_up(0);
	uint64_t done;

	wr(b, R_CANINTE, F_RX0);
	receive(b, 6);
	done = probe_get(&b->peer, TX_DONE, 0).at;
	is(done - b->changed_at[MCP2515_PIN_INT], BIT, "INT falls one bit before the frame's end");
	bench_free(b);
}

static void test_no_rollover(void)
{
	struct bench *b = bench_up(0);

	wr(b, R_RXB0, RXM_ALL);
	is(rd(b, R_RXB0), RXM_ALL, "BUKT off");
	receive(b, 1);
	receive(b, 2);
	is(rd(b, R_EFLG), E_RX0OVR, "RXB0 full: the frame is lost, RX0OVR");
	is(rd(b, R_CANINTF), F_RX0 | F_ERR, "although RXB1 is empty and takes anything");
	is(mcp2515_stats(b->m)->rx_overflow[0], 1, "counted");
	bench_free(b);
}

/* Filters 0, 1 for RXB0 and 2..5 for RXB1; the rest of the bench in Configuration mode. */
static struct bench *filters(uint16_t mask0, uint16_t mask1, const uint16_t id[6], uint8_t rxb0)
{
	struct bench *b = bench_config(&(struct mcp2515_config){ 0 });
	unsigned int f;

	bench_mode(b, CONFIG);
	for (f = 0; f < 6; f++)
		SPI(b, I_WRITE, f < 3 ? 4 * f : 0x10 + 4 * (f - 3), STD_MASK(id[f]), 0, 0);
	SPI(b, I_WRITE, R_RXM0, STD_MASK(mask0), 0, 0, STD_MASK(mask1), 0, 0);
	wr(b, R_RXB0, rxb0);
	wr(b, R_RXB1, 0);
	wr(b, R_CANCTRL, NORMAL);
	run(b, 20 * US);
	return b;
}

static void test_filters(void)
{
	static const uint16_t id[6] = { 0x100, 0x101, 0x200, 0x201, 0x202, 0x203 };
	struct bench *b = filters(0x7ff, 0x7ff, id, 0);
	unsigned int f;

	for (f = 0; f < 6; f++) {
		wr(b, R_CANINTF, 0);
		receive(b, id[f]);
		is(rd(b, R_CANINTF), f < 2 ? F_RX0 : F_RX1, "RXF%u is for RXB%u", f, f >= 2);
		is(rd(b, f < 2 ? R_RXB0 : R_RXB1), f, "FILHIT tells which filter it was");
		is(quick(b, I_RX_STATUS), (f < 2 ? 0x40 : 0x80) | f, "RX STATUS, too");
	}
	wr(b, R_CANINTF, 0);
	receive(b, 0x300);
	is(rd(b, R_CANINTF), 0, "no filter matches: no frame");
	is(mcp2515_stats(b->m)->rx_filtered, 1, "counted");
	probe_send(&b->peer, (struct canbus_frame){ .id = 0x100 << 18, .ext = true });
	run(b, 200 * US);
	is(rd(b, R_CANINTF), 0, "EXIDE = 0: standard frames only");
	receive(b, 0x100);
	receive(b, 0x101);
	is(rd(b, R_EFLG), E_RX0OVR, "without BUKT RXB1's filters do not get it");
	bench_free(b);

	b = filters(0x7f8, 0x7f8, id, BUKT);
	receive(b, 0x207);
	is(rd(b, R_RXB1), 2, "several filters match: the lowest one");
	wr(b, R_CANINTF, 0);
	receive(b, 0x107);
	receive(b, 0x105);
	is(rx_id(b, 1), 0x105, "rollover, whatever RXB1's filters say");
	is(rd(b, R_RXB1), 0, "FILHIT of RXB1 tells RXF0");
	is(quick(b, I_RX_STATUS), 0xc0, "RX STATUS describes RXB0 while both are full");
	quick(b, I_READ_RX(0));
	is(quick(b, I_RX_STATUS), 0x86, "then RXF0 rolled over");
	receive(b, 0x104);
	receive(b, 0x200);
	is(rd(b, R_EFLG), E_RX1OVR, "a frame for RXB1 while it is full: RX1OVR");
	bench_free(b);

	b = filters(0x7ff, 0x7ff, id, BUKT);
	receive(b, 0x101);
	receive(b, 0x101);
	is(rd(b, R_RXB1), 1, "rollover of RXF1's frame");
	quick(b, I_READ_RX(0));
	is(quick(b, I_RX_STATUS), 0x87, "is 7 in RX STATUS");
	bench_free(b);

	b = filters(0x7ff, 0x0ff, id, 0);
	receive(b, 0x700);
	is(rd(b, R_RXB1), 2, "each buffer has a mask of its own");
	wr(b, R_CANINTF, 0);
	bench_free(b);

	b = filters(0x7ff, 0x7f0, (const uint16_t[]){ 0x100, 0x101, 0x200, 0x200, 0x200, 0x200 }, 0);
	receive(b, 0x105);
	is(rd(b, R_CANINTF), 0, "and filters of its own");
	bench_free(b);
}

static void test_filter_access(void)
{
	static const uint16_t id[6] = { 0x123, 0x101, 0x200, 0x201, 0x202, 0x203 };
	struct bench *b = filters(0x7ff, 0x7ff, id, 0);

	is(rd(b, 0x00), 0, "outside Configuration mode filters read 0");
	is(rd(b, R_RXM0), 0, "masks, too");
	wr(b, 0x00, 0x55);
	wr(b, R_CANCTRL, CONFIG);
	is(rd(b, 0x00), 0x123 >> 3, "and cannot be written");
	wr(b, 0x01, 0xff);
	wr(b, R_RXM0 + 1, 0xff);
	is(rd(b, 0x01) << 8 | rd(b, R_RXM0 + 1), 0xebe3, "bits that do not exist read 0");
	bench_free(b);
}

static void test_extended_filter(void)
{
	struct bench *b = bench_config(&(struct mcp2515_config){ 0 });
	struct canbus_frame f = { .id = 0x12345678, .ext = true };

	bench_mode(b, CONFIG);
	SPI(b, I_WRITE, 0x00, f.id >> 21, (f.id >> 18 & 7) << 5 | 8 | (f.id >> 16 & 3), f.id >> 8, f.id);
	SPI(b, I_WRITE, 0x04, 0xff, 0xe0, 0, 0);
	SPI(b, I_WRITE, R_RXM0, 0xff, 0xe3, 0xff, 0xff, 0xff, 0xe3, 0xff, 0xff);
	wr(b, R_RXB0, 0);
	wr(b, R_RXB1, 0);
	wr(b, R_CANCTRL, NORMAL);
	run(b, 20 * US);
	probe_send(&b->peer, f);
	run(b, 200 * US);
	is(rd(b, R_CANINTF), F_RX0, "an extended filter lets its frame in");
	wr(b, R_CANINTF, 0);
	for (unsigned int i = 0; i < 29; i++) {
		f.id = 0x12345678 ^ 1u << i;
		probe_send(&b->peer, f);
	}
	run(b, 29 * 200 * US);
	is(rd(b, R_CANINTF), 0, "and none that differs in any of its 29 bits");
	bench_free(b);
}

static void test_data_filter(void)
{
	static const uint8_t wrong[3][2] = { { 0xab, 0xcc }, { 0xaa, 0xcd }, { 0, 0 } };
	struct bench *b = bench_config(&(struct mcp2515_config){ 0 });
	struct canbus_frame f = { .id = 0x100, .dlc = 2, .data = { 0xab, 0xcd } };

	bench_mode(b, CONFIG);
	SPI(b, I_WRITE, 0x00, STD_MASK(0x100), 0xab, 0xcd, STD_MASK(0x7ff), 0xab, 0xcd);
	SPI(b, I_WRITE, R_RXM0, STD_MASK(0x7ff), 0xff, 0xff, STD_MASK(0x7ff), 0, 0);
	wr(b, R_RXB0, 0);
	wr(b, R_CANCTRL, NORMAL);
	run(b, 20 * US);
	probe_send(&b->peer, f);
	run(b, 200 * US);
	is(rd(b, R_CANINTF), F_RX0, "standard frame: EID8 and EID0 filter the first two data bytes");
	wr(b, R_CANINTF, 0);
	wr(b, R_RXB1, 0);
	for (unsigned int i = 0; i < 3; i++) {
		memcpy(f.data, wrong[i], 2);
		probe_send(&b->peer, f);
	}
	run(b, 3 * 200 * US);
	is(rd(b, R_CANINTF) & F_RX0, 0, "others do not come in");
	f.data[0] = 0xab;
	f.data[1] = 0xcd;
	wr(b, R_CANINTF, 0);
	wr(b, R_RXB0, RXM_ALL);
	f.data[0] = 0;
	probe_send(&b->peer, f);
	run(b, 200 * US);
	is(rd(b, R_CANINTF), F_RX0, "RXM = 11 takes them all");
	bench_free(b);
}

static void test_rxm(void)
{
	struct bench *b = bench_config(&(struct mcp2515_config){ 0 });
	struct canbus_frame ext = { .id = 0x12345, .ext = true };

	bench_mode(b, CONFIG);
	SPI(b, I_WRITE, R_RXM0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff);
	SPI(b, I_WRITE, 0x00, 0, 0x08, 0, 0, 0, 0, 0, 0);
	wr(b, R_RXB1, 0);
	wr(b, R_RXB0, 0x20);
	wr(b, R_CANCTRL, NORMAL);
	run(b, 20 * US);
	probe_send(&b->peer, ext);
	run(b, 200 * US);
	is(rd(b, R_CANINTF), 0, "RXM = 01: no extended frames");
	receive(b, 0x700);
	is(rd(b, R_CANINTF), F_RX0, "but standard ones");
	wr(b, R_CANINTF, 0);
	wr(b, R_RXB0, 0x40);
	receive(b, 0x700);
	is(rd(b, R_CANINTF), 0, "RXM = 10: the other way round");
	probe_send(&b->peer, ext);
	run(b, 200 * US);
	is(rd(b, R_CANINTF), F_RX0, "extended ones only");
	bench_free(b);
}

static void test_content(void)
{
	struct bench *b = bench_up(0);
	struct canbus_frame f = { .id = 0x1abcdef5, .ext = true, .dlc = 8,
				  .data = { 1, 2, 3, 4, 5, 6, 7, 8 } };
	uint8_t buf[14];

#define GET(frame) do {							\
	probe_send(&b->peer, frame);					\
	run(b, 300 * US);						\
	memset(buf, 0, 14);						\
	buf[0] = I_READ_RX(0);						\
	bench_spi(b, buf, 14);						\
} while (0)
	GET(f);
	is((uint32_t)buf[1] << 24 | buf[2] << 16 | buf[3] << 8 | buf[4], 0xd5f8def5,
	   "an extended identifier, IDE, SRR as it is on the wire");
	is(buf[5], 8, "DLC");
	ok(!memcmp(buf + 6, f.data, 8), "data");
	GET(((struct canbus_frame){ .id = 0x555, .dlc = 2, .data = { 0xaa, 0xbb } }));
	is(buf[1] << 8 | buf[2], 0xaaa0, "a standard identifier, neither IDE nor SRR");
	is(buf[5], 2, "DLC");
	is(buf[6] << 16 | buf[7] << 8 | buf[8], 0xaabb03, "bytes beyond DLC are those of before");
	GET(((struct canbus_frame){ .id = 0x555, .rtr = true, .dlc = 5 }));
	is(buf[2] << 8 | buf[5], 0xb005, "standard remote frame: SRR, RTR in DLC clear");
	ok(mcp2515_peek(b->m, R_RXB0) & 0x08, "RXRTR");
	GET(((struct canbus_frame){ .id = 0x555, .ext = true, .rtr = true, .dlc = 5 }));
	is(buf[2] << 8 | buf[5], 0x1845, "extended remote frame: RTR in DLC");
	probe_send(&b->peer, (struct canbus_frame){ .id = 0x555, .ext = true, .rtr = true });
	run(b, 200 * US);
	is(quick(b, I_RX_STATUS), 0x58, "RX STATUS: extended and remote");
	wr(b, R_CANINTF, 0);
	GET(((struct canbus_frame){ .id = 0x555, .dlc = 15, .data = { 1, 2, 3, 4, 5, 6, 7, 8 } }));
	is(buf[5] << 8 | buf[13], 0x0f08, "DLC 15: as it is, eight bytes");
	ok(!(mcp2515_peek(b->m, R_RXB0) & 0x08), "RXRTR is clear again");
	wr(b, R_RXB0 + 6, 0x77);
	is(rd(b, R_RXB0 + 6), 1, "the host cannot write a receive buffer");
#undef GET
	bench_free(b);
}

int main(void)
{
	test_rollover();
	test_when();
	test_no_rollover();
	test_filters();
	test_filter_access();
	test_extended_filter();
	test_data_filter();
	test_rxm();
	test_content();
	return tap_done();
}
