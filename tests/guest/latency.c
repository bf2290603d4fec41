// SPDX-License-Identifier: GPL-2.0-only
/*
 * latency N: what is left of the CPU for another task. N times: work for a fixed number of
 * instructions, sleep for half a millisecond. Prints how long the work took and how late the task
 * was when it wanted to go on.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define SLEEP_NS	500000
#define WORK		20000

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void work(void)
{
	volatile unsigned int n;

	for (n = 0; n < WORK; n++)
		;
}

int main(int argc, char **argv)
{
	const struct timespec pause = { .tv_nsec = SLEEP_NS };
	uint64_t late, max = 0, sum = 0, worked = 0, begin;
	long rounds = argc == 2 ? strtol(argv[1], NULL, 10) : 0, i;

	if (rounds < 1) {
		fprintf(stderr, "usage: latency ROUNDS\n");
		return 2;
	}
	for (i = 0; i < rounds; i++) {
		begin = now();
		work();
		worked += now() - begin;
		begin = now();
		if (nanosleep(&pause, NULL)) {
			fprintf(stderr, "latency: nanosleep: error %d\n", errno);
			return 1;
		}
		late = now() - begin - SLEEP_NS;
		sum += late;
		if (late > max)
			max = late;
	}
	printf("rounds %ld\nwork_ns %llu\nlate_mean_ns %llu\nlate_max_ns %llu\n", rounds,
	       (unsigned long long)(worked / rounds), (unsigned long long)(sum / rounds),
	       (unsigned long long)max);
	return 0;
}
