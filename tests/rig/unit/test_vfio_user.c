// SPDX-License-Identifier: GPL-2.0-only
/* The vfio-user server: what a client may rely on, and what a broken one gets. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "client.h"
#include "tap.h"

#define CONFIG	VFIO_USER_REGION_CONFIG
#define PAGE	4096u
#define COMMAND	0x04
#define MASTER	0x0006		/* memory and bus mastering */
#define NO_INTX	0x0400
#define MSI	0x50
#define PM	0x40
#define LEVEL	(BAR2_SIZE - 4)	/* of BAR 2, see client.c */

static struct fixture f;
static struct answer answer;

static void begin(void)
{
	fixture_start(&f);
	client_version(&f);
}

static void version_comes_first(void)
{
	static const uint16_t other[2] = { 1, 0 };
	static const char unterminated[] = { 0, 0, 0, 0, '{', '}' };
	struct vfio_user_device_info info = { .argsz = sizeof(info) };

	fixture_start(&f);
	is(client_call(&f, VFIO_USER_DEVICE_GET_INFO, &info, sizeof(info), NULL, 0, &answer),
	   EPROTO, "nothing goes before the version");
	is(client_call(&f, VFIO_USER_VERSION, "", 1, NULL, 0, &answer), EINVAL,
	   "a version of one byte is refused");
	is(client_call(&f, VFIO_USER_VERSION, other, sizeof(other), NULL, 0, &answer), ENOTSUP,
	   "another major version is refused");
	is(client_call(&f, VFIO_USER_VERSION, unterminated, sizeof(unterminated), NULL, 0,
		       &answer), EINVAL, "capabilities without an end are refused");
	is(client_version(&f), 0, "the version is agreed on");
	is(client_version(&f), EINVAL, "but only once");
	is(client_call(&f, 99, NULL, 0, NULL, 0, &answer), ENOTSUP,
	   "an unknown command is refused");
	fixture_stop(&f);
}

static void tells_what_it_has(void)
{
	struct vfio_user_device_info dev = { .argsz = sizeof(dev) };
	struct vfio_user_region_info region = { .argsz = sizeof(region) };
	struct vfio_user_irq_info irq = { .argsz = sizeof(irq) };
	static const uint64_t size[VFIO_USER_REGIONS] = { BAR0_SIZE, 0, BAR2_SIZE, 0, 0, 0, 0,
							  PCI_CONFIG_SIZE, 0 };
	bool right = true;

	begin();
	is(client_call(&f, VFIO_USER_DEVICE_GET_INFO, &dev, sizeof(dev), NULL, 0, &answer), 0,
	   "device info");
	memcpy(&dev, answer.body, sizeof(dev));
	is(dev.regions, VFIO_USER_REGIONS, "it has the regions of a PCI function");
	is(dev.flags, VFIO_USER_DEVICE_RESETS | VFIO_USER_DEVICE_PCI, "it can be reset");
	for (uint32_t i = 0; i < VFIO_USER_REGIONS; i++) {
		region.index = i;
		if (client_call(&f, VFIO_USER_GET_REGION_INFO, &region, sizeof(region), NULL, 0,
				&answer))
			right = false;
		memcpy(&region, answer.body, sizeof(region));
		if (region.size != size[i] || region.flags != (size[i] ? 3 : 0))
			right = false;
	}
	ok(right, "the size of every region is right");
	region.index = VFIO_USER_REGIONS;
	is(client_call(&f, VFIO_USER_GET_REGION_INFO, &region, sizeof(region), NULL, 0, &answer),
	   EINVAL, "there is no further region");
	irq.index = VFIO_USER_IRQ_MSI;
	client_call(&f, VFIO_USER_GET_IRQ_INFO, &irq, sizeof(irq), NULL, 0, &answer);
	memcpy(&irq, answer.body, sizeof(irq));
	is(irq.count, 1, "it has one MSI");
	irq.index = 2;
	client_call(&f, VFIO_USER_GET_IRQ_INFO, &irq, sizeof(irq), NULL, 0, &answer);
	memcpy(&irq, answer.body, sizeof(irq));
	is(irq.count, 0, "and no MSI-X");
	irq.index = VFIO_USER_IRQS;
	is(client_call(&f, VFIO_USER_GET_IRQ_INFO, &irq, sizeof(irq), NULL, 0, &answer), EINVAL,
	   "there is no further interrupt");
	is(client_call(&f, VFIO_USER_GET_IRQ_INFO, &irq, sizeof(irq) - 1, NULL, 0, &answer),
	   EINVAL, "a short question is refused");
	irq.argsz = 4;
	is(client_call(&f, VFIO_USER_GET_IRQ_INFO, &irq, sizeof(irq), NULL, 0, &answer), EINVAL,
	   "so is one without room for the answer");
	fixture_stop(&f);
}

