/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lctl without a command: reads commands from a terminal or a pipe, one per line. */
#pragma once

#include "compat/lctl/lctl.h"

/* Runs lines until the end or a failure; returns the exit status. */
int dkl_session_run(struct lctl *lctl);

/* Reads lines from a terminal, with history and completion if the build has libedit. */
struct editor;

int dkl_editor_new(struct lctl *lctl, struct editor **editor);
void dkl_editor_free(struct editor *editor);

/* Returns the next line without its newline, which the caller frees; NULL at the end. */
char *dkl_editor_line(struct editor *editor);

/*
 * Returns the words that complete the last word of the line. The caller frees them and the array.
 */
char **dkl_session_complete(struct lctl *lctl, const char *line, size_t *n);
