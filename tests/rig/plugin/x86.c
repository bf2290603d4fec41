// SPDX-License-Identifier: GPL-2.0-only
/*
 * amd64 guests: the time stamp counter, the local APIC's timer in TSC-deadline
 * mode (Intel SDM volume 3, 10.5.4.1), HLT, and loads and stores of drivers.
 */
#include "clock.h"
#include "guest.h"
#include "vcpu.h"
#include "x86_mov.h"

#define LAPIC_IRR		0xfee00200u	/* 8 registers, 16 bytes apart */
#define LAPIC_LVT_TIMER		0xfee00320u
#define LVT_VECTOR		0x000000ffu
#define LVT_MASKED		0x00010000u
#define LVT_MODE		0x00060000u
#define LVT_TSC_DEADLINE	0x00040000u
#define MSI_TO_CPU0		0xfee00000u	/* fixed delivery, physical, APIC 0 */
#define MSR_TSC_DEADLINE	0x6e0u

enum kind { RDTSC, RDTSCP, WRMSR, HALT, PAGING, OTHER };

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

static struct qemu_plugin_register *reg[16];
static uint64_t deadline;	/* 0: not armed */

static uint64_t timer_due(void)
{
	return deadline ? deadline : CLOCK_NEVER;
}

static void timer_fire(void)
{
	uint32_t lvt = guest_read32(LAPIC_LVT_TIMER);

	deadline = 0;
	if ((lvt & (LVT_MASKED | LVT_MODE)) == LVT_TSC_DEADLINE)
		guest_write32(MSI_TO_CPU0, lvt & LVT_VECTOR);
}

static bool interrupt_pending(void)
{
	for (unsigned int i = 0; i < 8; i++) {
		if (guest_read32(LAPIC_IRR + 16 * i))
			return true;
	}
	return false;
}

/* At the instruction behind: overwrite what QEMU has put there. */
static void after_rdtsc(unsigned int vcpu, void *arg)
{
	struct insn *insn = arg;
	uint64_t now = vcpu_time(insn);

	(void)vcpu;
	guest_set(reg[RAX], (uint32_t)now);
	guest_set(reg[RDX], now >> 32);
	if (insn->kind == RDTSCP)
		guest_set(reg[RCX], 0);		/* TSC_AUX of CPU 0 */
}

/* The last of its block: always so if QEMU counts instructions itself. */
static void at_last_rdtsc(unsigned int vcpu, void *arg)
{
	struct insn *insn = arg;
	uint64_t now = vcpu_time(insn);

	(void)vcpu;
	vcpu_set_later(reg[RAX], (uint32_t)now);
	vcpu_set_later(reg[RDX], now >> 32);
	if (insn->kind == RDTSCP)
		vcpu_set_later(reg[RCX], 0);
}

/* QEMU's APIC knows no TSC deadline and ignores the write, which is executed. */
static void at_wrmsr(unsigned int vcpu, void *arg)
{
	(void)vcpu;
	(void)arg;
	if ((uint32_t)guest_get(reg[RCX]) != MSR_TSC_DEADLINE)
		return;
	deadline = guest_get(reg[RDX]) << 32 | (uint32_t)guest_get(reg[RAX]);
	vcpu_timer_changed();
}

static void at_halt(unsigned int vcpu, void *arg)
{
	(void)vcpu;
	vcpu_sleep(arg);
}

static void at_paging(unsigned int vcpu, void *arg)
{
	(void)vcpu;
	(void)arg;
	vcpu_forget_pages();
}

/* Where Linux maps devices (Documentation/arch/x86/x86_64/mm.rst: vmalloc/ioremap). */
#define IOREMAP_BEGIN	0xffffc90000000000ull
#define IOREMAP_END	0xffffe90000000000ull

