// SPDX-License-Identifier: GPL-2.0-only
/* The clock: events run once, at their time, in the order of asking. */
#include "sim.h"
#include "tap.h"

#include <string.h>

static struct sim sim;
static char order[64];
static uint64_t times[64];
static size_t ran;

struct probe {
	struct sim_event ev;
	char name;
	void (*then)(struct probe *p);
};

static struct probe a, b, c, d;

static void note(void *arg)
{
	struct probe *p = arg;

	times[ran] = sim.now;
	order[ran++] = p->name;
	order[ran] = '\0';
	if (p->then)
		p->then(p);
}

static void probe(struct probe *p, char name)
{
	memset(p, 0, sizeof(*p));
	p->name = name;
	sim_event_init(&p->ev, note, p);
}

static void fresh(const struct sim_host *host)
{
	sim_free(&sim);
	sim_init(&sim, host, &sim);
	ran = 0;
	order[0] = '\0';
	probe(&a, 'a');
	probe(&b, 'b');
	probe(&c, 'c');
	probe(&d, 'd');
}

static void test_order(void)
{
	fresh(NULL);
	is(sim_next(&sim), SIM_NEVER, "an empty queue has no next event");
	sim_at(&sim, &a.ev, 30);
	sim_at(&sim, &b.ev, 10);
	sim_at(&sim, &c.ev, 20);
	is(sim_next(&sim), 10, "the earliest is next");
	ok(sim_armed(&a.ev) && !sim_armed(&d.ev), "armed events say so");
	sim_advance(&sim, 20);
	ok(!strcmp(order, "bc"), "events up to and including the time run, in order");
	is(times[0], 10, "now is the event's time");
	is(sim.now, 20, "afterwards now is the time asked for");
	ok(!sim_armed(&b.ev), "an event that ran is not armed");
	sim_advance(&sim, 1000);
	ok(!strcmp(order, "bca"), "the last one runs later");
	is(sim.now, 1000, "time goes on without events");
	sim_advance(&sim, 10);
	is(sim.now, 1000, "time does not go back");
}

static void test_equal_times(void)
{
	struct probe many[26];
	bool stable = true;

	fresh(NULL);
	for (int i = 0; i < 26; i++)
		probe(&many[i], 'A' + i);
	for (int i = 0; i < 26; i++)
		sim_at(&sim, &many[i].ev, 5);
	/* asked for again: now it is the last */
	sim_at(&sim, &many[3].ev, 5);
	sim_advance(&sim, 5);
	for (int i = 0; i + 1 < 25; i++)
		stable &= order[i] < order[i + 1];
	ok(stable && ran == 26, "equal times run in the order of asking");
	ok(order[25] == 'D', "asking again puts an event behind the others");
}

static void test_move_and_cancel(void)
{
	fresh(NULL);
	sim_at(&sim, &a.ev, 10);
	sim_at(&sim, &b.ev, 20);
	sim_at(&sim, &c.ev, 30);
	sim_at(&sim, &d.ev, 40);
	sim_at(&sim, &d.ev, 5);
	sim_at(&sim, &a.ev, 50);
	sim_cancel(&sim, &b.ev);
	sim_cancel(&sim, &b.ev);
	sim_advance(&sim, 100);
	ok(!strcmp(order, "dca"), "events can be moved both ways and cancelled");
	sim_at(&sim, &a.ev, 7);
	is(sim_next(&sim), 100, "a time that has passed means now");
	sim_at(&sim, &a.ev, SIM_NEVER);
	ok(!sim_armed(&a.ev), "never means not at all");
}

static void cancel_b_move_c(struct probe *p)
{
	(void)p;
	sim_cancel(&sim, &b.ev);
	sim_at(&sim, &c.ev, 15);
	sim_at(&sim, &d.ev, sim.now);
}

static void again_twice(struct probe *p)
{
	if (ran < 3)
		sim_at(&sim, &p->ev, sim.now + 10);
}

static void test_from_inside(void)
{
	fresh(NULL);
	a.then = cancel_b_move_c;
	sim_at(&sim, &a.ev, 10);
	sim_at(&sim, &b.ev, 10);
	sim_at(&sim, &c.ev, 99);
	sim_advance(&sim, 20);
	ok(!strcmp(order, "adc"), "an event can cancel, move and add others");
	is(times[1], 10, "one added for now runs in the same advance");
	is(times[2], 15, "one moved into the span runs at its time");
	fresh(NULL);
	a.then = again_twice;
	sim_at(&sim, &a.ev, 10);
	sim_advance(&sim, 100);
	is(ran, 3, "an event can ask for itself again");
	is(times[2], 30, "and runs at the new times");
}

