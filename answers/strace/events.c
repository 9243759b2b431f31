/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds out once for each event what it tells about system calls, and where in the record. */
#include "answers/strace/events.h"

#include "lib/base/util.h"

/* The kernel's name of an argument's string is the argument's name between these. */
#define VAL_BEFORE "__"
#define VAL_AFTER  "_val"

static struct call_int int_of(const struct dkt_field *field)
{
	if (!field || field->flags & (DKT_FIELD_DYNAMIC | DKT_FIELD_ARRAY))
		return (struct call_int){ 0 };
	return (struct call_int){ .at = field->offset,
				  .size = field->size,
				  .is_signed = field->flags & DKT_FIELD_SIGNED };
}

static struct call_int int_field(struct dkt_event *event, const char *name)
{
	return int_of(dkt_event_field(event, name));
}

/* ---- raw_syscalls ---- */

static void take_raw_begin(struct call_event *call, struct dkt_event *event)
{
	const struct dkt_field *args = dkt_event_field(event, "args");
	uint32_t size = args && args->flags & DKT_FIELD_ARRAY ? args->element : 0;

	call->role = CALL_BEGINS;
	call->raw = true;
	call->number = int_field(event, "id");
	if (size != 4 && size != 8)
		return;
	for (uint32_t i = 0; i < CALL_ARGS && (i + 1) * size <= args->size; i++)
		call->args[call->n_args++] =
			(struct call_int){ .at = args->offset + i * size, .size = size };
}

static void take_raw_end(struct call_event *call, struct dkt_event *event)
{
	call->role = CALL_ENDS;
	call->raw = true;
	call->number = int_field(event, "id");
	call->ret = int_field(event, "ret");
}

/* ---- syscalls ---- */

/* Returns the argument whose string the field has, or CALL_ARGS. */
static unsigned int text_of(const struct dkt_field *field, const struct dkt_field *const *args,
			    unsigned int n)
{
	size_t before = strlen(VAL_BEFORE), after = strlen(VAL_AFTER), len = strlen(field->name);

	for (unsigned int i = 0; i < n; i++) {
		size_t name = strlen(args[i]->name);

		if (len == before + name + after && !strncmp(field->name, VAL_BEFORE, before) &&
		    !strncmp(field->name + before, args[i]->name, name) &&
		    !strcmp(field->name + before + name, VAL_AFTER))
			return i;
	}
	return CALL_ARGS;
}

static void take_begin(struct call_event *call, struct dkt_event *event)
{
	const struct dkt_field *args[CALL_ARGS];
	const struct dkt_field *const *fields;
	unsigned int arg;
	size_t n;

	if (dkt_event_fields(event, &fields, &n))
		return;
	call->role = CALL_BEGINS;
	call->number = int_field(event, "__syscall_nr");
	/* Kernels before 2.6.39 and some tools name it nr. */
	if (!call->number.size)
		call->number = int_field(event, "nr");
	for (size_t i = 0; i < n; i++) {
		if (fields[i]->flags & DKT_FIELD_COMMON || !strcmp(fields[i]->name, "nr"))
			continue;
		if (strncmp(fields[i]->name, "__", 2) != 0) {
			if (call->n_args == CALL_ARGS)
				continue;
			args[call->n_args] = fields[i];
			call->args[call->n_args++] = int_of(fields[i]);
		} else if (fields[i]->flags & DKT_FIELD_STRING) {
			arg = text_of(fields[i], args, call->n_args);
			if (arg < CALL_ARGS)
				call->texts[arg] = fields[i];
		}
	}
}

static void take_end(struct call_event *call, struct dkt_event *event)
{
	call->role = CALL_ENDS;
	call->number = int_field(event, "__syscall_nr");
	if (!call->number.size)
		call->number = int_field(event, "nr");
	call->ret = int_field(event, "ret");
}

/* ---- others ---- */

/*
 * An event probe with the name of a call has a field argN for the string of argument N, and the number
 * of the call.
 */
static void take_text(struct call_event *call, struct dkt_event *event)
{
	char name[] = "arg0";

	call->role = CALL_TEXT;
	call->number = int_field(event, "nr");
	for (unsigned int i = 0; i < CALL_ARGS; i++) {
		const struct dkt_field *field;

		name[3] = (char)('0' + i);
		field = dkt_event_field(event, name);
		if (field && field->flags & DKT_FIELD_STRING)
			call->texts[i] = field;
	}
}

/*
 * Returns the call whose arguments a function has: "openat" for __x64_sys_openat of the kernel and openat of
 * a library; "" for do_sys_openat2, which all calls that open files call; NULL: none.
 */
static const char *call_of_function(const char *name)
{
	static const char *const before[] = { "__x64_sys_", "__arm64_sys_", "__se_sys_",
					      "__do_sys_",  "ksys_",        "sys_" };
	const struct call_signature *signature;

	if (!strcmp(name, "do_sys_openat2") || !strcmp(name, "do_sys_open"))
		return "";
	for (size_t i = 0; i < ARRAY_SIZE(before); i++)
		if (!strncmp(name, before[i], strlen(before[i]))) {
			name += strlen(before[i]);
			break;
		}
	signature = call_signature(name);
	return signature ? signature->name : NULL;
}

