// SPDX-License-Identifier: GPL-2.0-only
/*
 * The parser of the peers' scripts: one command a line, words separated by
 * blanks, options written name=value or just name. See README.md.
 */
#include "peer_script.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_WORDS 24

struct word {
	char *name;
	char *value;		/* NULL without "=" */
	bool used;
};

struct parser {
	struct peer_script *s;
	unsigned int line;
	struct word word[MAX_WORDS];
	unsigned int words;
	size_t open[PEER_NESTING];	/* repeats without end so far */
	unsigned int depth;
	bool silent;
	bool stopped;
	char *err;
	size_t errlen;
};

__attribute__((format(printf, 2, 3)))
static bool fail(struct parser *p, const char *fmt, ...)
{
	va_list ap;
	int n = snprintf(p->err, p->errlen, "line %u: ", p->line);

	if (n < 0 || (size_t)n >= p->errlen)
		return false;
	va_start(ap, fmt);
	vsnprintf(p->err + n, p->errlen - n, fmt, ap);
	va_end(ap);
	return false;
}

/* A decimal or 0x number up to max, followed by *end if end is given. */
static bool read_number(const char *text, uint64_t max, uint64_t *n, const char **end)
{
	int base = text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 16 : 10;
	char *stop;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*n = strtoull(text, &stop, base);
	if (errno || *n > max || (base == 16 && stop < text + 3))
		return false;
	if (end)
		*end = stop;
	return end || !*stop;
}

static bool read_time(const char *text, uint64_t *ns, const char **end)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} unit[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};
	const char *rest;

	if (!read_number(text, UINT64_MAX / 2, ns, &rest))
		return false;
	for (size_t i = 0; i < sizeof(unit) / sizeof(unit[0]); i++) {
		size_t len = strlen(unit[i].name);

		if (strncmp(rest, unit[i].name, len) || isalnum((unsigned char)rest[len]))
			continue;
		if (*ns > UINT64_MAX / 4 / unit[i].ns)
			return false;
		*ns *= unit[i].ns;
		*end = rest + len;
		return true;
	}
	return false;
}

static struct word *take(struct parser *p, const char *name)
{
	for (unsigned int i = 1; i < p->words; i++) {
		if (!p->word[i].used && !strcmp(p->word[i].name, name)) {
			p->word[i].used = true;
			return &p->word[i];
		}
	}
	return NULL;
}

static bool take_flag(struct parser *p, const char *name, bool *flag)
{
	struct word *w = take(p, name);

	*flag = w;
	if (w && w->value)
		return fail(p, "'%s' takes no value", name);
	return true;
}

/* The value of name=..., or NULL; complains if there is no value. */
static bool take_value(struct parser *p, const char *name, const char **value)
{
	struct word *w = take(p, name);

	*value = w ? w->value : NULL;
	if (w && (!w->value || !*w->value))
		return fail(p, "'%s' needs a value: %s=...", name, name);
	return true;
}

static bool take_number(struct parser *p, const char *name, uint64_t min, uint64_t max,
			uint64_t preset, uint64_t *n)
{
	const char *value;

	*n = preset;
	if (!take_value(p, name, &value))
		return false;
	if (value && (!read_number(value, max, n, NULL) || *n < min))
		return fail(p, "%s=%s: needs a number from %llu to %llu", name, value,
			    (unsigned long long)min, (unsigned long long)max);
	return true;
}

static bool nothing_left(struct parser *p)
{
	for (unsigned int i = 1; i < p->words; i++) {
		const struct word *w = &p->word[i];

		if (!w->used)
			return fail(p, "'%s%s%s' means nothing to %s, or is there twice", w->name,
				    w->value ? "=" : "", w->value ? w->value : "",
				    p->word[0].name);
	}
	return true;
}

/* The only argument of a command such as "bitrate 500000". */
static const char *argument(struct parser *p, unsigned int i)
{
	if (i >= p->words || p->word[i].value)
		return NULL;
	p->word[i].used = true;
	return p->word[i].name;
}

