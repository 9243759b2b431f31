/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets filters as a user writes them: on classes, events, threads, programs, CPUs. */
#pragma once

#include "compat/apply/rules.h"
#include "compat/log/debuglog.h"

/* The names by which dkl_filters_clear() removes the limits on threads and CPUs. */
#define FILTERS_PIDS "pids"
#define FILTERS_CPUS "cpus"

/* The records that a filter selects; NULL: all. */
struct filter_wish {
	const char *words; /* select the events, see dkl_select_new(); NULL: all */
	const char *expr;
	const char *pids; /* process IDs, separated by commas */
	const char *comm; /* names or globs of programs, separated by commas */
	const char *cpus; /* 0-3,5 */
	bool children; /* also processes that these start later */
};

/*
 * Sets the filter; replaces one on the same words. The log must be open for a change. Threads and
 * CPUs for all events go to the kernel's own lists, which are faster than a filter. Gets the words
 * of the new rule for dkl_filters_count(); NULL: no rule. -ENOENT and -EINVAL: no event has the fields.
 */
int dkl_filters_set(struct debuglog *log, const struct filter_wish *wish, const char **words);

/* Gets the wish as one expression for all events; NULL: no condition. The caller frees it. */
int dkl_filters_text(struct dkt_ctx *ctx, const struct filter_wish *wish, char **text);

/* Like dkl_filters_set(), but reads "WORDS EXPR" into the settings without applying them. */
int dkl_filters_take(struct debuglog *log, const char *line, struct settings *set);

/* Reads "PROCESSES [--children]" into the settings. -ESRCH: a process does not exist. */
int dkl_filters_take_pids(struct dkt_ctx *ctx, const char *line, struct settings *set);

/* Removes the filter on these words; NULL: all filters. -ENOENT: no such filter. */
int dkl_filters_clear(struct debuglog *log, const char *words);

/* The result of a rule. */
struct filter_count {
	size_t on; /* enabled events with the filter */
	size_t off; /* disabled events */
	size_t lacking; /* events without a field of the filter, or with one of another type */
	char *missed; /* names of the lacking events, separated by ", "; NULL: none */
};

int dkl_filters_count(struct debuglog *log, const struct rule *rule, struct filter_count *count);
