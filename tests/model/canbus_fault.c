// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fault confinement (ISO 11898-1, 12.1.4): what the counters do to a node's
 * state. Which amount is due is decided where the event is seen.
 */
#include "canbus_priv.h"

#define TEC_BUS_OFF	256
#define REC_MAX		128
/* ISO: a passive receiver's counter goes to "between 119 and 127" */
#define REC_AFTER_PASSIVE 127

static int level(const struct canbus_node *n)
{
	return n->bus_off ? 3 : canbus_node_passive(n) ? 2 : canbus_node_warning(n) ? 1 : 0;
}

static void tell_state(struct canbus_node *n, int before)
{
	if (level(n) != before && n->ops->state)
		n->ops->state(n->arg);
}

void canbus_fault(struct canbus_node *n, unsigned int tec, unsigned int rec,
		  enum canbus_error error, bool transmitting)
{
	int before = level(n);

	n->tec += tec;
	n->rec += rec;
	if (n->rec > REC_MAX)
		n->rec = REC_MAX;
	if (n->tec >= TEC_BUS_OFF) {
		n->tec = TEC_BUS_OFF;
		n->bus_off = true;
		n->running = false;
		n->integrated = false;
	}
	if (error != CANBUS_OK && n->ops->error)
		n->ops->error(n->arg, error, transmitting);
	tell_state(n, before);
}

void canbus_sent_well(struct canbus_node *n)
{
	int before = level(n);

	if (n->tec)
		n->tec--;
	tell_state(n, before);
}

void canbus_received_well(struct canbus_node *n)
{
	int before = level(n);

	if (n->rec > REC_AFTER_PASSIVE)
		n->rec = REC_AFTER_PASSIVE;
	else if (n->rec)
		n->rec--;
	tell_state(n, before);
}

void canbus_recovered(struct canbus_node *n)
{
	int before = level(n);

	n->tec = 0;
	n->rec = 0;
	n->bus_off = false;
	n->integrated = true;
	if (n->ops->recovery)
		n->ops->recovery(n->arg, 0);
	tell_state(n, before);
}
