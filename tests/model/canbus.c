// SPDX-License-Identifier: GPL-2.0-only
/*
 * The bus as long as all goes well: who may start, who wins, what is reported at
 * which bit. As soon as one bit of a frame is not what its sender wants,
 * canbus_error.c plays the following bits one by one.
 */
#include "canbus_priv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bit times that differ by more than 15 in 1000 do not understand each other. */
static bool fits(uint32_t bit_ns, uint32_t sender)
{
	uint32_t diff = bit_ns > sender ? bit_ns - sender : sender - bit_ns;

	return (uint64_t)diff * 1000 <= (uint64_t)sender * 15;
}

/* The bit at whose end a node with a wrong bit time gives up (our choice). */
static unsigned int misfit_bit(const struct canbus *bus)
{
	return bus->layout.header + 1;
}

static unsigned int senders(const struct canbus *bus)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < bus->nodes; i++)
		n += bus->node[i]->transmitting && !bus->node[i]->contending &&
		     bus->node[i]->mode != CANBUS_LOOPBACK;
	return n;
}

static bool acknowledged(const struct canbus *bus)
{
	if (bus->acked)
		return true;
	for (unsigned int i = 0; i < bus->nodes; i++) {
		if (bus->node[i]->receiving && bus->node[i]->mode == CANBUS_NORMAL)
			return true;
	}
	return false;
}

/* A node waits for 11 recessive bits, counted from @from or its own start. */
static void arm_wait(struct canbus_node *n, uint64_t from)
{
	const struct canbus *bus = n->bus;
	uint32_t bit_ns = n->bit_ns;

	/* a node that can follow the bus resynchronises to it */
	if (n->mode != CANBUS_LOOPBACK && bus->bit_ns && fits(bit_ns, bus->bit_ns))
		bit_ns = bus->bit_ns;
	if (n->quiet_from < from)
		n->quiet_from = from;
	sim_at(bus->sim, &n->timer, n->quiet_from + (uint64_t)QUIET_BITS * bit_ns);
}

static bool waiting(const struct canbus_node *n)
{
	return n->running && !n->integrated;
}

static void waited(struct canbus_node *n)
{
	if (!n->bus_off) {
		n->integrated = true;
	} else if (--n->recovery_left) {
		arm_wait(n, n->bus->sim->now);
		if (n->ops->recovery)
			n->ops->recovery(n->arg, n->recovery_left);
		return;
	} else {
		canbus_recovered(n);
	}
	canbus_node_kick(n);
}

static void node_timer(void *arg)
{
	struct canbus_node *n = arg;

	if (waiting(n))
		waited(n);
	else
		canbus_loop_step(n);
}

/* Let the frame go on to the next bit where something is due. */
static void schedule(struct canbus *bus)
{
	const struct canbus_layout *l = &bus->layout;
	unsigned int next = l->bits;

#define DUE(at) do {							\
	if ((at) > bus->bit && (at) < next)				\
		next = (at);						\
} while (0)
	DUE(l->header);
	DUE(l->bits - 1);
	if (bus->trouble != NO_BIT)
		DUE(bus->trouble + 1);
	if (bus->misfits)
		DUE(misfit_bit(bus) + 1);
	if (!acknowledged(bus))
		DUE(canbus_ack_slot(l) + 1);
	for (unsigned int i = 0; i < bus->nodes; i++) {
		if (bus->node[i]->contending)
			DUE(bus->node[i]->lost_bit + 1);
	}
#undef DUE
	sim_at(bus->sim, &bus->step, canbus_bit_time(bus, next));
}

/* Which bit of the frame begins now (or has begun, when between two). */
static unsigned int bits_gone(const struct canbus *bus)
{
	return (bus->sim->now - bus->sof + bus->bit_ns - 1) / bus->bit_ns;
}

