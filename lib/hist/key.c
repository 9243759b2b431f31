/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Keys of histograms and pairs: a field with a modifier, its value in a record, its text. */
#include <inttypes.h>

#include "lib/base/every_field.h"
#include "lib/event.h"
#include "lib/hist/key.h"

/* MAX_FILTER_STR_VAL: the kernel truncates keys to this size, including the NUL. */
#define STRING_MAX 256

/* ---- parsing ---- */

static const char *const mods[] = {
	[MOD_HEX] = "hex",         [MOD_DEC] = "dec",
	[MOD_SYM] = "sym",         [MOD_SYM_OFFSET] = "sym-offset",
	[MOD_SYSCALL] = "syscall", [MOD_EXECNAME] = "execname",
	[MOD_LOG2] = "log2",       [MOD_BUCKETS] = "buckets",
	[MOD_USECS] = "usecs",     [MOD_STACKTRACE] = "stacktrace",
	[MOD_PERCENT] = "percent", [MOD_GRAPH] = "graph",
};

const char *dkt__mod_name(uint8_t mod)
{
	return mod && mod < ARRAY_SIZE(mods) ? mods[mod] : "";
}

static bool find_mod(const char *name, size_t len, uint8_t *mod)
{
	for (*mod = MOD_HEX; *mod < ARRAY_SIZE(mods); (*mod)++)
		if (strlen(mods[*mod]) == len && !memcmp(mods[*mod], name, len))
			return true;
	return false;
}

/* Reads the number after "buckets=". */
static bool read_buckets(const char *text, size_t len, uint64_t *buckets)
{
	*buckets = 0;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9' || *buckets > UINT32_MAX)
			return false;
		*buckets = *buckets * 10 + (uint64_t)(text[i] - '0');
	}
	return *buckets;
}

int dkt__key_parse(const char *text, size_t len, struct dkt__key_spec *spec, const char **why,
		   size_t *at)
{
	size_t n = 0, m;

	*spec = (struct dkt__key_spec){ 0 };
	*at = 0;
	while (n < len && dkt__in_name(text[n]))
		n++;
	*why = "a field's name is expected here";
	if (!n)
		return -EINVAL;
	*why = "the name of the field is too long";
	if (n >= sizeof(spec->name))
		return -EINVAL;
	memcpy(spec->name, text, n);
	if (n == len)
		return 0;
	*at = n;
	*why = "a comma, a modifier or the end is expected here";
	if (text[n] != '.')
		return -EINVAL;
	*at = ++n;
	for (m = n; m < len && text[m] != '='; m++)
		;
	*why = "unknown modifier; the modifiers are hex, dec, sym, sym-offset, syscall, execname, log2,"
	       " buckets=N, usecs, stacktrace, and of values percent and graph";
	if (!find_mod(text + n, m - n, &spec->mod))
		return -EINVAL;
	if (m == len && spec->mod != MOD_BUCKETS)
		return 0;
	*at = m < len ? m + 1 : m;
	*why = spec->mod == MOD_BUCKETS ? "buckets needs the width of a bucket: buckets=100" :
					  "only buckets takes a number";
	if (m == len || spec->mod != MOD_BUCKETS ||
	    !read_buckets(text + m + 1, len - m - 1, &spec->buckets))
		return -EINVAL;
	return 0;
}

bool dkt__key_is_stack(const char *name)
{
	return !strcmp(name, "stacktrace") || !strcmp(name, "common_stacktrace");
}

/* ---- binding to an event ---- */

static int no_field(struct dkt_ctx *ctx, struct dkt_event *event, const char *name)
{
	static const char *const others[] = { "common_cpu", "common_timestamp",
					      "stacktrace", "COMM",
					      "CPU",        "PID" };
	struct dkt__guess guess;
	const struct dkt_field *const *fields;
	size_t n;
	int err = dkt_event_fields(event, &fields, &n);

	if (err)
		return err;
	dkt__guess_start(&guess, name, strlen(name));
	for (size_t i = 0; i < n; i++)
		dkt__guess_try(&guess, fields[i]->name);
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		dkt__guess_try(&guess, others[i]);
	return dkt_fail(ctx, -ENOENT, "%s:%s has no field '%s'%s", event->system, event->name, name,
			dkt__guess_words(&guess));
}

/* As in filters, PID means the record's process, unless the event has a field of that name. */
static const struct dkt_field *find_field(struct dkt_event *event, const char *name)
{
	const struct dkt_field *field = dkt_event_field(event, name);

	return field || dkt__every_field(name, strlen(name)) != DKT__EVERY_PID ?
		       field :
		       dkt_event_field(event, DKT__COMMON_PID);
}

