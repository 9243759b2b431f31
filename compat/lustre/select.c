/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of events chosen by words: classes, subsystems, systems of events, globs. */
#include "compat/lustre/select.h"

#include <inttypes.h>

#include "compat/io/say.h"
#include "compat/lustre/binary/event.h"
#include "compat/lustre/named.h"
#include "lib/base/buf.h"
#include "lib/base/glob.h"
#include "lib/base/memory.h"

/* Characters between words. A glob that needs one of them can put it in brackets. */
#define SEPARATORS "+,"

struct select_glob {
	char *word; /* as the user wrote it */
	char *text; /* over SYSTEM:EVENT */
};

struct select {
	const struct class_map *map;
	char *words; /* as the user wrote them */
	uint32_t classes;
	uint32_t subsystems;
	struct select_glob *globs;
	size_t n_globs;
	struct dkt_event **events;
	size_t n_events;
};

void dkl_select_free(struct select *select)
{
	if (!select)
		return;
	for (size_t i = 0; i < select->n_globs; i++) {
		free(select->globs[i].word);
		free(select->globs[i].text);
	}
	free(select->globs);
	free(select->events);
	free(select->words);
	free(select);
}

/* ---- words ---- */

static int add_glob(struct select *select, const char *word, const char *text)
{
	struct select_glob glob = { .word = strdup(word), .text = strdup(text) };

	if (glob.word && glob.text && !dkt__append(select->globs, select->n_globs, glob))
		return 0;
	free(glob.word);
	free(glob.text);
	return -ENOMEM;
}

static int check_part(struct dkt_ctx *ctx, const char *word, size_t from, size_t len)
{
	char *part __cleanup(free) = strndup(word + from, len);
	const char *wrong;
	size_t at;

	if (!part)
		return dkt__no_memory(ctx);
	wrong = dkt__glob_check(part, &at);
	return wrong ? dkt_fail(ctx, -EINVAL, "'%s': %s", word, wrong) : 0;
}

static int check_word(struct dkt_ctx *ctx, const char *word)
{
	size_t len = strcspn(word, ":");
	int err = check_part(ctx, word, 0, len);

	if (!err && word[len])
		err = check_part(ctx, word, len + 1, strlen(word + len + 1));
	return err;
}

static int add_word(struct dkt_ctx *ctx, struct select *select, const char *word)
{
	const size_t len = strlen(word);
	int class = dkl_mask_bit(MASK_DEBUG, word, len);
	int subsystem = dkl_mask_bit(MASK_SUBSYSTEM, word, len);
	int err;

	if (class >= 0)
		select->classes |= 1u << class;
	if (subsystem >= 0)
		select->subsystems |= 1u << subsystem;
	if (class >= 0 || subsystem >= 0)
		return 0;
	err = check_word(ctx, word);
	return err ? err : add_glob(select, word, strcmp(word, SELECT_ALL) ? word : "*:*");
}

/* ---- events ---- */

static void full_name(const struct dkt_event *event, char *name, size_t size)
{
	snprintf(name, size, "%s:%s", dkt_event_system(event), dkt_event_name(event));
}

static bool by_name(const struct select *select, const struct dkt_event *event)
{
	char name[512];

	full_name(event, name, sizeof(name));
	for (size_t i = 0; i < select->n_globs; i++)
		if (dkt__glob(select->globs[i].text, name))
			return true;
	return false;
}

static bool has_system(struct dkt_event *const *events, size_t n, const char *glob)
{
	for (size_t i = 0; i < n; i++)
		if (dkt__glob(glob, dkt_event_system(events[i])))
			return true;
	return false;
}

/* A word without a colon is the name of a system, for all its events, or else the name of an event. */
static int complete_globs(struct select *select, struct dkt_event *const *events, size_t n)
{
	for (size_t i = 0; i < select->n_globs; i++) {
		struct select_glob *glob = &select->globs[i];
		char *text;

		if (strchr(glob->text, ':'))
			continue;
		text = has_system(events, n, glob->word) ? dkt__format("%s:*", glob->word) :
							   dkt__format("*:%s", glob->word);
		if (!text)
			return -ENOMEM;
		free(glob->text);
		glob->text = text;
	}
	return 0;
}

bool dkl_select_has(const struct select *select, const struct dkt_event *event)
{
	const struct class_bits *bits = dkl_class_map_event(select->map, event);

	return bits->classes & select->classes || bits->subsystems & select->subsystems ||
	       by_name(select, event);
}

static int find_events(struct dkt_ctx *ctx, struct select *select)
{
	struct dkt_event *const *all;
	struct dkt_event *one;
	size_t n;
	int err = dkt_events(ctx, &all, &n);

	if (err)
		return err;
	/* A saved log of Lustre has only one event, which is in no catalogue. */
	if (!n && (one = dkl_record_event_find(ctx))) {
		all = &one;
		n = 1;
	}
	select->events = calloc(n + 1, sizeof(struct dkt_event *));
	if (!select->events)
		return dkt__no_memory(ctx);
	err = complete_globs(select, all, n);
	for (size_t i = 0; !err && i < n; i++)
		if (dkl_select_has(select, all[i]))
			select->events[select->n_events++] = all[i];
	return err;
}

