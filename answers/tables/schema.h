/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tables of a database: one for each kind of event, with a typed column for each field. Knows no
 * database.
 */
#pragma once

#include <dktrace/dktrace.h>

#include "lib/base/arena.h"
#include "lib/base/keymap.h"

/* Columns of a table at most; further fields of an event are left out, with a warning. */
#define SCHEMA_COLUMNS 1900

enum schema_type {
	SCHEMA_NUMBER, /* fits a signed number of 64 bits */
	SCHEMA_UNSIGNED, /* of 64 bits */
	SCHEMA_TEXT,
	SCHEMA_BYTES,
	SCHEMA_LIST, /* of numbers */
};

struct schema_column {
	const char *name; /* no other column of the table has it in other letter cases */
	const char *field;
	enum schema_type type;
};

struct schema_table {
	const char *name; /* no other table of the schema has it in other letter cases */
	const char *system, *event;
	struct schema_column *columns; /* of fields, beside those of schema_fixed() */
	size_t n;
	void *writer; /* for the writer */
	uint32_t next; /* the next table whose name has the same hash, plus 1 */
};

/* An event of a kernel, which other files may have with other fields. */
struct schema_event {
	struct schema_table *table;
	const struct dkt_field **fields; /* by column of the table */
	size_t n; /* fields; columns after them are of other files */
};

struct schema {
	struct dkt_ctx *ctx; /* for messages */
	struct dkt__arena arena;
	struct schema_table **tables;
	uint32_t n;
	struct dkt__keymap names; /* from the hash of a name to the table */
	struct dkt__keymap kinds; /* from the hashes of system and event */
	uint32_t *heads; /* by entry of names: the first table plus 1 */
	uint32_t n_heads;
	uint32_t *of_kind; /* by entry of kinds: the table */
	uint32_t n_kinds;
	struct dkt__keymap keys; /* from the address of an event to its index in events */
	struct schema_event *events;
	uint32_t n_events;
	/* True for names that no table of an event can have. NULL: there are none. */
	bool (*reserved)(const struct schema *schema, const char *name);
	void *data; /* for reserved */
};

/* Columns that each table has before those of fields: time, host, CPU, thread. */
enum schema_fixed {
	SCHEMA_SEQ,
	SCHEMA_TS,
	SCHEMA_HOST,
	SCHEMA_CPU,
	SCHEMA_PID,
	SCHEMA_COMM,
	SCHEMA_FLAGS,
	SCHEMA_N_FIXED,
};

/* Returns the i-th of these columns. */
const struct schema_column *schema_fixed(size_t i);

/*
 * Adds the table of an event, and gives it a name: that of the event, or SYSTEM_EVENT if another event
 * has it. Returns it; NULL: memory is out.
 */
struct schema_table *schema_table(struct schema *schema, const char *system, const char *event);

/* Adds the tables of all events that the kernel of a file has. The columns come with schema_bind(). */
int schema_add(struct schema *schema, struct dkt_ctx *ctx);

/* Returns a table by name, in any letter case; NULL: there is none. */
struct schema_table *schema_find(const struct schema *schema, const char *name, size_t len);

/*
 * Gets the columns of an event. It adds those to its table that the table does not have. The result is
 * valid until the next call.
 */
int schema_bind(struct schema *schema, struct dkt_event *event, struct schema_event **bound);

/* The same, for each record: fast if the event is known. */
static inline int schema_event_of(struct schema *schema, struct dkt_event *event,
				  struct schema_event **bound)
{
	const uint64_t key = (uintptr_t)event;
	uint32_t nr = schema->keys.n ? dkt__keymap_find(&schema->keys, &key) : DKT__KEYMAP_NONE;

	if (dkt__unlikely(nr == DKT__KEYMAP_NONE))
		return schema_bind(schema, event, bound);
	*bound = &schema->events[nr];
	return 0;
}

void schema_clear(struct schema *schema);

/* ---- values ---- */

struct schema_value {
	bool known;
	int64_t number; /* of 64 bits, also if it is unsigned */
	const void *bytes; /* text or bytes, valid as long as the record */
	size_t len;
	uint32_t element; /* of a list, whose bytes these are */
	bool is_signed; /* elements of a list */
};

/* Reads a field of a record, as the type says. */
void schema_value(const struct dkt_record *record, const struct dkt_field *field,
		  enum schema_type type, struct schema_value *value);

/* Returns the i-th number of a list. */
int64_t schema_element(const struct schema_value *list, size_t i);

static inline size_t schema_elements(const struct schema_value *list)
{
	return list->len / list->element;
}

/* Appends [1,2,3]. */
void schema_list_text(const struct schema_value *list, struct dkt_buf *buf);
