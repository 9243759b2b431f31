/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds where the words of a message can be in its records.
 *
 * "*timed out*" is in the format "timed out after %d s", in the constant "timed out for slow
 * reply", which a format "Request sent has %s: ..." may print, and nowhere in "rc = %d". The words
 * "has timed out" are split: the kernel compares the format with "*has %s*" and the argument with
 * "timed out*".
 */
#include "compat/lustre/message/search.h"

#include <ctype.h>
#include <fnmatch.h>

#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/base/util.h"

/* The kernel's limit of a string in a filter is 256 bytes. */
#define MAX_WORDS 200

/* Minimum length of each side of a split; fewer bytes match everywhere. */
#define MIN_SIDE 3

/* A trigger's text must fit into a page. */
#define MAX_SPLIT 16

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

/* A string with '%' or a newline at its end is a format; other strings can be formats, too. */
static bool is_format(const char *text)
{
	size_t len = strlen(text);

	return strchr(text, '%') || (len && text[len - 1] == '\n');
}

static bool has_words(const char *glob, const char *text)
{
	size_t len = strlen(text);
	char *line __cleanup(free) = strndup(text, len && text[len - 1] == '\n' ? len - 1 : len);

	return line && !fnmatch(glob, line, 0);
}

static int add_once(struct dkt__strings *names, const char *text)
{
	return dkt__strings_has(names, text) ? 0 : dkt__strings_add(names, text);
}

/* ---- words split between a format and a string argument ---- */

/*
 * Writes a glob that matches the text: `?` replaces wildcards and bytes that a filter cannot have.
 */
static void put_literal(FILE *f, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		fputc(strchr("*?[]\\\"'", text[i]) || iscntrl((unsigned char)text[i]) ? '?' :
											text[i],
		      f);
}

/* Returns the glob "before TEXT after"; NULL: no memory. */
static char *make_glob(const char *before, const char *text, size_t len, const char *after)
{
	char *glob = NULL;
	size_t size;
	FILE *f = open_memstream(&glob, &size);

	if (!f)
		return NULL;
	fputs(before, f);
	put_literal(f, text, len);
	fputs(after, f);
	dkt__text_end(f, 0, &glob);
	return glob;
}

static int add_part(struct search *search, const char *format, char *format_glob, char *argument)
{
	bool known = false;
	int err = format_glob && argument ? add_once(&search->split, format) : -ENOMEM;

	for (size_t i = 0; !err && !known && i < search->n_parts; i++)
		known = !strcmp(search->parts[i].format, format_glob) &&
			!strcmp(search->parts[i].argument, argument);
	if (!err && !known)
		err = dkt__append(search->parts, search->n_parts,
				  (struct search_part){ format_glob, argument });
	if (err || known) {
		free(format_glob);
		free(argument);
	}
	return err;
}

/*
 * Splits words that begin before a %s: "has " + "timed out". The string must begin with the rest.
 */
static int split_behind(struct search *search, const struct dkt__strings *texts, const char *format,
			const char *s, const char *words, size_t k)
{
	const char *rest = words + k, *after = s + 2;
	size_t len = strlen(rest);

	for (size_t i = 0; i < texts->n; i++) {
		const char *text = texts->list[i];
		size_t n = strlen(text);

		if (is_format(text))
			continue;
		if (starts(text, rest))
			return add_part(search, format, make_glob("*", words, k, "%*"),
					make_glob("", rest, len, "*"));
		/*
		 * The string can also end within the words, if the format continues with the
		 * others.
		 */
		if (n >= MIN_SIDE && n < len && !strncmp(rest, text, n) && starts(after, rest + n))
			return add_part(search, format, make_glob("*", words, k, "%*"),
					make_glob("", text, n, ""));
	}
	return 0;
}

