// SPDX-License-Identifier: GPL-2.0-only
/*
 * The guest's side of the rig's own tests: what a driver sees of the test board
 * (tests/rig/boards/testdev.c). Prints "rigtest: name=value" lines; the verdict
 * is the host's (tests/rig/*.t).
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/dma-mapping.h>
#include <linux/interrupt.h>
#include <linux/io-64-nonatomic-lo-hi.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/timex.h>

#ifndef PCI_IRQ_INTX
#define PCI_IRQ_INTX PCI_IRQ_LEGACY
#endif

#define ID		0x00
#define SCRATCH		0x04
#define NOW		0x08
#define ONE_SHOT	0x10
#define PERIOD		0x14
#define STATUS		0x18
#define ENABLE		0x1c
#define EVENT_TIME	0x20
#define DMA		0x28
#define EVENTS		0x30
#define READ_COST	0x34
#define WRITE_COST	0x38
#define CAUSES		0x40
#define MEMORY		0x100
#define MEMORY_SIZE	0x100
#define RING		256

static bool intx;
module_param(intx, bool, 0444);
MODULE_PARM_DESC(intx, "take the interrupt by INTx, not MSI");

static uint rounds = 1000;
module_param(rounds, uint, 0444);
MODULE_PARM_DESC(rounds, "accesses or interrupts per measurement");

struct slot {
	u64 number;
	u64 time;
};

struct latency {
	u64 min, max, sum;
};

struct rigtest {
	struct pci_dev *pdev;
	void __iomem *regs;
	int irq;
	volatile struct slot *ring;
	dma_addr_t ring_dma;
	/* shared with the handler */
	struct latency latency;
	u32 handled, empty, wanted, misordered;
	bool leave_status;
	struct completion done;
};

#define report(fmt, ...) pr_alert("rigtest: " fmt "\n", ##__VA_ARGS__)

static u64 model_now(struct rigtest *t)
{
	u32 lo = readl(t->regs + NOW);

	return lo | (u64)readl(t->regs + NOW + 4) << 32;
}

/* Every width by every family of accessors, over the whole memory of the board. */
static void test_widths(struct rigtest *t)
{
	void __iomem *m = t->regs + MEMORY;
	u32 bad = 0;
	int i;

	for (i = 0; i < MEMORY_SIZE; i++)
		writeb(i ^ 0x5a, m + i);
	for (i = 0; i < MEMORY_SIZE; i++)
		bad += readb(m + i) != (u8)(i ^ 0x5a);
	for (i = 0; i < MEMORY_SIZE; i += 2)
		bad += readw(m + i) != ((u8)(i ^ 0x5a) | (u8)((i + 1) ^ 0x5a) << 8);
	for (i = 0; i < MEMORY_SIZE; i += 2)
		writew(i * 257, m + i);
	for (i = 0; i < MEMORY_SIZE; i += 4)
		bad += readl(m + i) != (((i * 257) & 0xffff) | (u32)((i + 2) * 257) << 16);
	for (i = 0; i < MEMORY_SIZE; i += 8)
		writeq(i * 0x0123456789abcdefull, m + i);
	for (i = 0; i < MEMORY_SIZE; i += 8)
		bad += readq(m + i) != i * 0x0123456789abcdefull;
	for (i = 0; i < MEMORY_SIZE; i++)
		iowrite8(i, m + i);
	for (i = 0; i < MEMORY_SIZE; i++)
		bad += ioread8(m + i) != i;
	for (i = 0; i < MEMORY_SIZE; i += 2)
		iowrite16(~i, m + i);
	for (i = 0; i < MEMORY_SIZE; i += 2)
		bad += ioread16(m + i) != (u16)~i;
	for (i = 0; i < MEMORY_SIZE; i += 4)
		iowrite32(i * 0x01010101u, m + i);
	for (i = 0; i < MEMORY_SIZE; i += 4)
		bad += ioread32(m + i) != i * 0x01010101u;
	for (i = 0; i < MEMORY_SIZE; i += 4)
		writel_relaxed(i * 0x10101u, m + i);
	for (i = 0; i < MEMORY_SIZE; i += 4)
		bad += readl_relaxed(m + i) != i * 0x10101u;
	report("widths_bad=%u", bad);
}

