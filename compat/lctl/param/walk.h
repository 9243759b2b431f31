/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds parameters by pattern, in Lustre's trees or among dktrace's own, and reads them. */
#pragma once

#include <regex.h>

#include "compat/lctl/lctl.h"
#include "compat/lctl/param/list.h"

/* State of one command. The members after `opts` start as zeroes. */
struct param_walk {
	struct lctl *lctl;
	const char *command; /* for messages: get_param or list_param */
	const struct param_opts *opts;
	bool values; /* read the values */
	const regex_t *regex; /* names must match; NULL: all do */
	struct param_dir root;
	size_t found; /* parameters that matched so far */
	int err; /* first error (-errno), which becomes the exit status */
	struct debuglog *log; /* opened to read dktrace's own parameters */
	bool log_failed;
};

/*
 * Finds the parameters that match a pattern from dkl_tree_clean(), and prints them. Prints errors and
 * keeps the first in err. Returns -errno if nothing matches or the pattern is invalid.
 */
int dkl_param_walk(struct param_walk *walk, const char *pattern);

void dkl_param_walk_end(struct param_walk *walk);
