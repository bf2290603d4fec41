// SPDX-License-Identifier: GPL-2.0-only
/*
 * The block in config.txt. It begins with [all]: what is in front of it may be in a section of
 * another model. What comes out without a change is what went in, byte by byte.
 */

#include "overlay_block.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN		"# canpipe begin"
#define BEGIN_JOINED	"# canpipe begin (the line above had no end)"
#define END		"# canpipe end"

/* a line without what ends it and without blanks around it */
static char *line_copy(const char *line, size_t length)
{
	while (length && isspace((unsigned char)line[length - 1]))
		length--;
	while (length && isspace((unsigned char)*line)) {
		line++;
		length--;
	}
	return xasprintf("%.*s", (int)length, line);
}

static size_t line_length(const char *line)
{
	size_t length = strcspn(line, "\n");

	return line[length] ? length + 1 : length;
}

static void add_line(struct block *b, char *line)
{
	b->lines = xrealloc(b->lines, (b->count + 1) * sizeof(*b->lines));
	b->lines[b->count++] = line;
}

const char *block_parse(struct block *b, const char *text)
{
	const char *p, *begin = NULL, *end = NULL, *newline = strchr(text, '\n');
	size_t length;
	char *line;

	*b = (struct block){ .crlf = newline && newline > text && newline[-1] == '\r' };
	for (p = text; *p; p += length) {
		length = line_length(p);
		line = line_copy(p, length);
		if (strncmp(line, BEGIN, strlen(BEGIN)) == 0) {
			if (begin) {
				free(line);
				return "has two lines \"" BEGIN "\"";
			}
			begin = p;
			b->added_newline = strcmp(line, BEGIN_JOINED) == 0;
		} else if (strcmp(line, END) == 0) {
			if (!begin || end) {
				free(line);
				return "has a line \"" END "\" without its \"" BEGIN "\"";
			}
			end = p + length;
		} else if (begin && !end && *line && strcmp(line, "[all]") != 0) {
			add_line(b, line);
			continue;
		}
		free(line);
	}
	if (begin && !end)
		return "has a line \"" BEGIN "\" without its \"" END "\"";
	b->there = begin != NULL;
	b->before = begin ? xasprintf("%.*s", (int)(begin - text), text) : xstrdup(text);
	b->after = xstrdup(begin ? end : "");
	if (!begin && *text && text[strlen(text) - 1] != '\n') {
		b->added_newline = true;
		line = xasprintf("%s%s", b->before, b->crlf ? "\r\n" : "\n");
		free(b->before);
		b->before = line;
	}
	return NULL;
}

void block_clear(struct block *b)
{
	size_t i;

	for (i = 0; i < b->count; i++)
		free(b->lines[i]);
	free(b->lines);
	free(b->before);
	free(b->after);
	*b = (struct block){ 0 };
}

/* the section that a text ends in; NULL: none, which is like all */
static char *last_section(const char *text)
{
	char *section = NULL, *line;
	size_t length;

	for (; *text; text += length) {
		length = line_length(text);
		line = line_copy(text, length);
		if (*line == '[') {
			free(section);
			section = line;
		} else {
			free(line);
		}
	}
	return section;
}

/* lines behind the block that would be in another section without its [all] */
static bool after_needs_all(const struct block *b)
{
	char *section = last_section(b->before), *line;
	const char *p;
	size_t length;
	bool needs = false;

	if (b->there && section && strcmp(section, "[all]") != 0) {
		for (p = b->after; *p && !needs; p += length) {
			length = line_length(p);
			line = line_copy(p, length);
			needs = *line && *line != '#' && *line != '[';
			if (*line == '[') {
				free(line);
				break;
			}
			free(line);
		}
	}
	free(section);
	return needs;
}

char *block_text(const struct block *b)
{
	const char *eol = b->crlf ? "\r\n" : "\n";
	size_t i, length = strlen(b->before);
	char *text, *longer;

	if (!b->count && !after_needs_all(b)) {
		/* the newline that was added goes, if it still is the end */
		if (b->added_newline && !*b->after)
			length -= strlen(eol);
		return xasprintf("%.*s%s", (int)length, b->before, b->after);
	}
	text = xasprintf("%s%s%s[all]%s", b->before, b->added_newline ? BEGIN_JOINED : BEGIN, eol, eol);
	for (i = 0; i < b->count; i++) {
		longer = xasprintf("%s%s%s", text, b->lines[i], eol);
		free(text);
		text = longer;
	}
	longer = xasprintf("%s" END "%s%s", text, eol, b->after);
	free(text);
	return longer;
}

bool line_enables(const char *line, const char *name)
{
	size_t n = strlen(name);

	if (strncmp(line, "dtoverlay", 9) != 0)
		return false;
	line += 9 + strspn(line + 9, " \t");
	if (*line != '=')
		return false;
	line += 1 + strspn(line + 1, " \t");
	return strncmp(line, name, n) == 0 && (!line[n] || strchr(",: \t#", line[n]));
}

bool line_has(const char *line, const char *parameter)
{
	size_t n = strlen(parameter);

	while ((line = strchr(line, ','))) {
		line++;
		if (strncmp(line, parameter, n) == 0 && (!line[n] || strchr(",= \t#", line[n])))
			return true;
	}
	return false;
}

int block_find(const struct block *b, const char *line)
{
	char *name = xstrdup(line + strlen("dtoverlay="));
	int i, found = -1;

	name[strcspn(name, ",")] = 0;
	for (i = 0; i < (int)b->count && found < 0; i++)
		if (line_enables(b->lines[i], name) &&
		    line_has(b->lines[i], "ce1") == line_has(line, "ce1"))
			found = i;
	free(name);
	return found;
}

bool block_add(struct block *b, const char *line)
{
	int i = block_find(b, line);

	if (i < 0) {
		add_line(b, xstrdup(line));
		return true;
	}
	if (strcmp(b->lines[i], line) == 0)
		return false;
	free(b->lines[i]);
	b->lines[i] = xstrdup(line);
	return true;
}

void block_remove(struct block *b, size_t i)
{
	free(b->lines[i]);
	b->count--;
	memmove(&b->lines[i], &b->lines[i + 1], (b->count - i) * sizeof(*b->lines));
}

/* sections of models that have no SPI0 of a BCM2835, or of none */
static bool applies(const char *section)
{
	return strncmp(section, "[pi5", 4) != 0 && strncmp(section, "[cm5", 4) != 0 &&
	       strncmp(section, "[pi500", 6) != 0 && strcmp(section, "[none]") != 0;
}

static unsigned int lines_of(const char *text)
{
	unsigned int n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

static void outside(const char *text, unsigned int number, bool on,
		    void (*fn)(void *arg, unsigned int number, const char *line), void *arg)
{
	size_t length;
	char *line;

	for (; *text; text += length, number++) {
		length = line_length(text);
		line = line_copy(text, length);
		if (*line == '[')
			on = applies(line);
		else if (on && *line && *line != '#')
			fn(arg, number, line);
		free(line);
	}
}

void block_outside(const struct block *b, void (*fn)(void *arg, unsigned int number,
						     const char *line), void *arg)
{
	/* as the lines are numbered in the file: begin, [all] and end are three more */
	unsigned int behind = lines_of(b->before) + (unsigned int)b->count + 4;

	outside(b->before, 1, true, fn, arg);
	outside(b->after, behind, true, fn, arg);
}
