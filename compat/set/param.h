/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dktrace's own parameters, by Lustre's names. */
#pragma once

#include "compat/log/debuglog.h"
#include "lib/base/guess.h"

struct param; /* one row */

/* Returns NULL if dktrace does not have the parameter. */
const struct param *dkl_param_find(const char *name);

/* Returns the parameter after param, or with NULL the first; NULL at the end. */
const struct param *dkl_param_next(const struct param *param);
const char *dkl_param_name(const struct param *param);

/* True if the value is a mask, which dkl_mask_parse() reads. */
bool dkl_param_is_mask(const struct param *param);
enum mask_kind dkl_param_mask_kind(const struct param *param);

/* True if the name matches a shell pattern, which may contain {a,b}. */
bool dkl_param_name_fits(const char *name, const char *pattern);

/* Gets the value as text without a newline; the caller frees it. */
int dkl_param_get(struct debuglog *log, const struct param *param, char **value);

/* Takes over a note, NULL if memory is out, and adds it to the notes as a line of its own. */
int dkl_note_add(char **notes, char *note);

/*
 * Sets the value; the log must be open for a change. Gets notes for the user, without a newline at
 * the end, or NULL; the caller frees them, even on failure.
 */
int dkl_param_set(struct debuglog *log, const struct param *param, const char *value, char **notes);

/* The first step of dkl_param_set(), for several values in one transaction: changes the settings. */
int dkl_param_take(struct debuglog *log, const struct param *param, const char *value,
		   struct settings *set, char **notes);

/* The second step: applies the settings. param is the one that was taken; NULL: several. */
int dkl_param_apply(struct debuglog *log, const struct settings *set, const struct param *param,
		    char **notes);

/* True if the value of a mask has an unknown name. Gets the place of the first one, and a guess. */
bool dkl_param_misspelt(const struct param *param, const char *value, struct dkt__guess *guess,
			size_t *at, size_t *len);

/* Tries the names of all parameters. */
void dkl_param_guess(struct dkt__guess *guess);

/*
 * For a parameter that Lustre has too. dkl_param_for_lustre() gets the part of a value that Lustre
 * understands, which the caller frees; NULL: there is none, only events are named. After that was
 * written, dkl_param_take_lustre() takes over the value that was asked for, with the mask that Lustre has
 * now; dkl_param_follow() also applies it, and its notes, which the caller frees, are those on events.
 */
int dkl_param_for_lustre(struct dkt_ctx *ctx, const struct param *param, const char *value,
			 char **theirs);
int dkl_param_take_lustre(struct debuglog *log, const struct param *param, const char *asked,
			  const char *now, struct settings *set, char **notes);
int dkl_param_follow(struct debuglog *log, const struct param *param, const char *asked,
		     const char *now, char **notes);
