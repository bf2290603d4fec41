// SPDX-License-Identifier: GPL-2.0-only
/*
 * canpipe-rig-wall: the same boards under the clock on the wall, for guests
 * with several CPUs. Real threads, real interleavings; no claims about time.
 *
 * One thread for each device's socket, one for the models' events; one lock.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "rig.h"
#include "vfio_user.h"

#define SECOND 1000000000u

static struct rig rig;
static uint64_t begin;
/* The event thread sleeps until the earliest event, or until this is signalled. */
static pthread_cond_t changed;
static uint64_t sleeping_until;

static uint64_t monotonic(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

static uint64_t now(void)
{
	return monotonic() - begin;
}

/* The CPU is not held up: a register access through the socket costs enough. */
static void charge(uint64_t ns)
{
	(void)ns;
}

static void lock(struct rig *r)
{
	pthread_mutex_lock(&r->mutex);
}

static void unlock(struct rig *r)
{
	if (sim_next(&r->sim) < sleeping_until)
		pthread_cond_signal(&changed);
	pthread_mutex_unlock(&r->mutex);
}

/* The access waits, its CPU with it; the models' events do not. */
static void stall(struct rig *r, uint64_t ns)
{
	const struct timespec t = {
		.tv_sec = (time_t)(ns / SECOND),
		.tv_nsec = (long)(ns % SECOND),
	};

	unlock(r);
	nanosleep(&t, NULL);
	lock(r);
	rig_sync(r);
}

/* An eventfd can be written from any thread. */
static void send_irq(struct rig *r)
{
	enum pci_irq_what what;
	struct pci_function *fn;

	while ((fn = rig_take_irq(r, &what)))
		pci_irq_signal(what == PCI_IRQ_MSI ? fn->irq.msi_fd : fn->irq.intx_fd);
}

static const struct rig_clock wall_clock = {
	.now = now,
	.charge = charge,
	.stall = stall,
	.lock = lock,
	.unlock = unlock,
	.irq_pending = send_irq,
};

static void sleep_until(uint64_t at)
{
	struct timespec t = {
		.tv_sec = (time_t)((begin + at) / SECOND),
		.tv_nsec = (long)((begin + at) % SECOND),
	};

	pthread_cond_timedwait(&changed, &rig.mutex, &t);
}

__attribute__((noreturn))
static void *run_events(void *arg)
{
	(void)arg;
	prctl(PR_SET_TIMERSLACK, 1000);
	pthread_mutex_lock(&rig.mutex);
	for (;;) {
		uint64_t next = sim_next(&rig.sim);

		sleeping_until = next;
		if (next == SIM_NEVER)
			pthread_cond_wait(&changed, &rig.mutex);
		else if (next > now())
			sleep_until(next);
		else
			rig_sync(&rig);
	}
}

static bool start_events(void)
{
	pthread_condattr_t attr;
	pthread_t thread;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&changed, &attr);
	return pthread_create(&thread, NULL, run_events, NULL) == 0;
}

/* Signals are for the thread that waits for the end. */
static void *wait_for_guest(void *arg)
{
	vfio_user_wait_gone(rig.board_listener);
	kill(getpid(), SIGTERM);
	return arg;
}

int main(int argc, char **argv)
{
	struct rig_options options;
	pthread_t thread;
	sigset_t set;
	char err[512];
	int sig;

	if (argc == 2 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		puts("usage: canpipe-rig-wall NAME=VALUE...");
		puts("Serves a board to QEMU in real time; ends when QEMU does.");
		rig_options_help(stdout);
		return EXIT_SUCCESS;
	}
	if (!rig_options_parse(&options, argc - 1, argv + 1, err, sizeof(err))) {
		fprintf(stderr, "canpipe-rig-wall: %s (see --help)\n", err);
		return 2;
	}
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);

	begin = monotonic();
	if (!rig_start(&rig, &options, &wall_clock, err, sizeof(err))) {
		fprintf(stderr, "canpipe-rig-wall: %s\n", err);
		return EXIT_FAILURE;
	}
	if (!start_events() || pthread_create(&thread, NULL, wait_for_guest, NULL)) {
		fprintf(stderr, "canpipe-rig-wall: cannot start a thread\n");
		return EXIT_FAILURE;
	}
	sigwait(&set, &sig);
	pthread_mutex_lock(&rig.mutex);
	rig_stop(&rig);
	/* The threads end with the process; nobody may touch the models any more. */
	fflush(NULL);
	_exit(EXIT_SUCCESS);
}
