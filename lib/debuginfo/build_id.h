/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs by their build ID, where perf keeps copies of those that it has recorded. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Returns the path of a copy in ~/.debug, of the kind "elf", "debug" or "kallsyms", which the caller
 * frees. NULL: there is none. The layout is that of perf buildid-cache.
 */
char *dkt__build_id_path(const uint8_t *id, size_t n, const char *kind);
