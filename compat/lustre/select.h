/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets of events chosen by words: classes, subsystems, systems of events, globs. */
#pragma once

#include "base/guess.h"
#include "lustre/class.h"

/* Tries SYSTEM:EVENT of every event, and for a word without a colon systems and names. */
void select_guess(struct dkt__guess *guess, struct dkt_ctx *ctx);

/* Every event. */
#define SELECT_ALL "all"

struct select;

/*
 * Reads words joined by + or commas: a class, a subsystem (of a name that both have, either), a
 * glob SYSTEM:EVENT, a glob of event systems, or all. -EINVAL: no word, or no glob.
 */
int select_new(struct dkt_ctx *ctx, const struct class_map *map, const char *words,
	       struct select **select);

/* -ENOENT, with words: one of the words stands for no event of this kernel. */
int select_check(struct dkt_ctx *ctx, const struct select *select);
void select_free(struct select *select);

bool select_has(const struct select *select, const struct dkt_event *event);

/* Its events, in the order of dkt_events(); valid as long as it. */
struct dkt_event *const *select_events(const struct select *select, size_t *n);

/*
 * The condition under which a record of the event belongs to the set, in the kernel's filter
 * language: "" if each does. The caller frees it.
 */
int select_condition(const struct select *select, const struct dkt_event *event, char **filter);
