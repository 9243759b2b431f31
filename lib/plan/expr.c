/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Compiles expressions of a print format to stack code, with the types that C gives them. */
#include "lib/plan.h"

#define MAX_CODE 256
#define MAX_NEST 64

struct builder {
	struct dkt__plan *plan;
	struct tep_event *tep;
	struct dkt__code code[MAX_CODE];
	uint32_t n;
	int nest;
};

/* ---- emitting ---- */

/* Returns how many numbers an operation pops from the stack; it pushes one. */
static unsigned int code_takes(uint8_t op)
{
	switch (op) {
	case DKT__CODE_CONST:
	case DKT__CODE_LOAD:
	case DKT__CODE_DYN_LEN:
		return 0;
	case DKT__CODE_INDEX:
	case DKT__CODE_CAST:
	case DKT__CODE_BOOL:
	case DKT__CODE_NOT:
		return 1;
	case DKT__CODE_SELECT:
		return 3;
	default:
		return 2;
	}
}

/* Loads an element with a constant index as a field, if it lies within its array. */
static bool fold_index(struct builder *b, const struct dkt__code *code)
{
	struct dkt__code *index = b->n ? &b->code[b->n - 1] : NULL;

	if (!index || index->op != DKT__CODE_CONST || code->bytes.kind != DKT__BYTES_FIXED ||
	    index->value >= code->bytes.size / code->element)
		return false;
	*index = (struct dkt__code){
		.op = DKT__CODE_LOAD,
		.load = code->load,
		.bytes.offset = code->bytes.offset + (uint32_t)index->value * code->element,
	};
	return true;
}

/* Adds an operation, and folds it if all its operands are constants. */
static int emit(struct builder *b, struct dkt__code code)
{
	unsigned int takes = code_takes(code.op);
	struct dkt__code *first;

	if (code.op == DKT__CODE_INDEX && fold_index(b, &code))
		return 0;
	if (b->n >= MAX_CODE)
		return -EOPNOTSUPP;
	b->code[b->n++] = code;
	if (!takes || code.op == DKT__CODE_INDEX || b->n < takes + 1)
		return 0;
	first = &b->code[b->n - 1 - takes];
	for (unsigned int i = 0; i < takes; i++)
		if (first[i].op != DKT__CODE_CONST)
			return 0;
	first->value = dkt__plan_code(NULL, first, takes + 1);
	b->n -= takes;
	return 0;
}

static int emit_op(struct builder *b, enum dkt__code_op op)
{
	return emit(b, (struct dkt__code){ .op = (uint8_t)op });
}

static int emit_const(struct builder *b, uint64_t value)
{
	return emit(b, (struct dkt__code){ .op = DKT__CODE_CONST, .value = value });
}

static int emit_cast(struct builder *b, struct dkt__type type)
{
	uint8_t load = dkt__plan_load(type.size, type.is_signed);

	if (load == DKT__LOAD_U64)
		return 0;
	return emit(b, (struct dkt__code){ .op = DKT__CODE_CAST, .load = load });
}

/* Converts the number whose code ends at end; the code after it moves. */
static int convert_at(struct builder *b, uint32_t end, struct dkt__type from, struct dkt__type to)
{
	struct dkt__code rest[MAX_CODE];
	uint32_t n = b->n - end;
	int err;

	/* Numbers are extended to 64 bits, so only a negative one changes. */
	if (to.size != 4 || to.is_signed || !from.is_signed)
		return 0;
	memcpy(rest, b->code + end, n * sizeof(*rest));
	b->n = end;
	err = emit_cast(b, to);
	if (!err && b->n + n > MAX_CODE)
		err = -EOPNOTSUPP;
	if (err)
		return err;
	memcpy(b->code + b->n, rest, n * sizeof(*rest));
	b->n += n;
	return 0;
}

/* ---- the tree ---- */

static int build(struct builder *b, struct tep_print_arg *arg, struct dkt__type *type);

static int build_field(struct builder *b, const struct tep_format_field *field,
		       struct dkt__type *type)
{
	uint8_t load =
		dkt__plan_load((unsigned int)field->size, field->flags & TEP_FIELD_IS_SIGNED);
	int err;

