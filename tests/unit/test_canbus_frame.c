// SPDX-License-Identifier: GPL-2.0-only
/*
 * Frame lengths, CRC and arbitration order, against numbers worked out by hand
 * and against an encoder of the test's own that shares no code with the model.
 */
#include <string.h>

#include "canbus_frame.h"
#include "tap.h"

/* The test's encoder: a string of '0' and '1'. */

static void put(char *s, uint32_t value, int bits)
{
	char *end = s + strlen(s);

	while (bits--)
		*end++ = (value >> bits) & 1 ? '1' : '0';
	*end = '\0';
}

/* polynomial division on paper: message, 15 zeros, divided by 1100010110011001 */
static unsigned int paper_crc(const char *message)
{
	static const char divisor[] = "1100010110011001";
	char work[256];
	size_t len = strlen(message);
	unsigned int crc = 0;

	memcpy(work, message, len);
	memset(work + len, '0', 15);
	for (size_t i = 0; i < len; i++) {
		if (work[i] == '0')
			continue;
		for (size_t k = 0; k < 16; k++)
			work[i + k] = work[i + k] == divisor[k] ? '0' : '1';
	}
	for (size_t i = len; i < len + 15; i++)
		crc = crc << 1 | (work[i] == '1');
	return crc;
}

static size_t paper_stuff(const char *in, char *out)
{
	size_t n = 0;

	for (size_t i = 0; in[i]; i++) {
		out[n++] = in[i];
		if (n < 5)
			continue;
		if (!memcmp(out + n - 5, "00000", 5))
			out[n++] = '1';
		else if (!memcmp(out + n - 5, "11111", 5))
			out[n++] = '0';
	}
	out[n] = '\0';
	return n;
}

struct paper {
	unsigned int arbitration, header, crc_end, bits, crc;
	char wire[256];
};

static void paper_frame(const struct canbus_frame *f, struct paper *p)
{
	unsigned int len = f->rtr ? 0 : f->dlc < 8 ? f->dlc : 8;
	char plain[256] = "0", stuffed[256];

	if (f->ext) {
		put(plain, f->id >> 18, 11);
		strcat(plain, "11");
		put(plain, f->id & 0x3ffff, 18);
		strcat(plain, f->rtr ? "1" : "0");
		p->arbitration = paper_stuff(plain, stuffed);
		strcat(plain, "00");
	} else {
		put(plain, f->id, 11);
		strcat(plain, f->rtr ? "1" : "0");
		p->arbitration = paper_stuff(plain, stuffed);
		strcat(plain, "00");
	}
	put(plain, f->dlc, 4);
	p->header = paper_stuff(plain, stuffed);
	for (unsigned int i = 0; i < len; i++)
		put(plain, f->data[i], 8);
	p->crc = paper_crc(plain);
	put(plain, p->crc, 15);
	p->crc_end = paper_stuff(plain, p->wire);
	/* CRC delimiter, ACK slot, ACK delimiter, end of frame */
	strcat(p->wire, "1" "1" "1" "1111111");
	p->bits = strlen(p->wire);
}

static uint64_t seed = 42;

static uint32_t rnd(void)
{
	seed = seed * 6364136223846793005 + 1442695040888963407;
	return seed >> 32;
}

static struct canbus_frame random_frame(void)
{
	struct canbus_frame f = { .ext = rnd() & 1, .rtr = !(rnd() % 4), .dlc = rnd() % 16 };
	static const uint8_t often[] = { 0x00, 0xff, 0x0f, 0xf0, 0x3c, 0x87, 0xaa };

	f.id = rnd() & (f.ext ? 0x1fffffff : 0x7ff);
	if (rnd() % 4 == 0)
		f.id &= rnd() & rnd();
	for (int i = 0; i < 8; i++)
		f.data[i] = rnd() & 1 ? rnd() : often[rnd() % 7];
	return f;
}

static bool same(const struct canbus_frame *f)
{
	uint8_t bit[CANBUS_MAX_BITS];
	struct canbus_layout fast, slow;
	struct paper p;

	paper_frame(f, &p);
	canbus_layout(f, &fast);
	canbus_bits(f, &slow, bit);
	if (fast.header != p.header || fast.crc_end != p.crc_end || fast.bits != p.bits ||
	    slow.arbitration != p.arbitration || slow.header != p.header ||
	    slow.crc_end != p.crc_end || slow.bits != p.bits || canbus_frame_crc(f) != p.crc)
		return false;
	for (unsigned int i = 0; i < p.bits; i++) {
		if (bit[i] != (p.wire[i] == '1'))
			return false;
	}
	return true;
}

static void test_by_hand(void)
{
	struct canbus_frame f = { 0 };
	struct paper p;
	char digits[80] = "";

	for (const char *c = "123456789"; *c; c++)
		put(digits, *c, 8);
	is(paper_crc(digits), 0x059e, "the test's own CRC has the check value of CRC-15/CAN");

	/* 34 dominant bits, one stuff bit after each five (a stuff bit starts a new row) */
	is(canbus_frame_crc(&f), 0, "the CRC of zeros is zero");
	is(canbus_frame_bits(&f), 34 + 6 + 10, "id 0 without data: 6 stuff bits");
	is(canbus_header_bits(&f), 19 + 3, "3 of them up to the control field");

	/* 0 1010101010 1 0 0 0 0000: a stuff bit after IDE, r0 and three of RTR.. */
	f = (struct canbus_frame){ .id = 0x555 };
	paper_frame(&f, &p);
	is(canbus_frame_crc(&f), p.crc, "CRC of id 0x555 by paper division");
	is(canbus_header_bits(&f), 19 + 1, "id 0x555: one stuff bit in RTR, IDE, r0, DLC");

	/* 0 11111 [0] 11111 [0] 1 1 0 ...: two stuff bits in the id */
	f = (struct canbus_frame){ .id = 0x7ff, .rtr = true, .dlc = 8 };
	is(canbus_header_bits(&f), 19 + 2, "id 0x7ff remote: two stuff bits");
	f.dlc = 8;
	f.data[0] = 0xff;
	is(canbus_frame_bits(&f), canbus_frame_bits(&(struct canbus_frame){
		.id = 0x7ff, .rtr = true, .dlc = 8 }), "a remote frame has no data");
	f = (struct canbus_frame){ .id = 0x123, .dlc = 15 };
	paper_frame(&f, &p);
	is(p.bits - canbus_frame_bits(&f), 0, "dlc 15 has 8 data bytes");
}

