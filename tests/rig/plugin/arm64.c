// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64 guests: the virtual timer of the generic timer (Arm ARM, D11) with its
 * interrupt at the GICv2 of QEMU's "virt" machine, WFI, and loads and stores of
 * drivers.
 */
#include <stdio.h>

#include "clock.h"
#include "guest.h"
#include "vcpu.h"

#define FREQUENCY	1000000000u	/* of the counter: one tick is 1 ns */

/* QEMU's "virt" with gic-version=2 */
#define GICD_ISPENDR0	0x08000200u
#define GICC_HPPIR	0x08010018u
#define NO_INTERRUPT	1023u
#define TIMER_PPI	27u

#define TIMER_ENABLE	1u
#define TIMER_IMASK	2u
#define TIMER_ISTATUS	4u

enum kind {
	READ_COUNTER, READ_FREQUENCY, READ_CTL, READ_CVAL, READ_TVAL,
	WRITE_CTL, WRITE_CVAL, WRITE_TVAL, WAIT, YIELD, LOAD, STORE,
	OTHER,
};

static struct qemu_plugin_register *x[31];

static struct {
	uint32_t ctl;
	uint64_t cval;
	bool fired;
} timer;

static uint64_t timer_due(void)
{
	bool armed = (timer.ctl & (TIMER_ENABLE | TIMER_IMASK)) == TIMER_ENABLE;

	return armed && !timer.fired ? timer.cval : CLOCK_NEVER;
}

static void timer_fire(void)
{
	timer.fired = true;
	guest_write32(GICD_ISPENDR0, 1u << TIMER_PPI);
}

static bool interrupt_pending(void)
{
	return (guest_read32(GICC_HPPIR) & 0x3ff) != NO_INTERRUPT;
}

static uint64_t get(unsigned int reg)
{
	return reg == 31 ? 0 : guest_get(x[reg]);
}

static uint64_t timer_value(const struct insn *insn)
{
	uint64_t now = vcpu_time(insn);

	switch (insn->kind) {
	case READ_COUNTER:
		return now;
	case READ_FREQUENCY:
		return FREQUENCY;
	case READ_CTL:
		return timer.ctl | (timer.ctl & TIMER_ENABLE && now >= timer.cval ?
				    TIMER_ISTATUS : 0);
	case READ_CVAL:
		return timer.cval;
	default:	/* READ_TVAL */
		return (uint32_t)(timer.cval - now);
	}
}

/* At the instruction behind the read: overwrite what QEMU has put there. */
static void after_read(unsigned int vcpu, void *arg)
{
	struct insn *insn = arg;

	(void)vcpu;
	guest_set(x[insn->reg], timer_value(insn));
}

/* The read is the last of its block. */
static void at_last_read(unsigned int vcpu, void *arg)
{
	struct insn *insn = arg;

	(void)vcpu;
	vcpu_set_later(x[insn->reg], timer_value(insn));
}

/* Not executed: QEMU's own timer shall never be armed. */
static void at_timer_write(unsigned int vcpu, void *arg)
{
	struct insn *insn = arg;
	uint64_t value = get(insn->reg);

	(void)vcpu;
	switch (insn->kind) {
	case WRITE_CTL:
		value &= TIMER_ENABLE | TIMER_IMASK;
		if (value != timer.ctl)
			timer.fired = false;
		timer.ctl = (uint32_t)value;
		break;
	case WRITE_CVAL:
		timer.cval = value;
		timer.fired = false;
		break;
	default:	/* WRITE_TVAL */
		timer.cval = vcpu_time(insn) + (uint64_t)(int64_t)(int32_t)value;
		timer.fired = false;
	}
	vcpu_timer_changed();
	vcpu_skip(insn);
}

static void at_wait(unsigned int vcpu, void *arg)
{
	(void)vcpu;
	vcpu_sleep(arg);
}

static void at_yield(unsigned int vcpu, void *arg)
{
	(void)vcpu;
	vcpu_skip(arg);
}

static void at_load(unsigned int vcpu, void *arg)
{
	struct insn *insn = arg;
	struct vcpu_access a;
	uint64_t value;

	(void)vcpu;
	if (!vcpu_find_register(get(insn->base) + (uint64_t)(int64_t)insn->displacement,
				insn->size, &a))
		return;
	value = vcpu_read_register(&a, insn);
	if (insn->reg != 31)
		guest_set(x[insn->reg], value);
	qemu_plugin_set_pc(insn->pc + insn->length);
}

static void at_store(unsigned int vcpu, void *arg)
{
	struct insn *insn = arg;
	struct vcpu_access a;

	(void)vcpu;
	if (!vcpu_find_register(get(insn->base) + (uint64_t)(int64_t)insn->displacement,
				insn->size, &a))
		return;
	vcpu_write_register(&a, insn, get(insn->reg));
	qemu_plugin_set_pc(insn->pc + insn->length);
}

static void at_tlbi(unsigned int vcpu, void *arg)
{
	(void)vcpu;
	(void)arg;
	vcpu_forget_pages();
}

/* Translation */

#define OP_WFE		0xd503205fu
#define OP_WFI		0xd503207fu
#define OP_DMB_OSHLD	0xd50331bfu
#define OP_DMB_OSHST	0xd50332bfu

