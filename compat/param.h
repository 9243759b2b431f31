/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parameters that dktrace has itself, by Lustre's names. */
#ifndef COMPAT_PARAM_H
#define COMPAT_PARAM_H

#include "debuglog.h"

struct param; /* one row */

/* NULL: not one of ours. */
const struct param *param_find(const char *name);

/* The rows one after the other; NULL at the end. */
const struct param *param_next(const struct param *param);
const char *param_name(const struct param *param);
const char *param_about(const struct param *param);

/* Whether the value is a mask, by the grammar of mask_parse(). */
bool param_is_mask(const struct param *param);

/* Whether a shell pattern, {a,b} included, fits a name. */
bool param_name_fits(const char *name, const char *pattern);

/* The value as text without newline; the caller frees it. */
int param_get(struct debuglog *log, const struct param *param, char **value);

/*
 * Sets the value; the log is open for a change. notes is NULL or what the user should know: lines
 * without newline at the end, the caller frees it, also after a failure.
 */
int param_set(struct debuglog *log, const struct param *param, const char *value, char **notes);

/* Sets what Lustre's parameter of the same name has now, as it was read from there. */
int param_follow(struct debuglog *log, const struct param *param, const char *value);

#endif
