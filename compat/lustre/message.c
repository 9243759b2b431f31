/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads debug messages: recorded as text, or as format and arguments (message/cdebug.c). */
#include "lustre/message.h"

#include <inttypes.h>

#include "base/util.h"
#include "lustre/message/cdebug.h"
#include "lustre/message/parts.h"

/* Fewer bytes than this behind an address may lie in another page, which may not be there. */
#define PAGE_MIN 4096

/* No probe records more. */
#define MAX_WORDS 64

/* Words of arguments that lie one after the other in a record, and fields of what is behind them. */
struct words {
	uint32_t offset; /* in the record */
	uint32_t n;
	const struct dkt_field *behind[MAX_WORDS]; /* NULL: not recorded */
	const struct dkt_field *raw[MAX_WORDS]; /* the same, as far as it is more than a string */
	const struct dkt_field *names[MAX_WORDS]; /* of a dentry, if it is one */
};

struct message {
	struct dkt_ctx *ctx;
	struct message_parts *parts; /* NULL: each record is shown for itself */
	const struct dkt_field *subsys, *mask, *file, *line, *fn;
	const struct dkt_field *text; /* NULL: it is made of the following */
	const struct dkt_field *fmt, *fmt2, *v_fmt, *v_offset;
	struct words args; /* of fmt; of fmt2, if there is one */
	struct words va; /* of a va_list: of v_fmt, or of fmt */
	unsigned int va_registers; /* of its words, these come first */
	bool va_below; /* v_offset counts from the end of the registers */
	const struct dkt_field *sp; /* NULL: each message is in one record */
	enum message_part part;
	unsigned int call_stack; /* by so much the stack grows with a call */
};

/* ---- what the event has ---- */

/* The field of a letter and a number, NULL: there is none. */
static const struct dkt_field *numbered(struct dkt_event *event, char letter, unsigned int i)
{
	char name[16];

	snprintf(name, sizeof(name), "%c%u", letter, i);
	return dkt_event_field(event, name);
}

/* Numbered fields "a0", "a1", ... of 8 bytes, as far as they follow one another. */
static void find_words(struct dkt_event *event, char word, char behind, char names,
		       struct words *words)
{
	const struct dkt_field *field;

	for (; words->n < MAX_WORDS; words->n++) {
		field = numbered(event, word, words->n);
		if (!words->n && field)
			words->offset = field->offset;
		if (!field || field->size != 8 || field->offset != words->offset + 8 * words->n)
			break;
	}
	for (unsigned int i = 0; i < MAX_WORDS; i++) {
		words->behind[i] = numbered(event, behind, i);
		words->names[i] = numbered(event, names, i);
		if (word != 'a')
			continue;
		words->raw[i] = numbered(event, 'q', i);
		if (!words->behind[i])
			words->behind[i] = words->raw[i];
	}
}

bool message_is_part(struct dkt_event *event)
{
	const char *name = dkt_event_name(event);

	return (!strcmp(name, CDEBUG_STRINGS) || !strcmp(name, CDEBUG_NESTED)) &&
	       dkt_event_field(event, "sp");
}

static bool find_fields(struct dkt_event *event, struct message *m)
{
	m->subsys = dkt_event_field(event, "msg_subsys");
	m->mask = dkt_event_field(event, "msg_mask");
	m->file = dkt_event_field(event, "msg_file");
	m->line = dkt_event_field(event, "msg_line");
	m->fn = dkt_event_field(event, "msg_fn");
	m->text = dkt_event_field(event, "msg");
	m->fmt = dkt_event_field(event, "fmt");
	m->sp = dkt_event_field(event, "sp");
	if (message_is_part(event))
		m->part = m->fmt ? MESSAGE_CALL : MESSAGE_STRINGS;
	if (!m->subsys || !m->mask)
		return false;
	if (m->part != MESSAGE_STRINGS && (!m->file || !m->line || !m->fn))
		return false;
	if (m->text)
		return true;
	m->fmt2 = dkt_event_field(event, "fmt2");
	m->v_fmt = dkt_event_field(event, "v_fmt");
	m->v_offset = dkt_event_field(event, "v_offset");
	find_words(event, 'a', 's', 'd', &m->args);
	find_words(event, 'v', 't', 'n', &m->va);
	return m->fmt || m->part == MESSAGE_STRINGS;
}

