/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of events chosen by words: classes, subsystems, systems of events, globs. */
#pragma once

#include "compat/lustre/class.h"
#include "lib/base/guess.h"

/* Tries SYSTEM:EVENT of every event; for a word without a colon, the systems and the names. */
void dkl_select_guess(struct dkt__guess *guess, struct dkt_ctx *ctx);

/* The word that selects every event. */
#define SELECT_ALL "all"

struct select;

/*
 * Parses words separated by + or commas: a class, a subsystem (a name can be both), a glob
 * SYSTEM:EVENT, a glob for event systems or else for names of events, or `all`. -EINVAL: no word, or an
 * invalid glob.
 */
int dkl_select_new(struct dkt_ctx *ctx, const struct class_map *map, const char *words,
		   struct select **select);

/* Checks the form of the words, which needs no kernel. -EINVAL: as of dkl_select_new(). */
int dkl_select_check_words(struct dkt_ctx *ctx, const char *words);

/* -ENOENT: one of the words matches no event of this kernel. -ENOTUNIQ: as of dkl_named_unique(). */
int dkl_select_check(struct dkt_ctx *ctx, const struct select *select);
void dkl_select_free(struct select *select);

bool dkl_select_has(const struct select *select, const struct dkt_event *event);

/* Returns the events of the set, in the order of dkt_events(); valid as long as the set. */
struct dkt_event *const *dkl_select_events(const struct select *select, size_t *n);

/*
 * Gets the condition for records of the event to belong to the set, in the kernel's filter
 * language; "" if all records do. The caller frees it.
 */
int dkl_select_condition(const struct select *select, const struct dkt_event *event, char **filter);
