/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints the hottest functions and stacks of a profile. */
#include <inttypes.h>

#include "ctl/app/groups.h"
#include "ctl/app/print.h"
#include "ctl/out/bar.h"
#include "ctl/profile/profile.h"
#include "ctl/profile/stacks.h"
#include "lib/base/buf.h"

/* ---- what was read ---- */

const char *profile_unit(const struct profile *profile)
{
	if (!profile->weighs)
		return "samples";
	if (profile->is_time)
		return "nanoseconds";
	/* The sums of several counters have no unit. */
	return profile->opts.by & PROFILE_BY_EVENT && profile->n_events > 1 ?
		       "periods" :
		       profile->events[0]->name;
}

/* "cpu_clock", "sched:sched_switch and 2 more events" */
static char *event_words(const struct profile *profile, enum profile_side side)
{
	const struct profile_event *first = NULL;
	uint32_t more = 0;

	for (uint32_t i = 0; i < profile->n_events; i++) {
		const struct profile_event *event = profile->events[i];

		if (!event->shown || !event->samples[side])
			continue;
		more += first != NULL;
		first = first ?: event;
	}
	if (!more)
		return strdup(first ? first->name : "");
	return dkt__format("%s and %" PRIu32 " more event%s", first->name, more,
			   more == 1 ? "" : "s");
}

static char *sample_words(const struct profile_view *view, enum profile_side side)
{
	const struct profile *profile = view->profile;
	const struct profile_facts *facts = &profile->facts[side];
	char *event __cleanup(free) = event_words(profile, side);
	char span[UNIT_SIZE], weight[UNIT_SIZE], cpus[32] = "", *sum __cleanup(free) = NULL;

	duration_text(facts->last - facts->first, span);
	duration_text(facts->all.weight, weight);
	if (profile->is_time)
		sum = dkt__format(" = %s of CPU time", weight);
	else if (profile->weighs)
		sum = dkt__format(" = %" PRIu64 " %s", facts->all.weight, profile_unit(profile));
	else
		sum = strdup("");
	if (!event || !sum)
		return NULL;
	/* A file that does not tell the CPUs of its samples seems to have one. */
	if (facts->cpus > 1)
		snprintf(cpus, sizeof(cpus), " on %" PRIu32 " CPUs", facts->cpus);
	return dkt__format("%" PRIu64 " sample%s of %s%s, in %s%s", facts->all.samples,
			   facts->all.samples == 1 ? "" : "s", event, sum, span, cpus);
}

char *profile_words(const struct profile_view *view, enum profile_side side)
{
	return view->wall ? profile_wall_words(view, side) : sample_words(view, side);
}

static void put_unknown(const struct profile_view *view, struct out *out)
{
	const struct profile_facts *facts = &view->profile->facts[PROFILE_NOW];
	const uint64_t unknown = profile_unknown(view->profile);

	out_json(out, "unknown", val_number(unknown));
	out_json(out, "cut", val_number(facts->cut));
	if (unknown)
		out_line(out, "",
			 "The innermost function of %" PRIu64 " sample%s (%.1f %%) has no name.",
			 unknown, unknown == 1 ? "" : "s",
			 100.0 * (double)unknown / (double)facts->all.samples);
	if (facts->cut)
		out_line(out, "",
			 "Of %" PRIu64 " samples only the outermost functions are shown: their"
			 " stacks are too deep, or there are more than %u different ones.",
			 facts->cut, PROFILE_NODES_MAX);
}

static void put_throttled(const struct profile_view *view, struct out *out)
{
	if (!view->throttled)
		return;
	out_line(out, "",
		 "The kernel paused the sampling %" PRIu64
		 " times, because it took too much time: samples are missing.",
		 view->throttled);
	out_json(out, "throttled", val_number(view->throttled));
}

/* Names the events that are not shown. */
static void put_others(const struct profile_view *view, struct out *out)
{
	const struct profile *profile = view->profile;

	for (uint32_t i = 0; i < profile->n_events; i++) {
		const struct profile_event *event = profile->events[i];

		if (!event->shown && event->samples[PROFILE_NOW])
			out_line(out, "",
				 "Not shown: %" PRIu64 " samples of %s; -e '%s%s' selects them.",
				 event->samples[PROFILE_NOW], event->name,
				 event->is_perf ? "perf:" : "", event->name);
	}
}

static struct json_object *events_json(const struct profile *profile)
{
	struct json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < profile->n_events; i++) {
		const struct profile_event *event = profile->events[i];
		struct json_object *object = json_object_new_object();

		json_object_object_add(object, "name", val_text(event->name));
		json_object_object_add(object, "samples", val_number(event->samples[PROFILE_NOW]));
		json_object_object_add(object, "shown", val_bool(event->shown));
		json_object_array_add(list, object);
	}
	return list;
}