static bool find(const struct insn *insn, struct vcpu_access *access)
{
	uint64_t address = guest_get(reg[insn->base]) + (uint64_t)(int64_t)insn->displacement;

	if (insn->index != INSN_NO_REG)
		address += guest_get(reg[insn->index]) << insn->shift;
	if (address < IOREMAP_BEGIN || address >= IOREMAP_END)
		return false;
	return vcpu_find_register(address, insn->size, access);
}

static void at_load(unsigned int vcpu, void *arg)
{
	struct insn *insn = arg;
	struct vcpu_access a;
	uint64_t value;

	(void)vcpu;
	if (!find(insn, &a))
		return;
	value = vcpu_read_register(&a, insn);
	if (insn->merge) {
		uint64_t mask = (1ull << 8 * insn->size) - 1;

		value |= guest_get(reg[insn->reg]) & ~mask;
	}
	guest_set(reg[insn->reg], value);
	qemu_plugin_set_pc(insn->pc + insn->length);
}

static void at_store(unsigned int vcpu, void *arg)
{
	struct insn *insn = arg;
	struct vcpu_access a;

	(void)vcpu;
	if (!find(insn, &a))
		return;
	vcpu_write_register(&a, insn, insn->reg == INSN_NO_REG ? insn->immediate :
							   guest_get(reg[insn->reg]));
	qemu_plugin_set_pc(insn->pc + insn->length);
}

/* Translation */

#define MAX_INSN 15

struct code {
	uint8_t byte[MAX_INSN];
	size_t len;
};

static void get_code(const struct qemu_plugin_tb *tb, size_t k, struct code *code)
{
	struct qemu_plugin_insn *in = qemu_plugin_tb_get_insn(tb, k);

	*code = (struct code){ 0 };
	code->len = qemu_plugin_insn_size(in);
	if (code->len > MAX_INSN)
		code->len = MAX_INSN;
	code->len = qemu_plugin_insn_data(in, code->byte, code->len);
}

static enum kind classify(const struct code *c)
{
	const uint8_t *b = c->byte;

	if (b[0] == 0xf4)
		return HALT;
	if (b[0] == 0x66 && b[1] == 0x0f && b[2] == 0x38 && b[3] == 0x82)
		return PAGING;			/* INVPCID */
	if (b[0] != 0x0f)
		return OTHER;
	switch (b[1]) {
	case 0x01:
		if (b[2] == 0xf9)
			return RDTSCP;
		/* INVLPG has a memory operand: mod is not 3 */
		return (b[2] & 0x38) == 0x38 && b[2] < 0xc0 ? PAGING : OTHER;
	case 0x22:				/* MOV to CR3, CR4 */
		return (b[2] & 0x38) == 0x18 || (b[2] & 0x38) == 0x20 ? PAGING : OTHER;
	case 0x30:
		return WRMSR;
	case 0x31:
		return RDTSC;
	}
	return OTHER;
}

#define KERNEL_TEXT	0xffffffff80000000ull
#define MODULES		0xffffffffc0000000ull
#define MODULES_END	0xffffffffff000000ull

/* MOVZX EAX, AL; MOVZX EAX, AX; BSWAP EAX */
static bool widens(const struct code *c)
{
	const uint8_t *b = c->byte;

	if (b[0] != 0x0f)
		return false;
	return ((b[1] == 0xb6 || b[1] == 0xb7) && b[2] == 0xc0) || b[1] == 0xc8;
}

/*
 * In the kernel's own text only the ends of ioread32(), iowrite32() and the
 * like are looked at: the access, by the register of the argument, perhaps a
 * widening of the result, and a return (RET, or JMP to the return thunk).
 */
static bool is_accessor(const struct qemu_plugin_tb *tb, size_t k, size_t count,
			const struct insn *insn)
{
	struct code c;

	if (insn->index != INSN_NO_REG || insn->displacement)
		return false;
	if (insn->base != RDI && insn->base != RSI)
		return false;
	while (++k < count - 1) {
		get_code(tb, k, &c);
		if (!widens(&c))
			return false;
	}
	if (k != count - 1)
		return false;
	get_code(tb, k, &c);
	return c.byte[0] == 0xc3 || c.byte[0] == 0xe9;
}