static enum kind classify(uint32_t op)
{
	switch (op) {
	case OP_WFE:
		return YIELD;
	case OP_WFI:
		return WAIT;
	}
	switch (op & ~0x1fu) {
	case 0xd53be020:	/* CNTPCT_EL0 */
	case 0xd53be040:	/* CNTVCT_EL0 */
	case 0xd53be0a0:	/* CNTPCTSS_EL0 */
	case 0xd53be0c0:	/* CNTVCTSS_EL0 */
		return READ_COUNTER;
	case 0xd53be000:
		return READ_FREQUENCY;
	case 0xd53be320:
		return READ_CTL;
	case 0xd53be340:
		return READ_CVAL;
	case 0xd53be300:
		return READ_TVAL;
	case 0xd51be320:
		return WRITE_CTL;
	case 0xd51be340:
		return WRITE_CVAL;
	case 0xd51be300:
		return WRITE_TVAL;
	}
	/* LDR, LDRH, LDRB, STR...: unsigned offset, not the stack pointer as base */
	if ((op & 0x3f000000u) == 0x39000000u && (op >> 22 & 3) < 2 && (op >> 5 & 31) != 31)
		return op >> 22 & 3 ? LOAD : STORE;
	return OTHER;
}

static bool is_tlbi(uint32_t op)
{
	return (op & 0xfff8f000u) == 0xd5088000u;
}

static uint32_t opcode(const struct qemu_plugin_tb *tb, size_t k)
{
	uint32_t op = 0;

	qemu_plugin_insn_data(qemu_plugin_tb_get_insn(tb, k), &op, sizeof(op));
	return op;
}

/* readl() is a load with DMB OSHLD behind it, writel() a store with DMB OSHST before. */
static bool has_barrier(const struct qemu_plugin_tb *tb, size_t k, size_t count,
			enum kind kind)
{
	for (size_t j = 1; j <= 4; j++) {
		if (kind == LOAD && k + j < count && opcode(tb, k + j) == OP_DMB_OSHLD)
			return true;
		if (kind == STORE && j <= k && opcode(tb, k - j) == OP_DMB_OSHST)
			return true;
	}
	return false;
}

#define KERNEL_SPACE	0xffff800000000000ull
#define VMEMMAP		0xfffffc0000000000ull	/* and above: no code, no I/O */

/*
 * Modules lie below the kernel's image, which is the first thing that runs at
 * a high address. Modules' relaxed accessors have no barrier, so everything of
 * theirs is looked at.
 */
static bool in_module(uint64_t pc)
{
	static uint64_t image;

	if (pc < KERNEL_SPACE || pc >= VMEMMAP)
		return false;
	if (!image)
		image = pc & ~0x7ffffffull;
	return pc < image;
}

static void watch_access(struct qemu_plugin_tb *tb, size_t k, size_t count, uint32_t op,
			 struct insn *insn)
{
	bool module = in_module(insn->pc);

	if (!vcpu_rig.options.fast || insn->pc < KERNEL_SPACE)
		return;
	if (!module && !has_barrier(tb, k, count, insn->kind))
		return;
	insn->base = op >> 5 & 31;
	insn->size = (uint8_t)(1u << (op >> 30));
	insn->displacement = (int32_t)((op >> 10 & 0xfff) * insn->size);
	qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, k),
					       insn->kind == LOAD ? at_load : at_store,
					       QEMU_PLUGIN_CB_RW_REGS_PC, insn_keep(insn));
}

static void watch(struct qemu_plugin_tb *tb, size_t k, size_t count)
{
	struct qemu_plugin_insn *in = qemu_plugin_tb_get_insn(tb, k);
	uint32_t op = opcode(tb, k);
	enum kind kind = classify(op);
	struct insn insn = {
		.pc = qemu_plugin_insn_vaddr(in),
		.after_ns = vcpu_after_ns(k, count),
		.kind = kind,
		.length = 4,
		.reg = op & 31,
	};

	switch (kind) {
	case READ_COUNTER:
	case READ_FREQUENCY:
	case READ_CTL:
	case READ_CVAL:
	case READ_TVAL:
		if (insn.reg == 31)
			break;
		if (k + 1 < count)
			qemu_plugin_register_vcpu_insn_exec_cb(
				qemu_plugin_tb_get_insn(tb, k + 1), after_read,
				QEMU_PLUGIN_CB_RW_REGS, insn_keep(&insn));
		else
			qemu_plugin_register_vcpu_insn_exec_cb(in, at_last_read,
							       QEMU_PLUGIN_CB_NO_REGS,
							       insn_keep(&insn));
		break;
	case WRITE_CTL:
	case WRITE_CVAL:
	case WRITE_TVAL:
		qemu_plugin_register_vcpu_insn_exec_cb(in, at_timer_write,
						       QEMU_PLUGIN_CB_RW_REGS_PC,
						       insn_keep(&insn));
		break;
	case WAIT:
	case YIELD:
		qemu_plugin_register_vcpu_insn_exec_cb(in, kind == WAIT ? at_wait : at_yield,
						       QEMU_PLUGIN_CB_RW_REGS_PC,
						       insn_keep(&insn));
		break;
	case LOAD:
	case STORE:
		watch_access(tb, k, count, op, &insn);
		break;
	case OTHER:
		if (is_tlbi(op))
			qemu_plugin_register_vcpu_insn_exec_cb(in, at_tlbi,
							       QEMU_PLUGIN_CB_NO_REGS, NULL);
		break;
	}
}

static void translate(struct qemu_plugin_tb *tb, size_t count)
{
	for (size_t k = 0; k < count; k++)
		watch(tb, k, count);
}

static bool start(void)
{
	for (unsigned int i = 0; i < 31; i++) {
		char name[8];

		snprintf(name, sizeof(name), "x%u", i);
		x[i] = guest_register(name);
		if (!x[i])
			return false;
	}
	return guest_register("pc");
}

const struct vcpu_arch vcpu_arm64 = {
	.target = "aarch64",
	.start = start,
	.translate = translate,
	.timer_due = timer_due,
	.timer_fire = timer_fire,
	.interrupt_pending = interrupt_pending,
};
