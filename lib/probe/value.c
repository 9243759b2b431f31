/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Translates C values to fetch arguments: follows pointers, selects members and array elements. */
#include "lib/probe/eval.h"

void dkt__probe_set_fetch(struct probe_value *value, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(value->fetch, sizeof(value->fetch), fmt, ap);
	va_end(ap);
}

void dkt__probe_set_place(struct probe_value *value, const struct abi_place *place)
{
	snprintf(value->fetch, sizeof(value->fetch), "%s", place->fetch);
	value->memory = place->memory;
	value->offset = place->offset;
}

void dkt__probe_load(struct probe_scope *scope, struct probe_value *value)
{
	char inner[sizeof(value->fetch)];

	if (!value->memory)
		return;
	memcpy(inner, value->fetch, sizeof(inner));
	/* In a probe on a program the kernel reads the process's memory without u. */
	dkt__probe_set_fetch(value, "%c%s%llu(%s)", value->offset < 0 ? '-' : '+',
			     value->user && !scope->is_user ? "u" : "",
			     value->offset < 0 ? 0 - (unsigned long long)value->offset :
						 (unsigned long long)value->offset,
			     inner);
	value->memory = false;
	value->offset = 0;
	value->user = false;
}

int dkt__probe_type(const struct eval *eval, uint32_t id, struct ctype *type)
{
	struct ctype_source *types = eval->scope->types;

	return types->get(types, id, type) ? dkt__probe_fail(eval, -EINVAL, "its type is invalid") :
					     0;
}

static int get_type(struct eval *eval, const struct probe_value *value, struct ctype *type)
{
	*type = (struct ctype){ 0 };
	return value->typed && eval->scope->types ? dkt__probe_type(eval, value->type, type) : 0;
}

/* The name of the type, for messages. */
static const char *words_for(const struct ctype *type, char text[static 96])
{
	static const char *const kinds[] = {
		[CTYPE_NONE] = "unknown",        [CTYPE_VOID] = "void",
		[CTYPE_POINTER] = "a pointer",   [CTYPE_ARRAY] = "an array",
		[CTYPE_FUNCTION] = "a function",
	};

	if (type->kind == CTYPE_STRUCT || type->kind == CTYPE_UNION || type->kind == CTYPE_ENUM)
		snprintf(text, 96, "%s %s",
			 type->kind == CTYPE_STRUCT ? "struct" :
			 type->kind == CTYPE_UNION  ? "union" :
						      "enum",
			 *type->name ? type->name : "{...}");
	else if (type->kind < ARRAY_SIZE(kinds) && kinds[type->kind])
		snprintf(text, 96, "%s", kinds[type->kind]);
	else
		snprintf(text, 96, "%s", *type->name ? type->name : "a number");
	return text;
}

/* The length of the text before the last operator, for messages. */
static int length_before(const struct eval *eval, const char *end)
{
	while (end > eval->whole && strchr(".-> ", end[-1]))
		end--;
	return (int)(end - eval->whole);
}

int dkt__probe_deref(struct eval *eval, struct probe_value *value, const char *operator)
{
	struct ctype type;
	char text[96];
	int err = get_type(eval, value, &type);

	if (err)
		return err;
	if (type.kind == CTYPE_ARRAY) {
		value->type = type.target;
		return 0;
	}
	if (value->typed && type.kind != CTYPE_POINTER)
		return dkt__probe_fail(eval, -EINVAL, "%s needs a pointer; '%.*s' is %s", operator,
				       length_before(eval, eval->p), eval->whole,
				       words_for(&type, text));
	if (value->bits || value->text)
		return dkt__probe_fail(eval, -EINVAL, "%s needs a pointer", operator);
	dkt__probe_load(eval->scope, value);
	value->memory = true;
	value->offset = 0;
	value->type = type.target;
	value->user = type.user;
	return 0;
}

/* If a struct is only declared here, finds its definition. */
static int find_struct(struct eval *eval, struct ctype *type)
{
	struct ctype_source *types = eval->scope->types;
	uint32_t id;

	if (!type->declared)
		return 0;
	if (types->find(types, type->kind, type->name, &id) || types->get(types, id, type) ||
	    type->declared)
		return dkt__probe_fail(eval, -ENOENT, "the members of %s %s are not described",
				       type->kind == CTYPE_UNION ? "union" : "struct", type->name);
	return 0;
}

static int no_member(struct eval *eval, const struct ctype *type, const char *name,
		     struct dkt__guess *guess)
{
	char names[160], text[96];