/* The model's clock lies between two readings of the CPU's counter. */
static void test_clock(struct rigtest *t)
{
	u64 outside = 0, widest = 0, before, after, m, start, slept;
	ktime_t k;
	u32 i;

	for (i = 0; i < rounds; i++) {
		before = get_cycles();
		m = model_now(t);
		after = get_cycles();
		outside += m < before || m > after;
		widest = max(widest, after - before);
	}
	report("clock_outside=%llu", outside);
	report("clock_widest=%llu", widest);
	k = ktime_get();
	start = model_now(t);
	msleep(3000);
	slept = model_now(t) - start;
	report("sleep_difference=%lld", ktime_to_ns(ktime_sub(ktime_get(), k)) - (s64)slept);
	report("slept=%llu", slept);
}

/* Not inlined: the same code has to be timed twice. */
static noinline u64 reads_take(void __iomem *at)
{
	u64 start = get_cycles();
	u32 i;

	for (i = 0; i < rounds; i++)
		readl(at);
	return get_cycles() - start;
}

static noinline u64 writes_take(void __iomem *at)
{
	u64 start = get_cycles();
	u32 i;

	for (i = 0; i < rounds; i++)
		writel(i, at);
	return get_cycles() - start;
}

/*
 * A register access takes as long as the same instruction on memory, and then
 * what it is charged, to the nanosecond.
 */
static void test_charge(struct rigtest *t)
{
	void __iomem *memory = (void __iomem *)t->ring;
	void __iomem *scratch = t->regs + SCRATCH;
	unsigned long flags;
	u64 r, w;

	local_irq_save(flags);
	reads_take(scratch);	/* once before, so that the code is translated */
	writes_take(scratch);
	r = reads_take(scratch);
	w = writes_take(scratch);
	report("read_extra=%lld", r - reads_take(memory));
	report("write_extra=%lld", w - writes_take(memory));
	writel(1000, t->regs + READ_COST);
	writel(500, t->regs + WRITE_COST);
	r = reads_take(scratch) - r;
	w = writes_take(scratch) - w;
	writel(0, t->regs + READ_COST);
	writel(0, t->regs + WRITE_COST);
	local_irq_restore(flags);
	report("read_charge=%llu", r);
	report("write_charge=%llu", w);
}

static void account(struct rigtest *t, u64 time)
{
	volatile struct slot *slot = &t->ring[t->handled % RING];
	u64 late = time - slot->time;

	if (slot->number != t->handled)
		t->misordered++;
	t->latency.min = min(t->latency.min, late);
	t->latency.max = max(t->latency.max, late);
	t->latency.sum += late;
}

/* MSI: one event, one message, one call. */
static irqreturn_t msi_handler(int irq, void *arg)
{
	struct rigtest *t = arg;
	u64 time = get_cycles();

	account(t, time);
	if (!t->leave_status)
		writel(~0, t->regs + STATUS);
	if (++t->handled == t->wanted) {
		writel(0, t->regs + PERIOD);
		complete(&t->done);
	}
	return IRQ_HANDLED;
}

/* INTx: a level. One cause is acknowledged at a time, so it has to come again. */
static irqreturn_t intx_handler(int irq, void *arg)
{
	struct rigtest *t = arg;
	u32 status = readl(t->regs + STATUS);

	if (!status) {
		t->empty++;
		return IRQ_NONE;
	}
	writel(status & -status, t->regs + STATUS);
	if (++t->handled == t->wanted) {
		writel(0, t->regs + PERIOD);
		complete(&t->done);
	}
	return IRQ_HANDLED;
}

static void begin(struct rigtest *t, u32 wanted, u32 period)
{
	t->latency = (struct latency){ .min = U64_MAX };
	t->handled = 0;
	t->empty = 0;
	t->misordered = 0;
	t->wanted = wanted;
	reinit_completion(&t->done);
	writel(0, t->regs + EVENTS);
	writel(period, t->regs + PERIOD);
}

