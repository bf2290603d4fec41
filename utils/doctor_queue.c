// SPDX-License-Identifier: GPL-2.0-only
/*
 * canpipe doctor: queues, and frames that were lost
 */

#include "doctor.h"

#include <string.h>

/* the kernel's default for CAN is 10 */
#define QUEUE_SHORT	32
/* at 1 Mbit/s half a second of frames with eight bytes, at 125 kbit/s four of them */
#define QUEUE_LONG	4096

static void check_length(const struct watched *w, struct findings *f)
{
	const struct link *link = w->now->link;
	struct finding *x;

	if (link->txqueuelen < QUEUE_SHORT) {
		x = f_add(f, "txqueue-short", SURE_LIKELY, link->name);
		f_seen(x, "txqueuelen is %u.", link->txqueuelen);
		f_means(x, "A program that sends more than %u frames at once gets \"No buffer space available\" (ENOBUFS), or loses them if it does not look.",
			link->txqueuelen);
		f_fix(x, "sudo ip link set %s txqueuelen 1000", link->name);
	} else if (link->txqueuelen > QUEUE_LONG) {
		x = f_add(f, "txqueue-long", SURE_POSSIBLE, link->name);
		f_seen(x, "txqueuelen is %u.", link->txqueuelen);
		f_means(x, "Frames may wait for seconds before they are sent, and a bus that nobody acknowledges on is noticed late.");
		f_fix(x, "sudo ip link set %s txqueuelen 1000", link->name);
	}
}

/* disciplines that keep the order of frames and throw none away before the queue is full */
static bool keeps_order(const char *qdisc)
{
	static const char *const good[] = {
		"pfifo_fast", "pfifo", "bfifo", "noqueue", "noop", "mq", "pfifo_head_drop",
	};
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (strcmp(qdisc, good[i]) == 0)
			return true;
	return false;
}

static void check_qdisc(const struct watched *w, struct findings *f)
{
	const struct link *link = w->now->link;
	struct finding *x;

	if (!link->up || !link->qdisc[0] || keeps_order(link->qdisc))
		return;
	x = f_add(f, "qdisc", SURE_LIKELY, link->name);
	f_seen(x, "The queueing discipline is %s.", link->qdisc);
	f_means(x, "It is made for the Internet: it throws frames away that have waited for too long, or changes their order. On CAN both are losses.");
	f_fix(x, "sudo tc qdisc replace dev %s root pfifo_fast", link->name);
}

static void check_tx_drops(const struct watched *w, struct findings *f)
{
	const struct link *link = w->now->link;
	struct finding *x;

	if (!link->qdisc_drops)
		return;
	x = f_add(f, "tx-dropped", SURE_CERTAIN, link->name);
	f_seen(x, "%llu frames that were to be sent were dropped by the queue (%s, length %u).",
	       (unsigned long long)link->qdisc_drops, link->qdisc, link->txqueuelen);
	f_means(x, "Programs sent faster than the bus took it%s. They were told so (ENOBUFS); those that did not wait have lost these frames.",
		link->txqueuelen < QUEUE_SHORT ? ", and the queue is short" : "");
	f_fix(x, "sudo ip link set %s txqueuelen %u", link->name,
	      link->txqueuelen < QUEUE_SHORT ? 1000 : link->txqueuelen * 2);
}

/* what can be done about frames that were not read in time */
static void fix_overrun(struct finding *x, const struct system *s, const struct iface *iface)
{
	const struct link *link = iface->link;

	if (iface->bus == BUS_SPI && iface->ours && !iface->spi.by_dma && iface->spi.core_hz)
		f_fix(x, "sudo canpipe overlay install canpipe-spi0-dma && sudo reboot");
	else if (!iface->ours)
		f_fix(x, "sudo apt install %scanpipe-dkms", s->package ? "--reinstall " : "");
	else if (iface->bus != BUS_SPI)
		f_fix(x, "sudo sh -c 'ip link set %s down && ethtool -G %s tx 2 rx 30 && ip link set %s up'",
		      link->name, link->name, link->name);
	else
		f_fix(x, "canpipe status %s", link->name);
}

/* rx_over_errors also has what the stack was too slow for; drivers of ours tell the two apart */
static uint64_t lost_in_controller(const struct watched *w)
{
	if (link_counter(w->now->link, "rx_overflows"))
		return watched_counter(w, "rx_overflows");
	if (link_counter(w->now->link, "rx_overruns"))
		return watched_counter(w, "rx_overruns");
	return w->now->link->stats.rx_over_errors;
}

static void check_rx_lost(const struct system *s, const struct watched *w, struct findings *f)
{
	const struct link *link = w->now->link;
	uint64_t slow = watched_counter(w, "rx_ring_full");
	uint64_t chip = lost_in_controller(w);
	struct finding *x;

	if (chip) {
		x = f_add(f, "rx-lost", SURE_CERTAIN, link->name);
		f_seen(x, "%llu times the controller's buffers were full and frames were lost.",
		       (unsigned long long)chip);
		f_means(x, "The processor did not come in time: a driver that is too slow%s, or one that keeps interrupts off.",
			w->now->bus == BUS_SPI ? ", a slow SPI clock" : "");
		fix_overrun(x, s, w->now);
	}
	if (slow) {
		x = f_add(f, "rx-stack-slow", SURE_CERTAIN, link->name);
		f_seen(x, "%llu frames were lost because the network stack was too slow.",
		       (unsigned long long)slow);
		f_means(x, "The processor is busy with something else for longer than the driver can keep frames.");
		f_fix(x, "top -d 1");
	}
}

void doctor_queue(const struct system *s, const struct watched *w, struct findings *f)
{
	check_length(w, f);
	check_qdisc(w, f);
	check_tx_drops(w, f);
	check_rx_lost(s, w, f);
}
