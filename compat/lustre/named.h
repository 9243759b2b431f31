/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events chosen by name, with filters: "sched:sched_switch[prev_pid > 0],block:*,-block:block_plug". */
#pragma once

#include <dktrace/dktrace.h>
#include <stdbool.h>
#include <stddef.h>

/* One of the words. */
struct named_word {
	bool without; /* begins with a minus: not these events */
	char *glob; /* as written, without the sign and the filter */
	char *system; /* a glob; NULL: any system */
	char *name; /* a glob */
	char *filter; /* without its brackets; NULL: none */
	struct dkt_expr *expr; /* of the filter */
};

/* All zeroes: no word. */
struct named {
	struct named_word *list;
	size_t n;
	dkt_variable_fn variable; /* for filters with variables; NULL: none */
	void *data; /* of the function */
};

/* Characters between the words of an option. */
#define NAMED_SEPARATORS ", \t\n"

/*
 * Returns the end of the word at text, which a separator follows, or the end of the text. A filter
 * ends at its bracket, whatever is in it: separators, quotes, other brackets.
 */
const char *dkl_named_word_end(const char *text, const char *separators);

/*
 * Adds the words of a text: SYSTEM:NAME or NAME, globs, with or without [FILTER]; -GLOB excludes
 * events. Brackets with a comparison (= < > & ~) are a filter, other brackets are part of the glob.
 * -EINVAL: a glob or filter is invalid, or the text has no word. Clear named in either case.
 */
int dkl_named_read(struct dkt_ctx *ctx, const char *text, struct named *named);
void dkl_named_clear(struct named *named);

/* Returns the word as text, with its sign and filter. The caller frees it. NULL: out of memory. */
char *dkl_named_word_text(const struct named_word *word);

bool dkl_named_word_has(const struct named_word *word, const char *system, const char *name);

/*
 * True if the words choose the event, false if they exclude it: the last word that matches decides.
 * If none does, returns otherwise.
 */
bool dkl_named_has(const struct named *named, const struct dkt_event *event, bool otherwise);

/* True if a word that matches the event stands for it. */
bool dkl_named_chooses(const struct named *named, const struct dkt_event *event);

/*
 * Checks the n events that the word matches: a name without wildcards and without a system stands for one
 * event, another of that name may be a surprise. -ENOTUNIQ: there are several; the message has their names.
 */
int dkl_named_unique(struct dkt_ctx *ctx, const char *word, struct dkt_event *const *events,
		     size_t n);

/*
 * Checks the words against the events of the kernel. -ENOENT: a word matches no event; -ENOTUNIQ: a
 * name without wildcards and without a system is in several systems; -ENOENT, -EINVAL: a filter fits
 * none of its events. The error message names the word, and a similar event.
 */
int dkl_named_check(struct dkt_ctx *ctx, const struct named *named);

/*
 * Gets a line for each word with a filter that some of its events lack the fields for: they are
 * recorded without it. NULL: no such word. The caller frees the text.
 */
int dkl_named_lacking(struct dkt_ctx *ctx, const struct named *named, char **lines);

/*
 * Gets the filter of the event in the kernel's language: records that match one of its filters. A
 * word without a filter does not add records to it. "": no filter. Filters with fields that the event
 * lacks are skipped; if all are, *lacks is the first of these words, otherwise NULL. The caller
 * frees the text.
 */
int dkl_named_filter(const struct named *named, struct dkt_event *event, char **text,
		     const struct named_word **lacks);