	if (field->flags & TEP_FIELD_IS_DYNAMIC)
		load = DKT__LOAD_U32;
	if (load == DKT__LOAD_CONST)
		return -EOPNOTSUPP;
	err = dkt__plan_needs(b->plan, field->offset, (unsigned int)field->size);
	if (err)
		return err;
	*type = (struct dkt__type){ (uint8_t)field->size, field->flags & TEP_FIELD_IS_SIGNED };
	return emit(b, (struct dkt__code){ .op = DKT__CODE_LOAD,
					   .load = load,
					   .bytes = { .offset = (uint32_t)field->offset } });
}

static int build_cast(struct builder *b, struct tep_print_arg *arg, struct dkt__type *type)
{
	int err = build(b, arg->typecast.item, type);

	if (err)
		return err;
	if (!strcmp(arg->typecast.type, "bool")) {
		*type = (struct dkt__type){ 1, false };
		return emit_op(b, DKT__CODE_BOOL);
	}
	/* A cast to an enum or an unknown type leaves the number unchanged. */
	if (!dkt__type_find(arg->typecast.type, type))
		return 0;
	return emit_cast(b, *type);
}

/* Compiles field[index]; libtraceevent may leave casts around the field. */
static int build_index(struct builder *b, struct tep_print_arg *arg, struct dkt__type *type)
{
	struct tep_print_arg *base = dkt__plan_uncast(arg->op.left);
	struct tep_format_field *field = base ? dkt__plan_field(b->tep, base) : NULL;
	struct dkt__code code = { .op = DKT__CODE_INDEX };
	struct dkt__type index, cast;
	int err;

	if (!field || (base->type != TEP_PRINT_FIELD && base->type != TEP_PRINT_DYNAMIC_ARRAY &&
		       base->type != TEP_PRINT_STRING))
		return -EOPNOTSUPP;
	err = dkt__plan_bytes(b->plan, field, &code.bytes);
	if (!err)
		err = build(b, arg->op.right, &index);
	if (err)
		return err;
	*type = (struct dkt__type){ (uint8_t)field->elementsize,
				    field->flags & TEP_FIELD_IS_SIGNED };
	/* libtraceevent does not know the element of arrays without a length, as probes have them. */
	if (!field->elementsize || field->elementsize == (unsigned int)field->size)
		dkt__type_element(field->type, type);
	if (base != arg->op.left && base->type == TEP_PRINT_DYNAMIC_ARRAY)
		dkt__type_pointee(arg->op.left->typecast.type, type);
	code.load = dkt__plan_load(type->size, type->is_signed);
	code.element = type->size;
	if (code.load == DKT__LOAD_CONST)
		return -EOPNOTSUPP;
	err = emit(b, code);
	if (err || base == arg->op.left || base->type == TEP_PRINT_DYNAMIC_ARRAY)
		return err;
	if (!dkt__type_find(arg->op.left->typecast.type, &cast))
		return 0;
	*type = cast;
	return emit_cast(b, cast);
}

static int build_unary(struct builder *b, struct tep_print_arg *arg, struct dkt__type *type)
{
	int err = 0;

	if (arg->op.op[0] == '-')
		err = emit_const(b, 0);
	if (!err)
		err = build(b, arg->op.right, type);
	if (err)
		return err;
	if (arg->op.op[1])
		return -EOPNOTSUPP;
	switch (arg->op.op[0]) {
	case '!':
		*type = dkt__type_int;
		return emit_op(b, DKT__CODE_NOT);
	case '~':
		*type = dkt__type_promote(*type);
		err = emit_const(b, UINT64_MAX);
		return err ? err : emit_op(b, DKT__CODE_XOR) ?: emit_cast(b, *type);
	case '-':
		*type = dkt__type_promote(*type);
		return emit_op(b, DKT__CODE_SUB) ?: emit_cast(b, *type);
	case '+':
		*type = dkt__type_promote(*type);
		return 0;
	default:
		return -EOPNOTSUPP;
	}
}

static int build_select(struct builder *b, struct tep_print_arg *arg, struct dkt__type *type)
{
	struct tep_print_arg *choice = arg->op.right;
	struct dkt__type yes, no;
	uint32_t end;
	int err;

	if (!choice || choice->type != TEP_PRINT_OP)
		return -EOPNOTSUPP;
	err = build(b, arg->op.left, &yes);
	if (!err)
		err = build(b, choice->op.left, &yes);
	end = b->n;
	if (!err)
		err = build(b, choice->op.right, &no);
	if (err)
		return err;
	*type = dkt__type_common(yes, no);
	err = convert_at(b, b->n, no, *type);
	if (!err)
		err = convert_at(b, end, yes, *type);
	return err ? err : emit_op(b, DKT__CODE_SELECT);
}