static void finish(struct rigtest *t, const char *name)
{
	report("%s_handled=%u", name, t->handled);
	report("%s_events=%u", name, readl(t->regs + EVENTS));
	if (intx) {
		report("%s_empty=%u", name, t->empty);
		return;
	}
	report("%s_misordered=%u", name, t->misordered);
	report("%s_min=%llu", name, t->latency.min);
	report("%s_mean=%llu", name, div_u64(t->latency.sum, t->handled ?: 1));
	report("%s_max=%llu", name, t->latency.max);
}

static void wait_asleep(struct rigtest *t)
{
	wait_for_completion_timeout(&t->done, 10 * HZ);
}

static void wait_busy(struct rigtest *t)
{
	u64 end = get_cycles() + 10000000000ull;

	while (!try_wait_for_completion(&t->done) && get_cycles() < end)
		cpu_relax();
}

/* A function sends one message when its level rises, and none while it stays up. */
static void test_level_stays(struct rigtest *t)
{
	t->leave_status = true;
	begin(t, 0, 10000);
	msleep(20);
	writel(0, t->regs + PERIOD);
	report("stuck_handled=%u", t->handled);
	t->leave_status = false;
	writel(~0, t->regs + STATUS);
	writel(1000, t->regs + ONE_SHOT);
	msleep(20);
	report("unstuck_handled=%u", t->handled);
	writel(~0, t->regs + STATUS);
}

static void test_interrupts(struct rigtest *t)
{
	writel(lower_32_bits(t->ring_dma), t->regs + DMA);
	writel(upper_32_bits(t->ring_dma), t->regs + DMA + 4);
	writel(~0, t->regs + STATUS);
	writel(~0, t->regs + ENABLE);
	if (intx) {
		writel(7, t->regs + CAUSES);
		begin(t, 3 * rounds, 100000);
		wait_asleep(t);
		finish(t, "intx");
	} else {
		begin(t, rounds, 50000);
		wait_asleep(t);
		finish(t, "asleep");
		begin(t, rounds, 50000);
		wait_busy(t);
		finish(t, "busy");
		test_level_stays(t);
	}
	writel(0, t->regs + ENABLE);
	writel(0, t->regs + DMA);
	writel(0, t->regs + DMA + 4);
}

static int rigtest_irq(struct rigtest *t)
{
	int rc = pci_alloc_irq_vectors(t->pdev, 1, 1, intx ? PCI_IRQ_INTX : PCI_IRQ_MSI);

	if (rc < 0)
		return rc;
	t->irq = pci_irq_vector(t->pdev, 0);
	return request_irq(t->irq, intx ? intx_handler : msi_handler, intx ? IRQF_SHARED : 0,
			   "rigtest", t);
}

static int rigtest_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct rigtest *t = devm_kzalloc(&pdev->dev, sizeof(*t), GFP_KERNEL);
	int rc;

	if (!t)
		return -ENOMEM;
	t->pdev = pdev;
	init_completion(&t->done);
	rc = pcim_enable_device(pdev);
	if (rc)
		return rc;
	pci_set_master(pdev);
	t->regs = pcim_iomap(pdev, 0, 0);
	if (!t->regs)
		return -ENOMEM;
	rc = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(64));
	if (rc)
		return rc;
	t->ring = dmam_alloc_coherent(&pdev->dev, RING * sizeof(struct slot), &t->ring_dma,
				      GFP_KERNEL);
	if (!t->ring)
		return -ENOMEM;
	rc = rigtest_irq(t);
	if (rc)
		return rc;
	report("id=%x", readl(t->regs + ID));
	test_widths(t);
	test_clock(t);
	test_charge(t);
	test_interrupts(t);
	report("end=%llu", get_cycles());
	free_irq(t->irq, t);
	pci_free_irq_vectors(pdev);
	return 0;
}

static const struct pci_device_id rigtest_ids[] = {
	{ PCI_DEVICE(0x1234, 0xca00) },
	{ }
};
MODULE_DEVICE_TABLE(pci, rigtest_ids);

static struct pci_driver rigtest_driver = {
	.name = "rigtest",
	.id_table = rigtest_ids,
	.probe = rigtest_probe,
};
module_pci_driver(rigtest_driver);

MODULE_DESCRIPTION("Tests of the rig, seen from a driver");
MODULE_LICENSE("GPL");
