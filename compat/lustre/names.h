/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of strings that own their strings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct names {
	char **list;
	size_t n;
};

/* Add a copy, or the string itself, which is freed if that fails. name NULL: -ENOMEM. */
int names_add(struct names *names, const char *name);
int names_take(struct names *names, char *name);

int names_copy(struct names *to, const struct names *from);
bool names_same(const struct names *a, const struct names *b);
bool names_has(const struct names *names, const char *name);
void names_remove(struct names *names, size_t i);
void names_clear(struct names *names);

/*
 * Shortens "block:a, block:b, ext4:c" to "block (2), ext4:c". The caller frees it. NULL: out of
 * memory.
 */
char *names_by_system(const char *names);

struct dkt_event;

/* Returns "SYSTEM:NAME", which the caller frees. NULL: out of memory. */
char *event_full_name(const struct dkt_event *event);
