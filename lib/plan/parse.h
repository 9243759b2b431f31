/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the two parts of the print format parser: expressions and functions. */
#pragma once

#include "plan.h"

struct dkt__parser {
	struct dkt__plan *plan; /* owns the tree */
	struct tep_event *tep;
	const char *p; /* what is to be read next */
	int nest; /* bounds recursion here */
	int ops; /* bounds the depth of the tree, and so recursion over it */
};

/* NULL out of any of these means that the format is beyond the parser. */
struct tep_print_arg *dkt__parse_expr(struct dkt__parser *ps);
struct tep_print_arg *dkt__parse_string(struct dkt__parser *ps);

/* name( has been read: its arguments and the closing parenthesis. */
struct tep_print_arg *dkt__parse_call(struct dkt__parser *ps, const char *name, size_t len);

struct tep_print_arg *dkt__parse_node(struct dkt__parser *ps, enum tep_print_arg_type type);
struct tep_print_arg *dkt__parse_atom(struct dkt__parser *ps, const char *text, size_t len);
struct tep_print_arg *dkt__parse_op(struct dkt__parser *ps, const char *op, size_t len,
				    struct tep_print_arg *left, struct tep_print_arg *right);

/* "type)" after an open parenthesis: its words, one space between; NULL: it is no type. */
char *dkt__parse_type(struct dkt__parser *ps);
struct tep_format_field *dkt__parse_field(struct dkt__parser *ps);

/* Reads over space and that word if it comes next. */
bool dkt__parse_take(struct dkt__parser *ps, const char *word);
void dkt__parse_space(struct dkt__parser *ps);
bool dkt__parse_word_is(const char *p, size_t len, const char *word);
char *dkt__parse_keep(struct dkt__parser *ps, const char *text, size_t len);
