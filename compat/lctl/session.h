/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lctl without a command: reads commands from a terminal or a pipe, one per line. */
#pragma once

#include "lctl/lctl.h"

/* Runs lines until the end or a failure; returns the exit status. */
int session_run(struct lctl *lctl);

/* Lines of a terminal, with history and completion where libedit was there to build with. */
struct editor;

int editor_new(struct lctl *lctl, struct editor **editor);
void editor_free(struct editor *editor);

/* The next line without its end, which the caller frees; NULL: no more. */
char *editor_line(struct editor *editor);

/* The words that may stand in place of the last, unfinished one of the line. The caller frees all. */
char **session_complete(struct lctl *lctl, const char *line, size_t *n);
