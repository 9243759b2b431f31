/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A probe's arguments: translates C expressions on variables to fetch arguments of the kernel. */
#pragma once

#include "lib/debuginfo/abi.h"
#include "lib/expr.h"

/* include/... kernel/trace/trace_probe.h: MAX_ARGSTR_LEN, MAX_ARG_NAME_LEN, MAX_TRACE_ARGS, MAX_ARRAY_LEN */
#define PROBE_FETCH_MAX 63
#define PROBE_FIELD_MAX 31
#define PROBE_ARGS_MAX  128
#define PROBE_ARRAY_MAX 64

/* The features that the kernel's README lists. */
struct probe_features {
	bool arg; /* $argN */
	bool type_char;
	bool type_symbol;
	bool ustring; /* and +u */
	bool array;
	bool fprobe, tracepoint, event; /* f: t: e: */
};

void dkt__probe_features(struct dkt_ctx *ctx, struct probe_features *features);

/* A value: the way the kernel fetches it, and its C type. */
struct probe_value {
	char fetch[160]; /* may exceed the kernel's limit, which is checked at the end */
	bool memory; /* in memory, at fetch + offset */
	int64_t offset;
	uint32_t bits; /* of a bit-field, else 0 */
	uint32_t bit; /* its first bit, counted from offset, or from bit 0 of fetch */
	bool typed;
	uint32_t type; /* of the scope's types */
	char plain[4]; /* without a C type: the kernel's type, "s32"; "": the kernel's default */
	bool user; /* the memory is the process's */
	bool text; /* the fetch argument is a string itself: $comm */
};

/* The names that can be used at a place. */
struct probe_scope {
	struct dkt_ctx *ctx;
	const struct probe_features *features;
	enum dkt__machine machine;
	const char *where; /* for messages: "vfs_read" */
	const char *no_types; /* why types is NULL, or NULL */
	struct ctype_source *types; /* NULL: unknown */
	bool is_user; /* in a program: all memory is the process's */
	bool is_event; /* an event probe: $NAME is a field */
	bool is_glob; /* of several functions: those that return nothing have no $retval */
	/* Finds a variable. -ENOENT: not found; guess has tried all names. */
	int (*variable)(struct probe_scope *scope, const char *name, struct probe_value *value,
			struct dkt__guess *guess);
	/* Gets argument n of the function, counted from 1. NULL: not available. */
	int (*argument)(struct probe_scope *scope, unsigned int n, struct probe_value *value);
	/* Gets $retval with its type. NULL: not available. */
	int (*result)(struct probe_scope *scope, struct probe_value *value);
	void *data;
};

/*
 * Translates arguments to fields: "NAME=FETCH:TYPE ...". Each word may hold several arguments. The
 * caller frees *fields. -EINVAL, -ENOENT, -E2BIG with an error message.
 */
int dkt__probe_fields(struct probe_scope *scope, const char *const *args, size_t n, char **fields);

/* Sets the value to the contents of a place. */
void dkt__probe_set_place(struct probe_value *value, const struct abi_place *place);

/* Loads the value if it is in memory. */
void dkt__probe_load(struct probe_scope *scope, struct probe_value *value);