/* id=0x123 or id=0x100..0x1ff, with ext and step */
static bool take_ids(struct parser *p, struct peer_ids *ids, bool *ext, bool must)
{
	uint64_t first, last, step;
	const char *value, *rest;
	uint32_t max;

	*ids = (struct peer_ids){ .step = 1, .any = true };
	if (!take_flag(p, "ext", ext) || !take_value(p, "id", &value) ||
	    !take_number(p, "step", 1, 0x1fffffff, 1, &step))
		return false;
	if (!value)
		return must ? fail(p, "%s needs id=...", p->word[0].name) : true;
	max = *ext ? 0x1fffffff : 0x7ff;
	if (!read_number(value, UINT32_MAX, &first, &rest))
		return fail(p, "id=%s: needs a number, or two as in 0x100..0x1ff", value);
	last = first;
	if (*rest && (strncmp(rest, "..", 2) || !read_number(rest + 2, UINT32_MAX, &last, NULL)))
		return fail(p, "id=%s: needs a number, or two as in 0x100..0x1ff", value);
	if (last > max || first > max)
		return fail(p, "id=%s: above 0x%x%s", value, max,
			    *ext ? "" : ", the last id without 'ext'");
	if (last < first)
		return fail(p, "id=%s: the second id is below the first", value);
	*ids = (struct peer_ids){ .first = first, .last = last, .step = step };
	return true;
}

static struct peer_command *append(struct parser *p, enum peer_op op)
{
	struct peer_script *s = p->s;
	struct peer_command *c;

	c = realloc(s->command, (s->commands + 1) * sizeof(*c));
	if (!c)
		abort();
	s->command = c;
	c += s->commands++;
	memset(c, 0, sizeof(*c));
	c->op = op;
	c->line = p->line;
	return c;
}

static bool parse_bitrate(struct parser *p)
{
	const char *arg = argument(p, 1);
	uint64_t rate;

	if (!arg || !read_number(arg, 1000000, &rate, NULL) || rate < 1000)
		return fail(p, "bitrate needs a number from 1000 to 1000000 (bit/s)");
	append(p, PEER_BITRATE)->number = (1000000000 + rate / 2) / rate;
	return true;
}

static bool parse_mode(struct parser *p)
{
	const char *arg = argument(p, 1);

	if (!arg || (strcmp(arg, "normal") && strcmp(arg, "silent")))
		return fail(p, "mode is 'normal' or 'silent'");
	p->silent = !strcmp(arg, "silent");
	append(p, PEER_MODE)->number = p->silent ? CANBUS_SILENT : CANBUS_NORMAL;
	return true;
}

static bool parse_start(struct parser *p)
{
	append(p, PEER_START);
	p->stopped = false;
	return true;
}

static bool parse_stop(struct parser *p)
{
	append(p, PEER_STOP);
	p->stopped = true;
	return true;
}

static bool declaration(struct parser *p)
{
	if (p->depth)
		return fail(p, "'%s' holds for the whole script, put it outside of repeat",
			    p->word[0].name);
	return true;
}

static bool parse_restart(struct parser *p)
{
	const char *arg = argument(p, 1), *end;

	if (!arg || !read_time(arg, &p->s->restart, &end) || *end || !p->s->restart)
		return fail(p, "restart needs a time above 0, as in 'restart 100ms'");
	return declaration(p);
}

static bool parse_log(struct parser *p)
{
	const char *arg = argument(p, 1);
	uint64_t n;

	if (!arg || !read_number(arg, 1000000, &n, NULL))
		return fail(p, "log needs the number of frames to remember, up to 1000000");
	p->s->log = n;
	return declaration(p);
}

static bool parse_wait_signal(struct parser *p)
{
	const char *arg = argument(p, 2);
	uint64_t n;

	if (!arg || !read_number(arg, PEER_SIGNALS - 1, &n, NULL))
		return fail(p, "wait signal needs a number from 0 to %d", PEER_SIGNALS - 1);
	append(p, PEER_WAIT_SIGNAL)->number = n;
	return true;
}

static bool parse_wait_frame(struct parser *p)
{
	struct peer_match m;

	if (!take_ids(p, &m.ids, &m.ext, false) || !take_flag(p, "rtr", &m.rtr))
		return false;
	append(p, PEER_WAIT_FRAME)->match = m;
	return true;
}

static bool parse_wait(struct parser *p)
{
	static const struct {
		const char *name;
		enum peer_op op;
	} simple[] = {
		{ "idle", PEER_WAIT_IDLE }, { "expected", PEER_WAIT_EXPECTED },
	};
	const char *what = argument(p, 1), *end;
	uint64_t ns;

	if (what && !strcmp(what, "signal"))
		return parse_wait_signal(p);
	if (what && !strcmp(what, "frame"))
		return parse_wait_frame(p);
	for (size_t i = 0; what && i < sizeof(simple) / sizeof(simple[0]); i++) {
		if (!strcmp(what, simple[i].name)) {
			append(p, simple[i].op);
			return true;
		}
	}
	if (!what || !read_time(what, &ns, &end) || *end || !ns)
		return fail(p, "wait for a time above 0 (10us, 5ms, 1s), 'signal N', 'frame', "
			    "'idle' or 'expected'");
	append(p, PEER_WAIT_TIME)->number = ns;
	return true;
}

