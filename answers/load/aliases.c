/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * comm, pid and cpu, as SQLite takes them: in any case, for columns of the event if it has no field of the name.
 * ClickHouse tells letter cases apart, so that each table has the usual ones as columns of the kind ALIAS. These
 * take no room, and are neither in * nor in an INSERT.
 */
#include "answers/load/loading.h"

#define CASES 3

static const char *const spellings[][CASES] = {
	{ "comm", "Comm", "COMM" },
	{ "pid", "Pid", "PID" },
	{ "cpu", "Cpu", "CPU" },
};

/* The bit of a spelling in struct target. */
static unsigned int bit(size_t name, size_t i)
{
	return 1u << (name * CASES + i);
}

void aliases_know(const struct load *load, struct target *target)
{
	for (size_t i = 0; i < load->n_known; i++) {
		const struct known_column *column = &load->known[i];

		if (!column->alias || strcmp(column->table, target->name) != 0)
			continue;
		for (size_t j = 0; j < ARRAY_SIZE(spellings); j++)
			for (size_t k = 0; k < CASES; k++)
				if (!strcmp(column->name, spellings[j][k]))
					target->aliases |= bit(j, k);
	}
}

/* A column with a name in any case, from the i-th on; NULL: none. */
static const struct column_type *find(const struct target *target, const char *name, size_t i)
{
	for (; i < target->n; i++)
		if (!strcasecmp(target->columns[i].name, name))
			return &target->columns[i];
	return NULL;
}

/* The same of the columns that the server's table had, but for aliases. */
static const struct known_column *find_known(const struct load *load, const struct target *target,
					     const char *name)
{
	for (size_t i = 0; i < load->n_known; i++) {
		const struct known_column *column = &load->known[i];

		if (!column->alias && !strcmp(column->table, target->name) &&
		    !strcasecmp(column->name, name))
			return column;
	}
	return NULL;
}

/* Sets what a name is for: a column of the name, also if only another file has it, or one that each event has. */
static bool find_base(const struct load *load, const struct target *target, const char *name,
		      struct column_type *base)
{
	const struct known_column *known = find_known(load, target, name);
	const struct column_type *own;
	char common[16];

	if (known) {
		*base = (struct column_type){ known->name, known->type };
		return true;
	}
	snprintf(common, sizeof(common), "common_%s", name);
	own = find(target, name, 0) ?: find(target, common, 0);
	if (own)
		*base = *own;
	return own;
}

static int add(struct load *load, const char *name, const struct column_type *base,
	       struct column_type *alias)
{
	struct dkt_buf *text;
	int err = dkt_buf_new(&text);

	if (err)
		return err;
	dkt_buf_printf(text, "%s ALIAS ", base->type);
	layout_quote(text, base->name, "");
	alias->name = name;
	alias->type = dkt_buf_error(text) ? NULL :
					    dkt__arena_strndup(&load->arena, text->data, text->len);
	dkt_buf_free(text);
	return alias->type ? 0 : -ENOMEM;
}

int aliases_add(struct load *load, struct target *target, struct column_type aliases[ALIASES_MOST],
		size_t *n)
{
	struct column_type base;
	int err = 0;

	*n = 0;
	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		if (!find_base(load, target, spellings[i][0], &base))
			continue;
		for (size_t j = 0; !err && j < CASES; j++) {
			const char *name = spellings[i][j];

			if (target->aliases & bit(i, j) || !strcmp(name, base.name))
				continue;
			err = add(load, name, &base, &aliases[(*n)++]);
			target->aliases |= bit(i, j);
		}
	}
	return err;
}

size_t aliases_drop(const struct load *load, struct target *target, const char *names[ALIASES_MOST])
{
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		if (!find(target, spellings[i][0], target->declared) ||
		    find_known(load, target, spellings[i][0]))
			continue;
		for (size_t j = 0; j < CASES; j++) {
			if (target->aliases & bit(i, j))
				names[n++] = spellings[i][j];
			target->aliases &= ~bit(i, j);
		}
	}
	return n;
}