/*
 * Leaving a block in its middle loses the flags that QEMU has not worked out
 * yet. Linux's accessors are asm statements, which clobber the flags, so nobody
 * wants them; but to be sure, leave alone what has a reader of flags behind it.
 */
static bool flags_wanted(const struct qemu_plugin_tb *tb, size_t k, size_t count)
{
	for (size_t j = k + 1; j < count; j++) {
		struct code c;

		get_code(tb, j, &c);
		switch (x86_flags_use(c.byte, c.len)) {
		case X86_FLAGS_READ:
			return true;
		case X86_FLAGS_SET:
			return false;
		case X86_FLAGS_UNTOUCHED:
			break;
		}
	}
	return false;
}

static void watch_access(struct qemu_plugin_tb *tb, size_t k, size_t count,
			 const struct code *c, struct insn *insn)
{
	enum x86_mov what;

	if (!vcpu_rig.options.fast || insn->pc < KERNEL_TEXT || insn->pc >= MODULES_END)
		return;
	what = x86_mov_decode(c->byte, c->len, insn);
	if (what == X86_MOV_NONE)
		return;
	if (insn->pc < MODULES && !is_accessor(tb, k, count, insn))
		return;
	if (flags_wanted(tb, k, count))
		return;
	qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, k),
					       what == X86_MOV_LOAD ? at_load : at_store,
					       QEMU_PLUGIN_CB_RW_REGS_PC, insn_keep(insn));
}

static void watch(struct qemu_plugin_tb *tb, size_t k, size_t count)
{
	struct qemu_plugin_insn *in = qemu_plugin_tb_get_insn(tb, k);
	struct insn insn = {
		.pc = qemu_plugin_insn_vaddr(in),
		.after_ns = vcpu_after_ns(k, count),
	};
	struct code c;

	get_code(tb, k, &c);
	insn.length = (uint8_t)c.len;
	insn.kind = classify(&c);
	switch (insn.kind) {
	case RDTSC:
	case RDTSCP:
		if (k + 1 < count)
			qemu_plugin_register_vcpu_insn_exec_cb(
				qemu_plugin_tb_get_insn(tb, k + 1), after_rdtsc,
				QEMU_PLUGIN_CB_RW_REGS, insn_keep(&insn));
		else
			qemu_plugin_register_vcpu_insn_exec_cb(in, at_last_rdtsc,
							       QEMU_PLUGIN_CB_NO_REGS,
							       insn_keep(&insn));
		break;
	case WRMSR:
		qemu_plugin_register_vcpu_insn_exec_cb(in, at_wrmsr, QEMU_PLUGIN_CB_R_REGS,
						       NULL);
		break;
	case HALT:
		qemu_plugin_register_vcpu_insn_exec_cb(in, at_halt, QEMU_PLUGIN_CB_RW_REGS_PC,
						       insn_keep(&insn));
		break;
	case PAGING:
		qemu_plugin_register_vcpu_insn_exec_cb(in, at_paging, QEMU_PLUGIN_CB_NO_REGS,
						       NULL);
		break;
	default:
		watch_access(tb, k, count, &c, &insn);
	}
}

static void translate(struct qemu_plugin_tb *tb, size_t count)
{
	for (size_t k = 0; k < count; k++)
		watch(tb, k, count);
}

static bool start(void)
{
	static const char *const name[16] = {
		"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
	};

	for (unsigned int i = 0; i < 16; i++) {
		reg[i] = guest_register(name[i]);
		if (!reg[i])
			return false;
	}
	return true;
}

const struct vcpu_arch vcpu_x86 = {
	.target = "x86_64",
	.start = start,
	.translate = translate,
	.timer_due = timer_due,
	.timer_fire = timer_fire,
	.interrupt_pending = interrupt_pending,
};
