/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the parser of argument expressions and the code that works on their values. */
#pragma once

#include "lib/probe/arg.h"

#define WORD_MAX 128

struct eval {
	struct probe_scope *scope;
	const char *whole; /* for messages */
	const char *p;
	char *field;
	unsigned int depth;
};

/* ---- names and numbers: probe/eval.c ---- */

#define dkt__probe_fail(eval, err, ...)                                                            \
	dkt__probe_fail_at((eval)->scope, err, (eval)->whole, __VA_ARGS__)
int dkt__probe_read_name(struct eval *eval, char name[static WORD_MAX]);
int dkt__probe_read_number(struct eval *eval, uint64_t *number);
int dkt__probe_expect(struct eval *eval, char c);

/* Sets the name of the field for the case that the user gives none. */
void dkt__probe_set_field(const struct eval *eval, const char *name);

/* ---- values: probe/value.c ---- */

/* Truncated text still exceeds the kernel's limit, so the check at the end catches it. */
void dkt__probe_set_fetch(struct probe_value *value, const char *fmt, ...) DKT_PRINTF(2, 3);

/* Follows a pointer: the value becomes its target. The operator is for messages. */
int dkt__probe_deref(struct eval *eval, struct probe_value *value, const char *operator);

/* Parses the name of a member; the value, a struct, becomes that member. */
int dkt__probe_take_member(struct eval *eval, struct probe_value *value);

/* Parses a number and ]; the value, an array or pointer, becomes that element. */
int dkt__probe_take_index(struct eval *eval, struct probe_value *value);
