/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the format of an event once, before other code relies on its offsets and sizes. */
#include "lib/event/format_check.h"
#include "lib/base/io.h"

#define PRINT_WORD "print fmt:"

/* Moves past all characters that are in accept; false: they are fewer than least. */
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
#define BLANKS  " \t"

/* True if a name follows the type. libtraceevent would leak memory for a type alone. */
static bool has_name(const char *from, const char *end)
{
	const char *p = end;

	if (p > from && p[-1] == ']')
		while (p > from && *p != '[')
			p--;
	end = p;
	while (p > from && strchr(LETTERS DIGITS, p[-1]))
		p--;
	return p < end && p > from;
}

/* "unsigned long args[6]": words, with an array's bound after up to two groups of them. */
static bool pass_declaration(const char **p)
{
	const char *from = *p;

	if (!strchr(LETTERS, **p))
		return false;
	for (int i = 0; i < 2; i++) {
		pass(p, LETTERS DIGITS " *", 0);
		if (**p != '[')
			continue;
		(*p)++;
		pass(p, LETTERS DIGITS "+*() ", 0);
		if (!pass_word(p, "]"))
			return false;
	}
	return has_name(from, *p) && pass_word(p, ";");
}

static bool pass_number(const char **p, uint64_t *value)
{
	const char *from = *p;

	*value = 0;
	for (; **p >= '0' && **p <= '9' && *value <= DKT__RECORD_MAX; (*p)++)
		*value = *value * 10 + (uint64_t)(**p - '0');
	return *p > from;
}

/* True if the field holds only the offset and length of its data. */
static bool is_located(const char *declaration)
{
	return !strncmp(declaration, "__data_loc", 10) || !strncmp(declaration, "__rel_loc", 9);
}

/* The kernel puts a tab before it, and programs that have copied the format can have made it spaces. */
static bool pass_label(const char **p, const char *label)
{
	const char *from = *p;

	if (pass(p, BLANKS, 1) && pass_word(p, label))
		return true;
	*p = from;
	return false;
}

/*
 * True if "TYPE NAME;\toffset:8;\tsize:4;\tsigned:0;" follows "field:", where older kernels have no
 * "signed", and a record can hold the field. Wherever the declaration ends, libtraceevent finds the
 * same numbers.
 */
static bool is_placed(const char *field, bool strict)
{
	uint64_t offset, size;
	const char *p = field;

	if (strict && !pass_declaration(&p))
		return false;
	if (!strict) {
		p = strchr(p, ';');
		if (!p++)
			return false;
	}
	if (!pass_label(&p, "offset:") || !pass_number(&p, &offset) || !pass_word(&p, ";") ||
	    !pass_label(&p, "size:") || !pass_number(&p, &size) || !pass_word(&p, ";"))
		return false;
	if (pass_label(&p, "signed:") && (!pass(&p, "01", 1) || !pass_word(&p, ";")))
		return false;
	return !*p && offset + size <= DKT__RECORD_MAX &&
	       (!is_located(field) || size == sizeof(uint32_t));
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

/* Prints the line of a field with the kernel's tabs. */
static void put_field(FILE *f, const char *field)
{
	fputs("\tfield:", f);
	for (const char *p = field; *p; p++) {
		fputc(*p, f);
		if (*p == ';' && strchr(BLANKS, p[1]) && p[1]) {
			fputc('\t', f);
			p += strspn(p + 1, BLANKS);
		}
	}
	fputc('\n', f);
}

char *dkt__format_clean(const char *text, size_t len, bool foreign)
{
	char *copy __cleanup(free) = strndup(text, len), *clean = NULL;
	char *line, *rest = copy;
	unsigned int fields = 0;
	size_t size;
	FILE *f = open_memstream(&clean, &size);

	while (f && copy && (line = strsep(&rest, "\n"))) {
		const char *field = line;

		if (foreign && !strncmp(line, PRINT_WORD, strlen(PRINT_WORD)))
			break;
		if (pass_label(&field, "field:")) {
			/* events/header_page has a space there. */
			if (is_placed(field + (*field == ' '), foreign) &&
			    (!foreign || fields++ < DKT__FIELDS_MAX))
				put_field(f, field);
		} else if (!foreign || is_head(line)) {
			fprintf(f, "%s%s", line, rest ? "\n" : "");
		}
	}
	if (f && foreign)
		fputs(PRINT_WORD " \"\"\n", f);
	dkt__text_end(f, copy ? 0 : -ENOMEM, &clean);
	return clean;
}
