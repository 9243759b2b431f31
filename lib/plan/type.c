/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Resolves the identifiers in a print format: C types, constants, fields. */
#include <ctype.h>

#include "lib/base/parse.h"
#include "lib/plan.h"

#define MAX_BYTES (1U << 17) /* no record is longer */

/* ---- types ---- */

const struct dkt__type dkt__type_int = { 4, true };
const struct dkt__type dkt__type_ulong = { sizeof(long), false };

static const struct {
	const char *name;
	struct dkt__type type;
} type_names[] = {
	/* clang-format off */
	{ "char", { 1, true } }, { "unsigned char", { 1, false } }, { "signed char", { 1, true } },
	{ "short", { 2, true } }, { "unsigned short", { 2, false } },
	{ "short int", { 2, true } }, { "unsigned short int", { 2, false } },
	{ "int", { 4, true } }, { "unsigned int", { 4, false } },
	{ "unsigned", { 4, false } }, { "signed", { 4, true } },
	{ "long", { sizeof(long), true } }, { "unsigned long", { sizeof(long), false } },
	{ "long int", { sizeof(long), true } }, { "unsigned long int", { sizeof(long), false } },
	{ "long long", { 8, true } }, { "unsigned long long", { 8, false } },
	{ "u8", { 1, false } }, { "u16", { 2, false } }, { "u32", { 4, false } },
	{ "u64", { 8, false } }, { "s8", { 1, true } }, { "s16", { 2, true } },
	{ "s32", { 4, true } }, { "s64", { 8, true } },
	{ "__u8", { 1, false } }, { "__u16", { 2, false } }, { "__u32", { 4, false } },
	{ "__u64", { 8, false } }, { "__s8", { 1, true } }, { "__s16", { 2, true } },
	{ "__s32", { 4, true } }, { "__s64", { 8, true } },
	{ "uint8_t", { 1, false } }, { "uint16_t", { 2, false } }, { "uint32_t", { 4, false } },
	{ "uint64_t", { 8, false } }, { "int8_t", { 1, true } }, { "int16_t", { 2, true } },
	{ "int32_t", { 4, true } }, { "int64_t", { 8, true } },
	{ "uchar", { 1, false } }, { "ushort", { 2, false } }, { "uint", { 4, false } },
	{ "ulong", { sizeof(long), false } }, { "size_t", { sizeof(long), false } },
	{ "ssize_t", { sizeof(long), true } }, { "uintptr_t", { sizeof(long), false } },
	{ "gfp_t", { 4, false } }, { "pid_t", { 4, true } }, { "uid_t", { 4, false } },
	{ "gid_t", { 4, false } }, { "dev_t", { 4, false } }, { "umode_t", { 2, false } },
	{ "ino_t", { sizeof(long), false } }, { "loff_t", { 8, true } },
	{ "sector_t", { 8, false } }, { "blk_opf_t", { 4, false } },
	/* clang-format on */
};

bool dkt__type_find(const char *name, struct dkt__type *type)
{
	size_t len = strlen(name);

	if (len && name[len - 1] == '*') {
		*type = dkt__type_ulong;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(type_names); i++)
		if (!strcmp(type_names[i].name, name)) {
			*type = type_names[i].type;
			return true;
		}
	return false;
}

/* Finds the type named between from and end, where spaces may follow the name. */
static bool find_between(const char *from, const char *end, struct dkt__type *type)
{
	char name[128];

	while (end > from && end[-1] == ' ')
		end--;
	if ((size_t)(end - from) >= sizeof(name))
		return false;
	memcpy(name, from, (size_t)(end - from));
	name[end - from] = '\0';
	return dkt__type_find(name, type);
}

bool dkt__type_element(const char *array, struct dkt__type *type)
{
	if (!strncmp(array, "__data_loc ", 11) || !strncmp(array, "__rel_loc ", 10))
		array = strchr(array, ' ') + 1;
	return find_between(array, strchrnul(array, '['), type);
}

bool dkt__type_pointee(const char *name, struct dkt__type *type)
{
	size_t len = strlen(name);

	return len && name[len - 1] == '*' && find_between(name, name + len - 1, type);
}

struct dkt__type dkt__type_promote(struct dkt__type type)
{
	return type.size < 4 ? dkt__type_int : type;
}

struct dkt__type dkt__type_common(struct dkt__type a, struct dkt__type b)
{
	a = dkt__type_promote(a);
	b = dkt__type_promote(b);
	if (a.size == b.size)
		return (struct dkt__type){ a.size, a.is_signed && b.is_signed };
	return a.size > b.size ? a : b;
}

uint8_t dkt__plan_load(unsigned int size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? DKT__LOAD_S8 : DKT__LOAD_U8;
	case 2:
		return is_signed ? DKT__LOAD_S16 : DKT__LOAD_U16;
	case 4:
		return is_signed ? DKT__LOAD_S32 : DKT__LOAD_U32;
	case 8:
		return DKT__LOAD_U64;
	default:
		return DKT__LOAD_CONST;
	}
}

