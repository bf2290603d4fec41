// SPDX-License-Identifier: GPL-2.0-only
/*
 * A peer at work: runs its script (peer_script.c) from one event, answers the
 * bus, and lets peer_check.c look at what it receives.
 *
 * Nothing here waits or calls itself: whatever ends a wait only arms the event
 * that goes on with the script, at the same time.
 */
#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "peer_check.h"
#include "peer_log.h"
#include "peer_script.h"

#define IDLE_BITS 11

struct loop {
	size_t begin;
	uint64_t left;
};

struct peer {
	struct sim *sim;
	struct canbus *bus;
	struct canbus_node node;
	char *name;
	struct peer_script script;
	size_t at;			/* the command under way */
	bool entered;			/* ... has begun and waits */
	bool placed;			/* it is settled whether the node is on the bus */
	struct sim_event step;
	struct sim_event retry;		/* end of bus-off pause */
	struct sim_event due;		/* time of the next frame, or of a look at the bus */
	struct loop loop[PEER_NESTING];
	unsigned int depth;
	unsigned int signals[PEER_SIGNALS];

	const struct peer_send *sending;	/* NULL: nothing to send */
	uint64_t sent;			/* ... frames of it */
	uint64_t send_from;		/* time of its beginning */
	uint64_t next_at;		/* earliest time of its next frame */
	uint32_t counter;		/* of the next frame; runs on through the script */
	uint64_t random;

	struct peer_check *check;
	struct peer_log log;
	struct peer_stats stats;
};

/* splitmix64: each n has its number, so that a repeated frame stays the same */
static uint64_t mix(uint64_t n)
{
	n += 0x9e3779b97f4a7c15;
	n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9;
	n = (n ^ (n >> 27)) * 0x94d049bb133111eb;
	return n ^ (n >> 31);
}

static const struct peer_command *command(const struct peer *p)
{
	return p->at < p->script.commands ? &p->script.command[p->at] : NULL;
}

static bool waits_for(const struct peer *p, enum peer_op op)
{
	return p->entered && command(p)->op == op;
}

/* The command under way is over. */
static void go_on(struct peer *p)
{
	p->entered = false;
	p->at++;
	sim_at(p->sim, &p->step, p->sim->now);
}

static void on_bus(struct peer *p)
{
	p->placed = true;
	canbus_node_start(&p->node);
}

/* Sending */

static void make_frame(const struct peer *p, struct canbus_frame *f)
{
	const struct peer_send *s = p->sending;
	uint32_t n = p->counter;
	uint64_t random;

	memset(f, 0, sizeof(*f));
	f->id = s->ids.first + n % peer_ids_count(&s->ids) * s->ids.step;
	f->ext = s->ext;
	f->rtr = s->rtr;
	f->dlc = s->dlc;
	switch (s->data) {
	case PEER_DATA_FIXED:
		memcpy(f->data, s->bytes, sizeof(f->data));
		break;
	case PEER_DATA_COUNTER:
		for (unsigned int i = 0; i < 4 && i < s->dlc; i++)
			f->data[i] = n >> (8 * i);
		break;
	case PEER_DATA_RANDOM:
		random = mix(s->seed ^ mix(n));
		for (unsigned int i = 0; i < 8 && i < s->dlc; i++)
			f->data[i] = random >> (8 * i);
		break;
	}
}

static bool want_tx(void *arg, struct canbus_frame *frame)
{
	struct peer *p = arg;

	if (!p->sending || p->next_at > p->sim->now)
		return false;
	make_frame(p, frame);
	return true;
}

static uint64_t pause_time(struct peer *p)
{
	const struct peer_send *s = p->sending;
	uint64_t span = s->delay_max - s->delay_min + 1;

	if (!s->delay_max)
		return 0;
	return s->delay_min + mix(s->seed + p->random++) % span;
}

static void tx_done(void *arg, const struct canbus_frame *frame)
{
	struct peer *p = arg;
	const struct peer_send *s = p->sending;

	p->stats.sent++;
	peer_log_add(&p->log, &(struct peer_log_entry){
		.at = p->sim->now, .frame = *frame, .own = true,
	});
	if (!s)
		return;
	p->counter++;
	p->next_at = s->every ? p->send_from + (p->sent + 1) * s->every :
				p->sim->now + pause_time(p);
	if (++p->sent == s->count) {
		p->sending = NULL;
		go_on(p);
	} else if (p->next_at > p->sim->now) {
		sim_at(p->sim, &p->due, p->next_at);
	}
}