static int build_shift(struct builder *b, struct tep_print_arg *arg, struct dkt__type *type)
{
	struct dkt__type count;
	struct dkt__code code = { .op = DKT__CODE_SHL };
	int err = build(b, arg->op.left, type);

	if (!err)
		err = build(b, arg->op.right, &count);
	if (err)
		return err;
	*type = dkt__type_promote(*type);
	code.value = type->size * 8U - 1;
	if (arg->op.op[0] == '>')
		code.op = type->is_signed ? DKT__CODE_SHR_SIGNED : DKT__CODE_SHR;
	return emit(b, code) ?: emit_cast(b, *type);
}

static const struct {
	const char *text;
	uint8_t op, op_signed; /* enum dkt__code_op */
	bool compares, negate, exact; /* exact: the result needs no cast */
} binaries[] = {
	/* clang-format off */
	{ "+", DKT__CODE_ADD, DKT__CODE_ADD, false, false, false },
	{ "-", DKT__CODE_SUB, DKT__CODE_SUB, false, false, false },
	{ "*", DKT__CODE_MUL, DKT__CODE_MUL, false, false, false },
	{ "/", DKT__CODE_DIV, DKT__CODE_DIV_SIGNED, false, false, false },
	{ "%", DKT__CODE_MOD, DKT__CODE_MOD_SIGNED, false, false, true },
	{ "&", DKT__CODE_AND, DKT__CODE_AND, false, false, true },
	{ "|", DKT__CODE_OR, DKT__CODE_OR, false, false, true },
	{ "^", DKT__CODE_XOR, DKT__CODE_XOR, false, false, true },
	{ "==", DKT__CODE_EQ, DKT__CODE_EQ, true, false, true },
	{ "!=", DKT__CODE_NE, DKT__CODE_NE, true, false, true },
	{ "<", DKT__CODE_LT, DKT__CODE_LT_SIGNED, true, false, true },
	{ "<=", DKT__CODE_LE, DKT__CODE_LE_SIGNED, true, false, true },
	{ ">", DKT__CODE_LE, DKT__CODE_LE_SIGNED, true, true, true },
	{ ">=", DKT__CODE_LT, DKT__CODE_LT_SIGNED, true, true, true },
	{ "&&", DKT__CODE_LOGIC_AND, DKT__CODE_LOGIC_AND, true, false, true },
	{ "||", DKT__CODE_LOGIC_OR, DKT__CODE_LOGIC_OR, true, false, true },
	/* clang-format on */
};

static int build_binary(struct builder *b, struct tep_print_arg *arg, struct dkt__type *type)
{
	struct dkt__type left, right, common;
	uint32_t end;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_SIZE(binaries) && strcmp(binaries[i].text, arg->op.op); i++)
		;
	if (i == ARRAY_SIZE(binaries))
		return -EOPNOTSUPP;
	err = build(b, arg->op.left, &left);
	end = b->n;
	if (!err)
		err = build(b, arg->op.right, &right);
	if (err)
		return err;
	common = dkt__type_common(left, right);
	err = convert_at(b, b->n, right, common);
	if (!err)
		err = convert_at(b, end, left, common);
	if (!err)
		err = emit_op(b, common.is_signed ? binaries[i].op_signed : binaries[i].op);
	if (!err && binaries[i].negate)
		err = emit_op(b, DKT__CODE_NOT);
	if (!err && !binaries[i].exact)
		err = emit_cast(b, common);
	*type = binaries[i].compares ? dkt__type_int : common;
	return err;
}

static int build_op(struct builder *b, struct tep_print_arg *arg, struct dkt__type *type)
{
	const char *op = arg->op.op;

	if (!arg->op.left || !arg->op.right)
		return -EOPNOTSUPP;
	if (!strcmp(op, "["))
		return build_index(b, arg, type);
	if (!strcmp(op, "?"))
		return build_select(b, arg, type);
	if (arg->op.left->type == TEP_PRINT_NULL)
		return build_unary(b, arg, type);
	if (!strcmp(op, "<<") || !strcmp(op, ">>"))
		return build_shift(b, arg, type);
	return build_binary(b, arg, type);
}

