/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A value of debug that names events beside classes: "+rpctrace sched:*", "-block:block_plug". */
#include "compat/set/param/debug_words.h"

#include <ctype.h>

#include "compat/apply/event_filter.h"
#include "compat/set/param.h"
#include "lib/base/buf.h"
#include "lib/base/glob.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"

#define BLANK      ", \t\n\r\v\f"
#define SEPARATORS BLANK "+-"

/* ---- splitting ---- */

struct token {
	char sign; /* 0: none */
	const char *text;
	size_t len;
};

/* False: the text ends. Signs without a word, which dkl_mask_parse() refuses, are tokens of length 0. */
static bool next_token(const char **p, struct token *token)
{
	const char *text = *p + strspn(*p, BLANK);

	token->sign = *text == '+' || *text == '-' ? *text++ : '\0';
	if (token->sign)
		text += strspn(text, BLANK);
	token->text = text;
	*p = dkl_named_word_end(text, SEPARATORS);
	token->len = (size_t)(*p - text);
	return token->sign || token->len;
}

/* No class has a colon or a bracket in its name. */
static bool is_event(const struct token *token)
{
	return memchr(token->text, ':', token->len) || memchr(token->text, '[', token->len);
}

bool dkl_debug_words_has_event(const char *value)
{
	struct token token;

	while (next_token(&value, &token))
		if (is_event(&token))
			return true;
	return false;
}

/* True unless the value begins with a sign, which is not that of a negative number. */
static bool is_absolute(const char *value)
{
	value += strspn(value, BLANK);
	return *value && *value != '+' && (*value != '-' || isdigit((unsigned char)value[1]));
}

static int read_tokens(const char *p, struct debug_words *words, FILE *mask)
{
	char least[MASK_TEXT_SIZE];
	bool first = true, any = false;
	struct token token;
	int err = 0;

	/* The names, because not every Lustre knows "none". */
	dkl_mask_format(MASK_DEBUG, dkl_mask_floor(MASK_DEBUG), least);
	while (!err && next_token(&p, &token)) {
		const char sign[] = { token.sign, '\0' };

		if (is_event(&token)) {
			err = dkt__strings_take(&words->events,
						dkt__format("%c%.*s", token.sign ? token.sign : '+',
							    (int)token.len, token.text));
		} else {
			/* A signed first class would be relative to the old mask. */
			if (!any && !first && words->absolute)
				fprintf(mask, "%s ", least);
			fprintf(mask, "%s%s%.*s", any ? " " : "", sign, (int)token.len, token.text);
			any = true;
		}
		first = false;
	}
	if (!any && words->absolute)
		fputs(least, mask);
	return err;
}

int dkl_debug_words_read(struct dkt_ctx *ctx, const char *value, struct debug_words *words)
{
	size_t len;
	FILE *mask;
	int err;

	*words = (struct debug_words){ .absolute = is_absolute(value) };
	if (!dkl_debug_words_has_event(value)) {
		words->mask = strdup(value);
		return words->mask ? 0 : dkt__no_memory(ctx);
	}
	mask = open_memstream(&words->mask, &len);
	err = mask ? read_tokens(value, words, mask) : -ENOMEM;
	return dkt__with_words(ctx, dkt__text_end_some(mask, err, &words->mask));
}

void dkl_debug_words_clear(struct debug_words *words)
{
	free(words->mask);
	dkt__strings_clear(&words->events);
	*words = (struct debug_words){ 0 };
}

/* ---- taking over ---- */

/* Removes the words of the settings that glob covers. True if one of them chose events. */
static int remove_covered(struct dkt_ctx *ctx, const char *glob, bool exact, struct settings *set,
			  bool *chose)
{
	*chose = false;
	for (size_t i = set->events.n; i-- > 0;) {
		struct named old = { 0 };
		int err = dkl_named_read(ctx, set->events.list[i], &old);
		bool covered = !err && (exact ? !strcmp(glob, old.list[0].glob) :
						dkt__glob(glob, old.list[0].glob));

		*chose |= covered && !old.list[0].without;
		dkl_named_clear(&old);
		if (err)
			return err;
		if (covered)
			dkt__strings_remove(&set->events, i);
	}
	return 0;
}

/* True if a class or another word still chooses an event of the word. */
static int still_chosen(struct debuglog *log, const struct named_word *word,
			const struct settings *set, bool *chosen)
{
	struct event_filter filter = { .ctx = log->ctx, .set = set };
	struct dkt_event *const *all;
	size_t n;
	int err = dkl_debuglog_map(log);

	*chosen = false;
	filter.map = log->map;
	if (!err)
		err = dkl_event_filter_named(log->ctx, set, &filter.named);
	if (!err)
		err = dkt_events(log->ctx, &all, &n);
	for (size_t i = 0; !err && !*chosen && i < n; i++)
		*chosen = dkl_named_word_has(word, dkt_event_system(all[i]),
					     dkt_event_name(all[i])) &&
			  dkl_event_filter_wants(&filter, all[i]);
	dkl_event_filter_clear(&filter);
	return err;
}

static int exclude(struct debuglog *log, const struct named *named, struct settings *set)
{
	const struct named_word *word = &named->list[0];
	bool chose, chosen;
	int err = remove_covered(log->ctx, word->glob, false, set, &chose);

	/* The event of a named word may be gone with its module, so do not look for it. */
	if (!err && !chose)
		err = dkl_named_check(log->ctx, named);
	if (!err)
		err = still_chosen(log, word, set, &chosen);
	if (!err && chosen)
		err = dkt__strings_take(&set->events, dkl_named_word_text(word));
	return dkt__with_words(log->ctx, err);
}

static int include(struct debuglog *log, const struct named *named, struct settings *set)
{
	const struct named_word *word = &named->list[0];
	bool chose;
	int err = dkl_named_check(log->ctx, named);

	if (!err)
		err = remove_covered(log->ctx, word->glob, true, set, &chose);
	if (!err)
		err = dkt__strings_take(&set->events, dkl_named_word_text(word));
	return dkt__with_words(log->ctx, err);
}

static int take_word(struct debuglog *log, const char *text, struct settings *set, char **notes)
{
	struct named named = { 0 };
	char *note = NULL;
	int err = dkl_named_read(log->ctx, text, &named);

	if (!err)
		err = (named.list[0].without ? exclude : include)(log, &named, set);
	if (!err && notes)
		err = dkl_named_lacking(log->ctx, &named, &note);
	dkl_named_clear(&named);
	return err || !note ? err : dkt__with_words(log->ctx, dkl_note_add(notes, note));
}

int dkl_debug_word_take(struct debuglog *log, const char *word, struct settings *set)
{
	return take_word(log, word, set, NULL);
}

int dkl_debug_words_take(struct debuglog *log, const struct debug_words *words,
			 struct settings *set, char **notes)
{
	int err = 0;

	if (words->absolute)
		dkt__strings_clear(&set->events);
	for (size_t i = 0; !err && i < words->events.n; i++)
		err = take_word(log, words->events.list[i], set, notes);
	return err;
}

char *dkl_debug_words_text(const struct settings *set)
{
	struct dkt_buf buf = { 0 };

	for (size_t i = 0; i < set->events.n; i++)
		dkt_buf_printf(&buf, "%s%s", i ? " " : "", set->events.list[i]);
	return dkt__buf_take(&buf);
}
