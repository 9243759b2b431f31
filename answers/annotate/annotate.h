/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The samples in one function, by instruction. */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/guess.h"
#include "lib/base/intern.h"
#include "lib/base/keymap.h"
#include "lib/inside/code.h"

struct annotate_value {
	uint64_t samples, weight;
};

/* The samples at one instruction. */
struct annotate_at {
	uint64_t offset; /* from the start of the function */
	struct annotate_value value;
};

/* A function of a program, or of the kernel. */
struct annotate_function {
	char *name;
	char *dso; /* "libc.so.6", "[kernel.kallsyms]" */
	struct dkt__spot spot; /* its start */
	struct annotate_value value;
	struct annotate_at *list; /* in order of their offsets, after annotate_end() */
	uint32_t n;
	struct dkt__keymap known; /* offsets */
};

struct annotate_opts {
	const char *function;
	const char *dso; /* the file's name, or its path; NULL: any */
	bool count; /* each sample weighs 1, not its period */
};

/* An event that is not shown, because the periods of different counters do not add up. */
struct annotate_other {
	const char *name;
	uint64_t samples;
};

struct annotate {
	struct annotate_opts opts;
	struct annotate_function *list; /* the largest first, after annotate_end() */
	uint32_t n;
	struct dkt__keymap known; /* functions */
	struct annotate_value all; /* also those of other functions */
	const struct dkt_event *last; /* the last event seen, and its fields */
	const struct dkt_field *sym, *dso, *symoff, *period;
	char *event; /* of the samples that count; NULL: there was none */
	struct annotate_other *others;
	uint32_t n_others;
	bool shown; /* the last event is that one */
	bool left_out; /* functions, because there were too many */
	struct dkt__intern names; /* of other functions, for a suggestion */
	uint64_t records;
};

void annotate_init(struct annotate *annotate, const struct annotate_opts *opts);
void annotate_clear(struct annotate *annotate);

/* Adds a record that the source has returned last. -ENOMEM. */
int annotate_add(struct annotate *annotate, struct dkt_source *source,
		 const struct dkt_record *record);

/* After the last record. */
void annotate_end(struct annotate *annotate);

/* Returns "; did you mean NAME?", or "". */
const char *annotate_guess(struct annotate *annotate, struct dkt__guess *guess);
