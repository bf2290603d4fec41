/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The interrupt of a PCI function: a level on the inside, MSI or INTx on the
 * outside.
 *
 * MSI: one message when the level rises while MSI and bus mastering are enabled
 * (PCI 3.0, 6.8). A function whose handler leaves with the level still high
 * gets no further message; that is the hardware's rule, not ours.
 *
 * INTx over vfio-user: one signal raises the line in the client; the client
 * lowers it at the next BAR access of the guest and says "unmask"; then it is
 * raised again if the level still stands.
 *
 * This file decides what is to be signalled. When and from which thread it is
 * sent is the host's business: it is told by ->irq_pending(), and asks with
 * pci_irq_take().
 */
#ifndef PCI_IRQ_H
#define PCI_IRQ_H

#include <stdbool.h>
#include <stdint.h>

struct pci_function;

/**
 * struct pci_irq - the state of a function's interrupt
 * @level: the function wants attention
 * @msi_pending: a message is to be sent
 * @intx_pending: the line is to be raised
 * @intx_raised: the client was told to raise the line and has not unmasked it
 * @intx_fd, @msi_fd: the client's eventfds, or -1
 * @messages: MSI messages sent
 * @raised: how often the line was raised
 */
struct pci_irq {
	bool level;
	bool msi_pending;
	bool intx_pending;
	bool intx_raised;
	int intx_fd;
	int msi_fd;
	uint64_t messages;
	uint64_t raised;
};

void pci_irq_init(struct pci_irq *irq);
/* The client is gone, or the function was reset with its level low. */
void pci_irq_close(struct pci_irq *irq);

/* The function's level. */
void pci_irq_set(struct pci_function *fn, bool level);
/* The configuration space has changed: interrupts may have been switched. */
void pci_irq_reconsider(struct pci_function *fn);
void pci_irq_unmask_intx(struct pci_function *fn);
void pci_irq_mask_intx(struct pci_function *fn);
/* Takes over the descriptor; -1: none. Returns 0 or an errno value. */
int pci_irq_set_intx_fd(struct pci_function *fn, int fd);
int pci_irq_set_msi_fd(struct pci_function *fn, int fd);

enum pci_irq_what { PCI_IRQ_NOTHING, PCI_IRQ_MSI, PCI_IRQ_INTX };

/* What is to be signalled now? It counts as done. */
enum pci_irq_what pci_irq_take(struct pci_function *fn);
/* Write an eventfd. */
void pci_irq_signal(int fd);

#endif
