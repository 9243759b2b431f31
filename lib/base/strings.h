/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of strings that own their strings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct dkt__strings {
	char **list;
	size_t n;
};

/* Add a copy, or the string itself, which is freed if that fails. name NULL: -ENOMEM. */
int dkt__strings_add(struct dkt__strings *names, const char *name);
int dkt__strings_take(struct dkt__strings *names, char *name);

int dkt__strings_copy(struct dkt__strings *to, const struct dkt__strings *from);
bool dkt__strings_same(const struct dkt__strings *a, const struct dkt__strings *b);
bool dkt__strings_has(const struct dkt__strings *names, const char *name);
void dkt__strings_remove(struct dkt__strings *names, size_t i);
void dkt__strings_clear(struct dkt__strings *names);
