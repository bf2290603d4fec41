// SPDX-License-Identifier: GPL-2.0-only
/* The decoder of the fast path against encodings from the assembler's manual. */
#include <string.h>

#include "tap.h"
#include "x86_mov.h"

#define CODE(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

static struct insn insn;

static bool decodes(enum x86_mov what, const uint8_t *code, size_t len, unsigned int size,
		    unsigned int reg, unsigned int base, int displacement)
{
	memset(&insn, 0, sizeof(insn));
	return x86_mov_decode(code, len, &insn) == what && insn.size == size &&
	       insn.reg == reg && insn.base == base && insn.displacement == displacement &&
	       insn.length == len;
}

static bool refuses(const uint8_t *code, size_t len)
{
	return x86_mov_decode(code, len, &insn) == X86_MOV_NONE;
}

#define LOAD	X86_MOV_LOAD
#define STORE	X86_MOV_STORE

static void loads(void)
{
	ok(decodes(LOAD, CODE(0x8b, 0x07), 4, RAX, RDI, 0), "mov (%%rdi),%%eax");
	ok(!insn.merge && insn.index == INSN_NO_REG, "it writes the whole register");
	ok(decodes(LOAD, CODE(0x8b, 0x43, 0x08), 4, RAX, RBX, 8), "mov 0x8(%%rbx),%%eax");
	ok(decodes(LOAD, CODE(0x8b, 0x80, 0x00, 0xff, 0xff, 0xff), 4, RAX, RAX, -256),
	   "mov -0x100(%%rax),%%eax");
	ok(decodes(LOAD, CODE(0x48, 0x8b, 0x07), 8, RAX, RDI, 0), "mov (%%rdi),%%rax");
	ok(decodes(LOAD, CODE(0x66, 0x8b, 0x07), 2, RAX, RDI, 0) && insn.merge,
	   "mov (%%rdi),%%ax keeps the rest of rax");
	ok(decodes(LOAD, CODE(0x8a, 0x07), 1, RAX, RDI, 0) && insn.merge, "mov (%%rdi),%%al");
	ok(decodes(LOAD, CODE(0x40, 0x8a, 0x37), 1, RSI, RDI, 0), "mov (%%rdi),%%sil");
	ok(decodes(LOAD, CODE(0x0f, 0xb7, 0x07), 2, RAX, RDI, 0) && !insn.merge,
	   "movzwl (%%rdi),%%eax");
	ok(decodes(LOAD, CODE(0x0f, 0xb6, 0x4b, 0x01), 1, RCX, RBX, 1), "movzbl 0x1(%%rbx),%%ecx");
	ok(decodes(LOAD, CODE(0x45, 0x8b, 0x0c, 0x24), 4, 9, 12, 0), "mov (%%r12),%%r9d");
	ok(decodes(LOAD, CODE(0x41, 0x8b, 0x45, 0x00), 4, RAX, 13, 0), "mov 0x0(%%r13),%%eax");
	ok(decodes(LOAD, CODE(0x8b, 0x04, 0x51), 4, RAX, RCX, 0) && insn.index == RDX &&
	   insn.shift == 1, "mov (%%rcx,%%rdx,2),%%eax");
	ok(decodes(LOAD, CODE(0x42, 0x8b, 0x44, 0xa3, 0x10), 4, RAX, RBX, 16) &&
	   insn.index == 12 && insn.shift == 2, "mov 0x10(%%rbx,%%r12,4),%%eax");
}

static void stores(void)
{
	ok(decodes(STORE, CODE(0x89, 0x3e), 4, RDI, RSI, 0), "mov %%edi,(%%rsi)");
	ok(decodes(STORE, CODE(0x66, 0x89, 0x3e), 2, RDI, RSI, 0), "mov %%di,(%%rsi)");
	ok(decodes(STORE, CODE(0x40, 0x88, 0x3e), 1, RDI, RSI, 0), "mov %%dil,(%%rsi)");
	ok(decodes(STORE, CODE(0x4c, 0x89, 0x42, 0x10), 8, 8, RDX, 16), "mov %%r8,0x10(%%rdx)");
	ok(decodes(STORE, CODE(0xc7, 0x40, 0x04, 0x78, 0x56, 0x34, 0x12), 4, INSN_NO_REG, RAX, 4)
	   && (uint32_t)insn.immediate == 0x12345678, "movl $0x12345678,0x4(%%rax)");
	ok(decodes(STORE, CODE(0x66, 0xc7, 0x00, 0xcd, 0xab), 2, INSN_NO_REG, RAX, 0) &&
	   (uint16_t)insn.immediate == 0xabcd, "movw $0xabcd,(%%rax)");
	ok(decodes(STORE, CODE(0xc6, 0x00, 0x80), 1, INSN_NO_REG, RAX, 0) &&
	   (uint8_t)insn.immediate == 0x80, "movb $0x80,(%%rax)");
	ok(decodes(STORE, CODE(0x48, 0xc7, 0x00, 0xff, 0xff, 0xff, 0xff), 8, INSN_NO_REG, RAX, 0)
	   && insn.immediate == UINT64_MAX, "movq $-1,(%%rax) extends the sign");
}

