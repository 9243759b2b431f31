/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Numbers texts that come again and again, such as NIDs and jobs. */
#include "compat/lustre_log/names.h"

void dkl_name_table_init(struct name_table *table)
{
	*table = (struct name_table){ .map.n_words = 2 };
}

void dkl_name_table_clear(struct name_table *table)
{
	dkt__keymap_clear(&table->map);
	dkt__arena_free(&table->arena);
	free(table->texts);
	dkl_name_table_init(table);
}

/* Two hashes with different beginnings, so that no two names of one log have both in common. */
static void hash(struct part name, uint64_t key[2])
{
	uint64_t word, a = name.len, b = ~(uint64_t)name.len;

	for (; name.len >= sizeof(word); name.p += sizeof(word), name.len -= sizeof(word)) {
		memcpy(&word, name.p, sizeof(word));
		a = dkt__mix(a, word);
		b = dkt__mix(b ^ word, a);
	}
	if (name.len) {
		word = 0;
		memcpy(&word, name.p, name.len);
		a = dkt__mix(a, word);
		b = dkt__mix(b ^ word, a);
	}
	key[0] = a;
	key[1] = b;
}

uint32_t dkl_name_number(struct name_table *table, struct part name)
{
	uint64_t key[2];
	uint32_t entry;
	bool added;
	char *text;

	if (!name.len)
		return 0;
	hash(name, key);
	entry = dkt__keymap_add(&table->map, key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return UINT32_MAX;
	if (!added)
		return entry + 1;
	text = dkt__arena_strndup(&table->arena, name.p, name.len);
	if (!text || dkt__append(table->texts, table->n, text)) {
		dkt__keymap_remove(&table->map, key);
		return UINT32_MAX;
	}
	return entry + 1;
}
