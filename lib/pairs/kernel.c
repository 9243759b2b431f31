/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pairs measured by the kernel: a synthetic event for each pair, and a histogram of it. */
#include "base/io.h"
#include "event.h"
#include "hist/table.h"
#include "instance.h"
#include "pairs.h"

/* One trigger of the three, for an event that is found by name once the new event is there. */
struct step {
	const char *system;
	const char *name;
	char *text;
};

struct plan {
	struct dkt_pairs *pairs;
	const struct dkt_event *begin, *end;
	const char *name; /* of the synthetic event */
	char *fields; /* of it */
	struct step steps[3];
};

/* The kernel's type of a field that is copied: it must agree in size and sign. */
static int put_by_field(FILE *f, const struct dkt_pairs *pairs, const struct dkt__key *by)
{
	switch (by->kind) {
	case KEY_NUMBER:
		fprintf(f, "; %c%u by", by->is_signed ? 's' : 'u', by->field.size * 8);
		return 0;
	case KEY_STRING:
		fprintf(f, "; char by[]");
		return 0;
	default:
		return dkt_fail(pairs->ctx, -EOPNOTSUPP, "the kernel cannot group pairs by '%s'",
				pairs->by.name);
	}
}

/* The event that says the group. */
static const struct dkt_event *by_event(const struct plan *plan)
{
	return plan->pairs->by_begin ? plan->begin : plan->end;
}

static const struct dkt__key *by_key(const struct plan *plan)
{
	return &plan->pairs->events[by_event(plan)->index].by;
}

