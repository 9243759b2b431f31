/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the styles: their table, and each style's state for an event. */
#pragma once

#include "base/escape.h"
#include "event.h"
#include "plan.h"

/* ---- an event's fields as typed columns ---- */

enum dkt__column_kind {
	DKT__COLUMN_INT, /* signed */
	DKT__COLUMN_UINT,
	DKT__COLUMN_ADDRESS, /* a pointer */
	DKT__COLUMN_TEXT, /* characters up to the first NUL */
	DKT__COLUMN_BYTES, /* whatever has no better type */
	DKT__COLUMN_ARRAY, /* of numbers */
	DKT__COLUMN_NAMES, /* what the print format calls a number */
	DKT__COLUMN_STACK, /* of addresses, to the end of the record */
	/* Names that the caller can ask for and that are not fields of the event: */
	DKT__COLUMN_NONE, /* nothing: this event has no such field */
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
	DKT__COLUMN_CARRIED, /* a stack, by the name of its event */
};

struct dkt__column {
	uint8_t kind; /* enum dkt__column_kind */
	uint8_t load; /* enum dkt__load of the number, or of an element */
	uint8_t element; /* bytes of an element */
	bool is_signed; /* elements are */
	bool hex; /* an address or, as longs without a sign mostly are, one in disguise */
	struct dkt__bytes bytes; /* where it is */
	const struct dkt__names *names; /* NAMES: which */
	const char *name;
	const char *key; /* what the style puts before it; readable to a multiple of 16 bytes */
	uint32_t key_len;
};

struct dkt__names; /* style/names.c */

/* The state of a style for one event. */
struct dkt__form {
	struct dkt_event *event;
	struct dkt__column *columns;
	uint32_t n;
	uint32_t need; /* bytes of record that the columns read without asking */
	uint32_t room; /* bytes that keys and columns of fixed size can take at most */
	bool text; /* the record's text belongs to it */
	bool met; /* a record of it */
	const char *head; /* the style's own words; readable to a multiple of 16 bytes */
	uint32_t head_len;
	void *own; /* the style's */
};

/* ---- styles ---- */

struct dkt__style_ops {
	const char *name;
	const char *words;
	unsigned int traits; /* enum dkt_style_traits */
	size_t size; /* of the style's own struct, which begins with struct dkt_style */
	/* Any but record may be NULL. */
	int (*open)(struct dkt_style *style);
	int (*learn)(struct dkt_style *style, struct dkt__form *form);
	int (*begin)(struct dkt_style *style, struct dkt_buf *buf);
	int (*record)(struct dkt_style *style, const struct dkt_record *record, const char *comm,
		      struct dkt_buf *buf);
	/* After a record that carries stacks; NULL: these are records behind it. */
	int (*stacks)(struct dkt_style *style, const struct dkt_record *record, const char *comm,
		      struct dkt_buf *buf);
	int (*flush)(struct dkt_style *style, struct dkt_buf *buf);
	int (*end)(struct dkt_style *style, struct dkt_buf *buf);
	void (*close)(struct dkt_style *style);
};

/* Forms that are found without a search; a power of 2. */
#define DKT__FORMS_RECENT 64

struct dkt_style {
	const struct dkt__style_ops *ops;
	struct dkt_ctx *ctx;
	struct dkt_style_opts opts; /* its pointers are the style's */
	struct dkt_source_info source;
	struct dkt__arena memory;
	struct dkt__form **forms; /* by a hash of the event's address */
	size_t forms_size, n_forms; /* the size is a power of 2 */
	struct dkt__form *recent[DKT__FORMS_RECENT]; /* by the low bits of the event's number */
	/* Most records share their millisecond with the one before. */
	uint64_t ms; /* whose digits are in ms_text */
	char ms_text[24];
	uint32_t ms_len;
	uint64_t wall_ms; /* whose date and time are in date */
	char date[32]; /* "2026-11-20T14:02:52.331" */
};

