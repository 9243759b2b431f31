/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dktrace's own parameters, by Lustre's names. */
#pragma once

#include "base/guess.h"
#include "log/debuglog.h"

struct param; /* one row */

/* NULL: not one of ours. */
const struct param *param_find(const char *name);

/* The rows one after the other; NULL at the end. */
const struct param *param_next(const struct param *param);
const char *param_name(const struct param *param);
const char *param_about(const struct param *param);

/* Whether the value is a mask, by the grammar of mask_parse(). */
bool param_is_mask(const struct param *param);
enum mask_kind param_mask_kind(const struct param *param);

/* Whether a shell pattern, {a,b} included, fits a name. */
bool param_name_fits(const char *name, const char *pattern);

/* The value as text without newline; the caller frees it. */
int param_get(struct debuglog *log, const struct param *param, char **value);

/*
 * Sets the value; the log is open for a change. notes is NULL or what the user should know: lines
 * without newline at the end, the caller frees it, also after a failure.
 */
int param_set(struct debuglog *log, const struct param *param, const char *value, char **notes);

/* The two halves of it, for more than one value in one transaction: into the settings, */
int param_take(struct debuglog *log, const struct param *param, const char *value,
	       struct settings *set, char **notes);

/* the same for a mask as Lustre has it now, text that was read from there, */
int param_take_exact(struct debuglog *log, const struct param *param, const char *value,
		     struct settings *set);

/* and the settings to the log. param is the one that was taken; NULL: several. */
int param_apply(struct debuglog *log, const struct settings *set, const struct param *param,
		char **notes);

/*
 * True if the value of a mask has a word that it cannot have: where the first one is, and what it
 * was perhaps meant to be.
 */
bool param_misspelt(const struct param *param, const char *value, struct dkt__guess *guess,
		    size_t *at, size_t *len);

/* Tries the names of all parameters. */
void param_guess(struct dkt__guess *guess);

/* Sets what Lustre's parameter of the same name has now, as it was read from there. */
int param_follow(struct debuglog *log, const struct param *param, const char *value);
