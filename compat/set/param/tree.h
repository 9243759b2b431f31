/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lustre's parameters as the kernel shows them: files in several trees, in old and new places. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Begins as all zeroes; one for a session. */
struct tree {
	bool tried_debugfs; /* it is mounted where it is missing, once */
};

struct tree_match {
	char *path;
	const char *name; /* the part of path below its tree: osc/lustre-OST0000-osc/stats */
};

struct tree_matches {
	struct tree_match *rows; /* tree by tree, sorted within each */
	size_t n;
};

/*
 * Finds the parameters that a shell pattern fits, with slashes between components; modules: also
 * those of modules. There may be none if it fits a tree itself. -ENOENT: nothing fits; -E2BIG or
 * -EINVAL: the pattern is too long.
 */
int tree_find(struct tree *tree, const char *pattern, bool modules, struct tree_matches *matches);
void tree_matches_clear(struct tree_matches *matches);

/* The part of a pattern that names a parameter, and whether to look for it in modules, too. */
const char *tree_pattern(const char *pattern, bool *modules);

/* The first file of that name, which is the one that a command works on. -ENOENT: none. */
int tree_first(struct tree *tree, const char *name, char **path);

/*
 * Turns a parameter's name as people write it into a pattern, in place: dots to slashes, except in
 * a NID; backslashes go. with_type: a mark of the type at the end goes too.
 */
void tree_clean(char *name, bool with_type);

/* The name as it is printed: components joined by dots, with a mark behind. The caller frees it. */
char *tree_dotted(const char *name, const char *mark);

/* Whether a kernel is behind the file, and not somebody's copy of a tree. */
bool tree_is_kernel(const char *path);