bool message_is(struct dkt_event *event)
{
	struct message *m = message_new(NULL, event, NULL);

	message_free(m);
	return m;
}

struct message *message_new(struct dkt_ctx *ctx, struct dkt_event *event,
			    struct message_parts *parts)
{
	struct message *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->ctx = ctx;
	m->parts = parts;
	m->va_registers = cdebug_va_registers(cdebug_machine());
	m->va_below = cdebug_machine() == CDEBUG_ARM64;
	m->call_stack = cdebug_call_stack(cdebug_machine());
	if (find_fields(event, m))
		return m;
	message_free(m);
	return NULL;
}

void message_free(struct message *message)
{
	if (message)
		message_parts_forget(message->parts, message);
	free(message);
}

/* ---- what a record says ---- */

uint32_t message_types(const struct message *m, const struct dkt_record *rec)
{
	return (uint32_t)dkt_record_int(rec, m->mask);
}

uint32_t message_subsystems(const struct message *m, const struct dkt_record *rec)
{
	return (uint32_t)dkt_record_int(rec, m->subsys);
}

static const char *string_of(const struct dkt_record *rec, const struct dkt_field *field,
			     size_t *len)
{
	const char *bytes;

	*len = 0;
	if (!field)
		return "";
	bytes = dkt_record_bytes(rec, field, len);
	*len = strnlen(bytes, *len);
	return bytes;
}

/* The last component of the path. */
static const char *file_of(const struct message *m, const struct dkt_record *rec, size_t *len)
{
	const char *file = string_of(rec, m->file, len), *slash = memrchr(file, '/', *len);

	if (!slash)
		return file;
	*len -= (size_t)(slash + 1 - file);
	return slash + 1;
}

void message_key(const struct message *m, const struct dkt_record *rec, int64_t wall,
		 struct message_key *key)
{
	*key = (struct message_key){ .time = (int64_t)rec->ts + wall,
				     .pid = (uint32_t)rec->pid,
				     .types = message_types(m, rec),
				     .subsystems = message_subsystems(m, rec),
				     .line = m->line ? (uint32_t)dkt_record_int(rec, m->line) : 0 };
	key->file = file_of(m, rec, &key->file_len);
	key->function = string_of(rec, m->fn, &key->function_len);
}

enum message_part message_part(const struct message *m, const struct dkt_record *rec,
			       uint64_t *stack)
{
	*stack = m->sp ? (uint64_t)dkt_record_int(rec, m->sp) : 0;
	if (m->part == MESSAGE_CALL)
		*stack -= m->call_stack;
	return m->part;
}

/* FILE:LINE:FUNCTION */
static void put_place(const struct message *m, const struct dkt_record *rec, struct dkt_buf *buf)
{
	struct message_key key;

	/* The strings of a message are recorded without its place. */
	if (m->part == MESSAGE_STRINGS) {
		dkt_buf_str(buf, "unknown:0:unknown");
		return;
	}
	message_key(m, rec, 0, &key);
	dkt_buf_add(buf, key.file, key.file_len);
	dkt_buf_add(buf, ":", 1);
	dkt_buf_u64(buf, key.line, 0, ' ');
	dkt_buf_add(buf, ":", 1);
	dkt_buf_add(buf, key.function, key.function_len);
}

/* ---- text of a format and its arguments ---- */

