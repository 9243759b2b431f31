/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The stacks of a profile's tree as values of tables. */
#pragma once

#include <json.h>

#include "answers/profile/names.h"
#include "answers/profile/tree.h"

/*
 * Returns the nodes in which stacks end, those with the most weight first, and their number. The caller frees them.
 * NULL: no memory.
 */
uint32_t *profile_stacks_hottest(const struct profile_tree *tree, size_t *n);

/*
 * Returns the stack that ends in the node: "dd: main > ... 3 more > vfs_read > copy_user"; names that follow
 * themselves are counted. groups: with what stacks are grouped by, "dd:". NULL: no memory.
 */
struct json_object *profile_stack_words(const struct profile_names *names,
					const struct profile_tree *tree, uint32_t node,
					bool groups);

/* Returns the names in the stack, the outermost first. NULL: no memory. */
struct json_object *profile_stack_list(const struct profile_names *names,
				       const struct profile_tree *tree, uint32_t node, bool groups);
