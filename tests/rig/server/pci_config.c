// SPDX-License-Identifier: GPL-2.0-only
#include "pci_config.h"

#include <string.h>

#define COMMAND			0x04
#define COMMAND_MEMORY		0x0002u
#define COMMAND_MASTER		0x0004u
#define COMMAND_PARITY		0x0040u
#define COMMAND_SERR		0x0100u
#define COMMAND_INTX_DISABLE	0x0400u
#define STATUS			0x06
#define STATUS_INTERRUPT	0x08u
#define STATUS_CAPABILITIES	0x10u
#define CACHE_LINE		0x0c
#define LATENCY			0x0d
#define BAR0			0x10
#define CAPABILITIES		0x34
#define INTERRUPT_LINE		0x3c
#define INTERRUPT_PIN		0x3d

#define PM_CAPABILITY		0x40	/* our choice of place */
#define PM_ID			0x01
#define PM_VERSION_3		0x0003u
#define PM_CONTROL		4
#define PM_STATE		0x0003u
#define PM_STATE_D3		3

#define MSI_CAPABILITY		0x50	/* our choice of place */
#define MSI_ID			0x05
#define MSI_CONTROL		2
#define MSI_ENABLE		0x0001u
#define MSI_64BIT		0x0080u
#define MSI_ADDRESS		4
#define MSI_ADDRESS_HIGH	8
#define MSI_DATA		12

static uint16_t get16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static uint32_t get32(const uint8_t *p)
{
	return get16(p) | (uint32_t)get16(p + 2) << 16;
}

static void put16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, (uint16_t)v);
	put16(p + 2, (uint16_t)(v >> 16));
}

/* Put a capability at the head of the list. */
static void add_capability(struct pci_config *c, unsigned int at, uint8_t id)
{
	c->space[at] = id;
	c->space[at + 1] = c->space[CAPABILITIES];
	c->space[CAPABILITIES] = (uint8_t)at;
	c->space[STATUS] |= STATUS_CAPABILITIES;
}

static void add_msi(struct pci_config *c)
{
	c->msi = MSI_CAPABILITY;
	add_capability(c, c->msi, MSI_ID);
	put16(c->space + c->msi + MSI_CONTROL, MSI_64BIT);
	put16(c->writable + c->msi + MSI_CONTROL, MSI_ENABLE);
	put32(c->writable + c->msi + MSI_ADDRESS, 0xfffffffcu);
	put32(c->writable + c->msi + MSI_ADDRESS_HIGH, 0xffffffffu);
	put16(c->writable + c->msi + MSI_DATA, 0xffffu);
}

static void add_power_management(struct pci_config *c)
{
	c->pm = PM_CAPABILITY;
	add_capability(c, c->pm, PM_ID);
	put16(c->space + c->pm + 2, PM_VERSION_3);
	put16(c->writable + c->pm + PM_CONTROL, PM_STATE);
}

void pci_config_init(struct pci_config *config, const struct pci_ident *ident)
{
	memset(config, 0, sizeof(*config));
	put16(config->space, ident->vendor);
	put16(config->space + 2, ident->device);
	put32(config->space + 8, ident->class << 8 | ident->revision);
	put16(config->writable + COMMAND,
	      COMMAND_MEMORY | COMMAND_MASTER | COMMAND_PARITY | COMMAND_SERR |
	      COMMAND_INTX_DISABLE);
	config->writable[CACHE_LINE] = 0xff;
	config->writable[LATENCY] = 0xff;
	config->writable[INTERRUPT_LINE] = 0xff;
	config->space[INTERRUPT_PIN] = 1;	/* INTA */
	for (unsigned int i = 0; i < PCI_CONFIG_BARS; i++) {
		uint32_t size = ident->bar_size[i];

		/* A memory BAR has at least 16 bytes: bits 3:0 say what it is. */
		if (size && size < 16)
			size = 16;
		config->bar_size[i] = size;
		if (size)
			put32(config->writable + BAR0 + 4 * i, ~(size - 1));
	}
	/* The expansion ROM register stays 0, or Linux finds a phantom ROM. */
	if (ident->msi)
		add_msi(config);
	if (ident->power_management)
		add_power_management(config);
}

void pci_config_reset(struct pci_config *config)
{
	for (size_t i = 0; i < PCI_CONFIG_SIZE; i++)
		config->space[i] &= (uint8_t)~config->writable[i];
}

void pci_config_read(const struct pci_config *config, size_t offset, void *buf,
		     size_t len, bool level)
{
	memcpy(buf, config->space + offset, len);
	if (level && offset <= STATUS && offset + len > STATUS)
		((uint8_t *)buf)[STATUS - offset] |= STATUS_INTERRUPT;
}

static unsigned int power_state(const struct pci_config *c)
{
	return c->pm ? get16(c->space + c->pm + PM_CONTROL) & PM_STATE : 0;
}

unsigned int pci_config_write(struct pci_config *config, size_t offset,
			      const void *buf, size_t len)
{
	const uint8_t *data = buf;
	unsigned int result = 0;
	unsigned int was = power_state(config);

	for (size_t i = 0; i < len; i++) {
		uint8_t *reg = config->space + offset + i;
		uint8_t mask = config->writable[offset + i];
		uint8_t value = (uint8_t)((*reg & ~mask) | (data[i] & mask));

		if (*reg != value)
			result |= PCI_CONFIG_CHANGED;
		*reg = value;
	}
	if (was == PM_STATE_D3 && power_state(config) == 0)
		result |= PCI_CONFIG_WOKEN;
	return result;
}

static bool command(const struct pci_config *config, uint16_t bit)
{
	return get16(config->space + COMMAND) & bit;
}

bool pci_config_memory_enabled(const struct pci_config *config)
{
	return command(config, COMMAND_MEMORY) && power_state(config) == 0;
}

bool pci_config_bus_master(const struct pci_config *config)
{
	return command(config, COMMAND_MASTER) && power_state(config) == 0;
}

bool pci_config_intx_disabled(const struct pci_config *config)
{
	return command(config, COMMAND_INTX_DISABLE);
}

bool pci_config_msi_enabled(const struct pci_config *config)
{
	return config->msi &&
	       get16(config->space + config->msi + MSI_CONTROL) & MSI_ENABLE;
}

uint64_t pci_config_msi_address(const struct pci_config *config)
{
	const uint8_t *msi = config->space + config->msi;

	return get32(msi + MSI_ADDRESS) |
	       (uint64_t)get32(msi + MSI_ADDRESS_HIGH) << 32;
}

uint16_t pci_config_msi_data(const struct pci_config *config)
{
	return get16(config->space + config->msi + MSI_DATA);
}

bool pci_config_bar(const struct pci_config *config, unsigned int bar,
		    uint64_t *base)
{
	uint32_t size = config->bar_size[bar];

	if (!size || !pci_config_memory_enabled(config))
		return false;
	*base = get32(config->space + BAR0 + 4 * bar) & ~(size - 1);
	return *base != 0;
}