static void test_limits(void)
{
	unsigned int min = 1000, max = 0, max8 = 0, max_ext = 0;

	for (uint32_t id = 0; id < 0x800; id++) {
		struct canbus_frame f = { .id = id };
		unsigned int bits = canbus_frame_bits(&f) + 3;

		min = bits < min ? bits : min;
		max = bits > max ? bits : max;
	}
	/* RTR, IDE, r0 and the DLC are seven dominant bits: one stuff bit at least */
	is(min, 48, "the shortest data frame takes 48 bits with its gap");
	min = 1000;
	for (uint32_t id = 0; id < 0x800; id++) {
		struct canbus_frame f = { .id = id, .rtr = true, .dlc = 8 };
		unsigned int bits = canbus_frame_bits(&f) + 3;

		min = bits < min ? bits : min;
	}
	is(min, 47, "the shortest remote frame 47: no stuff bit at all");
	ok(max <= 55, "none without data takes more than 55 (the longest: %u)", max);
	for (int i = 0; i < 300000; i++) {
		struct canbus_frame f = random_frame();
		unsigned int bits = canbus_frame_bits(&f) + 3;

		if (f.ext)
			max_ext = bits > max_ext ? bits : max_ext;
		else
			max8 = bits > max8 ? bits : max8;
	}
	ok(max8 > 120 && max8 <= 135, "no standard frame takes more than 135 (%u)", max8);
	ok(max_ext > 140 && max_ext <= 160, "no extended one more than 160 (%u)", max_ext);
	ok(max_ext - 3 <= CANBUS_MAX_BITS, "CANBUS_MAX_BITS holds them all");
}

static void test_against_paper(void)
{
	struct canbus_frame f;
	int bad = 0;

	for (uint32_t id = 0; id < 0x800; id++) {
		for (unsigned int dlc = 0; dlc < 2; dlc++) {
			f = (struct canbus_frame){ .id = id, .dlc = dlc, .rtr = !dlc };
			bad += !same(&f);
		}
	}
	is(bad, 0, "all standard ids: each bit as on paper");
	for (int i = 0; i < 100000; i++) {
		f = random_frame();
		bad += !same(&f);
	}
	is(bad, 0, "100000 random frames: each bit, each length, each CRC as on paper");
}

static void test_order(void)
{
	static const struct {
		struct canbus_frame winner, loser;
		const char *why;
	} row[] = {
		{ { .id = 0 }, { .id = 1 }, "lower id first" },
		{ { .id = 0x0ff }, { .id = 0x100 }, "the id counts as a number" },
		{ { .id = 0x100, .dlc = 8 }, { .id = 0x100, .rtr = true },
		  "data before remote of the same id" },
		{ { .id = 0x100 }, { .id = 0x100 << 18, .ext = true },
		  "standard before extended with the same base id" },
		{ { .id = 0x100, .rtr = true }, { .id = 0x100 << 18, .ext = true },
		  "even a standard remote frame (decided by IDE)" },
		{ { .id = 0x0ff << 18 | 0x3ffff, .ext = true }, { .id = 0x100 },
		  "extended with a lower base id before standard" },
		{ { .id = 5, .ext = true }, { .id = 6, .ext = true },
		  "extended ids by their low part" },
		{ { .id = 6, .ext = true }, { .id = 6, .ext = true, .rtr = true },
		  "extended data before extended remote" },
	};
	struct canbus_frame a = { .id = 7, .dlc = 1 }, b = { .id = 7, .dlc = 2 };
	unsigned int wrong = 0;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		ok(canbus_arbitrate(&row[i].winner, &row[i].loser) < 0, "%s", row[i].why);
		ok(canbus_arbitrate(&row[i].loser, &row[i].winner) > 0, "... and not the reverse");
	}
	is(canbus_arbitrate(&a, &b), 0, "the dlc does not arbitrate");

	/* the same from the bits: at the first difference the dominant one wins */
	for (int i = 0; i < 100000; i++) {
		uint8_t x[CANBUS_MAX_BITS], y[CANBUS_MAX_BITS];
		struct canbus_layout lx, ly;
		unsigned int k = 0;
		int order;

		a = random_frame();
		b = random_frame();
		if (rnd() & 1)
			b.id = a.ext == b.ext ? a.id : a.ext ? a.id >> 18 : a.id << 18;
		canbus_bits(&a, &lx, x);
		canbus_bits(&b, &ly, y);
		while (k < lx.arbitration && k < ly.arbitration && x[k] == y[k])
			k++;
		order = canbus_arbitrate(&a, &b);
		if (order)
			wrong += (x[k] < y[k]) != (order < 0);
		else
			wrong += a.ext != b.ext || a.id != b.id || a.rtr != b.rtr;
	}
	is(wrong, 0, "100000 random pairs: the order is that of the bits on the wire");
}

int main(void)
{
	test_by_hand();
	test_limits();
	test_against_paper();
	test_order();
	return tap_done();
}
