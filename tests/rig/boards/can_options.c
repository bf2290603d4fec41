// SPDX-License-Identifier: GPL-2.0-only
/* Options and counters that all boards with a C_CAN or D_CAN have in common. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "boards.h"

static const struct {
	const char *name;
	unsigned int bit;
} errata[] = {
	{ "none", 0 },
	{ "bulk-clear", C_CAN_ERRATUM_BULK_CLEAR },
	{ "newdat-clear", C_CAN_ERRATUM_NEWDAT_CLEAR },
	{ "stale-newdat", C_CAN_ERRATUM_STALE_NEWDAT },
	{ "late-init", C_CAN_ERRATUM_LATE_INIT },
	{ "lost-bus-off", C_CAN_ERRATUM_LOST_BUSOFF },
};

/* "a+b+c"; false when a name is not known */
static bool parse_errata(const char *text, unsigned int *bits)
{
	while (*text) {
		size_t len = strcspn(text, "+"), i;

		for (i = 0; i < sizeof(errata) / sizeof(errata[0]); i++)
			if (strlen(errata[i].name) == len && !strncmp(text, errata[i].name, len))
				break;
		if (i == sizeof(errata) / sizeof(errata[0]))
			return false;
		*bits |= errata[i].bit;
		text += len;
		text += *text == '+';
	}
	return true;
}

static bool parse_u32(const char *text, uint32_t *value)
{
	unsigned long long v;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	v = strtoull(text, &end, 0);
	if (*end || errno || v > UINT32_MAX)
		return false;
	*value = (uint32_t)v;
	return true;
}

int can_option(struct can_options *o, const struct board_option *opt, char *err, size_t errlen)
{
	const char *v = opt->value;
	uint32_t n = 0;

	if (!strcmp(opt->name, "errata")) {
		if (parse_errata(v, &o->errata))
			return 1;
		snprintf(err, errlen,
			 "errata=%s: known are none, bulk-clear, newdat-clear, stale-newdat, late-init, lost-bus-off, joined by +",
			 v);
		return -1;
	}
	if (!strcmp(opt->name, "broken")) {
		if (!strcmp(v, "all-ones"))
			o->all_ones = true;
		else if (!strcmp(v, "if-busy"))
			o->errata |= C_CAN_ERRATUM_IF_STUCK;
		else if (!strcmp(v, "no-raminit"))
			o->errata |= C_CAN_ERRATUM_NO_RAMINIT;
		else
			goto bad;
		return 1;
	}
	if (!strcmp(opt->name, "objects")) {
		if (!parse_u32(v, &n) || (n != 16 && n != 32 && n != 64 && n != 128))
			goto bad;
		o->objects = n;
		return 1;
	}
	if (!strcmp(opt->name, "clock")) {
		if (!parse_u32(v, &n) || n < 1000000)
			goto bad;
		o->clock_hz = n;
		return 1;
	}
	if (!strcmp(opt->name, "parity")) {
		if (!parse_u32(v, &n) || n > 1)
			goto bad;
		o->parity_ram = n;
		return 1;
	}
	return 0;
bad:
	snprintf(err, errlen, "%s=%s: wanted %s", opt->name, v,
		 !strcmp(opt->name, "broken") ? "all-ones, if-busy or no-raminit" :
		 !strcmp(opt->name, "objects") ? "16, 32, 64 or 128" :
		 !strcmp(opt->name, "clock") ? "a frequency in Hz, 1 MHz at least" : "0 or 1");
	return -1;
}

void can_counters(const struct c_can *can, FILE *out)
{
	const struct c_can_stats *s = c_can_stats(can);
	uint64_t reads = 0, writes = 0;
	const char *sep = "";

	for (int i = 0; i < C_CAN_REG_COUNT; i++) {
		reads += s->reads[i];
		writes += s->writes[i];
	}
	fprintf(out, "\"reg_reads\": %" PRIu64 ", \"reg_writes\": %" PRIu64
		", \"interrupts\": %" PRIu64 ", ", reads, writes, s->interrupts);
	fprintf(out, "\"rx_stored\": %" PRIu64 ", \"rx_overwritten\": %" PRIu64
		", \"rx_unmatched\": %" PRIu64 ", \"rx_erratum_lost\": %" PRIu64
		", \"tx_sent\": %" PRIu64 ", ", s->rx_stored, s->rx_overwritten,
		s->rx_unmatched, s->rx_erratum_lost, s->tx_sent);
	fputs("\"registers\": {", out);
	for (int i = 0; i < C_CAN_REG_COUNT; i++) {
		if (!s->reads[i] && !s->writes[i])
			continue;
		fprintf(out, "%s\"%s\": {\"r\": %" PRIu64 ", \"w\": %" PRIu64 "}", sep,
			c_can_reg_name[i], s->reads[i], s->writes[i]);
		sep = ", ";
	}
	fputs("}, ", out);
}
