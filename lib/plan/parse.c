/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses a print format to a tree of libtraceevent's types. libtraceevent's own parser is not used
 * because it ignores parentheses: it turns a & (b | c) into (a & b) | c.
 */
#include <ctype.h>

#include "lib/plan/parse.h"

#define MAX_NEST 128
#define MAX_OPS  16384 /* the kernel's largest print formats have some thousands */

static struct tep_print_arg *parse_unary(struct dkt__parser *ps);

/* ---- nodes ---- */

struct tep_print_arg *dkt__parse_node(struct dkt__parser *ps, enum tep_print_arg_type type)
{
	struct tep_print_arg *arg = dkt__plan_alloc(ps->plan, sizeof(*arg));

	if (arg)
		arg->type = type;
	return arg;
}

char *dkt__parse_keep(struct dkt__parser *ps, const char *text, size_t len)
{
	char *copy = dkt__plan_alloc(ps->plan, len + 1);

	if (copy)
		memcpy(copy, text, len);
	return copy;
}

struct tep_print_arg *dkt__parse_atom(struct dkt__parser *ps, const char *text, size_t len)
{
	struct tep_print_arg *arg = dkt__parse_node(ps, TEP_PRINT_ATOM);

	if (arg)
		arg->atom.atom = dkt__parse_keep(ps, text, len);
	return arg && arg->atom.atom ? arg : NULL;
}

struct tep_print_arg *dkt__parse_op(struct dkt__parser *ps, const char *op, size_t len,
				    struct tep_print_arg *left, struct tep_print_arg *right)
{
	struct tep_print_arg *arg = dkt__parse_node(ps, TEP_PRINT_OP);

	if (!arg || !left || !right || ++ps->ops > MAX_OPS)
		return NULL;
	arg->op.op = dkt__parse_keep(ps, op, len);
	arg->op.left = left;
	arg->op.right = right;
	return arg->op.op ? arg : NULL;
}

/* ---- words ---- */

void dkt__parse_space(struct dkt__parser *ps)
{
	while (isspace((unsigned char)*ps->p))
		ps->p++;
}

bool dkt__parse_take(struct dkt__parser *ps, const char *word)
{
	size_t n = strlen(word);

	dkt__parse_space(ps);
	if (strncmp(ps->p, word, n))
		return false;
	ps->p += n;
	return true;
}

static size_t word_len(const char *p)
{
	size_t n = 0;

	if (!isdigit((unsigned char)*p))
		while (dkt__in_name(p[n]))
			n++;
	return n;
}

bool dkt__parse_word_is(const char *p, size_t len, const char *word)
{
	return strlen(word) == len && !strncmp(p, word, len);
}

/* Sets *n to the bytes between this quote and the next, escapes included; false: not closed. */
static bool quoted_len(const char *quote, size_t *n)
{
	const char *p = quote + 1;

	for (; *p && *p != '"'; p++)
		if (*p == '\\' && p[1])
			p++;
	*n = (size_t)(p - quote - 1);
	return *p;
}

/* Skips adjacent string literals. Copies their contents to text, if it is not NULL. */
static bool pass_strings(struct dkt__parser *ps, char *text, size_t *len)
{
	size_t n;

	*len = 0;
	for (dkt__parse_space(ps); *ps->p == '"'; dkt__parse_space(ps)) {
		if (!quoted_len(ps->p, &n))
			return false;
		if (text)
			memcpy(text + *len, ps->p + 1, n);
		*len += n;
		ps->p += n + 2;
	}
	return true;
}

/* Returns adjacent string literals as one text, escapes included; NULL: not a string literal. */
static char *take_string(struct dkt__parser *ps)
{
	const char *from;
	size_t len;
	char *text;

	dkt__parse_space(ps);
	from = ps->p;
	if (*from != '"' || !pass_strings(ps, NULL, &len))
		return NULL;
	text = dkt__plan_alloc(ps->plan, len + 1);
	ps->p = from;
	return text && pass_strings(ps, text, &len) ? text : NULL;
}

char dkt__plan_unescape(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'r':
		return '\r';
	default:
		return c;
	}
}

struct tep_print_arg *dkt__parse_string(struct dkt__parser *ps)
{
	char *text = take_string(ps), *to;

	if (!text)
		return NULL;
	for (char *from = to = text; *from; from++)
		*to++ = *from == '\\' && from[1] ? dkt__plan_unescape(*++from) : *from;
	*to = '\0';
	return dkt__parse_atom(ps, text, strlen(text));
}

