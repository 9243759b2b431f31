/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pairs measured by the kernel: a synthetic event for each pair, and a histogram or records of it. */
#include "lib/base/io.h"
#include "lib/base/memory.h"
#include "lib/event.h"
#include "lib/hist/table.h"
#include "lib/instance.h"
#include "lib/intervals.h"

/*
 * A trigger and the name of its event. Creating the synthetic event invalidates all events, so they
 * are found again by name.
 */
struct step {
	char *system;
	char *name;
	char *text;
};

struct setup {
	struct dkt_intervals *pairs;
	struct dkt_event *begin, *end;
	unsigned int begin_nr, end_nr; /* an event's variables have different names */
	const char *name; /* of the synthetic event */
	char *fields; /* of the synthetic event */
	struct step *steps;
	size_t n;
};

/* The event whose record has the group. */
static const struct dkt_event *by_event(const struct setup *setup)
{
	return setup->pairs->by_begin ? setup->begin : setup->end;
}

/* Returns the field's own type if it is one word that all kernels know in synthetic events, otherwise NULL. */
static const char *own_type(const struct dkt_field *field)
{
	static const char *const types[] = { "s64", "u64", "s32",  "u32", "s16",  "u16",
					     "s8",  "u8",  "char", "int", "long", "pid_t" };

	for (size_t i = 0; field->type && i < ARRAY_SIZE(types); i++)
		if (!strcmp(field->type, types[i]))
			return types[i];
	return NULL;
}

/* The kernel copies the group, so the types must agree in size and sign, in RHEL 8's to the letter. */
static int put_fields(FILE *f, const struct setup *setup)
{
	const struct dkt_intervals *pairs = setup->pairs;
	const struct dkt__key *by;

	fputs("u64 lat", f);
	if (!pairs->grouped)
		return 0;
	by = &pairs->events[by_event(setup)->slot].by;
	if (by->kind == KEY_NUMBER && own_type(&by->field))
		fprintf(f, "; %s by", own_type(&by->field));
	else if (by->kind == KEY_NUMBER)
		fprintf(f, "; %c%u by", by->is_signed ? 's' : 'u', by->field.size * 8);
	else if (by->kind == KEY_STRING)
		fprintf(f, "; char by[]");
	else
		return dkt_fail(pairs->ctx, -EOPNOTSUPP, "the kernel cannot group pairs by '%s'",
				pairs->by.name);
	return 0;
}

/* Puts the filter, and before it one that excludes the process skip; 0: no process. */
static int put_filter(FILE *f, const struct setup *setup, const struct dkt_event *event, pid_t skip)
{
	char *text __cleanup(free) = NULL;
	int err = 0;

	if (setup->pairs->events[event->slot].filtered)
		err = dkt_expr_text(setup->pairs->filter, (struct dkt_event *)event, &text);
	if (err)
		return err;
	if (skip && text)
		fprintf(f, " if common_pid != %d && (%s)", (int)skip, text);
	else if (skip)
		fprintf(f, " if common_pid != %d", (int)skip);
	else if (text)
		fprintf(f, " if %s", text);
	return 0;
}

/*
 * The kernel's usual clock for histograms, "global", gives both events of a pair the same time if they are on
 * two CPUs whose clocks differ by more than the time between them. "mono" is one clock for all CPUs.
 */
#define CLOCK ":clock=mono"

static void put_keys(FILE *f, const struct dkt_intervals *pairs, struct dkt_event *event, bool ends)
{
	if (pairs->requests)
		fputs("hist:keys=" DKT__REQUEST_FIELDS, f);
	for (uint32_t i = 0; !pairs->requests && i < pairs->keys.n; i++) {
		const struct pair_key *key = &pairs->keys.list[i];

		fprintf(f, "%s%s", i ? "," : "hist:keys=",
			dkt__key_kernel_name(event, ends ? key->end.name : key->begin.name));
	}
}

/* "hist:keys=common_pid:ts0=common_timestamp,by0=id:clock=mono" */
static int put_begin(FILE *f, const struct setup *setup)
{
	const struct dkt_intervals *pairs = setup->pairs;

	put_keys(f, pairs, setup->begin, false);
	fprintf(f, ":ts%u=common_timestamp", setup->begin_nr);
	if (pairs->grouped && pairs->by_begin)
		fprintf(f, ",by0=%s", dkt__key_kernel_name(setup->begin, pairs->by.name));
	fprintf(f, ":size=%d" CLOCK, PAIRS_KERNEL_SIZE);
	return put_filter(f, setup, setup->begin, pairs->skip);
}

/*
 * "hist:keys=common_pid:lat0=common_timestamp-$ts0:clock=mono:onmatch(a.b).name($lat0,$by0)". The same as
 * .trace(name,$lat0,$by0), which came with kernel 5.2.
 */