static bool read_hex(struct parser *p, const char *text, struct peer_send *send, size_t *len)
{
	size_t digits = strlen(text);

	if (digits % 2 || digits > 16)
		return fail(p, "data=%s: needs two hex digits a byte, up to 8 bytes", text);
	for (size_t i = 0; i < digits; i++) {
		char c = tolower((unsigned char)text[i]);

		if (!isxdigit((unsigned char)c))
			return fail(p, "data=%s: not hex digits, 'counter' or 'random(SEED)'",
				    text);
		send->bytes[i / 2] = send->bytes[i / 2] << 4 |
				     (isdigit((unsigned char)c) ? c - '0' : c - 'a' + 10);
	}
	*len = digits / 2;
	return true;
}

/* data= and dlc= depend on each other */
static bool take_data(struct parser *p, struct peer_send *send)
{
	size_t len = 0;
	const char *value, *rest;
	uint64_t dlc;

	if (!take_value(p, "data", &value))
		return false;
	if (!value) {
		send->data = PEER_DATA_FIXED;
	} else if (!strcmp(value, "counter")) {
		send->data = PEER_DATA_COUNTER;
		len = 8;
	} else if (!strncmp(value, "random(", 7)) {
		if (!read_number(value + 7, UINT64_MAX, &send->seed, &rest) || strcmp(rest, ")"))
			return fail(p, "data=%s: needs a number as seed, random(1)", value);
		send->data = PEER_DATA_RANDOM;
		len = 8;
	} else if (!read_hex(p, value, send, &len)) {
		return false;
	}
	if (value && send->rtr)
		return fail(p, "a remote frame has no data");
	if (!take_number(p, "dlc", 0, 15, len, &dlc))
		return false;
	send->dlc = dlc;
	if (send->data == PEER_DATA_FIXED && len > dlc)
		return fail(p, "data=%s: more bytes than dlc=%llu", value, (unsigned long long)dlc);
	if (send->data == PEER_DATA_COUNTER && !dlc)
		return fail(p, "data=counter needs a dlc above 0");
	return true;
}

/* at most one of every=, delay=, saturate */
static bool take_pace(struct parser *p, struct peer_send *send)
{
	const char *every, *delay, *rest;
	bool saturate;

	if (!take_flag(p, "saturate", &saturate) || !take_value(p, "every", &every) ||
	    !take_value(p, "delay", &delay))
		return false;
	if (saturate + !!every + !!delay > 1)
		return fail(p, "only one of 'saturate', 'every' and 'delay' can hold");
	if (every && (!read_time(every, &send->every, &rest) || *rest || !send->every))
		return fail(p, "every=%s: needs a time above 0, as in every=1ms", every);
	if (!delay)
		return true;
	if (!read_time(delay, &send->delay_min, &rest))
		return fail(p, "delay=%s: needs a time or two, as in 10us..5ms", delay);
	send->delay_max = send->delay_min;
	if (*rest && (strncmp(rest, "..", 2) || !read_time(rest + 2, &send->delay_max, &rest) ||
		      *rest))
		return fail(p, "delay=%s: needs a time or two, as in 10us..5ms", delay);
	if (send->delay_max < send->delay_min)
		return fail(p, "delay=%s: the second time is below the first", delay);
	return true;
}

static bool take_first(struct parser *p, struct peer_send *send)
{
	const char *value;
	uint64_t first;

	if (!take_value(p, "first", &value))
		return false;
	send->restart_counter = value;
	if (!value)
		return true;
	if (!read_number(value, UINT32_MAX, &first, NULL))
		return fail(p, "first=%s: needs the first value of the counter", value);
	send->first = first;
	return true;
}

static bool append_send(struct parser *p, const struct peer_send *send)
{
	if (p->silent)
		return fail(p, "a silent peer cannot send, say 'mode normal' before");
	if (p->stopped)
		return fail(p, "the peer is off the bus, say 'start' before");
	append(p, PEER_SEND)->send = *send;
	return true;
}