/* Parses a character constant as a number. */
static struct tep_print_arg *parse_char(struct dkt__parser *ps)
{
	char c, number[8];
	int n;

	c = *++ps->p;
	if (c == '\\')
		c = dkt__plan_unescape(*++ps->p);
	if (!*ps->p || ps->p[1] != '\'')
		return NULL;
	ps->p += 2;
	n = snprintf(number, sizeof(number), "%d", c);
	return dkt__parse_atom(ps, number, (size_t)n);
}

/* ---- types ---- */

static bool is_type_word(const char *p, size_t len)
{
	static const char *const words[] = { "const", "struct",   "enum",   "union",   "void",
					     "bool",  "unsigned", "signed", "volatile" };
	char name[64];
	struct dkt__type type;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (dkt__parse_word_is(p, len, words[i]))
			return true;
	if (len >= sizeof(name))
		return false;
	memcpy(name, p, len);
	name[len] = '\0';
	return dkt__type_find(name, &type);
}

/* True if an operand follows, so that "(name)" before it can only be a cast. */
static bool operand_follows(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return dkt__in_name(*p) || *p == '(' || *p == '"';
}

char *dkt__parse_type(struct dkt__parser *ps)
{
	const char *p = ps->p;
	char name[128];
	size_t n, len = 0;
	bool sure = false;

	for (;; p += n) {
		while (isspace((unsigned char)*p))
			p++;
		n = *p == '*' ? 1 : word_len(p);
		if (!n)
			break;
		if (len + n + 2 > sizeof(name) || dkt__parse_word_is(p, n, "REC"))
			return NULL;
		sure = sure || is_type_word(p, n) || (*p == '*' && len);
		/* "const" does not change the number. */
		if (dkt__parse_word_is(p, n, "const"))
			continue;
		if (len)
			name[len++] = ' ';
		memcpy(name + len, p, n);
		len += n;
	}
	if (*p != ')' || !len || (!sure && !operand_follows(p + 1)))
		return NULL;
	ps->p = p + 1;
	return dkt__parse_keep(ps, name, len);
}

static struct tep_print_arg *parse_cast(struct dkt__parser *ps, char *type)
{
	struct tep_print_arg *arg = dkt__parse_node(ps, TEP_PRINT_TYPE);

	if (!arg)
		return NULL;
	arg->typecast.type = type;
	arg->typecast.item = parse_unary(ps);
	return arg->typecast.item ? arg : NULL;
}

/* ---- expressions ---- */

struct tep_format_field *dkt__parse_field(struct dkt__parser *ps)
{
	struct tep_format_field *field;
	size_t n;
	char *name;

	dkt__parse_space(ps);
	n = word_len(ps->p);
	name = n ? dkt__parse_keep(ps, ps->p, n) : NULL;
	field = name ? tep_find_any_field(ps->tep, name) : NULL;
	ps->p += n;
	return field;
}

/* Parses "->name" after REC. */
static struct tep_print_arg *parse_member(struct dkt__parser *ps)
{
	struct tep_print_arg *arg = dkt__parse_node(ps, TEP_PRINT_FIELD);

	if (!arg || !dkt__parse_take(ps, "->"))
		return NULL;
	arg->field.field = dkt__parse_field(ps);
	if (!arg->field.field)
		return NULL;
	arg->field.name = arg->field.field->name;
	return arg;
}

static struct tep_print_arg *parse_primary(struct dkt__parser *ps)
{
	struct tep_print_arg *arg;
	const char *word;
	size_t n;

	dkt__parse_space(ps);
	word = ps->p;
	if (*word == '"')
		return dkt__parse_string(ps);
	if (*word == '\'')
		return parse_char(ps);
	if (isdigit((unsigned char)*word)) {
		for (n = 0; isalnum((unsigned char)word[n]); n++)
			;
		ps->p += n;
		return dkt__parse_atom(ps, word, n);
	}
	if (dkt__parse_take(ps, "(REC)"))
		return parse_member(ps);
	if (dkt__parse_take(ps, "(")) {
		arg = dkt__parse_expr(ps);
		return arg && dkt__parse_take(ps, ")") ? arg : NULL;
	}
	n = word_len(word);
	if (!n)
		return NULL;
	ps->p += n;
	if (dkt__parse_word_is(word, n, "REC"))
		return parse_member(ps);
	return dkt__parse_take(ps, "(") ? dkt__parse_call(ps, word, n) :
					  dkt__parse_atom(ps, word, n);
}

