// SPDX-License-Identifier: GPL-2.0-only
#include "rig.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vfio_user.h"

/* What the models ask of their host. */

static void host_charge(struct sim *sim, uint64_t ns)
{
	struct rig *rig = sim->host_data;

	rig->clock->charge(ns);
}

static void host_set_irq(struct sim *sim, unsigned int line, bool level)
{
	struct rig *rig = sim->host_data;

	if (line != 0 || level == rig->board_fn.irq.level)
		return;
	if (rig->log)
		fprintf(rig->log, "%" PRIu64 " irq %d\n", sim->now, level);
	pci_irq_set(&rig->board_fn, level);
}

static bool host_mem_read(struct sim *sim, uint64_t addr, void *buf, size_t len)
{
	struct rig *rig = sim->host_data;

	return pci_function_mem_read(&rig->board_fn, addr, buf, len);
}

static bool host_mem_write(struct sim *sim, uint64_t addr, const void *buf, size_t len)
{
	struct rig *rig = sim->host_data;

	return pci_function_mem_write(&rig->board_fn, addr, buf, len);
}

static const struct sim_host sim_host = {
	.charge = host_charge,
	.set_irq = host_set_irq,
	.mem_read = host_mem_read,
	.mem_write = host_mem_write,
};

void rig_sync(struct rig *rig)
{
	sim_advance(&rig->sim, rig->clock->now());
}

/* What the functions ask of theirs. */

static void fn_lock(struct pci_function *fn)
{
	struct rig *rig = fn->host_data;

	rig->clock->lock(rig);
}

static void fn_unlock(struct pci_function *fn)
{
	struct rig *rig = fn->host_data;

	rig->clock->unlock(rig);
}

static void fn_sync(struct pci_function *fn)
{
	rig_sync(fn->host_data);
}

static void fn_irq_pending(struct pci_function *fn)
{
	struct rig *rig = fn->host_data;

	rig->clock->irq_pending(rig);
}

static const struct pci_host_ops host_ops = {
	.lock = fn_lock,
	.unlock = fn_unlock,
	.sync = fn_sync,
	.irq_pending = fn_irq_pending,
};

static void log_access(struct rig *rig, char what, unsigned int bar, uint64_t offset,
		       unsigned int size, uint64_t value)
{
	if (rig->log)
		fprintf(rig->log, "%" PRIu64 " %c%u %u:%" PRIx64 " %" PRIx64 "\n", rig->sim.now,
			what, size, bar, offset, value);
}

/* The access under way is the one that is to be held up. */
static void stall(struct rig *rig, bool write, unsigned int bar, uint64_t offset)
{
	struct rig_stall *s = &rig->stall;

	if (!s->accesses || --s->accesses)
		return;
	s->used = true;
	s->write = write;
	s->bar = bar;
	s->offset = offset;
	if (rig->log)
		fprintf(rig->log, "%" PRIu64 " stall %" PRIu32 "\n", rig->sim.now, s->ns);
	rig->clock->stall(rig, s->ns);
}

/* The register is sampled, or written, at the time of the access; then the CPU waits. */

uint64_t rig_read(struct rig *rig, unsigned int bar, uint64_t offset, unsigned int size,
		  bool fast)
{
	uint64_t value;

	stall(rig, false, bar, offset);
	value = rig->board->type->read(rig->board, bar, offset, size);
	rig->count.reads++;
	rig->count.fast_reads += fast;
	log_access(rig, 'r', bar, offset, size, value);
	rig->clock->charge(rig->options.profile.read_ns);
	return value;
}

void rig_write(struct rig *rig, unsigned int bar, uint64_t offset, unsigned int size,
	       uint64_t value, bool fast)
{
	stall(rig, true, bar, offset);
	log_access(rig, 'w', bar, offset, size, value);
	rig->board->type->write(rig->board, bar, offset, size, value);
	rig->count.writes++;
	rig->count.fast_writes += fast;
	rig->clock->charge(rig->options.profile.write_ns);
}

static uint64_t board_read(void *arg, unsigned int bar, uint64_t offset, unsigned int size)
{
	return rig_read(arg, bar, offset, size, false);
}

static void board_write(void *arg, unsigned int bar, uint64_t offset, unsigned int size,
			uint64_t value)
{
	rig_write(arg, bar, offset, size, value, false);
}

static void board_reset(void *arg)
{
	struct rig *rig = arg;

	rig->board->type->reset(rig->board);
}

static const struct pci_function_ops board_ops = {
	.read = board_read,
	.write = board_write,
	.reset = board_reset,
};

struct pci_function *rig_take_irq(struct rig *rig, enum pci_irq_what *what)
{
	/* The control device raises none. */
	*what = pci_irq_take(&rig->board_fn);
	if (*what == PCI_IRQ_NOTHING)
		return NULL;
	rig->count.interrupts++;
	return &rig->board_fn;
}

void rig_peer_stats(const struct rig *rig, struct peer_stats *sum)
{
	memset(sum, 0, sizeof(*sum));
	for (size_t i = 0; i < rig->options.peers; i++) {
		const struct peer_stats *s = peer_stats(rig->peer[i]);

		sum->sent += s->sent;
		sum->received += s->received;
		sum->lost += s->lost;
		sum->swapped += s->swapped;
		sum->duplicated += s->duplicated;
		sum->unexpected += s->unexpected;
		sum->errors += s->errors;
	}
}