static void others(void)
{
	ok(refuses(CODE(0x8b, 0xc7)), "mov %%edi,%%eax has no memory operand");
	ok(refuses(CODE(0x8b, 0x05, 0, 0, 0, 0)), "relative to rip");
	ok(refuses(CODE(0x8b, 0x04, 0x24)), "the stack");
	ok(refuses(CODE(0x8b, 0x44, 0x24, 0x08)), "the stack with displacement");
	ok(refuses(CODE(0x8b, 0x04, 0x25, 0, 0, 0, 0)), "an absolute address");
	ok(refuses(CODE(0x8a, 0x27)), "mov (%%rdi),%%ah");
	ok(refuses(CODE(0x65, 0x8b, 0x07)), "the gs segment");
	ok(refuses(CODE(0xf3, 0x8b, 0x07)), "a prefix that changes the meaning");
	ok(refuses(CODE(0x67, 0x8b, 0x07)), "a 32-bit address");
	ok(refuses(CODE(0x0f, 0xbe, 0x07)), "movsbl");
	ok(refuses(CODE(0x03, 0x07)), "add (%%rdi),%%eax");
	ok(refuses(CODE(0x8b)), "half an instruction");
	ok(refuses(CODE(0x8b, 0x43)), "without its displacement");
	ok(refuses(CODE(0xc7, 0x00, 0x01)), "without its immediate");
	ok(refuses(CODE(0x8b, 0x07, 0x90)), "a byte too many");
	ok(refuses(CODE(0xc7, 0x48, 0x04, 1, 2, 3, 4)), "c7 with another operation");
}

static enum x86_flags use(const uint8_t *code, size_t len)
{
	return x86_flags_use(code, len);
}

static void flags(void)
{
	is(use(CODE(0x74, 0x00)), X86_FLAGS_READ, "je reads the flags");
	is(use(CODE(0x0f, 0x84, 0, 0, 0, 0)), X86_FLAGS_READ, "so does its long form");
	is(use(CODE(0x0f, 0x92, 0xc2)), X86_FLAGS_READ, "setb");
	is(use(CODE(0x48, 0x0f, 0x44, 0xc1)), X86_FLAGS_READ, "cmove");
	is(use(CODE(0x48, 0x11, 0xc1)), X86_FLAGS_READ, "adc");
	is(use(CODE(0x83, 0xd0, 0x00)), X86_FLAGS_READ, "adc $0");
	is(use(CODE(0xd1, 0xd0)), X86_FLAGS_READ, "rcl");
	is(use(CODE(0x9c)), X86_FLAGS_READ, "pushf");
	is(use(CODE(0x39, 0xc1)), X86_FLAGS_SET, "cmp sets them");
	is(use(CODE(0x85, 0xc0)), X86_FLAGS_SET, "test");
	is(use(CODE(0xf6, 0xc4, 0x80)), X86_FLAGS_SET, "test $0x80,%%ah");
	is(use(CODE(0xf7, 0xd0)), X86_FLAGS_UNTOUCHED, "not");
	is(use(CODE(0x0f, 0xba, 0xe0, 0x0f)), X86_FLAGS_SET, "bt $15");
	is(use(CODE(0x83, 0xc0, 0x01)), X86_FLAGS_SET, "add $1");
	is(use(CODE(0xe8, 0, 0, 0, 0)), X86_FLAGS_SET, "nothing survives a call");
	is(use(CODE(0xc3)), X86_FLAGS_SET, "or a return");
	is(use(CODE(0x8b, 0x07)), X86_FLAGS_UNTOUCHED, "mov leaves them alone");
	is(use(CODE(0x48, 0x8d, 0x04, 0x08)), X86_FLAGS_UNTOUCHED, "lea");
	is(use(CODE(0x50)), X86_FLAGS_UNTOUCHED, "push");
}

int main(void)
{
	loads();
	stores();
	others();
	flags();
	return tap_done();
}
