// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order in which the c_can driver delivers frames, without hardware.
 *
 * A small FIFO after Bosch C_CAN r1.2 (4.4): a frame goes to the lowest object
 * that was free when its identifier was in. The driver's rule is to look at
 * NEWDAT right before it frees an object.
 */

#include "../../src/c_can/c_can_order.c"

#include "tap.h"

struct fifo {
	unsigned int objects;
	unsigned int content[C_CAN_ORDER_MAX];	/* number of the frame, 0: free */
	unsigned int latched;			/* object chosen for the frame on the wire */
	unsigned int sent;			/* frames that have arrived */
	unsigned int got;			/* frames that were read */
	unsigned int swapped;
	struct c_can_order order;
};

static void fifo_init(struct fifo *f, unsigned int objects)
{
	memset(f, 0, sizeof(*f));
	f->objects = objects;
	c_can_order_reset(&f->order);
}

/* The identifier of the next frame is in. */
static void header(struct fifo *f)
{
	unsigned int i;

	for (i = 0; i < f->objects - 1 && f->content[i]; i++)
		;
	f->latched = i + 1;
}

/* The frame has ended. */
static void store(struct fifo *f)
{
	f->content[f->latched - 1] = ++f->sent;
	f->latched = 0;
}

static void arrive(struct fifo *f)
{
	header(f);
	store(f);
}

static void look(struct fifo *f, bool soon)
{
	u32 newdat[C_CAN_ORDER_WORDS] = {};
	unsigned int i;

	for (i = 0; i < f->objects; i++)
		if (f->content[i])
			newdat[i / 32] |= BIT(i % 32);
	c_can_order_sample(&f->order, newdat, f->objects, soon);
}

static void sample(struct fifo *f)
{
	look(f, false);
}

static unsigned int free_next(struct fifo *f)
{
	unsigned int obj = c_can_order_next(&f->order), frame;

	if (!obj)
		return 0;
	c_can_order_pop(&f->order);
	frame = f->content[obj - 1];
	f->content[obj - 1] = 0;
	if (frame != f->got + 1)
		f->swapped++;
	f->got = frame;
	return obj;
}

/* Read one frame the way the driver does. */
static unsigned int read_one(struct fifo *f)
{
	sample(f);
	return free_next(f);
}

static void frames_that_wait_are_read_in_order(void)
{
	unsigned int objects[] = { 12, 24, 48, 112 }, k, n;
	struct fifo f;

	for (k = 0; k < 4; k++) {
		fifo_init(&f, objects[k]);
		for (n = 0; n < objects[k]; n++)
			arrive(&f);
		while (read_one(&f))
			;
		is(f.got, objects[k], "%u waiting frames: all read", objects[k]);
		is(f.swapped, 0, "%u waiting frames: in order", objects[k]);
	}
}

static void one_frame_arrives_between_two_looks(void)
{
	unsigned int waiting, at, n;
	unsigned int swapped = 0, lost = 0;

	/* any fill level, and one frame more before the at-th read */
	for (waiting = 1; waiting < 23; waiting++) {
		for (at = 0; at <= waiting; at++) {
			struct fifo f;

			fifo_init(&f, 24);
			for (n = 0; n < waiting; n++)
				arrive(&f);
			for (n = 0; n < at; n++)
				read_one(&f);
			arrive(&f);
			while (read_one(&f))
				;
			swapped += f.swapped;
			lost += f.got != waiting + 1;
		}
	}
	is(swapped, 0, "a frame that arrives during the readout keeps its place");
	is(lost, 0, "a frame that arrives during the readout is read");
}

static void a_frame_arrives_after_every_read(void)
{
	struct fifo f;
	unsigned int n, waiting;
	unsigned int swapped = 0;

	for (waiting = 1; waiting < 23; waiting++) {
		fifo_init(&f, 24);
		for (n = 0; n < waiting; n++)
			arrive(&f);
		for (n = 0; n < 1000; n++) {
			read_one(&f);
			arrive(&f);
		}
		while (read_one(&f))
			;
		swapped += f.swapped + (f.got != waiting + 1000);
	}
	is(swapped, 0, "a reader that only just keeps up sees no swap");
}

static void a_frame_was_on_the_wire_while_objects_were_freed(void)
{
	struct fifo f;
	unsigned int n;

	/* 1..4 wait; the fifth is chosen for object 5, then 1..4 become free */
	fifo_init(&f, 24);
	for (n = 0; n < 4; n++)
		arrive(&f);
	header(&f);
	for (n = 0; n < 4; n++)
		read_one(&f);
	store(&f);
	arrive(&f);
	arrive(&f);
	/* NEWDAT shows 1, 2 and 5: 5 is the oldest */
	is(read_one(&f), 5, "the frame above the gap comes first");
	is(read_one(&f), 1, "then the lowest");
	is(read_one(&f), 2, "then the next");
	is(f.swapped, 0, "in the order of arrival");
}

/* Read all that waits; each look comes soon after the command before. */
static unsigned int read_all(struct fifo *f)
{
	unsigned int n = 0;

	do {
		look(f, true);
		n++;
	} while (free_next(f));
	return n - 1;
}

/*
 * The reader keeps up, with 0 or 1 frame waiting, then the CPU stands still for
 * many frames: between the look and the command, or between the command and the
 * next look. No frame was on the wire when the command was given.
 */
