/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Histograms counted in user space: counts records by their keys. */
#include "lib/hist.h"
#include "lib/event.h"

/* ---- creating a histogram ---- */

static const char *copy(const char *text, int *err)
{
	char *to = text ? strdup(text) : NULL;

	if (text && !to)
		*err = -ENOMEM;
	return to;
}

int dkt_hist_new(struct dkt_ctx *ctx, const struct dkt_hist_opts *opts, struct dkt_hist **out)
{
	dkt__needs(ctx, dkt__clear(out) && ctx);

	struct dkt_hist *hist = calloc(1, sizeof(*hist));
	struct dkt_hist_opts all;
	int err = dkt__opts_take(ctx, dkt_hist_opts, &all, opts);

	if (!hist)
		return dkt__no_memory(ctx);
	hist->ctx = ctx;
	hist->stack_key = hist->exec_key = -1;
	if (!err && !all.keys)
		err = dkt_fail(ctx, -EINVAL, "a histogram without keys");
	if (!err) {
		hist->opts = all;
		hist->opts.keys = copy(all.keys, &err);
		hist->opts.vals = copy(all.vals, &err);
		hist->opts.sort = copy(all.sort, &err);
		hist->opts.vars = copy(all.vars, &err);
		hist->opts.actions = copy(all.actions, &err);
	}
	if (!err)
		err = dkt__hist_parse_spec(hist);
	if (!err) {
		hist->table = dkt__hist_table(hist);
		err = hist->table ? 0 : dkt__no_memory(ctx);
	}
	if (err) {
		dkt_hist_free(hist);
		return dkt__with_words(ctx, err);
	}
	hist->table->size = all.size ? all.size : HIST_SIZE_MAX;
	*out = hist;
	return 0;
}

void dkt_hist_free(struct dkt_hist *hist)
{
	if (!hist)
		return;
	for (uint32_t i = 0; i < hist->n_vals; i++)
		free(hist->vals[i].raw);
	free((char *)hist->opts.keys);
	free((char *)hist->opts.vals);
	free((char *)hist->opts.sort);
	free((char *)hist->opts.vars);
	free((char *)hist->opts.actions);
	dkt_table_free(hist->table);
	free(hist->events);
	free(hist->pending);
	free(hist);
}

struct dkt_table *dkt__hist_table(const struct dkt_hist *hist)
{
	struct dkt_table *table = dkt__table_new(hist->ctx);

	if (!table)
		return NULL;
	if (hist->by_event) {
		table->keys[0].spec = (struct dkt__key_spec){ .name = HIST_EVENT };
		table->keys[0].kind = TABLE_STRING;
		table->n_keys++;
	}
	for (uint32_t i = 0; i < hist->n_keys; i++) {
		struct table_column *column = &table->keys[table->n_keys++];

		column->spec = hist->keys[i];
		if ((int)i == hist->stack_key || column->spec.mod == MOD_STACKTRACE)
			column->kind = TABLE_STACK;
	}
	table->vals[0].spec.mod = hist->hit_mod;
	for (uint32_t i = 0; i < hist->n_vals; i++)
		table->vals[table->n_vals++].spec = hist->vals[i].spec;
	dkt__table_begin(table);
	return table;
}

/* ---- events ---- */

/* Returns the column of a key; the event's name comes first. */
static uint32_t key_column(const struct dkt_hist *hist, uint32_t key)
{
	return key + hist->by_event;
}

/* Derives the columns from the event's fields; all events must agree. */
static int set_column(struct dkt_hist *hist, struct dkt_event *event, const struct dkt__key *key,
		      struct table_column *column, bool first)
{
	uint8_t kind = key->kind == KEY_STRING || key->kind == KEY_COMM       ? TABLE_STRING :
		       key->kind == KEY_STACK || key->kind == KEY_STACK_FIELD ? TABLE_STACK :
										TABLE_NUMBER;

	if (!first && kind != column->kind)
		return dkt_fail(hist->ctx, -EINVAL,
				"%s:%s: '%s' has another type than in other events", event->system,
				event->name, column->spec.name);
	column->kind = kind;
	column->is_signed |= key->is_signed;
	if (first)
		column->names = key->names;
	else if (!dkt__names_same(&column->names, &key->names))
		column->names = (struct dkt__key_names){ 0 };
	return 0;
}

