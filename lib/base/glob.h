/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matches globs as the kernel's glob_match() does, independently of the locale. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* `*`, `?`, `[abc]`, `[a-z]`, `[!a]`; a backslash quotes. */
bool dkt__glob_match(const char *glob, size_t glob_len, const char *text, size_t len);

/* The same for strings. */
bool dkt__glob(const char *glob, const char *text);

/* Returns NULL if the text is a glob over event names, otherwise the error message, with the position in *at. */
const char *dkt__glob_check(const char *glob, size_t *at);

/* Returns the length of the text before the first wildcard. */
size_t dkt__glob_prefix(const char *glob);
