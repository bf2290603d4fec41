// SPDX-License-Identifier: GPL-2.0-only
/*
 * The device behind a CAN interface
 */

#include "iface.h"
#include "devtree.h"
#include "fs.h"

#include <stdlib.h>
#include <string.h>

/* DS21801, MCP25625: DS20005282, MCP2510: DS21291; AC characteristics of the SPI interface */
uint32_t iface_spi_limit(const char *compatible)
{
	if (strcmp(compatible, "microchip,mcp2510") == 0)
		return 5000000;
	if (strcmp(compatible, "microchip,mcp2515") == 0 ||
	    strcmp(compatible, "microchip,mcp25625") == 0)
		return 10000000;
	return 0;
}

uint32_t iface_bcm2835_clock(uint32_t core_hz, uint32_t asked_hz)
{
	uint32_t divider;

	if (!core_hz || !asked_hz)
		return 0;
	divider = (core_hz + (uint64_t)asked_hz - 1) / asked_hz;
	divider += divider & 1;
	return core_hz / (divider ? divider : 2);
}

static enum bus bus_of(const char *subsystem)
{
	if (!subsystem)
		return BUS_NONE;
	if (strcmp(subsystem, "spi") == 0)
		return BUS_SPI;
	if (strcmp(subsystem, "pci") == 0)
		return BUS_PCI;
	if (strcmp(subsystem, "platform") == 0)
		return BUS_PLATFORM;
	return BUS_OTHER;
}

