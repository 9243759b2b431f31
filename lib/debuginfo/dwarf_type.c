/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads C types from DWARF. */
#include <dwarf.h>

#include "lib/debuginfo/binary.h"

/* A known type; its ID is its index, counted from 1. */
struct binary_die {
	Dwarf_Die die;
	unsigned int dimension; /* the first remaining dimension of an array */
};

#define DIES_MAX 65536

static struct dkt__binary *binary_of(struct ctype_source *source)
{
	return (struct dkt__binary *)(void *)source;
}

static int add_die(struct dkt__binary *binary, const Dwarf_Die *die, unsigned int dimension,
		   uint32_t *id)
{
	*id = 0;
	for (size_t i = binary->n_dies; i-- > 0;) {
		if (binary->dies[i].die.addr != die->addr || binary->dies[i].dimension != dimension)
			continue;
		*id = (uint32_t)i + 1;
		return 0;
	}
	if (binary->n_dies >= DIES_MAX)
		return -E2BIG;
	if (dkt__append(binary->dies, binary->n_dies,
			(struct binary_die){ .die = *die, .dimension = dimension }))
		return dkt__no_memory(binary->ctx);
	*id = (uint32_t)binary->n_dies;
	return 0;
}

int dkt__dwarf_type(struct dkt__binary *binary, Dwarf_Die *die, uint32_t *id)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	*id = 0;
	if (!dwarf_attr_integrate(die, DW_AT_type, &attr))
		return 0;
	if (!dwarf_formref_die(&attr, &type))
		return -EINVAL;
	return add_die(binary, &type, 0, id);
}

/* Skips typedefs and qualifiers. False: void, or the types form a circle. */
static bool strip(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	for (unsigned int depth = 0; depth < CTYPE_DEPTH; depth++) {
		switch (dwarf_tag(die)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			break;
		default:
			return true;
		}
		if (!dwarf_attr_integrate(die, DW_AT_type, &attr) || !dwarf_formref_die(&attr, die))
			return false;
	}
	return false;
}

static uint64_t number_of(Dwarf_Die *die, unsigned int name, uint64_t otherwise)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr_integrate(die, name, &attr) || dwarf_formudata(&attr, &value))
		return otherwise;
	return value;
}

/* ---- kinds ---- */

static void get_base(Dwarf_Die *die, struct ctype *type)
{
	switch (number_of(die, DW_AT_encoding, 0)) {
	case DW_ATE_boolean:
		type->kind = CTYPE_BOOL;
		break;
	case DW_ATE_float:
	case DW_ATE_complex_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float:
		type->kind = CTYPE_FLOAT;
		break;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		type->kind = CTYPE_INT;
		type->is_signed = true;
		break;
	default:
		type->kind = CTYPE_INT;
	}
	if (type->size == 1 && !strcmp(type->name, "char"))
		type->kind = CTYPE_CHAR;
}

static void get_enum(Dwarf_Die *die, struct ctype *type)
{
	Dwarf_Die child;
	Dwarf_Attribute attr;
	Dwarf_Sword value;
	unsigned int n = 0;

	type->kind = CTYPE_ENUM;
	if (dwarf_child(die, &child))
		return;
	do {
		if (dwarf_attr(&child, DW_AT_const_value, &attr) && attr.form != DW_FORM_udata &&
		    !dwarf_formsdata(&attr, &value) && value < 0)
			type->is_signed = true;
	} while (n++ < 4096 && !dwarf_siblingof(&child, &child));
}

/* Finds a dimension of the array; false: it has fewer. */
static bool get_dimension(Dwarf_Die *array, unsigned int dimension, Dwarf_Die *subrange)
{
	unsigned int seen = 0;

	if (dwarf_child(array, subrange))
		return false;
	do {
		if (dwarf_tag(subrange) == DW_TAG_subrange_type && seen++ == dimension)
			return true;
	} while (seen <= CTYPE_DEPTH && !dwarf_siblingof(subrange, subrange));
	return false;
}

static int get_array(struct dkt__binary *binary, const struct binary_die *at, struct ctype *type)
{
	Dwarf_Die die = at->die, subrange;

	type->kind = CTYPE_ARRAY;
	if (get_dimension(&die, at->dimension, &subrange)) {
		type->count = number_of(&subrange, DW_AT_count, 0);
		if (!type->count)
			type->count = number_of(&subrange, DW_AT_upper_bound, UINT64_MAX) + 1;
	}
	if (get_dimension(&die, at->dimension + 1, &subrange))
		return add_die(binary, &die, at->dimension + 1, &type->target);
	return dkt__dwarf_type(binary, &die, &type->target);
}

static int get_kind(struct dkt__binary *binary, const struct binary_die *at, struct ctype *type)
{
	Dwarf_Die die = at->die;

	switch (dwarf_tag(&die)) {
	case DW_TAG_base_type:
		get_base(&die, type);
		return 0;
	case DW_TAG_enumeration_type:
		get_enum(&die, type);
		return 0;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		type->kind = CTYPE_POINTER;
		type->size = sizeof(void *);
		return dkt__dwarf_type(binary, &die, &type->target);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		type->kind = dwarf_tag(&die) == DW_TAG_union_type ? CTYPE_UNION : CTYPE_STRUCT;
		type->declared = dwarf_hasattr(&die, DW_AT_declaration);
		return 0;
	case DW_TAG_array_type:
		return get_array(binary, at, type);
	case DW_TAG_subroutine_type:
	case DW_TAG_subprogram:
		type->kind = CTYPE_FUNCTION;
		return 0;
	case DW_TAG_unspecified_type:
		type->kind = CTYPE_VOID;
		return 0;
	default:
		return -EINVAL;
	}
}

