/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses one comparison: field, operator, value. */
#include "lib/expr.h"

char dkt__expr_skip_spaces(struct expr_reader *r)
{
	while (dkt__expr_is_space(r->text[r->at]))
		r->at++;
	return r->text[r->at];
}

static struct expr_span span_from(const struct expr_reader *r, uint32_t from)
{
	return (struct expr_span){ .at = from, .len = r->at - from };
}

static int invalid(const struct expr_reader *r, uint32_t at, const char *why)
{
	return dkt__expr_fail(r->expr, -EINVAL, at, "%s", why);
}

static int parse_field(struct expr_reader *r, struct expr_pred *pred)
{
	uint32_t start = r->at;
	char c = r->text[start];

	while (dkt__in_name(r->text[r->at]))
		r->at++;
	pred->field = span_from(r, start);
	if (pred->field.len)
		return 0;
	if (c == '\0' || c == ')' || ((c == '&' || c == '|') && r->text[start + 1] == c))
		return invalid(r, start, "a comparison is missing here");
	if (c == '"' || c == '\'')
		return invalid(r, start, "write the name of a field without quotes");
	return invalid(r, start, "the name of a field cannot start like this");
}

static int parse_modifiers(struct expr_reader *r, struct expr_pred *pred)
{
	while (r->text[r->at] == '.') {
		uint32_t dot = r->at++, start = r->at;
		struct expr_span name;
		struct dkt__guess guess;

		while (dkt__in_name(r->text[r->at]))
			r->at++;
		name = span_from(r, start);
		if (dkt__expr_span_is(r->expr, name, "ustring") && !pred->ustring &&
		    pred->kind != EXPR_FUNCTION) {
			pred->ustring = true;
		} else if (dkt__expr_span_is(r->expr, name, "function") &&
			   pred->kind != EXPR_FUNCTION) {
			pred->kind = EXPR_FUNCTION;
		} else {
			dkt__guess_start(&guess, r->text + start, name.len);
			dkt__guess_try(&guess, "ustring");
			dkt__guess_try(&guess, "function");
			return dkt__expr_fail(r->expr, -EINVAL, dot,
					      "a field can have .ustring or .function, not .%.*s%s",
					      (int)name.len, r->text + start,
					      dkt__guess_words(&guess));
		}
	}
	return 0;
}

static int no_operator(struct expr_reader *r, struct expr_span after)
{
	const char *hint = "";

	if (r->text[r->at] == '=')
		hint = "; write == for equal";
	else if (r->text[r->at] == '!' && r->text[r->at + 1] == '~')
		hint = "; write !(field ~ \"pattern\")";
	return dkt__expr_fail(r->expr, -EINVAL, r->at, "no operator after '%.*s'%s", (int)after.len,
			      r->text + after.at, hint);
}

static int parse_op(struct expr_reader *r, struct expr_pred *pred, struct expr_span after)
{
	/* The longer of two operators with the same beginning comes first. */
	static const struct {
		char text[3];
		enum expr_op op;
	} ops[] = {
		{ "==", EXPR_EQ }, { "!=", EXPR_NE }, { "<=", EXPR_LE },  { "<", EXPR_LT },
		{ ">=", EXPR_GE }, { ">", EXPR_GT },  { "&", EXPR_BITS }, { "~", EXPR_LIKE },
	};

	dkt__expr_skip_spaces(r);
	/* Do not take the first '&' of "a && b" for an operator. */
	if (r->text[r->at] == '&' && r->text[r->at + 1] == '&')
		return no_operator(r, after);
	for (size_t i = 0; i < ARRAY_SIZE(ops); i++) {
		size_t len = strlen(ops[i].text);

		if (strncmp(r->text + r->at, ops[i].text, len) != 0)
			continue;
		pred->op = ops[i].op;
		r->at += (uint32_t)len;
		return 0;
	}
	return no_operator(r, after);
}

static bool is_control(char c)
{
	return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7f;
}

static int parse_string(struct expr_reader *r, struct expr_pred *pred)
{
	uint32_t open = r->at;
	char quote = r->text[r->at++];

	pred->kind = EXPR_STRING;
	while (r->text[r->at] && r->text[r->at] != quote) {
		if (is_control(r->text[r->at]))
			return invalid(r, r->at, "a control character in quotes");
		r->at++;
	}
	if (!r->text[r->at])
		return invalid(r, open, "this quote is not closed");
	pred->inner = span_from(r, open + 1);
	r->at++;
	pred->value = span_from(r, open);
	if (pred->inner.len > EXPR_MAX_STRING)
		return dkt__expr_fail(r->expr, -EINVAL, open,
				      "the string is longer than %d bytes, the kernel's limit",
				      EXPR_MAX_STRING);
	if (pred->op != EXPR_EQ && pred->op != EXPR_NE && pred->op != EXPR_LIKE)
		return invalid(r, open, "compare strings with ==, != or ~");
	return 0;
}

static int parse_cpus(struct expr_reader *r, struct expr_pred *pred)
{
	uint32_t start = r->at;
	int err;

	pred->kind = EXPR_CPUS;
	r->at += (uint32_t)strlen("CPUS{");
	while (r->text[r->at] && r->text[r->at] != '}')
		r->at++;
	pred->inner = span_from(r, start + (uint32_t)strlen("CPUS{"));
	if (!r->text[r->at])
		return invalid(r, start + 4, "this { is not closed");
	r->at++;
	pred->value = span_from(r, start);
	if (pred->op != EXPR_EQ && pred->op != EXPR_NE && pred->op != EXPR_BITS)
		return invalid(r, start, "compare CPUS{} with &, == or !=");
	pred->cpus = malloc(sizeof(*pred->cpus));
	if (!pred->cpus)
		return dkt__no_memory(r->expr->ctx);
	err = pred->inner.len ?
		      dkt__expr_cpus_parse(r->text + pred->inner.at, pred->inner.len, pred->cpus) :
		      -EINVAL;
	if (err)
		return invalid(r, start, "not a list of CPUs such as CPUS{0-3,5}");
	return 0;
}

