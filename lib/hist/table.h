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
	TABLE_STRING, /* the word is a number of strings */
	TABLE_STACK, /* the same; bytes are addresses */
};

struct table_column {
	struct dkt__key_spec spec;
	uint8_t kind; /* enum table_kind */
	bool is_signed;
	struct dkt__key_names names; /* of a key that is a number */
};

struct dkt_table {
	struct dkt_ctx *ctx; /* whose names of functions are meant */
	struct table_column keys[TABLE_KEYS];
	struct table_column vals[TABLE_VALS]; /* the first is hitcount */
	uint32_t n_keys, n_vals;
	uint32_t size; /* entries at most; 0: no bound */
	struct dkt__keymap map;
	uint64_t *sums; /* n_vals of each entry */
	uint32_t room; /* entries that sums, more and comms have memory for */
	struct dkt__intern strings;
	uint32_t *more; /* of each entry what actions saved, a string + 1; 0: nothing */
	uint32_t *comms; /* of each entry the name of its process, a string + 1; 0: not known */
	bool has_more;
	uint32_t *order; /* entries as rows; NULL: in the order in which they came */
	uint64_t hits, dropped, bad;
	struct dkt_column *columns; /* for those who look at it */
	struct dkt_table_info info;
};

struct dkt_table *dkt__table_new(struct dkt_ctx *ctx);

/* To be called when keys and vals are known, before the first row. */
void dkt__table_begin(struct dkt_table *table);

/*
 * The entry of these words, made if there is room. DKT__KEYMAP_NONE: it is full, which is counted,
 * or memory is out, which is in *err.
 */
uint32_t dkt__table_entry(struct dkt_table *table, const uint64_t *words, bool *added, int *err);

/*
 * Adds rows of another table. The columns are the same, but that this one may have the event's name
 * in front of them.
 */
int dkt__table_add(struct dkt_table *table, const struct dkt_table *other, const char *event);

/* Keeps a string for the table; its number + 1, 0: memory is out. */
uint32_t dkt__table_string(struct dkt_table *table, const char *text, uint32_t len);

/* Makes names and rows of what is there. */
int dkt__table_finish(struct dkt_table *table);

static inline uint64_t *dkt__table_sums(const struct dkt_table *table, uint32_t entry)
{
	return table->sums + (size_t)entry * table->n_vals;
}