static bool parse_send(struct parser *p)
{
	struct peer_send send = { 0 };
	uint64_t seed;

	if (!take_number(p, "count", 1, UINT64_MAX, 1, &send.count) ||
	    !take_ids(p, &send.ids, &send.ext, true) || !take_flag(p, "rtr", &send.rtr) ||
	    !take_number(p, "seed", 0, UINT64_MAX, 1, &seed))
		return false;
	send.seed = seed;
	if (!take_data(p, &send) || !take_pace(p, &send) || !take_first(p, &send))
		return false;
	return append_send(p, &send);
}

/* what can-utils' cansequence sends */
static bool parse_sequence(struct parser *p)
{
	struct peer_send send = { .dlc = 1, .data = PEER_DATA_COUNTER };

	if (!take_number(p, "count", 1, UINT64_MAX, 1, &send.count) ||
	    !take_ids(p, &send.ids, &send.ext, false) || !take_pace(p, &send) ||
	    !take_first(p, &send))
		return false;
	if (send.ids.any)
		send.ids = (struct peer_ids){ .first = 2, .last = 2, .step = 1 };
	return append_send(p, &send);
}

static bool take_counter(struct parser *p, struct peer_expect *e)
{
	static const struct {
		const char *name;
		enum peer_counter counter;
	} kind[] = {
		{ "none", PEER_COUNTER_NONE }, { "u8", PEER_COUNTER_U8 },
		{ "u32", PEER_COUNTER_U32 }, { "id", PEER_COUNTER_ID },
	};
	const char *value;

	if (!take_value(p, "counter", &value))
		return false;
	if (!value)
		return true;
	for (size_t i = 0; i < sizeof(kind) / sizeof(kind[0]); i++) {
		if (!strcmp(value, kind[i].name)) {
			e->counter = kind[i].counter;
			return true;
		}
	}
	return fail(p, "counter=%s: is one of u32, u8, id, none", value);
}

static bool take_expect_first(struct parser *p, struct peer_expect *e)
{
	const char *value;
	uint64_t first = 0;

	if (!take_value(p, "first", &value))
		return false;
	e->first_any = value && !strcmp(value, "any");
	if (value && !e->first_any && !read_number(value, UINT32_MAX, &first, NULL))
		return fail(p, "first=%s: needs a number or 'any'", value);
	e->first = first;
	return true;
}

static bool parse_expect(struct parser *p)
{
	struct peer_expect e = { .dlc = -1 }, *all;
	bool sequence;
	uint64_t dlc;

	if (!declaration(p) || !take_flag(p, "sequence", &sequence) ||
	    !take_number(p, "count", 1, UINT64_MAX, 0, &e.count) ||
	    !take_ids(p, &e.ids, &e.ext, false) || !take_flag(p, "rtr", &e.rtr) ||
	    !take_number(p, "dlc", 0, 15, UINT64_MAX, &dlc))
		return false;
	if (dlc != UINT64_MAX)
		e.dlc = dlc;
	if (sequence) {
		if (e.ids.any)
			e.ids = (struct peer_ids){ .first = 2, .last = 2, .step = 1 };
		e.dlc = 1;
		e.counter = PEER_COUNTER_U8;
	}
	if (!take_counter(p, &e) || !take_expect_first(p, &e))
		return false;
	if (e.counter == PEER_COUNTER_ID && (e.ids.any || peer_ids_count(&e.ids) < 4))
		return fail(p, "counter=id needs at least four ids, as in id=0x100..0x1ff");
	if (e.rtr && (e.counter == PEER_COUNTER_U8 || e.counter == PEER_COUNTER_U32))
		return fail(p, "a remote frame has no data to count in");
	all = realloc(p->s->expect, (p->s->expects + 1) * sizeof(e));
	if (!all)
		abort();
	p->s->expect = all;
	all[p->s->expects++] = e;
	return true;
}

static bool parse_destroy(struct parser *p)
{
	struct peer_destroy d = { .bit = -1 };
	uint64_t skip, count, bit;
	const char *who;

	if (!take_number(p, "skip", 0, UINT32_MAX, 0, &skip) ||
	    !take_number(p, "count", 1, UINT32_MAX, 1, &count) ||
	    !take_number(p, "bit", 0, 200, UINT64_MAX, &bit) || !take_value(p, "who", &who))
		return false;
	if (who && strcmp(who, "me") && strcmp(who, "other") && strcmp(who, "any"))
		return fail(p, "who=%s: is one of me, other, any", who);
	d.skip = skip;
	d.count = count;
	if (bit != UINT64_MAX)
		d.bit = bit;
	if (who && !strcmp(who, "me"))
		d.who = PEER_ME;
	else if (who && !strcmp(who, "other"))
		d.who = PEER_OTHER;
	append(p, PEER_DESTROY)->destroy = d;
	return true;
}