/* @end is the first bit of the intermission. */
static void finish(struct canbus *bus, unsigned int end)
{
	uint64_t open = canbus_bit_time(bus, end + INTERMISSION_BITS);

	bus->phase = BUS_INTERMISSION;
	bus->idle_from = open;
	bus->stats.busy_ns += open - bus->sof;
	for (unsigned int i = 0; i < bus->nodes; i++) {
		struct canbus_node *n = bus->node[i];

		if (n->mode == CANBUS_LOOPBACK)
			continue;
		n->transmitting = false;
		n->receiving = false;
		n->contending = false;
		if (n->suspended && canbus_node_passive(n))
			n->ready_at = open + (uint64_t)SUSPEND_BITS * bus->bit_ns;
		n->suspended = false;
		if (waiting(n))
			arm_wait(n, bus->quiet_from);
	}
	sim_at(bus->sim, &bus->step, open);
}

static void lose(struct canbus *bus, struct canbus_node *n)
{
	n->contending = false;
	n->transmitting = false;
	n->receiving = true;
	bus->stats.arbitration_lost++;
	if (n->ops->tx_lost)
		n->ops->tx_lost(n->arg);
}

static void received(struct canbus *bus, struct canbus_node *n)
{
	canbus_received_well(n);
	if (n->receiving && n->ops->rx_frame)
		n->ops->rx_frame(n->arg, &bus->frame);
}

static void sent(struct canbus_node *n)
{
	n->transmitting = false;
	n->suspended = true;
	canbus_sent_well(n);
	if (n->ops->tx_done)
		n->ops->tx_done(n->arg, &n->tx);
}

static void count_frame(struct canbus *bus)
{
	bus->stats.frames++;
	bus->stats.last_eof = canbus_bit_time(bus, bus->layout.bits);
}

static void trouble_step(struct canbus *bus)
{
	bus->bit = bits_gone(bus);
	while (bus->next_outcome < bus->outcomes &&
	       bus->outcome[bus->next_outcome].bit < bus->bit) {
		const struct outcome *o = &bus->outcome[bus->next_outcome++];
		struct canbus_node *n = o->node;

		/* detached, stopped or bus-off meanwhile */
		if (!n || !canbus_on_wire(n))
			continue;
		switch (o->kind) {
		case OUTCOME_ERROR:
			n->suspended = o->transmitting;
			n->transmitting = false;
			n->receiving = false;
			canbus_fault(n, o->tec, o->rec, o->error, o->transmitting);
			break;
		case OUTCOME_COUNT:
			canbus_fault(n, o->tec, o->rec, CANBUS_OK, o->transmitting);
			break;
		case OUTCOME_LOST:
			lose(bus, n);
			break;
		case OUTCOME_VALID:
			received(bus, n);
			break;
		case OUTCOME_DONE:
			count_frame(bus);
			sent(n);
			break;
		}
	}
	if (bus->next_outcome < bus->outcomes) {
		unsigned int bit = bus->outcome[bus->next_outcome].bit + 1;

		sim_at(bus->sim, &bus->step, canbus_bit_time(bus, bit));
		return;
	}
	if (bus->bit < bus->end) {
		sim_at(bus->sim, &bus->step, canbus_bit_time(bus, bus->end));
		return;
	}
	bus->quiet_from = bus->last_dominant == NO_BIT ? bus->sof :
			  canbus_bit_time(bus, bus->last_dominant + 1);
	finish(bus, bus->end);
}

static void begin_trouble(struct canbus *bus, unsigned int from)
{
	bus->phase = BUS_TROUBLE;
	bus->next_outcome = 0;
	canbus_play_trouble(bus, from);
	for (unsigned int i = 0; i < bus->outcomes; i++) {
		if (bus->outcome[i].kind == OUTCOME_ERROR) {
			bus->stats.errors++;
			break;
		}
	}
	trouble_step(bus);
}

/*
 * Nodes with a wrong bit time give up: true if one of them flags it in a way
 * that others see.
 */
static bool misfits_destroy(struct canbus *bus)
{
	for (unsigned int i = 0; i < bus->nodes; i++) {
		const struct canbus_node *n = bus->node[i];

		if (n->misfit && canbus_on_wire(n) && n->mode == CANBUS_NORMAL &&
		    !canbus_node_passive(n))
			return true;
	}
	return false;
}

