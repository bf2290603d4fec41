// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a frame to its bits: field order, CRC-15 and bit stuffing of ISO 11898-1
 * (10.4.2 data frame, 10.5 coding). There are two ways through: bit by bit when
 * somebody needs the bits (arbitration, errors), and by tables, a byte at a
 * time, when only the length matters, which is the case for nearly all frames.
 */
#include "canbus_frame.h"

#include <string.h>

#define CRC_POLY	0x4599		/* x15 + x14 + x10 + x8 + x7 + x4 + x3 + 1 */
#define CRC_MASK	0x7fff
#define CRC_BITS	15
#define EOF_BITS	7

/*
 * The stuffing state: the last level (bit 0) and how often it was seen in a row
 * (1..4; after the fifth the stuff bit, of the other level, starts a new row).
 */
#define STUFF_STATES	10
#define STUFF_STATE(level, run)	((run) * 2 + (level))

static struct {
	uint8_t bits;		/* stuff bits inserted while this byte goes out */
	uint8_t state;		/* afterwards */
} stuff_table[STUFF_STATES][256];

static uint16_t crc_table[256];

static unsigned int stuff_step(unsigned int state, unsigned int bit, unsigned int *stuffed)
{
	unsigned int run = state / 2;

	run = (state & 1) == bit ? run + 1 : 1;
	if (run < 5)
		return STUFF_STATE(bit, run);
	++*stuffed;
	return STUFF_STATE(bit ^ 1, 1);
}

static uint16_t crc_step(uint16_t crc, unsigned int bit)
{
	bit ^= crc >> (CRC_BITS - 1);
	crc = (crc << 1) & CRC_MASK;
	return bit ? crc ^ CRC_POLY : crc;
}

__attribute__((constructor))
static void build_tables(void)
{
	for (unsigned int byte = 0; byte < 256; byte++) {
		uint16_t crc = 0;

		for (int i = 7; i >= 0; i--)
			crc = crc_step(crc, (byte >> i) & 1);
		crc_table[byte] = crc;
		for (unsigned int s = STUFF_STATE(0, 1); s < STUFF_STATES; s++) {
			unsigned int state = s, stuffed = 0;

			for (int i = 7; i >= 0; i--)
				state = stuff_step(state, (byte >> i) & 1, &stuffed);
			stuff_table[s][byte].bits = stuffed;
			stuff_table[s][byte].state = state;
		}
	}
}

static uint16_t crc_byte(uint16_t crc, uint8_t byte)
{
	return ((crc << 8) & CRC_MASK) ^ crc_table[(crc >> (CRC_BITS - 8)) ^ byte];
}

/* SOF, arbitration and control field, right-aligned; returns how many bits. */
static unsigned int head(const struct canbus_frame *f, uint64_t *bits)
{
	uint64_t dlc = f->dlc & 15;

	if (!f->ext) {
		/* SOF=0, id 28..18, RTR, IDE=0, r0=0, DLC */
		*bits = (uint64_t)(f->id & 0x7ff) << 7 | (uint64_t)f->rtr << 6 | dlc;
		return 1 + 11 + 1 + 1 + 1 + 4;
	}
	/* SOF=0, id 28..18, SRR=1, IDE=1, id 17..0, RTR, r1=0, r0=0, DLC */
	*bits = (uint64_t)((f->id >> 18) & 0x7ff) << 27 | (uint64_t)3 << 25 |
		(uint64_t)(f->id & 0x3ffff) << 7 | (uint64_t)f->rtr << 6 | dlc;
	return 1 + 11 + 1 + 1 + 18 + 1 + 2 + 4;
}

uint16_t canbus_frame_crc(const struct canbus_frame *f)
{
	unsigned int len = canbus_data_len(f);
	uint16_t crc = 0;
	uint64_t bits;

	/* zeros in front do not change a CRC that starts at 0: 24 or 40 bits */
	for (int shift = head(f, &bits) > 24 ? 32 : 16; shift >= 0; shift -= 8)
		crc = crc_byte(crc, bits >> shift);
	for (unsigned int i = 0; i < len; i++)
		crc = crc_byte(crc, f->data[i]);
	return crc;
}

