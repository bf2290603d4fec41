// SPDX-License-Identifier: GPL-2.0-only
/*
 * Findings
 */

#include "finding.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static const char *const sure_names[] = {
	[SURE_POSSIBLE] = "possible",
	[SURE_LIKELY] = "likely",
	[SURE_CERTAIN] = "certain",
};

struct finding *f_add(struct findings *f, const char *id, enum sure sure, const char *iface)
{
	struct finding *new;

	f->list = xrealloc(f->list, (f->count + 1) * sizeof(*f->list));
	new = &f->list[f->count++];
	*new = (struct finding){ .id = id, .sure = sure };
	if (iface)
		new->iface = xstrdup(iface);
	return new;
}

static void set_text(char **text, const char *format, va_list ap)
{
	free(*text);
	if (vasprintf(text, format, ap) < 0)
		abort();
}

/* a function for one of the texts */
#define F_TEXT(member)								\
void f_##member(struct finding *finding, const char *format, ...)		\
{										\
	va_list ap;								\
										\
	va_start(ap, format);							\
	set_text(&finding->member, format, ap);					\
	va_end(ap);								\
}

F_TEXT(seen)
F_TEXT(means)
F_TEXT(fix)

/* those of the system first, then by interface, the most certain ones first */
static int compare(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	int by_iface;

	if (!x->iface != !y->iface)
		return x->iface ? 1 : -1;
	by_iface = x->iface ? strcmp(x->iface, y->iface) : 0;
	if (by_iface)
		return by_iface;
	if (x->sure != y->sure)
		return x->sure < y->sure ? 1 : -1;
	return strcmp(x->id, y->id);
}

void f_sort(struct findings *f)
{
	if (f->count)
		qsort(f->list, f->count, sizeof(*f->list), compare);
}

/* wrap TEXT at 79 columns behind LABEL */
static void print_wrapped(FILE *out, const char *label, const char *text)
{
	size_t column = strlen(label), n;

	fputs(label, out);
	while (*text) {
		n = strcspn(text, " ");
		if (column + 1 + n > 79 && column > 10) {
			fprintf(out, "\n%10s", "");
			column = 10;
		}
		fprintf(out, " %.*s", (int)n, text);
		column += n + 1;
		text += n + strspn(text + n, " ");
	}
	fputc('\n', out);
}

void f_print(const struct findings *f, FILE *out)
{
	const struct finding *x;
	size_t i;

	for (i = 0; i < f->count; i++) {
		x = &f->list[i];
		fprintf(out, "%s%s: %s\n", i ? "\n" : "", x->iface ? x->iface : "system", x->id);
		print_wrapped(out, "  seen:   ", x->seen);
		print_wrapped(out, "  means:  ", x->means);
		fprintf(out, "  sure:    %s\n", sure_names[x->sure]);
		fprintf(out, "  mend:    %s\n", x->fix);
	}
}

/* lines of the kernel's log and of config.txt are quoted, and may be no UTF-8 */
static json_t *text(const char *s)
{
	json_t *value = json_string(s);
	char *copy, *p;

	if (value)
		return value;
	copy = xstrdup(s);
	for (p = copy; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	value = json_string(copy);
	free(copy);
	return value;
}

void f_print_json(const struct findings *f, FILE *out)
{
	json_t *list = json_array(), *all;
	const struct finding *x;
	size_t i;

	for (i = 0; i < f->count; i++) {
		x = &f->list[i];
		json_array_append_new(list, json_pack("{s:s, s:o, s:s, s:o, s:o, s:o}",
						      "id", x->id, "interface",
						      x->iface ? text(x->iface) : json_null(),
						      "sure", sure_names[x->sure],
						      "seen", text(x->seen),
						      "means", text(x->means),
						      "fix", text(x->fix)));
	}
	all = json_pack("{s:o}", "findings", list);
	json_dumpf(all, out, JSON_INDENT(2));
	fputc('\n', out);
	json_decref(all);
}

const struct finding *f_find(const struct findings *f, const char *id)
{
	size_t i;

	for (i = 0; i < f->count; i++)
		if (strcmp(f->list[i].id, id) == 0)
			return &f->list[i];
	return NULL;
}

void f_free(struct findings *f)
{
	struct finding *x;
	size_t i;

	for (i = 0; i < f->count; i++) {
		x = &f->list[i];
		free(x->iface);
		free(x->seen);
		free(x->means);
		free(x->fix);
	}
	free(f->list);
	*f = (struct findings){ 0 };
}