static int dwarf_get(struct ctype_source *source, uint32_t id, struct ctype *type)
{
	struct dkt__binary *binary = binary_of(source);
	struct binary_die at;
	const char *name;
	int err;

	*type = (struct ctype){ .kind = CTYPE_VOID };
	if (!id)
		return 0;
	if (id > binary->n_dies)
		return -EINVAL;
	at = binary->dies[id - 1];
	/* const void is void. */
	if (!strip(&at.die))
		return 0;
	err = add_die(binary, &at.die, at.dimension, &type->id);
	if (err)
		return err;
	name = dwarf_diename(&at.die);
	snprintf(type->name, sizeof(type->name), "%s", name ? name : "");
	type->size = number_of(&at.die, DW_AT_byte_size, 0);
	return get_kind(binary, &at, type);
}

/* ---- members ---- */

/* On little-endian machines, older DWARF counts a bit-field from the other end of its unit. */
static void get_bits(Dwarf_Die *die, struct ctype_member *member)
{
	uint64_t bit = number_of(die, DW_AT_data_bit_offset, UINT64_MAX), unit;

	if (bit != UINT64_MAX) {
		member->bit_offset = bit;
		return;
	}
	bit = number_of(die, DW_AT_bit_offset, UINT64_MAX);
	if (bit == UINT64_MAX)
		return;
	unit = number_of(die, DW_AT_byte_size, 0);
	if (!unit) {
		Dwarf_Die type;
		Dwarf_Attribute attr;

		if (dwarf_attr_integrate(die, DW_AT_type, &attr) &&
		    dwarf_formref_die(&attr, &type) && strip(&type))
			unit = number_of(&type, DW_AT_byte_size, 0);
	}
	if (unit && unit <= 8 && bit + member->bits <= unit * 8)
		member->bit_offset += unit * 8 - bit - member->bits;
}

static int dwarf_each_member(struct ctype_source *source, uint32_t id, ctype_member_fn fn,
			     void *data)
{
	struct dkt__binary *binary = binary_of(source);
	Dwarf_Die die, child;
	int end = 0;

	if (!id || id > binary->n_dies)
		return -EINVAL;
	die = binary->dies[id - 1].die;
	if (dwarf_child(&die, &child))
		return 0;
	do {
		struct ctype_member member = { .name = dwarf_diename(&child) };
		int tag = dwarf_tag(&child);

		/* A base class is like a member without a name. */
		if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
			continue;
		member.name = member.name ? member.name : "";
		member.bit_offset = number_of(&child, DW_AT_data_member_location, 0) * 8;
		member.bits = (uint32_t)number_of(&child, DW_AT_bit_size, 0);
		if (member.bits > 64)
			return -EINVAL;
		if (member.bits)
			get_bits(&child, &member);
		end = dkt__dwarf_type(binary, &child, &member.type);
		if (!end)
			end = fn(data, &member);
	} while (!end && !dwarf_siblingof(&child, &child));
	return end;
}

/* ---- types by name ---- */

static bool is_wanted(Dwarf_Die *die, enum ctype_kind kind, const char *name)
{
	static const struct {
		int tag;
		enum ctype_kind kind;
	} tags[] = {
		{ DW_TAG_structure_type, CTYPE_STRUCT }, { DW_TAG_class_type, CTYPE_STRUCT },
		{ DW_TAG_union_type, CTYPE_UNION },      { DW_TAG_enumeration_type, CTYPE_ENUM },
		{ DW_TAG_typedef, CTYPE_NONE },          { DW_TAG_base_type, CTYPE_NONE },
	};
	int tag = dwarf_tag(die);
	const char *found;
	size_t i = 0;

	while (i < ARRAY_SIZE(tags) && (tags[i].tag != tag || tags[i].kind != kind))
		i++;
	found = i < ARRAY_SIZE(tags) ? dwarf_diename(die) : NULL;
	return found && !strcmp(found, name) && !dwarf_hasattr(die, DW_AT_declaration);
}

static int dwarf_find(struct ctype_source *source, enum ctype_kind kind, const char *name,
		      uint32_t *id)
{
	struct dkt__binary *binary = binary_of(source);
	Dwarf_Die *unit = NULL, child;
	Dwarf_Addr bias;

	*id = 0;
	while ((unit = dwfl_module_nextcu(binary->module, unit, &bias))) {
		if (dwarf_child(unit, &child))
			continue;
		do {
			if (is_wanted(&child, kind, name))
				return add_die(binary, &child, 0, id);
		} while (!dwarf_siblingof(&child, &child));
	}
	return -ENOENT;
}

void dkt__dwarf_types_init(struct dkt__binary *binary)
{
	binary->types = (struct ctype_source){ .get = dwarf_get,
					       .members = dwarf_each_member,
					       .find = dwarf_find };
}
