/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists of settings on events: filters with the text that names their events, triggers of one
 * event.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct entry {
	char *events; /* without blanks: words of select_new(), or SYSTEM:EVENT */
	char *text; /* an expression, or the trigger as the kernel has it */
};

struct entries {
	struct entry *list;
	size_t n;
};

/* Adds copies. -ENOMEM. */
int entries_add(struct entries *entries, const char *events, const char *text);

/* The first about these events, with that text; text NULL: any. Returns n if there is none. */
size_t entries_find(const struct entries *entries, const char *events, const char *text);

/* Whether the same entry is among them. */
bool entries_have(const struct entries *entries, const struct entry *entry);

int entries_copy(struct entries *to, const struct entries *from);
void entries_remove(struct entries *entries, size_t i);
void entries_clear(struct entries *entries);