static int put_end(FILE *f, const struct setup *setup)
{
	const struct dkt_intervals *pairs = setup->pairs;

	put_keys(f, pairs, setup->end, true);
	fprintf(f, ":lat%u=common_timestamp-$ts%u:size=%d" CLOCK ":onmatch(%s.%s).%s($lat%u",
		setup->end_nr, setup->begin_nr, PAIRS_KERNEL_SIZE, setup->begin->system,
		setup->begin->name, setup->name, setup->end_nr);
	if (pairs->grouped)
		fprintf(f, ",%s",
			pairs->by_begin ? "$by0" :
					  dkt__key_kernel_name(setup->end, pairs->by.name));
	fputs(")", f);
	return put_filter(f, setup, setup->end, 0);
}

/* "hist:keys=by.syscall,lat.log2:vals=lat" */
static int put_sum(FILE *f, const struct setup *setup)
{
	const struct dkt__key_spec *by = &setup->pairs->by;

	fputs("hist:keys=", f);
	if (setup->pairs->grouped) {
		fputs("by", f);
		if (by->mod == MOD_EXECNAME)
			return dkt_fail(setup->pairs->ctx, -EOPNOTSUPP,
					"the kernel groups no pairs by names of processes");
		if (by->mod && by->mod != MOD_DEC)
			fprintf(f, ".%s", dkt__mod_name(by->mod));
		if (by->mod == MOD_BUCKETS)
			fprintf(f, "=%llu", (unsigned long long)by->buckets);
		fputs(",", f);
	}
	fprintf(f, "lat.log2:vals=lat:size=%d", PAIRS_KERNEL_SIZE);
	return 0;
}

static int make_text(const struct setup *setup, int (*put)(FILE *f, const struct setup *setup),
		     char **text)
{
	size_t len;
	FILE *f = open_memstream(text, &len);

	return dkt__with_words(setup->pairs->ctx, dkt__text_end(f, f ? put(f, setup) : 0, text));
}

static int add_step(struct setup *setup, const char *system, const char *name,
		    int (*put)(FILE *f, const struct setup *setup))
{
	struct step step = { .system = strdup(system), .name = strdup(name) };
	int err = step.system && step.name ? make_text(setup, put, &step.text) :
					     dkt__no_memory(setup->pairs->ctx);

	if (!err)
		err = dkt__with_words(setup->pairs->ctx, dkt__append(setup->steps, setup->n, step));
	if (err) {
		free(step.system);
		free(step.name);
		free(step.text);
	}
	return err;
}

static int add_begin(struct setup *setup, struct dkt_event *begin)
{
	setup->begin = begin;
	return add_step(setup, begin->system, begin->name, put_begin);
}

/* An end's trigger comes after the begin's, because it uses a variable of it. */
static int add_end(struct setup *setup, struct dkt_event *end)
{
	setup->end = end;
	return add_step(setup, end->system, end->name, put_end);
}

/* The synthetic event's trigger comes first, so that it misses no pair. */
static int make_setup(struct setup *setup, struct dkt_event *begin, struct dkt_event *end)
{
	int err;

	setup->begin = begin;
	setup->end = end;
	err = make_text(setup, put_fields, &setup->fields);
	if (!err)
		err = add_step(setup, "synthetic", setup->name, put_sum);
	if (!err)
		err = add_begin(setup, begin);
	return err ? err : add_end(setup, end);
}

static void clear_setup(struct setup *setup)
{
	for (size_t i = 0; i < setup->n; i++) {
		free(setup->steps[i].system);
		free(setup->steps[i].name);
		free(setup->steps[i].text);
	}
	free(setup->steps);
	free(setup->fields);
}

static int put_trigger(struct dkt_instance *in, const struct step *step)
{
	struct dkt_event *event = dkt_event_find(in->ctx, step->system, step->name);
	struct dkt_change *change;
	int err;

	if (!event)
		return dkt__no_event(in->ctx, step->system, step->name);
	err = dkt_change_new(in, &change);
	if (!err)
		err = dkt_change_trigger(change, event, step->text);
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	return err;
}

static int create_event(const struct setup *setup, struct dkt_instance *in)
{
	DKT_OPTS(dkt_probe, probe, .kind = DKT_PROBE_SYNTHETIC, .group = "synthetic",
		 .name = setup->name, .place = "", .fields = setup->fields);

	return dkt_probe_create(in->ctx, &probe);
}

static int put_triggers(const struct setup *setup, struct dkt_instance *in)
{
	int err = 0;

	for (size_t i = 0; !err && i < setup->n; i++)
		err = put_trigger(in, &setup->steps[i]);
	return err;
}

/* Remembers the group's event by name: the events become invalid. */
static int remember_by(const struct setup *setup)
{
	const struct dkt_event *event = by_event(setup);
	char **names = setup->pairs->kernel_by;

	free(names[0]);
	free(names[1]);
	names[0] = strdup(event->system);
	names[1] = strdup(event->name);
	return names[0] && names[1] ? 0 : dkt__no_memory(setup->pairs->ctx);
}

/* The kernel's triggers know nothing of what lasts. */
static int check_within(const struct dkt_intervals *pairs)
{
	return pairs->within ? dkt_fail(pairs->ctx, -EOPNOTSUPP,
					"the kernel cannot pair what counts only within another"
					" interval") :
			       0;
}

