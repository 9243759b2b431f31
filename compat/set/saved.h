/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sets the log's settings from a configuration file, and writes them to one. */
#pragma once

#include "log/debuglog.h"
#include "set/param/tree.h"
#include "set/saved/conf.h"

/*
 * Sets all parameters that the file sets, as set_param would, Lustre's own too, but in one
 * transaction, probes, filters, triggers and all else with them: after a failure all is as it was.
 * Skips a line whose object does not exist yet; the line then has no key. notes: see param_set().
 */
int saved_apply(struct debuglog *log, struct tree *tree, struct conf *conf, char **notes);

/*
 * Puts what is set into the lines of the file. Those about what is not there now, and may come, stay.
 */
int saved_fill(struct debuglog *log, struct conf *conf);

/*
 * Whether what the line is about is not there now and may come: an event by its name, a function or
 * program. A class or subsystem is always there. The words of a failure stay.
 */
bool saved_may_come(struct debuglog *log, const struct conf_line *line);
