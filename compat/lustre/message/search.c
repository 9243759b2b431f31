/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds where the words of a message can be in its records.
 *
 * "*timed out*" is in the format "timed out after %d s", in the constant "timed out for slow
 * reply", which a format "Request sent has %s: ..." may print, and nowhere in "rc = %d". The words
 * "has timed out" are split: the kernel compares the format with "Request sent has %s*" and its first
 * argument with "timed out*".
 */
#include "compat/lustre/message/search.h"

#include <ctype.h>
#include <fnmatch.h>

#include "compat/lustre/message/words.h"
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

static int add_part(struct search *search, const char *format, struct search_part part)
{
	bool known = false;
	int err = part.format && part.argument ? add_once(&search->split, format) : -ENOMEM;

	for (size_t i = 0; !err && !known && i < search->n_parts; i++)
		known = search->parts[i].word == part.word &&
			!strcmp(search->parts[i].format, part.format) &&
			!strcmp(search->parts[i].argument, part.argument);
	if (!err && !known)
		err = dkt__append(search->parts, search->n_parts, part);
	if (err || known) {
		free(part.format);
		free(part.argument);
	}
	return err;
}

/*
 * A part with the format up to the %s at s and the text after it. The beginning tells which word the
 * string is, so that no other string can be taken for it.
 */
static struct search_part make_part(const char *format, const char *s, const char *after,
				    char *argument)
{
	const char *from = s - format > MAX_WORDS ? s - MAX_WORDS : format;
	char *tail __cleanup(free) = make_glob("%s", after, strlen(after), "*");

	return (struct search_part){
		.format =
			tail ? make_glob(from > format ? "*" : "", from, (size_t)(s - from), tail) :
			       NULL,
		.word = dkl_words_before(format, s),
		.argument = argument,
	};
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
			return add_part(search, format,
					make_part(format, s, "", make_glob("", rest, len, "*")));
		/*
		 * The string can also end within the words, if the format continues with the
		 * others.
		 */
		if (n >= MIN_SIDE && n < len && !strncmp(rest, text, n) && starts(after, rest + n))
			return add_part(search, format,
					make_part(format, s, rest + n, make_glob("", text, n, "")));
	}
	return 0;
}

/* Splits words that begin in the string: "timed out" + " after". */
static int split_before(struct search *search, const struct dkt__strings *texts, const char *format,
			const char *s, const char *words, size_t k)
{
	for (size_t i = 0; i < texts->n; i++) {
		const char *text = texts->list[i];
		size_t n = strlen(text);

		if (!is_format(text) && n >= k && !strncmp(text + n - k, words, k))
			return add_part(search, format,
					make_part(format, s, words + k,
						  make_glob("*", words, k, "")));
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
				err = split_before(search, texts, format, s, words, k);
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