int dkt_intervals_start(struct dkt_intervals *pairs, struct dkt_instance *instance,
			struct dkt_event *begin, struct dkt_event *end, const char *name)
{
	dkt__needs(pairs ? pairs->ctx : NULL, pairs && instance && begin && end && name);

	struct setup setup = { .pairs = pairs, .name = name };
	int err;

	if (begin->slot >= pairs->n_events || end->slot >= pairs->n_events ||
	    !(pairs->events[begin->slot].roles & DKT_INTERVAL_BEGIN) ||
	    !(pairs->events[end->slot].roles & DKT_INTERVAL_END))
		return dkt_fail(pairs->ctx, -EINVAL, "these events are not of the pairs");
	err = check_within(pairs);
	if (!err)
		err = dkt__instance_check_trigger(instance, begin, "hist:keys=common_pid");
	if (!err)
		err = make_setup(&setup, begin, end);
	if (!err)
		err = remember_by(&setup);
	if (!err)
		err = create_event(&setup, instance);
	if (!err)
		err = put_triggers(&setup, instance);
	clear_setup(&setup);
	return err;
}

/* ---- records of slow pairs ---- */

static unsigned int roles_of(const struct dkt_intervals *pairs, const struct dkt_event *event)
{
	return event->slot < pairs->n_events ? pairs->events[event->slot].roles : 0;
}

/* Any begin can be ended by any end, which has a trigger for each of them. */
static int add_all(struct setup *setup, struct dkt_event *const *events, size_t n)
{
	const struct dkt_intervals *pairs = setup->pairs;
	int err = 0;

	for (size_t i = 0; !err && i < n; i++) {
		if (!(roles_of(pairs, events[i]) & DKT_INTERVAL_BEGIN))
			continue;
		err = add_begin(setup, events[i]);
		for (size_t j = 0; !err && j < n; j++) {
			if (!(roles_of(pairs, events[j]) & DKT_INTERVAL_END))
				continue;
			err = add_end(setup, events[j]);
			setup->end_nr++;
		}
		setup->begin_nr++;
	}
	if (!err && !setup->end_nr)
		err = dkt_fail(pairs->ctx, -EINVAL, "these events are not of the pairs");
	return err;
}

/* Records the synthetic event if the time is longer than ns. */
static int enable_slow(const struct setup *setup, struct dkt_instance *in, uint64_t ns)
{
	struct dkt_event *event = dkt_event_find(in->ctx, "synthetic", setup->name);
	char filter[40];
	struct dkt_change *change;
	int err;

	if (!event)
		return dkt__no_event(in->ctx, "synthetic", setup->name);
	snprintf(filter, sizeof(filter), "lat > %llu", (unsigned long long)ns);
	err = dkt_change_new(in, &change);
	if (!err)
		err = dkt_change_filter(change, event, filter);
	if (!err)
		err = dkt_change_events(change, &event, 1);
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	return err;
}

int dkt_intervals_watch(struct dkt_intervals *pairs, struct dkt_instance *instance,
			struct dkt_event *const *events, size_t n, uint64_t ns, const char *name)
{
	dkt__needs(pairs ? pairs->ctx : NULL, pairs && instance && events && n && name);

	struct setup setup = { .pairs = pairs, .name = name };
	int err = check_within(pairs);

	if (!err)
		err = dkt__instance_check_trigger(instance, events[0], "hist:keys=common_pid");
	if (!err)
		err = make_text(&setup, put_fields, &setup.fields);
	if (!err)
		err = add_all(&setup, events, n);
	if (!err)
		err = create_event(&setup, instance);
	if (!err)
		err = enable_slow(&setup, instance, ns);
	if (!err)
		err = put_triggers(&setup, instance);
	clear_setup(&setup);
	return err;
}

/* ---- counts ---- */

/* The names of a group's numbers come from the event that has the group. */
static int name_groups(struct dkt_intervals *pairs, struct dkt_table *table)
{
	struct dkt_event *event =
		dkt_event_find(pairs->ctx, pairs->kernel_by[0], pairs->kernel_by[1]);
	struct dkt__key key;

	if (event && table->n_keys && table->keys[0].kind == TABLE_NUMBER &&
	    !dkt__key_bind(pairs->ctx, event, &pairs->by, &key)) {
		table->keys[0].names = key.names;
		table->keys[0].is_signed = key.is_signed;
	}
	return dkt__table_finish(table);
}

int dkt_intervals_read(struct dkt_intervals *pairs, struct dkt_instance *instance, const char *name,
		       struct dkt_table **table)
{
	dkt__needs(pairs ? pairs->ctx : NULL, dkt__clear(table) && pairs && instance && name);

	struct dkt_event *event = dkt_event_find(pairs->ctx, "synthetic", name);
	int err;

	if (!event)
		return dkt_fail(pairs->ctx, -ENOENT, "the event %s no longer exists", name);
	err = dkt__instance_get_hist(instance, event, table);
	if (!err && pairs->grouped && pairs->kernel_by[0])
		err = name_groups(pairs, *table);
	if (err) {
		dkt_table_free(*table);
		*table = NULL;
	}
	return err;
}