const char *dkt__key_kernel_name(struct dkt_event *event, const char *name)
{
	if (dkt_event_field(event, name))
		return name;
	/* Kernels before 6.3 know only the shorter name of a stack, later ones know both. */
	if (dkt__key_is_stack(name))
		return "stacktrace";
	switch (dkt__every_field(name, strlen(name))) {
	case DKT__EVERY_CPU:
		return "common_cpu";
	case DKT__EVERY_PID:
		return DKT__COMMON_PID;
	default:
		return name;
	}
}

/* Finds a name that is not a field of the event. */
static bool find_other(const char *name, struct dkt__key *key)
{
	const enum dkt__every_field every = dkt__every_field(name, strlen(name));

	if (dkt__key_is_stack(name))
		key->kind = KEY_STACK;
	else if (every == DKT__EVERY_CPU)
		key->kind = KEY_CPU;
	else if (!strcmp(name, "common_timestamp"))
		key->kind = KEY_TIME;
	else if (every == DKT__EVERY_COMM)
		key->kind = KEY_COMM;
	else
		return false;
	return true;
}

int dkt__key_check_any(struct dkt_ctx *ctx, const struct dkt__key_spec *spec,
		       struct dkt_event *const *events, size_t n)
{
	struct dkt__key other = { 0 };
	struct dkt__guess guess;

	for (size_t i = 0; i < n; i++)
		if (find_field(events[i], spec->name) || find_other(spec->name, &other))
			return 0;
	dkt__guess_start(&guess, spec->name, strlen(spec->name));
	dkt__guess_fields(&guess, events, n);
	return dkt_fail(ctx, -ENOENT, "none of %zu events has a field '%s'%s", n, spec->name,
			dkt__guess_words(&guess));
}

/* Checks that the modifier fits the field: the kernel rejects it without an error message. */
static int check_mod(struct dkt_ctx *ctx, struct dkt_event *event, const struct dkt__key_spec *spec,
		     const struct dkt__key *key)
{
	const char *why = NULL, *verdict = "none";

	if (spec->mod == MOD_EXECNAME && !dkt__key_is_process(key))
		why = "works with a process ID only";
	else if (spec->mod == MOD_USECS && key->kind != KEY_TIME)
		why = "works with common_timestamp only";
	else if (spec->mod == MOD_STACKTRACE && key->kind != KEY_STACK_FIELD)
		why = "works with an array of addresses only";
	else if ((key->kind == KEY_STRING || key->kind == KEY_COMM) && spec->mod)
		why = "does not work with a string", verdict = "one";
	else if (key->kind == KEY_STACK && spec->mod)
		why = "does not work with a stack", verdict = "one";
	if (!why)
		return 0;
	return dkt_fail(ctx, -EINVAL, "%s:%s: .%s %s, and '%s' is %s", event->system, event->name,
			dkt__mod_name(spec->mod), why, spec->name, verdict);
}

int dkt__key_bind(struct dkt_ctx *ctx, struct dkt_event *event, const struct dkt__key_spec *spec,
		  struct dkt__key *key)
{
	const struct dkt_field *field = find_field(event, spec->name);

	*key = (struct dkt__key){ .mod = spec->mod, .buckets = spec->buckets };
	if (!field) {
		if (!find_other(spec->name, key))
			return no_field(ctx, event, spec->name);
		return check_mod(ctx, event, spec, key);
	}
	key->field = *field;
	key->end = field->offset + field->size;
	key->is_signed = field->flags & DKT_FIELD_SIGNED;
	if (field->flags & DKT_FIELD_STRING) {
		if (field->flags & DKT_FIELD_POINTER)
			return dkt_fail(ctx, -EINVAL,
					"%s:%s: a record holds only the address of the string '%s';"
					" write '%s.hex' for the address",
					event->system, event->name, spec->name, spec->name);
		key->kind = KEY_STRING;
		return check_mod(ctx, event, spec, key);
	}
	if (field->flags & DKT_FIELD_ARRAY) {
		if (spec->mod != MOD_STACKTRACE || field->element != sizeof(long))
			return dkt_fail(ctx, -EINVAL,
					"%s:%s: '%s' is an array, which cannot be a key or value",
					event->system, event->name, spec->name);
		key->kind = KEY_STACK_FIELD;
		return 0;
	}
	key->load = dkt__plan_load(field->size, key->is_signed);
	if (key->load == DKT__LOAD_CONST)
		return dkt_fail(ctx, -EINVAL, "%s:%s: '%s' (%s) is not a number", event->system,
				event->name, spec->name, field->type);
	dkt__key_names(event, key);
	if (spec->mod == MOD_EXECNAME)
		dkt__key_find_comm(event, field->name, key);
	return check_mod(ctx, event, spec, key);
}

