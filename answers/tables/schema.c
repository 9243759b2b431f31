/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of events, their columns, and the values of fields. */
#include "answers/tables/schema.h"

#include <ctype.h>

#include "lib/base/buf.h"
#include "lib/base/memory.h"
#include "lib/inside.h"

static const struct schema_column fixed[SCHEMA_N_FIXED] = {
	[SCHEMA_SEQ] = { "seq", NULL, SCHEMA_NUMBER },
	[SCHEMA_TS] = { "ts", NULL, SCHEMA_NUMBER },
	[SCHEMA_HOST] = { "host", NULL, SCHEMA_NUMBER },
	[SCHEMA_CPU] = { "common_cpu", NULL, SCHEMA_NUMBER },
	[SCHEMA_PID] = { "common_pid", NULL, SCHEMA_NUMBER },
	[SCHEMA_COMM] = { "common_comm", NULL, SCHEMA_TEXT },
	[SCHEMA_FLAGS] = { "common_flags", NULL, SCHEMA_NUMBER },
};

const struct schema_column *schema_fixed(size_t i)
{
	return &fixed[i];
}

/* ---- names ---- */

static uint64_t hash(uint64_t h, const char *text, size_t len, bool fold)
{
	for (size_t i = 0; i < len; i++)
		h = dkt__mix(h, (uint64_t)(fold ? tolower((unsigned char)text[i]) :
						  (unsigned char)text[i]));
	return dkt__mix(h, len);
}

struct schema_table *schema_find(const struct schema *schema, const char *name, size_t len)
{
	const uint64_t key = hash(0, name, len, true);
	uint32_t nr = schema->names.n ? dkt__keymap_find(&schema->names, &key) : DKT__KEYMAP_NONE;

	for (uint32_t i = nr == DKT__KEYMAP_NONE ? 0 : schema->heads[nr]; i;
	     i = schema->tables[i - 1]->next) {
		struct schema_table *table = schema->tables[i - 1];

		if (strlen(table->name) == len && !strncasecmp(table->name, name, len))
			return table;
	}
	return NULL;
}

static bool is_free(const struct schema *schema, const char *name)
{
	return *name && strncasecmp(name, "sqlite_", 7) != 0 &&
	       !schema_find(schema, name, strlen(name)) &&
	       !(schema->reserved && schema->reserved(schema, name));
}

static char *find_name(const struct schema *schema, const char *system, const char *event)
{
	char *name = dkt__format("%s", event);

	if (name && !is_free(schema, name)) {
		free(name);
		name = dkt__format("%s_%s", system, event);
	}
	for (unsigned int i = 2; name && !is_free(schema, name); i++) {
		free(name);
		name = dkt__format("event_%s_%s_%u", system, event, i);
	}
	return name;
}

static char *keep(struct schema *schema, const char *text)
{
	return dkt__arena_strndup(&schema->arena, text, strlen(text));
}

static int add_name(struct schema *schema, struct schema_table *table)
{
	const uint64_t key = hash(0, table->name, strlen(table->name), true);
	uint32_t *head, nr;
	bool added;

	schema->names.n_words = 1;
	nr = dkt__keymap_add(&schema->names, &key, &added);
	head = nr == DKT__KEYMAP_NONE ? NULL : dkt__reach(schema->heads, schema->n_heads, nr);
	if (!head || dkt__append(schema->tables, schema->n, table))
		return -ENOMEM;
	table->next = *head;
	*head = schema->n;
	return 0;
}

static struct schema_table *new_table(struct schema *schema, const char *system, const char *event)
{
	struct schema_table *table = dkt__arena_alloc(&schema->arena, sizeof(*table));
	char *name __cleanup(free) = table ? find_name(schema, system, event) : NULL;

	if (!name)
		return NULL;
	table->name = keep(schema, name);
	table->system = keep(schema, system);
	table->event = keep(schema, event);
	return table->name && table->system && table->event && !add_name(schema, table) ? table :
											  NULL;
}

struct schema_table *schema_table(struct schema *schema, const char *system, const char *event)
{
	const uint64_t key[2] = { hash(1, system, strlen(system), false),
				  hash(2, event, strlen(event), false) };
	struct schema_table *table;
	uint32_t *place, nr;
	bool added;

	schema->kinds.n_words = 2;
	nr = dkt__keymap_add(&schema->kinds, key, &added);
	place = nr == DKT__KEYMAP_NONE ? NULL : dkt__reach(schema->of_kind, schema->n_kinds, nr);
	if (!place)
		return NULL;
	if (!added)
		return schema->tables[*place];
	table = new_table(schema, system, event);
	*place = schema->n - 1;
	return table;
}