static bool ends_word(char c)
{
	return is_control(c) || dkt__expr_is_space(c) || strchr(")&|\"'<>=!~(,;", c);
}

static int parse_function(struct expr_reader *r, struct expr_pred *pred)
{
	uint32_t start = r->at;

	while (!ends_word(r->text[r->at]))
		r->at++;
	pred->value = pred->inner = span_from(r, start);
	if (!pred->value.len || r->text[start] == '$')
		return invalid(r, start,
			       "compare .function with the name or address of a function");
	if (pred->op != EXPR_EQ && pred->op != EXPR_NE)
		return invalid(r, start, "compare functions with == or !=");
	return 0;
}

/* Skips "a|b | c", but stops before "||". */
static void parse_words(struct expr_reader *r)
{
	for (;;) {
		uint32_t end;

		while (!ends_word(r->text[r->at]))
			r->at++;
		end = r->at;
		if (dkt__expr_skip_spaces(r) != '|' || r->text[r->at + 1] == '|') {
			r->at = end;
			return;
		}
		r->at++;
		if (ends_word(dkt__expr_skip_spaces(r))) {
			r->at = end;
			return;
		}
	}
}

static int check_item(struct expr_reader *r, struct expr_pred *pred, struct expr_item *item)
{
	uint32_t at = item->span.at, i;
	int err;

	if (item->is_number) {
		if (pred->op == EXPR_LIKE)
			return invalid(r, at, "~ takes a string in quotes");
		err = dkt__expr_read_number(r->expr, item);
		if (err)
			return dkt__expr_fail(r->expr, -EINVAL, at, "'%.*s' is %s",
					      (int)item->span.len, r->text + at,
					      err == -ERANGE ? "too large" : "not a number");
		return 0;
	}
	/* A single word may be a string without quotes. */
	if (item->span.len == pred->value.len && !item->negative)
		return 0;
	for (i = item->negative; i < item->span.len; i++)
		if (!dkt__in_name(r->text[at + i]))
			break;
	if (i < item->span.len || item->span.len == item->negative)
		return dkt__expr_fail(r->expr, -EINVAL, at, "'%.*s' is neither number nor name",
				      (int)item->span.len, r->text + at);
	return 0;
}

static int parse_constant(struct expr_reader *r, struct expr_pred *pred)
{
	uint32_t start = r->at, at = start;
	struct expr_item item;
	int err = 0;

	pred->kind = EXPR_NUMBER;
	parse_words(r);
	pred->value = pred->inner = span_from(r, start);
	if (!pred->value.len)
		return invalid(r, start, "no value after the operator");
	while (!err && dkt__expr_next_item(r->expr, pred->value, &at, &item))
		err = check_item(r, pred, &item);
	if (!err && pred->value.len > EXPR_MAX_STRING)
		return dkt__expr_fail(r->expr, -EINVAL, start, "the value is longer than %d bytes",
				      EXPR_MAX_STRING);
	return err;
}

static int parse_value(struct expr_reader *r, struct expr_pred *pred)
{
	char c = dkt__expr_skip_spaces(r);
	int err;

	if (pred->kind == EXPR_FUNCTION)
		return parse_function(r, pred);
	if (c == '$' && r->expr->opts.variable)
		return dkt__expr_parse_variable(r, pred);
	if (c == '"' || c == '\'')
		err = parse_string(r, pred);
	else if (!strncmp(r->text + r->at, "CPUS{", strlen("CPUS{")))
		return parse_cpus(r, pred);
	else
		err = parse_constant(r, pred);
	if (!err)
		dkt__expr_pattern(&pred->pattern, r->text + pred->inner.at, pred->inner.len,
				  pred->op == EXPR_LIKE);
	return err;
}

/* Parses "$VARIABLE OPERATOR FIELD" as the comparison of the field with the variable. */
static int parse_mirrored(struct expr_reader *r, struct expr_pred *pred)
{
	static const enum expr_op mirror[] = {
		[EXPR_EQ] = EXPR_EQ,     [EXPR_NE] = EXPR_NE,     [EXPR_LT] = EXPR_GT,
		[EXPR_LE] = EXPR_GE,     [EXPR_GT] = EXPR_LT,     [EXPR_GE] = EXPR_LE,
		[EXPR_BITS] = EXPR_BITS, [EXPR_LIKE] = EXPR_LIKE,
	};
	int err = dkt__expr_parse_variable(r, pred);

	if (!err)
		err = parse_op(r, pred, pred->value);
	if (err)
		return err;
	pred->op = mirror[pred->op];
	dkt__expr_skip_spaces(r);
	return parse_field(r, pred);
}

static int parse_straight(struct expr_reader *r, struct expr_pred *pred)
{
	int err = parse_field(r, pred);

	if (!err)
		err = parse_modifiers(r, pred);
	if (!err)
		err = parse_op(r, pred, pred->field);
	return err ? err : parse_value(r, pred);
}

int dkt__expr_parse_pred(struct expr_reader *r, struct expr_pred *pred)
{
	bool mirrored = r->text[r->at] == '$' && r->expr->opts.variable;
	int err = mirrored ? parse_mirrored(r, pred) : parse_straight(r, pred);

	return err || pred->kind != EXPR_VARIABLE ? err : dkt__expr_find_variable(r->expr, pred);
}
