// SPDX-License-Identifier: GPL-2.0-only
#include "vcpu.h"

#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "guest.h"

struct rig vcpu_rig;

static const struct vcpu_arch *arch;
static struct qemu_plugin_register *pc;
/* An interrupt is to be sent at the next block. */
static bool irq_pending;
/* The models have run: the next due time may be another. */
static bool stale;

#define MAX_LATER 3

static struct {
	struct qemu_plugin_register *reg;
	uint64_t value;
} later[MAX_LATER];
static unsigned int later_count;

static uint64_t next_due(void)
{
	uint64_t timer = arch->timer_due();
	uint64_t event = sim_next(&vcpu_rig.sim);

	if (irq_pending || later_count)
		return 0;
	return timer < event ? timer : event;
}

void vcpu_rearm(void)
{
	clock_set_due(next_due());
	stale = false;
}

/* The rig's view of this clock. */

static void charge(uint64_t ns)
{
	clock_charge(ns);
	stale = true;
}

/* Time passes, the models run on; what they want of the CPU waits. */
static void stall(struct rig *rig, uint64_t ns)
{
	charge(ns);
	rig_sync(rig);
}

static void count_cpu(struct rig_counters *c)
{
	c->idle_ns = clock_idle_ns();
	c->busy_ns = clock_now() - c->idle_ns;
	c->instructions = (c->busy_ns - clock_charged_ns()) / vcpu_rig.options.profile.insn_ns;
}

static void lock(struct rig *rig)
{
	pthread_mutex_lock(&rig->mutex);
}

/*
 * Also in a server's thread. A message that ran the models comes from the vCPU,
 * which waits; other messages (at start-up, from QEMU's main loop) leave the
 * clock alone.
 */
static void unlock(struct rig *rig)
{
	if (stale && clock_started())
		vcpu_rearm();
	pthread_mutex_unlock(&rig->mutex);
}

static uint64_t now(void)
{
	stale = true;
	return clock_now();
}

/*
 * Never sent from here: this may be a server's thread, whose client holds the
 * lock that a write to the interrupt controller needs.
 */
static void note_irq(struct rig *rig)
{
	(void)rig;
	irq_pending = true;
	stale = true;
}

const struct rig_clock vcpu_clock = {
	.is_virtual = true,
	.now = now,
	.charge = charge,
	.stall = stall,
	.cpu = count_cpu,
	.lock = lock,
	.unlock = unlock,
	.irq_pending = note_irq,
};

/* Events and interrupts */

static void log_event(const char *what)
{
	if (vcpu_rig.log)
		fprintf(vcpu_rig.log, "%" PRIu64 " %s\n", clock_now(), what);
}

static void send_msi(uint64_t address, uint16_t data)
{
	static bool told;

	if (guest_write32(address, data) || told)
		return;
	fprintf(stderr, "canpipe rig: the guest wants its MSI at 0x%" PRIx64
		", where nothing takes it\n", address);
	told = true;
}

#define INTX_TRIES 200000	/* some seconds */

/*
 * QEMU's main loop takes the signal. It has when the eventfd is empty again and
 * QEMU's big lock, which a read from a device takes, can be had. So the guest
 * executes nothing between the signal and its effect.
 */
static void raise_intx(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	static bool told;

	pci_irq_signal(fd);
	for (unsigned int i = 0; poll(&p, 1, 0) == 1 && p.revents & POLLIN; i++) {
		if (i > INTX_TRIES && !told) {
			fprintf(stderr, "canpipe rig: QEMU does not take an INTx signal: this run is not repeatable\n");
			told = true;
		}
		if (i > INTX_TRIES)
			return;
		if (i > 1000)
			usleep(20);
		else if (i > 50)
			sched_yield();
	}
	arch->interrupt_pending();
}

/* The lock is held, but not while QEMU is called: it has locks of its own. */
static void send_interrupts(void)
{
	enum pci_irq_what what;
	struct pci_function *fn;

	irq_pending = false;
	while ((fn = rig_take_irq(&vcpu_rig, &what))) {
		uint64_t address = pci_config_msi_address(&fn->config);
		uint16_t data = pci_config_msi_data(&fn->config);
		int fd = fn->irq.intx_fd;

		log_event(what == PCI_IRQ_MSI ? "msi" : "intx");
		pthread_mutex_unlock(&vcpu_rig.mutex);
		if (what == PCI_IRQ_MSI)
			send_msi(address, data);
		else
			raise_intx(fd);
		pthread_mutex_lock(&vcpu_rig.mutex);
	}
}