/* Events of the tracers, which dkt_events() does not list. */
static int add_tracers(struct schema *schema, struct dkt_ctx *ctx)
{
	static const char *const names[] = {
		"bprint",       "bputs",   "function", "funcgraph_entry", "funcgraph_exit",
		"kernel_stack", "print",   "raw_data", "user_stack",      "wakeup",
		"hwlat",        "osnoise", "timerlat", "context_switch",  "fgraph_retaddr_entry",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		if (!dkt_event_find(ctx, "ftrace", names[i]))
			free(dkt__error_take(ctx));
		else if (!schema_table(schema, "ftrace", names[i]))
			return dkt__no_memory(schema->ctx);
	}
	return 0;
}

int schema_add(struct schema *schema, struct dkt_ctx *ctx)
{
	struct dkt_event *const *all;
	size_t n;
	int err = dkt_events(ctx, &all, &n);

	/* The events of some files come with their records. */
	if (err) {
		free(dkt__error_take(ctx));
		return err == -ENOMEM ? err : 0;
	}
	for (size_t i = 0; i < n; i++)
		if (!schema_table(schema, dkt_event_system(all[i]), dkt_event_name(all[i])))
			return dkt__no_memory(schema->ctx);
	return add_tracers(schema, ctx);
}

/* ---- columns ---- */

/* True for characters. libtraceevent also flags arrays of small numbers as strings. */
static bool is_text(const struct dkt_field *field)
{
	return field->flags & DKT_FIELD_STRING && strstr(field->type, "char") &&
	       !strstr(field->type, "unsigned char") && !strstr(field->type, "signed char");
}

static enum schema_type type_of(const struct dkt_field *field)
{
	bool many = field->flags & (DKT_FIELD_DYNAMIC | DKT_FIELD_ARRAY);

	if (many && is_text(field))
		return SCHEMA_TEXT;
	if (many)
		return field->element == 2 || field->element == 4 || field->element == 8 ?
			       SCHEMA_LIST :
			       SCHEMA_BYTES;
	if (field->size > 8)
		return SCHEMA_BYTES;
	return field->size == 8 && !(field->flags & DKT_FIELD_SIGNED) ? SCHEMA_UNSIGNED :
									SCHEMA_NUMBER;
}

static bool are_alike(enum schema_type a, enum schema_type b)
{
	return a == b || (a <= SCHEMA_UNSIGNED && b <= SCHEMA_UNSIGNED);
}

/* True if a column has the name, in any letter case. */
static bool has_column(const struct schema_table *table, const char *name)
{
	for (size_t i = 0; i < SCHEMA_N_FIXED; i++)
		if (!strcasecmp(fixed[i].name, name))
			return true;
	for (size_t i = 0; i < table->n; i++)
		if (!strcasecmp(table->columns[i].name, name))
			return true;
	return false;
}

static int add_column(struct schema *schema, struct schema_table *table, const char *field,
		      enum schema_type type)
{
	const char *kept = keep(schema, field);
	char *name __cleanup(free) = dkt__format("%s", *field ? field : "field");
	struct schema_column *columns;

	for (unsigned int i = 2; name && has_column(table, name); i++) {
		free(name);
		name = dkt__format("%s_%u", *field ? field : "field", i);
	}
	columns = dkt__arena_grow(&schema->arena, table->columns, table->n, sizeof(*columns));
	if (!kept || !name || !columns)
		return -ENOMEM;
	table->columns = columns;
	columns[table->n] = (struct schema_column){ keep(schema, name), kept, type };
	return columns[table->n++].name ? 0 : -ENOMEM;
}

/* Returns the column of a field: the nr-th of its name, if the event has the name several times. */
static size_t column_of(const struct schema_table *table, const struct dkt_field *field,
			bool *taken)
{
	enum schema_type type = type_of(field);
	size_t i = 0;

	while (i < table->n && (taken[i] || strcmp(table->columns[i].field, field->name) != 0 ||
				!are_alike(table->columns[i].type, type)))
		i++;
	return i;
}

