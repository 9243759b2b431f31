/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the styles: their table, and each style's state for an event. */
#pragma once

#include "lib/base/escape.h"
#include "lib/base/keymap.h"
#include "lib/event.h"
#include "lib/plan.h"

/* ---- an event's fields as typed columns ---- */

enum dkt__column_kind {
	DKT__COLUMN_INT, /* signed */
	DKT__COLUMN_UINT,
	DKT__COLUMN_ADDRESS, /* a pointer */
	DKT__COLUMN_TEXT, /* characters up to the first NUL */
	DKT__COLUMN_BYTES, /* bytes of no better type */
	DKT__COLUMN_ARRAY, /* of numbers */
	DKT__COLUMN_NAMES, /* the name that the print format has for a number */
	DKT__COLUMN_STACK, /* of addresses, to the end of the record */
	/* Not fields of the event, but the caller can choose them by name: */
	DKT__COLUMN_NONE, /* unknown name: the cell is empty */
	DKT__COLUMN_TS,
	DKT__COLUMN_WALL,
	DKT__COLUMN_CPU,
	DKT__COLUMN_PID,
	DKT__COLUMN_COMM,
	DKT__COLUMN_FLAGS,
	DKT__COLUMN_SYSTEM,
	DKT__COLUMN_EVENT,
	DKT__COLUMN_RECORD_TEXT,
	DKT__COLUMN_LOST,
	DKT__COLUMN_FROM,
	DKT__COLUMN_CARRIED, /* a stack that the record carries, by the name of the stack's event */
};

struct dkt__column {
	uint8_t kind; /* enum dkt__column_kind */
	uint8_t load; /* enum dkt__load of the number, or of an element */
	uint8_t element; /* bytes of an element */
	bool is_signed; /* the number, or each element */
	bool hex; /* an address, or an unsigned long, which usually is one */
	struct dkt__bytes bytes; /* its place in the record */
	const struct dkt__names *names; /* of DKT__COLUMN_NAMES */
	const char *name;
	const char *key; /* printed before the value; readable to a multiple of 16 bytes */
	uint32_t key_len;
};

struct dkt__names; /* style/names.c */

/* The state of a style for one event. */
struct dkt__form {
	struct dkt_event *event;
	struct dkt__column *columns;
	uint32_t n;
	uint32_t need; /* size of a record that the columns can read unchecked */
	uint32_t room; /* maximum output of the keys and the columns of fixed size */
	bool text; /* the style also prints the record's text */
	bool seen; /* a record of the event has come */
	const char *head; /* text that the style prepared; readable to a multiple of 16 bytes */
	uint32_t head_len;
	void *data; /* the style's own */
};

/* ---- styles ---- */

struct dkt__style_ops {
	const char *name;
	const char *words;
	unsigned int traits; /* enum dkt_style_traits */
	size_t size; /* of the style's own struct, which begins with struct dkt_style */
	/* All calls except record may be NULL. */
	int (*open)(struct dkt_style *style);
	int (*learn)(struct dkt_style *style, struct dkt__form *form);
	int (*begin)(struct dkt_style *style, struct dkt_buf *buf);
	int (*record)(struct dkt_style *style, const struct dkt_record *record, const char *comm,
		      struct dkt_buf *buf);
	/* Prints the stacks that the record carries, after it; NULL: they become records. */
	int (*stacks)(struct dkt_style *style, const struct dkt_record *record, const char *comm,
		      struct dkt_buf *buf);
	int (*flush)(struct dkt_style *style, struct dkt_buf *buf);
	int (*end)(struct dkt_style *style, struct dkt_buf *buf);
	void (*close)(struct dkt_style *style);
};

/* The number of forms that are found without a search; a power of 2. */
#define DKT__FORMS_RECENT 64