extern const struct dkt__style_ops dkt__style_trace_ops, dkt__style_raw_ops, dkt__style_json_ops,
	dkt__style_csv_ops, dkt__style_folded_ops, dkt__style_ctf_ops, dkt__style_perfetto_ops;

/* Appends the columns of a line of trace that come before the text, as they are. The record is no gap. */
void dkt__style_trace_head(const struct dkt_record *record, const char *comm, struct dkt_buf *buf);

/* Zeroed memory that lives as long as the style, NULL when memory is out. */
void *dkt__style_alloc(struct dkt_style *style, size_t n);

/* A copy of the text that can be read to a multiple of 16 bytes. */
const char *dkt__style_keep(struct dkt_style *style, const char *text, size_t len);

/* Returns the style's state for the event, created if it does not exist. NULL: out of memory. */
struct dkt__form *dkt__style_learn(struct dkt_style *style, struct dkt_event *event);

/* style/column.c: fills in columns, need, room and text; events without a format have none. */
int dkt__style_columns(struct dkt_style *style, struct dkt__form *form);

/* The column of that name that all records have, or none. */
struct dkt__column dkt__column_other(const char *name);

/* Whether that field was asked for by name. */
bool dkt__style_wants(const struct dkt_style *style, const char *name);

/* Whether that field was asked for by name, or with all others. */
bool dkt__style_takes(const struct dkt_style *style, const char *name);

/*
 * Gives the columns their keys, with the name as in a JSON string between before and after; first
 * stands before the first one. after NULL: without the name. Leaves out what every line has anyway
 * and what the event has not.
 */
int dkt__style_keys(struct dkt_style *style, struct dkt__form *form, const char *first,
		    const char *before, const char *after);

/*
 * Makes a column "NAME_str" of what the event's print format calls the values of a number. 1: it has
 * no names for it.
 */
int dkt__style_names(struct dkt_style *style, struct dkt__form *form,
		     const struct dkt__column *column, struct dkt__column *to);

/* Puts such a column of a record as in a JSON string. */
char *dkt__put_names(char *p, const struct dkt__column *column, const uint8_t *data, uint32_t len);

/* Appends the record's text, whoever makes it. */
void dkt__style_text(const struct dkt_style *style, const struct dkt_record *record,
		     struct dkt_buf *buf);

/* The time in ns, up to 24 bytes. */
char *dkt__style_put_ts(struct dkt_style *style, char *p, uint64_t ts);

/* The wall-clock time in ISO 8601 with nanoseconds, 30 bytes. */
char *dkt__style_put_wall(struct dkt_style *style, char *p, uint64_t ts);

/*
 * "d.h1" as in the kernel's latency format: interrupts or soft interrupts off, rescheduling asked
 * for, in interrupt, depth of preemption. At most 6 bytes.
 */
char *dkt__style_put_flags(char *p, const struct dkt_record *record);

/* ---- style/stack.c: stacks that a record carries ---- */

/* Puts a record with them. */
int dkt__style_with_stacks(struct dkt_style *style, const struct dkt_record *record,
			   const char *comm, struct dkt_buf *buf);

/* Puts them as records of their own. */
int dkt__style_stack_records(struct dkt_style *style, const struct dkt_record *record,
			     const char *comm, struct dkt_buf *buf);

/* The i-th caller, the innermost first; 0: there are no more. */
uint64_t dkt__stack_caller(const struct dkt_stack *stack, uint32_t i);

/* True if the event's stacks are of programs and not of the kernel. */
bool dkt__stack_is_user(const struct dkt_event *event);

/* The function that a caller is in, and where in it; NULL: unknown. */
const char *dkt__stack_name(const struct dkt_style *style, uint64_t address, bool user,
			    uint64_t *offset);

/* Appends that name, or the address if it has none. */
void dkt__stack_put(const struct dkt_style *style, uint64_t address, bool user,
		    struct dkt_buf *buf);

