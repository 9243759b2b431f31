/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lctl without a command: reads commands from a terminal or a pipe, one per line. */
#pragma once

#include "compat/lctl/lctl.h"

/* Runs lines until the end or a failure; returns the exit status. */
int dkl_session_run(struct lctl *lctl);

/*
 * Returns the words that complete the last word of the line. The caller frees them and the array.
 */
char **dkl_session_complete(struct lctl *lctl, const char *line, size_t *n);