/* Puts what was read, for the tables and for the trees. */
int profile_show_facts(const struct profile_view *view, struct out *out)
{
	const struct profile *profile = view->profile;
	const struct profile_facts *facts = &profile->facts[PROFILE_NOW];
	char *words __cleanup(free) = profile_words(view, PROFILE_NOW);
	char *before __cleanup(free) = view->before ? profile_words(view, PROFILE_BEFORE) : NULL;

	if (!words || (view->before && !before))
		return -ENOMEM;
	if (view->n_files > 1)
		out_line(out, "", "%s and %zu more: %s", view->path, view->n_files - 1, words);
	else
		out_line(out, "", "%s: %s", view->path, words);
	if (before)
		out_line(out, "", "%s: %s", view->before, before);
	if (view->wall) {
		profile_show_wall_facts(view, out);
		return 0;
	}
	out_json(out, "samples", val_number(facts->all.samples));
	out_json(out, "weight", val_number(facts->all.weight));
	if (before)
		out_json(out, "before", val_number(profile->facts[PROFILE_BEFORE].all.samples));
	out_json(out, "unit", val_text(profile_unit(profile)));
	out_json(out, "duration", val_number(facts->last - facts->first));
	out_json(out, "cpus", val_number(facts->cpus));
	if (out->form == OUT_JSON)
		out_json(out, "events", events_json(profile));
	print_losses(out, &view->losses);
	put_throttled(view, out);
	put_unknown(view, out);
	put_others(view, out);
	return 0;
}

/* ---- shares ---- */

struct json_object *profile_share_value(const struct profile *profile, enum profile_side side,
					const struct profile_value *values)
{
	return json_object_new_double(profile_share(&profile->tree, side, &values[side]));
}

static double difference(const struct profile *profile, const struct profile_value *values)
{
	return profile_share(&profile->tree, PROFILE_NOW, &values[PROFILE_NOW]) -
	       profile_share(&profile->tree, PROFILE_BEFORE, &values[PROFILE_BEFORE]);
}

struct json_object *profile_before_value(const struct profile_view *view,
					 const struct profile_value *values)
{
	return view->before ? profile_share_value(view->profile, PROFILE_BEFORE, values) : NULL;
}

/* Nothing if there is nothing to compare with. */
static struct json_object *difference_of(const struct profile_view *view,
					 const struct profile_value *values)
{
	return view->before ? json_object_new_double(difference(view->profile, values)) : NULL;
}

/* ---- functions ---- */

/* "+12.34" */
static struct json_object *change_words(const struct profile *profile,
					const struct profile_value *values)
{
	char *text __cleanup(free) = dkt__format("%+.2f", 100 * difference(profile, values));

	return val_text(text);
}

struct sorting {
	const struct profile *profile;
	bool compares; /* by the difference */
};

static int by_self(const void *a, const void *b, void *data)
{
	const struct profile_sum *p = a, *q = b;
	const struct sorting *sorting = data;
	double d = 0;

	if (sorting->compares)
		d = __builtin_fabs(difference(sorting->profile, q->self)) -
		    __builtin_fabs(difference(sorting->profile, p->self));
	if (d < 0 || d > 0)
		return d < 0 ? -1 : 1;
	if (p->self[PROFILE_NOW].weight != q->self[PROFILE_NOW].weight)
		return p->self[PROFILE_NOW].weight > q->self[PROFILE_NOW].weight ? -1 : 1;
	if (p->total[PROFILE_NOW].weight != q->total[PROFILE_NOW].weight)
		return p->total[PROFILE_NOW].weight > q->total[PROFILE_NOW].weight ? -1 : 1;
	return strcmp(profile_names_text(&sorting->profile->names, p->name),
		      profile_names_text(&sorting->profile->names, q->name));
}

static void add_function(const struct profile_view *view, struct rows *rows,
			 const struct profile_sum *sum)
{
	const struct profile *profile = view->profile;
	struct json_object *self = profile_share_value(profile, PROFILE_NOW, sum->self),
			   *total = profile_share_value(profile, PROFILE_NOW, sum->total),
			   *samples = val_number(sum->self[PROFILE_NOW].samples),
			   *weight = val_number(sum->self[PROFILE_NOW].weight),
			   *name = val_text(profile_names_text(&profile->names, sum->name)),
			   *where = val_text(profile_names_where(&profile->names, sum->name)),
			   *before = profile_before_value(view, sum->self),
			   *change = difference_of(view, sum->self);

	if (view->before)
		rows_add(rows, self, total, samples, weight, before, change,
			 change_words(profile, sum->self), name, where);
	else
		rows_add(rows, self, total, samples, weight, name, where, before, change);
}

