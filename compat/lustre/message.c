/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads debug messages: recorded as text, or as format and arguments (message/cdebug.c). */
#include "compat/lustre/message.h"

#include <fnmatch.h>
#include <inttypes.h>

#include "compat/lustre/message/cdebug.h"
#include "compat/lustre/message/joiner.h"
#include "compat/lustre/message/words.h"
#include "lib/base/buf.h"
#include "lib/base/util.h"
#include "lib/base/when.h"
#include "lib/inside.h"

/* The smallest page size: bytes after the end of a page may not be mapped. */
#define PAGE_MIN 4096

/* The limit of words in a probe's record. */
#define MAX_WORDS 64

/*
 * Arguments, which are consecutive words in a record, and the fields with the data they point to.
 */
struct words {
	uint32_t offset; /* in the record */
	uint32_t n;
	const struct dkt_field *pointee[MAX_WORDS]; /* strings or bytes; NULL: not recorded */
	const struct dkt_field *raw[MAX_WORDS]; /* the first 8 bytes; NULL: not recorded */
	const struct dkt_field *names[MAX_WORDS]; /* name, if the word points to a dentry */
};

struct message {
	struct dkt_ctx *ctx;
	struct message_joiner *joiner; /* NULL: each record is printed separately */
	const struct dkt_field *subsys, *mask, *file, *line, *fn;
	const struct dkt_field *text; /* NULL: the text is a format and its arguments */
	const struct dkt_field *fmt, *fmt2, *v_fmt, *v_offset;
	struct words args; /* arguments of fmt2 if it exists, otherwise of fmt */
	struct words va; /* the words of a va_list, for v_fmt or fmt */
	unsigned int v_at; /* the argument of fmt that v_fmt belongs to */
	unsigned int va_registers; /* number of its words that were in registers; they come first */
	bool va_below; /* v_offset is negative, counted from the end of the registers */
	const struct dkt_field *sp; /* NULL: each message has one record */
	enum message_part part;
	unsigned int call_stack; /* bytes that a call adds to the stack */
};

/* ---- fields of the event ---- */

/* Returns the field named by a letter and a number, or NULL. */
static const struct dkt_field *numbered(struct dkt_event *event, char letter, unsigned int i)
{
	char name[16];

	snprintf(name, sizeof(name), "%c%u", letter, i);
	return dkt_event_field(event, name);
}

/*
 * Finds the fields "a0", "a1", ... of 8 bytes that follow each other, and the data they point to.
 */
static void find_words(struct dkt_event *event, char word, char pointee, char names,
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
		words->pointee[i] = numbered(event, pointee, i);
		words->names[i] = numbered(event, names, i);
		if (word != 'a')
			continue;
		words->raw[i] = numbered(event, 'q', i);
		if (!words->pointee[i])
			words->pointee[i] = words->raw[i];
	}
}