static int build_one(struct builder *b, struct tep_print_arg *arg, struct dkt__type *type)
{
	struct dkt__code code = { .op = DKT__CODE_DYN_LEN };
	struct tep_format_field *field;
	uint64_t value;
	int err;

	*type = dkt__type_ulong;
	switch (arg->type) {
	case TEP_PRINT_NULL:
		return emit_const(b, 0);
	case TEP_PRINT_ATOM:
		/* The record does not hold the kernel's variables, such as jiffies: use 0. */
		if (!dkt__plan_constant(arg->atom.atom, &value, type))
			value = 0;
		return emit_const(b, value);
	case TEP_PRINT_FIELD:
		field = dkt__plan_field(b->tep, arg);
		return field ? build_field(b, field, type) : -EOPNOTSUPP;
	case TEP_PRINT_TYPE:
		return build_cast(b, arg, type);
	case TEP_PRINT_OP:
		return build_op(b, arg, type);
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		field = arg->dynarray.field;
		err = field ? dkt__plan_bytes(b->plan, field, &code.bytes) : -EOPNOTSUPP;
		*type = (struct dkt__type){ 4, false };
		return err ? err : emit(b, code);
	default:
		return -EOPNOTSUPP;
	}
}

static int build(struct builder *b, struct tep_print_arg *arg, struct dkt__type *type)
{
	int err;

	if (!arg || b->nest >= MAX_NEST)
		return -EOPNOTSUPP;
	b->nest++;
	err = build_one(b, arg, type);
	b->nest--;
	return err;
}

/* ---- values ---- */

/* True if the code does not overflow the stack of dkt__plan_code() and leaves one number. */
static bool depth_fits(const struct dkt__code *code, uint32_t n)
{
	unsigned int depth = 0;

	for (unsigned int i = 0; i < n; i++) {
		depth -= code_takes(code[i].op);
		if (++depth > DKT__CODE_DEPTH)
			return false;
	}
	return depth == 1;
}

static int value_from_code(struct dkt__plan *plan, const struct dkt__code *code, uint32_t n,
			   struct dkt__value *value)
{
	struct dkt__code *copy;

	if (n == 1 && code->op == DKT__CODE_CONST) {
		*value = (struct dkt__value){ .load = DKT__LOAD_CONST, .constant = code->value };
		return 0;
	}
	if (n == 1 && code->op == DKT__CODE_LOAD) {
		*value = (struct dkt__value){ .load = code->load, .offset = code->bytes.offset };
		return 0;
	}
	if (!depth_fits(code, n))
		return -EOPNOTSUPP;
	copy = dkt__plan_alloc(plan, n * sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	memcpy(copy, code, n * sizeof(*copy));
	*value = (struct dkt__value){ .load = DKT__LOAD_CODE, .n_code = n, .code = copy };
	return 0;
}

int dkt__plan_value(struct dkt__plan *plan, struct tep_event *tep, struct tep_print_arg *arg,
		    struct dkt__value *value)
{
	struct builder b = { .plan = plan, .tep = tep };
	struct dkt__type type;
	int err = build(&b, arg, &type);

	return err ? err : value_from_code(plan, b.code, b.n, value);
}

int dkt__plan_cast(struct dkt__plan *plan, struct dkt__value *value, uint8_t load)
{
	struct builder b = { .plan = plan };

	if (value->load == DKT__LOAD_CONST) {
		value->constant = dkt__cast(value->constant, load);
		return 0;
	}
	if (load == DKT__LOAD_U64)
		return 0;
	if (value->load == DKT__LOAD_CODE) {
		if (value->n_code >= MAX_CODE)
			return -EOPNOTSUPP;
		memcpy(b.code, value->code, value->n_code * sizeof(*b.code));
		b.n = value->n_code;
	} else {
#if !DKT__BIG_ENDIAN
		/* The low bytes of a number come first: load only those. */
		if (dkt__load_size(load) <= dkt__load_size(value->load)) {
			value->load = load;
			return 0;
		}
#endif
		b.code[b.n++] = (struct dkt__code){ .op = DKT__CODE_LOAD,
						    .load = value->load,
						    .bytes = { .offset = value->offset } };
	}
	emit(&b, (struct dkt__code){ .op = DKT__CODE_CAST, .load = load });
	return value_from_code(plan, b.code, b.n, value);
}
