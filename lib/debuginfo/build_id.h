/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds files by their build ID, in the directory of the user and where perf keeps copies of what it has recorded. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct dkt_ctx;

/* Places that are looked at, the first one first. */
enum build_id_place {
	BUILD_ID_GIVEN, /* the directory of dkt__symbols_dir() */
	BUILD_ID_KEPT, /* ~/.debug */
	BUILD_ID_PLACES,
};

/*
 * Returns the path of a file that can be read: "elf" is a program, "debug" its debug information, "vdso" and "kallsyms"
 * are of the kernel. The caller frees it, and checks that the file has the ID. NULL: there is none.
 */
char *dkt__build_id_path(const struct dkt_ctx *ctx, enum build_id_place place, const uint8_t *id,
			 size_t n, const char *kind);
