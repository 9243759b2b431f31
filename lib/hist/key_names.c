/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names for a key's numbers, from the event's print format, devices and processes. */
#include "lib/base/disks.h"
#include "lib/hist/key.h"

/* Holds the number that a print format prints for bits without names, or the 0 for no bit. */
#define NUMBER_ROOM 32

/* ---- finding the names ---- */

/* True if the step prints names for this field: it reads the field itself, not a part of it. */
static bool has_names(const struct dkt__step *step, const struct dkt_field *field)
{
	return (step->op == DKT__STEP_SYMBOLIC || step->op == DKT__STEP_FLAGS) && step->table->n &&
	       step->value.load != DKT__LOAD_CONST && step->value.load != DKT__LOAD_CODE &&
	       step->value.offset == field->offset;
}

void dkt__key_names(struct dkt_event *event, struct dkt__key *key)
{
	const struct dkt__plan *plan;

	if (key->kind != KEY_NUMBER || key->mod)
		return;
	key->names.is_device = !strcmp(key->field.type, "dev_t");
	plan = key->names.is_device ? NULL : dkt__plan_get(event);
	for (uint32_t i = 0; plan && plan->way == DKT__PLAN_STEPS && i < plan->n_steps; i++) {
		if (!has_names(&plan->steps[i], &key->field))
			continue;
		key->names.step = &plan->steps[i];
		return;
	}
}

bool dkt__names_same(const struct dkt__key_names *a, const struct dkt__key_names *b)
{
	const struct dkt__table *x, *y;

	if (a->is_device != b->is_device || !a->step != !b->step)
		return false;
	if (!a->step || a->step == b->step)
		return true;
	x = a->step->table;
	y = b->step->table;
	if (a->step->op != b->step->op || x->n != y->n || x->delim_len != y->delim_len ||
	    (x->delim_len && memcmp(x->delim, y->delim, x->delim_len) != 0))
		return false;
	for (uint32_t i = 0; i < x->n; i++)
		if (x->names[i].value != y->names[i].value || x->names[i].len != y->names[i].len ||
		    memcmp(x->names[i].text, y->names[i].text, x->names[i].len) != 0)
			return false;
	return true;
}

/* ---- texts ---- */

/* Prints "vda" for /dev/vda if the device is on this machine, otherwise "254,0". */
static void put_device(struct dkt_ctx *ctx, uint64_t value, struct dkt_buf *buf)
{
	char name[DKT__DISK_NAME], number[DKT__DISK_NUMBER];

	/* A file holds the device numbers of another machine or another boot. */
	if (!ctx->given && !ctx->root && dkt__disk_here(value, name)) {
		dkt_buf_str(buf, name);
		return;
	}
	dkt__disk_number(value, number);
	dkt_buf_str(buf, number);
}

/* Returns the size of the longest text: all names with their delimiters, and a number. */
static size_t room_for(const struct dkt__table *table)
{
	size_t room = table->delim_len + NUMBER_ROOM;

	for (uint32_t i = 0; i < table->n; i++)
		room += table->names[i].len + table->delim_len;
	return room;
}

/* Runs the print format's step with a constant instead of a field. */
static void put_name(struct dkt_ctx *ctx, const struct dkt__step *from, uint64_t value,
		     struct dkt_buf *buf)
{
	struct dkt__step step = *from;
	size_t room = room_for(step.table);
	struct dkt__run run = { .ctx = ctx, .p = dkt__buf_room(buf, room) };
	char *start = run.p;

	if (!start)
		return;
	run.end = start + room;
	step.value = (struct dkt__value){ .load = DKT__LOAD_CONST, .constant = value };
	if (step.op == DKT__STEP_FLAGS)
		dkt__run_flags(&run, &step);
	else
		dkt__run_symbolic(&run, &step);
	/* No flag is set. */
	if (run.p == start)
		*run.p++ = '0';
	buf->len += (size_t)(run.p - start);
}

bool dkt__names_put(struct dkt_ctx *ctx, const struct dkt__key_names *names, uint64_t value,
		    struct dkt_buf *buf)
{
	if (names->is_device)
		put_device(ctx, value, buf);
	else if (names->step)
		put_name(ctx, names->step, value, buf);
	return names->is_device || names->step;
}

/* ---- names of processes ---- */

static bool ends_in_pid(const char *name)
{
	const size_t len = strlen(name);

	return len >= 3 && !strcmp(name + len - 3, "pid");
}

bool dkt__key_is_process(const struct dkt__key *key)
{
	return key->kind == KEY_NUMBER &&
	       (!strcmp(key->field.type, "pid_t") || ends_in_pid(key->field.name));
}

void dkt__key_find_comm(struct dkt_event *event, const char *name, struct dkt__key *key)
{
	char comm[KEY_NAME_MAX + 2];
	const struct dkt_field *field;

	key->is_current = !strcmp(name, DKT__COMMON_PID);
	if (key->is_current || !ends_in_pid(name))
		return;
	snprintf(comm, sizeof(comm), "%.*scomm", (int)strlen(name) - 3, name);
	field = dkt_event_field(event, comm);
	key->has_comm = field && field->flags & DKT_FIELD_STRING &&
			!(field->flags & DKT_FIELD_POINTER);
	if (key->has_comm)
		key->comm = *field;
}

const char *dkt__key_comm(const struct dkt__key *key, struct dkt_source *source,
			  const struct dkt_record *record, uint64_t value,
			  char room[DKT__COMM_ROOM])
{
	struct dkt_record its = *record;
	const char *text;
	size_t len;

	if (key->has_comm && key->comm.offset + key->comm.size <= record->size) {
		text = dkt_record_bytes(record, &key->comm, &len);
		snprintf(room, DKT__COMM_ROOM, "%.*s", (int)DKT__MIN(len, (size_t)DKT__COMM_ROOM),
			 text);
		return room;
	}
	if (!source)
		return NULL;
	if (!key->is_current)
		its.pid = (int32_t)value;
	return dkt_source_comm(source, &its);
}
