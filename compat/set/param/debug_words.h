/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A value of debug that names events beside classes: "+rpctrace sched:*", "-block:block_plug". */
#pragma once

#include "compat/log/debuglog.h"

struct debug_words {
	/* The rest for dkl_mask_parse(), and for Lustre's own parameter; NULL: only events are named. */
	char *mask;
	struct dkt__strings events; /* each with its sign, + or - */
	bool absolute; /* the value is not relative: events that were named before no longer count */
};

/* True if the value names an event: a word with a colon or a bracket. */
bool dkl_debug_words_has_event(const char *value);

/*
 * Splits the value. Without an event, mask is the whole value. The caller clears the words, even on
 * failure.
 */
int dkl_debug_words_read(struct dkt_ctx *ctx, const char *value, struct debug_words *words);
void dkl_debug_words_clear(struct debug_words *words);

/*
 * Takes the events over into the settings. Notes, which the caller frees, name events that lack the
 * fields of their filter; NULL: none. -ENOENT, -ENOTUNIQ, -EINVAL: a word is invalid, as dkl_named_read()
 * and dkl_named_check() have it.
 */
int dkl_debug_words_take(struct debuglog *log, const struct debug_words *words,
			 struct settings *set, char **notes);

/* The same for one word, "sched:*[prev_pid > 0]" or "-sched:sched_switch". */
int dkl_debug_word_take(struct debuglog *log, const char *word, struct settings *set);

/* Returns the named events separated by spaces, or "". The caller frees it. NULL: out of memory. */
char *dkl_debug_words_text(const struct settings *set);
