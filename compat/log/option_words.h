/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses a line of words and options, as on a command line: "vfs_* --depth 3 --children". */
#pragma once

#include <stdio.h>

#include <dktrace/dktrace.h>

/* One of both is NULL: an option has a value, or it has none. */
struct option_word {
	const char *name; /* with its dashes */
	const char **value;
	bool *flag;
};

/*
 * Takes the line apart, in which blanks divide words, and sets what the options point at. rest gets
 * the other words, with a NULL behind them; the caller frees the array, the words stay in line.
 * -EINVAL: an option that is not known, or without its value.
 */
int option_words(struct dkt_ctx *ctx, char *line, const struct option_word *known, size_t n_known,
		 char ***rest, size_t *n);

/* Behind a blank; nothing without a value. */
void option_word_print(FILE *out, const char *name, const char *value);