static struct rows *functions(const struct profile_view *view, const struct profile_sum *sums,
			      size_t n)
{
	static const struct column alone[] = {
		{ .key = "self", .type = COL_SHARE },
		{ .key = "total", .type = COL_SHARE },
		{ .key = "samples", .type = COL_NUMBER },
		{ .key = "weight", .type = COL_NUMBER, .flags = COL_DATA },
		{ .key = "function" },
		{ .key = "where" },
		{ .key = "before", .type = COL_SHARE, .flags = COL_DATA },
		{ .key = "difference", .type = COL_SHARE, .flags = COL_DATA },
	}, compared[] = {
		{ .key = "self", .type = COL_SHARE },
		{ .key = "total", .type = COL_SHARE, .flags = COL_DATA },
		{ .key = "samples", .type = COL_NUMBER, .flags = COL_DATA },
		{ .key = "weight", .type = COL_NUMBER, .flags = COL_DATA },
		{ .key = "before", .type = COL_SHARE },
		{ .key = "difference", .type = COL_SHARE, .flags = COL_DATA },
		{ .key = "change", .heading = "CHANGE(%)", .flags = COL_PEOPLE },
		{ .key = "function" },
		{ .key = "where" },
	};
	struct rows *rows = view->before ? rows_new("functions", compared, ARRAY_SIZE(compared)) :
					   rows_new("functions", alone, ARRAY_SIZE(alone));

	for (size_t i = 0; i < n && rows_count(rows) < view->top; i++) {
		const struct profile_value *self = sums[i].self;

		/* Callers do not change by themselves. */
		if (!view->before || self[PROFILE_NOW].samples || self[PROFILE_BEFORE].samples)
			add_function(view, rows, &sums[i]);
	}
	return rows;
}

static int put_functions(const struct profile_view *view, struct out *out)
{
	struct sorting sorting = { view->profile, view->before != NULL };
	struct profile_sum *sums __cleanup(free) = NULL;
	size_t n;
	int err = profile_sums(view->profile, &sums, &n);

	if (err)
		return err;
	qsort_r(sums, n, sizeof(*sums), by_self, &sorting);
	out_rows(out, functions(view, sums, n));
	return 0;
}

/* ---- stacks ---- */

static int put_stacks(const struct profile_view *view, struct out *out)
{
	static const struct column columns[] = {
		{ .key = "share", .type = COL_SHARE },
		{ .key = "samples", .type = COL_NUMBER },
		{ .key = "weight", .type = COL_NUMBER, .flags = COL_DATA },
		{ .key = "stack", .flags = COL_FOLD | COL_PEOPLE },
		{ .key = "functions", .type = COL_LIST, .flags = COL_DATA },
	};
	const struct profile *profile = view->profile;
	const struct profile_tree *tree = &profile->tree;
	size_t n;
	uint32_t *sorted __cleanup(free) = profile_stacks_hottest(tree, &n);
	struct rows *rows;

	if (!sorted)
		return -ENOMEM;
	rows = rows_new("stacks", columns, ARRAY_SIZE(columns));
	for (size_t i = 0; i < n && i < view->top; i++) {
		const struct profile_node *node = &tree->nodes[sorted[i]];

		rows_add(rows, profile_share_value(profile, PROFILE_NOW, node->self),
			 val_number(node->self[PROFILE_NOW].samples),
			 val_number(node->self[PROFILE_NOW].weight),
			 profile_stack_words(&profile->names, tree, sorted[i], true),
			 profile_stack_list(&profile->names, tree, sorted[i], true));
	}
	out_rows(out, rows);
	return 0;
}

/* ---- all ---- */

int profile_show_tables(struct profile_view *view, struct out *out)
{
	int err = profile_tree_link(&view->profile->tree, profile_by_name, view->profile);

	if (!err)
		err = profile_show_facts(view, out);
	if (!err && view->wall)
		return profile_show_wall(view, out);
	if (!err)
		err = put_functions(view, out);
	if (!err && !view->before)
		err = put_stacks(view, out);
	if (err)
		return err;
	if (out->form == OUT_TEXT)
		putchar('\n');
	out_line(out, "",
		 "More: --tree and --callers print trees, --top N more rows, --style svg"
		 " draws a flame graph.");
	return 0;
}
