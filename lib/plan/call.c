/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses the functions that print formats call, such as __print_flags() and __get_str(). */
#include "lib/plan/parse.h"

/* True if the expression contains a name whose value the print format does not give. */
static bool is_unknown(const struct tep_print_arg *arg)
{
	struct dkt__type type;
	uint64_t value;

	switch (arg->type) {
	case TEP_PRINT_ATOM:
		return !dkt__plan_constant(arg->atom.atom, &value, &type);
	case TEP_PRINT_TYPE:
		return is_unknown(arg->typecast.item);
	case TEP_PRINT_OP:
		return is_unknown(arg->op.left) || is_unknown(arg->op.right);
	default:
		return false;
	}
}

static char *constant_text(struct dkt__parser *ps, struct tep_print_arg *arg)
{
	struct dkt__value value;
	char text[24];
	int n;

	/* The table keeps an entry whose value is unknown, but no number matches it. */
	if (is_unknown(arg))
		return dkt__parse_keep(ps, "unknown", 7);
	if (dkt__plan_value(ps->plan, ps->tep, arg, &value) || value.load != DKT__LOAD_CONST)
		return NULL;
	n = snprintf(text, sizeof(text), "%llu", (unsigned long long)value.constant);
	return dkt__parse_keep(ps, text, (size_t)n);
}

/* Parses an argument and the comma after it. */
static struct tep_print_arg *parse_argument(struct dkt__parser *ps)
{
	struct tep_print_arg *arg = dkt__parse_expr(ps);

	return arg && dkt__parse_take(ps, ",") ? arg : NULL;
}

/* Parses { value, "name" }, ...; NULL instead of a name ends the table. */
static bool parse_names(struct dkt__parser *ps, struct tep_print_flag_sym **list)
{
	struct tep_print_flag_sym *sym;
	struct tep_print_arg *value, *name;
	bool ended = false;

	while (dkt__parse_take(ps, "{")) {
		if (dkt__parse_take(ps, "}"))
			break;
		value = parse_argument(ps);
		if (!value)
			return false;
		dkt__parse_space(ps);
		ended = ended || *ps->p != '"';
		name = dkt__parse_expr(ps);
		sym = dkt__plan_alloc(ps->plan, sizeof(*sym));
		if (!name || !sym || !dkt__parse_take(ps, "}"))
			return false;
		sym->value = constant_text(ps, value);
		sym->str = name->type == TEP_PRINT_ATOM ? name->atom.atom : NULL;
		if (!sym->value)
			return false;
		if (!ended) {
			*list = sym;
			list = &sym->next;
		}
		if (!dkt__parse_take(ps, ","))
			break;
	}
	return true;
}

static struct tep_print_arg *parse_flags(struct dkt__parser *ps, enum tep_print_arg_type type)
{
	struct tep_print_arg *arg = dkt__parse_node(ps, type), *delim;

	if (!arg || !(arg->flags.field = parse_argument(ps)))
		return NULL;
	delim = dkt__parse_string(ps);
	if (!delim || !dkt__parse_take(ps, ",") || !parse_names(ps, &arg->flags.flags))
		return NULL;
	arg->flags.delim = delim->atom.atom;
	return arg;
}

static struct tep_print_arg *parse_symbolic(struct dkt__parser *ps, enum tep_print_arg_type type)
{
	struct tep_print_arg *arg = dkt__parse_node(ps, type);

	if (!arg || !(arg->symbol.field = parse_argument(ps)))
		return NULL;
	return parse_names(ps, &arg->symbol.symbols) ? arg : NULL;
}

static struct tep_print_arg *parse_hex(struct dkt__parser *ps, enum tep_print_arg_type type)
{
	struct tep_print_arg *arg = dkt__parse_node(ps, type);

	if (!arg || !(arg->hex.field = parse_argument(ps)))
		return NULL;
	arg->hex.size = dkt__parse_expr(ps);
	return arg->hex.size ? arg : NULL;
}

static struct tep_print_arg *parse_array(struct dkt__parser *ps, enum tep_print_arg_type type)
{
	struct tep_print_arg *arg = dkt__parse_node(ps, type);

	if (!arg || !(arg->int_array.field = parse_argument(ps)) ||
	    !(arg->int_array.count = parse_argument(ps)))
		return NULL;
	arg->int_array.el_size = dkt__parse_expr(ps);
	return arg->int_array.el_size ? arg : NULL;
}

/* Parses the argument of a function that returns an array, its length, a string or a bitmap. */
static struct tep_print_arg *parse_dynamic(struct dkt__parser *ps, enum tep_print_arg_type type)
{
	struct tep_print_arg *arg = dkt__parse_node(ps, type);
	struct tep_format_field *field = dkt__parse_field(ps);

