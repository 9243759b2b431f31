/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys of histograms and pairs: a field with a modifier, its value in a record, its text. */
#pragma once

#include "lib/base/intern.h"
#include "lib/expr.h"
#include "lib/plan.h"

/* Modifiers of a field: histogram.rst, "keys" and "vals". */
enum dkt__mod {
	MOD_NONE,
	MOD_HEX,
	MOD_DEC, /* print the number instead of its name; not passed to the kernel */
	MOD_SYM,
	MOD_SYM_OFFSET,
	MOD_SYSCALL,
	MOD_EXECNAME,
	MOD_LOG2,
	MOD_BUCKETS,
	MOD_USECS,
	MOD_STACKTRACE,
	MOD_PERCENT, /* for values only; printed by dktrace, not passed to the kernel */
	MOD_GRAPH,
};

/* Room for the name of a field and its NUL. */
#define KEY_NAME_MAX 64

/* A field as the user requested it. */
struct dkt__key_spec {
	char name[KEY_NAME_MAX];
	uint8_t mod; /* enum dkt__mod */
	uint64_t buckets; /* MOD_BUCKETS: the width of a bucket */
};

enum dkt__key_kind {
	KEY_NUMBER,
	KEY_STRING,
	KEY_CPU,
	KEY_COMM, /* the name of the record's process, as its source knows it */
	KEY_TIME,
	KEY_STACK, /* the kernel's stack, which the kernel writes as a separate record */
	KEY_STACK_FIELD, /* an array of addresses */
};

/* The names of a number; valid as long as the event. */
struct dkt__key_names {
	const struct dkt__step *step; /* of the print format; NULL: the format has no names */
	bool is_device; /* a dev_t, which has the name of a block device */
};

#define DKT__COMMON_PID "common_pid"

/* TASK_COMM_LEN is 16, but a record may hold a longer name. */
#define DKT__COMM_ROOM 64

/* A key in the records of one event. */
struct dkt__key {
	uint8_t kind; /* enum dkt__key_kind */
	uint8_t load; /* KEY_NUMBER: enum dkt__load */
	uint8_t mod;
	bool is_signed;
	uint32_t end; /* a record needs at least this size */
	uint64_t buckets;
	struct dkt_field field;
	struct dkt__key_names names;
	bool is_current; /* MOD_EXECNAME: the ID of the record's own process */
	bool has_comm; /* MOD_EXECNAME: the field comm of the record has the process's name */
	struct dkt_field comm;
};

/*
 * Parses "name", "name.modifier" or "name.buckets=N". -EINVAL: *why has the error message and *at
 * its place in the text.
 */
int dkt__key_parse(const char *text, size_t len, struct dkt__key_spec *spec, const char **why,
		   size_t *at);

/* Returns the modifier's name, "" for none. */
const char *dkt__mod_name(uint8_t mod);

/* Binds a key to an event. -ENOENT: no such field; -EINVAL: the field cannot be such a key. */
int dkt__key_bind(struct dkt_ctx *ctx, struct dkt_event *event, const struct dkt__key_spec *spec,
		  struct dkt__key *key);

/* Returns 0 if one of the events has the field. -ENOENT: no event has it. */
int dkt__key_check_any(struct dkt_ctx *ctx, const struct dkt__key_spec *spec,
		       struct dkt_event *const *events, size_t n);

/* True if the name means the record's stack, which is not a field. */
bool dkt__key_is_stack(const char *name);

/* Returns the kernel's name of a field that the event lacks and every record has; any other name unchanged. */
const char *dkt__key_kernel_name(struct dkt_event *event, const char *name);

/* Reads the value of a key that is not a plain number. False: the record does not have it. */
bool dkt__key_load_slow(const struct dkt__key *key, struct dkt_source *source,
			const struct dkt_record *record, struct dkt__intern *strings,
			uint64_t *value);

/* Applies the modifier to the value. */
static inline uint64_t dkt__key_modify(const struct dkt__key *key, uint64_t v)
{
	if (key->mod == MOD_LOG2) {
		/* As the kernel's ilog2(roundup_pow_of_two(v)), which is 0 for 0 and on overflow. */
		if (v < 2 || v > UINT64_C(1) << 63)
			return 0;
		return 64 - (uint64_t)__builtin_clzll(v - 1);
	}
	if (key->mod == MOD_BUCKETS)
		return v / key->buckets * key->buckets;
	return key->mod == MOD_USECS ? v / 1000 : v;
}

/* Reads the value of a key in a record; a string becomes its number among the strings. */
static inline bool dkt__key_load(const struct dkt__key *key, struct dkt_source *source,
				 const struct dkt_record *record, struct dkt__intern *strings,
				 uint64_t *value)
{
	if (dkt__unlikely(key->kind != KEY_NUMBER || key->end > record->size))
		return dkt__key_load_slow(key, source, record, strings, value);
	*value = dkt__load_at((const uint8_t *)record->data + key->field.offset, key->load);
	if (key->mod >= MOD_LOG2)
		*value = dkt__key_modify(key, *value);
	return true;
}

/*
 * Prints a number by its modifier. names: its names, or NULL; comm: the name of the process for
 * MOD_EXECNAME, or NULL.
 */
void dkt__key_text(struct dkt_ctx *ctx, const struct dkt__key_spec *spec,
		   const struct dkt__key_names *names, bool is_signed, uint64_t value,
		   const char *comm, struct dkt_buf *buf);

/* ---- names (hist/key_names.c) ---- */

/* Finds the names of a plain number. */
void dkt__key_names(struct dkt_event *event, struct dkt__key *key);
bool dkt__names_same(const struct dkt__key_names *a, const struct dkt__key_names *b);

/* Appends the name of a value, or its number if no name matches. False: it has no names. */
bool dkt__names_put(struct dkt_ctx *ctx, const struct dkt__key_names *names, uint64_t value,
		    struct dkt_buf *buf);

/* True if the key is a PID, by its name ("prev_pid") or type. */
bool dkt__key_is_process(const struct dkt__key *key);

/* Finds the field with the process's name: "prev_comm" for "prev_pid". */
void dkt__key_find_comm(struct dkt_event *event, const char *name, struct dkt__key *key);

/* Returns the name of the process, in room or in the source's memory; NULL: unknown. */
const char *dkt__key_comm(const struct dkt__key *key, struct dkt_source *source,
			  const struct dkt_record *record, uint64_t value,
			  char room[DKT__COMM_ROOM]);

/* Appends a stack's functions, the outermost first, joined by ';'. */
void dkt__stack_text(struct dkt_ctx *ctx, const void *bytes, uint32_t len, struct dkt_buf *buf);
