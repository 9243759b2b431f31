/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads files of statements, and fills their words. */
#include "answers/load/layout.h"

#include <ctype.h>

#include "lib/base/buf.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"

/* A file of statements is small. */
#define FILE_MOST (1u << 20)

static const char *const sections[LAYOUT_N] = {
	[LAYOUT_ONCE] = "once", [LAYOUT_TABLE] = "table", [LAYOUT_COLUMN] = "column",
	[LAYOUT_DROP] = "drop", [LAYOUT_EVENT] = "event", [LAYOUT_LOG] = "log",
	[LAYOUT_VIEW] = "view",
};

/* ---- the files in the program ---- */

/* The assembler finds the files from the top of the tree. */
#define LAYOUT_FILE(name)                                                                          \
	__asm__(".section .rodata\n"                                                               \
		".global layout_" #name "\n"                                                       \
		"layout_" #name ":\n"                                                              \
		".incbin \"share/clickhouse/" #name ".sql\"\n"                                     \
		".byte 0\n"                                                                        \
		".previous\n");                                                                    \
	extern const char layout_##name[]

LAYOUT_FILE(single);
LAYOUT_FILE(recent);
LAYOUT_FILE(replicated);
LAYOUT_FILE(distributed);

static const struct {
	const char *name, *text;
} own[] = {
	{ "single", layout_single },
	{ "recent", layout_recent },
	{ "replicated", layout_replicated },
	{ "distributed", layout_distributed },
};

/* ---- parsing ---- */

/* Returns the section that a line "-- [NAME]" begins; LAYOUT_N: none. */
static enum layout_section section_of(const char *line)
{
	enum layout_section i = 0;

	if (strncmp(line, "-- [", 4) != 0)
		return LAYOUT_N;
	for (line += 4; i < LAYOUT_N; i++) {
		size_t len = strlen(sections[i]);

		if (!strncmp(line, sections[i], len) && line[len] == ']')
			break;
	}
	return i;
}

static bool is_comment(const char *line)
{
	return !strncmp(line, "--", 2);
}

/* A statement ends with a semicolon at the end of a line. */
static bool ends(const char *line, size_t len)
{
	return len && line[len - 1] == ';';
}

int layout_parse(struct dkt_ctx *ctx, char *text, const char *from, struct layout *layout)
{
	enum layout_section at = LAYOUT_N;
	char *begin = NULL, *line = text;

	layout->qualifies = strstr(text, "@DATABASE@.");
	while (line && *line) {
		size_t len = strcspn(line, "\n");
		char *next = line[len] ? line + len + 1 : NULL;

		if (!begin && is_comment(line)) {
			if (section_of(line) != LAYOUT_N)
				at = section_of(line);
		} else if (len || begin) {
			begin = begin ? begin : line;
			if (at == LAYOUT_N)
				return dkt_fail(ctx, -EINVAL,
						"%s: a statement before the first section", from);
			if (ends(line, len)) {
				line[len - 1] = '\0';
				if (dkt__append(layout->statements[at], layout->n[at], begin))
					return dkt__no_memory(ctx);
				begin = NULL;
			}
		}
		line = next;
	}
	if (begin)
		return dkt_fail(ctx, -EINVAL,
				"%s: the last statement does not end with a semicolon", from);
	return layout->n[LAYOUT_TABLE] ?
		       0 :
		       dkt_fail(ctx, -EINVAL, "%s: no statement in the section [table]", from);
}

int layout_read(struct dkt_ctx *ctx, const char *name, struct layout *layout)
{
	const char *text = name ? NULL : own[0].text;
	size_t len;
	int err = 0;

	for (size_t i = 0; name && i < ARRAY_SIZE(own); i++)
		if (!strcmp(own[i].name, name))
			text = own[i].text;
	if (text)
		layout->text = strdup(text);
	else
		err = dkt__read_file(name, FILE_MOST, &layout->text, &len);
	if (err && err != -ENOMEM)
		return dkt_fail(
			ctx, err,
			"%s: %s; layouts of dktrace are single, recent, replicated, distributed",
			name, strerror(-err));
	if (err || !layout->text)
		return dkt__no_memory(ctx);
	return layout_parse(ctx, layout->text, name ? name : own[0].name, layout);
}