static void misfits_suffer(struct canbus *bus)
{
	for (unsigned int i = 0; i < bus->nodes; i++) {
		struct canbus_node *n = bus->node[i];

		if (!n->misfit || !canbus_on_wire(n))
			continue;
		n->misfit = false;
		canbus_fault(n, 0, 1, CANBUS_STUFF_ERROR, false);
	}
}

static void report_losers(struct canbus *bus)
{
	for (unsigned int i = 0; i < bus->nodes; i++) {
		struct canbus_node *n = bus->node[i];

		/* a bit that is disturbed decides nothing, see canbus_error.c */
		if (n->contending && n->lost_bit < bus->bit && n->lost_bit != bus->flip)
			lose(bus, n);
	}
}

static void report_header(struct canbus *bus)
{
	for (unsigned int i = 0; i < bus->nodes; i++) {
		struct canbus_node *n = bus->node[i];

		if (n->receiving && n->ops->rx_header)
			n->ops->rx_header(n->arg, &bus->frame);
	}
}

static void report_valid(struct canbus *bus)
{
	for (unsigned int i = 0; i < bus->nodes; i++) {
		if (bus->node[i]->receiving)
			received(bus, bus->node[i]);
	}
}

static void report_done(struct canbus *bus)
{
	bool complete = false;

	for (unsigned int i = 0; i < bus->nodes; i++) {
		struct canbus_node *n = bus->node[i];

		if (!n->transmitting || n->mode == CANBUS_LOOPBACK)
			continue;
		if (!complete)
			count_frame(bus);
		complete = true;
		sent(n);
	}
	/* the last dominant bit is the ACK slot, eight recessive ones follow */
	bus->quiet_from = canbus_bit_time(bus, canbus_ack_slot(&bus->layout) + 1);
	finish(bus, bus->layout.bits);
}

static void frame_step(struct canbus *bus)
{
	const struct canbus_layout *l = &bus->layout;
	unsigned int bit = bits_gone(bus);

	bus->bit = bit;
	report_losers(bus);
	if (bus->trouble != NO_BIT && bit == bus->trouble + 1) {
		begin_trouble(bus, bus->trouble);
		return;
	}
	if (bus->misfits && bit == misfit_bit(bus) + 1) {
		if (misfits_destroy(bus)) {
			begin_trouble(bus, misfit_bit(bus));
			return;
		}
		misfits_suffer(bus);
	}
	if (bit == canbus_ack_slot(l) + 1 && !acknowledged(bus)) {
		begin_trouble(bus, canbus_ack_slot(l));
		return;
	}
	if (bit == l->header)
		report_header(bus);
	if (bit == l->bits - 1)
		report_valid(bus);
	if (bit == l->bits)
		report_done(bus);
	else
		schedule(bus);
}

/* The bit that an injection wishes for, or the next one where it can work. */
static unsigned int injected_bit(const struct canbus *bus, int wish)
{
	uint8_t bit[CANBUS_MAX_BITS];
	struct canbus_layout l;
	unsigned int at = wish;

	canbus_bits(&bus->frame, &l, bit);
	if (wish < 0)
		return (l.header + l.crc_end) / 2;
	if (at >= l.bits)
		return l.bits - 1;
	/* recessive made dominant there is lost arbitration, not an error */
	while (at < l.arbitration && bit[at])
		at++;
	return at;
}

static void inject(struct canbus *bus, const struct canbus_node *sender)
{
	unsigned int kept = 0;

	for (unsigned int i = 0; i < bus->injections; i++) {
		struct injection in = bus->injection[i];

		if (in.sender && (in.sender == sender) == in.others) {
			/* not this frame */
		} else if (in.skip) {
			in.skip--;
		} else {
			in.count--;
			if (bus->flip == NO_BIT)
				bus->flip = injected_bit(bus, in.bit);
		}
		if (in.count)
			bus->injection[kept++] = in;
	}
	bus->injections = kept;
}

