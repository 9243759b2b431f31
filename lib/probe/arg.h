/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A probe's arguments: translates C expressions on variables to fetch arguments of the kernel. */
#pragma once

#include "debuginfo/abi.h"
#include "expr.h"

/* include/... kernel/trace/trace_probe.h: MAX_ARGSTR_LEN, MAX_ARG_NAME_LEN, MAX_TRACE_ARGS, MAX_ARRAY_LEN */
#define PROBE_FETCH_MAX 63
#define PROBE_FIELD_MAX 31
#define PROBE_ARGS_MAX  128
#define PROBE_ARRAY_MAX 64

/* The features that the kernel's README lists. */
struct probe_words {
	bool arg; /* $argN */
	bool type_char;
	bool type_symbol;
	bool ustring; /* and +u */
	bool array;
	bool fprobe, tracepoint, event; /* f: t: e: */
};

void dkt__probe_words(struct dkt_ctx *ctx, struct probe_words *words);

/* A value as the kernel fetches it, and what it is in C. */
struct probe_value {
	char fetch[160]; /* longer than the kernel takes: that is told at the end */
	bool memory; /* it is in memory, at fetch + offset */
	int64_t offset;
	uint32_t bits; /* of a bit-field, else 0 */
	uint32_t bit; /* where it begins, counted from offset, or from bit 0 of fetch */
	bool typed;
	uint32_t type; /* of the scope's types */
	char plain[4]; /* not typed: what the kernel records it as, "s32"; "": it is for the kernel */
	bool user; /* the memory is that of the process */
	bool text; /* a string in itself: $comm */
};

/* The names that can be used at a place. */
struct probe_scope {
	struct dkt_ctx *ctx;
	const struct probe_words *words;
	enum dkt__machine machine;
	const char *where; /* for words: "vfs_read" */
	const char *no_types; /* why nothing is known by name, NULL: it is */
	struct ctype_source *types; /* NULL: none are known */
	bool is_user; /* of a program: all memory is that of the process */
	bool is_event; /* an event probe: $NAME is a field */
	/* A variable. -ENOENT: there is none, guess has been shown those there are. */
	int (*variable)(struct probe_scope *scope, const char *name, struct probe_value *value,
			struct dkt__guess *guess);
	/* Argument n of the function, counted from 1, whatever its name. NULL: not here. */
	int (*argument)(struct probe_scope *scope, unsigned int n, struct probe_value *value);
	/* $retval with its type; NULL: not here. */
	int (*result)(struct probe_scope *scope, struct probe_value *value);
	void *data;
};

/*
 * The fields for all of the words, each of which may hold several arguments: "NAME=FETCH:TYPE ...".
 * The caller frees it. -EINVAL, -ENOENT, -E2BIG with words.
 */
int dkt__probe_fields(struct probe_scope *scope, const char *const *args, size_t n, char **fields);

/* ---- between the files of this room ---- */

/* Sets the words of a failure: "argument '...': " and these. Returns err. */
int dkt__probe_fail_at(const struct probe_scope *scope, int err, const char *whole, const char *fmt,
		       ...) DKT_PRINTF(4, 5);

/* Puts the value where it is fetched: what was in memory is loaded. */
int dkt__probe_load(struct probe_scope *scope, struct probe_value *value);

/* Evaluates an expression from *at on, and moves there. field gets the last name in it. */
int dkt__probe_eval(struct probe_scope *scope, const char *whole, const char **at,
		    struct probe_value *value, char field[static PROBE_FIELD_MAX + 1]);

/* Appends FETCH:TYPE; cast is what was asked for, "" if nothing was. */
int dkt__probe_finish(struct probe_scope *scope, const char *whole, struct probe_value *value,
		      const char *cast, struct dkt_buf *buf);
