// SPDX-License-Identifier: GPL-2.0-only
/*
 * canpipe doctor: bit rate, errors, acknowledgement, bus-off
 */

#include "bittiming.h"
#include "doctor.h"

#include <stdlib.h>
#include <string.h>

/* ISO 11898-1: error-passive begins at 128, and a lone node's counter stays there */
#define ERROR_PASSIVE	128

/* nodes that are off by more than that cannot understand each other for sure: a bit error must not
 * add up to more than a phase segment between two edges that can be ten bits apart
 */
#define TOLERANCE_PPM	5000
/* what is left of rounding */
#define EXACT_PPM	100

static void check_down(const struct watched *w, struct findings *f)
{
	const struct link *link = w->now->link;
	struct finding *x;

	if (link->up)
		return;
	x = f_add(f, "interface-down", SURE_CERTAIN, link->name);
	if (link->timing.bitrate)
		f_seen(x, "The interface is down; its bit rate is %u bit/s.", link->timing.bitrate);
	else
		f_seen(x, "The interface is down and has no bit rate.");
	f_means(x, "It takes no part in the bus. The bit rate must be that of the other nodes%s.",
		w->bitrate || link->timing.bitrate ? "" : " (the command takes 500 kbit/s)");
	f_fix(x, "sudo ip link set %s up type can bitrate %u restart-ms 100", link->name,
	      w->bitrate ? w->bitrate : link->timing.bitrate ? link->timing.bitrate : 500000);
}

/* a fix of the crystal: nothing but another board helps if it is really that one */
static void fix_oscillator(struct finding *x, const struct system *s, uint32_t hz)
{
	f_fix(x, "sudo sed -i 's/oscillator=[0-9]*/oscillator=%u/' %s && sudo reboot", hz,
	      doctor_config_txt(s));
}

/* the rate that was asked for cannot be had, or not exactly */
static void check_wanted(const struct watched *w, uint32_t wanted, enum sure sure,
			 struct findings *f)
{
	const struct link *link = w->now->link;
	uint32_t near = bittiming_nearest(link->clock, &link->limits, wanted);
	uint32_t ppm = bittiming_ppm(near, wanted);
	struct finding *x;

	if (!near || ppm <= TOLERANCE_PPM)
		return;
	x = f_add(f, "rate-impossible", sure, link->name);
	f_seen(x, "%s can do %u bit/s instead of %u (its clock is %u Hz%s): %.1f %% off.",
	       link->name, near, wanted, link->clock,
	       w->now->spi.limit_hz ? ", half of the crystal's" : "", ppm / 10000.0);
	if (near < wanted && near == bittiming_fastest(link->clock, &link->limits))
		f_means(x, "The clock is too slow for this rate, %u bit/s is the fastest. Use a slower bit rate on all nodes, or a board with a faster crystal (16 MHz do for 1 Mbit/s).",
			near);
	else
		f_means(x, "The clock cannot be divided so that the other nodes would understand. Use another bit rate on all nodes, or a board with another crystal (16 MHz suit all common rates).");
	f_fix(x, "sudo ip link set %s up type can bitrate %u", link->name,
	      wanted > 500000 ? 500000 : 125000);
}

static void check_rate(const struct system *s, const struct watched *w, struct findings *f)
{
	const struct link *link = w->now->link;
	uint32_t rate = link->timing.bitrate, common;
	struct finding *x;

	if (!link->clock)
		return;
	if (w->bitrate) {
		check_wanted(w, w->bitrate, SURE_CERTAIN, f);
		if (rate && bittiming_ppm(rate, w->bitrate) > TOLERANCE_PPM) {
			x = f_add(f, "rate-differs", SURE_CERTAIN, link->name);
			f_seen(x, "The bit rate is %u bit/s, that of the bus is %u.", rate, w->bitrate);
			f_means(x, "All nodes of a bus must have the same bit rate.");
			f_fix(x, "sudo sh -c 'ip link set %s down && ip link set %s up type can bitrate %u'",
			      link->name, link->name, w->bitrate);
		}
		return;
	}
	if (!rate) {
		/* nothing is set: did the kernel refuse something? */
		if (kmsg_last(&s->log, link->name, "bitrate error"))
			check_wanted(w, 1000000, SURE_LIKELY, f);
		else
			check_wanted(w, 1000000, SURE_POSSIBLE, f);
		return;
	}
	common = bittiming_common(rate);
	if (bittiming_ppm(rate, common) <= EXACT_PPM || bittiming_ppm(rate, common) > 50000)
		return;
	x = f_add(f, "rate-inexact", bittiming_ppm(rate, common) > TOLERANCE_PPM ? SURE_LIKELY :
		  SURE_POSSIBLE, link->name);
	f_seen(x, "The bit rate is %u bit/s. If %u was asked for, that is %.2f %% off: the clock of %u Hz cannot be divided better.",
	       rate, common, bittiming_ppm(rate, common) / 10000.0, link->clock);
	f_means(x, "Nodes stand a difference of about half a percent. Beyond that, frames are lost with errors, the more the longer they are.");
	f_fix(x, "sudo sh -c 'ip link set %s down && ip link set %s up type can bitrate %u'",
	      link->name, link->name, rate > 500000 ? 500000 : 125000);
}