/* Arguments of one format: some of the words of a record. */
struct args {
	const struct message *m;
	const struct dkt_record *rec;
	const struct words *words;
	size_t first; /* that belongs to the format */
	const struct words *behind; /* what they point at, of another record perhaps */
	const struct dkt_record *behind_rec;
	struct args *inner; /* of a %pV that is its first argument; NULL: it can have none */
};

/* A field of fixed size holds anything if the bytes could not be read. */
static bool is_sure(const struct args *args, const struct dkt_field *field, size_t i)
{
	uint32_t at = args->words->offset + 8 * (uint32_t)i;
	uint64_t address;

	if (field->flags & DKT_FIELD_DYNAMIC)
		return true;
	if (args->rec->size < at + sizeof(address))
		return false;
	memcpy(&address, (const char *)args->rec->data + at, sizeof(address));
	return address % PAGE_MIN <= PAGE_MIN - field->size;
}

static void bytes_of(const struct args *args, const struct dkt_field *const *fields, size_t i,
		     const void **bytes, size_t *len)
{
	i += args->first;
	*len = 0;
	if (i < args->words->n && fields[i] && is_sure(args, fields[i], i))
		*bytes = dkt_record_bytes(args->behind_rec, fields[i], len);
}

static void pointee(void *data, size_t i, const void **bytes, size_t *len)
{
	const struct args *args = data;

	bytes_of(args, args->behind->behind, i, bytes, len);
}

static void raw(void *data, size_t i, const void **bytes, size_t *len)
{
	const struct args *args = data;

	bytes_of(args, args->behind->raw, i, bytes, len);
}

static void dentry_name(void *data, size_t i, const void **bytes, size_t *len)
{
	static const char fault[] =
		"(fault)"; /* in place of what could not be read, since Linux 6.2 */
	const struct args *args = data;

	bytes_of(args, args->behind->names, i, bytes, len);
	if (*len == sizeof(fault) && !memcmp(*bytes, fault, sizeof(fault)))
		*len = 0;
}

static void fill_args(struct args *args, struct dkt_kprintf_args *to);

/* How many registers the arguments before the variadic ones took; more than there are: no sense. */
static size_t va_first(const struct message *m, const struct dkt_record *rec)
{
	int64_t offset = dkt_record_int(rec, m->v_offset);

	if (m->va_below)
		offset += 8 * (int64_t)m->va_registers;
	return offset < 0 || offset % 8 ? SIZE_MAX : (size_t)offset / 8;
}

static bool nested(void *data, size_t i, const char **fmt, size_t *len, struct dkt_kprintf_args *to)
{
	struct args *args = data;
	const struct message *m = args->m;

	*fmt = string_of(args->rec, m->v_fmt, len);
	if (i || !args->inner || !*len || !m->v_offset)
		return false;
	*args->inner = (struct args){
		.m = m, .rec = args->rec, .words = &m->va, .behind = &m->va, .behind_rec = args->rec
	};
	args->inner->first = va_first(m, args->rec);
	if (args->inner->first > m->va_registers)
		return false;
	fill_args(args->inner, to);
	return true;
}

static void fill_args(struct args *args, struct dkt_kprintf_args *to)
{
	uint32_t at = args->words->offset + 8 * (uint32_t)args->first;
	size_t n = args->words->n > args->first ? args->words->n - args->first : 0;
	size_t there = args->rec->size > at ? (args->rec->size - at) / 8 : 0;

	*to = (struct dkt_kprintf_args){ .sz = sizeof(*to),
					 .ctx = args->m->ctx,
					 .words = (const char *)args->rec->data + at,
					 .n = n < there ? n : there,
					 .pointee = pointee,
					 .raw = raw,
					 .nested = nested,
					 .dentry_name = dentry_name,
					 .data = args };
}

static void put_format(const struct dkt_field *field, struct args *args, struct dkt_buf *buf)
{
	struct dkt_kprintf_args to;
	size_t len;
	const char *fmt = string_of(args->rec, field, &len);

	fill_args(args, &to);
	dkt_buf_kprintf(buf, fmt, len, &to);
}

