/* SPDX-License-Identifier: GPL-2.0-only */
/* The few lines that a host test needs to speak TAP (Test Anything Protocol). */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static int tap_count, tap_failed;

/* One test point; a failed one says where. Returns @pass. */
__attribute__((format(printf, 4, 5)))
static inline bool tap_ok(const char *file, int line, bool pass, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d - ", pass ? "" : "not ", ++tap_count);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	if (!pass) {
		tap_failed++;
		printf("#   at %s:%d\n", file, line);
	}
	fflush(stdout);
	return pass;
}

#define ok(cond, ...) tap_ok(__FILE__, __LINE__, (cond), __VA_ARGS__)

/* Compare two integers exactly; a difference is shown. */
#define is(got, want, ...) do {						\
	long long got_ = (long long)(got), want_ = (long long)(want);	\
	if (!ok(got_ == want_, __VA_ARGS__))				\
		printf("#   got %lld (0x%llx), want %lld (0x%llx)\n",	\
		       got_, got_, want_, want_);			\
} while (0)

/* To be called last: prints the plan, returns the exit code of main(). */
static inline int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