/* ---- values in a record ---- */

/* The kernel's text for a process whose name it did not save. */
#define UNKNOWN_COMM "<...>"

static bool intern(struct dkt__intern *strings, const void *bytes, size_t len, uint64_t *value)
{
	*value = dkt__intern(strings, bytes, (uint32_t)len);
	return *value != UINT32_MAX;
}

/* Loads a string or an array of addresses. */
static bool load_bytes(const struct dkt__key *key, const struct dkt_record *record,
		       struct dkt__intern *strings, uint64_t *value)
{
	const char *bytes;
	size_t len;

	if (key->end > record->size)
		return false;
	bytes = dkt_record_bytes(record, &key->field, &len);
	if (key->kind == KEY_STRING)
		len = strnlen(bytes, DKT__MIN(len, (size_t)STRING_MAX - 1));
	else
		len -= len % sizeof(long);
	return intern(strings, bytes, len, value);
}

bool dkt__key_load_slow(const struct dkt__key *key, struct dkt_source *source,
			const struct dkt_record *record, struct dkt__intern *strings,
			uint64_t *value)
{
	const char *comm;

	switch (key->kind) {
	case KEY_CPU:
		*value = dkt__key_modify(key, record->cpu);
		return true;
	case KEY_TIME:
		*value = dkt__key_modify(key, record->ts);
		return true;
	case KEY_COMM:
		comm = source ? dkt_source_comm(source, record) : NULL;
		comm = comm ? comm : UNKNOWN_COMM;
		return intern(strings, comm, strlen(comm), value);
	case KEY_STRING:
	case KEY_STACK_FIELD:
		return load_bytes(key, record, strings, value);
	default:
		return false;
	}
}

/* ---- text ---- */

void dkt__stack_text(struct dkt_ctx *ctx, const void *bytes, uint32_t len, struct dkt_buf *buf)
{
	uint32_t n = len / (uint32_t)sizeof(uint64_t);
	uint64_t address;

	for (uint32_t i = n; i--;) {
		memcpy(&address, (const char *)bytes + i * sizeof(address), sizeof(address));
		/* A stack that is shorter than its array ends in zeros. */
		if (!address)
			continue;
		dkt__function_text(ctx, address, false, buf);
		if (i)
			dkt_buf_str(buf, ";");
	}
}

static void put_number(uint64_t value, bool is_signed, struct dkt_buf *buf)
{
	if (is_signed)
		dkt_buf_printf(buf, "%" PRId64, (int64_t)value);
	else
		dkt_buf_printf(buf, "%" PRIu64, value);
}

static void put_range(uint64_t from, uint64_t to, struct dkt_buf *buf)
{
	dkt_buf_printf(buf, "%" PRIu64 "-%" PRIu64, from, to);
}

void dkt__key_text(struct dkt_ctx *ctx, const struct dkt__key_spec *spec,
		   const struct dkt__key_names *names, bool is_signed, uint64_t value,
		   const char *comm, struct dkt_buf *buf)
{
	const char *name;

	switch (spec->mod) {
	case MOD_NONE:
		if (!names || !dkt__names_put(ctx, names, value, buf))
			put_number(value, is_signed, buf);
		return;
	case MOD_HEX:
		dkt_buf_printf(buf, "0x%" PRIx64, value);
		return;
	case MOD_SYM:
	case MOD_SYM_OFFSET:
		dkt__function_text(ctx, value, spec->mod == MOD_SYM_OFFSET, buf);
		return;
	case MOD_SYSCALL:
		name = value <= INT32_MAX ? dkt_syscall_name(ctx, (int)value) : NULL;
		if (name)
			dkt_buf_str(buf, name);
		else
			dkt_buf_printf(buf, "syscall %" PRId64, (int64_t)value);
		return;
	case MOD_EXECNAME:
		dkt_buf_printf(buf, "%s[%" PRId64 "]", comm ? comm : UNKNOWN_COMM, (int64_t)value);
		return;
	case MOD_LOG2:
		/* A range begins above the previous power of two. */
		if (value < 2)
			dkt_buf_str(buf, value ? "2" : "0-1");
		else
			put_range((UINT64_C(1) << ((value - 1) & 63)) + 1,
				  UINT64_C(1) << (value & 63), buf);
		return;
	case MOD_BUCKETS:
		put_range(value, value + spec->buckets - 1, buf);
		return;
	default:
		put_number(value, is_signed, buf);
	}
}
