// SPDX-License-Identifier: GPL-2.0-only
#include "pci_function.h"

#include <string.h>

void pci_function_init(struct pci_function *fn, const char *name,
		       const struct pci_ident *ident,
		       const struct pci_function_ops *ops, void *arg,
		       const struct pci_host_ops *host, void *host_data)
{
	memset(fn, 0, sizeof(*fn));
	fn->name = name;
	fn->ops = ops;
	fn->arg = arg;
	fn->host = host;
	fn->host_data = host_data;
	pci_config_init(&fn->config, ident);
	pci_irq_init(&fn->irq);
}

void pci_function_reset(struct pci_function *fn)
{
	pci_config_reset(&fn->config);
	fn->ops->reset(fn->arg);
	pci_irq_set(fn, false);
	fn->irq.intx_raised = false;
}

void pci_function_disconnect(struct pci_function *fn)
{
	pci_irq_close(&fn->irq);
	dma_map_clear(&fn->dma);
	pci_config_reset(&fn->config);
}

bool pci_function_mem_read(const struct pci_function *fn, uint64_t address,
			   void *buf, size_t len)
{
	return pci_config_bus_master(&fn->config) &&
	       dma_map_read(&fn->dma, address, buf, len);
}

bool pci_function_mem_write(const struct pci_function *fn, uint64_t address,
			    const void *buf, size_t len)
{
	return pci_config_bus_master(&fn->config) &&
	       dma_map_write(&fn->dma, address, buf, len);
}