static bool parse_repeat(struct parser *p)
{
	const char *arg = argument(p, 1);
	uint64_t n = PEER_FOREVER;

	if (!arg || (strcmp(arg, "forever") && (!read_number(arg, UINT32_MAX, &n, NULL) || !n)))
		return fail(p, "repeat needs how many times (1 or more), or 'forever'");
	if (p->depth == PEER_NESTING)
		return fail(p, "repeats are nested deeper than %d", PEER_NESTING);
	append(p, PEER_REPEAT)->number = n;
	p->open[p->depth++] = p->s->commands - 1;
	return true;
}

/* Does running this command always take time? */
static bool takes_time(enum peer_op op)
{
	return op == PEER_SEND || op == PEER_WAIT_TIME || op == PEER_WAIT_SIGNAL ||
	       op == PEER_WAIT_FRAME || op == PEER_WAIT_IDLE;
}

static bool parse_end(struct parser *p)
{
	size_t begin, end = p->s->commands;
	bool slow = false;

	if (!p->depth)
		return fail(p, "end without repeat");
	begin = p->open[--p->depth];
	append(p, PEER_END)->other = begin;
	p->s->command[begin].other = end;
	for (size_t i = begin; i < end; i++)
		slow |= takes_time(p->s->command[i].op);
	if (p->s->command[begin].number == PEER_FOREVER && !slow)
		return fail(p, "nothing in this 'repeat forever' takes time: "
			    "put a wait or a send in");
	return true;
}

static const struct {
	const char *name;
	bool (*parse)(struct parser *p);
} commands[] = {
	{ "bitrate", parse_bitrate }, { "mode", parse_mode }, { "start", parse_start },
	{ "stop", parse_stop }, { "restart", parse_restart }, { "log", parse_log },
	{ "wait", parse_wait }, { "send", parse_send }, { "sequence", parse_sequence },
	{ "expect", parse_expect }, { "destroy", parse_destroy }, { "repeat", parse_repeat },
	{ "end", parse_end },
};

static bool parse_words(struct parser *p)
{
	char known[160] = "";

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (!p->word[0].value && !strcmp(p->word[0].name, commands[i].name))
			return commands[i].parse(p) && nothing_left(p);
		if (i)
			strcat(known, ", ");
		strcat(known, commands[i].name);
	}
	return fail(p, "no command '%s', there are %s", p->word[0].name, known);
}

static bool parse_line(struct parser *p, char *line)
{
	char *save = NULL, *comment = strchr(line, '#');

	if (comment)
		*comment = '\0';
	p->words = 0;
	for (char *w = strtok_r(line, " \t\r", &save); w; w = strtok_r(NULL, " \t\r", &save)) {
		char *equals = strchr(w, '=');

		if (p->words == MAX_WORDS)
			return fail(p, "more than %d words", MAX_WORDS);
		if (equals)
			*equals++ = '\0';
		p->word[p->words++] = (struct word){ .name = w, .value = equals };
	}
	return p->words ? parse_words(p) : true;
}

static bool parse_text(struct parser *p, char *text)
{
	while (text) {
		char *next = strchr(text, '\n');

		if (next)
			*next++ = '\0';
		p->line++;
		if (!parse_line(p, text))
			return false;
		text = next;
	}
	if (p->depth) {
		p->line = p->s->command[p->open[p->depth - 1]].line;
		return fail(p, "repeat without end");
	}
	return true;
}

bool peer_script_parse(struct peer_script *s, const char *text, char *err, size_t errlen)
{
	struct parser p = { .s = s, .err = err, .errlen = errlen };
	char *copy = strdup(text);
	bool good;

	if (!copy)
		abort();
	memset(s, 0, sizeof(*s));
	good = parse_text(&p, copy);
	free(copy);
	if (!good)
		peer_script_free(s);
	return good;
}

void peer_script_free(struct peer_script *s)
{
	free(s->command);
	free(s->expect);
	memset(s, 0, sizeof(*s));
}
