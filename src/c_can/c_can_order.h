/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * In what order did the frames arrive? See c_can_order.c.
 */
#ifndef C_CAN_ORDER_H
#define C_CAN_ORDER_H

#include <linux/types.h>

#define C_CAN_ORDER_MAX		128
#define C_CAN_ORDER_WORDS	(C_CAN_ORDER_MAX / 32)

/**
 * struct c_can_order - receive objects that hold unread frames, oldest first
 * @queue: ring of object numbers (from 1)
 * @head: where the next new object goes (free running)
 * @tail: the oldest object (free running)
 * @known: objects that are not free: those in @queue and those that were taken
 *	and not yet released; bit n is object n + 1
 * @freed: object (from 1) that was freed since the last look, or 0
 */
struct c_can_order {
	u8 queue[C_CAN_ORDER_MAX];
	u8 head;
	u8 tail;
	u8 freed;
	u32 known[C_CAN_ORDER_WORDS];
};

void c_can_order_reset(struct c_can_order *order);
void c_can_order_sample(struct c_can_order *order, const u32 *newdat, unsigned int objects,
			bool soon);
unsigned int c_can_order_next(const struct c_can_order *order);
void c_can_order_pop(struct c_can_order *order);
void c_can_order_take(struct c_can_order *order);
void c_can_order_release(struct c_can_order *order, unsigned int obj);
void c_can_order_settle(struct c_can_order *order);

#endif