static void begin_send(struct peer *p, const struct peer_send *s)
{
	p->sending = s;
	p->sent = 0;
	p->send_from = p->sim->now;
	p->next_at = p->sim->now;
	p->random = 0;
	if (s->restart_counter)
		p->counter = s->first;
	canbus_node_kick(&p->node);
}

/* Receiving */

static bool matches(const struct peer_match *m, const struct canbus_frame *f)
{
	return peer_ids_match(&m->ids, f->id) && (m->rtr ? f->rtr : true) &&
	       (m->ext == f->ext || (m->ids.any && !m->ext));
}

static void count_missing(struct peer *p)
{
	p->stats.missing = 0;
	for (size_t i = 0; i < p->script.expects; i++)
		p->stats.missing += peer_check_missing(&p->check[i]);
}

static void check(struct peer *p, const struct canbus_frame *frame)
{
	for (size_t i = 0; i < p->script.expects; i++) {
		if (peer_check_matches(&p->check[i], frame)) {
			peer_check_frame(&p->check[i], frame, &p->stats);
			count_missing(p);
			return;
		}
	}
	/* who expects nothing does not care */
	if (p->script.expects)
		p->stats.unexpected++;
}

static void rx_frame(void *arg, const struct canbus_frame *frame)
{
	struct peer *p = arg;

	p->stats.received++;
	peer_log_add(&p->log, &(struct peer_log_entry){ .at = p->sim->now, .frame = *frame });
	check(p, frame);
	if ((waits_for(p, PEER_WAIT_FRAME) && matches(&command(p)->match, frame)) ||
	    (waits_for(p, PEER_WAIT_EXPECTED) && !p->stats.missing))
		go_on(p);
}

/* Errors */

static void error(void *arg, enum canbus_error error, bool transmitting)
{
	struct peer *p = arg;

	p->stats.errors++;
	peer_log_add(&p->log, &(struct peer_log_entry){
		.at = p->sim->now, .own = transmitting, .error = error,
		.tec = p->node.tec, .rec = p->node.rec,
	});
}

static void state(void *arg)
{
	struct peer *p = arg;

	if (!p->node.bus_off)
		return;
	p->stats.bus_offs++;
	if (p->script.restart)
		sim_at(p->sim, &p->retry, p->sim->now + p->script.restart);
}

static const struct canbus_node_ops ops = {
	.want_tx = want_tx,
	.tx_done = tx_done,
	.rx_frame = rx_frame,
	.error = error,
	.state = state,
};

/* The script */

static void change_node(struct peer *p, const struct peer_command *c)
{
	bool running = p->node.running;

	canbus_node_stop(&p->node);
	if (c->op == PEER_BITRATE)
		p->node.bit_ns = c->number;
	else
		p->node.mode = c->number;
	if (running)
		canbus_node_start(&p->node);
}

static void inject(struct peer *p, const struct peer_destroy *d)
{
	if (d->who == PEER_OTHER)
		canbus_destroy_others(p->bus, &p->node, d->skip, d->count, d->bit);
	else
		canbus_destroy(p->bus, d->who == PEER_ME ? &p->node : NULL, d->skip, d->count,
			       d->bit);
}

static void end_of_loop(struct peer *p, const struct peer_command *c)
{
	struct loop *loop = &p->loop[p->depth - 1];

	if (loop->left != PEER_FOREVER)
		loop->left--;
	if (loop->left)
		p->at = c->other;	/* the repeat; the command after it is next */
	else
		p->depth--;
}

static void look_again(struct peer *p)
{
	sim_at(p->sim, &p->due, p->sim->now + (uint64_t)IDLE_BITS * p->node.bit_ns);
}

