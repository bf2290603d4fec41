// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node in loopback mode hears only itself: it has a wire of its own, with the
 * same frame lengths and the same 3-bit gaps, where every frame is acknowledged.
 */
#include "canbus_priv.h"

enum { LOOP_IDLE, LOOP_START, LOOP_HEADER, LOOP_DONE, LOOP_GAP };

static void wait_bits(struct canbus_node *n, unsigned int bits, int phase)
{
	n->loop_phase = phase;
	sim_at(n->bus->sim, &n->timer, n->bus->sim->now + (uint64_t)bits * n->bit_ns);
}

void canbus_loop_kick(struct canbus_node *n)
{
	if (n->running && n->integrated && !n->bus_off && n->loop_phase == LOOP_IDLE)
		wait_bits(n, 0, LOOP_START);
}

static void start(struct canbus_node *n)
{
	n->loop_phase = LOOP_IDLE;
	if (!n->ops->want_tx || !n->ops->want_tx(n->arg, &n->tx) || !n->running)
		return;
	n->transmitting = true;
	wait_bits(n, canbus_header_bits(&n->tx), LOOP_HEADER);
}

static void done(struct canbus_node *n)
{
	const struct canbus_frame frame = n->tx;

	n->transmitting = false;
	wait_bits(n, INTERMISSION_BITS, LOOP_GAP);
	canbus_sent_well(n);
	canbus_received_well(n);
	if (n->ops->tx_done)
		n->ops->tx_done(n->arg, &frame);
	if (n->running && n->ops->rx_frame)
		n->ops->rx_frame(n->arg, &frame);
}

void canbus_loop_step(struct canbus_node *n)
{
	switch (n->loop_phase) {
	case LOOP_HEADER:
		wait_bits(n, canbus_frame_bits(&n->tx) - canbus_header_bits(&n->tx), LOOP_DONE);
		if (n->ops->rx_header)
			n->ops->rx_header(n->arg, &n->tx);
		break;
	case LOOP_DONE:
		done(n);
		break;
	default:
		start(n);
		break;
	}
}
