/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the two parts of the print format parser: expressions and functions. */
#pragma once

#include "lib/plan.h"

struct dkt__parser {
	struct dkt__plan *plan; /* owns the tree */
	struct tep_event *tep;
	const char *p; /* the rest to parse */
	int nest; /* limits the parser's recursion */
	int ops; /* limits the depth of the tree, and so recursion over it */
};

/* These return NULL if the parser does not support the format. */
struct tep_print_arg *dkt__parse_expr(struct dkt__parser *ps);
struct tep_print_arg *dkt__parse_string(struct dkt__parser *ps);

/* Parses the arguments and the closing parenthesis of a call; name( has been read. */
struct tep_print_arg *dkt__parse_call(struct dkt__parser *ps, const char *name, size_t len);

struct tep_print_arg *dkt__parse_node(struct dkt__parser *ps, enum tep_print_arg_type type);
struct tep_print_arg *dkt__parse_atom(struct dkt__parser *ps, const char *text, size_t len);
struct tep_print_arg *dkt__parse_op(struct dkt__parser *ps, const char *op, size_t len,
				    struct tep_print_arg *left, struct tep_print_arg *right);

/* Parses "type)". Returns the type's words with one space between them; NULL: not a type. */
char *dkt__parse_type(struct dkt__parser *ps);
struct tep_format_field *dkt__parse_field(struct dkt__parser *ps);

/* Skips space, then the word if it follows. True if it follows. */
bool dkt__parse_take(struct dkt__parser *ps, const char *word);
void dkt__parse_space(struct dkt__parser *ps);
bool dkt__parse_word_is(const char *p, size_t len, const char *word);
char *dkt__parse_keep(struct dkt__parser *ps, const char *text, size_t len);
