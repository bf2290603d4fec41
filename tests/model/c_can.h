/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The Bosch C_CAN and D_CAN, register by register, after Bosch's C_CAN r1.2
 * and D_CAN r1.11 manuals and TI's DCAN chapter (SPNU563A, AM335x TRM).
 */
#ifndef C_CAN_MODEL_H
#define C_CAN_MODEL_H

#include "canbus.h"

enum c_can_type {
	C_CAN_BOSCH,		/* 16-bit registers, 32 objects */
	D_CAN_BOSCH,		/* 32-bit registers, HWS, CFR */
	D_CAN_TI,		/* 32-bit registers, SWR, PDR, ABO, parity, IF3 */
};

/* Documented trouble of the silicon; off unless asked for. */

/*
 * D_CAN: a frame whose target object was chosen at its header is lost when a
 * lower object is freed before it is stored; harmless is only the transfer that
 * reads the freed object itself.
 */
#define C_CAN_ERRATUM_BULK_CLEAR	0x01
/*
 * EG20T: the same, when the transfer that reads an object (up to the target)
 * also clears its NewDat. A later transfer that reads nothing is harmless.
 */
#define C_CAN_ERRATUM_NEWDAT_CLEAR	0x02
/* NEWDAT lists an object for 64 clocks after its NewDat was cleared. */
#define C_CAN_ERRATUM_STALE_NEWDAT	0x04
/* Init reads back, and counts, 32 clocks late (two clock domains). */
#define C_CAN_ERRATUM_LATE_INIT		0x08
/*
 * AM3352: a bus-off while IE is 0 leaves no interrupt behind, not even one that
 * had been pending: after IE is set again only Init tells (linux-can,
 * 2020-03-26; the manuals say that IE only gates the line).
 */
#define C_CAN_ERRATUM_LOST_BUSOFF	0x40
/* The IFs never leave busy (broken part). */
#define C_CAN_ERRATUM_IF_STUCK		0x10
/* RAMINIT is never done (broken part). */
#define C_CAN_ERRATUM_NO_RAMINIT	0x20

/* One row per register, for counting; names for people. */
enum c_can_reg {
	C_CAN_REG_CTRL, C_CAN_REG_STS, C_CAN_REG_ERRCNT, C_CAN_REG_BTR,
	C_CAN_REG_INT, C_CAN_REG_TEST, C_CAN_REG_BRPEXT,
	C_CAN_REG_CFR, C_CAN_REG_PERR, C_CAN_REG_REL, C_CAN_REG_HWS,
	C_CAN_REG_ABOTR, C_CAN_REG_INTMUX,
	C_CAN_REG_IF1_CMDREQ, C_CAN_REG_IF1_CMDMASK, C_CAN_REG_IF1_MASK,
	C_CAN_REG_IF1_ARB, C_CAN_REG_IF1_MCTRL, C_CAN_REG_IF1_DATA,
	C_CAN_REG_IF2_CMDREQ, C_CAN_REG_IF2_CMDMASK, C_CAN_REG_IF2_MASK,
	C_CAN_REG_IF2_ARB, C_CAN_REG_IF2_MCTRL, C_CAN_REG_IF2_DATA,
	C_CAN_REG_IF3,
	C_CAN_REG_TXRQST, C_CAN_REG_NEWDAT, C_CAN_REG_INTPND, C_CAN_REG_MSGVAL,
	C_CAN_REG_OTHER,
	C_CAN_REG_COUNT
};

extern const char *const c_can_reg_name[C_CAN_REG_COUNT];

/*
 * A bit time that is not a whole number of nanoseconds is rounded to the
 * nearest one.
 *
 * With busy_clocks 0 a transfer takes the shortest time of the manual (C_CAN 3,
 * D_CAN 2, TI 4 clocks), and the longest one (6, 8, 14) when it meets the message
 * handler's use of the message RAM.
 */
struct c_can_config {
	enum c_can_type type;
	unsigned int objects;		/* 16, 32, 64, 128; the C_CAN has 32 */
	uint32_t clock_hz;		/* CAN clock (host clock taken the same) */
	unsigned int errata;		/* C_CAN_ERRATUM_... */
	unsigned int busy_clocks;	/* IF transfer time in CAN clocks, 0: manual's */
	bool parity_ram;		/* message RAM must be initialised first */
};

struct c_can_stats {
	uint64_t reads[C_CAN_REG_COUNT];
	uint64_t writes[C_CAN_REG_COUNT];
	uint64_t interrupts;		/* rising edges of the line */
	uint64_t rx_stored;		/* frames put into an object */
	uint64_t rx_overwritten;	/* ... over an unread one (MsgLst) */
	uint64_t rx_unmatched;		/* valid frames that no object took */
	uint64_t rx_erratum_lost;	/* frames lost by a switched-on erratum */
	uint64_t tx_sent;
};

struct c_can;

/*
 * irq is called with the level of interrupt line 0 (EINT0) at each change.
 * The node is attached to the bus; it is stopped (Init = 1) after reset.
 */
struct c_can *c_can_new(struct sim *sim, struct canbus *bus,
			const struct c_can_config *config,
			void (*irq)(void *arg, bool level), void *arg);
void c_can_free(struct c_can *c);
/*
 * Hardware reset. After c_can_new() the message RAM is full of garbage, with its
 * flags (MsgVal, NewDat, TxRqst, IntPnd) clear; a reset clears these flags on the
 * D_CAN, and nothing of the message RAM on the C_CAN.
 */
void c_can_reset(struct c_can *c);

/*
 * Register access. Offsets are those of the manuals: the 16-bit map for the
 * C_CAN (size 2, or 1), the 32-bit map for the D_CAN (size 1, 2 or 4). What a
 * board does to the spacing is the board's business.
 */
uint32_t c_can_read(struct c_can *c, unsigned int offset, unsigned int size);
void c_can_write(struct c_can *c, unsigned int offset, unsigned int size,
		 uint32_t value);

/*
 * The RAMINIT signal of TI's control module: its rising edge starts it, it takes
 * objects + 4 clocks, then _done is true until it is started again. What of this
 * a board's control register keeps is the board's business.
 */
void c_can_raminit(struct c_can *c, bool start);
bool c_can_raminit_done(const struct c_can *c);

const struct c_can_stats *c_can_stats(const struct c_can *c);
void c_can_stats_reset(struct c_can *c);
struct canbus_node *c_can_node(struct c_can *c);

#endif