static int bind_val(struct dkt_hist *hist, struct dkt_event *event, const struct hist_val *val,
		    struct dkt__key *key)
{
	int err = val->raw ? 0 : dkt__key_bind(hist->ctx, event, &val->spec, key);

	if (err || val->raw || key->kind == KEY_NUMBER || key->kind == KEY_TIME)
		return err;
	return dkt_fail(hist->ctx, -EINVAL, "%s:%s: '%s' cannot be summed", event->system,
			event->name, val->spec.name);
}

static int bind_event(struct dkt_hist *hist, struct dkt_event *event, struct hist_event *source)
{
	bool first = !hist->table->columns;
	int err = 0;

	for (uint32_t i = 0; !err && i < hist->n_keys; i++) {
		err = dkt__key_bind(hist->ctx, event, &hist->keys[i], &source->keys[i]);
		if (!err)
			err = set_column(hist, event, &source->keys[i],
					 &hist->table->keys[key_column(hist, i)], first);
	}
	for (uint32_t i = 0; !err && i < hist->n_vals; i++) {
		err = bind_val(hist, event, &hist->vals[i], &source->vals[i]);
		hist->table->vals[1 + i].is_signed |= !err && source->vals[i].is_signed;
	}
	return err;
}

int dkt_hist_event(struct dkt_hist *hist, struct dkt_event *event)
{
	dkt__needs(hist ? hist->ctx : NULL, hist && event);

	struct hist_event *room, bound = { 0 };
	char name[256];
	int err = bind_event(hist, event, &bound);

	if (!err && hist->opts.filter) {
		err = dkt_expr_check(hist->opts.filter, event);
		bound.filter = err ? NULL : hist->opts.filter;
		err = err == -ENOENT ? 0 : err;
	}
	if (err)
		return err;
	room = dkt__reach(hist->events, hist->n_events, event->slot);
	if (!room)
		return dkt__no_memory(hist->ctx);
	snprintf(name, sizeof(name), "%s:%s", event->system, event->name);
	bound.event = event;
	err = dkt__table_intern(hist->table, name, strlen(name), &bound.name);
	*room = bound;
	/* Building the columns makes bind_event() compare the next event with this one. */
	return err ? err : dkt__table_finish(hist->table);
}

int dkt__hist_fits_none(struct dkt_hist *hist, struct dkt_event *const *events, size_t n)
{
	dkt__needs(hist ? hist->ctx : NULL, hist && (events || !n));

	int err = 0;

	for (uint32_t i = 0; !err && i < hist->n_keys; i++)
		err = dkt__key_check_any(hist->ctx, &hist->keys[i], events, n);
	for (uint32_t i = 0; !err && i < hist->n_vals; i++)
		if (!hist->vals[i].raw)
			err = dkt__key_check_any(hist->ctx, &hist->vals[i].spec, events, n);
	return err ? err :
		     dkt_fail(hist->ctx, -ENOENT, "none of %zu events has all of the fields", n);
}

int dkt__hist_find(struct dkt_hist *hist, const struct dkt_event *event, struct hist_event **found)
{
	*found = event->slot < hist->n_events ? &hist->events[event->slot] : NULL;
	if (*found && (*found)->event)
		return 0;
	return dkt_fail(hist->ctx, -EINVAL, "%s:%s is not counted", event->system, event->name);
}

int dkt__hist_filter(struct dkt_hist *hist, struct dkt_event *event, struct dkt_expr *filter)
{
	dkt__needs(hist ? hist->ctx : NULL, hist && event && filter);

	struct hist_event *counted;
	int err = dkt__hist_find(hist, event, &counted);

	if (!err)
		err = dkt_expr_check(filter, event);
	if (!err)
		counted->filter = filter;
	return err;
}

/* ---- counting ---- */

