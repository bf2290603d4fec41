// SPDX-License-Identifier: GPL-2.0-only
/* The C_CAN model: TI's IF3, the register set that fills itself. */
#include "test_c_can.h"

#define OBS 0x140
#define UPD 0x160

static uint32_t if3(struct bench *b, unsigned int word)
{
	return c_can_read(b->c, OBS + word * 4, 4);
}

static struct bench *fifo(unsigned int obs)
{
	struct bench *b = bench_new(D_CAN_TI, 64, 0);
	unsigned int n;

	for (n = 1; n <= 4; n++)
		object(b, n, VALID, 0, UMASK | RXIE | (n == 4 ? EOB : 0));
	c_can_write(b->c, OBS, 4, obs);
	bench_go(b, IE);
	return b;
}

static void one_copy(void)
{
	struct bench *b = fifo(0x1f);
	struct canbus_frame f = std_frame(0x123, 8);

	deliver(b, &f);
	is(if3(b, 0), 0x1f, "no object is watched: no copy");
	is(flags(b, F_NEWDAT), 1, "NewDat stays");
	c_can_write(b->c, UPD, 4, 0xf);
	is(if3(b, 0), 0x9f1f, "watched: copied, all sections to be read");
	is(flags(b, F_NEWDAT), 0, "NewDat is cleared by the copy");
	is(flags(b, F_INTPND), 1, "IntPnd is not");
	is(c_can_read(b->c, 0x14c, 1), 0x08, "half of MCTL");
	is(if3(b, 0), 0x9f1f, "is not enough");
	is(if3(b, 3), NEWDAT | INTPND | UMASK | RXIE | 8, "MCTL as it was before");
	is(if3(b, 0), 0x9b1f, "the control section is read");
	is(if3(b, 2), VALID | STD(0x123), "ARB");
	is(if3(b, 4), 0x44332211, "DATA");
	is(if3(b, 5), 0x88776655, "DATB");
	is(if3(b, 0), 0x811f, "the mask is left");
	is(if3(b, 1), 0x20000000, "MSK");
	is(if3(b, 0), 0x001f, "nothing is left, Upd is gone");
	bench_free(b);
}

static void one_at_a_time(void)
{
	struct bench *b = fifo(0x1e);
	unsigned int id;

	c_can_write(b->c, UPD, 4, 0xf);
	for (id = 1; id <= 3; id++)
		send_id(b, id);
	run(b, 600 * US);
	is(if3(b, 2), VALID | STD(1), "the first frame");
	is(flags(b, F_NEWDAT), 0x3, "the others wait");
	if3(b, 3);
	if3(b, 4);
	is(if3(b, 2), VALID | STD(1), "still the first");
	is(flags(b, F_NEWDAT), 0x3, "still waiting");
	c_can_read(b->c, 0x154, 2);
	is(if3(b, 0) & 0x1f00, 0x1000, "half a section is not a section");
	c_can_read(b->c, 0x156, 1);
	is(if3(b, 2), VALID | STD(1), "three quarters neither");
	c_can_read(b->c, 0x157, 1);
	is(if3(b, 2), VALID | STD(2), "the last byte fetches the next: the lowest object");
	is(flags(b, F_NEWDAT), 0x2, "one waits");
	is(if3(b, 0), 0x9c1e, "its ARB has been read just now");
	/* objects 1 (2nd frame) and 2 (3rd): what arrives now goes to object 1 */
	send_id(b, 4);
	run(b, 200 * US);
	is(flags(b, F_NEWDAT), 0x3, "the fourth");
	bench_free(b);
}

/* The documented way out when a reader has lost count. */
static void restart(void)
{
	struct bench *b = fifo(0x1e);

	c_can_write(b->c, UPD, 4, 0xf);
	send_id(b, 1);
	send_id(b, 2);
	run(b, 400 * US);
	if3(b, 4);
	is(if3(b, 0), 0x961e, "a half-read cycle");
	c_can_write(b->c, OBS, 4, 0x1e);
	is(if3(b, 0), 0x9e1e, "a write of IF3OBS drops it and fetches the next");
	is(if3(b, 2), VALID | STD(2), "the next one");
	c_can_write(b->c, 0x148, 4, 0);
	is(if3(b, 2), VALID | STD(2), "the copy is read only");
	bench_free(b);
}

static void free_running(void)
{
	struct bench *b = fifo(0);
	unsigned int id;

	c_can_write(b->c, UPD, 4, 0xf);
	for (id = 1; id <= 3; id++)
		send_id(b, id);
	run(b, 600 * US);
	is(flags(b, F_NEWDAT), 0, "nothing observed: no waiting");
	is(if3(b, 0), 0x8000, "Upd");
	is(if3(b, 2), VALID | STD(3), "the last one is left");
	is(if3(b, 0), 0, "any read ends it");
	bench_free(b);
}

static void watched_only(void)
{
	struct bench *b = fifo(0x1e);

	c_can_write(b->c, UPD, 4, 0x2);
	send_id(b, 1);
	run(b, 200 * US);
	is(if3(b, 0), 0x1e, "object 1 is not watched");
	send_id(b, 2);
	run(b, 200 * US);
	is(if3(b, 2), VALID | STD(2), "object 2 is");
	is(flags(b, F_NEWDAT), 1, "object 1 is left alone");
	bench_free(b);
}

int main(void)
{
	one_copy();
	one_at_a_time();
	restart();
	free_running();
	watched_only();
	return tap_done();
}