/* Begin a command; true if it is over at once. */
static bool begin(struct peer *p, const struct peer_command *c)
{
	switch (c->op) {
	case PEER_BITRATE:
	case PEER_MODE:
		change_node(p, c);
		return true;
	case PEER_START:
		on_bus(p);
		return true;
	case PEER_STOP:
		sim_cancel(p->sim, &p->retry);
		canbus_node_stop(&p->node);
		return true;
	case PEER_DESTROY:
		inject(p, &c->destroy);
		return true;
	case PEER_REPEAT:
		p->loop[p->depth++] = (struct loop){ p->at, c->number };
		return true;
	case PEER_END:
		end_of_loop(p, c);
		return true;
	case PEER_SEND:
		begin_send(p, &c->send);
		return false;
	case PEER_WAIT_TIME:
		sim_at(p->sim, &p->due, p->sim->now + c->number);
		return false;
	case PEER_WAIT_SIGNAL:
		if (!p->signals[c->number])
			return false;
		p->signals[c->number]--;
		return true;
	case PEER_WAIT_FRAME:
		return false;
	case PEER_WAIT_IDLE:
		look_again(p);
		return false;
	case PEER_WAIT_EXPECTED:
		return !p->stats.missing;
	}
	return true;
}

/* What only describes the node leaves it off the bus. */
static bool is_setting(enum peer_op op)
{
	return op == PEER_BITRATE || op == PEER_MODE || op == PEER_REPEAT;
}

static void run(void *arg)
{
	struct peer *p = arg;
	const struct peer_command *c;

	while ((c = command(p))) {
		if (!p->placed && !is_setting(c->op))
			on_bus(p);
		p->entered = true;
		if (!begin(p, c))
			return;
		p->entered = false;
		p->at++;
	}
	if (!p->placed)
		on_bus(p);
}

static void due(void *arg)
{
	struct peer *p = arg;

	if (p->sending)
		canbus_node_kick(&p->node);
	else if (waits_for(p, PEER_WAIT_TIME) ||
		 (waits_for(p, PEER_WAIT_IDLE) && canbus_idle(p->bus)))
		go_on(p);
	else if (waits_for(p, PEER_WAIT_IDLE))
		look_again(p);
}

static void retry(void *arg)
{
	struct peer *p = arg;

	canbus_node_start(&p->node);
}

struct peer *peer_new(struct sim *sim, struct canbus *bus, const char *name,
		      const char *script, char *err, size_t errlen)
{
	struct peer *p = calloc(1, sizeof(*p));
	char why[256];

	if (!p)
		abort();
	if (!peer_script_parse(&p->script, script, why, sizeof(why))) {
		snprintf(err, errlen, "%s: %s", name, why);
		free(p);
		return NULL;
	}
	p->sim = sim;
	p->bus = bus;
	p->name = strdup(name);
	p->check = calloc(p->script.expects + 1, sizeof(*p->check));
	if (!p->name || !p->check)
		abort();
	for (size_t i = 0; i < p->script.expects; i++)
		peer_check_init(&p->check[i], &p->script.expect[i]);
	count_missing(p);
	peer_log_init(&p->log, p->script.log);
	p->node = (struct canbus_node){
		.name = p->name, .ops = &ops, .arg = p, .mode = CANBUS_NORMAL, .bit_ns = 1000,
	};
	canbus_attach(bus, &p->node);
	sim_event_init(&p->step, run, p);
	sim_event_init(&p->retry, retry, p);
	sim_event_init(&p->due, due, p);
	sim_at(sim, &p->step, sim->now);
	return p;
}

void peer_free(struct peer *p)
{
	if (!p)
		return;
	canbus_detach(&p->node);
	sim_cancel(p->sim, &p->step);
	sim_cancel(p->sim, &p->retry);
	sim_cancel(p->sim, &p->due);
	peer_log_free(&p->log);
	peer_script_free(&p->script);
	free(p->check);
	free(p->name);
	free(p);
}

void peer_signal(struct peer *p, unsigned int n)
{
	if (n >= PEER_SIGNALS)
		return;
	if (waits_for(p, PEER_WAIT_SIGNAL) && command(p)->number == n)
		go_on(p);
	else
		p->signals[n]++;
}

bool peer_done(const struct peer *p)
{
	return !command(p);
}

const struct peer_stats *peer_stats(const struct peer *p)
{
	return &p->stats;
}

void peer_stats_reset(struct peer *p)
{
	memset(&p->stats, 0, sizeof(p->stats));
	count_missing(p);
}

struct canbus_node *peer_node(struct peer *p)
{
	return &p->node;
}

unsigned int peer_line(const struct peer *p)
{
	const struct peer_command *c = command(p);

	return c ? c->line : 0;
}

size_t peer_log_text(const struct peer *p, char *buf, size_t len)
{
	return peer_log_print(&p->log, buf, len);
}
