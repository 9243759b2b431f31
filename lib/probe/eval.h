/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An argument: shared by the parser of its expression and the code that works on its value. */
#pragma once

#include "lib/probe/arg.h"

#define WORD_MAX 128

struct eval {
	struct probe_scope *scope;
	const char *whole; /* for messages */
	const char *p;
	char field[PROBE_FIELD_MAX + 1]; /* the last name in it */
	unsigned int depth;
};

/* ---- names and numbers: probe/eval.c ---- */

/* Evaluates the expression at eval->p, and moves that past it. */
int dkt__probe_eval(struct eval *eval, struct probe_value *value);

/* Sets the error message "argument '...': ...". Returns err. */
int dkt__probe_fail(const struct eval *eval, int err, const char *fmt, ...) DKT_PRINTF(3, 4);
int dkt__probe_read_name(struct eval *eval, char name[static WORD_MAX]);
int dkt__probe_read_number(struct eval *eval, uint64_t *number);
int dkt__probe_expect(struct eval *eval, char c);

/* Sets the name of the field for the case that the user gives none. */
void dkt__probe_set_field(struct eval *eval, const char *name);

/* ---- values: probe/value.c ---- */

/* Gets a type, with an error message. */
int dkt__probe_type(const struct eval *eval, uint32_t id, struct ctype *type);

/* Truncated text still exceeds the kernel's limit, so the check at the end catches it. */
void dkt__probe_set_fetch(struct probe_value *value, const char *fmt, ...) DKT_PRINTF(2, 3);

/* Follows a pointer: the value becomes its target. The operator is for messages. */
int dkt__probe_deref(struct eval *eval, struct probe_value *value, const char *operator);

/* Parses the name of a member; the value, a struct, becomes that member. */
int dkt__probe_take_member(struct eval *eval, struct probe_value *value);

/* Parses a number and ]; the value, an array or pointer, becomes that element. */
int dkt__probe_take_index(struct eval *eval, struct probe_value *value);
