/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets one parameter: in Lustre's files, in the trace log, or in both. */
#pragma once

#include "compat/lctl/lctl.h"
#include "compat/log/debuglog.h"

/* State of one command. The members after `lctl` start as zeroes. */
struct param_write {
	struct lctl *lctl;
	bool quiet; /* do not print the value that was set */
	bool modules;
	/* Opened for a change when the first of dktrace's own parameters is set. */
	struct debuglog *log;
};

/*
 * Sets the parameters that match a pattern from dkl_tree_clean(), and prints values and errors; the
 * caller prints lctl's last line. Returns 0 or the first error.
 */
int dkl_param_write(struct param_write *pw, const char *pattern, const char *value);

void dkl_param_write_end(struct param_write *pw);
