/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A board: models put together behind the BARs of one PCI function. The same
 * boards are hosted by the QEMU plugin (virtual clock) and by the wall-clock
 * server.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdio.h>

#include "canbus.h"
#include "sim.h"

#define BOARD_BARS 6

struct board;

/**
 * struct board_option - name=value pairs from the command line ("errata=bulk-clear")
 */
struct board_option {
	const char *name;
	const char *value;
};

/**
 * struct board_type - one kind of board
 * @name: what `run --board` calls it
 * @about: one line for the help text
 * @vendor, @device, @class, @revision: PCI identification (class is 24 bits)
 * @bar_size: power of two, or 0
 * @msi: has an MSI capability (one vector)
 * @create: build the models; options that are not its own give an error text
 * @reset: PCI function reset
 * @read, @write: a register access inside a BAR, size 1, 2, 4 or 8, naturally
 *	aligned and inside the BAR. May call sim_charge() and sim_set_irq(line 0).
 *	Line 0 is the function's interrupt as a level; the host makes INTx or MSI of it.
 * @counters: write the board's counters as JSON members ("name": value, each
 *	followed by a comma), for the result file
 * @counters_reset: start counting anew
 * @command: what a test wants of the world around the chip (a pin's level, another
 *	clock); the numbers are the board's. Returns a value for the test. May be NULL
 */
struct board_type {
	const char *name;
	const char *about;
	uint16_t vendor, device;
	uint32_t class;
	uint8_t revision;
	uint32_t bar_size[BOARD_BARS];
	bool msi;
	struct board *(*create)(struct sim *sim, struct canbus *bus,
				const struct board_option *options, size_t count,
				char *err, size_t errlen);
	void (*destroy)(struct board *board);
	void (*reset)(struct board *board);
	uint64_t (*read)(struct board *board, unsigned int bar, uint64_t off,
			 unsigned int size);
	void (*write)(struct board *board, unsigned int bar, uint64_t off,
		      unsigned int size, uint64_t value);
	void (*counters)(struct board *board, FILE *out);
	void (*counters_reset)(struct board *board);
	uint32_t (*command)(struct board *board, uint32_t command, uint32_t arg);
};

struct board {
	const struct board_type *type;
};

const struct board_type *board_find(const char *name);
void board_list(FILE *out);

#endif
