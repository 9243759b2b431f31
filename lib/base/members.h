/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Stores members of a struct as lines of a text: the name of the member, a separator, its value. A
 * table says which members there are, of which type, and where in the struct.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "lib/base/util.h"

enum dkt__member_type {
	DKT__MEMBER_HEX, /* uint32_t */
	DKT__MEMBER_U32, /* uint32_t; no line if 0 */
	DKT__MEMBER_U64, /* or a time of day, as int64_t */
	DKT__MEMBER_FLAG, /* bool; no line if false */
	DKT__MEMBER_TEXT, /* char *; no line if NULL */
	DKT__MEMBER_TEXTS, /* struct dkt__strings, a line for each */
	DKT__MEMBER_OTHER,
};

struct dkt__member_other {
	void (*clear)(void *value);
	int (*copy)(void *to, const void *from); /* to is empty */
	int (*read)(void *value, const char *text); /* of a line */
	void (*print)(const void *value, const char *start, FILE *f); /* start of each line */
};

struct dkt__member {
	const char *name; /* does not begin with another name and the separator */
	enum dkt__member_type type;
	size_t offset;
	const struct dkt__member_other *other;
	bool mark; /* the caller's */
};

/* A row of the table. More can follow: .other = &other, .mark = true */
#define DKT__MEMBER(owner, text, kind, member, ...)                                                \
	{                                                                                          \
		.name = (text), .type = DKT__MEMBER_##kind,                                        \
		.offset = offsetof(struct owner, member), __VA_ARGS__                              \
	}

struct dkt__members {
	const struct dkt__member *list;
	size_t n;
	const char *separator;
};

/* Chooses members; NULL: all. */
typedef bool dkt__member_chosen(const struct dkt__member *member);

void dkt__members_clear(const struct dkt__members *members, void *at, dkt__member_chosen *chosen);

/* The chosen members of to must be empty. -ENOMEM. */
int dkt__members_copy(const struct dkt__members *members, void *to, const void *from,
		      dkt__member_chosen *chosen);

/* Reads a line without its end. -EINVAL: it is no member's; -ENOMEM. */
int dkt__members_read(const struct dkt__members *members, void *at, const char *line);

/* Reads the lines of a text, which is changed. Leaves out those that are no member's. -ENOMEM. */
int dkt__members_parse(const struct dkt__members *members, void *at, char *text);

void dkt__members_print(const struct dkt__members *members, const void *at, FILE *f);

/* Returns the values of a member, each as its line has it, with "; " between them; "" if it has no line. NULL: no memory. */
char *dkt__member_text(const struct dkt__member *member, const void *at);
