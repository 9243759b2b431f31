/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses a line of words and options, as on a command line: "vfs_* --depth 3 --children". */
#pragma once

#include <stdio.h>

#include <dktrace/dktrace.h>

/* Either value or flag is NULL. */
struct option_word {
	const char *name; /* with the dashes */
	const char **value;
	bool *flag;
};

/*
 * Splits the line, in place, into words that are separated by spaces or tabs. Stores the values of
 * options in the variables they point to, and all other words in rest, which ends with NULL. The
 * caller frees rest; its words are part of line. -EINVAL: an unknown option, or a missing value.
 */
int dkl_option_words(struct dkt_ctx *ctx, char *line, const struct option_word *known,
		     size_t n_known, char ***rest, size_t *n);

/* Prints " NAME VALUE"; nothing if value is NULL. */
void dkl_option_word_print(FILE *out, const char *name, const char *value);
