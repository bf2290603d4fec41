/* SPDX-License-Identifier: GPL-2.0-only */
/* What the boards of this directory share. */
#ifndef BOARDS_H
#define BOARDS_H

#include "board.h"
#include "c_can.h"

extern const struct board_type board_testdev;
extern const struct board_type board_pch;
extern const struct board_type board_am335x;
extern const struct board_type board_cyclone5;
extern const struct board_type board_rpi;

/**
 * struct can_options - what `--boardopt name=value` says about a CAN block
 * @errata: C_CAN_ERRATUM_... ("errata=bulk-clear+late-init", "broken=if-busy",
 *	"broken=no-raminit")
 * @objects: number of message objects ("objects=64")
 * @clock_hz: CAN clock ("clock=24000000")
 * @parity_ram: the message RAM must be initialised ("parity=0|1")
 * @all_ones: nobody answers: every read gives all ones ("broken=all-ones")
 */
struct can_options {
	unsigned int errata;
	unsigned int objects;
	uint32_t clock_hz;
	bool parity_ram;
	bool all_ones;
};

/**
 * can_option() - take one option
 * @o: preset with the board's defaults
 * @opt: the option
 * @err: one line of text when the value is wrong
 * @errlen: its size
 *
 * Return: 1 taken, 0 not an option of a CAN block, -1 bad value.
 */
int can_option(struct can_options *o, const struct board_option *opt, char *err,
	       size_t errlen);

/* Write the counters of a CAN block as members of a JSON object. */
void can_counters(const struct c_can *can, FILE *out);

/*
 * The smallest interrupt controller that lets a device tree give its devices
 * interrupt lines. It makes one edge (MSI) of up to 32 levels: the output rises
 * when an enabled line is up, and falls only when PENDING has been read as 0,
 * so that a handler which loops until then loses nothing and is not called in
 * vain.
 */
#define INTC_PENDING	0x00	/* r: lines that are up and enabled; 0 re-arms */
#define INTC_RAW	0x04	/* r: lines that are up */
#define INTC_ENABLED	0x08	/* r */
#define INTC_ENABLE	0x10	/* w: ones enable */
#define INTC_DISABLE	0x14	/* w: ones disable */
#define INTC_SIZE	0x20

struct intc {
	struct sim *sim;
	uint32_t raw;
	uint32_t enabled;
	bool raised;
	uint64_t reads;
	uint64_t writes;
	uint64_t raises;
};

void intc_init(struct intc *ic, struct sim *sim);
void intc_reset(struct intc *ic);
void intc_line(struct intc *ic, unsigned int line, bool level);
uint32_t intc_read(struct intc *ic, unsigned int off);
void intc_write(struct intc *ic, unsigned int off, uint32_t value);
/* The controller's counters as JSON members; can be reset by intc_counters_reset(). */
void intc_counters(const struct intc *ic, FILE *out);
void intc_counters_reset(struct intc *ic);

#endif
