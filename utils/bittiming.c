// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which bit rates a controller can have: a bit is a number of quanta, a quantum a number of clock
 * periods.
 */

#include "bittiming.h"

#include <stddef.h>

static const uint32_t common_rates[] = {
	5000, 10000, 20000, 33333, 40000, 47619, 50000, 62500, 80000, 83333, 95238, 100000, 125000,
	153846, 200000, 250000, 400000, 500000, 615384, 666666, 800000, 1000000,
};

uint32_t bittiming_ppm(uint32_t real, uint32_t wanted)
{
	uint64_t off = real > wanted ? real - wanted : wanted - real;

	off = wanted ? off * 1000000 / wanted : 1000000;
	return off < UINT32_MAX ? off : UINT32_MAX;
}

uint32_t bittiming_nearest(uint32_t clock, const struct can_bittiming_const *limits,
			   uint32_t wanted)
{
	uint32_t quanta, brp, step, rate, best = 0;
	int side;

	if (!clock || !wanted || !limits->tseg1_max || !limits->brp_max)
		return 0;
	step = limits->brp_inc ? limits->brp_inc : 1;
	for (quanta = 1 + limits->tseg1_min + limits->tseg2_min;
	     quanta <= 1 + limits->tseg1_max + limits->tseg2_max; quanta++) {
		/* the divider below the exact one, and the one above */
		for (side = 0; side < 2; side++) {
			brp = clock / ((uint64_t)quanta * wanted);
			brp = brp / step * step + side * step;
			if (brp < limits->brp_min)
				brp = limits->brp_min;
			if (brp > limits->brp_max)
				brp = limits->brp_max;
			if (!brp)
				continue;
			rate = clock / ((uint64_t)quanta * brp);
			if (!best || bittiming_ppm(rate, wanted) < bittiming_ppm(best, wanted))
				best = rate;
		}
	}
	return best;
}

uint32_t bittiming_fastest(uint32_t clock, const struct can_bittiming_const *limits)
{
	uint32_t brp = limits->brp_min ? limits->brp_min : 1;

	return clock / (brp * (1 + limits->tseg1_min + limits->tseg2_min));
}

uint32_t bittiming_common(uint32_t rate)
{
	uint32_t best = common_rates[0];
	size_t i;

	for (i = 1; i < sizeof(common_rates) / sizeof(common_rates[0]); i++)
		if (bittiming_ppm(rate, common_rates[i]) < bittiming_ppm(rate, best))
			best = common_rates[i];
	return best;
}