unsigned int rig_peers_running(const struct rig *rig)
{
	unsigned int running = 0;

	for (size_t i = 0; i < rig->options.peers; i++)
		running += !peer_done(rig->peer[i]);
	return running;
}

void rig_count(const struct rig *rig, struct rig_counters *counters)
{
	*counters = rig->count;
	counters->virtual_ns = rig->clock->now();
	if (rig->clock->cpu)
		rig->clock->cpu(counters);
	counters->virtual_ns -= rig->since.virtual_ns;
	counters->busy_ns -= rig->since.busy_ns;
	counters->idle_ns -= rig->since.idle_ns;
	counters->instructions -= rig->since.instructions;
	counters->interrupts -= rig->since.interrupts;
	counters->reads -= rig->since.reads;
	counters->writes -= rig->since.writes;
	counters->fast_reads -= rig->since.fast_reads;
	counters->fast_writes -= rig->since.fast_writes;
}

void rig_measure_start(struct rig *rig)
{
	struct rig_counters now;

	memset(&rig->since, 0, sizeof(rig->since));
	rig_count(rig, &now);
	rig->since = now;
	rig->board->type->counters_reset(rig->board);
	canbus_stats_reset(rig->bus);
	for (size_t i = 0; i < rig->options.peers; i++)
		peer_stats_reset(rig->peer[i]);
	rig->measuring = RIG_MEASURING;
}

void rig_measure_stop(struct rig *rig)
{
	if (rig->measuring == RIG_AFTER)
		return;
	rig_write_result(rig);
	rig->measuring = RIG_AFTER;
}

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;
	ssize_t n;

	if (!f)
		return NULL;
	n = getdelim(&text, &room, '\0', f);
	if (n < 0 && !ferror(f)) {
		free(text);
		text = strdup("");	/* an empty file */
	} else if (n < 0) {
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

static bool add_peer(struct rig *rig, size_t i, char *err, size_t errlen)
{
	const char *path = rig->options.peer[i];
	const char *slash = strrchr(path, '/');
	char *script = read_file(path);
	char why[256];

	if (!script) {
		snprintf(err, errlen, "peer=%s: %s", path, strerror(errno));
		return false;
	}
	rig->peer[i] = peer_new(&rig->sim, rig->bus, slash ? slash + 1 : path, script, why,
				sizeof(why));
	free(script);
	if (!rig->peer[i]) {
		snprintf(err, errlen, "peer=%s: %s", path, why);
		return false;
	}
	peer_node(rig->peer[i])->bit_ns = 1000000000u / rig->options.bitrate;
	return true;
}

static bool make_board(struct rig *rig, char *err, size_t errlen)
{
	const struct board_type *type = rig->options.board;
	struct pci_ident ident = {
		.vendor = type->vendor,
		.device = type->device,
		.class = type->class,
		.revision = type->revision,
		.msi = type->msi && !rig->options.intx,
		.power_management = true,
	};
	char why[256] = "it says not why";

	memcpy(ident.bar_size, type->bar_size, sizeof(ident.bar_size));
	pci_function_init(&rig->board_fn, type->name, &ident, &board_ops, rig, &host_ops, rig);
	rig->board = type->create(&rig->sim, rig->bus, rig->options.board_option,
				  rig->options.board_options, why, sizeof(why));
	if (!rig->board) {
		snprintf(err, errlen, "board %s: %s", type->name, why);
		return false;
	}
	return true;
}

static bool open_log(struct rig *rig, char *err, size_t errlen)
{
	if (!rig->options.log)
		return true;
	rig->log = fopen(rig->options.log, "w");
	if (rig->log)
		return true;
	snprintf(err, errlen, "log=%s: %s", rig->options.log, strerror(errno));
	return false;
}

bool rig_start(struct rig *rig, const struct rig_options *options,
	       const struct rig_clock *clock, char *err, size_t errlen)
{
	memset(rig, 0, sizeof(*rig));
	rig->options = *options;
	rig->clock = clock;
	pthread_mutex_init(&rig->mutex, NULL);
	sim_init(&rig->sim, &sim_host, rig);
	if (!open_log(rig, err, errlen))
		return false;
	rig->bus = canbus_new(&rig->sim);
	if (!rig->bus) {
		snprintf(err, errlen, "out of memory");
		return false;
	}
	if (!make_board(rig, err, errlen))
		return false;
	for (size_t i = 0; i < options->peers; i++) {
		if (!add_peer(rig, i, err, errlen))
			return false;
	}
	pci_function_init(&rig->control_fn, "control", &control_ident, &control_ops, rig,
			  &host_ops, rig);
	rig->board_listener = vfio_user_listen(&rig->board_fn, options->sock, err, errlen);
	if (!rig->board_listener)
		return false;
	if (options->ctl) {
		rig->control_listener = vfio_user_listen(&rig->control_fn, options->ctl, err,
							 errlen);
		if (!rig->control_listener)
			return false;
	}
	return true;
}

void rig_stop(struct rig *rig)
{
	rig_measure_stop(rig);
	if (rig->log)
		fclose(rig->log);
	rig->log = NULL;
	if (rig->board_listener)
		vfio_user_unlink(rig->board_listener);
	if (rig->control_listener)
		vfio_user_unlink(rig->control_listener);
}
