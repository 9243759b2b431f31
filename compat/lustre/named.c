/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events chosen by name, with filters: "sched:sched_switch[prev_pid > 0],block:*,-block:block_plug". */
#include "compat/lustre/named.h"

#include "compat/lustre/event_names.h"
#include "compat/lustre/mask.h"
#include "compat/lustre/select.h"
#include "lib/base/buf.h"
#include "lib/base/glob.h"
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/inside.h"

/* One of these is in every comparison of the filter language, and in no name of an event. */
#define COMPARISONS "=<>&~"

static void clear_word(struct named_word *word)
{
	free(word->glob);
	free(word->system);
	free(word->name);
	free(word->filter);
	dkt_expr_free(word->expr);
}

void dkl_named_clear(struct named *named)
{
	for (size_t i = 0; i < named->n; i++)
		clear_word(&named->list[i]);
	free(named->list);
	*named = (struct named){ 0 };
}

/* ---- words ---- */

/*
 * Returns the end of the bracket that begins at p; NULL: it has none. Brackets and comparisons within
 * quotes are text.
 */
static const char *bracket_end(const char *p, bool *compares)
{
	char quote = '\0';
	int depth = 0;

	*compares = false;
	for (; *p; p++) {
		if (quote) {
			quote = *p == quote ? '\0' : quote;
			continue;
		}
		if (*p == '"' || *p == '\'')
			quote = *p;
		depth += (*p == '[') - (*p == ']');
		if (!depth)
			return p + 1;
		*compares |= strchr(COMPARISONS, *p) != NULL;
	}
	return NULL;
}

/* Returns the filter's opening bracket, or the end of a word without a filter. */
static const char *glob_end(const char *p, const char *separators)
{
	const char *end;
	bool compares;

	while (*p && !strchr(separators, *p)) {
		end = *p == '[' ? bracket_end(p, &compares) : NULL;
		if (*p == '[' && compares)
			break;
		/* A glob's own brackets can have any characters. */
		p = end ? end : p + 1;
	}
	return p;
}

const char *dkl_named_word_end(const char *text, const char *separators)
{
	const char *p = glob_end(text, separators), *end;
	bool compares;

	if (*p != '[')
		return p;
	end = bracket_end(p, &compares);
	/* The caller reports the text after the filter, or the missing bracket. */
	return end ? end + strcspn(end, separators) : p + strlen(p);
}

static int check_glob(struct dkt_ctx *ctx, const char *glob, const char *part)
{
	size_t at;
	const char *wrong = dkt__glob_check(part, &at);

	return wrong ? dkt_fail(ctx, -EINVAL, "'%s': %s", glob, wrong) : 0;
}

static int read_glob(struct dkt_ctx *ctx, struct named_word *word)
{
	const char *colon = strchr(word->glob, ':');
	int err;

	word->name = strdup(colon ? colon + 1 : word->glob);
	if (colon)
		word->system = strndup(word->glob, (size_t)(colon - word->glob));
	if (!word->name || (colon && !word->system))
		return dkt__no_memory(ctx);
	err = colon ? check_glob(ctx, word->glob, word->system) : 0;
	return err ? err : check_glob(ctx, word->glob, word->name);
}

/* Reads "[FILTER]", the rest of a word. */
static int read_filter(struct dkt_ctx *ctx, const char *text, size_t len, struct named *named,
		       struct named_word *word)
{
	bool compares;
	const char *end = bracket_end(text, &compares);
	int err;

	if (!end)
		return dkt_fail(ctx, -EINVAL, "%s: the filter has no ']' at its end: %.*s",
				word->glob, (int)len, text);
	if (end != text + len)
		return dkt_fail(ctx, -EINVAL, "%s: expected a comma after the filter, not '%.*s'",
				word->glob, (int)(text + len - end), end);
	word->filter = strndup(text + 1, len - 2);
	if (!word->filter)
		return dkt__no_memory(ctx);
	if (strpbrk(word->filter, "\n\r"))
		return dkt_fail(ctx, -EINVAL, "%s: a filter is one line", word->glob);
	err = dkl_mask_expr_with(ctx, word->filter, named->variable, named->data, &word->expr);
	return err ? dkt__fail_in(ctx, err, "%s", word->glob) : 0;
}