/* The strings of a probe at the begin of such a function are its paths. */
static void take_probe(struct call_event *call, struct dkt_event *event)
{
	const struct dkt_field *const *fields;
	unsigned int n_paths = 0;
	size_t n;

	call->call = call_of_function(dkt_event_name(event));
	if (!call->call || dkt_event_fields(event, &fields, &n))
		return;
	for (size_t i = 0; i < n && n_paths < CALL_ARGS; i++)
		if (fields[i]->flags & DKT_FIELD_STRING && !(fields[i]->flags & DKT_FIELD_COMMON))
			call->paths[n_paths++] = fields[i];
	call->role = n_paths ? CALL_PROBE : CALL_OTHER;
}

static void take_task(struct call_event *call, struct dkt_event *event, bool begins)
{
	call->role = begins ? TASK_BEGINS : TASK_ENDS;
	call->tid = int_field(event, "pid");
	call->flags = int_field(event, "clone_flags");
}

static void take_exec(struct call_event *call, struct dkt_event *event)
{
	call->role = TASK_EXECS;
	call->tid = int_field(event, "pid");
	call->old_tid = int_field(event, "old_pid");
}

static void take_signal(struct call_event *call, struct dkt_event *event, bool sent)
{
	call->role = sent ? SIGNAL_SENT : SIGNAL_DELIVERED;
	call->number = int_field(event, "sig");
	call->ret = int_field(event, "result");
	call->tid = int_field(event, "pid");
	call->handler = int_field(event, "sa_handler");
}

static void take_switch(struct call_event *call, struct dkt_event *event)
{
	call->role = CALL_SWITCH;
	call->prev_state = int_field(event, "prev_state");
	call->next_pid = int_field(event, "next_pid");
}

static void take_stack(struct call_event *call, struct dkt_event *event, enum call_role role)
{
	const struct dkt_field *caller = dkt_event_field(event, "caller");

	if (!caller || (caller->element != 4 && caller->element != 8))
		return;
	call->role = role;
	call->frames = (struct call_int){ .at = caller->offset, .size = caller->element };
}

static void take(struct call_event *call, struct dkt_event *event)
{
	const char *system = dkt_event_system(event), *name = dkt_event_name(event);

	call->event = event;
	if (!strcmp(system, "raw_syscalls") && !strcmp(name, "sys_enter"))
		take_raw_begin(call, event);
	else if (!strcmp(system, "raw_syscalls") && !strcmp(name, "sys_exit"))
		take_raw_end(call, event);
	else if (!strcmp(system, "syscalls") && !strncmp(name, "sys_enter_", 10))
		take_begin(call, event);
	else if (!strcmp(system, "syscalls") && !strncmp(name, "sys_exit_", 9))
		take_end(call, event);
	else if (!strcmp(system, "task") && !strcmp(name, "task_newtask"))
		take_task(call, event, true);
	else if (!strcmp(system, "sched") && !strcmp(name, "sched_process_exit"))
		take_task(call, event, false);
	else if (!strcmp(system, "sched") && !strcmp(name, "sched_process_exec"))
		take_exec(call, event);
	else if (!strcmp(system, "signal") && !strcmp(name, "signal_generate"))
		take_signal(call, event, true);
	else if (!strcmp(system, "signal") && !strcmp(name, "signal_deliver"))
		take_signal(call, event, false);
	else if (!strcmp(system, "sched") && !strcmp(name, "sched_switch"))
		take_switch(call, event);
	else if (!strcmp(system, "ftrace") && !strcmp(name, "kernel_stack"))
		take_stack(call, event, CALL_KERNEL_STACK);
	else if (!strcmp(system, "ftrace") && !strcmp(name, "user_stack"))
		take_stack(call, event, CALL_USER_STACK);
	else if (call_signature(name) && dkt_event_field(event, "nr"))
		take_text(call, event);
	else if (dkt_event_field(event, "__probe_ip"))
		take_probe(call, event);
}

const struct call_event *call_events_add(struct call_events *events, struct dkt_event *event)
{
	uint64_t key = (uintptr_t)event;
	struct call_event *call;
	uint32_t entry;
	bool added;

	events->map.n_words = 1;
	entry = dkt__keymap_add(&events->map, &key, &added);
	if (entry == DKT__KEYMAP_NONE)
		return NULL;
	if (added) {
		call = calloc(1, sizeof(*call));
		if (!call || dkt__append(events->list, events->n, call)) {
			free(call);
			dkt__keymap_remove(&events->map, &key);
			return NULL;
		}
		take(call, event);
	}
	call = events->list[entry];
	events->near[(uintptr_t)event / 64 % CALL_EVENTS_NEAR] = call;
	return call;
}

void call_events_clear(struct call_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		free(events->list[i]);
	free(events->list);
	dkt__keymap_clear(&events->map);
	*events = (struct call_events){ 0 };
}