static bool same_frame(const struct canbus_frame *a, const struct canbus_frame *b)
{
	return !canbus_arbitrate(a, b) && (a->dlc & 15) == (b->dlc & 15) &&
	       !memcmp(a->data, b->data, canbus_data_len(a));
}

/* The first bit where the frame of @n differs from the winner's. */
static unsigned int first_difference(const struct canbus *bus, const struct canbus_node *n)
{
	uint8_t a[CANBUS_MAX_BITS], b[CANBUS_MAX_BITS];
	struct canbus_layout la, lb;
	unsigned int i = 0;

	canbus_bits(&bus->frame, &la, a);
	canbus_bits(&n->tx, &lb, b);
	while (i < la.bits && i < lb.bits && a[i] == b[i])
		i++;
	return i;
}

static void cast_sender(struct canbus *bus, struct canbus_node *n, struct canbus_node *winner)
{
	if (n == winner)
		return;
	if (!fits(n->bit_ns, bus->bit_ns)) {
		/* two rates at once make a mess for both */
		n->misfit = true;
		bus->misfits = true;
		bus->flip = misfit_bit(bus);
	} else if (canbus_arbitrate(&bus->frame, &n->tx)) {
		n->contending = true;
		n->lost_bit = first_difference(bus, n);
	} else if (!same_frame(&bus->frame, &n->tx)) {
		unsigned int bit = first_difference(bus, n);

		if (bit < bus->trouble)
			bus->trouble = bit;
	}
}

/* Give every node its part in the frame that begins now. */
static void cast(struct canbus *bus, struct canbus_node *winner)
{
	bus->misfits = false;
	bus->flip = NO_BIT;
	bus->trouble = NO_BIT;
	for (unsigned int i = 0; i < bus->nodes; i++) {
		struct canbus_node *n = bus->node[i];

		if (n->mode == CANBUS_LOOPBACK)
			continue;
		n->receiving = false;
		n->contending = false;
		n->misfit = false;
		/* a wait that ends right now has run before: it was asked for earlier */
		if (waiting(n))
			sim_cancel(bus->sim, &n->timer);
		if (!canbus_on_wire(n))
			continue;
		if (n->transmitting) {
			cast_sender(bus, n, winner);
			continue;
		}
		n->receiving = fits(n->bit_ns, bus->bit_ns);
		n->misfit = !n->receiving;
		bus->misfits |= n->misfit;
	}
	inject(bus, winner);
	if (bus->flip < bus->trouble)
		bus->trouble = bus->flip;
}

static void count_gap(struct canbus *bus)
{
	struct canbus_stats *s = &bus->stats;
	uint64_t gap = bus->sim->now - bus->idle_from;

	if (!s->first_sof)
		s->first_sof = bus->sim->now;
	else if (gap) {
		s->gaps++;
		if (s->max_gap_ns < gap)
			s->max_gap_ns = gap;
	}
}

static void report_sof(const struct canbus *bus)
{
	for (unsigned int i = 0; i < bus->nodes; i++) {
		const struct canbus_node *n = bus->node[i];

		if (n->ops->sof && n->mode != CANBUS_LOOPBACK)
			n->ops->sof(n->arg);
	}
}

static void begin_frame(struct canbus *bus, struct canbus_node *winner)
{
	bus->phase = BUS_FRAME;
	count_gap(bus);
	bus->sof = bus->sim->now;
	bus->bit_ns = winner->bit_ns;
	bus->frame = winner->tx;
	bus->bit = 0;
	bus->acked = false;
	canbus_layout(&bus->frame, &bus->layout);
	cast(bus, winner);
	schedule(bus);
	report_sof(bus);
}

static void ask(struct canbus *bus)
{
	for (unsigned int i = 0; i < bus->nodes; i++) {
		struct canbus_node *n = bus->node[i];

		if (!canbus_on_wire(n) || n->mode != CANBUS_NORMAL || !n->ops->want_tx ||
		    n->ready_at > bus->sim->now)
			continue;
		bus->asking = n;
		n->transmitting = n->ops->want_tx(n->arg, &n->tx) && canbus_on_wire(n);
	}
	bus->asking = NULL;
}