static int read_word(struct dkt_ctx *ctx, const char *text, const char *end, struct named *named)
{
	const char *glob = text + (*text == '+' || *text == '-');
	const char *filter = glob_end(glob, NAMED_SEPARATORS);
	struct named_word word = { .without = *text == '-',
				   .glob = strndup(glob, (size_t)(filter - glob)) };
	int err = word.glob ? 0 : dkt__no_memory(ctx);

	if (!err && (glob == end || *glob == '+' || *glob == '-'))
		err = dkt_fail(ctx, -EINVAL, "an event follows its sign: %.*s", (int)(end - text),
			       text);
	if (!err && filter < end && word.without)
		err = dkt_fail(ctx, -EINVAL, "-%s: an event that is excluded has no filter",
			       word.glob);
	if (!err && filter == glob)
		err = dkt_fail(ctx, -EINVAL, "a filter follows its event without a space: %.*s",
			       (int)(end - text), text);
	if (!err)
		err = read_glob(ctx, &word);
	if (!err && filter < end)
		err = read_filter(ctx, filter, (size_t)(end - filter), named, &word);
	if (!err)
		err = dkt__with_words(ctx, dkt__append(named->list, named->n, word));
	if (err)
		clear_word(&word);
	return err;
}

int dkl_named_read(struct dkt_ctx *ctx, const char *text, struct named *named)
{
	const size_t before = named->n;
	const char *p = text + strspn(text, NAMED_SEPARATORS), *end;
	int err = 0;

	for (; !err && *p; p = end + strspn(end, NAMED_SEPARATORS)) {
		end = dkl_named_word_end(p, NAMED_SEPARATORS);
		err = read_word(ctx, p, end, named);
	}
	if (!err && named->n == before)
		err = dkt_fail(ctx, -EINVAL, "'%s' is not an event: write SYSTEM:NAME", text);
	return err;
}

char *dkl_named_word_text(const struct named_word *word)
{
	const char *sign = word->without ? "-" : "";

	if (!word->filter)
		return dkt__format("%s%s", sign, word->glob);
	return dkt__format("%s%s[%s]", sign, word->glob, word->filter);
}

/* ---- events ---- */

bool dkl_named_word_has(const struct named_word *word, const char *system, const char *name)
{
	return dkt__glob(word->name, name) && (!word->system || dkt__glob(word->system, system));
}

static bool word_has(const struct named_word *word, const struct dkt_event *event)
{
	return dkl_named_word_has(word, dkt_event_system(event), dkt_event_name(event));
}

bool dkl_named_has(const struct named *named, const struct dkt_event *event, bool otherwise)
{
	for (size_t i = named->n; i-- > 0;)
		if (word_has(&named->list[i], event))
			return !named->list[i].without;
	return otherwise;
}

bool dkl_named_chooses(const struct named *named, const struct dkt_event *event)
{
	return dkl_named_has(named, event, false);
}

static bool is_system(struct dkt_event *const *events, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(dkt_event_system(events[i]), word))
			return true;
	return false;
}

static int no_event(struct dkt_ctx *ctx, const struct named_word *word,
		    struct dkt_event *const *all, size_t n)
{
	const char *open = strchr(word->glob, '[');
	struct dkt__guess guess;

	if (!word->system && is_system(all, n, word->glob))
		return dkt_fail(ctx, -ENOENT, "'%s' is a system of events; all of them are '%s:*'",
				word->glob, word->glob);
	if (open && open[strcspn(open, "]")])
		return dkt_fail(
			ctx, -ENOENT,
			"no event matches '%s'; a filter in brackets compares: [prev_pid > 0]",
			word->glob);
	dkt__guess_start(&guess, word->glob, strlen(word->glob));
	dkl_select_guess(&guess, ctx);
	return dkt_fail(ctx, -ENOENT, "no event matches '%s'%s", word->glob,
			dkt__guess_words(&guess));
}

int dkl_named_unique(struct dkt_ctx *ctx, const char *word, struct dkt_event *const *events,
		     size_t n)
{
	char *list __cleanup(free) = NULL;
	size_t len;
	FILE *out;

	if (n < 2 || strpbrk(word, "*?[:"))
		return 0;
	out = open_memstream(&list, &len);
	for (size_t i = 0; out && i < n; i++)
		fprintf(out, "%s%s:%s", i ? i + 1 < n ? ", " : " or " : "",
			dkt_event_system(events[i]), dkt_event_name(events[i]));
	if (dkt__text_end(out, 0, &list))
		return dkt__no_memory(ctx);
	return dkt_fail(ctx, -ENOTUNIQ, "several systems have an event '%s'; write %s", word, list);
}

