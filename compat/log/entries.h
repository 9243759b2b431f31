/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of settings on events: filters on a set of events, triggers on one event. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct entry {
	char *events; /* words of dkl_select_new() or SYSTEM:EVENT, without spaces */
	char *text; /* an expression, or a trigger in the kernel's language */
};

struct entries {
	struct entry *list;
	size_t n;
};

/* Adds copies. -ENOMEM. */
int dkl_entries_add(struct entries *entries, const char *events, const char *text);

/* Returns the index of the first entry with these events and that text, or n. text NULL: any. */
size_t dkl_entries_find(const struct entries *entries, const char *events, const char *text);

/* True if the list has an equal entry. */
bool dkl_entries_have(const struct entries *entries, const struct entry *entry);

int dkl_entries_copy(struct entries *to, const struct entries *from);
void dkl_entries_remove(struct entries *entries, size_t i);
void dkl_entries_clear(struct entries *entries);