void layout_clear(struct layout *layout)
{
	for (size_t i = 0; i < LAYOUT_N; i++)
		free(layout->statements[i]);
	free(layout->text);
	*layout = (struct layout){ 0 };
}

/* ---- filling ---- */

/* Appends a text as it stands between such marks. */
static void put_escaped(struct dkt_buf *buf, char mark, const char *text)
{
	for (; *text; text++) {
		if (*text == mark || *text == '\\')
			dkt__buf_add(buf, "\\", 1);
		dkt__buf_add(buf, text, 1);
	}
}

static void put_quoted(struct dkt_buf *buf, char mark, const char *text, const char *more,
		       size_t len)
{
	dkt__buf_add(buf, &mark, 1);
	put_escaped(buf, mark, text);
	dkt__buf_add(buf, more, len);
	dkt__buf_add(buf, &mark, 1);
}

void layout_quote(struct dkt_buf *buf, const char *name, const char *more)
{
	put_quoted(buf, '`', name, more, strlen(more));
}

void layout_quote_text(struct dkt_buf *buf, const char *text)
{
	put_quoted(buf, '\'', text, "", 0);
}

/* Returns the length of the name that the text begins with, quoted or not; 0: it begins with another one. */
static size_t name_length(const char *text, const char *name)
{
	const char *begin = text;
	const bool quoted = *text == '`';

	for (text += quoted; *name; name++) {
		text += quoted && *text == '\\';
		if (*text++ != *name)
			return 0;
	}
	if (quoted)
		return *text == '`' ? (size_t)(text + 1 - begin) : 0;
	return *text == '_' || isalnum((unsigned char)*text) ? 0 : (size_t)(text - begin);
}

bool layout_is_name(const char *text, const char *database, const char *table)
{
	size_t n = name_length(text, database);

	if (n && text[n] == '.')
		text += n + 1;
	return name_length(text, table) && text[name_length(text, table)] != '.';
}

static bool is_word(const char *word, size_t len, const char *name)
{
	return strlen(name) == len && !strncmp(word, name, len);
}

/* Appends the value of a word of layouts. Returns false for any other word. */
static bool put_word(const char *word, size_t len, const struct layout_values *values,
		     struct dkt_buf *buf)
{
	static const char table[] = "TABLE";
	const size_t n = sizeof(table) - 1;

	if (values->table && len >= n && !strncmp(word, table, n) && (len == n || word[n] == '_'))
		put_quoted(buf, '`', values->table, word + n, len - n);
	else if (values->table && is_word(word, len, "NAME"))
		put_escaped(buf, '\'', values->table);
	else if (values->database && is_word(word, len, "DATABASE"))
		layout_quote(buf, values->database, "");
	else if (values->database && is_word(word, len, "DATABASE_NAME"))
		put_escaped(buf, '\'', values->database);
	else if (values->columns && is_word(word, len, "COLUMNS"))
		dkt_buf_str(buf, values->columns);
	else if (values->column && is_word(word, len, "COLUMN"))
		dkt_buf_str(buf, values->column);
	else if (values->view && is_word(word, len, "VIEW"))
		layout_quote(buf, values->view, "");
	else if (values->select && is_word(word, len, "SELECT"))
		dkt_buf_str(buf, values->select);
	else
		return false;
	return true;
}

void layout_fill(const char *statement, const struct layout_values *values, struct dkt_buf *buf)
{
	while (*statement) {
		size_t n = strcspn(statement, "@"), len;

		dkt__buf_add(buf, statement, n);
		statement += n;
		if (!*statement)
			return;
		len = strspn(statement + 1,
			     "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
		if (statement[1 + len] == '@' && put_word(statement + 1, len, values, buf)) {
			statement += len + 2;
		} else {
			dkt__buf_add(buf, statement, 1);
			statement++;
		}
	}
}