/* "core_hz 250000000" of the statistics of spi-bcm2835dma */
static uint32_t statistic(const char *text, const char *name)
{
	size_t n = strlen(name);

	while (text && *text) {
		if (strncmp(text, name, n) == 0 && text[n] == ' ')
			return strtoul(text + n, NULL, 10);
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return 0;
}

/* the clock of the SPI controller, from the device tree or from the clock framework */
static uint32_t controller_clock(const struct canpipe *cp, const char *dir)
{
	uint32_t phandle = devtree_cell(cp, 0, 0, "%s/of_node/clocks", dir), hz = 0;
	char *node = devtree_node(cp, phandle);

	if (node)
		hz = devtree_cell(cp, 0, 0, "%s/clock-frequency", node);
	free(node);
	return hz ? hz : fs_number(cp, 0, "/sys/kernel/debug/clk/vpu/clk_rate");
}

static void read_bcm2835(const struct canpipe *cp, const char *dir, struct iface_spi *spi)
{
	char *text = fs_read(cp, NULL, "/sys/kernel/debug/spi-bcm2835dma-%s/statistics",
			     spi->controller);
	uint32_t speed = spi->asked_hz;

	if (text) {
		spi->core_hz = statistic(text, "core_hz");
		spi->by_dma = statistic(text, "dma");
		free(text);
	}
	if (!spi->core_hz)
		spi->core_hz = controller_clock(cp, dir);
	spi->core_now_hz = fs_number(cp, 0, "/sys/kernel/debug/clk/fw-clk-core/clk_rate");
	if (speed > spi->limit_hz && spi->limit_hz)
		speed = spi->limit_hz;
	spi->real_hz = iface_bcm2835_clock(spi->core_hz, speed);
	/* the divider is for the clock that the driver believes in */
	if (spi->core_now_hz && spi->core_hz)
		spi->real_hz = (uint64_t)spi->real_hz * spi->core_now_hz / spi->core_hz;
}

/* device is .../3f204000.spi/spi_master/spi0/spi0.0 */
static void read_spi(const struct canpipe *cp, const char *device, struct iface *iface)
{
	struct iface_spi *spi = &iface->spi;
	char *dir = xstrdup(device), *part;
	const char *dot = strrchr(iface->device, '.');
	int up;

	spi->chip_select = dot ? atoi(dot + 1) : 0;
	spi->asked_hz = devtree_cell(cp, 0, 0, "%s/of_node/spi-max-frequency", device);
	spi->limit_hz = iface->compatible ? iface_spi_limit(iface->compatible) : 0;
	for (up = 0; up < 3; up++) {
		part = strrchr(dir, '/');
		if (part)
			*part = 0;
	}
	part = strrchr(dir, '/');
	spi->controller = xstrdup(part ? part + 1 : dir);
	spi->driver = fs_link_name(cp, "%s/driver", dir);
	if (spi->driver && strncmp(spi->driver, "spi-bcm2835", 11) == 0 &&
	    strcmp(spi->driver, "spi-bcm2835aux") != 0)
		read_bcm2835(cp, dir, spi);
	free(dir);
}

/* the crystal: a clock, or its frequency in the node itself */
static uint32_t crystal(const struct canpipe *cp, const char *device)
{
	uint32_t hz = devtree_cell(cp, 0, 0, "%s/of_node/clock-frequency", device);
	char *node;

	if (hz)
		return hz;
	node = devtree_node(cp, devtree_cell(cp, 0, 0, "%s/of_node/clocks", device));
	if (node)
		hz = devtree_cell(cp, 0, 0, "%s/clock-frequency", node);
	free(node);
	return hz;
}

/* is NAME one of the words of "can0, eth0"? */
static bool has_word(const char *list, const char *name)
{
	size_t n;

	while (*list) {
		list += strspn(list, ", ");
		n = strcspn(list, ", ");
		if (n && strncmp(list, name, n) == 0 && !name[n])
			return true;
		list += n;
	}
	return false;
}

/* the interrupt that bears the name of the interface or the device */
static int find_irq(const struct canpipe *cp, const struct iface *iface)
{
	char **numbers = fs_list(cp, "/sys/kernel/irq"), *actions;
	int found = -1;
	size_t i;

	for (i = 0; numbers[i] && found < 0; i++) {
		actions = fs_line(cp, "/sys/kernel/irq/%s/actions", numbers[i]);
		if (actions && (has_word(actions, iface->link->name) ||
				(iface->device && has_word(actions, iface->device))))
			found = atoi(numbers[i]);
		free(actions);
	}
	fs_list_free(numbers);
	return found;
}

/* the sum of "12,0,3,0", of all CPUs */
static long long sum(const char *list)
{
	long long total = 0;
	char *end;

	while (*list) {
		total += strtoll(list, &end, 10);
		if (end == list)
			break;
		list = end + (*end == ',');
	}
	return total;
}

/*
 * "pin 25 (gpio25) 0:? function gpio_in in lo; irq 25 (level-low)": as pinctrl-bcm2835 shows it.
 * Others are not even read: with some, that touches registers which stop the machine.
 */
static int pin_level(const struct canpipe *cp, int irq)
{
	char **chips = fs_list(cp, "/sys/kernel/debug/pinctrl"), *pins, *line, *save, *at;
	int level = -1;
	size_t i;

	for (i = 0; chips[i] && level < 0; i++) {
		if (!strstr(chips[i], "pinctrl-bcm2835") && !strstr(chips[i], "pinctrl-bcm2711"))
			continue;
		pins = fs_read(cp, NULL, "/sys/kernel/debug/pinctrl/%s/pins", chips[i]);
		for (line = pins ? strtok_r(pins, "\n", &save) : NULL; line;
		     line = strtok_r(NULL, "\n", &save)) {
			at = strstr(line, "; irq ");
			if (!at || atoi(at + 6) != irq || strstr(at, "(none)"))
				continue;
			*at = 0;
			if (at - line > 6 && strcmp(at - 6, " in lo") == 0)
				level = 0;
			else if (at - line > 6 && strcmp(at - 6, " in hi") == 0)
				level = 1;
		}
		free(pins);
	}
	fs_list_free(chips);
	return level;
}

void iface_read_irq(const struct canpipe *cp, struct iface *iface)
{
	struct iface_irq *irq = &iface->irq;
	char *text;

	free(irq->chip);
	*irq = (struct iface_irq){ .number = find_irq(cp, iface), .pin = -1 };
	if (irq->number < 0)
		return;
	irq->chip = fs_line(cp, "/sys/kernel/irq/%d/chip_name", irq->number);
	text = fs_line(cp, "/sys/kernel/irq/%d/per_cpu_count", irq->number);
	if (text)
		irq->count = sum(text);
	free(text);
	irq->pin = pin_level(cp, irq->number);
	text = fs_line(cp, "/sys/kernel/irq/%d/type", irq->number);
	if (text)
		iface->trigger = strcmp(text, "edge") == 0 ? TRIGGER_EDGE : TRIGGER_LEVEL;
	free(text);
}

/* the flags are the last cell of interrupts: bits 0 and 1 are edges, 2 and 3 levels */
static enum trigger devtree_trigger(const struct canpipe *cp, const char *device)
{
	uint32_t flags = devtree_cell(cp, -1, 0, "%s/of_node/interrupts", device);

	if (!flags)
		flags = devtree_cell(cp, -1, 0, "%s/of_node/interrupts-extended", device);
	if (flags & 3)
		return TRIGGER_EDGE;
	return flags & 12 ? TRIGGER_LEVEL : TRIGGER_UNKNOWN;
}

void iface_read(const struct canpipe *cp, const struct system *s, const struct link *link,
		struct iface *iface)
{
	const struct module *module;
	char *device, *subsystem;

	*iface = (struct iface){ .link = link, .irq = { .number = -1, .pin = -1 } };
	device = fs_real(cp, "/sys/class/net/%s/device", link->name);
	if (!device)
		return;
	iface->device = xstrdup(strrchr(device, '/') + 1);
	subsystem = fs_link_name(cp, "%s/subsystem", device);
	iface->bus = bus_of(subsystem);
	free(subsystem);
	iface->driver = fs_link_name(cp, "%s/driver", device);
	iface->module = fs_link_name(cp, "%s/driver/module", device);
	iface->compatible = devtree_string(cp, "%s/of_node/compatible", device);
	iface->wanted_trigger = devtree_trigger(cp, device);
	iface->trigger = iface->wanted_trigger;
	if (iface->bus == BUS_SPI) {
		iface->crystal_hz = crystal(cp, device);
		iface->crystal_khz = kmsg_crystal_khz(&s->log, iface->device);
		read_spi(cp, device, iface);
	}
	iface_read_irq(cp, iface);
	module = iface->module ? system_module(s, iface->module) : NULL;
	iface->ours = module && module->loaded && module_id_ours(&module->id);
	free(device);
}

void iface_clear(struct iface *iface)
{
	free(iface->device);
	free(iface->driver);
	free(iface->module);
	free(iface->compatible);
	free(iface->spi.controller);
	free(iface->spi.driver);
	free(iface->irq.chip);
	*iface = (struct iface){ 0 };
}