unsigned int dkt__load_size(uint8_t load)
{
	static const uint8_t sizes[] = {
		[DKT__LOAD_U8] = 1,  [DKT__LOAD_S8] = 1,  [DKT__LOAD_U16] = 2, [DKT__LOAD_S16] = 2,
		[DKT__LOAD_U32] = 4, [DKT__LOAD_S32] = 4, [DKT__LOAD_U64] = 8,
	};

	return load < ARRAY_SIZE(sizes) ? sizes[load] : 0;
}

/* ---- constants ---- */

static const struct {
	const char *name;
	uint64_t value;
} known_names[] = {
	{ "HI_SOFTIRQ", 0 },      { "TIMER_SOFTIRQ", 1 },     { "NET_TX_SOFTIRQ", 2 },
	{ "NET_RX_SOFTIRQ", 3 },  { "BLOCK_SOFTIRQ", 4 },     { "IRQ_POLL_SOFTIRQ", 5 },
	{ "TASKLET_SOFTIRQ", 6 }, { "SCHED_SOFTIRQ", 7 },     { "HRTIMER_SOFTIRQ", 8 },
	{ "RCU_SOFTIRQ", 9 },     { "HRTIMER_NORESTART", 0 }, { "HRTIMER_RESTART", 1 },
};

static bool constant_name(const char *text, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < ARRAY_SIZE(known_names); i++)
		if (!strcmp(known_names[i].name, text)) {
			*value = known_names[i].value;
			return true;
		}
	/* A character constant: libtraceevent drops its quotes. */
	if (strlen(text) == 1) {
		*value = (uint8_t)text[0];
		return true;
	}
	return false;
}

static struct dkt__type constant_type(const char *digits, const char *suffix, uint64_t value)
{
	bool is_unsigned = strpbrk(suffix, "uU"), is_long = strpbrk(suffix, "lL");
	bool decimal = digits[0] != '0';

	if (!is_long && value <= INT32_MAX)
		return (struct dkt__type){ 4, !is_unsigned };
	if (!is_long && value <= UINT32_MAX && (is_unsigned || !decimal))
		return (struct dkt__type){ 4, false };
	return (struct dkt__type){ 8, !is_unsigned && value <= INT64_MAX };
}

bool dkt__plan_constant(const char *text, uint64_t *value, struct dkt__type *type)
{
	bool minus = *text == '-';
	const char *digits = text + minus, *end = digits;

	*type = dkt__type_int;
	if (!isdigit((unsigned char)*digits))
		return constant_name(text, value);
	if (dkt__take_u64(&end, NULL, DKT__AS_C, value))
		return false;
	*type = constant_type(digits, end, *value);
	if (minus)
		*value = dkt__cast(0 - *value, dkt__plan_load(type->size, type->is_signed));
	return !end[strspn(end, "uUlL")];
}

/* ---- fields ---- */

struct tep_format_field *dkt__plan_field(struct tep_event *tep, struct tep_print_arg *arg)
{
	switch ((unsigned int)arg->type) {
	case TEP_PRINT_FIELD:
		return arg->field.field ? arg->field.field :
					  tep_find_any_field(tep, arg->field.name);
	case TEP_PRINT_STRING:
		return tep_find_any_field(tep, arg->string.string);
	case TEP_PRINT_BITMASK:
	case DKT__PRINT_CPUMASK:
		return tep_find_any_field(tep, arg->bitmask.bitmask);
	case TEP_PRINT_DYNAMIC_ARRAY:
	case TEP_PRINT_DYNAMIC_ARRAY_LEN:
		return arg->dynarray.field;
	default:
		return NULL;
	}
}

struct tep_print_arg *dkt__plan_uncast(struct tep_print_arg *arg)
{
	while (arg && arg->type == TEP_PRINT_TYPE)
		arg = arg->typecast.item;
	return arg;
}

int dkt__plan_needs(struct dkt__plan *plan, int offset, unsigned int size)
{
	if (offset < 0 || (unsigned int)offset > MAX_BYTES || size > MAX_BYTES)
		return -EOPNOTSUPP;
	if (plan->need < (uint32_t)offset + size)
		plan->need = (uint32_t)offset + size;
	return 0;
}

int dkt__plan_bytes(struct dkt__plan *plan, const struct tep_format_field *field,
		    struct dkt__bytes *bytes)
{
	bytes->offset = (uint32_t)field->offset;
	bytes->size = (uint32_t)field->size;
	if (field->flags & TEP_FIELD_IS_DYNAMIC) {
		bytes->kind = field->flags & DKT__TEP_RELATIVE ? DKT__BYTES_RELATIVE :
								 DKT__BYTES_DYNAMIC;
		if (field->size != 4)
			return -EOPNOTSUPP;
	} else {
		bytes->kind = field->size ? DKT__BYTES_FIXED : DKT__BYTES_REST;
	}
	return dkt__plan_needs(plan, field->offset, (unsigned int)field->size);
}