struct dkt_style {
	const struct dkt__style_ops *ops;
	struct dkt_ctx *ctx;
	struct dkt_style_opts opts; /* the pointers are to copies */
	struct dkt_source_info source;
	bool ticks; /* the times that it shows are not ns */
	struct dkt__arena memory;
	struct dkt__keymap events; /* their addresses */
	struct dkt__form **forms; /* by entry of events */
	size_t n_forms;
	struct dkt__form *recent[DKT__FORMS_RECENT]; /* by the low bits of the event's ID */
	/* Times as text: most records share their millisecond with the record before. */
	uint64_t ms; /* ms_text holds its digits */
	char ms_text[24];
	uint32_t ms_len;
	uint64_t wall_ms; /* date holds its date and time */
	char date[32]; /* "2026-11-20T14:02:52.331" */
};

extern const struct dkt__style_ops dkt__style_trace_ops, dkt__style_raw_ops, dkt__style_json_ops,
	dkt__style_csv_ops, dkt__style_folded_ops, dkt__style_ctf_ops, dkt__style_ctf2_ops,
	dkt__style_ctf_lttng_ops, dkt__style_perfetto_ops;

/*
 * Appends the columns that come before the text in a line of the trace style, unescaped. The record
 * must not be a gap.
 */
void dkt__style_trace_head(const struct dkt_record *record, const char *comm, bool ticks,
			   struct dkt_buf *buf);

/* Returns zeroed memory that lives as long as the style, or NULL if memory is out. */
void *dkt__style_alloc(struct dkt_style *style, size_t n);

/* Returns a copy of the text that lives as long and is readable to a multiple of 16 bytes. */
const char *dkt__style_keep(struct dkt_style *style, const char *text, size_t len);

/* Returns the style's state for the event, created if it does not exist. NULL: out of memory. */
struct dkt__form *dkt__style_learn(struct dkt_style *style, struct dkt_event *event);

/* Sets columns, need, room and text of the form. An event without a format has no columns. */
int dkt__style_columns(struct dkt_style *style, struct dkt__form *form);

/* Returns the column of that name that all records have, or one of kind DKT__COLUMN_NONE. */
struct dkt__column dkt__column_other(const char *name);

/* True if the caller chose the field by name. */
bool dkt__style_wants(const struct dkt_style *style, const char *name);

/* True if the caller chose the field by name, chose all fields, or chose none. */
bool dkt__style_takes(const struct dkt_style *style, const char *name);

/*
 * Sets the columns' keys: before, the name escaped as in a JSON string, and after; the first key
 * begins with first instead of before. after NULL: keys have no name. Removes the columns that are
 * not fields of the event.
 */
int dkt__style_keys(struct dkt_style *style, struct dkt__form *form, const char *first,
		    const char *before, const char *after);

/*
 * Sets *to to a column "NAME_str" with the names that the event's print format has for the values of
 * a number. Returns 1 if the print format has no names for it.
 */
int dkt__style_names(struct dkt_style *style, struct dkt__form *form,
		     const struct dkt__column *column, struct dkt__column *to);

/* Puts the value of such a column, escaped as in a JSON string. */
char *dkt__put_names(char *p, const struct dkt__column *column, const uint8_t *data, uint32_t len);

/* Appends the record's text, which opts.text or the event's print format gives. */
void dkt__style_text(const struct dkt_style *style, const struct dkt_record *record,
		     struct dkt_buf *buf);

/* Cuts the buffer off at from. Returns the text after it, which the caller frees; NULL: no memory. */
char *dkt__style_cut(struct dkt_buf *buf, size_t from);

/*
 * Rewrites the text after from by put, which escapes it and writes up to 6 bytes for each byte, and
 * 32 more. -ENOMEM, also if an earlier append failed.
 */
int dkt__style_escape(struct dkt_buf *buf, size_t from,
		      char *(*put)(char *p, const char *text, size_t len));

/* Puts the time in ns, up to 24 bytes. */
char *dkt__style_put_ts(struct dkt_style *style, char *p, uint64_t ts);

/* Puts the wall-clock time in ISO 8601 with nanoseconds, 30 bytes. */
char *dkt__style_put_wall(struct dkt_style *style, char *p, uint64_t ts);