bool dkl_message_is_part(struct dkt_event *event)
{
	const char *name = dkt_event_name(event);

	return (!strcmp(name, CDEBUG_STRINGS) || dkl_cdebug_is_at_call(name)) &&
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
	if (dkl_message_is_part(event))
		m->part = dkl_cdebug_is_at_call(dkt_event_name(event)) ? MESSAGE_CALL :
									 MESSAGE_STRINGS;
	if (!strcmp(dkt_event_name(event), CDEBUG_NESTED_THIRD))
		m->v_at = CDEBUG_THIRD;
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

bool dkl_message_is(struct dkt_event *event)
{
	struct message *m = dkl_message_new(NULL, event, NULL);

	dkl_message_free(m);
	return m;
}

struct message *dkl_message_new(struct dkt_ctx *ctx, struct dkt_event *event,
				struct message_joiner *joiner)
{
	const enum cdebug_machine machine = dkl_cdebug_machine_of(event);
	struct message *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->ctx = ctx;
	m->joiner = joiner;
	m->va_registers = dkl_cdebug_va_registers(machine);
	m->va_below = machine == CDEBUG_ARM64;
	m->call_stack = dkl_cdebug_call_stack(machine);
	if (find_fields(event, m))
		return m;
	dkl_message_free(m);
	return NULL;
}

void dkl_message_free(struct message *message)
{
	if (message)
		dkl_message_joiner_forget(message->joiner, message);
	free(message);
}

/* ---- fields of a record ---- */

uint32_t dkl_message_classes(const struct message *m, const struct dkt_record *rec)
{
	return (uint32_t)dkt_record_int(rec, m->mask);
}

uint32_t dkl_message_subsystems(const struct message *m, const struct dkt_record *rec)
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

/* Returns the last component of the file's path. */
static const char *file_of(const struct message *m, const struct dkt_record *rec, size_t *len)
{
	const char *file = string_of(rec, m->file, len), *slash = memrchr(file, '/', *len);

	if (!slash)
		return file;
	*len -= (size_t)(slash + 1 - file);
	return slash + 1;
}

void dkl_message_key(const struct message *m, const struct dkt_record *rec, int64_t wall,
		     struct message_key *key)
{
	*key = (struct message_key){ .time = dkt__wall_time(rec->ts, wall),
				     .pid = (uint32_t)rec->pid,
				     .classes = dkl_message_classes(m, rec),
				     .subsystems = dkl_message_subsystems(m, rec),
				     .line = m->line ? (uint32_t)dkt_record_int(rec, m->line) : 0 };
	key->file = file_of(m, rec, &key->file_len);
	key->function = string_of(rec, m->fn, &key->function_len);
}

enum message_part dkl_message_part(const struct message *m, const struct dkt_record *rec,
				   uint64_t *stack)
{
	*stack = m->sp ? (uint64_t)dkt_record_int(rec, m->sp) : 0;
	if (m->part == MESSAGE_CALL)
		*stack -= m->call_stack;
	return m->part;
}

/* False if it has none. */
static bool has_dentry_names(const struct message *m, const char *fmt, size_t len)
{
	const char *const end = fmt + len;
	bool any = false;

	for (const char *at = fmt; (at = memmem(at, (size_t)(end - at), "%pd", 3)); at += 3) {
		const unsigned int i = dkl_words_before(fmt, at);

		if (i >= MAX_WORDS || !m->args.names[i])
			return false;
		any = true;
	}
	return any;
}

bool dkl_message_is_complete(const struct message *m, const struct dkt_record *rec)
{
	size_t len;
	const char *fmt = string_of(rec, m->fmt, &len), *at;

	at = len ? memmem(fmt, len, "%pV", 3) : NULL;
	return at ? dkl_words_before(fmt, at) == m->v_at : has_dentry_names(m, fmt, len);
}

/* FILE:LINE:FUNCTION */
static void put_place(const struct message *m, const struct dkt_record *rec, struct dkt_buf *buf)
{
	struct message_key key;

	/* The record of a message's strings does not have its location. */
	if (m->part == MESSAGE_STRINGS) {
		dkt_buf_str(buf, "unknown:0:unknown");
		return;
	}
	dkl_message_key(m, rec, 0, &key);
	dkt__buf_add(buf, key.file, key.file_len);
	dkt__buf_add(buf, ":", 1);
	dkt__buf_u64(buf, key.line, 0, ' ');
	dkt__buf_add(buf, ":", 1);
	dkt__buf_add(buf, key.function, key.function_len);
}

/* ---- text from a format and its arguments ---- */

/* The arguments of one format. */
struct args {
	const struct message *m;
	const struct dkt_record *rec;
	const struct words *words;
	size_t first; /* first word that belongs to the format */
	bool unknown; /* the words were not recorded, only what they point to */
	const struct words *pointees; /* fields with the data that the words point to, */
	const struct dkt_record *pointees_rec; /* which can be in another record */
	struct args *inner; /* for a %pV as the argument v_at; NULL: not possible */
};

/* True if a field has valid data: one of fixed size has garbage if the kernel could not read it. */
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
	if (args->unknown) {
		/* Bytes of fixed size can be garbage, which only the word would show. */
		if (i < MAX_WORDS && fields[i] && fields[i]->flags & DKT_FIELD_DYNAMIC)
			*bytes = dkt_record_bytes(args->pointees_rec, fields[i], len);
	} else if (i < args->words->n && fields[i] && is_sure(args, fields[i], i)) {
		*bytes = dkt_record_bytes(args->pointees_rec, fields[i], len);
	}
}

