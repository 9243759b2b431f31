/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes the formats of events as the kernel's files do, from the lists that they are made of. */
#include "lib/vmcore/events.h"

#define EVENTS_MAX 65536
#define FIELDS_MAX 4096
#define WORD_MAX   4096
#define PRINT_MAX  (1u << 20)

/* The formats of a kernel with all its events have about 2 MB. */
#define TEXT_MAX (UINT64_C(64) << 20)

/* Types and places that all events share. */
struct events {
	const struct vm_core *core;
	struct vm_place field; /* of struct ftrace_event_field */
	uint64_t field_link;
	uint64_t enter_fields; /* address of syscall_get_enter_fields(), 0: unknown */
	uint32_t syscall_type;
	struct dkt_buf common; /* the common fields, as text */
};

static bool is_word(const char *text)
{
	size_t n =
		strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");

	return n && !text[n];
}

/* Appends a line of a format as f_show() of kernel/trace/trace_events.c does. */
static int put_field(const struct events *events, struct vm_place field, struct dkt_buf *buf)
{
	const struct vm_core *core = events->core;
	char *type __cleanup(free) = NULL, *name __cleanup(free) = NULL;
	uint64_t offset, size, is_signed, len = 0;
	const struct vm_wanted wanted[] = { { "offset", &offset },
					    { "size", &size },
					    { "is_signed", &is_signed } };
	const char *bracket;
	int err = dkt__vm_text(core, field, "type", WORD_MAX, &type);

	if (!err)
		err = dkt__vm_text(core, field, "name", WORD_MAX, &name);
	if (!err)
		err = dkt__vm_get_all(core, field, wanted, ARRAY_SIZE(wanted));
	if (!err && (strpbrk(name, "\n;") || strpbrk(type, "\n;")))
		err = -EINVAL;
	if (err)
		return err;
	bracket = strncmp(type, "__data_loc", 10) != 0 ? strchr(type, '[') : NULL;
	if (!bracket)
		dkt_buf_printf(buf, "\tfield:%s %s;", type, name);
	else if (dkt__vm_get(core, field, "len", &len))
		dkt_buf_printf(buf, "\tfield:%.*s %s%s;", (int)(bracket - type), type, name,
			       bracket);
	else if (len)
		dkt_buf_printf(buf, "\tfield:%.*s %s[%d];", (int)(bracket - type), type, name,
			       (int)len);
	else
		dkt_buf_printf(buf, "\tfield:%.*s %s[];", (int)(bracket - type), type, name);
	dkt_buf_printf(buf, "\toffset:%u;\tsize:%u;\tsigned:%d;\n", (unsigned int)offset,
		       (unsigned int)size, is_signed != 0);
	return buf->err;
}

/* Fields are put first into their list, so that the last is the first of the record. */
static int put_fields(const struct events *events, uint64_t head, struct dkt_buf *buf)
{
	struct vm_list list = dkt__vm_list(events->core->memory, head, events->field_link);
	struct vm_place field = events->field;
	size_t n = 0;
	int err = 0;

	list.back = true;
	while (!err && dkt__vm_list_next(&list, &field.at))
		err = n++ < FIELDS_MAX ? put_field(events, field, buf) : -E2BIG;
	return err ? err : list.err;
}

/* System calls keep the fields of their entry with the call. */
static int find_fields(const struct events *events, struct vm_place event, uint64_t *head)
{
	const struct vm_core *core = events->core;
	struct vm_place fields = { .type = events->syscall_type };
	uint64_t get;
	int err = dkt__vm_get(core, event, "class->get_fields", &get);

	if (!err && get && get == events->enter_fields) {
		err = dkt__vm_get(core, event, "data", &fields.at);
		if (!err)
			err = dkt__vm_go(core, fields, "enter_fields", &fields);
	} else if (!err) {
		err = dkt__vm_go(core, event, "class->fields", &fields);
	}
	*head = fields.at;
	return err;
}

/*
 * An event of a tracepoint has a pointer to it, others have a pointer to their name in the same
 * place. Flags tell which, but their numbers differ between kernels. The first bytes of a name are no
 * pointer of a kernel.
 */
static int read_name(const struct events *events, struct vm_place event, char **name)
{
	const struct vm_core *core = events->core;
	uint64_t pointer;
	int err = dkt__vm_text(core, event, "tp->name", WORD_MAX, name);

	if (!err && is_word(*name))
		return 0;
	free(*name);
	*name = NULL;
	err = dkt__vm_get(core, event, "name", &pointer);
	if (!err)
		err = dkt__vm_string(core->memory, pointer, WORD_MAX, name);
	return !err && !is_word(*name) ? -EINVAL : err;
}

static int put_event(const struct events *events, struct vm_place event, struct dkt_buf *buf)
{
	const struct vm_core *core = events->core;
	char *name __cleanup(free) = NULL, *print __cleanup(free) = NULL;
	uint64_t id, fields;
	int err = read_name(events, event, &name);

	if (!err)
		err = dkt__vm_get(core, event, "event.type", &id);
	if (!err)
		err = dkt__vm_text(core, event, "print_fmt", PRINT_MAX, &print);
	if (!err)
		err = find_fields(events, event, &fields);
	if (err)
		return err;
	dkt_buf_printf(buf, "name: %s\nID: %u\nformat:\n", name, (unsigned int)id);
	dkt__buf_add(buf, events->common.data, events->common.len);
	dkt_buf_str(buf, "\n");
	err = put_fields(events, fields, buf);
	dkt_buf_printf(buf, "\nprint fmt: %s\n", print);
	return err ? err : buf->err;
}

static int add_event(const struct events *events, struct vm_place event, struct dkt__given **list,
		     size_t *n, uint64_t *room)
{
	char *system __cleanup(free) = NULL;
	struct dkt_buf buf = { 0 };
	int err = dkt__vm_text(events->core, event, "class->system", WORD_MAX, &system);

	if (!err && !is_word(system))
		err = -EINVAL;
	if (!err)
		err = put_event(events, event, &buf);
	if (!err)
		err = dkt__given_add(events->core->ctx, list, n, system, buf.data, buf.len);
	*room -= DKT__MIN(buf.len, *room);
	free(buf.data);
	return err;
}

static int find_types(struct events *events)
{
	const struct vm_core *core = events->core;
	int err = dkt__vm_struct(core, "ftrace_event_field", &events->field.type);

	if (!err)
		err = dkt__vm_offset(core, events->field.type, "link", &events->field_link);
	if (!err && (dkt__vm_symbol(core, "syscall_get_enter_fields", &events->enter_fields) ||
		     dkt__vm_struct(core, "syscall_metadata", &events->syscall_type)))
		events->enter_fields = 0;
	return err;
}

int dkt__vm_events(const struct vm_core *core, struct dkt__given **list, size_t *n, size_t *bad)
{
	struct events events = { .core = core };
	uint64_t shared, room = TEXT_MAX;
	struct vm_place event;
	struct vm_list walk;
	int err = find_types(&events);

	if (!err)
		err = dkt__vm_walk(core, "ftrace_events", "trace_event_call", &event, &walk);
	if (!err)
		err = dkt__vm_symbol(core, "ftrace_common_fields", &shared);
	if (!err)
		err = put_fields(&events, shared, &events.common);
	while (!err && dkt__vm_list_next(&walk, &event.at) && *n + *bad < EVENTS_MAX) {
		err = add_event(&events, event, list, n, &room);
		if (err && err != -ENOMEM) {
			++*bad;
			err = 0;
		}
		if (!err && !room)
			err = -E2BIG;
	}
	if (!err)
		err = walk.err;
	free(events.common.data);
	return err;
}
