/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decodes LNet's self-describing netlink messages: first a table of keys, then values by key. */
#pragma once

#include <stddef.h>

#include "lib/base/util.h"

#define KEYVAL_DEPTH 8 /* limit of nested tables; Lustre has up to 3 */
#define KEYVAL_KEYS  256 /* limit of keys in a table; Lustre has up to 20 */

struct keyval_table;

/* One value. The text is borrowed, has no NUL in it, and does not end with one. */
struct keyval_item {
	const char *key; /* "" if it has no name, such as an element of a list */
	unsigned int depth; /* 0 for the values of the message itself */
	bool is_text;
	const char *text; /* valid if is_text */
	size_t len; /* bytes */
	int64_t number; /* valid if not is_text; a u64 above INT64_MAX is negative */
};

/* Returns nonzero to stop. */
typedef int (*keyval_fn)(void *data, const struct keyval_item *item);

/*
 * Reads a table of keys from the attributes of the first message of a dump. -EBADMSG: there is no
 * table, or it has too many levels or keys.
 */
int dkl_keyval_table_new(const void *attrs, size_t len, struct keyval_table **table);
void dkl_keyval_table_free(struct keyval_table *table);

/*
 * Calls fn for each value in the attributes of a message, nested values included, in their order.
 * Skips attributes without a key. -EBADMSG: an attribute or a value is truncated. Otherwise returns
 * the result of fn.
 */
int dkl_keyval_each(const struct keyval_table *table, const void *attrs, size_t len, keyval_fn fn,
		    void *data);
