// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does the driver keep order when the CPU stands still at the wrong moment?
 *
 * Each trial holds up the CPU at the N-th register access while frames arrive
 * (tests/rig/core/control.c), for every N and every length asked for. The
 * frames carry a counter, so a swap, a loss and a repetition show; a loss must
 * have been reported by an overflow error frame.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <net/if.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>

#include "rigdev.h"

#define MAX_STALLS	400
#define MAX_FRAMES	4096
/* Trials whose trouble is shown, the first ones. */
#define SHOWN		12
#define IDLE_MS		15
/* Frames between two stalls on a bus without a pause, beside those of the stall */
#define DISTANCE	24

static struct {
	unsigned int first, last, step;		/* accesses */
	unsigned int stall[MAX_STALLS], stalls;	/* in frames */
	unsigned int frame_ns;
	unsigned int burst;			/* frames of a trial; 0: the bus is never idle */
	unsigned int signal;
	bool by_id;
	bool verbose;
} opt = { .first = 1, .last = 40, .step = 1, .frame_ns = 47000, .burst = 40,
	.signal = 1 };

struct trial {
	unsigned int frames, swapped, lost, duplicated, overflows;
};

static struct {
	unsigned int trials, unused, frames;
	unsigned int swapped, lost, duplicated, overflows;
	unsigned int bad_order, bad_loss;	/* trials */
	unsigned int most_overflows;		/* of a trial */
	unsigned int shown;
} sum;

static uint32_t next_counter;
static bool started;

static const char usage[] =
	"usage: cansweep [-n FIRST:LAST[:STEP]] [-s FRAMES[,FRAMES...]] [-b FRAME_NS] [-m BURST] [-g SIGNAL] [-i] [-v] IFACE\n"
	"  -n  register accesses at which the CPU stands still, one after the other (1:40)\n"
	"  -s  for so many frame times (1)\n"
	"  -b  how long a frame takes (47000)\n"
	"  -m  the signal makes the peer send so many (40); 0: it sends as long as it takes\n"
	"  -g  which signal (1)\n"
	"  -i  the counter is the identifier, of 11 bits\n"
	"  -v  a line for each trial: TRIAL access=N stall=NS received=N lost=N swapped=N overflows=N\n"
	"Prints RESULT lines.\n";

static int open_can(const char *iface)
{
	struct sockaddr_can addr = { .can_family = AF_CAN };
	can_err_mask_t errors = CAN_ERR_CRTL;
	int fd = socket(PF_CAN, SOCK_RAW, CAN_RAW), room = 16 << 20;

	addr.can_ifindex = (int)if_nametoindex(iface);
	if (fd < 0 || !addr.can_ifindex)
		fail(iface);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	setsockopt(fd, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &errors, sizeof(errors));
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)))
		fail("bind");
	return fd;
}

/* Counters that are not the next ones: what is late was swapped, not lost. */
static void take(struct trial *t, const struct can_frame *f, uint32_t *missing)
{
	uint32_t mask = opt.by_id ? CAN_SFF_MASK : UINT32_MAX, value, ahead;

	if (f->can_id & CAN_ERR_FLAG) {
		t->overflows += f->data[1] & CAN_ERR_CRTL_RX_OVERFLOW ? 1 : 0;
		return;
	}
	if (opt.by_id)
		value = f->can_id & CAN_SFF_MASK;
	else
		memcpy(&value, f->data, sizeof(value));
	if (!started)
		next_counter = value;
	started = true;
	t->frames++;
	ahead = (value - next_counter) & mask;
	if (ahead <= mask / 2) {
		for (uint32_t n = 0; n < ahead && t->lost < MAX_FRAMES; n++)
			missing[t->lost++] = (next_counter + n) & mask;
		next_counter = (value + 1) & mask;
		return;
	}
	for (unsigned int n = 0; n < t->lost; n++) {
		if (missing[n] == value) {
			missing[n] = missing[--t->lost];
			t->swapped++;
			return;
		}
	}
	t->duplicated++;
}

