/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of dkt_table: rows of keys with their sums. */
#pragma once

#include "hist/key.h"
#include "hist/keymap.h"

/* The event's name may be one more than the kernel's three keys, and hitcount than its two values. */
#define TABLE_KEYS 4
#define TABLE_VALS 3

enum table_kind {
	TABLE_NUMBER,
	TABLE_STRING, /* the word is the number of a string */
	TABLE_STACK, /* the same; bytes are addresses */
};

struct table_column {
	struct dkt__key_spec spec;
	uint8_t kind; /* enum table_kind */
	bool is_signed;
	struct dkt__key_names names; /* for a key that is a number */
};

struct dkt_table {
	struct dkt_ctx *ctx; /* for the names of functions */
	struct table_column keys[TABLE_KEYS];
	struct table_column vals[TABLE_VALS]; /* the first is hitcount */
	uint32_t n_keys, n_vals;
	uint32_t size; /* the limit of entries; 0: none */
	struct dkt__keymap map;
	uint64_t *sums; /* n_vals of each entry */
	uint32_t room; /* entries that sums, more and comms have memory for */
	struct dkt__intern strings;
	uint32_t *more; /* by entry, the values that actions saved: a string + 1; 0: none */
	uint32_t *comms; /* by entry, the name of its process: a string + 1; 0: unknown */
	bool has_more;
	uint32_t *order; /* the order of entries as rows; NULL: the order of arrival */
	uint64_t hits, dropped, bad;
	struct dkt_column *columns; /* for callers that read the table */
	const struct dkt_column **column_list; /* of their addresses, in the same memory */
	struct dkt_table_info info;
};

struct dkt_table *dkt__table_new(struct dkt_ctx *ctx);

/* Call it once keys and vals are set, before the first row. */
void dkt__table_begin(struct dkt_table *table);

/*
 * Returns the entry of these words, and creates it if there is room. DKT__KEYMAP_NONE: the table is
 * full, which it counts, or memory is out, which *err tells.
 */
uint32_t dkt__table_entry(struct dkt_table *table, const uint64_t *words, bool *added, int *err);

/*
 * Adds the rows of another table with the same columns; this table may have the event's name as an
 * additional first column.
 */
int dkt__table_add(struct dkt_table *table, const struct dkt_table *other, const char *event);

/* Stores a string for the table. Returns its number + 1, or 0 if memory is out. */
uint32_t dkt__table_string(struct dkt_table *table, const char *text, uint32_t len);

/* Builds the names and rows for callers. */
int dkt__table_finish(struct dkt_table *table);

static inline uint64_t *dkt__table_sums(const struct dkt_table *table, uint32_t entry)
{
	return table->sums + (size_t)entry * table->n_vals;
}
