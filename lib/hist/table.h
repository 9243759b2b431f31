/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The inside of dkt_table: rows of keys with their sums. */
#pragma once

#include "lib/base/keymap.h"
#include "lib/hist/key.h"

/* The kernel's three keys and the event's name; the kernel's two values and hitcount. */
#define TABLE_KEYS 4
#define TABLE_VALS 3

enum table_kind {
	TABLE_NUMBER,
	TABLE_STRING, /* the word is the number of a string */
	TABLE_STACK, /* the same; the string consists of addresses */
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
	uint32_t size; /* the limit on entries; 0: unlimited */
	struct dkt__keymap map;
	uint64_t *sums; /* n_vals of each entry */
	uint32_t room; /* entries that sums, more and comms have memory for */
	struct dkt__intern strings;
	uint32_t *more; /* by entry, the values that actions saved: string number + 1; 0: none */
	uint32_t *comms; /* by entry, the name of its process: string number + 1; 0: unknown */
	bool has_more;
	uint32_t *order; /* the entries, in the order of rows */
	uint64_t hits, dropped, bad;
	struct dkt_column *columns; /* for callers that read the table */
	const struct dkt_column **column_list; /* of their addresses, in the same memory */
	struct dkt_table_info info;
};

struct dkt_table *dkt__table_new(struct dkt_ctx *ctx);

/* Call this after setting keys and vals and before adding the first row. */
void dkt__table_begin(struct dkt_table *table);

/*
 * Returns the entry of these words, created if necessary. DKT__KEYMAP_NONE: memory is out and *err
 * is set, or the table is full and its count of dropped records has grown.
 */
uint32_t dkt__table_entry(struct dkt_table *table, const uint64_t *words, bool *added, int *err);

/*
 * Adds the rows of another table with the same columns. event: the text of this table's additional
 * first column, or NULL.
 */
int dkt__table_add(struct dkt_table *table, const struct dkt_table *other, const char *event);

/* Stores a string for the table. Returns its number + 1, or 0 if memory is out. */
uint32_t dkt__table_string(struct dkt_table *table, const char *text, uint32_t len);

/* Stores a string for a key and sets its number. Returns 0 or -ENOMEM. */
int dkt__table_intern(struct dkt_table *table, const void *bytes, size_t len, uint64_t *number);

/* Builds the columns and rows that callers read. */
int dkt__table_finish(struct dkt_table *table);

/* Finishes the table and returns it in *out. Frees it if that fails or err is set already. */
int dkt__table_return(struct dkt_table *table, int err, struct dkt_table **out);

static inline uint64_t *dkt__table_sums(const struct dkt_table *table, uint32_t entry)
{
	return table->sums + (size_t)entry * table->n_vals;
}
