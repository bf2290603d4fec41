/* SPDX-License-Identifier: GPL-2.0-only */
/* A node that sends what a test queues and notes what happens to it, and when. */
#ifndef BUS_PROBE_H
#define BUS_PROBE_H

#include <string.h>

#include "canbus.h"
#include "tap.h"

#define BIT 1000		/* ns: 1 Mbit/s */
#define PROBE_NOTES 8192

enum note_kind {
	TX_LOST, RX_HEADER, RX_FRAME, TX_DONE, ERROR, STATE, RECOVERY,
};

struct note {
	enum note_kind kind;
	uint64_t at;
	struct canbus_frame frame;
	enum canbus_error error;
	bool transmitting;
	unsigned int left;
	unsigned int tec, rec;
	bool bus_off;
};

struct probe {
	struct canbus_node node;
	struct sim *sim;
	struct canbus_frame frame[64];
	unsigned int frames;	/* queued */
	unsigned int sent;
	bool endless;		/* repeats the last frame for ever */
	struct note note[PROBE_NOTES];
	unsigned int notes;
	void (*on_note)(struct probe *p, const struct note *n);
};

static inline void probe_note(struct probe *p, struct note n)
{
	n.at = p->sim->now;
	n.tec = p->node.tec;
	n.rec = p->node.rec;
	n.bus_off = p->node.bus_off;
	if (p->notes < PROBE_NOTES)
		p->note[p->notes++] = n;
	if (p->on_note)
		p->on_note(p, &n);
}

static inline bool probe_want_tx(void *arg, struct canbus_frame *f)
{
	struct probe *p = arg;

	if (p->sent >= p->frames)
		return false;
	*f = p->frame[p->sent];
	return true;
}

static inline void probe_tx_lost(void *arg)
{
	probe_note(arg, (struct note){ .kind = TX_LOST });
}

static inline void probe_rx_header(void *arg, const struct canbus_frame *f)
{
	probe_note(arg, (struct note){ .kind = RX_HEADER, .frame = *f });
}

static inline void probe_rx_frame(void *arg, const struct canbus_frame *f)
{
	probe_note(arg, (struct note){ .kind = RX_FRAME, .frame = *f });
}

static inline void probe_tx_done(void *arg, const struct canbus_frame *f)
{
	struct probe *p = arg;

	if (!p->endless || p->sent + 1 < p->frames)
		p->sent++;
	probe_note(p, (struct note){ .kind = TX_DONE, .frame = *f });
}

static inline void probe_error(void *arg, enum canbus_error error, bool transmitting)
{
	probe_note(arg, (struct note){ .kind = ERROR, .error = error,
				       .transmitting = transmitting });
}

static inline void probe_state(void *arg)
{
	probe_note(arg, (struct note){ .kind = STATE });
}

static inline void probe_recovery(void *arg, unsigned int left)
{
	probe_note(arg, (struct note){ .kind = RECOVERY, .left = left });
}

static const struct canbus_node_ops probe_ops = {
	.want_tx = probe_want_tx, .tx_lost = probe_tx_lost, .rx_header = probe_rx_header,
	.rx_frame = probe_rx_frame, .tx_done = probe_tx_done, .error = probe_error,
	.state = probe_state, .recovery = probe_recovery,
};

static inline void probe_init(struct probe *p, struct sim *sim, struct canbus *bus,
			      const char *name)
{
	memset(p, 0, sizeof(*p));
	p->sim = sim;
	p->node = (struct canbus_node){ .name = name, .ops = &probe_ops, .arg = p,
					.mode = CANBUS_NORMAL, .bit_ns = BIT };
	canbus_attach(bus, &p->node);
}

static inline void probe_send(struct probe *p, struct canbus_frame f)
{
	p->frame[p->frames++] = f;
	canbus_node_kick(&p->node);
}

static inline void probe_forget(struct probe *p)
{
	p->notes = 0;
}

static inline unsigned int probe_count(const struct probe *p, enum note_kind kind)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < p->notes; i++)
		n += p->note[i].kind == kind;
	return n;
}

/* The nth note of a kind, counted from 0; all zero (but kind -1) if there is none. */
static inline struct note probe_get(const struct probe *p, enum note_kind kind, unsigned int nth)
{
	for (unsigned int i = 0; i < p->notes; i++) {
		if (p->note[i].kind == kind && !nth--)
			return p->note[i];
	}
	return (struct note){ .kind = -1 };
}

#endif