void dkl_select_guess(struct dkt__guess *guess, struct dkt_ctx *ctx)
{
	struct dkt_event *const *all;
	size_t n;

	if (dkt_events(ctx, &all, &n))
		return;
	for (size_t i = 0; i < n; i++)
		dkt__guess_member(guess, dkt_event_system(all[i]), dkt_event_name(all[i]));
}

static int no_event(struct dkt_ctx *ctx, const char *glob)
{
	const char *colon = strchr(glob, ':');
	/* All events of a system: the system is unknown. */
	char *word __cleanup(free) = colon && !strcmp(colon, ":*") ?
					     strndup(glob, (size_t)(colon - glob)) :
					     strdup(glob);
	struct dkt__guess guess;

	if (!word)
		return dkt__no_memory(ctx);
	dkt__guess_start(&guess, word, strlen(word));
	dkl_mask_guess(MASK_DEBUG, &guess);
	dkl_mask_guess(MASK_SUBSYSTEM, &guess);
	dkl_select_guess(&guess, ctx);
	return dkt_fail(ctx, -ENOENT, "'%s' is not a class, subsystem or event (SYSTEM:EVENT)%s",
			word, dkt__guess_words(&guess));
}

/* True if the word is the name of an event, without its system. */
static bool is_name(const struct select_glob *glob)
{
	return !strncmp(glob->text, "*:", 2) && !strcmp(glob->text + 2, glob->word);
}

/* Each word must match an event, so that a misspelt word is not ignored. */
static int check_glob(struct dkt_ctx *ctx, const struct select *select,
		      const struct select_glob *glob)
{
	struct dkt_event **events __cleanup(free) =
		calloc(select->n_events + 1, sizeof(struct dkt_event *));
	char name[512];
	size_t n = 0;

	if (!events)
		return dkt__no_memory(ctx);
	for (size_t i = 0; i < select->n_events; i++) {
		full_name(select->events[i], name, sizeof(name));
		if (dkt__glob(glob->text, name))
			events[n++] = select->events[i];
	}
	if (!n)
		return no_event(ctx, glob->word);
	/* The name of a system stands for all its events. */
	return is_name(glob) ? dkl_named_unique(ctx, glob->word, events, n) : 0;
}

int dkl_select_check(struct dkt_ctx *ctx, const struct select *select)
{
	int err = 0;

	for (size_t i = 0; !err && i < select->n_globs; i++)
		err = check_glob(ctx, select, &select->globs[i]);
	if (!err && !select->n_events)
		err = dkt_fail(ctx, -ENOENT, "this kernel has no events for '%s'", select->words);
	return err;
}

static int read_words(struct dkt_ctx *ctx, struct select *select, const char *words)
{
	char *copy __cleanup(free) = strdup(words);
	char *save = NULL;
	size_t n = 0;
	int err = copy ? 0 : dkt__no_memory(ctx);

	for (char *word = copy ? strtok_r(copy, SEPARATORS, &save) : NULL; word && !err;
	     word = strtok_r(NULL, SEPARATORS, &save), n++)
		err = add_word(ctx, select, word);
	if (!err && !n)
		err = dkt_fail(ctx, -EINVAL, "expected a class, subsystem or event");
	return err;
}

int dkl_select_check_words(struct dkt_ctx *ctx, const char *words)
{
	struct select *select = calloc(1, sizeof(*select));
	int err = select ? read_words(ctx, select, words) : dkt__no_memory(ctx);

	dkl_select_free(select);
	return err;
}

int dkl_select_new(struct dkt_ctx *ctx, const struct class_map *map, const char *words,
		   struct select **out)
{
	struct select *select = calloc(1, sizeof(*select));
	int err = select ? 0 : dkt__no_memory(ctx);

	*out = NULL;
	if (!err) {
		select->map = map;
		select->words = strdup(words);
		err = select->words ? read_words(ctx, select, words) : dkt__no_memory(ctx);
	}
	if (!err)
		err = find_events(ctx, select);
	if (err) {
		dkl_select_free(select);
		return err;
	}
	*out = select;
	return 0;
}

struct dkt_event *const *dkl_select_events(const struct select *select, size_t *n)
{
	*n = select->n_events;
	return select->events;
}

/* ---- records ---- */

/* Records of a message event have their own class and subsystem, so the condition tests these. */
static int message_condition(const struct select *select, char **filter)
{
	if (!select->classes)
		*filter = dkt__format("msg_subsys & 0x%" PRIx32, select->subsystems);
	else if (!select->subsystems)
		*filter = dkt__format("msg_mask & 0x%" PRIx32, select->classes);
	else
		*filter = dkt__format("msg_mask & 0x%" PRIx32 " || msg_subsys & 0x%" PRIx32,
				      select->classes, select->subsystems);
	return *filter ? 0 : -ENOMEM;
}

int dkl_select_condition(const struct select *select, const struct dkt_event *event, char **filter)
{
	const struct class_bits *bits = dkl_class_map_event(select->map, event);
	bool whole = by_name(select, event);

	if (!whole && bits->fields)
		return message_condition(select, filter);
	if (!whole && !(bits->subsystems & select->subsystems))
		return dkl_class_map_filter(select->map, event, bits->classes & select->classes,
					    NULL, filter);
	*filter = strdup("");
	return *filter ? 0 : -ENOMEM;
}
