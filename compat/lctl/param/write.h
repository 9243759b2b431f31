/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets one parameter: Lustre's files, our own, or both together. */
#pragma once

#include "lctl/lctl.h"
#include "log/debuglog.h"

/* For one command; begins as zeroes but for lctl. */
struct param_write {
	struct lctl *lctl;
	bool quiet; /* do not print what was set */
	bool modules;
	struct debuglog *log; /* open for a change once one of our own is set */
};

/*
 * Sets what fits the pattern, told as cleaned by tree_clean(), prints what was set and tells what
 * went wrong but for lctl's last line. 0 or -errno, the first.
 */
int param_write(struct param_write *pw, const char *pattern, const char *value);

void param_write_end(struct param_write *pw);