/* Linux 6.2 and later record this text if they cannot read the string. */
static bool is_fault(const void *bytes, size_t len)
{
	static const char fault[] = "(fault)";

	return len == sizeof(fault) && !memcmp(bytes, fault, sizeof(fault));
}

static void pointee(void *data, size_t i, const void **bytes, size_t *len)
{
	const struct args *args = data;

	bytes_of(args, args->pointees->pointee, i, bytes, len);
	/* The word would say whether this is a NULL. */
	if (args->unknown && is_fault(*bytes, *len))
		*len = 0;
}

static void raw(void *data, size_t i, const void **bytes, size_t *len)
{
	const struct args *args = data;

	bytes_of(args, args->pointees->raw, i, bytes, len);
}

static void dentry_name(void *data, size_t i, const void **bytes, size_t *len)
{
	const struct args *args = data;

	bytes_of(args, args->pointees->names, i, bytes, len);
	if (is_fault(*bytes, *len))
		*len = 0;
}

static void fill_args(struct args *args, struct dkt__kprintf_args *to);

/*
 * Returns the number of registers before the variadic arguments; too many if the offset is invalid.
 */
static size_t va_first(const struct message *m, const struct dkt_record *rec)
{
	int64_t offset = dkt_record_int(rec, m->v_offset);

	if (m->va_below)
		offset += 8 * (int64_t)m->va_registers;
	return offset < 0 || offset % 8 ? SIZE_MAX : (size_t)offset / 8;
}

static bool nested(void *data, size_t i, const char **fmt, size_t *len,
		   struct dkt__kprintf_args *to)
{
	struct args *args = data;
	const struct message *m = args->m;

	*fmt = string_of(args->rec, m->v_fmt, len);
	if (i != m->v_at || !args->inner || !*len || !m->v_offset)
		return false;
	*args->inner = (struct args){ .m = m,
				      .rec = args->rec,
				      .words = &m->va,
				      .pointees = &m->va,
				      .pointees_rec = args->rec };
	args->inner->first = va_first(m, args->rec);
	if (args->inner->first > m->va_registers)
		return false;
	fill_args(args->inner, to);
	return true;
}

static void fill_args(struct args *args, struct dkt__kprintf_args *to)
{
	uint32_t at = args->words->offset + 8 * (uint32_t)args->first;
	size_t n = args->words->n > args->first ? args->words->n - args->first : 0;
	size_t there = args->rec->size > at ? (args->rec->size - at) / 8 : 0;

	*to = (struct dkt__kprintf_args){ .sz = sizeof(*to),
					  .ctx = args->m->ctx,
					  .words = (const char *)args->rec->data + at,
					  .n = n < there ? n : there,
					  .pointee = pointee,
					  .raw = raw,
					  .nested = nested,
					  .dentry_name = dentry_name,
					  .data = args };
	if (args->unknown) {
		to->words = NULL;
		to->n = MAX_WORDS;
	}
}

static void put_format(const struct dkt_field *field, struct args *args, struct dkt_buf *buf)
{
	struct dkt__kprintf_args to;
	size_t len;
	const char *fmt = string_of(args->rec, field, &len);

	fill_args(args, &to);
	dkt__buf_kprintf(buf, fmt, len, &to);
}

/* Lustre 2.12: the arguments of the first format are in a va_list, those of the second in words. */
static void put_two_formats(const struct message *m, struct args *args, struct dkt_buf *buf)
{
	args->words = args->pointees = &m->va;
	args->first = va_first(m, args->rec);
	if (args->first > m->va_registers)
		args->first = m->va.n;
	put_format(m->fmt, args, buf);
	args->words = args->pointees = &m->args;
	args->first = 0;
	put_format(m->fmt2, args, buf);
}

/* The format with its strings, of a message of which nothing else was recorded. */
static void put_known(const struct message *m, struct args *args, struct dkt_buf *buf)
{
	args->unknown = true;
	put_format(m->fmt, args, buf);
}

