/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names in a profile: of functions, and of what their stacks are grouped by. */
#pragma once

#include "lib/base/intern.h"
#include "lib/base/keymap.h"

enum profile_kind {
	PROFILE_GROUP, /* a program, a thread, a CPU, an event */
	PROFILE_STATE, /* a group, too: what a thread does, for its time by the wall clock */
	PROFILE_USER, /* a function of a program */
	PROFILE_KERNEL,
	PROFILE_WAKER, /* in a stack: what separates a waker's functions, and its name */
};

static inline bool profile_kind_groups(enum profile_kind kind)
{
	return kind == PROFILE_GROUP || kind == PROFILE_STATE;
}

struct profile_name {
	uint32_t text;
	uint32_t where; /* the text of its library or module, "" if that is unknown */
	enum profile_kind kind;
	bool unknown; /* the function is not known; the text is its module in brackets */
	bool tracer; /* it only records an event */
};

/* Names are numbered from 0. */
struct profile_names {
	struct dkt__intern texts;
	struct dkt__keymap known;
	struct profile_name *list;
	uint32_t n;
};

void profile_names_init(struct profile_names *names);
void profile_names_clear(struct profile_names *names);

/* Returns the number of the name of n bytes; UINT32_MAX: memory is out. */
uint32_t profile_names_add(struct profile_names *names, enum profile_kind kind, const char *text,
			   size_t n, const char *where);

/* The same of a function that is not known: it is called "[WHERE]", or "[unknown]". */
uint32_t profile_names_unknown(struct profile_names *names, enum profile_kind kind,
			       const char *where, size_t n);

/* Returns the bytes of a name, with a NUL after them; valid until the next name is added. */
const char *profile_names_text(const struct profile_names *names, uint32_t name);

/* Returns its library or module: "" if that is unknown, "kernel" for the kernel itself. */
const char *profile_names_where(const struct profile_names *names, uint32_t name);
