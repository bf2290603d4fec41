/* SPDX-License-Identifier: GPL-2.0-only */
/* The bits of a classical CAN frame (ISO 11898-1, 10.4 and 10.5). */
#ifndef CANBUS_FRAME_H
#define CANBUS_FRAME_H

#include "canbus.h"

/*
 * The longest frame: 39 bits up to the control field, 64 of data and 15 of CRC
 * take at most 29 stuff bits (one after the first five bits, then one in four);
 * CRC delimiter, ACK slot, ACK delimiter and EOF follow unstuffed.
 */
#define CANBUS_MAX_BITS (39 + 64 + 15 + 29 + 1 + 1 + 1 + 7)

/**
 * struct canbus_layout - where the fields of a frame end, in bits from SOF
 * @arbitration: SOF and arbitration field (only known after canbus_bits())
 * @header: ... and control field
 * @crc_end: ... and data and CRC sequence, with a stuff bit after its last bit
 * @bits: ... and CRC delimiter, ACK slot, ACK delimiter, EOF
 */
struct canbus_layout {
	unsigned int arbitration;
	unsigned int header;
	unsigned int crc_end;
	unsigned int bits;
};

/* Positions in the part that has a fixed form. */
static inline unsigned int canbus_ack_slot(const struct canbus_layout *l)
{
	return l->crc_end + 1;
}

/* Fast: lengths only, by tables. @arbitration is left 0. */
void canbus_layout(const struct canbus_frame *frame, struct canbus_layout *l);
/* Bit by bit: also write each bit (1 recessive) to @bit. The ACK slot is sent recessive. */
void canbus_bits(const struct canbus_frame *frame, struct canbus_layout *l,
		 uint8_t bit[CANBUS_MAX_BITS]);

static inline unsigned int canbus_data_len(const struct canbus_frame *f)
{
	return f->rtr ? 0 : f->dlc > 8 ? 8 : f->dlc;
}

#endif
