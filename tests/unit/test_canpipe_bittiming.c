// SPDX-License-Identifier: GPL-2.0-only
/* Which bit rates a controller can have. Values by hand: clock / (divider x quanta). */
#include "bittiming.h"
#include "tap.h"

/* MCP2515: 6 to 25 quanta; the clock is half of the crystal's */
static const struct can_bittiming_const mcp2515 = {
	.tseg1_min = 3, .tseg1_max = 16, .tseg2_min = 2, .tseg2_max = 8, .sjw_max = 4,
	.brp_min = 1, .brp_max = 64, .brp_inc = 1,
};

static const struct {
	unsigned int crystal, wanted, nearest;
} rates[] = {
	{ 8000000, 1000000, 666666 },	/* 4 MHz / 6 quanta is the fastest */
	{ 8000000, 666666, 666666 },
	{ 8000000, 500000, 500000 },
	{ 8000000, 125000, 125000 },
	{ 8000000, 1000, 2500 },	/* 64 x 25 is the slowest */
	{ 12000000, 1000000, 1000000 },	/* 6 quanta */
	{ 12000000, 800000, 750000 },	/* 7.5 quanta: 7 are 7.1 % off, 8 are 6.25 % */
	{ 16000000, 1000000, 1000000 },
	{ 16000000, 800000, 800000 },
	{ 16000000, 83333, 83333 },
	{ 20000000, 1000000, 1000000 },
	{ 20000000, 800000, 769230 },	/* 12.5 quanta: 13 are nearer than 12 */
	{ 25000000, 500000, 500000 },
	{ 16000000, 615384, 615384 },	/* 13 quanta */
};

/* the best of all dividers and quanta */
static unsigned int search(unsigned int clock, unsigned int wanted)
{
	unsigned int brp, quanta, rate, best = 0;

	for (brp = 1; brp <= 64; brp++) {
		for (quanta = 6; quanta <= 25; quanta++) {
			rate = clock / (brp * quanta);
			if (!best || bittiming_ppm(rate, wanted) < bittiming_ppm(best, wanted))
				best = rate;
		}
	}
	return best;
}

static void all_rates(void)
{
	unsigned int crystal, wanted, wrong = 0, count = 0;

	for (crystal = 8000000; crystal <= 25000000; crystal += 500000) {
		for (wanted = 4999; wanted <= 1000000; wanted += 4999) {
			count++;
			wrong += bittiming_ppm(bittiming_nearest(crystal / 2, &mcp2515, wanted),
					       wanted) !=
				 bittiming_ppm(search(crystal / 2, wanted), wanted);
		}
	}
	is(wrong, 0, "%u rates, each as near as can be", count);
}

int main(void)
{
	struct can_bittiming_const stepped = mcp2515;
	unsigned int i;

	for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		is(bittiming_nearest(rates[i].crystal / 2, &mcp2515, rates[i].wanted),
		   rates[i].nearest, "crystal of %u Hz, %u bit/s", rates[i].crystal,
		   rates[i].wanted);
	}
	is(bittiming_nearest(0, &mcp2515, 500000), 0, "no clock, no rate");
	is(bittiming_nearest(8000000, &(struct can_bittiming_const){ 0 }, 500000), 0,
	   "no limits, no rate");
	is(bittiming_fastest(4000000, &mcp2515), 666666, "the fastest of 8 MHz");

	all_rates();

	stepped.brp_min = 2;
	stepped.brp_inc = 2;
	is(bittiming_nearest(8000000, &stepped, 1000000), 666666, "dividers of 2, 4, ...");
	is(bittiming_nearest(24000000, &stepped, 1000000), 1000000, "12 quanta and divider 2");
	is(bittiming_nearest(36000000, &stepped, 500000), 500000,
	   "no divider of 3: 18 quanta and divider 4");

	is(bittiming_common(499800), 500000, "next to 500000");
	is(bittiming_common(769230), 800000, "next to 769230");
	is(bittiming_common(83000), 83333, "next to 83000");
	is(bittiming_common(1), 5000, "next to 1");
	is(bittiming_common(4000000000U), 1000000, "next to 4000000000");
	is(bittiming_ppm(502500, 500000), 5000, "half a percent above");
	is(bittiming_ppm(497500, 500000), 5000, "half a percent below");
	is(bittiming_ppm(1000000, 1000000), 0, "exact");
	is(bittiming_ppm(5, 0), 1000000, "of nothing");
	return tap_done();
}