	if (guess->best[0])
		return dkt__probe_fail(eval, -ENOENT, "%s has no member '%s'%s",
				       words_for(type, text), name, dkt__guess_words(guess));
	dkt__ctype_member_names(eval->scope->types, type->id, names, sizeof(names));
	return dkt__probe_fail(eval, -ENOENT, "%s has no member '%s'; it has %s",
			       words_for(type, text), name, *names ? names : "none");
}

int dkt__probe_take_member(struct eval *eval, struct probe_value *value)
{
	struct ctype_source *types = eval->scope->types;
	struct ctype_member member = { 0 };
	struct dkt__guess guess;
	char name[WORD_MAX], text[96];
	const char *before = eval->p;
	struct ctype type;
	int err = dkt__probe_read_name(eval, name);

	if (!err)
		err = get_type(eval, value, &type);
	if (err)
		return err;
	if (!value->typed)
		return dkt__probe_fail(eval, -EINVAL,
				       "the type that '%.*s' points to is unknown%s%s; use a cast:"
				       " ((struct NAME *)...)->%s",
				       length_before(eval, before), eval->whole,
				       eval->scope->no_types ? ": " : "",
				       eval->scope->no_types ? eval->scope->no_types : "", name);
	if (type.kind != CTYPE_STRUCT && type.kind != CTYPE_UNION)
		return dkt__probe_fail(
			eval, -EINVAL, "'%.*s' is %s, which has no members%s",
			length_before(eval, before), eval->whole, words_for(&type, text),
			type.kind == CTYPE_POINTER ? " (use -> to follow the pointer)" : "");
	err = find_struct(eval, &type);
	if (err)
		return err;
	dkt__guess_start(&guess, name, strlen(name));
	err = dkt__ctype_member(types, type.id, name, &member, &guess);
	if (err)
		return err == -ENOENT ?
			       no_member(eval, &type, name, &guess) :
			       dkt__probe_fail(eval, err, "%s is invalid", words_for(&type, text));
	dkt__probe_set_field(eval, name);
	value->type = member.type;
	value->bits = member.bits;
	if (value->memory) {
		value->offset += (int64_t)(member.bit_offset / 8);
		value->bit = (uint32_t)(member.bit_offset % 8);
	} else {
		/* A small struct in a register. */
		value->bit += (uint32_t)member.bit_offset;
	}
	return 0;
}

static int element_size(struct eval *eval, const struct probe_value *value, uint64_t *size)
{
	struct ctype type;
	uint32_t id = value->type;
	uint64_t count = 1;

	*size = 8;
	if (!value->typed)
		return 0;
	for (unsigned int depth = 0; depth < CTYPE_DEPTH; depth++) {
		int err = dkt__probe_type(eval, id, &type);

		if (err)
			return err;
		if (type.kind != CTYPE_ARRAY)
			break;
		if (__builtin_mul_overflow(count, type.count, &count))
			return dkt__probe_fail(eval, -ERANGE, "an array is too large");
		id = type.target;
	}
	if (type.declared && find_struct(eval, &type))
		return -ENOENT;
	if (!type.size)
		return dkt__probe_fail(eval, -EINVAL, "the size of an element is not known");
	if (__builtin_mul_overflow(count, type.size, size) || *size > UINT64_C(1) << 40)
		return dkt__probe_fail(eval, -ERANGE, "an element is too large");
	return 0;
}

int dkt__probe_take_index(struct eval *eval, struct probe_value *value)
{
	uint64_t index, size;
	struct ctype type;
	char field[PROBE_FIELD_MAX + 1];
	int64_t offset;
	int err = get_type(eval, value, &type);

	if (!err)
		err = dkt__probe_read_number(eval, &index);
	if (!err && type.kind == CTYPE_ARRAY && type.count && index >= type.count)
		err = dkt__probe_fail(eval, -ERANGE, "[%llu] is beyond its %llu elements",
				      (unsigned long long)index, (unsigned long long)type.count);
	if (!err)
		err = dkt__probe_deref(eval, value, "[]");
	if (!err && !value->memory)
		err = dkt__probe_fail(eval, -EINVAL, "an array in a register cannot be indexed");
	if (!err)
		err = element_size(eval, value, &size);
	if (!err && (__builtin_mul_overflow((int64_t)index, (int64_t)size, &offset) ||
		     __builtin_add_overflow(value->offset, offset, &value->offset)))
		err = dkt__probe_fail(eval, -ERANGE, "[%llu] is too far",
				      (unsigned long long)index);
	if (err)
		return err;
	snprintf(field, sizeof(field), "%.20s_%u", eval->field, (unsigned int)index);
	dkt__probe_set_field(eval, field);
	return dkt__probe_expect(eval, ']');
}