static void the_cpu_stands_still_around_a_command(void)
{
	unsigned int waiting, before, after, n;
	unsigned int swapped[2] = { 0, 0 }, lost[2] = { 0, 0 };

	for (waiting = 1; waiting < 4; waiting++) {
		for (before = 0; before < 20; before++) {
			for (after = 0; after < 20 - before; after++) {
				struct fifo f;
				bool soon = after <= 1;

				if (before && !soon)
					continue;	/* twice in a row */
				fifo_init(&f, 24);
				for (n = 0; n < waiting; n++)
					arrive(&f);
				look(&f, true);
				for (n = 0; n < before; n++)
					arrive(&f);
				free_next(&f);
				for (n = 0; n < after; n++)
					arrive(&f);
				look(&f, soon);
				free_next(&f);
				read_all(&f);
				swapped[soon] += f.swapped;
				lost[soon] += f.got != waiting + before + after;
			}
		}
	}
	is(swapped[true], 0, "a stall between look and command swaps nothing");
	is(swapped[false], 0, "a stall after the command swaps nothing");
	is(lost[false] + lost[true], 0, "and loses nothing");
}

static void the_youngest_frame_takes_the_freed_object(void)
{
	struct fifo f;

	fifo_init(&f, 24);
	arrive(&f);
	sample(&f);
	arrive(&f);
	arrive(&f);
	is(free_next(&f), 1, "object 1 is freed after two more frames have come");
	arrive(&f);
	look(&f, true);
	is(free_next(&f), 2, "2 is older than 1, where a frame has come since");
	is(free_next(&f), 3, "and so is 3");
	is(free_next(&f), 1, "1 is the youngest");

	fifo_init(&f, 24);
	arrive(&f);
	sample(&f);
	free_next(&f);
	arrive(&f);
	arrive(&f);
	arrive(&f);
	look(&f, false);
	is(free_next(&f), 1, "long after the command the freed object is the oldest again");

	fifo_init(&f, 24);
	arrive(&f);
	sample(&f);
	free_next(&f);
	c_can_order_settle(&f.order);
	arrive(&f);
	arrive(&f);
	look(&f, true);
	is(free_next(&f), 1, "and when nothing had come before it was freed");
}

static void several_frames_above_the_gap(void)
{
	struct c_can_order order;
	u32 before[C_CAN_ORDER_WORDS] = { 0xff }, after[C_CAN_ORDER_WORDS] = { 0x7f00 };
	unsigned int n;

	/* 1..8 are read and freed; 9..15 had come by then, and the last look missed them */
	c_can_order_reset(&order);
	c_can_order_sample(&order, before, 24, false);
	for (n = 1; n <= 8; n++) {
		c_can_order_take(&order);
		c_can_order_release(&order, n);
	}
	c_can_order_sample(&order, after, 24, true);
	for (n = 9; n <= 15; n++) {
		is(c_can_order_next(&order), n, "object %u comes in its turn", n);
		c_can_order_take(&order);
	}

	/* released last, and taken again before anything else could be */
	c_can_order_reset(&order);
	c_can_order_sample(&order, before, 24, false);
	for (n = 1; n <= 8; n++)
		c_can_order_take(&order);
	c_can_order_release(&order, 3);
	after[0] = 0x3ff;
	c_can_order_sample(&order, after, 24, true);
	is(c_can_order_next(&order), 9, "9 came before object 3 was released");
	c_can_order_take(&order);
	is(c_can_order_next(&order), 10, "and so did 10");
	c_can_order_take(&order);
	is(c_can_order_next(&order), 3, "3 is the youngest");
}

static void stale_bits_are_taken_once(void)
{
	struct c_can_order order;
	u32 newdat[C_CAN_ORDER_WORDS] = { 0x5 };

	c_can_order_reset(&order);
	c_can_order_sample(&order, newdat, 24, false);
	c_can_order_sample(&order, newdat, 24, false);
	is(c_can_order_next(&order), 3, "object 3: nothing was below it when it came");
	c_can_order_pop(&order);
	is(c_can_order_next(&order), 1, "object 1");
	c_can_order_pop(&order);
	is(c_can_order_next(&order), 0, "an object is queued once, however often it is seen");
}

static void a_late_frame_is_told_by_the_gap(void)
{
	unsigned int n, late, held[4];
	unsigned int swapped = 0;

	/* four at a time become free while a frame is on the wire; up to three more follow */
	for (late = 0; late <= 3; late++) {
		struct fifo f;

		fifo_init(&f, 24);
		for (n = 0; n < 4; n++) {
			arrive(&f);
			sample(&f);
			held[n] = c_can_order_next(&f.order);
			c_can_order_take(&f.order);
			f.got++;
		}
		header(&f);
		for (n = 0; n < 4; n++) {
			c_can_order_release(&f.order, held[n]);
			f.content[held[n] - 1] = 0;
		}
		store(&f);
		for (n = 0; n < late; n++)
			arrive(&f);
		sample(&f);
		while (free_next(&f))
			;
		swapped += f.swapped + (f.got != 5 + late);
	}
	is(swapped, 0, "a frame that was on the wire when four objects became free comes first");
}

static void bits_of_transmit_objects_are_ignored(void)
{
	struct c_can_order order;
	u32 newdat[C_CAN_ORDER_WORDS] = { 0xff000000 };

	c_can_order_reset(&order);
	c_can_order_sample(&order, newdat, 24, false);
	is(c_can_order_next(&order), 0, "objects above the last receive object are not ours");
}

int main(void)
{
	frames_that_wait_are_read_in_order();
	one_frame_arrives_between_two_looks();
	a_frame_arrives_after_every_read();
	a_frame_was_on_the_wire_while_objects_were_freed();
	the_cpu_stands_still_around_a_command();
	the_youngest_frame_takes_the_freed_object();
	a_late_frame_is_told_by_the_gap();
	several_frames_above_the_gap();
	stale_bits_are_taken_once();
	bits_of_transmit_objects_are_ignored();
	return tap_done();
}
