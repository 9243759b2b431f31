/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C types as a probe's arguments need them, described by BTF or DWARF. */
#pragma once

#include "lib/ctx.h"

enum ctype_kind {
	CTYPE_NONE, /* unknown */
	CTYPE_VOID,
	CTYPE_INT,
	CTYPE_CHAR, /* plain char: arrays of it and pointers to it are strings */
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
	bool user; /* pointer to memory of the process (__user) */
	bool declared; /* struct that is only declared */
	uint64_t size; /* bytes; 0: unknown */
	uint64_t count; /* elements of an array; 0: unknown */
	uint32_t target; /* type of a pointer's target or an array's element */
	uint32_t id; /* ID of this type, for its members */
	char name[64]; /* as in the source, perhaps truncated; "" if it has none */
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

/* A result other than 0 ends the walk and is returned. */
typedef int (*ctype_member_fn)(void *data, const struct ctype_member *member);

/* A source of descriptions of types. Each source has its own type IDs. */
struct ctype_source {
	/* -EINVAL: the description is invalid. */
	int (*get)(struct ctype_source *source, uint32_t id, struct ctype *type);
	int (*members)(struct ctype_source *source, uint32_t id, ctype_member_fn fn, void *data);
	/* Finds a type by its name; kind is CTYPE_NONE for a typedef. -ENOENT: not found. */
	int (*find)(struct ctype_source *source, enum ctype_kind kind, const char *name,
		    uint32_t *id);
};

/* A limit, because malformed descriptions may nest without end. */
#define CTYPE_DEPTH 32

/*
 * Finds the member of that name, also inside unnamed members: its type, and its offset from the
 * struct's start. -ENOENT: not found; guess has tried all names.
 */
struct dkt__guess;
int dkt__ctype_member(struct ctype_source *source, uint32_t id, const char *name,
		      struct ctype_member *member, struct dkt__guess *guess);

/* Lists the first members, for messages: "a, b, c, ..." */
void dkt__ctype_member_names(struct ctype_source *source, uint32_t id, char *text, size_t size);

/* True for a type whose arrays and pointers are strings. */
bool dkt__ctype_is_char(struct ctype_source *source, uint32_t id);