static int bind_fields(struct schema *schema, struct schema_event *bound,
		       const struct dkt_field *const *fields, size_t n)
{
	struct schema_table *table = bound->table;
	bool *taken __cleanup(free) = calloc(table->n + n + 1, sizeof(*taken));
	size_t room = table->n + n, left = 0;
	int err = taken ? 0 : -ENOMEM;

	bound->fields = dkt__arena_alloc(&schema->arena, (room + 1) * sizeof(*bound->fields));
	if (!bound->fields)
		err = -ENOMEM;
	for (size_t i = 0; !err && i < n; i++) {
		size_t to;

		if (fields[i]->flags & DKT_FIELD_COMMON)
			continue;
		to = column_of(table, fields[i], taken);
		if (to == table->n && table->n + SCHEMA_N_FIXED >= SCHEMA_COLUMNS) {
			left++;
			continue;
		}
		if (to == table->n)
			err = add_column(schema, table, fields[i]->name, type_of(fields[i]));
		bound->fields[to] = fields[i];
		taken[to] = true;
	}
	bound->n = table->n;
	if (left)
		dkt__log(schema->ctx, DKT_LOG_WARN,
			 "%s:%s: a table has no room for %zu of its fields", table->system,
			 table->event, left);
	return err;
}

int schema_bind(struct schema *schema, struct dkt_event *event, struct schema_event **bound)
{
	const uint64_t key = (uintptr_t)event;
	const struct dkt_field *const *fields = NULL;
	size_t n = 0;
	bool added;
	uint32_t nr;

	schema->keys.n_words = 1;
	nr = dkt__keymap_add(&schema->keys, &key, &added);
	if (nr == DKT__KEYMAP_NONE)
		return dkt__no_memory(schema->ctx);
	if (!added) {
		*bound = &schema->events[nr];
		return 0;
	}
	if (dkt__append(schema->events, schema->n_events, (struct schema_event){ 0 }))
		return dkt__no_memory(schema->ctx);
	*bound = &schema->events[nr];
	(*bound)->table = schema_table(schema, dkt_event_system(event), dkt_event_name(event));
	if (!(*bound)->table)
		return dkt__no_memory(schema->ctx);
	/* A record whose format is damaged still has its time and its thread. */
	if (dkt_event_fields(event, &fields, &n))
		n = 0;
	return dkt__with_words(schema->ctx, bind_fields(schema, *bound, fields, n));
}

void schema_clear(struct schema *schema)
{
	dkt__keymap_clear(&schema->names);
	dkt__keymap_clear(&schema->kinds);
	dkt__keymap_clear(&schema->keys);
	dkt__arena_free(&schema->arena);
	free(schema->tables);
	free(schema->heads);
	free(schema->of_kind);
	free(schema->events);
	*schema = (struct schema){ 0 };
}

/* ---- values ---- */

static void read_bytes(const struct dkt_record *record, const struct dkt_field *field,
		       enum schema_type type, struct schema_value *value)
{
	value->bytes = dkt_record_bytes(record, field, &value->len);
	value->known = value->bytes;
	/* Beyond the first NUL there may be anything. */
	if (type == SCHEMA_TEXT && value->bytes)
		value->len = strnlen(value->bytes, value->len);
	value->element = field->element ? field->element : 1;
	value->is_signed = field->flags & DKT_FIELD_SIGNED;
}

void schema_value(const struct dkt_record *record, const struct dkt_field *field,
		  enum schema_type type, struct schema_value *value)
{
	value->known = false;
	if (!field || field->offset > record->size || record->size - field->offset < field->size)
		return;
	if (type > SCHEMA_UNSIGNED) {
		read_bytes(record, field, type, value);
		return;
	}
	value->known = true;
	value->number = dkt_record_int(record, field);
}

int64_t schema_element(const struct schema_value *list, size_t i)
{
	const char *p = (const char *)list->bytes + i * list->element;
	int64_t number;
	uint32_t four;
	uint16_t two;

	switch (list->element) {
	case 2:
		memcpy(&two, p, sizeof(two));
		return list->is_signed ? (int16_t)two : two;
	case 4:
		memcpy(&four, p, sizeof(four));
		return list->is_signed ? (int32_t)four : (int64_t)four;
	default:
		memcpy(&number, p, sizeof(number));
		return number;
	}
}

void schema_list_text(const struct schema_value *list, struct dkt_buf *buf)
{
	size_t n = schema_elements(list);

	dkt__buf_add(buf, "[", 1);
	for (size_t i = 0; i < n; i++) {
		int64_t number = schema_element(list, i);

		if (i)
			dkt__buf_add(buf, ",", 1);
		if (number < 0 && list->is_signed) {
			dkt__buf_add(buf, "-", 1);
			number = (int64_t) - (uint64_t)number;
		}
		dkt__buf_u64(buf, (uint64_t)number, 0, ' ');
	}
	dkt__buf_add(buf, "]", 1);
}