/* Splits words that begin in the string: "timed out" + " after". */
static int split_before(struct search *search, const struct dkt__strings *texts, const char *format,
			const char *words, size_t k)
{
	for (size_t i = 0; i < texts->n; i++) {
		const char *text = texts->list[i];
		size_t n = strlen(text);

		if (!is_format(text) && n >= k && !strncmp(text + n - k, words, k))
			return add_part(search, format,
					make_glob("*%s", words + k, strlen(words + k), "*"),
					make_glob("*", words, k, ""));
	}
	return 0;
}

static int split_format(struct search *search, const struct dkt__strings *texts, const char *format,
			const char *words)
{
	size_t len = strlen(words);
	int err = 0;

	for (const char *s = strstr(format, "%s"); !err && s; s = strstr(s + 2, "%s"))
		for (size_t k = MIN_SIDE; !err && k + MIN_SIDE <= len; k++) {
			if ((size_t)(s - format) >= k && !strncmp(s - k, words, k))
				err = split_behind(search, texts, format, s, words, k);
			if (!err && starts(s + 2, words + k))
				err = split_before(search, texts, format, words, k);
		}
	return err;
}

/* Returns the words without wildcards, or between the stars of "*WORDS*"; NULL: other wildcards. */
static char *plain_words(const char *words)
{
	size_t len = strlen(words);

	if (!strpbrk(words, "*?"))
		return strdup(words);
	if (len < 3 || words[0] != '*' || words[len - 1] != '*')
		return NULL;
	return strcspn(words + 1, "*?[\\") == len - 2 ? strndup(words + 1, len - 2) : NULL;
}

static int find_split(struct dkt_ctx *ctx, struct search *search, const char *glob,
		      const struct dkt__strings *texts)
{
	char *words __cleanup(free) = plain_words(glob);
	int err = 0;

	for (size_t i = 0; words && !err && i < texts->n; i++)
		err = split_format(search, texts, texts->list[i], words);
	if (!err && search->n_parts > MAX_SPLIT)
		err = dkt_fail(ctx, -E2BIG,
			       "'%s' is split between format and argument in more than %d ways;"
			       " give words of the format or of the argument alone",
			       words, MAX_SPLIT);
	return err;
}

/* ---- the search ---- */

static int check_words(struct dkt_ctx *ctx, const char *words)
{
	if (!words[strspn(words, "*? ")])
		return dkt_fail(ctx, -EINVAL, "message: give some words of the text");
	if (strlen(words) > MAX_WORDS)
		return dkt_fail(ctx, -EINVAL, "message: the text is longer than %d bytes",
				MAX_WORDS);
	/* In plain words, put_literal() replaces these. */
	for (const char *p = words; *p && strpbrk(words, "*?"); p++)
		if (*p == '"' || *p == '\'' || iscntrl((unsigned char)*p))
			return dkt_fail(ctx, -EINVAL,
					"message: a filter of the kernel cannot contain quotes and"
					" control characters; write ? in place of each");
	return 0;
}

int dkl_search_new(struct dkt_ctx *ctx, const char *words, const struct dkt__strings *texts,
		   struct search *search)
{
	int err = check_words(ctx, words);

	*search = (struct search){ .blind = !texts };
	if (err)
		return err;
	search->glob = strpbrk(words, "*?") ? strdup(words) :
					      make_glob("*", words, strlen(words), "*");
	if (!search->glob)
		return dkt__no_memory(ctx);
	for (size_t i = 0; !err && texts && i < texts->n; i++)
		if (has_words(search->glob, texts->list[i]))
			err = add_once(is_format(texts->list[i]) ? &search->formats :
								   &search->arguments,
				       texts->list[i]);
	if (!err && texts)
		err = find_split(ctx, search, words, texts);
	if (err)
		dkl_search_clear(search);
	return err;
}

int dkl_search_modules(struct dkt_ctx *ctx, const char *words, struct search *search)
{
	struct dkt__strings texts = { 0 };
	int unknown = dkl_texts_read(ctx, &texts);
	int err = dkl_search_new(ctx, words, unknown ? NULL : &texts, search);

	dkt__strings_clear(&texts);
	return err;
}