static struct tep_print_arg *parse_postfix(struct dkt__parser *ps)
{
	struct tep_print_arg *arg = parse_primary(ps), *index;

	while (arg && dkt__parse_take(ps, "[")) {
		index = dkt__parse_expr(ps);
		arg = index && dkt__parse_take(ps, "]") ? dkt__parse_op(ps, "[", 1, arg, index) :
							  NULL;
	}
	return arg;
}

static struct tep_print_arg *parse_prefixed(struct dkt__parser *ps)
{
	const char *op, *before;
	char *type;

	dkt__parse_space(ps);
	op = ps->p;
	/* The steps that print the data at a field's address take the field itself. */
	if (*op == '&' && op[1] != '&') {
		ps->p++;
		return parse_unary(ps);
	}
	if (*op && strchr("!~-+", *op)) {
		ps->p++;
		return dkt__parse_op(ps, op, 1, dkt__parse_node(ps, TEP_PRINT_NULL),
				     parse_unary(ps));
	}
	before = ps->p;
	if (dkt__parse_take(ps, "(")) {
		type = dkt__parse_type(ps);
		if (type)
			return parse_cast(ps, type);
		ps->p = before;
	}
	return parse_postfix(ps);
}

static struct tep_print_arg *parse_unary(struct dkt__parser *ps)
{
	struct tep_print_arg *arg;

	if (ps->nest >= MAX_NEST)
		return NULL;
	ps->nest++;
	arg = parse_prefixed(ps);
	ps->nest--;
	return arg;
}

static const struct {
	const char *op;
	int level; /* of precedence: a higher one binds tighter */
} operators[] = {
	/* clang-format off */
	{ "||", 1 }, { "&&", 2 }, { "==", 6 }, { "!=", 6 }, { "<<", 8 }, { ">>", 8 },
	{ "<=", 7 }, { ">=", 7 }, { "<", 7 }, { ">", 7 }, { "|", 3 }, { "^", 4 }, { "&", 5 },
	{ "+", 9 }, { "-", 9 }, { "*", 10 }, { "/", 10 }, { "%", 10 },
	/* clang-format on */
};

static struct tep_print_arg *parse_binary(struct dkt__parser *ps, int level)
{
	struct tep_print_arg *left = parse_unary(ps);
	size_t i, n;

	while (left) {
		dkt__parse_space(ps);
		for (i = 0; i < ARRAY_SIZE(operators); i++)
			if (!strncmp(ps->p, operators[i].op, strlen(operators[i].op)))
				break;
		if (i == ARRAY_SIZE(operators) || operators[i].level < level)
			break;
		n = strlen(operators[i].op);
		ps->p += n;
		left = dkt__parse_op(ps, operators[i].op, n, left,
				     parse_binary(ps, operators[i].level + 1));
	}
	return left;
}

static struct tep_print_arg *parse_choice(struct dkt__parser *ps)
{
	struct tep_print_arg *test = parse_binary(ps, 1), *yes, *no;

	if (!test || !dkt__parse_take(ps, "?"))
		return test;
	yes = dkt__parse_expr(ps);
	if (!yes || !dkt__parse_take(ps, ":"))
		return NULL;
	no = dkt__parse_expr(ps);
	return dkt__parse_op(ps, "?", 1, test, dkt__parse_op(ps, ":", 1, yes, no));
}

struct tep_print_arg *dkt__parse_expr(struct dkt__parser *ps)
{
	struct tep_print_arg *arg;

	if (ps->nest >= MAX_NEST)
		return NULL;
	ps->nest++;
	arg = parse_choice(ps);
	ps->nest--;
	return arg;
}

int dkt__plan_parse(struct dkt__plan *plan, struct tep_event *tep, const char *text,
		    struct tep_print_fmt *print)
{
	struct dkt__parser ps = { .plan = plan, .tep = tep, .p = text };
	struct tep_print_arg **tail = &print->args;

	*print = (struct tep_print_fmt){ .format = take_string(&ps) };
	if (!print->format)
		return -EOPNOTSUPP;
	while (dkt__parse_take(&ps, ",")) {
		*tail = dkt__parse_expr(&ps);
		if (!*tail)
			return -EOPNOTSUPP;
		tail = &(*tail)->next;
	}
	dkt__parse_space(&ps);
	return *ps.p ? -EOPNOTSUPP : 0;
}
