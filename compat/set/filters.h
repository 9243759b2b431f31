/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets filters as a user writes them: on classes, events, threads, programs, CPUs. */
#pragma once

#include "apply/rules.h"
#include "log/debuglog.h"

/* Names of what is limited for all events, where filters_clear() takes the words of a set. */
#define FILTERS_PIDS "pids"
#define FILTERS_CPUS "cpus"

/* The records that a filter selects; NULL: all. */
struct filter_wish {
	const char *words; /* on which events, by select_new(); NULL: on all */
	const char *expr;
	const char *pids; /* processes, commas between */
	const char *comm; /* name or glob of a program */
	const char *cpus; /* 0-3,5 */
	bool children; /* of the processes: also what they will start */
};

/*
 * Sets it, in place of one on the same words. The log is open for a change. Threads and CPUs of all
 * events are limited by the kernel's own lists, which costs less than a filter. words are those that
 * a rule was made for, for filters_count(); NULL: none was. -ENOENT and -EINVAL: no event can have it.
 */
int filters_set(struct debuglog *log, const struct filter_wish *wish, const char **words);

/* The same as one expression for all events, NULL: it limits nothing; the caller frees it. */
int filters_text(struct dkt_ctx *ctx, const struct filter_wish *wish, char **text);

/* "WORDS EXPR" into the settings, in place of one on the same words. As filters_set() otherwise. */
int filters_take(struct debuglog *log, const char *line, struct settings *set);

/* "PROCESSES [--children]" into the settings. -ESRCH: none of them is there. */
int filters_take_pids(struct dkt_ctx *ctx, const char *line, struct settings *set);

/* Takes away what was set on these words, or with NULL all. -ENOENT: there is none. */
int filters_clear(struct debuglog *log, const char *words);

/* The result of a rule. */
struct filter_count {
	size_t on; /* events that are recorded under it */
	size_t off; /* that would be if they were on */
	size_t lacking; /* that lack a field, or whose field does not fit */
	char *missed; /* names of those, ", " between; NULL: none */
};

int filters_count(struct debuglog *log, const struct rule *rule, struct filter_count *count);
