// SPDX-License-Identifier: GPL-2.0-only
/*
 * In what order did the frames arrive?
 *
 * The controller puts a frame into the lowest free receive object and keeps no
 * record of time. Every object that is read becomes free again, so the numbers
 * say nothing after the first lap. The driver therefore looks at NEWDAT right
 * before it frees an object, and at the end: what is new since the last look
 * is younger than all that was there.
 *
 * Several frames that are new in one look went to the lowest free objects in
 * ascending order, with one exception: the controller chooses the object when
 * a frame's identifier is in, not when its end is (Bosch C_CAN r1.2, 4.4). A
 * frame that was on the wire while lower objects were freed lands above those,
 * and is the oldest of the new ones. TI's controller does not do this: it
 * chooses again when a lower object becomes free (AM335x TRM, 23.3.15.1).
 *
 * Such a frame is told by the gap below it. There is none if a single object was
 * freed and taken again, so that must be done before the next frame's identifier
 * is in. It is while the driver keeps up: it frees the object first of all, some
 * register accesses after the end of the frame. When it lags, objects are freed
 * several at a time (see c_can_rx.c), as far as there is room. The rule fails
 * only if objects were freed late and then more frames arrive than were freed,
 * before anybody looks: the CPU was late twice in a row, and the controller
 * keeps nothing that could tell.
 *
 * "Right before" takes some register accesses, and if the CPU stands still
 * between the look and the command, frames come that are older than the one
 * that takes the freed object, whatever the numbers say. Frames have a shortest
 * length, though: if the next look comes so soon after the command that only
 * one frame can have ended in between, the freed object was free for the
 * youngest frame at most. If it does not, the CPU has stood still after the
 * command (it does not do so twice in a row), and the freed object was there
 * for all of them.
 *
 * Plain C on purpose: the host tests link this file.
 */

#include "c_can_order.h"

#include <linux/bitops.h>
#include <linux/string.h>

/**
 * c_can_order_reset() - forget all that was seen
 * @order: the queue
 *
 * Context: the owner of the receive side.
 */
void c_can_order_reset(struct c_can_order *order)
{
	memset(order, 0, sizeof(*order));
}

static bool c_can_order_has(const u32 *bits, unsigned int obj)
{
	return bits[(obj - 1) / 32] & BIT((obj - 1) % 32);
}

static void c_can_order_push(struct c_can_order *order, unsigned int index)
{
	order->queue[order->head++ % C_CAN_ORDER_MAX] = index + 1;
	order->known[index / 32] |= BIT(index % 32);
}

/* Append the objects of a set from one index up to another, in ascending order. */
static void c_can_order_push_all(struct c_can_order *order, const u32 *set, unsigned int from,
				 unsigned int to)
{
	unsigned int index;

	for (index = from; index < to; index++)
		if (set[index / 32] & BIT(index % 32))
			c_can_order_push(order, index);
}

/**
 * c_can_order_sample() - take note of the objects that are new
 * @order: the queue
 * @newdat: NEWDAT of all receive objects, bit n of the array is object n + 1
 * @objects: number of receive objects
 * @soon: since the last object was freed one frame can have ended at most
 *
 * Context: the owner of the receive side.
 */
void c_can_order_sample(struct c_can_order *order, const u32 *newdat, unsigned int objects,
			bool soon)
{
	unsigned int words = (objects + 31) / 32, gap, w;
	u32 new[C_CAN_ORDER_WORDS];
	/* an object that was not free for the new frames, but for the youngest */
	unsigned int late = soon ? order->freed : 0;
	bool refilled = late && c_can_order_has(newdat, late);

	order->freed = 0;

	for (w = 0; w < words; w++) {
		new[w] = newdat[w] & ~order->known[w];
		if (w == words - 1 && objects % 32)
			new[w] &= BIT(objects % 32) - 1;
	}
	if (late)
		new[(late - 1) / 32] &= ~BIT((late - 1) % 32);

	/* the lowest object that was free and is */
	for (gap = 0; gap < objects; gap++) {
		u32 taken = order->known[gap / 32] | new[gap / 32];

		if (!(taken & BIT(gap % 32)) && gap + 1 != late)
			break;
	}
	/* what is above it was on its way before it became free */
	c_can_order_push_all(order, new, gap, objects);
	c_can_order_push_all(order, new, 0, gap);
	if (refilled)
		c_can_order_push(order, late - 1);
}

/**
 * c_can_order_next() - which object is the oldest?
 * @order: the queue
 *
 * Context: the owner of the receive side.
 * Return: object number from 1, or 0 if no unread object is known.
 */
unsigned int c_can_order_next(const struct c_can_order *order)
{
	if (order->head == order->tail)
		return 0;
	return order->queue[order->tail % C_CAN_ORDER_MAX];
}

/**
 * c_can_order_pop() - the oldest object is about to become free
 * @order: the queue, not empty
 *
 * Context: the owner of the receive side.
 */
void c_can_order_pop(struct c_can_order *order)
{
	unsigned int index = order->queue[order->tail++ % C_CAN_ORDER_MAX] - 1;

	order->known[index / 32] &= ~BIT(index % 32);
	order->freed = index + 1;
}

/**
 * c_can_order_take() - the oldest object is read, and stays occupied
 * @order: the queue, not empty
 *
 * Context: the owner of the receive side.
 */
void c_can_order_take(struct c_can_order *order)
{
	order->tail++;
}

/**
 * c_can_order_release() - an object that was taken is about to become free,
 *	together with others
 * @order: the queue
 * @obj: object number from 1
 *
 * Context: the owner of the receive side.
 */
void c_can_order_release(struct c_can_order *order, unsigned int obj)
{
	order->known[(obj - 1) / 32] &= ~BIT((obj - 1) % 32);
	order->freed = obj;
}

/**
 * c_can_order_settle() - the last pop has no effect on the order any more
 * @order: the queue
 *
 * All other objects were free when that object became free, or it was free
 * before.
 *
 * Context: the owner of the receive side.
 */
void c_can_order_settle(struct c_can_order *order)
{
	order->freed = 0;
}