static bool has_capability(uint8_t id, unsigned int *at)
{
	uint8_t header[2];

	*at = client_config32(&f, 0x34) & 0xff;
	for (int i = 0; i < 10 && *at; i++) {
		client_read(&f, CONFIG, *at, 2, header);
		if (header[0] == id)
			return true;
		*at = header[1];
	}
	return false;
}

static void configuration_space(void)
{
	unsigned int at;
	uint16_t status;

	begin();
	is(client_config32(&f, 0), 0x88188086, "vendor and device");
	is(client_config32(&f, 8), 0x0c090002, "class and revision");
	client_set_config32(&f, 0, 0);
	is(client_config32(&f, 0), 0x88188086, "which cannot be changed");
	client_set_config32(&f, 0x10, 0xffffffff);
	is(client_config32(&f, 0x10), 0xfffff000, "BAR 0 tells its size");
	client_set_config32(&f, 0x18, 0xffffffff);
	is(client_config32(&f, 0x18), 0xff000000, "BAR 2 tells its size");
	client_set_config32(&f, 0x14, 0xffffffff);
	is(client_config32(&f, 0x14), 0, "BAR 1 is not there");
	client_set_config32(&f, 0x30, 0xffffffff);
	is(client_config32(&f, 0x30), 0, "there is no expansion ROM");
	ok(has_capability(5, &at) && client_config32(&f, at) >> 16 == 0x80,
	   "it has a 64-bit MSI capability");
	ok(has_capability(1, &at), "and one for power management");
	client_read(&f, CONFIG, 6, 2, &status);
	is(status, 0x0010, "no interrupt stands");
	client_write(&f, 2, LEVEL, 4, "\1\0\0");
	client_read(&f, CONFIG, 6, 2, &status);
	is(status, 0x0018, "an interrupt stands, which the status register says");
	is(client_read(&f, CONFIG, 253, 4, &at), EINVAL, "nothing behind its end can be read");
	is(client_write(&f, CONFIG, PCI_CONFIG_SIZE, 1, ""), EINVAL, "or written");
	fixture_stop(&f);
}

static void register_access(void)
{
	uint64_t value = 0x1122334455667788;
	uint32_t half = 0;
	struct vfio_user_region_access short_write = { .count = 4 };

	begin();
	is(client_write(&f, 0, 8, 8, &value), 0, "8 bytes are written");
	is(client_read(&f, 0, 12, 4, &half), 0, "4 of them are read");
	is(half, 0x11223344, "they are the right ones");
	is(client_read(&f, 0, BAR0_SIZE - 1, 1, &value), 0, "the last byte can be read");
	is(client_read(&f, 0, BAR0_SIZE, 1, &value), EINVAL, "the one behind it cannot");
	is(client_read(&f, 0, UINT64_MAX - 1, 4, &value), EINVAL, "the end of the world neither");
	is(client_read(&f, 0, 2, 4, &value), EINVAL, "misaligned");
	is(client_read(&f, 0, 0, 3, &value), EINVAL, "three bytes");
	is(client_read(&f, 0, 0, 0, &value), EINVAL, "no byte");
	is(client_read(&f, 0, 0, 16, &value), EINVAL, "sixteen bytes");
	is(client_read(&f, 1, 0, 4, &value), EINVAL, "a BAR that is not there");
	is(client_read(&f, 100, 0, 4, &value), EINVAL, "a region that is not there");
	is(client_call(&f, VFIO_USER_REGION_WRITE, &short_write, sizeof(short_write), NULL, 0,
		       &answer), EINVAL, "a write without its data");
	is(client_call(&f, VFIO_USER_REGION_READ, &short_write, 8, NULL, 0, &answer), EINVAL,
	   "half a question");
	is(f.illegal, 0, "nothing of this came through");
	fixture_stop(&f);
}

static int file_of(size_t size, bool sealed)
{
	int fd = memfd_create("test", MFD_ALLOW_SEALING);

	if (ftruncate(fd, (off_t)size) < 0)
		perror("ftruncate");
	if (sealed)
		fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
	return fd;
}

