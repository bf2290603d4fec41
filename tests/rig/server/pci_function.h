/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A PCI function that a vfio-user client (QEMU) sees: a configuration space,
 * BARs, an interrupt, access to guest memory. What is behind the BARs is given
 * by ops; in which thread and at what time things happen is given by host.
 */
#ifndef PCI_FUNCTION_H
#define PCI_FUNCTION_H

#include "dma_map.h"
#include "pci_config.h"
#include "pci_irq.h"

struct pci_function;

/**
 * struct pci_function_ops - what is behind the BARs
 * @read, @write: size 1, 2, 4 or 8, naturally aligned, inside the BAR
 * @reset: function reset; the interrupt is low afterwards
 */
struct pci_function_ops {
	uint64_t (*read)(void *arg, unsigned int bar, uint64_t offset,
			 unsigned int size);
	void (*write)(void *arg, unsigned int bar, uint64_t offset,
		      unsigned int size, uint64_t value);
	void (*reset)(void *arg);
};

/**
 * struct pci_host_ops - the surroundings
 * @lock, @unlock: around everything that a message does to the function
 * @sync: the CPU waits for this access: bring the models' clock up to its time
 * @irq_pending: pci_irq_take() has something to give; called with the lock held
 */
struct pci_host_ops {
	void (*lock)(struct pci_function *fn);
	void (*unlock)(struct pci_function *fn);
	void (*sync)(struct pci_function *fn);
	void (*irq_pending)(struct pci_function *fn);
};

struct pci_function {
	const char *name;
	const struct pci_function_ops *ops;
	void *arg;
	const struct pci_host_ops *host;
	void *host_data;
	struct pci_config config;
	struct pci_irq irq;
	struct dma_map dma;
};

void pci_function_init(struct pci_function *fn, const char *name,
		       const struct pci_ident *ident,
		       const struct pci_function_ops *ops, void *arg,
		       const struct pci_host_ops *host, void *host_data);
/* Conventional reset: configuration, interrupt and what is behind the BARs. */
void pci_function_reset(struct pci_function *fn);
/* The client is gone: give back what it lent. */
void pci_function_disconnect(struct pci_function *fn);

/* Memory of the guest, as far as the function is allowed to be bus master. */
bool pci_function_mem_read(const struct pci_function *fn, uint64_t address,
			   void *buf, size_t len);
bool pci_function_mem_write(const struct pci_function *fn, uint64_t address,
			    const void *buf, size_t len);

#endif
