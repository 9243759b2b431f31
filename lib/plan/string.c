/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiles the arguments of %s: strings, names of values and bits, arrays. */
#include "lib/plan/build.h"

#define MAX_NEST   64
#define LINEAR_MAX 6 /* a linear search is faster in tables up to this size */

/* ---- tables of names ---- */

static uint32_t count_names(const struct tep_print_flag_sym *sym)
{
	uint32_t n = 0;

	for (; sym; sym = sym->next)
		n++;
	return n;
}

static int name_cmp(const void *a, const void *b)
{
	const struct dkt__name *x = a, *y = b;

	if (x->value != y->value)
		return x->value < y->value ? -1 : 1;
	/* If a value has two names, the first one in the format wins. */
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Sorts by value and keeps the first name of each value. */
static void sort_names(struct dkt__name *names, struct dkt__table *table)
{
	uint32_t n = 0;

	qsort(names, table->n, sizeof(*names), name_cmp);
	for (uint32_t i = 0; i < table->n; i++)
		if (!n || names[n - 1].value != names[i].value)
			names[n++] = names[i];
	table->n = n;
	table->sorted = true;
}

/* Skips names whose values the format does not give (the kernel's enums): they cannot match. */
static const struct dkt__table *
keep_table(struct dkt__build *b, const struct tep_print_flag_sym *sym, const char *delim, bool sort)
{
	struct dkt__table *table = dkt__plan_alloc(b->plan, sizeof(*table));
	struct dkt__name *names = dkt__plan_alloc(b->plan, (count_names(sym) + 1) * sizeof(*names));
	struct dkt__type type;

	if (!table || !names)
		return NULL;
	for (; sym; sym = sym->next) {
		struct dkt__name *name = &names[table->n];

		if (!sym->value || !sym->str)
			continue;
		/* { 0, NULL } ends the kernel's table; libtraceevent reads NULL as "0". */
		if (!strcmp(sym->value, "0") && !strcmp(sym->str, "0"))
			break;
		if (!dkt__plan_constant(sym->value, &name->value, &type))
			continue;
		name->text = sym->str;
		name->len = (uint32_t)strlen(sym->str);
		name->order = table->n++;
	}
	table->names = names;
	table->delim = delim ? delim : "";
	table->delim_len = (uint32_t)strlen(table->delim);
	if (sort && table->n > LINEAR_MAX)
		sort_names(names, table);
	return table;
}

static int build_names(struct dkt__build *b, struct tep_print_arg *arg)
{
	bool flags = arg->type == TEP_PRINT_FLAGS;
	struct dkt__step step = { .op = flags ? DKT__STEP_FLAGS : DKT__STEP_SYMBOLIC };

	if (flags)
		step.table = keep_table(b, arg->flags.flags, arg->flags.delim, false);
	else
		step.table = keep_table(b, arg->symbol.symbols, NULL, true);
	if (!step.table)
		return -ENOMEM;
	return dkt__build_value_step(b, step, flags ? arg->flags.field : arg->symbol.field);
}

/* ---- bytes ---- */

static int bytes_of(struct dkt__build *b, struct tep_print_arg *arg, struct dkt__bytes *bytes)
{
	struct tep_format_field *field;

	arg = dkt__plan_uncast(arg);
	field = arg ? dkt__plan_field(b->tep, arg) : NULL;
	return field ? dkt__plan_bytes(b->plan, field, bytes) : -EOPNOTSUPP;
}

static int build_hex(struct dkt__build *b, struct tep_print_arg *arg)
{
	struct dkt__step step = {
		.op = DKT__STEP_BYTES_HEX,
		.kind = arg->type == TEP_PRINT_HEX ? ' ' : 0,
	};
	int err = bytes_of(b, arg->hex.field, &step.bytes);

	step.count = dkt__build_value(b, arg->hex.size, &err);
	return err ? err : dkt__build_step(b, step);
}

static int build_array(struct dkt__build *b, struct tep_print_arg *arg)
{
	struct dkt__step step = { .op = DKT__STEP_ARRAY };
	int err = bytes_of(b, arg->int_array.field, &step.bytes);

	step.count = dkt__build_value(b, arg->int_array.count, &err);
	step.element = dkt__build_value(b, arg->int_array.el_size, &err);
	return err ? err : dkt__build_step(b, step);
}

static int build_bytes(struct dkt__build *b, struct tep_print_arg *arg, enum dkt__step_op op)
{
	struct dkt__step step = { .op = (uint8_t)op };
	int err = bytes_of(b, arg, &step.bytes);

	if (op == DKT__STEP_STRING && step.bytes.kind == DKT__BYTES_FIXED &&
	    step.bytes.size == DKT__COMM_BYTES)
		step.op = DKT__STEP_COMM;
	return err ? err : dkt__build_step(b, step);
}

/* Compiles %s of a field: a string in the record, or a pointer to a string of the kernel. */
static int build_field(struct dkt__build *b, struct tep_print_arg *arg)
{
	struct dkt__step step = { .op = DKT__STEP_KERNEL_STRING };
	struct tep_format_field *field = dkt__plan_field(b->tep, arg);

	if (!field)
		return -EOPNOTSUPP;
	if (field->flags & TEP_FIELD_IS_ARRAY || field->size != tep_get_long_size(b->tep->tep))
		return build_bytes(b, arg, DKT__STEP_STRING);
	return dkt__build_value_step(b, step, arg);
}

/* ---- condition ? one : other ---- */

static int build_choice(struct dkt__build *b, struct tep_print_arg *arg)
{
	struct dkt__step unless = { .op = DKT__STEP_UNLESS };
	struct tep_print_arg *choice = arg->op.right;
	uint32_t test, jump;
	int err;

	if (strcmp(arg->op.op, "?") || !choice || choice->type != TEP_PRINT_OP)
		return -EOPNOTSUPP;
	err = dkt__plan_value(b->plan, b->tep, arg->op.left, &unless.value);
	if (err)
		return err;
	if (unless.value.load == DKT__LOAD_CONST)
		return dkt__build_string(b, unless.value.constant ? choice->op.left :
								    choice->op.right);
	test = b->n;
	err = dkt__build_step(b, unless);
	if (!err)
		err = dkt__build_string(b, choice->op.left);
	jump = b->n;
	if (!err)
		err = dkt__build_step(b, (struct dkt__step){ .op = DKT__STEP_JUMP });
	if (err)
		return err;
	b->steps[test].target = b->n;
	err = dkt__build_string(b, choice->op.right);
	/* A literal at the end of the second branch must not become part of the step after both. */
	if (!err && b->literal.len)
		err = dkt__build_step(b, (struct dkt__step){ .op = DKT__STEP_TEXT });
	b->steps[jump].target = b->n;
	return err;
}

static int build_string(struct dkt__build *b, struct tep_print_arg *arg)
{
	switch ((unsigned int)arg->type) {
	case TEP_PRINT_ATOM:
		dkt_buf_str(&b->literal, arg->atom.atom);
		return 0;
	case TEP_PRINT_BSTRING:
		dkt_buf_str(&b->literal, arg->string.string);
		return 0;
	case TEP_PRINT_FIELD:
		return build_field(b, arg);
	case TEP_PRINT_STRING:
	case TEP_PRINT_DYNAMIC_ARRAY:
		return build_bytes(b, arg, DKT__STEP_STRING);
	case TEP_PRINT_FLAGS:
	case TEP_PRINT_SYMBOL:
		return build_names(b, arg);
	case TEP_PRINT_HEX:
	case TEP_PRINT_HEX_STR:
		return build_hex(b, arg);
	case TEP_PRINT_INT_ARRAY:
		return build_array(b, arg);
	case TEP_PRINT_BITMASK:
		return build_bytes(b, arg, DKT__STEP_BITMASK);
	case DKT__PRINT_CPUMASK:
		return build_bytes(b, arg, DKT__STEP_BITLIST);
	case TEP_PRINT_OP:
		return build_choice(b, arg);
	default:
		return -EOPNOTSUPP;
	}
}

int dkt__build_string(struct dkt__build *b, struct tep_print_arg *arg)
{
	int err;

	arg = dkt__plan_uncast(arg);
	if (!arg || b->nest >= MAX_NEST)
		return -EOPNOTSUPP;
	b->nest++;
	err = build_string(b, arg);
	b->nest--;
	return err;
}

/* ---- pointers ---- */

static int build_net(struct dkt__build *b, const char *letters, struct tep_print_arg *arg)
{
	struct dkt__step step = { .op = DKT__STEP_NET };

	if (!dkt__net_step(letters, &step))
		return -EOPNOTSUPP;
	return bytes_of(b, arg, &step.bytes) ?: dkt__build_step(b, step);
}

/* %*ph, %*pb, %*pbl: the width is the number of bytes or bits. */
static int build_counted(struct dkt__build *b, const struct dkt__spec *spec, const char *letters,
			 struct tep_print_arg *arg)
{
	struct dkt__step step = { .op = DKT__STEP_BYTES_HEX, .kind = ' ' };
	struct dkt__value *count = dkt__plan_alloc(b->plan, sizeof(*count));

	if (!count)
		return -ENOMEM;
	count->constant = spec->width < 0 ? 1 : (uint64_t)spec->width;
	step.count = spec->width_value ? spec->width_value : count;
	if (letters[0] == 'b')
		step.op = letters[1] == 'l' ? DKT__STEP_BITLIST : DKT__STEP_BITMASK;
	else if (letters[1])
		step.kind = letters[1] == 'C' ? ':' : letters[1] == 'D' ? '-' : 0;
	return bytes_of(b, arg, &step.bytes) ?: dkt__build_step(b, step);
}

int dkt__build_pointer(struct dkt__build *b, struct dkt__conv *conv, const char **format,
		       struct tep_print_arg *arg)
{
	struct dkt__step step = { .op = DKT__STEP_POINTER };
	char letters[8] = { 0 };
	size_t n = 0;

	/* As in the kernel, letters and digits right after %p belong to it. */
	for (; (**format >= '0' && **format <= '9') || (**format | 32) - 'a' + 0U < 26; ++*format)
		if (n < sizeof(letters) - 1)
			letters[n++] = **format;
	if (arg->type == TEP_PRINT_BSTRING) {
		dkt_buf_str(&b->literal, arg->string.string);
		return 0;
	}
	if (letters[0] && strchr("MmIiU", letters[0]))
		return build_net(b, letters, arg);
	if (letters[0] == 'h' || letters[0] == 'b')
		return build_counted(b, &conv->spec, letters, arg);
	if (letters[0] && strchr("SsFfB", letters[0])) {
		step.op = DKT__STEP_FUNCTION;
		step.kind = letters[0] != 's' && letters[0] != 'f';
	}
	return dkt__build_value_step(b, step, arg);
}