static int map(uint64_t address, uint64_t size, uint64_t offset, uint32_t flags, int fd)
{
	struct vfio_user_dma_map m = {
		.argsz = sizeof(m),
		.flags = flags,
		.offset = offset,
		.address = address,
		.size = size,
	};

	return client_call(&f, VFIO_USER_DMA_MAP, &m, sizeof(m), &fd, fd >= 0, &answer);
}

static int short_map(int fd)
{
	struct vfio_user_dma_map m = { .argsz = sizeof(m) - 1, .flags = 3, .size = PAGE };

	return client_call(&f, VFIO_USER_DMA_MAP, &m, sizeof(m), &fd, 1, &answer);
}

static int unmap(uint64_t address, uint64_t size, uint32_t flags)
{
	struct vfio_user_dma_unmap m = {
		.argsz = sizeof(m),
		.flags = flags,
		.address = address,
		.size = size,
	};

	return client_call(&f, VFIO_USER_DMA_UNMAP, &m, sizeof(m), NULL, 0, &answer);
}

static void memory_access(int fd, const char *what)
{
	char text[8] = "";

	is(map(0x10000, 4 * PAGE, PAGE, 3, fd), 0, "a window of %s", what);
	ok(!pci_function_mem_write(&f.fn, 0x10000, "ABCDEFG", 8),
	   "not a bus master: no access");
	client_set_config16(&f, COMMAND, MASTER);
	ok(pci_function_mem_write(&f.fn, 0x10010, "ABCDEFG", 8), "bus master: access");
	is(pread(fd, text, 8, PAGE + 0x10), 8, "the file can be read");
	ok(!strcmp(text, "ABCDEFG"), "and has it at the right place");
	ok(pci_function_mem_read(&f.fn, 0x10012, text, 3) && !memcmp(text, "CDE", 3),
	   "it can be read back");
	ok(!pci_function_mem_read(&f.fn, 0x10000 + 4 * PAGE - 4, text, 8),
	   "not beyond the window");
	is(map(0x10000 + 4 * PAGE, PAGE, 0, 1, fd), 0, "the next window");
	ok(pci_function_mem_read(&f.fn, 0x10000 + 4 * PAGE - 4, text, 8),
	   "an access may go from one into the next");
	ok(!pci_function_mem_write(&f.fn, 0x10000 + 4 * PAGE, text, 1),
	   "which is read-only");
	is(map(0x11000, PAGE, 0, 3, fd), EEXIST, "a window over another is refused");
	is(unmap(0x11000, PAGE, 0), ENOENT, "a window that is not there cannot be removed");
	is(unmap(0x10000, 4 * PAGE, 0), 0, "the one that is can");
	ok(!pci_function_mem_read(&f.fn, 0x10000, text, 1), "and is no more");
	is(unmap(0, 0, VFIO_USER_UNMAP_ALL), 0, "all can be removed");
	ok(!pci_function_mem_read(&f.fn, 0x10000 + 4 * PAGE, text, 1), "and are no more");
}

static void dma_windows(void)
{
	int sealed = file_of(8 * PAGE, true), loose = file_of(8 * PAGE, false);
	int event = eventfd(0, 0);
	char byte;

	begin();
	memory_access(sealed, "memory that cannot shrink");
	client_set_config16(&f, COMMAND, 0);
	memory_access(loose, "memory that can");
	is(map(0, 16 * PAGE, 0, 3, sealed), EINVAL, "larger than its file");
	is(map(0, PAGE, 8 * PAGE, 3, sealed), EINVAL, "behind the end of its file");
	is(map(0, PAGE, UINT64_MAX - PAGE + 1, 3, sealed), EINVAL, "an offset that wraps");
	is(map(UINT64_MAX - PAGE + 1, 2 * PAGE, 0, 3, sealed), EINVAL, "an address that wraps");
	is(map(0, 0, 0, 3, sealed), EINVAL, "an empty one");
	is(map(0x10, PAGE, 0, 3, sealed), EINVAL, "one not aligned to pages");
	is(map(0, PAGE, 0, 0, sealed), EINVAL, "neither readable nor writable");
	is(map(0, PAGE, 0, 4, sealed), EINVAL, "an unknown flag");
	is(map(0, PAGE, 0, 3, event), EINVAL, "not a file");
	is(short_map(sealed), EINVAL, "a request that says it is shorter");
	is(map(0, PAGE, 0, 3, -1), 0, "a window without a file is known");
	ok(!pci_function_mem_read(&f.fn, 0, &byte, 1), "but cannot be read");
	is(unmap(0, PAGE, VFIO_USER_UNMAP_DIRTY), ENOTSUP, "dirty pages are not tracked");
	is(map(0x10000, PAGE, 0, 3, loose), 0, "a file");
	is(ftruncate(loose, 0), 0, "which then shrinks");
	ok(!pci_function_mem_read(&f.fn, 0x10000, &byte, 1), "is found to be gone");
	fixture_stop(&f);
	close(sealed);
	close(loose);
	close(event);
}