/* The frame whose bits are dominant first, also after the arbitration field. */
static bool beats(const struct canbus_frame *x, const struct canbus_frame *y)
{
	uint8_t a[CANBUS_MAX_BITS], b[CANBUS_MAX_BITS];
	int order = canbus_arbitrate(x, y);
	struct canbus_layout la, lb;

	if (order)
		return order < 0;
	canbus_bits(x, &la, a);
	canbus_bits(y, &lb, b);
	return memcmp(a, b, la.bits < lb.bits ? la.bits : lb.bits) < 0;
}

static struct canbus_node *find_winner(const struct canbus *bus)
{
	struct canbus_node *winner = NULL;

	for (unsigned int i = 0; i < bus->nodes; i++) {
		struct canbus_node *n = bus->node[i];

		if (n->transmitting && n->mode != CANBUS_LOOPBACK &&
		    (!winner || beats(&n->tx, &winner->tx)))
			winner = n;
	}
	return winner;
}

static void wait_for_suspended(struct canbus *bus)
{
	uint64_t at = SIM_NEVER;

	for (unsigned int i = 0; i < bus->nodes; i++) {
		const struct canbus_node *n = bus->node[i];

		if (canbus_on_wire(n) && n->ready_at > bus->sim->now && n->ready_at < at)
			at = n->ready_at;
	}
	sim_at(bus->sim, &bus->step, at);
}

/* The bus is free: a frame may begin now. */
static void open_bus(struct canbus *bus)
{
	struct canbus_node *winner;

	bus->phase = BUS_STARTING;
	bus->asked_again = false;
	ask(bus);
	winner = find_winner(bus);
	if (winner) {
		begin_frame(bus, winner);
		return;
	}
	bus->phase = BUS_IDLE;
	if (bus->asked_again)
		sim_at(bus->sim, &bus->step, bus->sim->now);
	else
		wait_for_suspended(bus);
}

static void bus_step(void *arg)
{
	struct canbus *bus = arg;

	if (bus->phase == BUS_FRAME)
		frame_step(bus);
	else if (bus->phase == BUS_TROUBLE)
		trouble_step(bus);
	else
		open_bus(bus);
}

struct canbus *canbus_new(struct sim *sim)
{
	struct canbus *bus = calloc(1, sizeof(*bus));

	if (!bus)
		return NULL;
	bus->sim = sim;
	bus->phase = BUS_IDLE;
	sim_event_init(&bus->step, bus_step, bus);
	return bus;
}

void canbus_free(struct canbus *bus)
{
	if (!bus)
		return;
	while (bus->nodes)
		canbus_detach(bus->node[bus->nodes - 1]);
	sim_cancel(bus->sim, &bus->step);
	free(bus);
}

void canbus_attach(struct canbus *bus, struct canbus_node *n)
{
	const struct canbus_node given = *n;

	if (bus->nodes == CANBUS_MAX_NODES) {
		fprintf(stderr, "canbus: no room for node %s, raise CANBUS_MAX_NODES\n", n->name);
		abort();
	}
	memset(n, 0, sizeof(*n));
	n->name = given.name;
	n->ops = given.ops;
	n->arg = given.arg;
	n->mode = given.mode;
	n->bit_ns = given.bit_ns;
	n->recovery_sequences = given.recovery_sequences;
	n->bus = bus;
	sim_event_init(&n->timer, node_timer, n);
	bus->node[bus->nodes++] = n;
}

void canbus_detach(struct canbus_node *n)
{
	struct canbus *bus = n->bus;
	unsigned int kept = 0;

	if (!bus)
		return;
	canbus_node_stop(n);
	for (unsigned int i = 0; i < bus->nodes; i++) {
		if (bus->node[i] != n)
			bus->node[kept++] = bus->node[i];
	}
	bus->nodes = kept;
	kept = 0;
	for (unsigned int i = 0; i < bus->injections; i++) {
		if (bus->injection[i].sender != n)
			bus->injection[kept++] = bus->injection[i];
	}
	bus->injections = kept;
	for (unsigned int i = 0; i < bus->outcomes; i++) {
		if (bus->outcome[i].node == n)
			bus->outcome[i].node = NULL;
	}
	n->bus = NULL;
}