/* 2.12: the first format has a va_list, the second one the words. */
static void put_two_formats(const struct message *m, struct args *args, struct dkt_buf *buf)
{
	args->words = args->behind = &m->va;
	args->first = va_first(m, args->rec);
	if (args->first > m->va_registers)
		args->first = m->va.n;
	put_format(m->fmt, args, buf);
	args->words = args->behind = &m->args;
	args->first = 0;
	put_format(m->fmt2, args, buf);
}

/* The strings that the arguments of a message point at, if nothing else of it was recorded. */
static void put_strings(const struct message *m, const struct dkt_record *rec, struct dkt_buf *buf)
{
	dkt_buf_str(buf, "recording stopped before this message; its strings:");
	for (unsigned int i = 0; i < MAX_WORDS; i++) {
		const struct dkt_field *field = m->args.behind[i];
		size_t len = 0;
		const char *text = field && field->flags & DKT_FIELD_STRING ?
					   string_of(rec, field, &len) :
					   NULL;

		if (!len)
			continue;
		dkt_buf_str(buf, " \"");
		dkt_buf_add(buf, text, len);
		dkt_buf_str(buf, "\"");
	}
}

/* strings: the record that has those of the words, NULL: this one. */
static void put_text(const struct message *m, const struct dkt_record *rec,
		     const struct message *strings, const struct dkt_record *strings_rec,
		     struct dkt_buf *buf)
{
	struct args args = { .m = m, .rec = rec, .words = &m->args }, inner;
	size_t len;
	const char *text;

	args.behind = strings ? &strings->args : &m->args;
	args.behind_rec = strings ? strings_rec : rec;
	if (m->text) {
		text = string_of(rec, m->text, &len);
		dkt_buf_add(buf, text, len);
	} else if (m->part == MESSAGE_STRINGS) {
		put_strings(m, rec, buf);
	} else if (m->fmt2) {
		put_two_formats(m, &args, buf);
	} else {
		args.inner = &inner;
		put_format(m->fmt, &args, buf);
	}
}

void message_put_text(const struct message *m, const struct dkt_record *rec, struct dkt_buf *buf)
{
	const struct message *call = NULL, *strings = NULL;
	const struct dkt_record *call_rec, *strings_rec = NULL;

	if (m->sp && m->part == MESSAGE_WHOLE) {
		call = message_parts_get(m->parts, rec, MESSAGE_CALL, &call_rec);
		strings = message_parts_get(m->parts, rec, MESSAGE_STRINGS, &strings_rec);
	}
	if (call)
		put_text(call, call_rec, NULL, NULL, buf);
	else
		put_text(m, rec, strings, strings_rec, buf);
}

void message_line(const struct message *m, const struct dkt_record *rec, const char *join,
		  struct dkt_buf *buf)
{
	dkt_buf_add(buf, "(", 1);
	put_place(m, rec, buf);
	dkt_buf_str(buf, join);
	message_put_text(m, rec, buf);
}

/* ---- what is recorded ---- */

int message_filter(uint32_t debug, uint32_t subsystem_debug, char **filter)
{
	const uint32_t always = mask_floor(MASK_DEBUG);
	int n;

	if (debug == UINT32_MAX && subsystem_debug == UINT32_MAX)
		n = asprintf(filter, "%s", "");
	else if (!(debug & ~always) || !subsystem_debug)
		n = asprintf(filter, "msg_mask & 0x%" PRIx32, always);
	else
		n = asprintf(filter,
			     "msg_mask & 0x%" PRIx32 " || (msg_mask & 0x%" PRIx32
			     " && msg_subsys & 0x%" PRIx32 ")",
			     always, debug, subsystem_debug);
	if (n >= 0)
		return 0;
	*filter = NULL;
	return -ENOMEM;
}