static void account(const struct trial *t, unsigned int at, unsigned int stall)
{
	bool order = t->swapped || t->duplicated;
	bool loss = (t->lost > 0) != (t->overflows > 0);
	char where[32];

	if (opt.verbose)
		printf("TRIAL access=%u stall=%u received=%u lost=%u swapped=%u overflows=%u\n", at,
		       stall * opt.frame_ns, t->frames, t->lost, t->swapped, t->overflows);
	sum.trials++;
	sum.frames += t->frames;
	sum.swapped += t->swapped;
	sum.lost += t->lost;
	sum.duplicated += t->duplicated;
	sum.overflows += t->overflows;
	if (t->overflows > sum.most_overflows)
		sum.most_overflows = t->overflows;
	sum.unused += !(registers[REG_STALLED / 4] & STALLED_USED);
	sum.bad_order += order;
	sum.bad_loss += loss;
	if ((order || loss) && sum.shown++ < SHOWN)
		printf("# access %u (%s), %u frames long: %u received, %u swapped, %u lost, %u twice, %u overflows\n",
		       at, stalled_text(where), stall, t->frames, t->swapped, t->lost,
		       t->duplicated, t->overflows);
}

static void trial(int fd, unsigned int at, unsigned int stall)
{
	static uint32_t missing[MAX_FRAMES];
	struct trial t = { 0 };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	unsigned int want = opt.burst ? opt.burst : stall + DISTANCE;

	registers[REG_STALL_NS / 4] = stall * opt.frame_ns;
	registers[REG_STALL_AT / 4] = at;
	if (opt.burst)
		registers[REG_SIGNAL / 4] = opt.signal;
	/* an overflow is reported behind the frame that shows it */
	while (t.frames + t.lost < want || (opt.burst && poll(&p, 1, 1) == 1)) {
		struct can_frame f;

		if (poll(&p, 1, IDLE_MS) != 1)
			break;
		if (read(fd, &f, sizeof(f)) != sizeof(f))
			fail("read");
		take(&t, &f, missing);
	}
	registers[REG_STALL_AT / 4] = 0;
	/* what the overflow has taken at the end of the burst */
	if (opt.burst && started && t.frames + t.lost < want) {
		uint32_t mask = opt.by_id ? CAN_SFF_MASK : UINT32_MAX;

		next_counter = (next_counter + want - t.frames - t.lost) & mask;
		t.lost += want - t.frames - t.lost;
	}
	account(&t, at, stall);
}

/* Without stalls, until the peer has sent all. */
static void drain(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct can_frame f;

	while (poll(&p, 1, IDLE_MS) == 1)
		if (read(fd, &f, sizeof(f)) != sizeof(f))
			fail("read");
}

static void parse(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "n:s:b:m:g:ivh")) != -1) {
		switch (c) {
		case 'n':
			opt.step = 1;
			if (sscanf(optarg, "%u:%u:%u", &opt.first, &opt.last, &opt.step) < 2 ||
			    !opt.step)
				goto bad;
			break;
		case 's':
			for (char *w = strtok(optarg, ","); w && opt.stalls < MAX_STALLS;
			     w = strtok(NULL, ","))
				opt.stall[opt.stalls++] = (unsigned int)strtoul(w, NULL, 10);
			break;
		case 'b': opt.frame_ns = (unsigned int)strtoul(optarg, NULL, 10); break;
		case 'm': opt.burst = (unsigned int)strtoul(optarg, NULL, 10); break;
		case 'g': opt.signal = (unsigned int)strtoul(optarg, NULL, 10); break;
		case 'i': opt.by_id = true; break;
		case 'v': opt.verbose = true; break;
		case 'h': fputs(usage, stdout); exit(0);
		default: goto bad;
		}
	}
	if (!opt.stalls)
		opt.stall[opt.stalls++] = 1;
	if (optind + 1 == argc)
		return;
bad:
	fputs(usage, stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	int fd;

	parse(argc, argv);
	map();
	fd = open_can(argv[optind]);
	if (!opt.burst)
		registers[REG_SIGNAL / 4] = opt.signal;
	for (unsigned int at = opt.first; at <= opt.last; at += opt.step)
		for (unsigned int i = 0; i < opt.stalls; i++)
			trial(fd, at, opt.stall[i]);
	drain(fd);
	printf("RESULT trials=%u\nRESULT unused=%u\nRESULT received=%u\nRESULT swapped=%u\n"
	       "RESULT duplicated=%u\nRESULT lost=%u\nRESULT overflows=%u\nRESULT bad_order=%u\n"
	       "RESULT bad_loss=%u\nRESULT most_overflows=%u\n", sum.trials, sum.unused, sum.frames, sum.swapped,
	       sum.duplicated, sum.lost, sum.overflows, sum.bad_order, sum.bad_loss,
	       sum.most_overflows);
	return 0;
}
