/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets the log's settings from a configuration file, and writes them to one. */
#pragma once

#include "compat/log/debuglog.h"
#include "compat/set/param/tree.h"
#include "compat/set/saved/conf.h"

/*
 * Applies everything that the file sets as one transaction: parameters, including Lustre's own,
 * probes, filters, triggers. A failure restores the state before. Skips a line whose object does not
 * exist yet; the line then has no key. notes: see dkl_param_set().
 */
int dkl_saved_apply(struct debuglog *log, struct tree *tree, struct conf *conf, char **notes);

/*
 * Stores the current settings in the lines of the file. Keeps lines about objects that do not exist
 * yet.
 */
int dkl_saved_fill(struct debuglog *log, struct conf *conf);

/*
 * True if the object of the line does not exist yet: an event that is given by name, a function or a
 * program. Keeps the error message.
 */
bool dkl_saved_may_come(struct debuglog *log, const struct conf_line *line);