void dkl_search_clear(struct search *search)
{
	for (size_t i = 0; i < search->n_parts; i++) {
		free(search->parts[i].format);
		free(search->parts[i].argument);
	}
	free(search->parts);
	free(search->glob);
	dkt__strings_clear(&search->formats);
	dkt__strings_clear(&search->arguments);
	dkt__strings_clear(&search->split);
	*search = (struct search){ 0 };
}

/* ---- the condition ---- */

/* True for fields with a format, or with the whole text. */
static bool holds_format(const struct dkt_field *field)
{
	static const char *const names[] = { "fmt", "fmt2", "v_fmt", "msg" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(field->name, names[i]))
			return true;
	return false;
}

/* True for s0, t2, ..., the strings of arguments, and for d0, n2, ..., the names of dentries. */
static bool holds_argument(const struct dkt_field *field)
{
	return strchr("stdn", field->name[0]) && field->name[1] &&
	       !field->name[1 + strspn(field->name + 1, "0123456789")];
}

struct condition {
	FILE *f;
	const struct dkt_field *const *fields;
	size_t n;
	bool any;
};

/* Writes (FIELD ~ "GLOB" || ...) for the fields that can have it; false: no such field. */
static bool put_fields(struct condition *condition, const char *between,
		       bool (*holds)(const struct dkt_field *field), const char *glob)
{
	/* A format can end with a newline, which the words do not have. */
	bool line_end = holds == holds_format && glob[strlen(glob) - 1] != '*';
	bool first = true;

	for (size_t i = 0; i < condition->n; i++) {
		const struct dkt_field *field = condition->fields[i];

		if (!(field->flags & DKT_FIELD_STRING) || !holds(field))
			continue;
		fprintf(condition->f, "%s%s ~ \"%s\"", first ? between : " || ", field->name, glob);
		if (line_end)
			fprintf(condition->f, " || %s ~ \"%s?\"", field->name, glob);
		first = false;
	}
	return !first;
}

static void put_whole(struct condition *condition, bool (*holds)(const struct dkt_field *field),
		      const char *glob)
{
	condition->any |= put_fields(condition, condition->any ? " || " : "", holds, glob);
}

static bool has_field(const struct condition *condition,
		      bool (*holds)(const struct dkt_field *field))
{
	for (size_t i = 0; i < condition->n; i++)
		if (condition->fields[i]->flags & DKT_FIELD_STRING && holds(condition->fields[i]))
			return true;
	return false;
}

/* For an event without a format, whose message has it in another record, test only the argument. */
static void put_part(struct condition *condition, const struct search_part *part)
{
	if (!has_field(condition, holds_argument))
		return;
	fputs(condition->any ? " || (" : "(", condition->f);
	if (put_fields(condition, "(", holds_format, part->format))
		fputs(") && ", condition->f);
	put_fields(condition, "(", holds_argument, part->argument);
	fputs("))", condition->f);
	condition->any = true;
}

int dkl_search_condition(const struct search *search, struct dkt_event *event, char **text)
{
	struct condition condition = { 0 };
	bool found = search->formats.n || search->arguments.n || search->n_parts;
	size_t len;
	int err = dkt_event_fields(event, &condition.fields, &condition.n);

	*text = NULL;
	condition.f = err ? NULL : open_memstream(text, &len);
	if (!condition.f)
		return err ? err : -ENOMEM;
	/* A constant that does not look like a format can be one. */
	if (!found || search->formats.n || search->arguments.n || dkt_event_field(event, "msg"))
		put_whole(&condition, holds_format, search->glob);
	if (!found || search->arguments.n)
		put_whole(&condition, holds_argument, search->glob);
	for (size_t i = 0; i < search->n_parts; i++)
		put_part(&condition, &search->parts[i]);
	return dkt__text_end(condition.f, condition.any ? 0 : -ENOENT, text);
}
