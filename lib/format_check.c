/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats that come out of a file, made safe for libtraceevent, which trusts what it parses. */
#include <ctype.h>

#include "format_check.h"
#include "plan.h"

#include "banned.h"

#define PRINT_WORD "print fmt:"

/* Moves over as many of these characters as there are; false: there are fewer than that. */
static bool pass(const char **p, const char *accept, size_t least)
{
	size_t n = strspn(*p, accept);

	*p += n;
	return n >= least;
}

static bool pass_word(const char **p, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*p, word, n))
		return false;
	*p += n;
	return true;
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define DIGITS  "0123456789"

/* "unsigned long args[6]": words, of which each of two may be followed by an array's bound. */
static bool pass_declaration(const char **p)
{
	int i;

	if (!strchr(LETTERS, **p))
		return false;
	for (i = 0; i < 2; i++) {
		pass(p, LETTERS DIGITS " *", 0);
		if (**p != '[')
			continue;
		(*p)++;
		pass(p, LETTERS DIGITS "+*() ", 0);
		if (!pass_word(p, "]"))
			return false;
	}
	return pass_word(p, ";");
}

/* "\tfield:TYPE NAME;\toffset:8;\tsize:4;\tsigned:0;", without what older kernels have not. */
static bool is_field(const char *line)
{
	const char *p = line;

	if (!pass_word(&p, "\tfield:") || !pass_declaration(&p) || !pass_word(&p, "\toffset:") ||
	    !pass(&p, DIGITS, 1) || !pass_word(&p, ";\tsize:") || !pass(&p, DIGITS, 1) ||
	    !pass_word(&p, ";"))
		return false;
	if (pass_word(&p, "\tsigned:") && (!pass(&p, "01", 1) || !pass_word(&p, ";")))
		return false;
	return !*p;
}

static bool is_head(const char *line)
{
	const char *p = line;

	if (!*line || !strcmp(line, "format:"))
		return true;
	if (pass_word(&p, "name: "))
		return pass(&p, LETTERS DIGITS "-.:$@", 1) && !*p;
	return pass_word(&p, "ID: ") && pass(&p, DIGITS, 1) && !*p;
}

/* Whether there is a division outside of the strings. */
static bool divides(const char *print)
{
	bool quoted = false;

	for (; *print; print++) {
		if (quoted && *print == '\\' && print[1])
			print++;
		else if (*print == '"')
			quoted = !quoted;
		else if (!quoted && (*print == '/' || *print == '%'))
			return true;
	}
	return false;
}

/* Whether the print format can be compiled for the fields that the other text has. */
static bool compiles(struct dkt_event *event, const char *fields, const char *print)
{
	struct tep_handle *tep = tep_alloc();
	struct dkt__plan *plan = calloc(1, sizeof(*plan));
	struct tep_event *parsed;
	struct tep_print_fmt fmt;
	bool good = false;

	if (tep && plan) {
		tep_set_long_size(tep, event->ctx->long_size);
		tep_parse_event(tep, fields, strlen(fields), event->system);
		parsed = tep_find_event_by_name(tep, event->system, event->name);
		good = parsed && !dkt__plan_parse(plan, parsed, print, &fmt) &&
		       !dkt__plan_compile(plan, parsed, &fmt);
	}
	dkt__plan_free(plan);
	if (tep)
		tep_free(tep);
	return good;
}

char *dkt__format_clean(struct dkt_event *event, const char *text, size_t len, bool *bare)
{
	char *copy __cleanup(free) = strndup(text, len), *clean = NULL, *whole;
	char *line, *rest = copy, *print = NULL;
	size_t size;
	FILE *f = open_memstream(&clean, &size);

	*bare = true;
	while (f && copy && !print && (line = strsep(&rest, "\n"))) {
		if (!strncmp(line, PRINT_WORD, strlen(PRINT_WORD)))
			print = line + strlen(PRINT_WORD);
		else if (is_head(line) || is_field(line))
			fprintf(f, "%s\n", line);
	}
	if (f && fclose(f))
		return NULL;
	if (!clean)
		return NULL;
	/* It ends with its line. */
	if (asprintf(&whole, "%s" PRINT_WORD " \"\"\n", clean) < 0)
		whole = NULL;
	if (whole && print && !divides(print) && compiles(event, whole, print)) {
		free(whole);
		*bare = false;
		if (asprintf(&whole, "%s" PRINT_WORD "%s\n", clean, print) < 0)
			whole = NULL;
	}
	free(clean);
	return whole;
}