struct stuffer {
	unsigned int state;
	unsigned int stuffed;
};

static inline void stuff_byte(struct stuffer *s, uint8_t byte)
{
	s->stuffed += stuff_table[s->state][byte].bits;
	s->state = stuff_table[s->state][byte].state;
}

void canbus_layout(const struct canbus_frame *f, struct canbus_layout *l)
{
	unsigned int len = canbus_data_len(f);
	uint16_t crc = canbus_frame_crc(f);
	unsigned int nhead, pad;
	struct stuffer s;
	uint64_t bits;
	uint8_t last;

	/*
	 * Fill up to whole bytes with alternating bits that end recessive, as
	 * the idle bus before SOF: they need no stuff bit.
	 */
	nhead = head(f, &bits);
	pad = -nhead & 7;
	bits |= ((uint64_t)0x15 & ((1u << pad) - 1)) << nhead;
	s.state = STUFF_STATE(0, 1);
	s.stuffed = 0;
	for (int shift = nhead + pad - 8; shift >= 0; shift -= 8)
		stuff_byte(&s, bits >> shift);
	l->arbitration = 0;
	l->header = nhead + s.stuffed;

	for (unsigned int i = 0; i < len; i++)
		stuff_byte(&s, f->data[i]);
	/* 15 bits and, to fill the byte, the inverse of the last: no sixth in a row */
	stuff_byte(&s, crc >> 7);
	last = crc << 1;
	stuff_byte(&s, last | !(crc & 1));
	l->crc_end = nhead + 8 * len + CRC_BITS + s.stuffed;
	l->bits = l->crc_end + 3 + EOF_BITS;
}

struct bit_writer {
	uint8_t *bit;
	unsigned int n;
	unsigned int level;
	unsigned int run;
};

static void write_bits(struct bit_writer *w, uint64_t bits, unsigned int count)
{
	while (count--) {
		unsigned int level = (bits >> count) & 1;

		w->bit[w->n++] = level;
		w->run = level == w->level ? w->run + 1 : 1;
		w->level = level;
		if (w->run == 5) {
			w->level ^= 1;
			w->run = 1;
			w->bit[w->n++] = w->level;
		}
	}
}

void canbus_bits(const struct canbus_frame *f, struct canbus_layout *l,
		 uint8_t bit[CANBUS_MAX_BITS])
{
	struct bit_writer w = { .bit = bit, .level = 1 };
	unsigned int nhead, control;
	uint64_t bits;

	nhead = head(f, &bits);
	/* IDE belongs to the control field of a standard frame: 6 bits both */
	control = 6;
	write_bits(&w, bits >> control, nhead - control);
	l->arbitration = w.n;
	write_bits(&w, bits, control);
	l->header = w.n;
	for (unsigned int i = 0; i < canbus_data_len(f); i++)
		write_bits(&w, f->data[i], 8);
	write_bits(&w, canbus_frame_crc(f), CRC_BITS);
	l->crc_end = w.n;
	memset(bit + w.n, 1, 3 + EOF_BITS);
	l->bits = w.n + 3 + EOF_BITS;
}

unsigned int canbus_frame_bits(const struct canbus_frame *frame)
{
	struct canbus_layout l;

	canbus_layout(frame, &l);
	return l.bits;
}

unsigned int canbus_header_bits(const struct canbus_frame *frame)
{
	struct canbus_layout l;

	canbus_layout(frame, &l);
	return l.header;
}

/*
 * The arbitration field of both formats as one number, 0 for dominant, SOF's
 * follower in the highest bit. A standard frame has no second part; its IDE bit
 * (dominant) stands where an extended frame sends a recessive one.
 */
static uint32_t arbitration_field(const struct canbus_frame *f)
{
	if (!f->ext)
		return (f->id & 0x7ff) << 21 | (uint32_t)f->rtr << 20;
	return ((f->id >> 18) & 0x7ff) << 21 | 3u << 19 | (f->id & 0x3ffff) << 1 | f->rtr;
}

int canbus_arbitrate(const struct canbus_frame *a, const struct canbus_frame *b)
{
	uint32_t x = arbitration_field(a), y = arbitration_field(b);

	return x < y ? -1 : x > y;
}