/* ---- for the hot path ---- */

/* The most bytes for a byte of the record: an escape, or its part of a number and a comma. */
#define ROOM_OF_BYTE 11

static inline struct dkt__form *dkt__style_form(struct dkt_style *style, struct dkt_event *event)
{
	struct dkt__form *form = style->recent[event->id & (DKT__FORMS_RECENT - 1)];

	if (dkt__likely(form && form->event == event))
		return form;
	return dkt__style_learn(style, event);
}

/* The same for a record; the first one of an event tells whether somebody else makes its text. */
static inline struct dkt__form *dkt__style_form_of(struct dkt_style *style,
						   const struct dkt_record *record)
{
	struct dkt__form *form = dkt__style_form(style, record->event);

	if (dkt__unlikely(form && !form->met)) {
		form->met = true;
		if (style->opts.text && style->opts.text(style->opts.data, record, NULL))
			form->text = true;
	}
	return form;
}

/* Copies text that is readable to a multiple of 16 bytes, to where there is room for as much. */
static inline char *dkt__put_kept(char *p, const char *text, uint32_t len)
{
	memcpy(p, text, 16);
	for (uint32_t i = 16; i < len; i += 16)
		memcpy(p + i, text + i, 16);
	return p + len;
}

/* A word with the high bit of a byte set if some byte has to be escaped in a JSON string. */
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
 * Puts text in a JSON string, without the quotes. A byte that is no UTF-8 becomes the four
 * characters \xHH; so that these can be told, a backslash before an x is written \x5c. What is not
 * shown otherwise is \uHHHH, as JSON has it. May write 6 bytes for each, and 16 more.
 */
char *dkt__put_json_odd(char *p, const char *text, size_t len);

static inline char *dkt__put_json(char *p, const char *text, size_t len)
{
	if (dkt__unlikely(!dkt__json_is_plain(text, len)))
		return dkt__put_json_odd(p, text, len);
	dkt__copy_few(p, text, len);
	return p + len;
}

/* A record with zeros behind it if it is shorter than its format says. */
struct dkt__body {
	const uint8_t *data;
	uint8_t *copy; /* to be freed */
};

static inline void dkt__bodyp(struct dkt__body *body)
{
	free(body->copy);
}

#define __body __attribute__((cleanup(dkt__bodyp))) struct dkt__body

/* Copies the record; false when memory is out. */
bool dkt__body_extend(struct dkt__body *body, const struct dkt_record *record, uint32_t need);

static inline bool dkt__body_get(struct dkt__body *body, const struct dkt_record *record,
				 const struct dkt__form *form)
{
	body->data = record->data;
	body->copy = NULL;
	return dkt__likely(record->size >= form->need) ||
	       dkt__body_extend(body, record, form->need);
}

/* Room for n more bytes after p, which may move; NULL when memory is out. */
static inline char *dkt__more_room(struct dkt_buf *buf, char *p, size_t n)
{
	buf->len = (size_t)(p - buf->data);
	return dkt__buf_room(buf, n);
}

/* The bytes of a column that are within the record. */
static inline const uint8_t *dkt__column_bytes(const struct dkt__column *column,
					       const struct dkt__body *body, uint32_t size,
					       uint32_t *len)
{
	const struct dkt__run run = { .data = body->data, .size = size };

	return dkt__run_bytes(&run, &column->bytes, len);
}

/* Puts a number, or with many what has several elements. */
typedef char *(*dkt__put_number_fn)(char *p, const struct dkt__column *column, uint64_t v);
typedef char *(*dkt__put_many_fn)(char *p, const struct dkt__column *column, const uint8_t *data,
				  uint32_t len);

/* The numbers of an array, or a stack's callers, as [1,2,3]. */
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

/* Puts the form's columns with their keys. Inlined, so that each style has its own two in the loop. */
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
