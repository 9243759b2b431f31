/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Follows the members of variables in a dump, whose offsets the types of its kernel give. */
#include "lib/base/guess.h"
#include "lib/vmcore/core.h"

int dkt__vm_struct(const struct vm_core *core, const char *name, uint32_t *type)
{
	return core->types->find(core->types, CTYPE_STRUCT, name, type);
}

uint64_t dkt__vm_size(const struct vm_core *core, uint32_t type)
{
	struct ctype is;

	if (core->types->get(core->types, type, &is))
		return 0;
	if (is.kind == CTYPE_ARRAY)
		return is.count * dkt__vm_size(core, is.target);
	return is.size;
}

/* Gets the type, and its definition if it is only declared here. */
static int get_type(const struct vm_core *core, uint32_t id, struct ctype *type)
{
	int err = core->types->get(core->types, id, type);

	if (err || !type->declared)
		return err;
	err = core->types->find(core->types, type->kind, type->name, &id);
	return err ? err : core->types->get(core->types, id, type);
}

/* Steps to a member of a variable; the name ends at end. */
static int step(const struct vm_core *core, struct vm_place *place, const char *name,
		const char *end)
{
	struct ctype_member member;
	struct ctype type;
	char copy[64];
	int err = get_type(core, place->type, &type);

	if (err)
		return err;
	if (type.kind != CTYPE_STRUCT && type.kind != CTYPE_UNION)
		return -ENOENT;
	snprintf(copy, sizeof(copy), "%.*s", (int)(end - name), name);
	err = dkt__ctype_member(core->types, type.id, copy, &member, NULL);
	if (err)
		return err;
	place->at += member.bit_offset / 8;
	place->type = member.type;
	place->bit = (uint8_t)(member.bit_offset % 8);
	place->bits = (uint8_t)DKT__MIN(member.bits, 64u);
	return 0;
}

/* Steps to a member by the first of its alternative names; they end at end. */
static int step_any(const struct vm_core *core, struct vm_place *place, const char *names,
		    const char *end)
{
	const char *stop;
	int err = -ENOENT;

	for (; err == -ENOENT && names < end; names = stop + (stop < end)) {
		stop = memchr(names, '|', (size_t)(end - names));
		if (!stop)
			stop = end;
		err = step(core, place, names, stop);
	}
	return err;
}

static int follow(const struct vm_core *core, struct vm_place *place)
{
	struct ctype type;
	int err = get_type(core, place->type, &type);

	if (!err && type.kind != CTYPE_POINTER)
		return -EINVAL;
	if (!err)
		err = dkt__vm_number(core->memory, place->at, sizeof(uint64_t), &place->at);
	if (!err && !place->at)
		return -EFAULT;
	place->type = type.target;
	place->bit = place->bits = 0;
	return err;
}

/* Reads a bit-field, whose bytes need not be aligned; no kernel has one that takes more than 8. */
static int get_bits(const struct vm_core *core, struct vm_place place, uint64_t *value)
{
	const bool big = DKT__BIG_ENDIAN;
	size_t n = (place.bit + place.bits + 7u) / 8;
	uint8_t bytes[sizeof(uint64_t) + 1];
	unsigned int shift = big ? (unsigned int)n * 8 - place.bit - place.bits : place.bit;
	int err = n <= sizeof(uint64_t) ? dkt__vm_read(core->memory, place.at, bytes, n) : -EINVAL;

	for (size_t i = 0; !err && i < n; i++)
		*value = *value << 8 | bytes[big ? i : n - 1 - i];
	*value >>= shift;
	if (place.bits < 64)
		*value &= (UINT64_C(1) << place.bits) - 1;
	return err;
}

int dkt__vm_go(const struct vm_core *core, struct vm_place from, const char *path,
	       struct vm_place *to)
{
	int err = 0;

	*to = from;
	while (!err && *path) {
		size_t n = strcspn(path, ".-");

		if (n)
			err = step_any(core, to, path, path + n);
		path += n;
		if (!err && *path == '-')
			err = follow(core, to);
		path += *path == '-' ? 2 : *path == '.';
	}
	return err;
}

int dkt__vm_offset(const struct vm_core *core, uint32_t type, const char *path, uint64_t *offset)
{
	struct vm_place place;
	int err = dkt__vm_go(core, (struct vm_place){ .type = type }, path, &place);

	*offset = err ? 0 : place.at;
	return err;
}

int dkt__vm_walk(const struct vm_core *core, const char *symbol, const char *name,
		 struct vm_place *entry, struct vm_list *list)
{
	uint64_t head, offset;
	int err = dkt__vm_symbol(core, symbol, &head);

	if (!err)
		err = dkt__vm_struct(core, name, &entry->type);
	if (!err)
		err = dkt__vm_offset(core, entry->type, "list", &offset);
	if (!err)
		*list = dkt__vm_list(core->memory, head, offset);
	return err;
}

int dkt__vm_get(const struct vm_core *core, struct vm_place from, const char *path, uint64_t *value)
{
	struct vm_place place;
	struct ctype type;
	int err = dkt__vm_go(core, from, path, &place);

	*value = 0;
	if (!err && place.bits)
		return get_bits(core, place, value);
	if (!err)
		err = get_type(core, place.type, &type);
	/* A struct around one number: atomic_t, local_t. */
	if (!err && !type.size)
		return -EINVAL;
	return err ? err : dkt__vm_number(core->memory, place.at, type.size, value);
}

int dkt__vm_get_all(const struct vm_core *core, struct vm_place from,
		    const struct vm_wanted *wanted, size_t n)
{
	int err = 0;

	for (size_t i = 0; !err && i < n; i++)
		err = dkt__vm_get(core, from, wanted[i].path, wanted[i].value);
	return err;
}

int dkt__vm_text(const struct vm_core *core, struct vm_place from, const char *path, size_t most,
		 char **text)
{
	struct vm_place place;
	struct ctype type;
	int err = dkt__vm_go(core, from, path, &place);

	*text = NULL;
	if (!err)
		err = get_type(core, place.type, &type);
	if (!err && type.kind == CTYPE_POINTER)
		err = follow(core, &place);
	return err ? err : dkt__vm_string(core->memory, place.at, most, text);
}
