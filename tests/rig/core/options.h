/* SPDX-License-Identifier: GPL-2.0-only */
/* The options that the plugin and the wall-clock server have in common. */
#ifndef RIG_OPTIONS_H
#define RIG_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "board.h"
#include "profile.h"

#define RIG_MAX_PEERS		8
#define RIG_MAX_BOARD_OPTIONS	32

/**
 * struct rig_options - NAME=VALUE words from the command line
 * @board: "board=NAME"
 * @profile: "profile=NAME", changed by "insn_ns=N", "read_ns=N", "write_ns=N"
 * @sock: "sock=PATH": where QEMU finds the board
 * @ctl: "ctl=PATH": where QEMU finds the control device, NULL: there is none
 * @result: "result=FILE": the measurement's result, as JSON
 * @log: "log=FILE": every register access and interrupt, with its time
 * @peer: "peer=FILE", once for each peer
 * @bitrate: "bitrate=N" of the peers, bit/s
 * @board_option: "boardopt=NAME=VALUE", for the board
 * @fast: "fast=0|1": register accesses inside the CPU's thread where possible
 * @intx: "intx=1": the board has no MSI
 */
struct rig_options {
	const struct board_type *board;
	struct rig_profile profile;
	const char *sock;
	const char *ctl;
	const char *result;
	const char *log;
	const char *peer[RIG_MAX_PEERS];
	size_t peers;
	uint32_t bitrate;
	struct board_option board_option[RIG_MAX_BOARD_OPTIONS];
	size_t board_options;
	bool fast;
	bool intx;
};

/*
 * The words are kept (and split) by the options. On a mistake returns false
 * and writes a sentence to err.
 */
bool rig_options_parse(struct rig_options *options, int argc, char **argv, char *err,
		       size_t errlen);
void rig_options_help(FILE *out);

#endif