/* Prints the strings that the arguments point to: earlier versions did not record the format with them. */
static void put_strings(const struct message *m, const struct dkt_record *rec, struct dkt_buf *buf)
{
	dkt_buf_str(buf, "the rest of this message was not recorded; its strings:");
	for (unsigned int i = 0; i < MAX_WORDS; i++) {
		const struct dkt_field *field = m->args.pointee[i];
		size_t len = 0;
		const char *text = field && field->flags & DKT_FIELD_STRING ?
					   string_of(rec, field, &len) :
					   NULL;

		if (!len)
			continue;
		dkt_buf_str(buf, " \"");
		dkt__buf_add(buf, text, len);
		dkt_buf_str(buf, "\"");
	}
}

/* strings: the record with the strings that the words point to; NULL: this record. */
static void put_text(const struct message *m, const struct dkt_record *rec,
		     const struct message *strings, const struct dkt_record *strings_rec,
		     struct dkt_buf *buf)
{
	struct args args = { .m = m, .rec = rec, .words = &m->args }, inner;
	size_t len;
	const char *text;

	args.pointees = strings ? &strings->args : &m->args;
	args.pointees_rec = strings ? strings_rec : rec;
	if (m->text) {
		text = string_of(rec, m->text, &len);
		dkt__buf_add(buf, text, len);
	} else if (m->part == MESSAGE_STRINGS && m->fmt) {
		put_known(m, &args, buf);
	} else if (m->part == MESSAGE_STRINGS) {
		put_strings(m, rec, buf);
	} else if (m->fmt2) {
		put_two_formats(m, &args, buf);
	} else {
		args.inner = &inner;
		put_format(m->fmt, &args, buf);
	}
}

void dkl_message_put_text(const struct message *m, const struct dkt_record *rec,
			  struct dkt_buf *buf)
{
	const struct message *call = NULL, *strings = NULL;
	const struct dkt_record *call_rec, *strings_rec = NULL;

	if (m->sp && m->part == MESSAGE_WHOLE) {
		call = dkl_message_joiner_get(m->joiner, rec, MESSAGE_CALL, &call_rec);
		strings = dkl_message_joiner_get(m->joiner, rec, MESSAGE_STRINGS, &strings_rec);
	}
	if (call)
		put_text(call, call_rec, NULL, NULL, buf);
	else
		put_text(m, rec, strings, strings_rec, buf);
}

static bool has(const char *text, size_t len, const char *glob)
{
	char *line __cleanup(free) = NULL;

	while (len && text[len - 1] == '\n')
		len--;
	line = strndup(text, len);
	return line && !fnmatch(glob, line, 0);
}

bool dkl_message_has(const struct message *m, const struct dkt_record *rec, const char *glob)
{
	/* The format of a message may have the words, where its text has values. */
	const struct dkt_field *const formats[] = { m->fmt, m->fmt2, m->v_fmt };
	struct dkt_buf *buf;
	const char *text;
	bool found = false;
	size_t len;

	for (size_t i = 0; !found && i < ARRAY_SIZE(formats); i++) {
		text = string_of(rec, formats[i], &len);
		found = len && has(text, len, glob);
	}
	if (found || dkt_buf_new(&buf))
		return found;
	dkl_message_put_text(m, rec, buf);
	text = dkt_buf_data(buf, &len);
	found = !dkt_buf_error(buf) && has(text, len, glob);
	dkt_buf_free(buf);
	return found;
}

void dkl_message_line(const struct message *m, const struct dkt_record *rec, const char *join,
		      struct dkt_buf *buf)
{
	dkt__buf_add(buf, "(", 1);
	put_place(m, rec, buf);
	dkt_buf_str(buf, join);
	dkl_message_put_text(m, rec, buf);
}

/* ---- filter ---- */

int dkl_message_filter(uint32_t debug, uint32_t subsystem_debug, char **filter)
{
	const uint32_t always = dkl_mask_floor(MASK_DEBUG);

	if (debug == UINT32_MAX && subsystem_debug == UINT32_MAX)
		*filter = strdup("");
	else if (!(debug & ~always) || !subsystem_debug)
		*filter = dkt__format("msg_mask & 0x%" PRIx32, always);
	else
		*filter = dkt__format("msg_mask & 0x%" PRIx32 " || (msg_mask & 0x%" PRIx32
				      " && msg_subsys & 0x%" PRIx32 ")",
				      always, debug, subsystem_debug);
	return *filter ? 0 : -ENOMEM;
}
