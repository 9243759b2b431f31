/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the syntax of globs over event names: `*`, `?`, `[abc]`, `[a-z]`, `[!a]`. */
#pragma once

#include <stddef.h>

/* Returns NULL if the glob is valid, otherwise the error message, with the position in *at. */
const char *dkl_glob_check(const char *glob, size_t *at);

/* Returns the number of literal bytes before the first wildcard. */
size_t dkl_glob_prefix(const char *glob);
