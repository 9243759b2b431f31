/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's parameters as the kernel shows them: files in several trees, in old and new places. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "compat/set/param.h"

/* All zeroes at the start of a session. */
struct tree {
	bool tried_debugfs; /* do not try again to mount debugfs */
};

struct tree_match {
	char *path;
	const char *name; /* the part of path below its tree: osc/lustre-OST0000-osc/stats */
};

struct tree_matches {
	struct tree_match *rows; /* in the order of the trees, sorted within each */
	size_t n;
};

/* Mounts debugfs if it is not mounted, once in a session: some of the trees are there. */
void dkl_tree_mount(struct tree *tree);

/* Calls fn for each directory that has files of the trees, whether it exists or not, until it fails. */
int dkl_tree_each(int (*fn)(void *data, const char *top), void *data);

/*
 * Finds the parameters that match a shell pattern with slashes between components; with modules,
 * also module parameters. The result is empty if the pattern matches only a tree itself. -ENOENT:
 * no match; -E2BIG or -EINVAL: the pattern is too long.
 */
int dkl_tree_find(struct tree *tree, const char *pattern, bool modules,
		  struct tree_matches *matches);
void dkl_tree_matches_clear(struct tree_matches *matches);

/* Removes the prefix "module" from a pattern and then sets *modules. */
const char *dkl_tree_pattern(const char *pattern, bool *modules);

/* Gets the first file of that name, the one that commands use. -ENOENT: none. */
int dkl_tree_first(struct tree *tree, const char *name, char **path);

/*
 * Converts a parameter's name as users write it to a pattern, in place: replaces periods by slashes,
 * except in a NID, and removes backslashes; with_type: also a mark of the type at the end.
 */
void dkl_tree_clean(char *name, bool with_type);

/* Returns the name as it is printed: with periods, and the mark at the end. The caller frees it. */
char *dkl_tree_dotted(const char *name, const char *mark);

/* True if the file is on one of the kernel's file systems, not in a copy of a tree. */
bool dkl_tree_is_kernel(const char *path);

/* Enough for a mask or a size. */
#define PARAM_FILE_MAX 4096

/* With command, prints an error as Lustre's lctl does for that command. */
int dkl_param_file_write(const char *path, const char *value, const char *command);

/*
 * Reads the text that restores the current value if it is written: the first line, or for a mask
 * Lustre's complete value, because not every bit has a name.
 */
int dkl_param_file_read(const struct param *param, const char *path, char value[PARAM_FILE_MAX]);