/*
 * Puts "d.h1" as in the kernel's latency format: interrupts or soft interrupts off, rescheduling
 * requested, in interrupt, preemption depth. Up to 6 bytes.
 */
char *dkt__style_put_flags(char *p, const struct dkt_record *record);

/* ---- stacks that a record carries: style/stack.c ---- */

/* Prints a record and its stacks. */
int dkt__style_with_stacks(struct dkt_style *style, const struct dkt_record *record,
			   const char *comm, struct dkt_buf *buf);

/* Prints the stacks as records. */
int dkt__style_stack_records(struct dkt_style *style, const struct dkt_record *record,
			     const char *comm, struct dkt_buf *buf);

/* Returns the address of the i-th caller, the innermost first, or 0 after the last. */
uint64_t dkt__stack_caller(const struct dkt_stack *stack, uint32_t i);

/* True if the event's stacks are of programs, not of the kernel. */
bool dkt__stack_is_user(const struct dkt_event *event);

/* Appends the function's name, or the address if the name is unknown. */
void dkt__stack_put(const struct dkt_style *style, uint64_t address, bool user,
		    struct dkt_buf *buf);

/* Appends the name, or the address if the name is NULL. */
void dkt__style_put_symbol(struct dkt_buf *buf, const char *name, uint64_t address);

/* ---- for the hot path ---- */

/* Maximum output for a byte of the record: an escape, or its share of a number and a comma. */
#define ROOM_OF_BYTE 11

/* The time that a line shows: by the trace clock, or with opts.wall wall-clock time. */
static inline uint64_t dkt__style_time(const struct dkt_style *style,
				       const struct dkt_record *record)
{
	return record->ts + (style->opts.wall ? (uint64_t)style->source.wall : 0);
}

static inline struct dkt__form *dkt__style_form(struct dkt_style *style, struct dkt_event *event)
{
	struct dkt__form *form = style->recent[event->id & (DKT__FORMS_RECENT - 1)];

	if (dkt__likely(form && form->event == event))
		return form;
	return dkt__style_learn(style, event);
}

/* The same for a record. An event's first record shows whether opts.text gives the event's text. */
static inline struct dkt__form *dkt__style_form_of(struct dkt_style *style,
						   const struct dkt_record *record)
{
	struct dkt__form *form = dkt__style_form(style, record->event);

	if (dkt__unlikely(form && !form->seen)) {
		form->seen = true;
		if (style->opts.text && style->opts.text(style->opts.data, record, NULL))
			form->text = true;
	}
	return form;
}

/* Copies text that is readable to a multiple of 16 bytes; p must have room for as many bytes. */
static inline char *dkt__put_kept(char *p, const char *text, uint32_t len)
{
	memcpy(p, text, 16);
	for (uint32_t i = 16; i < len; i += 16)
		memcpy(p + i, text + i, 16);
	return p + len;
}

/* Returns a word other than 0 if a byte must be escaped in a JSON string: its high bit is set. */
static inline uint64_t dkt__json_odd_bytes(uint64_t word)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';

	return (word | (word - ones * 0x20) | ((quote - ones) & ~quote) |
		((backslash - ones) & ~backslash) | (word + ones)) &
	       ones << 7;
}

static inline bool dkt__json_is_plain(const char *p, size_t len)
{
	uint64_t word, odd = 0;

	for (; len >= 8; p += 8, len -= 8) {
		memcpy(&word, p, 8);
		odd |= dkt__json_odd_bytes(word);
	}
	if (len) {
		word = UINT64_C(0x6161616161616161);
		memcpy(&word, p, len);
		odd |= dkt__json_odd_bytes(word);
	}
	return !odd;
}

/*
 * Puts text as the inside of a JSON string. A byte that is not UTF-8 becomes the four characters
 * \xHH; a backslash before an x becomes \x5c, so that readers can tell the two. Other characters that
 * cannot be printed become \uHHHH. Writes up to 6 bytes for each byte, and 16 more.
 */