	if (!arg || !field)
		return NULL;
	if (type == TEP_PRINT_STRING)
		arg->string.string = field->name;
	else if (type == TEP_PRINT_BITMASK || type == DKT__PRINT_CPUMASK)
		arg->bitmask.bitmask = field->name;
	else
		arg->dynarray.field = field;
	return arg;
}

/* __print_dynamic_array(field, size of an element) */
static struct tep_print_arg *parse_dynamic_array(struct dkt__parser *ps,
						 enum tep_print_arg_type type)
{
	struct tep_print_arg *arg = dkt__parse_node(ps, type);
	struct tep_print_arg *len = dkt__parse_node(ps, TEP_PRINT_DYNAMIC_ARRAY_LEN);

	if (!arg || !len)
		return NULL;
	arg->int_array.field = parse_dynamic(ps, TEP_PRINT_DYNAMIC_ARRAY);
	if (!arg->int_array.field || !dkt__parse_take(ps, ","))
		return NULL;
	len->dynarray.field = arg->int_array.field->dynarray.field;
	arg->int_array.el_size = dkt__parse_expr(ps);
	arg->int_array.count = dkt__parse_op(ps, "/", 1, len, arg->int_array.el_size);
	return arg->int_array.count ? arg : NULL;
}

static struct tep_print_arg *parse_expect(struct dkt__parser *ps, enum tep_print_arg_type type)
{
	struct tep_print_arg *arg = parse_argument(ps);

	(void)type;
	return arg && dkt__parse_expr(ps) ? arg : NULL;
}

static struct tep_print_arg *parse_sizeof(struct dkt__parser *ps, enum tep_print_arg_type node)
{
	char *name = dkt__parse_type(ps), number[8];
	struct dkt__type type;
	int n;

	(void)node;
	/* dkt__parse_type() took the parenthesis that dkt__parse_call() expects next. */
	ps->p--;
	if (!name || !dkt__type_find(name, &type))
		return NULL;
	n = snprintf(number, sizeof(number), "%uUL", type.size);
	return dkt__parse_atom(ps, number, (size_t)n);
}

static const struct {
	const char *name;
	struct tep_print_arg *(*parse)(struct dkt__parser *ps, enum tep_print_arg_type type);
	enum tep_print_arg_type type;
} functions[] = {
	{ "__print_flags", parse_flags, TEP_PRINT_FLAGS },
	{ "__print_symbolic", parse_symbolic, TEP_PRINT_SYMBOL },
	{ "__print_hex", parse_hex, TEP_PRINT_HEX },
	{ "__print_hex_str", parse_hex, TEP_PRINT_HEX_STR },
	{ "__print_array", parse_array, TEP_PRINT_INT_ARRAY },
	{ "__print_dynamic_array", parse_dynamic_array, TEP_PRINT_INT_ARRAY },
	{ "__builtin_expect", parse_expect, TEP_PRINT_NULL },
	{ "sizeof", parse_sizeof, TEP_PRINT_NULL },
	{ "__get_str", parse_dynamic, TEP_PRINT_STRING },
	{ "__get_rel_str", parse_dynamic, TEP_PRINT_STRING },
	{ "__get_dynamic_array", parse_dynamic, TEP_PRINT_DYNAMIC_ARRAY },
	{ "__get_rel_dynamic_array", parse_dynamic, TEP_PRINT_DYNAMIC_ARRAY },
	{ "__get_sockaddr", parse_dynamic, TEP_PRINT_DYNAMIC_ARRAY },
	{ "__get_rel_sockaddr", parse_dynamic, TEP_PRINT_DYNAMIC_ARRAY },
	{ "__get_dynamic_array_len", parse_dynamic, TEP_PRINT_DYNAMIC_ARRAY_LEN },
	{ "__get_rel_dynamic_array_len", parse_dynamic, TEP_PRINT_DYNAMIC_ARRAY_LEN },
	{ "__get_bitmask", parse_dynamic, TEP_PRINT_BITMASK },
	{ "__get_rel_bitmask", parse_dynamic, TEP_PRINT_BITMASK },
	{ "__get_cpumask", parse_dynamic, DKT__PRINT_CPUMASK },
	{ "__get_rel_cpumask", parse_dynamic, DKT__PRINT_CPUMASK },
};

struct tep_print_arg *dkt__parse_call(struct dkt__parser *ps, const char *name, size_t len)
{
	struct tep_print_arg *arg = NULL;

	for (size_t i = 0; !arg && i < ARRAY_SIZE(functions); i++)
		if (dkt__parse_word_is(name, len, functions[i].name))
			arg = functions[i].parse(ps, functions[i].type);
	return arg && dkt__parse_take(ps, ")") ? arg : NULL;
}