/* The filter, and in front of it one that leaves out what a process does; 0: none. */
static int put_filter(FILE *f, const struct plan *plan, const struct dkt_event *event, pid_t skip)
{
	char *text __cleanup(free) = NULL;
	int err = 0;

	if (plan->pairs->events[event->index].filtered)
		err = dkt_expr_text(plan->pairs->filter, (struct dkt_event *)event, &text);
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

/* "hist:keys=common_pid:ts0=common_timestamp,by0=id" */
static int put_begin(FILE *f, const struct plan *plan)
{
	const struct dkt_pairs *pairs = plan->pairs;

	fputs("hist:keys=", f);
	for (uint32_t i = 0; i < pairs->n_keys; i++)
		fprintf(f, "%s%s", i ? "," : "", dkt__key_kernel_name(pairs->keys[i].begin.name));
	fputs(":ts0=common_timestamp", f);
	if (pairs->grouped && pairs->by_begin)
		fprintf(f, ",by0=%s", dkt__key_kernel_name(pairs->by.name));
	fprintf(f, ":size=%d", PAIRS_KERNEL_SIZE);
	return put_filter(f, plan, plan->begin, pairs->skip);
}

/* "hist:keys=common_pid:lat=common_timestamp-$ts0:onmatch(a.b).trace(name,$lat,$by0)" */
static int put_end(FILE *f, const struct plan *plan)
{
	const struct dkt_pairs *pairs = plan->pairs;

	fputs("hist:keys=", f);
	for (uint32_t i = 0; i < pairs->n_keys; i++)
		fprintf(f, "%s%s", i ? "," : "", dkt__key_kernel_name(pairs->keys[i].end.name));
	fprintf(f, ":lat=common_timestamp-$ts0:size=%d:onmatch(%s.%s).trace(%s,$lat",
		PAIRS_KERNEL_SIZE, plan->begin->system, plan->begin->name, plan->name);
	if (pairs->grouped)
		fprintf(f, ",%s", pairs->by_begin ? "$by0" : dkt__key_kernel_name(pairs->by.name));
	fputs(")", f);
	return put_filter(f, plan, plan->end, 0);
}

/* "hist:keys=by.syscall,lat.log2:vals=lat" */
static int put_sum(FILE *f, const struct plan *plan)
{
	const struct dkt__key_spec *by = &plan->pairs->by;

	fputs("hist:keys=", f);
	if (plan->pairs->grouped) {
		fputs("by", f);
		if (by->mod == MOD_EXECNAME)
			return dkt_fail(plan->pairs->ctx, -EOPNOTSUPP,
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

static int make_text(const struct plan *plan, int (*put)(FILE *f, const struct plan *plan),
		     char **text)
{
	size_t len;
	FILE *f = open_memstream(text, &len);

	return dkt__with_words(plan->pairs->ctx, dkt__text_end(f, f ? put(f, plan) : 0, text));
}

static int put_fields(FILE *f, const struct plan *plan)
{
	fputs("u64 lat", f);
	return plan->pairs->grouped ? put_by_field(f, plan->pairs, by_key(plan)) : 0;
}

static int make_plan(struct plan *plan)
{
	int err = make_text(plan, put_fields, &plan->fields);

	/* The event is there before what makes it, and that before what is looked for. */
	plan->steps[0] = (struct step){ .system = "synthetic", .name = plan->name };
	plan->steps[1] = (struct step){ .system = plan->begin->system, .name = plan->begin->name };
	plan->steps[2] = (struct step){ .system = plan->end->system, .name = plan->end->name };
	if (!err)
		err = make_text(plan, put_sum, &plan->steps[0].text);
	if (!err)
		err = make_text(plan, put_begin, &plan->steps[1].text);
	return err ? err : make_text(plan, put_end, &plan->steps[2].text);
}

static int put_trigger(struct dkt_instance *in, const char *system, const char *name,
		       const char *text)
{
	struct dkt_event *event = dkt_event_find(in->ctx, system, name);
	struct dkt_change *change;
	int err;

	if (!event)
		return dkt__no_event(in->ctx, system, name);
	err = dkt_change_new(in, &change);
	if (!err)
		err = dkt_change_trigger(change, event, text);
	if (!err)
		err = dkt_change_commit(change);
	dkt_change_free(change);
	return err;
}

/* Names outlive the catalogue, which is forgotten when the new event is made. */
static int apply(struct plan *plan, struct dkt_instance *in)
{
	DKT_OPTS(dkt_probe, probe, .kind = DKT_PROBE_SYNTHETIC, .group = "synthetic",
		 .name = plan->name, .place = "", .fields = plan->fields);
	char *systems[3] = { 0 }, *names[3] = { 0 };
	int err = 0;

	for (int i = 0; i < 3; i++) {
		systems[i] = strdup(plan->steps[i].system);
		names[i] = strdup(plan->steps[i].name);
		if (!systems[i] || !names[i])
			err = dkt__no_memory(in->ctx);
	}
	if (!err)
		err = dkt_probe_create(in->ctx, &probe);
	for (int i = 0; !err && i < 3; i++)
		err = put_trigger(in, systems[i], names[i], plan->steps[i].text);
	for (int i = 0; i < 3; i++) {
		free(systems[i]);
		free(names[i]);
	}
	return err;
}

/* For when the catalogue has been forgotten. */
static int remember_by(const struct plan *plan)
{
	const struct dkt_event *event = by_event(plan);
	char **names = plan->pairs->kernel_by;

	free(names[0]);
	free(names[1]);
	names[0] = strdup(event->system);
	names[1] = strdup(event->name);
	return names[0] && names[1] ? 0 : dkt__no_memory(plan->pairs->ctx);
}

int dkt_pairs_start(struct dkt_pairs *pairs, struct dkt_instance *instance, struct dkt_event *begin,
		    struct dkt_event *end, const char *name)
{
	dkt__needs(pairs ? pairs->ctx : NULL, pairs && instance && begin && end && name);

	struct plan plan = { .pairs = pairs, .begin = begin, .end = end, .name = name };
	int err;

	if (begin->index >= pairs->n_events || end->index >= pairs->n_events ||
	    !(pairs->events[begin->index].roles & DKT_PAIR_BEGIN) ||
	    !(pairs->events[end->index].roles & DKT_PAIR_END))
		return dkt_fail(pairs->ctx, -EINVAL, "these events are not of the pairs");
	err = dkt_instance_check_trigger(instance, begin, "hist:keys=common_pid");
	if (!err)
		err = make_plan(&plan);
	if (!err)
		err = remember_by(&plan);
	if (!err)
		err = apply(&plan, instance);
	for (int i = 0; i < 3; i++)
		free(plan.steps[i].text);
	free(plan.fields);
	return err;
}

/* The names of a group's numbers come from the event that the group was taken from. */
static int name_groups(struct dkt_pairs *pairs, struct dkt_table *table)
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

int dkt_pairs_read(struct dkt_pairs *pairs, struct dkt_instance *instance, const char *name,
		   struct dkt_table **table)
{
	dkt__needs(pairs ? pairs->ctx : NULL, dkt__clear(table) && pairs && instance && name);

	struct dkt_event *event = dkt_event_find(pairs->ctx, "synthetic", name);
	int err;

	if (!event)
		return dkt_fail(pairs->ctx, -ENOENT, "the event %s no longer exists", name);
	err = dkt_instance_get_hist(instance, event, table);
	if (!err && pairs->grouped && pairs->kernel_by[0])
		err = name_groups(pairs, *table);
	if (err) {
		dkt_table_free(*table);
		*table = NULL;
	}
	return err;
}