static uint64_t rearmed;
static unsigned int rearms;

static void rearm(struct sim *s, uint64_t at)
{
	(void)s;
	rearmed = at;
	rearms++;
}

static void test_rearm(void)
{
	static const struct sim_host host = { .rearm = rearm };

	fresh(&host);
	rearms = 0;
	sim_at(&sim, &a.ev, 50);
	is(rearmed, 50, "the host hears of the first event");
	sim_at(&sim, &b.ev, 70);
	is(rearms, 1, "but not of later ones");
	sim_at(&sim, &c.ev, 20);
	is(rearmed, 20, "and of an earlier one");
	sim_cancel(&sim, &c.ev);
	is(rearmed, 50, "and when that is cancelled");
	a.then = again_twice;
	rearms = 0;
	sim_advance(&sim, 60);
	is(rearms, 1, "advancing tells once, at the end");
	is(rearmed, 70, "the next time");
	sim_advance(&sim, 100);
	is(rearmed, SIM_NEVER, "and that nothing is left");
}

static uint64_t charged;
static bool irq[4];

static void charge(struct sim *s, uint64_t ns)
{
	(void)s;
	charged += ns;
}

static void set_irq(struct sim *s, unsigned int line, bool level)
{
	(void)s;
	irq[line] = level;
}

static bool mem_read(struct sim *s, uint64_t addr, void *buf, size_t len)
{
	(void)s;
	memset(buf, 0x5a, len);
	return addr < 0x1000;
}

static void test_host(void)
{
	static const struct sim_host host = {
		.charge = charge, .set_irq = set_irq, .mem_read = mem_read,
	};
	uint8_t byte = 0;

	fresh(NULL);
	sim_charge(&sim, 5);
	sim_set_irq(&sim, 1, true);
	ok(!sim_mem_read(&sim, 0, &byte, 1) && !sim_mem_write(&sim, 0, &byte, 1),
	   "without a host there is no memory");
	is(charged, 0, "and nobody to charge");
	fresh(&host);
	sim_charge(&sim, 5);
	sim_set_irq(&sim, 1, true);
	is(charged, 5, "charges reach the host");
	ok(irq[1], "interrupts too");
	ok(sim_mem_read(&sim, 0xfff, &byte, 1) && byte == 0x5a, "memory is read");
	ok(!sim_mem_read(&sim, 0x1000, &byte, 1), "where there is some");
}

/* Against a sorted list: random asking, moving and cancelling. */
static void test_heap(void)
{
	enum { N = 200 };
	static struct probe p[N];
	uint64_t last = 0, seed = 1, first;
	unsigned int armed = 0, done = 0, wrong = 0;
	bool sorted = true;

	fresh(NULL);
	for (int i = 0; i < N; i++)
		probe(&p[i], 'x');
	for (int i = 0; i < 20000; i++) {
		struct probe *q = &p[(seed >> 33) % N];

		seed = seed * 6364136223846793005 + 1442695040888963407;
		if (seed >> 62)
			sim_at(&sim, &q->ev, 1000 + ((seed >> 20) & 0xfff));
		else
			sim_cancel(&sim, &q->ev);
		first = SIM_NEVER;
		for (int k = 0; k < N; k++) {
			if (sim_armed(&p[k].ev) && p[k].ev.at < first)
				first = p[k].ev.at;
		}
		wrong += sim_next(&sim) != first;
		if (i % 3 == 0 && first != SIM_NEVER)
			sim_cancel(&sim, sim.heap[0]);
	}
	is(wrong, 0, "after each of 20000 random changes the earliest is next");
	for (int i = 0; i < N; i++)
		armed += sim_armed(&p[i].ev);
	while (sim_next(&sim) != SIM_NEVER) {
		uint64_t next = sim_next(&sim);
		size_t before = sim.count;

		ran = 0;
		sorted &= next >= last;
		last = next;
		sim_advance(&sim, next);
		done += before - sim.count;
	}
	ok(sorted, "and what is left comes out in order");
	ok(armed > 10, "many events are left");
	is(done, armed, "and each ran once");
}

int main(void)
{
	test_order();
	test_equal_times();
	test_move_and_cancel();
	test_from_inside();
	test_rearm();
	test_host();
	test_heap();
	sim_free(&sim);
	return tap_done();
}
