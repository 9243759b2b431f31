/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data that users may add to: files that are installed, and those that an administrator puts beside them. */
#pragma once

#include <stddef.h>

/*
 * The kinds of data. Each has a directory within share/dktrace and one within /etc/dktrace; a variable of the
 * environment names others in their place, separated by colons.
 */
enum dkt__data_kind { DKT__DATA_CLASSES, DKT__DATA_INTERVALS };

/* Takes a file. A result other than 0 ends the reading, which returns it. */
typedef int (*dkt__data_fn)(void *data, const char *path, const char *text, size_t len);

/*
 * Calls fn for each file of the kind, "*.yaml", in order of their names. A file replaces those of the same name in
 * earlier directories; a link to /dev/null only removes them. Returns 0, what fn returned, or -errno and a message
 * in *why, which the caller frees.
 */
int dkt__data_read(enum dkt__data_kind kind, dkt__data_fn fn, void *data, char **why);

/* The same for these directories. */
int dkt__data_read_dirs(enum dkt__data_kind kind, const char *const *dirs, size_t n,
			dkt__data_fn fn, void *data, char **why);

/* Calls fn for each directory of all kinds, until one call does not return 0; returns that. */
int dkt__data_each_dir(int (*fn)(void *data, const char *dir), void *data);
