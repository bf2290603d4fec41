// SPDX-License-Identifier: GPL-2.0-only
/*
 * The control device: how a program in the guest tells the rig where it is. A
 * PCI function with one BAR that no driver binds to; user space maps its
 * resource0. All registers have 32 bits; a low half that is read latches its
 * high half.
 */
#include "rig.h"

#include <string.h>

#define CONTROL_ID		0x00	/* r: 'CPRG' */
#define CONTROL_SIGNAL		0x04	/* w: give signal N to all peers */
#define CONTROL_RUNNING		0x08	/* r: peers whose script has not ended */
#define CONTROL_MEASURE		0x0c	/* w: 1 start counting anew, 0 freeze; r: 1 counting */
#define CONTROL_NOW		0x10	/* r: the clock, ns, 64 bits */
#define CONTROL_SENT		0x18	/* r: frames sent by peers, 64 bits */
#define CONTROL_RECEIVED	0x20	/* r: frames received by peers, 64 bits */
#define CONTROL_LOST		0x28	/* r: and so on, of the peers */
#define CONTROL_SWAPPED		0x2c
#define CONTROL_DUPLICATED	0x30
#define CONTROL_UNEXPECTED	0x34
#define CONTROL_STALL		0x38	/* w: the CPU stands still for N us */
#define CONTROL_STALL_AT	0x40	/* w: it does at the N-th access to the board; r: left */
#define CONTROL_STALL_NS	0x44	/* w: for so long */
#define CONTROL_STALLED		0x48	/* r: where it did, see below */
#define CONTROL_BOARD_ARG	0x50	/* w: argument of a command */
#define CONTROL_BOARD		0x54	/* w: give that command to the board; r: its answer */

/* CONTROL_STALLED: 0 before it has */
#define STALLED_USED		0x80000000
#define STALLED_WRITE		0x40000000
#define STALLED_BAR_SHIFT	24
#define STALLED_OFFSET		0x00ffffff

#define CONTROL_ID_VALUE	0x47525043	/* "CPRG", little endian */

const struct pci_ident control_ident = {
	.vendor = 0x1234,
	.device = 0xca01,
	.class = 0xff0000,	/* does not fit any class */
	.bar_size = { 4096 },
};

static uint32_t latch(uint64_t value, uint32_t *high)
{
	*high = (uint32_t)(value >> 32);
	return (uint32_t)value;
}

static uint32_t stalled(const struct rig_stall *s)
{
	if (!s->used)
		return 0;
	return STALLED_USED | (s->write ? STALLED_WRITE : 0) | s->bar << STALLED_BAR_SHIFT |
	       (uint32_t)(s->offset & STALLED_OFFSET);
}

static uint64_t control_read(void *arg, unsigned int bar, uint64_t offset,
			     unsigned int size)
{
	struct rig *rig = arg;
	uint32_t *high = &rig->control_high;
	struct peer_stats s;

	(void)bar;
	if (size != 4)
		return 0;
	rig_peer_stats(rig, &s);
	switch (offset) {
	case CONTROL_ID:
		return CONTROL_ID_VALUE;
	case CONTROL_RUNNING:
		return rig_peers_running(rig);
	case CONTROL_MEASURE:
		return rig->measuring == RIG_MEASURING;
	case CONTROL_NOW:
		return latch(rig->sim.now, high);
	case CONTROL_SENT:
		return latch(s.sent, high);
	case CONTROL_RECEIVED:
		return latch(s.received, high);
	case CONTROL_NOW + 4:
	case CONTROL_SENT + 4:
	case CONTROL_RECEIVED + 4:
		return *high;
	case CONTROL_LOST:
		return (uint32_t)s.lost;
	case CONTROL_SWAPPED:
		return (uint32_t)s.swapped;
	case CONTROL_DUPLICATED:
		return (uint32_t)s.duplicated;
	case CONTROL_UNEXPECTED:
		return (uint32_t)s.unexpected;
	case CONTROL_STALL_AT:
		return rig->stall.accesses;
	case CONTROL_STALLED:
		return stalled(&rig->stall);
	case CONTROL_BOARD:
		return rig->board_answer;
	default:
		return 0;
	}
}

static void control_write(void *arg, unsigned int bar, uint64_t offset, unsigned int size,
			  uint64_t value)
{
	struct rig *rig = arg;

	(void)bar;
	if (size != 4)
		return;
	if (offset == CONTROL_SIGNAL) {
		for (size_t i = 0; i < rig->options.peers; i++)
			peer_signal(rig->peer[i], (unsigned int)value);
	} else if (offset == CONTROL_MEASURE) {
		if (value)
			rig_measure_start(rig);
		else
			rig_measure_stop(rig);
	} else if (offset == CONTROL_STALL) {
		rig->clock->charge((value & UINT32_MAX) * 1000);
	} else if (offset == CONTROL_STALL_AT) {
		rig->stall.accesses = (uint32_t)value;
		if (value)
			rig->stall.used = false;
	} else if (offset == CONTROL_STALL_NS) {
		rig->stall.ns = (uint32_t)value;
	} else if (offset == CONTROL_BOARD_ARG) {
		rig->board_arg = (uint32_t)value;
	} else if (offset == CONTROL_BOARD) {
		rig->board_answer = !rig->board->type->command ? 0 :
			rig->board->type->command(rig->board, (uint32_t)value, rig->board_arg);
	}
}

static void control_reset(void *arg)
{
	(void)arg;	/* a measurement outlives a reset of the guest */
}

const struct pci_function_ops control_ops = {
	.read = control_read,
	.write = control_write,
	.reset = control_reset,
};
