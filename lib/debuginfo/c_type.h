/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C types as a probe's arguments need them, described by BTF or DWARF. */
#pragma once

#include "ctx.h"

enum ctype_kind {
	CTYPE_NONE, /* not known */
	CTYPE_VOID,
	CTYPE_INT,
	CTYPE_CHAR, /* plain char: an array of it, or what points to it, is a string */
	CTYPE_BOOL,
	CTYPE_ENUM,
	CTYPE_FLOAT,
	CTYPE_POINTER,
	CTYPE_STRUCT,
	CTYPE_UNION,
	CTYPE_ARRAY,
	CTYPE_FUNCTION,
};

/* A type without its typedefs and qualifiers. */
struct ctype {
	enum ctype_kind kind;
	bool is_signed;
	bool user; /* of a pointer: to memory of the process (__user) */
	bool declared; /* of a struct: it has no members here */
	uint64_t size; /* bytes; 0: not known */
	uint64_t count; /* of an array's elements; 0: not known */
	uint32_t target; /* what a pointer points at, an array's element */
	uint32_t id; /* its own, for its members */
	char name[64]; /* as in the source, cut if need be; "" if it has none */
};

struct ctype_member {
	const char *name; /* "" if it has none; borrowed for the call */
	uint32_t type;
	uint64_t bit_offset; /* from the start of the struct */
	uint32_t bits; /* of a bit-field, else 0 */
};

struct ctype_param {
	const char *name; /* "" if it has none; borrowed for the call */
	uint32_t type;
};

/* Anything but 0 ends the walk, and is what it returns. */
typedef int (*ctype_member_fn)(void *data, const struct ctype_member *member);

/* Where types are described. Numbers of types are the source's own. */
struct ctype_source {
	/* -EINVAL: the description makes no sense. */
	int (*get)(struct ctype_source *source, uint32_t id, struct ctype *type);
	int (*members)(struct ctype_source *source, uint32_t id, ctype_member_fn fn, void *data);
	/* A type by its name; kind is CTYPE_NONE for a typedef. -ENOENT: there is none. */
	int (*find)(struct ctype_source *source, enum ctype_kind kind, const char *name,
		    uint32_t *id);
};

/* Descriptions that lie may nest for ever. */
#define CTYPE_DEPTH 32

/*
 * The member of that name, also in members that have no name themselves: its type, and its place
 * counted from the struct's start. -ENOENT: there is none, guess has been shown those there are.
 */
struct dkt__guess;
int dkt__ctype_member(struct ctype_source *source, uint32_t id, const char *name,
		      struct ctype_member *member, struct dkt__guess *guess);

/* Names of the first members, for words: "a, b, c, ..." */
void dkt__ctype_member_names(struct ctype_source *source, uint32_t id, char *text, size_t size);

/* True for what an array of, or a pointer to, it makes a string. */
bool dkt__ctype_is_char(struct ctype_source *source, uint32_t id);
