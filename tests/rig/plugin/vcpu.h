/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The vCPU as the clock sees it: it executes blocks, is called when something
 * is due, sleeps, and has instructions done for it. Everything here runs in
 * its thread unless said otherwise.
 */
#ifndef PLUGIN_VCPU_H
#define PLUGIN_VCPU_H

#include "insn.h"
#include "qemu_plugin_abi.h"
#include "rig.h"

/**
 * struct vcpu_arch - what differs between the guests' architectures
 * @target: QEMU's name for it
 * @start: the vCPU exists; look up registers. false: one is missing
 * @translate: instrument a block
 * @timer_due: when the CPU's own timer will interrupt, or CLOCK_NEVER
 * @timer_fire: it does; called without the rig's lock
 * @interrupt_pending: an interrupt waits to be taken
 */
struct vcpu_arch {
	const char *target;
	bool (*start)(void);
	void (*translate)(struct qemu_plugin_tb *tb, size_t count);
	uint64_t (*timer_due)(void);
	void (*timer_fire)(void);
	bool (*interrupt_pending)(void);
};

extern const struct vcpu_arch vcpu_arm64;
extern const struct vcpu_arch vcpu_x86;

extern struct rig vcpu_rig;
extern const struct rig_clock vcpu_clock;

void vcpu_setup(const struct vcpu_arch *arch);
void vcpu_translate(struct qemu_plugin_tb *tb);

/* The time of an instruction, from its callback. */
uint64_t vcpu_time(const struct insn *insn);
/* Cost of the instructions behind number k of count. */
uint32_t vcpu_after_ns(size_t k, size_t count);

/*
 * The instruction's effect has been brought about: go on behind it. Does not
 * return. Only in callbacks with QEMU_PLUGIN_CB_RW_REGS_PC.
 */
void vcpu_skip(const struct insn *insn) __attribute__((noreturn));
/* WFI, HLT. Returns if the CPU really has to halt. */
void vcpu_sleep(const struct insn *insn);
/* The CPU's timer was set: look again when something is due. */
void vcpu_timer_changed(void);
/*
 * Set a register when the next block begins: for an instruction that is the
 * last of its block.
 */
void vcpu_set_later(struct qemu_plugin_register *reg, uint64_t value);

/* fastpath.c: a load or store at vaddr, done here if it is one of the board's registers. */
struct vcpu_access {
	unsigned int bar;
	uint64_t offset;
};

bool vcpu_find_register(uint64_t vaddr, unsigned int size, struct vcpu_access *access);
uint64_t vcpu_read_register(const struct vcpu_access *access, const struct insn *insn);
void vcpu_write_register(const struct vcpu_access *access, const struct insn *insn,
			 uint64_t value);
/* The guest has changed its page tables. */
void vcpu_forget_pages(void);

/* Call whoever waits for this time, from now on. The rig's lock is held. */
void vcpu_rearm(void);

#endif
