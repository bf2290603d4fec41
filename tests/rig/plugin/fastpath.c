// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register accesses without the socket. The instruction is recognised when it
 * is translated; here its address is looked at, and if it is in one of the
 * board's BARs the board is called directly. Whatever is not recognised goes
 * through QEMU and the socket, with the same result.
 */
#include <string.h>

#include "clock.h"
#include "guest.h"
#include "vcpu.h"

#define PAGE_SHIFT 12
#define CACHED_PAGES 256

/* Virtual page to physical page; page 0 stands for "no entry". */
static struct {
	uint64_t virtual_page;
	uint64_t physical;
} cache[CACHED_PAGES];

void vcpu_forget_pages(void)
{
	memset(cache, 0, sizeof(cache));
}

static uint64_t translate(uint64_t vaddr)
{
	uint64_t page = vaddr >> PAGE_SHIFT;
	unsigned int i = page % CACHED_PAGES;

	if (cache[i].virtual_page != page) {
		uint64_t physical;

		if (!guest_translate(page << PAGE_SHIFT, &physical))
			return 0;
		cache[i].virtual_page = page;
		cache[i].physical = physical;
	}
	return cache[i].physical + (vaddr & ((1u << PAGE_SHIFT) - 1));
}

bool vcpu_find_register(uint64_t vaddr, unsigned int size, struct vcpu_access *access)
{
	const struct pci_function *fn = &vcpu_rig.board_fn;
	uint64_t address;

	/* QEMU lowers INTx when it sees an access: it must see it. */
	if (fn->irq.intx_raised || (vaddr & (size - 1)))
		return false;
	address = translate(vaddr);
	for (unsigned int bar = 0; bar < PCI_CONFIG_BARS; bar++) {
		uint64_t base;

		if (!pci_config_bar(&fn->config, bar, &base))
			continue;
		if (address - base < fn->config.bar_size[bar]) {
			access->bar = bar;
			access->offset = address - base;
			return true;
		}
	}
	return false;
}

uint64_t vcpu_read_register(const struct vcpu_access *access, const struct insn *insn)
{
	uint64_t value;

	pthread_mutex_lock(&vcpu_rig.mutex);
	clock_uncount(insn->after_ns);
	rig_sync(&vcpu_rig);
	value = rig_read(&vcpu_rig, access->bar, access->offset, insn->size, true);
	vcpu_rearm();
	pthread_mutex_unlock(&vcpu_rig.mutex);
	return insn->size == 8 ? value : value & ((1ull << 8 * insn->size) - 1);
}

void vcpu_write_register(const struct vcpu_access *access, const struct insn *insn,
			 uint64_t value)
{
	if (insn->size < 8)
		value &= (1ull << 8 * insn->size) - 1;
	pthread_mutex_lock(&vcpu_rig.mutex);
	clock_uncount(insn->after_ns);
	rig_sync(&vcpu_rig);
	rig_write(&vcpu_rig, access->bar, access->offset, insn->size, value, true);
	vcpu_rearm();
	pthread_mutex_unlock(&vcpu_rig.mutex);
}
