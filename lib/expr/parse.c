/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses an expression into comparisons; each knows the next one if it is true and if it is false.
 */
#include "lib/expr.h"

#define NOWHERE UINT32_MAX

/*
 * An operand. Its jumps without a target yet form two lists, for true and for false. A list runs
 * through the members that it will fill: a link is twice the number of a predicate for its yes, and
 * one more for its no.
 */
struct operand {
	uint32_t first; /* its first predicate */
	uint32_t yes, yes_end;
	uint32_t no, no_end;
};

/* An operator that waits for its right side. */
struct pending {
	char op; /* one of ( ! & | */
	uint32_t at;
};

/* Stacks instead of recursion, so that nested parentheses cannot exhaust the program's stack. */
struct parser {
	struct dkt_expr *expr;
	struct expr_reader reader;
	struct operand *operands;
	struct pending *operators;
	uint32_t n_operands;
	uint32_t n_operators;
};

/* ---- jumps without a target ---- */

static uint32_t *jump(struct dkt_expr *expr, uint32_t link)
{
	struct expr_pred *pred = &expr->preds[link / 2];

	return link & 1 ? &pred->no : &pred->yes;
}

static void fill_jumps(struct dkt_expr *expr, uint32_t list, uint32_t target)
{
	uint32_t next;

	for (; list != NOWHERE; list = next) {
		next = *jump(expr, list);
		*jump(expr, list) = target;
	}
}

/* Replaces the left operand by "left && right" or "left || right". */
static void join(struct dkt_expr *expr, struct operand *left, const struct operand *right, char op)
{
	if (op == '&') {
		fill_jumps(expr, left->yes, right->first);
		*jump(expr, left->no_end) = right->no;
		left->no_end = right->no_end;
		left->yes = right->yes;
		left->yes_end = right->yes_end;
	} else {
		fill_jumps(expr, left->no, right->first);
		*jump(expr, left->yes_end) = right->yes;
		left->yes_end = right->yes_end;
		left->no = right->no;
		left->no_end = right->no_end;
	}
}

static void invert(struct operand *operand)
{
	struct operand was = *operand;

	operand->yes = was.no;
	operand->yes_end = was.no_end;
	operand->no = was.yes;
	operand->no_end = was.yes_end;
}

/* ---- operators ---- */

static void push_operator(struct parser *p, char op)
{
	p->operators[p->n_operators++] = (struct pending){ .op = op, .at = p->reader.at };
}

static char top_operator(const struct parser *p)
{
	return p->n_operators ? p->operators[p->n_operators - 1].op : '\0';
}

/* Applies the operators on top of the stack while they are among ops. */
static void apply(struct parser *p, const char *ops)
{
	char op;

	while ((op = top_operator(p)) && strchr(ops, op)) {
		p->n_operators--;
		if (op == '!') {
			invert(&p->operands[p->n_operands - 1]);
			continue;
		}
		p->n_operands--;
		join(p->expr, &p->operands[p->n_operands - 1], &p->operands[p->n_operands], op);
	}
}

/* ---- the expression ---- */

static int parse_pred(struct parser *p)
{
	uint32_t number = p->expr->n_preds;
	int err = dkt__append(p->expr->preds, p->expr->n_preds,
			      (struct expr_pred){ .yes = NOWHERE, .no = NOWHERE });

	if (err)
		return dkt__with_words(p->expr->ctx, err);
	err = dkt__expr_parse_pred(&p->reader, &p->expr->preds[number]);
	p->operands[p->n_operands++] = (struct operand){
		.first = number,
		.yes = number * 2,
		.yes_end = number * 2,
		.no = number * 2 + 1,
		.no_end = number * 2 + 1,
	};
	return err;
}

/* Parses any number of ( and !, then one comparison. */
static int parse_operand(struct parser *p)
{
	char c;

	while ((c = dkt__expr_skip_spaces(&p->reader)) == '(' || c == '!') {
		push_operator(p, c);
		p->reader.at++;
	}
	return parse_pred(p);
}

static int no_connective(struct parser *p)
{
	char c = p->reader.text[p->reader.at];

	if (c == '&' || c == '|')
		return dkt__expr_fail(p->expr, -EINVAL, p->reader.at,
				      "a single '%c' here; did you mean %c%c?", c, c, c);
	return dkt__expr_fail(p->expr, -EINVAL, p->reader.at, "&&, || or the end is expected here");
}

/* Reads the text after a comparison. 1: another one must follow; 0: the end. */
static int parse_connective(struct parser *p)
{
	char c;

	apply(p, "!");
	while ((c = dkt__expr_skip_spaces(&p->reader)) == ')') {
		apply(p, "&|");
		if (top_operator(p) != '(')
			return dkt__expr_fail(p->expr, -EINVAL, p->reader.at,
					      "no '(' before this ')'");
		p->n_operators--;
		p->reader.at++;
		apply(p, "!");
	}
	if (c == '\0') {
		apply(p, "&|");
		if (p->n_operators)
			return dkt__expr_fail(p->expr, -EINVAL, p->operators[p->n_operators - 1].at,
					      "this '(' is not closed");
		return 0;
	}
	if ((c != '&' && c != '|') || p->reader.text[p->reader.at + 1] != c)
		return no_connective(p);
	apply(p, c == '&' ? "&" : "&|");
	push_operator(p, c);
	p->reader.at += 2;
	return 1;
}

int dkt__expr_parse(struct dkt_expr *expr)
{
	struct parser p = { .expr = expr, .reader = { .expr = expr, .text = expr->text } };
	/* Every operator and every comparison takes at least one byte of the text. */
	size_t room = strlen(expr->text) + 1;
	int err;

	p.operands = calloc(room, sizeof(*p.operands));
	p.operators = calloc(room, sizeof(*p.operators));
	err = p.operands && p.operators ? 1 : dkt__no_memory(expr->ctx);
	if (err > 0 && !dkt__expr_skip_spaces(&p.reader))
		err = dkt__expr_fail(expr, -EINVAL, 0, "the expression is empty");
	while (err > 0) {
		err = parse_operand(&p);
		if (!err)
			err = parse_connective(&p);
	}
	if (!err) {
		fill_jumps(expr, p.operands[0].yes, expr->n_preds);
		fill_jumps(expr, p.operands[0].no, expr->n_preds + 1);
	}
	free(p.operands);
	free(p.operators);
	return err;
}
