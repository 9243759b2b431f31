/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The names in a profile: of functions, and of what their stacks are grouped by. */
#include "answers/profile/names.h"

#include "lib/inside.h"

/* Longer names are cut. */
#define LENGTH_MAX 4096

void profile_names_init(struct profile_names *names)
{
	*names = (struct profile_names){ .known.n_words = 2 };
}

void profile_names_clear(struct profile_names *names)
{
	dkt__intern_clear(&names->texts);
	dkt__keymap_clear(&names->known);
	free(names->list);
}

static uint32_t add(struct profile_names *names, struct profile_name name)
{
	const uint64_t key[] = { (uint64_t)name.text << 32 | name.where,
				 (uint64_t)name.kind << 1 | name.unknown };
	bool added;
	uint32_t number;

	if (name.text == UINT32_MAX || name.where == UINT32_MAX)
		return UINT32_MAX;
	number = dkt__keymap_add(&names->known, key, &added);
	if (number == DKT__KEYMAP_NONE || !added)
		return number;
	if (!dkt__append(names->list, names->n, name))
		return number;
	dkt__keymap_remove(&names->known, key);
	return UINT32_MAX;
}

static uint32_t text_of(struct profile_names *names, const char *text, size_t n)
{
	return dkt__intern(&names->texts, text, (uint32_t)DKT__MIN(n, (size_t)LENGTH_MAX));
}

uint32_t profile_names_add(struct profile_names *names, enum profile_kind kind, const char *text,
			   size_t n, const char *where)
{
	return add(names, (struct profile_name){ .text = text_of(names, text, n),
						 .where = text_of(names, where, strlen(where)),
						 .kind = kind,
						 .tracer = kind == PROFILE_KERNEL &&
							   dkt__symbol_is_tracer(text) });
}

uint32_t profile_names_unknown(struct profile_names *names, enum profile_kind kind,
			       const char *where, size_t n)
{
	char text[LENGTH_MAX];
	const int size = n ? (int)DKT__MIN(n, sizeof(text) - 3) : (int)strlen("unknown");
	const int len = snprintf(text, sizeof(text), "[%.*s]", size, n ? where : "unknown");

	return add(names, (struct profile_name){ .text = text_of(names, text, (size_t)len),
						 .where = text_of(names, where, n),
						 .kind = kind,
						 .unknown = true });
}

const char *profile_names_text(const struct profile_names *names, uint32_t name)
{
	uint32_t len;

	return dkt__interned(&names->texts, names->list[name].text, &len);
}

const char *profile_names_where(const struct profile_names *names, uint32_t name)
{
	const struct profile_name *of = &names->list[name];
	uint32_t len;
	const char *where = dkt__interned(&names->texts, of->where, &len);

	return of->kind == PROFILE_KERNEL && !len ? "kernel" : where;
}