char *dkt__put_json_odd(char *p, const char *text, size_t len);

static inline char *dkt__put_json(char *p, const char *text, size_t len)
{
	if (dkt__unlikely(!dkt__json_is_plain(text, len)))
		return dkt__put_json_odd(p, text, len);
	dkt__copy_few(p, text, len);
	return p + len;
}

/* The bytes of a record, extended with zeros if it is shorter than its format. */
struct dkt__body {
	const uint8_t *data;
	uint8_t *copy; /* to be freed */
};

static inline void dkt__bodyp(struct dkt__body *body)
{
	free(body->copy);
}

#define __body __attribute__((cleanup(dkt__bodyp))) struct dkt__body

/* Copies the record and extends it to need bytes; false if memory is out. */
bool dkt__body_extend(struct dkt__body *body, const struct dkt_record *record, uint32_t need);

static inline bool dkt__body_get(struct dkt__body *body, const struct dkt_record *record,
				 const struct dkt__form *form)
{
	body->data = record->data;
	body->copy = NULL;
	return dkt__likely(record->size >= form->need) ||
	       dkt__body_extend(body, record, form->need);
}

/* Returns p, which may move, with room for n more bytes, or NULL if memory is out. */
static inline char *dkt__more_room(struct dkt_buf *buf, char *p, size_t n)
{
	buf->len = (size_t)(p - buf->data);
	return dkt__buf_room(buf, n);
}

/* Returns the bytes of a column that lie inside the record. */
static inline const uint8_t *dkt__column_bytes(const struct dkt__column *column,
					       const struct dkt__body *body, uint32_t size,
					       uint32_t *len)
{
	const struct dkt__run run = { .data = body->data, .size = size };

	return dkt__run_bytes(&run, &column->bytes, len);
}

/* Put a number, and a column that is not a number. */
typedef char *(*dkt__put_number_fn)(char *p, const struct dkt__column *column, uint64_t v);
typedef char *(*dkt__put_many_fn)(char *p, const struct dkt__column *column, const uint8_t *data,
				  uint32_t len);

/* Puts the numbers of an array, or the callers of a stack, as [1,2,3]. */
static inline char *dkt__put_array(char *p, const struct dkt__column *column, const uint8_t *data,
				   uint32_t len, dkt__put_number_fn number)
{
	*p++ = '[';
	for (uint32_t i = 0; len - i >= column->element; i += column->element) {
		uint64_t v = dkt__load_at(data + i, column->load);

		if (column->kind == DKT__COLUMN_STACK && !dkt__is_caller(v))
			break;
		if (i)
			*p++ = ',';
		p = number(p, column, v);
	}
	*p++ = ']';
	return p;
}

/* Puts the columns with their keys. Inlined, so that the loop calls number and many directly. */
static inline __attribute__((always_inline)) int
dkt__put_columns(struct dkt_buf *buf, const struct dkt__form *form, const struct dkt_record *record,
		 dkt__put_number_fn number, dkt__put_many_fn many)
{
	const struct dkt__column *column = form->columns, *end = column + form->n;
	char *p = dkt__buf_room(buf, form->room);
	__body body = { 0 };
	const uint8_t *data;
	uint32_t len;

	if (!p || !dkt__body_get(&body, record, form))
		return -ENOMEM;
	for (; column < end; column++) {
		p = dkt__put_kept(p, column->key, column->key_len);
		if (column->kind <= DKT__COLUMN_ADDRESS) {
			data = body.data + column->bytes.offset;
			p = number(p, column, dkt__load_at(data, column->load));
			continue;
		}
		data = dkt__column_bytes(column, &body, record->size, &len);
		/* The text that follows needs space, too. */
		if (column->bytes.kind != DKT__BYTES_FIXED)
			p = dkt__more_room(buf, p, (size_t)len * ROOM_OF_BYTE + form->room);
		if (!p)
			return -ENOMEM;
		p = many(p, column, data, len);
	}
	buf->len = (size_t)(p - buf->data);
	return 0;
}
