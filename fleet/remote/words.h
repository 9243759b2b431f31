/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages of a program on their way to the user: the beginning is kept, and the last line tells most. */
#pragma once

#include "lib/base/buf.h"

/* Appends text; bytes beyond the first most are dropped. A NUL follows the text. Returns 0 or -ENOMEM. */
int words_keep(struct dkt_buf *buf, const void *bytes, size_t len, size_t most);

/*
 * Appends the next bytes of a stream, calls fn with each whole line, and keeps the rest, which a NUL follows.
 * An error of fn ends it. Returns 0, that error or -ENOMEM.
 */
int words_lines(struct dkt_buf *buf, const void *bytes, size_t len,
		int (*fn)(void *data, char *line), void *data);

/* Returns the last line, and cuts the text behind it. NULL: there is no text. */
const char *words_last(char *text);