/* Returns the name of the process whose ID is the key with execname; NULL: unknown. */
static const char *comm_of(const struct dkt_hist *hist, struct dkt_source *source,
			   const struct dkt_record *record, const uint64_t *words,
			   char room[DKT__COMM_ROOM])
{
	uint32_t key = (uint32_t)hist->exec_key;

	return dkt__key_comm(&hist->events[record->event->slot].keys[key], source, record,
			     words[key_column(hist, key)], room);
}

static int count(struct dkt_hist *hist, struct dkt_source *source, const struct dkt_record *record,
		 const char *comm, const uint64_t *words, const uint64_t *vals)
{
	struct dkt_table *table = hist->table;
	char room[DKT__COMM_ROOM];
	uint32_t entry;
	uint64_t *sums;
	bool added;
	int err;

	table->hits++;
	entry = dkt__table_entry(table, words, &added, &err);
	if (dkt__unlikely(entry == DKT__KEYMAP_NONE))
		return err;
	if (dkt__unlikely(added && hist->exec_key >= 0)) {
		if (!comm && record)
			comm = comm_of(hist, source, record, words, room);
		if (comm)
			table->comms[entry] =
				dkt__table_string(table, comm, (uint32_t)strlen(comm));
		if (comm && !table->comms[entry])
			return dkt__no_memory(table->ctx);
	}
	sums = dkt__table_sums(table, entry);
	sums[0]++;
	for (uint32_t i = 0; i < hist->n_vals; i++)
		sums[1 + i] += vals[i];
	return 0;
}

/* ---- stacks: the kernel writes a stack as a record after the record it belongs to ---- */

static struct hist_pending *pending_room(struct dkt_hist *hist, uint32_t cpu)
{
	return cpu < UINT16_MAX ? dkt__reach(hist->pending, hist->n_pending, cpu) : NULL;
}

/* Counts the record that waits on a CPU, if any, with this stack. */
static int settle(struct dkt_hist *hist, struct hist_pending *pending, const void *stack,
		  size_t len)
{
	uint32_t at = key_column(hist, (uint32_t)hist->stack_key);

	if (!pending->waits)
		return 0;
	pending->waits = false;
	if (dkt__table_intern(hist->table, stack, len, &pending->words[at]))
		return -ENOMEM;
	return count(hist, NULL, NULL, *pending->comm ? pending->comm : NULL, pending->words,
		     pending->vals);
}

static int take_stack(struct dkt_hist *hist, const struct dkt_record *record)
{
	struct hist_pending *pending = pending_room(hist, record->cpu);
	uint32_t at = hist->stack_field->offset;
	size_t len = record->size > at ? record->size - at : 0;

	len -= len % sizeof(uint64_t);
	return pending ? settle(hist, pending, (const char *)record->data + (len ? at : 0), len) :
			 dkt__no_memory(hist->ctx);
}

static int wait_for_stack(struct dkt_hist *hist, struct dkt_source *source,
			  const struct dkt_record *record, const uint64_t *words,
			  const uint64_t *vals)
{
	struct hist_pending *pending = pending_room(hist, record->cpu);
	char room[DKT__COMM_ROOM];
	const char *comm = hist->exec_key >= 0 ? comm_of(hist, source, record, words, room) : NULL;

	if (!pending)
		return dkt__no_memory(hist->ctx);
	memcpy(pending->words, words, sizeof(pending->words));
	memcpy(pending->vals, vals, sizeof(pending->vals));
	snprintf(pending->comm, sizeof(pending->comm), "%s", comm ? comm : "");
	pending->waits = true;
	return 0;
}

/* Counts a record at once if the source stores its stack with it. */
static int count_with_stack(struct dkt_hist *hist, struct dkt_source *source,
			    const struct dkt_record *record, const uint64_t *words,
			    const uint64_t *vals)
{
	struct dkt_record stack;
	int err = wait_for_stack(hist, source, record, words, vals);

	for (size_t i = 0; !err && !dkt_record_stack(record, i, &stack); i++)
		if (stack.event == hist->stack_event)
			err = take_stack(hist, &stack);
	return err;
}

/*
 * Counts the record that waits on the CPU of this one: with a stack, if this record is one (*taken),
 * otherwise without.
 */
