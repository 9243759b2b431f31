/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the syntax of globs over event names: `*`, `?`, `[abc]`, `[a-z]`, `[!a]`. */
#pragma once

#include <stddef.h>

/* NULL if the glob is well formed, else words that say what is wrong; *at is the place. */
const char *glob_check(const char *glob, size_t *at);

/* How many bytes of the glob stand for themselves before the first wildcard. */
size_t glob_prefix(const char *glob);