static void fire_timer(void)
{
	log_event("timer");
	pthread_mutex_unlock(&vcpu_rig.mutex);
	arch->timer_fire();
	pthread_mutex_lock(&vcpu_rig.mutex);
}

/* Everything that is due, in the order of time; the timer before an event. */
static void run_due(void)
{
	struct sim *sim = &vcpu_rig.sim;

	pthread_mutex_lock(&vcpu_rig.mutex);
	for (;;) {
		uint64_t timer = arch->timer_due();
		uint64_t event = sim_next(sim);

		if (irq_pending)
			send_interrupts();
		else if (timer <= event && timer <= clock_now())
			fire_timer();
		else if (event <= clock_now())
			sim_advance(sim, event);
		else
			break;
	}
	vcpu_rearm();
	pthread_mutex_unlock(&vcpu_rig.mutex);
}

static void something_due(unsigned int vcpu, void *arg)
{
	(void)vcpu;
	(void)arg;
	for (unsigned int i = 0; i < later_count; i++)
		guest_set(later[i].reg, later[i].value);
	later_count = 0;
	run_due();
}

/* What instrumented instructions do */

uint64_t vcpu_time(const struct insn *insn)
{
	return clock_now() - insn->after_ns;
}

uint32_t vcpu_after_ns(size_t k, size_t count)
{
	return (uint32_t)(count - k - 1) * vcpu_rig.options.profile.insn_ns;
}

/*
 * Translated code is shared between virtual addresses of the same page. The
 * register "pc" is right in its upper bits only: it may be that of the block's
 * begin.
 */
static uint64_t address_of(const struct insn *insn)
{
	uint64_t actual;

	if (!pc)
		return insn->pc;
	actual = guest_get(pc);
	return (actual & ~0xfffull) | (insn->pc & 0xfff);
}

static void go_behind(const struct insn *insn) __attribute__((noreturn));

static void go_behind(const struct insn *insn)
{
	qemu_plugin_set_pc(address_of(insn) + insn->length);
}

void vcpu_skip(const struct insn *insn)
{
	clock_uncount(insn->after_ns);
	go_behind(insn);
}

/*
 * Until an interrupt is pending: what the models do meanwhile is not seen by the
 * CPU, as on real ones.
 */
void vcpu_sleep(const struct insn *insn)
{
	if (arch->interrupt_pending())
		vcpu_skip(insn);
	clock_uncount(insn->after_ns);
	do {
		uint64_t due;

		pthread_mutex_lock(&vcpu_rig.mutex);
		due = next_due();
		if (due == CLOCK_NEVER) {
			/* Only QEMU's own devices can wake it now. */
			clock_uncount(-(uint64_t)insn->after_ns);
			pthread_mutex_unlock(&vcpu_rig.mutex);
			return;
		}
		log_event("sleep");
		clock_sleep_until(due);
		log_event("wake");
		pthread_mutex_unlock(&vcpu_rig.mutex);
		run_due();
	} while (!arch->interrupt_pending());
	go_behind(insn);
}

void vcpu_timer_changed(void)
{
	pthread_mutex_lock(&vcpu_rig.mutex);
	vcpu_rearm();
	pthread_mutex_unlock(&vcpu_rig.mutex);
}

void vcpu_set_later(struct qemu_plugin_register *reg, uint64_t value)
{
	if (later_count == MAX_LATER)
		abort();	/* no instruction sets more */
	later[later_count].reg = reg;
	later[later_count++].value = value;
	clock_set_due(0);
}

/* Set-up */

void vcpu_translate(struct qemu_plugin_tb *tb)
{
	size_t count = qemu_plugin_tb_n_insns(tb);
	uint64_t cost = count * vcpu_rig.options.profile.insn_ns;

	qemu_plugin_register_vcpu_tb_exec_inline_per_vcpu(tb, QEMU_PLUGIN_INLINE_ADD_U64,
							  clock_counter(), cost);
	qemu_plugin_register_vcpu_tb_exec_cond_cb(tb, something_due, QEMU_PLUGIN_CB_RW_REGS,
						  QEMU_PLUGIN_COND_GE, clock_counter(),
						  CLOCK_DUE, NULL);
	arch->translate(tb, count);
}

void vcpu_setup(const struct vcpu_arch *which)
{
	arch = which;
	pc = guest_register("pc");
	if (!arch->start()) {
		fprintf(stderr, "canpipe rig: QEMU does not name the registers of %s as expected\n",
			arch->target);
		exit(EXIT_FAILURE);
	}
	clock_start();
}
