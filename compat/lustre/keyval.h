/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decodes LNet's self-describing netlink messages: first a table of keys, then values by key. */
#pragma once

#include <stddef.h>

#include "base/util.h"

#define KEYVAL_DEPTH 8 /* tables within tables that are followed; Lustre's have up to 3 */
#define KEYVAL_KEYS  256 /* keys of one table; Lustre's have up to 20 */

struct keyval_table;

/* One value. The text is borrowed and not terminated; it has no NUL in it. */
struct keyval_item {
	const char *key; /* "" if it has none, as elements of a list */
	unsigned int depth; /* 0 for the values of the message itself */
	bool is_text;
	const char *text; /* valid if is_text */
	size_t len; /* bytes */
	int64_t number; /* valid if not is_text; what is above INT64_MAX has wrapped */
};

/* Return nonzero to stop. */
typedef int (*keyval_fn)(void *data, const struct keyval_item *item);

/*
 * Reads a table of keys from the attributes of the message that begins a dump. -EBADMSG: it is
 * none, or nested too deep, or has too many keys.
 */
int keyval_table_new(const void *attrs, size_t len, struct keyval_table **table);
void keyval_table_free(struct keyval_table *table);

/*
 * Hands over each value in the attributes of a message, nested ones included, in the order in
 * which they come. Attributes without a key are passed over. -EBADMSG: the attributes or a value
 * are shorter than they say. Else what fn returned.
 */
int keyval_each(const struct keyval_table *table, const void *attrs, size_t len, keyval_fn fn,
		void *data);
