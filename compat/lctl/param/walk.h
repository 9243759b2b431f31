/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds parameters by pattern, in Lustre's trees or among our own, and reads them. */
#pragma once

#include <regex.h>

#include "lctl/lctl.h"
#include "lctl/param/list.h"

/* For one command; all but the first three begin as zeroes. */
struct param_walk {
	struct lctl *lctl;
	const char *command; /* get_param or list_param: what messages name */
	const struct param_opts *opts;
	bool values; /* read them */
	const regex_t *regex; /* names must match; NULL: all do */
	struct param_dir root;
	size_t found; /* parameters that were looked at */
	int err; /* the first failure, which is the command's status: -errno */
	struct debuglog *log; /* of our own parameters, opened when it is needed */
	bool log_failed;
};

/*
 * Finds what fits the pattern, told as cleaned by tree_clean(), and prints it. What goes wrong is
 * told and kept in err. -ENOENT and the like: nothing fits, or the pattern cannot be looked up.
 */
int param_walk(struct param_walk *walk, const char *pattern);

void param_walk_end(struct param_walk *walk);