static void too_many_windows(void)
{
	int fd = file_of(PAGE, true);
	int rc = 0;
	uint64_t n;

	begin();
	for (n = 0; !rc && n < 2 * DMA_WINDOWS; n++)
		rc = map(n * PAGE, PAGE, 0, 3, fd);
	is(rc, ENOSPC, "too many windows are refused");
	is(n, DMA_WINDOWS + 1, "when the table is full");
	fixture_stop(&f);
	close(fd);
}

static int set_irqs(uint32_t flags, uint32_t index, uint32_t start, uint32_t count, int fd)
{
	struct vfio_user_set_irqs s = {
		.argsz = sizeof(s),
		.flags = flags,
		.index = index,
		.start = start,
		.count = count,
	};

	return client_call(&f, VFIO_USER_SET_IRQS, &s, sizeof(s), &fd, fd >= 0, &answer);
}

static uint64_t signals(int fd)
{
	uint64_t n;

	return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

static void level(uint32_t value)
{
	client_write(&f, 2, LEVEL, sizeof(value), &value);
}

#define CONNECT	(VFIO_USER_SET_DATA_EVENTFD | VFIO_USER_SET_TRIGGER)
#define UNMASK	(VFIO_USER_SET_DATA_NONE | VFIO_USER_SET_UNMASK)
#define MASK	(VFIO_USER_SET_DATA_NONE | VFIO_USER_SET_MASK)
#define FIRE	(VFIO_USER_SET_DATA_NONE | VFIO_USER_SET_TRIGGER)

static void msi_is_sent_on_the_rising_edge(void)
{
	int fd = eventfd(0, EFD_NONBLOCK);

	begin();
	is(set_irqs(CONNECT, VFIO_USER_IRQ_MSI, 0, 1, fd), 0, "an eventfd for MSI");
	level(1);
	is(signals(fd), 0, "MSI is off: no message");
	level(0);
	client_set_config16(&f, MSI + 2, 1);
	level(1);
	is(signals(fd), 0, "not a bus master: no message");
	level(0);
	client_set_config16(&f, COMMAND, MASTER);
	level(1);
	is(signals(fd), 1, "one message when the level rises");
	level(1);
	is(signals(fd), 0, "none while it stands");
	client_set_config16(&f, MSI + 2, 0);
	client_set_config16(&f, MSI + 2, 1);
	is(signals(fd), 0, "none when MSI is switched on over a standing level");
	level(0);
	is(signals(fd), 0, "none when it falls");
	level(1);
	is(signals(fd), 1, "one when it rises again");
	is(set_irqs(FIRE, VFIO_USER_IRQ_MSI, 0, 1, -1), 0, "the client may ask for a test");
	is(signals(fd), 1, "and gets it");
	is(set_irqs(FIRE, VFIO_USER_IRQ_MSI, 0, 0, -1), 0, "the eventfd is taken away");
	level(0);
	level(1);
	is(signals(fd), 0, "no message any more");
	fixture_stop(&f);
	close(fd);
}

static void intx_is_a_level(void)
{
	int fd = eventfd(0, EFD_NONBLOCK);

	begin();
	is(set_irqs(CONNECT, VFIO_USER_IRQ_INTX, 0, 1, fd), 0, "an eventfd for INTx");
	level(1);
	is(signals(fd), 1, "the line is raised");
	level(1);
	is(signals(fd), 0, "once");
	set_irqs(UNMASK, VFIO_USER_IRQ_INTX, 0, 1, -1);
	is(signals(fd), 1, "unmasked while the level stands: raised again");
	level(0);
	set_irqs(UNMASK, VFIO_USER_IRQ_INTX, 0, 1, -1);
	is(signals(fd), 0, "unmasked when it has fallen: not raised");
	level(1);
	level(0);
	is(signals(fd), 0, "a signal that nobody has read is taken back");
	level(1);
	is(signals(fd), 1, "and raised anew with the level");
	level(0);
	set_irqs(UNMASK, VFIO_USER_IRQ_INTX, 0, 1, -1);
	set_irqs(MASK, VFIO_USER_IRQ_INTX, 0, 1, -1);
	level(1);
	is(signals(fd), 0, "masked: not raised");
	set_irqs(UNMASK, VFIO_USER_IRQ_INTX, 0, 1, -1);
	is(signals(fd), 1, "unmasked: raised");
	level(0);
	set_irqs(UNMASK, VFIO_USER_IRQ_INTX, 0, 1, -1);
	client_set_config16(&f, COMMAND, NO_INTX);
	level(1);
	is(signals(fd), 0, "disabled by the command register: not raised");
	client_set_config16(&f, COMMAND, 0);
	is(signals(fd), 1, "enabled: raised");
	level(0);
	set_irqs(UNMASK, VFIO_USER_IRQ_INTX, 0, 1, -1);
	client_set_config16(&f, MSI + 2, 1);
	level(1);
	is(signals(fd), 0, "MSI is on: not raised");
	fixture_stop(&f);
	close(fd);
}

/* The host may send later than the function wants to; by then it may be void. */
static void void_interrupts_are_not_sent(void)
{
	int fd = eventfd(0, EFD_NONBLOCK);

	begin();
	f.defers = true;
	client_set_config16(&f, COMMAND, MASTER);
	client_set_config16(&f, MSI + 2, 1);
	level(1);
	level(0);
	is(pci_irq_take(&f.fn), PCI_IRQ_MSI, "a message is sent though the level has fallen");
	is(pci_irq_take(&f.fn), PCI_IRQ_NOTHING, "once");
	level(1);
	client_set_config16(&f, MSI + 2, 0);
	is(pci_irq_take(&f.fn), PCI_IRQ_NOTHING, "not when MSI has been switched off");
	level(0);
	client_set_config16(&f, MSI + 2, 1);
	level(1);
	client_call(&f, VFIO_USER_DEVICE_RESET, NULL, 0, NULL, 0, &answer);
	is(pci_irq_take(&f.fn), PCI_IRQ_NOTHING, "not after a reset");
	set_irqs(CONNECT, VFIO_USER_IRQ_INTX, 0, 1, fd);
	level(1);
	level(0);
	is(pci_irq_take(&f.fn), PCI_IRQ_NOTHING, "the line is not raised when the level has fallen");
	level(1);
	is(pci_irq_take(&f.fn), PCI_IRQ_INTX, "but when it stands");
	fixture_stop(&f);
	close(fd);
}

static void broken_interrupt_requests(void)
{
	int event = eventfd(0, EFD_NONBLOCK), pipes[2];
	struct vfio_user_set_irqs s = { .argsz = sizeof(s), .count = 1 };

	if (pipe(pipes) < 0)
		perror("pipe");
	begin();
	is(set_irqs(CONNECT, VFIO_USER_IRQ_MSI, 0, 1, pipes[1]), EINVAL,
	   "a pipe is no eventfd");
	is(set_irqs(CONNECT, 5, 0, 1, event), EINVAL, "an index that is not there");
	is(set_irqs(CONNECT, 2, 0, 1, event), EINVAL, "MSI-X, which it does not have");
	is(set_irqs(CONNECT, VFIO_USER_IRQ_MSI, 1, 1, event), EINVAL, "the second MSI");
	is(set_irqs(CONNECT, VFIO_USER_IRQ_MSI, UINT32_MAX, 2, event), EINVAL,
	   "numbers that wrap");
	is(set_irqs(0, VFIO_USER_IRQ_MSI, 0, 1, -1), EINVAL, "nothing asked");
	is(set_irqs(0x3f, VFIO_USER_IRQ_MSI, 0, 1, -1), EINVAL, "everything at once");
	is(set_irqs(0x100 | FIRE, VFIO_USER_IRQ_MSI, 0, 1, -1), EINVAL, "an unknown flag");
	is(set_irqs(MASK, VFIO_USER_IRQ_MSI, 0, 1, -1), ENOTSUP, "MSI has no mask");
	s.flags = VFIO_USER_SET_DATA_BOOL | VFIO_USER_SET_TRIGGER;
	is(client_call(&f, VFIO_USER_SET_IRQS, &s, sizeof(s), NULL, 0, &answer), EINVAL,
	   "a bool is missing");
	is(client_call(&f, VFIO_USER_SET_IRQS, &s, 12, NULL, 0, &answer), EINVAL,
	   "half a request");
	fixture_stop(&f);
	close(event);
	close(pipes[0]);
	close(pipes[1]);
}

static void reset_forgets(void)
{
	int fd = eventfd(0, EFD_NONBLOCK);

	begin();
	client_set_config32(&f, 0x10, 0xfe000000);
	client_set_config16(&f, COMMAND, MASTER);
	client_set_config16(&f, MSI + 2, 1);
	level(1);
	is(client_call(&f, VFIO_USER_DEVICE_RESET, NULL, 0, NULL, 0, &answer), 0, "reset");
	is(f.resets, 1, "the function was told");
	is(client_config32(&f, 0x10), 0, "the BAR is nowhere");
	is(client_config32(&f, COMMAND) & 0xffff, 0, "the command register is clear");
	is(client_config32(&f, MSI) >> 16, 0x80, "MSI is off");
	is(client_config32(&f, 0), 0x88188086, "it is still itself");
	is(set_irqs(CONNECT, VFIO_USER_IRQ_INTX, 0, 1, fd), 0, "an eventfd");
	is(signals(fd), 0, "the interrupt is low");
	client_set_config16(&f, PM + 4, 3);
	client_set_config16(&f, COMMAND, MASTER);
	is(f.resets, 1, "to sleep (D3hot)");
	ok(!pci_config_bus_master(&f.fn.config) && !pci_config_memory_enabled(&f.fn.config),
	   "asleep it neither answers nor is bus master");
	client_set_config16(&f, PM + 4, 0);
	is(f.resets, 2, "awake again (D0): everything is lost");
	fixture_stop(&f);
	close(fd);
}

static bool gone(void)
{
	return !client_receive(&f, &answer);
}

static void framing(void)
{
	struct vfio_user_header h = { .id = 7, .command = VFIO_USER_DEVICE_RESET };
	static uint8_t large[sizeof(h) + VFIO_USER_MAX_BODY + 1];

	begin();
	h.size = sizeof(large);
	memcpy(large, &h, sizeof(h));
	client_send(&f, large, sizeof(large), NULL, 0);
	ok(client_receive(&f, &answer) && answer.header.error == E2BIG, "too long: refused");
	is(client_call(&f, VFIO_USER_DEVICE_RESET, NULL, 0, NULL, 0, &answer), 0,
	   "and the next one is found");
	h.size = sizeof(h);
	h.flags = VFIO_USER_TYPE_REPLY;
	client_send(&f, &h, sizeof(h), NULL, 0);
	ok(client_receive(&f, &answer) && answer.header.error == EINVAL,
	   "a reply that nobody waits for is refused");
	h.flags = VFIO_USER_NO_REPLY;
	h.command = 99;
	client_send(&f, &h, sizeof(h), NULL, 0);
	is(client_call(&f, VFIO_USER_DEVICE_RESET, NULL, 0, NULL, 0, &answer), 0,
	   "who wants no reply gets none");
	h.flags = 0;
	h.size = 3;
	client_send(&f, &h, sizeof(h), NULL, 0);
	ok(client_receive(&f, &answer) && answer.header.error == EINVAL,
	   "shorter than its own header: refused");
	ok(gone(), "and the connection is closed");
	fixture_stop(&f);

	begin();
	client_send(&f, &h, 5, NULL, 0);
	fixture_stop(&f);
	ok(true, "a client that dies within a header");
	begin();
	h.size = 1000;
	client_send(&f, &h, sizeof(h), NULL, 0);
	fixture_stop(&f);
	ok(true, "a client that dies within a message");
}

int main(void)
{
	unsigned int before = open_descriptors();

	version_comes_first();
	tells_what_it_has();
	configuration_space();
	register_access();
	dma_windows();
	too_many_windows();
	msi_is_sent_on_the_rising_edge();
	intx_is_a_level();
	void_interrupts_are_not_sent();
	broken_interrupt_requests();
	reset_forgets();
	framing();
	is(open_descriptors(), before, "no descriptor is left open");
	return tap_done();
}