static int count_waiting(struct dkt_hist *hist, const struct dkt_record *record, bool *taken)
{
	if (!hist->stack_event) {
		hist->stack_event = dkt_event_find(hist->ctx, "ftrace", "kernel_stack");
		if (hist->stack_event)
			hist->stack_field = dkt_event_field(hist->stack_event, "caller");
		if (!hist->stack_field)
			return dkt_fail(hist->ctx, -EOPNOTSUPP,
					"stacks are unknown: there is no event kernel_stack");
	}
	*taken = record->event == hist->stack_event;
	if (*taken)
		return take_stack(hist, record);
	return record->cpu < hist->n_pending ? settle(hist, &hist->pending[record->cpu], "", 0) : 0;
}

/* ---- records ---- */

static bool load_all(struct dkt_hist *hist, struct dkt_source *source,
		     const struct hist_event *event, const struct dkt_record *record,
		     uint64_t *words, uint64_t *vals)
{
	struct dkt__intern *strings = &hist->table->strings;
	uint32_t n = 0;

	if (hist->by_event)
		words[n++] = event->name;
	for (uint32_t i = 0; i < hist->n_keys; i++) {
		if (event->keys[i].kind == KEY_STACK)
			words[n++] = 0;
		else if (!dkt__key_load(&event->keys[i], source, record, strings, &words[n++]))
			return false;
	}
	for (uint32_t i = 0; i < hist->n_vals; i++)
		if (!dkt__key_load(&event->vals[i], source, record, strings, &vals[i]))
			return false;
	return true;
}

int dkt_hist_add(struct dkt_hist *hist, struct dkt_source *source, const struct dkt_record *record)
{
	dkt__needs(hist ? hist->ctx : NULL, hist && record);

	uint64_t words[TABLE_KEYS] = { 0 }, vals[HIST_VALS] = { 0 };
	const struct hist_event *event;
	bool taken = false;
	int err = 0;

	if (dkt__unlikely(!record->event))
		return 0;
	if (dkt__unlikely(hist->stack_key >= 0))
		err = count_waiting(hist, record, &taken);
	if (err || taken || record->event->slot >= hist->n_events)
		return err;
	event = &hist->events[record->event->slot];
	if (!event->event || (hist->opts.skip && record->pid == hist->opts.skip))
		return 0;
	if (event->filter &&
	    !dkt_expr_match(event->filter, record, source ? dkt_source_comm(source, record) : NULL))
		return 0;
	if (!load_all(hist, source, event, record, words, vals)) {
		hist->table->bad++;
		return 0;
	}
	if (hist->stack_key >= 0)
		return count_with_stack(hist, source, record, words, vals);
	return count(hist, source, record, NULL, words, vals);
}

static int read_counted(struct dkt_hist *hist, struct dkt_table **out)
{
	struct dkt_table *table = NULL;
	int err = 0;

	for (uint32_t i = 0; i < hist->n_vals; i++)
		if (hist->vals[i].raw)
			err = dkt_fail(hist->ctx, -EOPNOTSUPP,
				       "'%s' is available in the kernel only", hist->vals[i].raw);
	if (hist->opts.vars || hist->opts.actions)
		err = dkt_fail(hist->ctx, -EOPNOTSUPP,
			       "variables and actions are available in the kernel only");
	for (uint32_t i = 0; !err && i < hist->n_pending; i++)
		err = settle(hist, &hist->pending[i], "", 0);
	if (!err) {
		table = dkt__hist_table(hist);
		err = table ? 0 : dkt__no_memory(hist->ctx);
	}
	if (!err) {
		memcpy(table->keys, hist->table->keys, sizeof(table->keys));
		memcpy(table->vals, hist->table->vals, sizeof(table->vals));
		err = dkt__table_add(table, hist->table, NULL);
	}
	return dkt__table_return(table, err, out);
}

int dkt_hist_read(struct dkt_hist *hist, struct dkt_instance *instance, struct dkt_table **out)
{
	dkt__needs(hist ? hist->ctx : NULL, dkt__clear(out) && hist);

	return instance ? dkt__hist_read_kernel(hist, instance, out) : read_counted(hist, out);
}
