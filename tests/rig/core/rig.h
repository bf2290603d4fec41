/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A board, a bus, its peers and the control device, put together for a guest.
 * Whose clock they run by is the business of the host: the QEMU plugin (virtual
 * time) or the wall-clock server.
 */
#ifndef RIG_H
#define RIG_H

#include <pthread.h>

#include "options.h"
#include "pci_function.h"
#include "peer.h"
#include "sim.h"

struct rig;
struct vfio_user_listener;

/**
 * struct rig_counters - what is counted beside the board's own counters
 * @virtual_ns: the clock
 * @busy_ns, @idle_ns: its two parts: the CPU at work, and asleep
 * @instructions: executed by the CPU
 * @interrupts: MSI messages and risings of INTx, of the board
 * @reads, @writes: register accesses to the board
 * @fast_reads, @fast_writes: those of them that did not go through the socket
 */
struct rig_counters {
	uint64_t virtual_ns;
	uint64_t busy_ns;
	uint64_t idle_ns;
	uint64_t instructions;
	uint64_t interrupts;
	uint64_t reads;
	uint64_t writes;
	uint64_t fast_reads;
	uint64_t fast_writes;
};

/**
 * struct rig_clock - the host's part
 * @is_virtual: instructions, busy and idle time are known
 * @now: the time in nanoseconds
 * @charge: the CPU is held up for so long
 * @stall: the same in the middle of a register access, while the models go on
 * @cpu: fill in the CPU's counters; may be NULL
 * @lock, @unlock: around everything that changes the models
 * @irq_pending: one of the functions has an interrupt to send
 */
struct rig_clock {
	bool is_virtual;
	uint64_t (*now)(void);
	void (*charge)(uint64_t ns);
	void (*stall)(struct rig *rig, uint64_t ns);
	void (*cpu)(struct rig_counters *counters);
	void (*lock)(struct rig *rig);
	void (*unlock)(struct rig *rig);
	void (*irq_pending)(struct rig *rig);
};

enum rig_measuring { RIG_BEFORE, RIG_MEASURING, RIG_AFTER };

/**
 * struct rig_stall - hold up the CPU at one register access, before it is executed
 * @accesses: which access from now on; 0: none
 * @ns: for how long
 * @used: it has happened, at a write (or a read) of this register
 */
struct rig_stall {
	uint32_t accesses;
	uint32_t ns;
	bool used;
	bool write;
	unsigned int bar;
	uint64_t offset;
};

/**
 * struct rig - all of it
 * @mutex: protects everything below
 * @since: the counters at the begin of the measurement
 * @control_high: the upper half that the control device has latched
 * @board_arg, @board_answer: of the command to the board
 */
struct rig {
	struct rig_options options;
	const struct rig_clock *clock;
	pthread_mutex_t mutex;
	struct sim sim;
	struct canbus *bus;
	struct board *board;
	struct peer *peer[RIG_MAX_PEERS];
	struct pci_function board_fn;
	struct pci_function control_fn;
	struct vfio_user_listener *board_listener;
	struct vfio_user_listener *control_listener;
	struct rig_counters count;
	struct rig_counters since;
	enum rig_measuring measuring;
	unsigned int results;		/* written so far */
	uint32_t control_high;
	uint32_t board_arg;
	uint32_t board_answer;
	struct rig_stall stall;
	FILE *log;
};

/* On failure returns false and writes a sentence to err. */
bool rig_start(struct rig *rig, const struct rig_options *options,
	       const struct rig_clock *clock, char *err, size_t errlen);
/* Write the result if there is one to write; remove the sockets. */
void rig_stop(struct rig *rig);

/* Bring the models up to now. The lock is held, here and below. */
void rig_sync(struct rig *rig);
/* A register access of the guest. fast: not through the socket. */
uint64_t rig_read(struct rig *rig, unsigned int bar, uint64_t offset, unsigned int size,
		  bool fast);
void rig_write(struct rig *rig, unsigned int bar, uint64_t offset, unsigned int size,
	       uint64_t value, bool fast);
/* One interrupt that is to be sent, or NULL; what it is goes to *what. */
struct pci_function *rig_take_irq(struct rig *rig, enum pci_irq_what *what);

/* The sum over all peers. */
void rig_peer_stats(const struct rig *rig, struct peer_stats *sum);
unsigned int rig_peers_running(const struct rig *rig);

void rig_count(const struct rig *rig, struct rig_counters *counters);
void rig_measure_start(struct rig *rig);
void rig_measure_stop(struct rig *rig);
/* result.c: write what was measured so far to the result file. */
void rig_write_result(struct rig *rig);

/* control.c */
extern const struct pci_ident control_ident;
extern const struct pci_function_ops control_ops;

#endif
