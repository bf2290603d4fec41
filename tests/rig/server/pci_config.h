/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The configuration space of a PCI function with memory BARs, a power
 * management capability and a 64-bit MSI capability (PCI Local Bus
 * Specification 3.0, chapter 6; PCI Power Management 1.2, chapter 3).
 */
#ifndef PCI_CONFIG_H
#define PCI_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PCI_CONFIG_SIZE	256
#define PCI_CONFIG_BARS	6

struct pci_ident {
	uint16_t vendor;
	uint16_t device;
	uint32_t class;		/* 24 bits */
	uint8_t revision;
	uint32_t bar_size[PCI_CONFIG_BARS];	/* powers of two, or 0 */
	bool msi;
	bool power_management;
};

/**
 * struct pci_config - what the guest sees, and which bits it may change
 * @space: the registers, little endian
 * @writable: 1 for each bit that a write changes
 * @bar_size: of the BARs; a 1 stands for nothing (no BAR has one byte)
 * @msi: offset of the MSI capability, or 0
 * @pm: offset of the power management capability, or 0
 */
struct pci_config {
	uint8_t space[PCI_CONFIG_SIZE];
	uint8_t writable[PCI_CONFIG_SIZE];
	uint32_t bar_size[PCI_CONFIG_BARS];
	unsigned int msi;
	unsigned int pm;
};

/* What a write to the configuration space has done. */
#define PCI_CONFIG_CHANGED	1u	/* something about interrupts or decoding */
#define PCI_CONFIG_WOKEN	2u	/* D3hot to D0: the function is reset */

void pci_config_init(struct pci_config *config, const struct pci_ident *ident);
/* Everything that the guest has set is forgotten. */
void pci_config_reset(struct pci_config *config);

/* offset + len <= PCI_CONFIG_SIZE; level is the function's interrupt. */
void pci_config_read(const struct pci_config *config, size_t offset, void *buf,
		     size_t len, bool level);
unsigned int pci_config_write(struct pci_config *config, size_t offset,
			      const void *buf, size_t len);

bool pci_config_memory_enabled(const struct pci_config *config);
bool pci_config_bus_master(const struct pci_config *config);
bool pci_config_intx_disabled(const struct pci_config *config);
bool pci_config_msi_enabled(const struct pci_config *config);
uint64_t pci_config_msi_address(const struct pci_config *config);
uint16_t pci_config_msi_data(const struct pci_config *config);
/* Where the guest has put a BAR; false if it does not answer anywhere. */
bool pci_config_bar(const struct pci_config *config, unsigned int bar,
		    uint64_t *base);

#endif