static int check_word(struct dkt_ctx *ctx, const struct named_word *word,
		      struct dkt_event *const *all, size_t n_all)
{
	struct dkt_event **events __cleanup(free) = calloc(n_all + 1, sizeof(struct dkt_event *));
	size_t n = 0;
	int err;

	if (!events)
		return dkt__no_memory(ctx);
	for (size_t i = 0; i < n_all; i++)
		if (word_has(word, all[i]))
			events[n++] = all[i];
	if (!n)
		return no_event(ctx, word, all, n_all);
	err = dkl_named_unique(ctx, word->glob, events, n);
	if (err || !word->expr)
		return err;
	err = dkt__expr_check_any(word->expr, events, n, 0);
	return err ? dkt__fail_in(ctx, err, "%s", word->glob) : 0;
}

int dkl_named_check(struct dkt_ctx *ctx, const struct named *named)
{
	struct dkt_event *const *all;
	size_t n;
	int err = dkt_events(ctx, &all, &n);

	for (size_t i = 0; !err && i < named->n; i++)
		err = check_word(ctx, &named->list[i], all, n);
	return err;
}

/* Prints the line of one word, if some of its events have no filter at all. */
static int print_lacking(const struct named *named, const struct named_word *word,
			 struct dkt_event *const *all, size_t n_all, FILE *out)
{
	const struct named_word *lacks;
	size_t n = 0, n_lacking = 0, len;
	char *names __cleanup(free) = NULL;
	char *systems __cleanup(free) = NULL;
	FILE *list = open_memstream(&names, &len);
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; !err && i < n_all; i++) {
		char *text __cleanup(free) = NULL;

		if (!word_has(word, all[i]))
			continue;
		n++;
		err = dkl_named_filter(named, all[i], &text, &lacks);
		if (lacks == word)
			fprintf(list, "%s%s:%s", n_lacking++ ? ", " : "", dkt_event_system(all[i]),
				dkt_event_name(all[i]));
	}
	err = dkt__text_end(list, err, &names);
	if (err || !n_lacking)
		return err;
	systems = dkl_names_by_system(names);
	fprintf(out,
		"%s%s[%s]: %zu of %zu events do not have its fields and are recorded without it: %s",
		ftell(out) ? "\n" : "", word->glob, word->filter, n_lacking, n,
		systems ? systems : "");
	return systems ? 0 : -ENOMEM;
}

int dkl_named_lacking(struct dkt_ctx *ctx, const struct named *named, char **lines)
{
	struct dkt_event *const *all;
	size_t n, len;
	FILE *out = open_memstream(lines, &len);
	int err = out ? dkt_events(ctx, &all, &n) : -ENOMEM;

	for (size_t i = 0; !err && i < named->n; i++)
		if (named->list[i].expr)
			err = print_lacking(named, &named->list[i], all, n, out);
	return dkt__text_end_some(out, err, lines);
}

/* ---- filters ---- */

/* Adds an alternative to the text. */
static int add_either(char **text, const char *other)
{
	char *both = *text ? dkt__format("(%s) || (%s)", *text, other) : strdup(other);

	if (!both)
		return -ENOMEM;
	free(*text);
	*text = both;
	return 0;
}

int dkl_named_filter(const struct named *named, struct dkt_event *event, char **text,
		     const struct named_word **lacks)
{
	char *all = NULL;
	int err = 0;

	*lacks = NULL;
	for (size_t i = 0; !err && i < named->n; i++) {
		const struct named_word *word = &named->list[i];
		char *one __cleanup(free) = NULL;

		if (!word->expr || !word_has(word, event))
			continue;
		err = dkt_expr_text(word->expr, event, &one);
		if (!err) {
			err = add_either(&all, one);
		} else if (err == -ENOENT || err == -EINVAL) {
			*lacks = *lacks ? *lacks : word;
			err = 0;
		}
	}
	if (!err && all)
		*lacks = NULL;
	*text = err ? NULL : all ? all : strdup("");
	if (err)
		free(all);
	return err || *text ? err : -ENOMEM;
}