static void check_crystal(const struct system *s, const struct watched *w, struct findings *f)
{
	const struct iface *now = w->now;
	struct finding *x;

	if (!now->crystal_khz)
		return;
	x = f_add(f, "crystal-wrong", SURE_CERTAIN, now->link->name);
	f_seen(x, "The device tree says that the crystal has %u Hz. The driver has measured %u.%u MHz.",
	       now->crystal_hz, now->crystal_khz / 1000, now->crystal_khz / 100 % 10);
	f_means(x, "All bit rates are wrong by that ratio: the interface neither understands the bus nor is understood.");
	fix_oscillator(x, s, (now->crystal_khz + 250) / 500 * 500000);
}

/* nothing was received from the first look to the second one */
static bool hears_nothing(const struct watched *w)
{
	return w->now->link->stats.rx_packets == w->before->link->stats.rx_packets;
}

static void check_passive(const struct watched *w, struct findings *f)
{
	const struct link *link = w->now->link;
	struct finding *x;
	bool sends;

	if (!link->up || !link->has_state || link->state != CAN_STATE_ERROR_PASSIVE ||
	    !hears_nothing(w))
		return;
	/* the receive counter rises by what the bus says, the transmit counter by our frames */
	sends = link->berr.txerr >= ERROR_PASSIVE || link->berr.rxerr < ERROR_PASSIVE;
	if (link->has_berr && !sends) {
		x = f_add(f, "rate-wrong", SURE_LIKELY, link->name);
		f_seen(x, "Error-passive with %u receive errors at %u bit/s, and no frame was understood meanwhile.",
		       link->berr.rxerr, link->timing.bitrate);
		f_means(x, "Other nodes send, but not at this bit rate; or the crystal is not the one that the device tree names (oscillator=), or the wires are bad (termination, CAN_H and CAN_L swapped).");
		f_fix(x, "sudo sh -c 'ip link set %s down && ip link set %s up type can bitrate %u listen-only on'",
		      link->name, link->name, link->timing.bitrate == 500000 ? 250000 : 500000);
		return;
	}
	x = f_add(f, "no-ack", SURE_LIKELY, link->name);
	if (link->has_berr)
		f_seen(x, "Error-passive with %u transmit errors at %u bit/s, and nothing is received.",
		       link->berr.txerr, link->timing.bitrate);
	else
		f_seen(x, "Error-passive at %u bit/s, and nothing is received. (The driver does not tell its error counters.)",
		       link->timing.bitrate);
	f_means(x, "Nobody acknowledges what is sent: there is no other node that is switched on (a CAN node cannot send alone), or it has another bit rate, or the wires are not connected or not terminated. Frames wait until somebody does.");
	f_fix(x, "candump -e %s", link->name);
}

static void check_bus_off(const struct watched *w, struct findings *f)
{
	const struct link *link = w->now->link;
	struct finding *x;

	if (!link->up || !link->has_state)
		return;
	if (link->state == CAN_STATE_BUS_OFF && !link->restart_ms) {
		x = f_add(f, "bus-off-stays", SURE_CERTAIN, link->name);
		f_seen(x, "Bus-off, and restart-ms is 0.");
		f_means(x, "Too many errors have taken the interface off the bus, and it stays off until somebody restarts it. What caused them: a short circuit, a wrong bit rate, no termination.");
		f_fix(x, "sudo sh -c 'ip link set %s down && ip link set %s up type can restart-ms 100'",
		      link->name, link->name);
		return;
	}
	if (link->can_stats.bus_off - w->before->link->can_stats.bus_off > 0 ||
	    (link->state == CAN_STATE_BUS_OFF && link->can_stats.bus_off > 1)) {
		x = f_add(f, "bus-off-repeats", SURE_LIKELY, link->name);
		f_seen(x, "Bus-off %u times so far, %u of them while this was watched.",
		       link->can_stats.bus_off,
		       link->can_stats.bus_off - w->before->link->can_stats.bus_off);
		f_means(x, "Frames that are sent are destroyed again and again: a short circuit, a wrong bit rate or crystal, or two nodes that send the same identifier.");
		f_fix(x, "candump -e %s,0:0,#FFFFFFFF", link->name);
	}
}

static void check_modes(const struct watched *w, struct findings *f)
{
	const struct link *link = w->now->link;
	struct finding *x;

	if (link->up && link->ctrlmode & CAN_CTRLMODE_LOOPBACK) {
		x = f_add(f, "mode-loopback", SURE_LIKELY, link->name);
		f_seen(x, "The interface is in loopback mode.");
		f_means(x, "It hears itself only: nothing is sent to the bus.");
		f_fix(x, "sudo sh -c 'ip link set %s down && ip link set %s up type can loopback off'",
		      link->name, link->name);
	}
	if (link->up && link->ctrlmode & CAN_CTRLMODE_LISTENONLY) {
		x = f_add(f, "mode-listen-only", SURE_POSSIBLE, link->name);
		f_seen(x, "The interface is in listen-only mode.");
		f_means(x, "It sends nothing and acknowledges nothing: with only one other node, that one cannot send either.");
		f_fix(x, "sudo sh -c 'ip link set %s down && ip link set %s up type can listen-only off'",
		      link->name, link->name);
	}
}

void doctor_bus(const struct system *s, const struct watched *w, struct findings *f)
{
	check_down(w, f);
	check_crystal(s, w, f);
	check_rate(s, w, f);
	check_passive(w, f);
	check_bus_off(w, f);
	check_modes(w, f);
}