const struct canbus_stats *canbus_stats(const struct canbus *bus)
{
	return &bus->stats;
}

void canbus_stats_reset(struct canbus *bus)
{
	memset(&bus->stats, 0, sizeof(bus->stats));
}

void canbus_node_start(struct canbus_node *n)
{
	struct canbus *bus = n->bus;

	if (!n->bit_ns) {
		fprintf(stderr, "canbus: node %s started with bit time 0\n", n->name);
		abort();
	}
	if (n->running)
		return;
	n->running = true;
	n->integrated = false;
	n->recovery_left = n->recovery_sequences ? n->recovery_sequences : RECOVERY_SEQUENCES;
	n->quiet_from = bus->sim->now;
	n->ready_at = 0;
	/* during a frame finish() begins the count */
	if (n->mode == CANBUS_LOOPBACK || bus->phase == BUS_IDLE ||
	    bus->phase == BUS_INTERMISSION)
		arm_wait(n, bus->sim->now);
}

/* The only sender has gone: the rest of the frame is recessive. */
static void truncate_frame(struct canbus *bus)
{
	unsigned int bit = bits_gone(bus);

	for (unsigned int i = 0; i < bus->nodes; i++) {
		if (bus->node[i]->contending)
			lose(bus, bus->node[i]);
	}
	if (bit < bus->bit)
		bit = bus->bit;
	if (bit < bus->trouble)
		bus->trouble = bit;
}

void canbus_node_stop(struct canbus_node *n)
{
	struct canbus *bus = n->bus;
	bool sender = n->transmitting && n->mode != CANBUS_LOOPBACK;
	bool receiver = n->receiving && n->mode == CANBUS_NORMAL;

	n->running = false;
	n->integrated = false;
	n->transmitting = false;
	n->contending = false;
	n->receiving = false;
	n->suspended = false;
	n->loop_phase = 0;
	if (!bus)
		return;
	sim_cancel(bus->sim, &n->timer);
	if (bus->phase != BUS_FRAME || n->mode == CANBUS_LOOPBACK)
		return;
	if (receiver && bus->sim->now >= canbus_bit_time(bus, canbus_ack_slot(&bus->layout) + 1))
		bus->acked = true;
	if (sender && !senders(bus))
		truncate_frame(bus);
	schedule(bus);
}

void canbus_node_kick(struct canbus_node *n)
{
	struct canbus *bus = n->bus;
	uint64_t at = bus->sim->now;

	if (!n->running || !n->integrated)
		return;
	if (n->mode == CANBUS_LOOPBACK) {
		canbus_loop_kick(n);
	} else if (bus->phase == BUS_STARTING) {
		bus->asked_again |= n != bus->asking;
	} else if (bus->phase == BUS_IDLE) {
		if (at < n->ready_at)
			at = n->ready_at;
		if (!sim_armed(&bus->step) || bus->step.at > at)
			sim_at(bus->sim, &bus->step, at);
	}
}

static void add_injection(struct canbus *bus, struct injection in)
{
	if (!in.count)
		return;
	if (bus->injections == MAX_INJECTIONS) {
		fprintf(stderr, "canbus: more than %d injections wait\n", MAX_INJECTIONS);
		abort();
	}
	bus->injection[bus->injections++] = in;
}

void canbus_destroy(struct canbus *bus, const struct canbus_node *sender,
		    unsigned int skip, unsigned int count, int bit)
{
	add_injection(bus, (struct injection){ sender, false, skip, count, bit });
}

void canbus_destroy_others(struct canbus *bus, const struct canbus_node *node,
			   unsigned int skip, unsigned int count, int bit)
{
	add_injection(bus, (struct injection){ node, true, skip, count, bit });
}

bool canbus_idle(const struct canbus *bus)
{
	return bus->phase == BUS_IDLE && !sim_armed(&bus->step);
}
