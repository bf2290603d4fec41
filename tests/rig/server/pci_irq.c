// SPDX-License-Identifier: GPL-2.0-only
#include "pci_irq.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "pci_function.h"

void pci_irq_init(struct pci_irq *irq)
{
	memset(irq, 0, sizeof(*irq));
	irq->intx_fd = -1;
	irq->msi_fd = -1;
}

static void replace_fd(int *slot, int fd)
{
	if (*slot >= 0)
		close(*slot);
	*slot = fd;
}

void pci_irq_close(struct pci_irq *irq)
{
	replace_fd(&irq->intx_fd, -1);
	replace_fd(&irq->msi_fd, -1);
	irq->msi_pending = false;
	irq->intx_pending = false;
	irq->intx_raised = false;
}

/*
 * A signal that the client has not read yet is taken back, or the guest would
 * see an interrupt whose cause is gone.
 */
static void take_back(struct pci_irq *irq)
{
	uint64_t count;
	int flags = fcntl(irq->intx_fd, F_GETFL);

	if (flags < 0 || !(flags & O_NONBLOCK))
		return;
	if (read(irq->intx_fd, &count, sizeof(count)) == sizeof(count))
		irq->intx_raised = false;
}

void pci_irq_reconsider(struct pci_function *fn)
{
	struct pci_irq *irq = &fn->irq;
	bool msi = pci_config_msi_enabled(&fn->config);
	bool line = irq->level && !msi && irq->intx_fd >= 0 &&
		    !pci_config_intx_disabled(&fn->config);

	if (!msi)
		irq->msi_pending = false;
	irq->intx_pending = line && !irq->intx_raised;
	if (!line && irq->intx_raised && irq->intx_fd >= 0)
		take_back(irq);
	if (irq->msi_pending || irq->intx_pending)
		fn->host->irq_pending(fn);
}

void pci_irq_set(struct pci_function *fn, bool level)
{
	struct pci_irq *irq = &fn->irq;
	bool rising = level && !irq->level;

	irq->level = level;
	if (rising && pci_config_msi_enabled(&fn->config) &&
	    pci_config_bus_master(&fn->config))
		irq->msi_pending = true;
	pci_irq_reconsider(fn);
}

void pci_irq_unmask_intx(struct pci_function *fn)
{
	fn->irq.intx_raised = false;
	pci_irq_reconsider(fn);
}

void pci_irq_mask_intx(struct pci_function *fn)
{
	fn->irq.intx_raised = true;
	fn->irq.intx_pending = false;
}

/* Anything but an eventfd could block us for ever. */
static bool is_eventfd(int fd)
{
	char path[32], target[32];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		return false;
	target[n] = '\0';
	return strcmp(target, "anon_inode:[eventfd]") == 0;
}

static int set_fd(int *slot, int fd)
{
	if (fd >= 0 && !is_eventfd(fd)) {
		close(fd);
		return EINVAL;
	}
	replace_fd(slot, fd);
	return 0;
}

int pci_irq_set_intx_fd(struct pci_function *fn, int fd)
{
	int rc = set_fd(&fn->irq.intx_fd, fd);

	if (rc)
		return rc;
	fn->irq.intx_raised = false;
	pci_irq_reconsider(fn);
	return 0;
}

int pci_irq_set_msi_fd(struct pci_function *fn, int fd)
{
	return set_fd(&fn->irq.msi_fd, fd);
}

enum pci_irq_what pci_irq_take(struct pci_function *fn)
{
	struct pci_irq *irq = &fn->irq;

	if (irq->msi_pending) {
		irq->msi_pending = false;
		irq->messages++;
		return PCI_IRQ_MSI;
	}
	if (irq->intx_pending) {
		irq->intx_pending = false;
		irq->intx_raised = true;
		irq->raised++;
		return PCI_IRQ_INTX;
	}
	return PCI_IRQ_NOTHING;
}

void pci_irq_signal(int fd)
{
	const uint64_t one = 1;

	/* EAGAIN: the counter is full, so a signal is certainly unread. */
	if (fd >= 0 && write(fd, &one, sizeof(one)) < 0 && errno != EAGAIN)
		perror("canpipe rig: cannot signal an interrupt");
}
